//! Opening files: a fresh worker for each load, swapped in when it has something to show. Knows workers and
//! files as handles; never reads one.
//!
//! ```text
//!   open(files) ──► Link ──► Hello ──► Progress… ──► Opened ──► figures and first rows ──► swap in
//!                     │                                  └────── Failed, Died, Cancel ──► drop; what was open stays
//!   open worker dies ──► the same files, once more, out of sight; what is on screen stays
//! ```

use super::asking::{Heard, Pending, Shown};
use super::further::Then;
use super::{Opened, Same, State};
use crate::analysis::{Filter, FilterError, Query};
use crate::chart::table::Folds;
use crate::chart::{load::Load, load::SHOWN_AFTER_MS, pick};
use crate::engine::address::{FilePlace, View};
use crate::engine::client::{Link, Picked, Report};
use crate::engine::{Answer, Failure, Reply, RequestId, Session, Sort};
use crate::view::widgets::table::Place;
use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use std::ops::Range;

/// The workers, and what is under way in them.
#[derive(Default)]
pub(super) struct Engines {
    serial: u32,
    /// The worker of what is open.
    pub(super) open: Option<Link>,
    open_serial: u32,
    files: Vec<Picked>,
    reopened: bool,
    loading: Option<Loading>,
    /// The breakdown asked for and not shown yet.
    pub(super) pending: Option<Pending>,
    /// Rows asked for: which request, which page.
    pub(super) flight: Vec<(RequestId, u32)>,
    /// Other questions, and what is done with their answers.
    pub(super) further: Vec<(RequestId, Then)>,
    /// The rows on screen.
    pub(super) wanted: Range<u32>,
}

impl Engines {
    /// Whether a question is answered, now or once the files are read again.
    pub(super) fn can_answer(&self) -> bool {
        self.open.is_some() || self.loading.as_ref().is_some_and(|loading| loading.again)
    }
}

struct Loading {
    serial: u32,
    link: Link,
    files: Vec<Picked>,
    /// Opened again after its worker died: out of sight.
    again: bool,
    session: Option<Session>,
    /// What is asked of it first.
    question: (Query, Sort),
    pending: Option<Pending>,
}

impl Loading {
    /// Asks for what is shown first.
    fn ask(&mut self) {
        let (query, sort) = self.question.clone();
        self.pending = Some(Pending::ask(&self.link, query, sort, None));
    }
}

/// Ends workers, but not from within their own messages.
fn end<T: 'static>(link: T) {
    Timeout::new(0, move || drop(link)).forget();
}

/// Milliseconds of the page's clock.
pub(crate) fn now() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a file's length: whole, below 2⁵³")]
fn size(picked: &Picked) -> u64 {
    picked.file.size() as u64
}

impl State {
    /// Opens files as one session, in place of what is open once they could be read.
    pub(crate) fn open(self, files: Vec<Picked>) {
        self.failure.set(None);
        self.start(files, false);
    }

    fn start(self, files: Vec<Picked>, again: bool) {
        self.cancel();
        let names: Vec<String> = files.iter().map(|picked| picked.path.clone()).collect();
        let load = Load::new(pick::session_name(&names), files.iter().map(size).sum(), now());
        let serial = self.engines.with_value(|engines| engines.serial + 1);
        let link = match Link::start(move |report| self.hear_from(serial, report)) {
            Ok(link) => link,
            Err(failure) => return self.load_failed(failure),
        };
        link.open(&files);
        self.engines.update_value(|engines| {
            engines.serial = serial;
            engines.loading = Some(Loading {
                serial,
                link,
                files,
                again,
                session: None,
                question: Default::default(),
                pending: None,
            });
        });
        if again {
            return;
        }
        self.load.set(Some(load));
        let show = move || {
            if self.is_loading(serial) {
                self.tips.hide();
                self.load_shown.set(true);
            }
        };
        Timeout::new(SHOWN_AFTER_MS, show).forget();
    }

    fn is_loading(self, serial: u32) -> bool {
        self.engines.with_value(|engines| engines.loading.as_ref().is_some_and(|loading| loading.serial == serial))
    }

    /// Ends the load under way. What was open stays open.
    pub(crate) fn cancel(self) {
        if let Some(loading) = self.engines.try_update_value(|engines| engines.loading.take()).flatten() {
            end(loading.link);
        }
        self.load_shown.set(false);
        self.load.set(None);
    }

    /// Closes what is open.
    pub(crate) fn close(self) {
        self.cancel();
        self.engines.update_value(|engines| {
            if let Some(link) = engines.open.take() {
                end(link);
            }
            *engines = Engines { serial: engines.serial, ..Engines::default() };
        });
        self.shown.set(None);
        self.opened.set(None);
        self.toasts.set(Vec::new());
        self.reset();
    }

    fn reset(self) {
        self.query.set(Query::default());
        self.sort.set(Sort::default());
        self.restart();
    }

    /// Another session: nothing is selected in it, open, or zoomed to.
    fn restart(self) {
        self.place.set(Place { row: Some(0), column: 0 });
        self.folds.set(Folds::default());
        self.filter_error.set(None);
        self.busy.set(false);
    }

    fn hear_from(self, serial: u32, report: Report) {
        if self.is_loading(serial) {
            match report {
                Report::Answer(answer) => self.hear_loading(answer),
                Report::Died(failure) => self.load_failed(failure),
            }
        } else if self.engines.with_value(|engines| engines.open.is_some() && engines.open_serial == serial) {
            match report {
                Report::Answer(answer) => self.hear(answer),
                Report::Died(failure) => self.worker_died(failure),
            }
        }
    }

    fn hear_loading(self, answer: Answer) {
        match answer.reply {
            Reply::Progress(progress) => self.load.update(|load| {
                if let Some(load) = load {
                    load.update(progress, now());
                }
            }),
            Reply::Opened(session) => self.read(*session),
            Reply::Failed(failure) => self.load_failed(failure),
            reply => {
                let answer = Answer { id: answer.id, reply };
                let heard = self.engines.try_update_value(|engines| {
                    engines.loading.as_mut().and_then(|loading| loading.pending.as_mut()).map(|p| p.hear(answer))
                });
                match heard.flatten() {
                    Some(Heard::Done(shown)) => self.swap_in(Some(shown)),
                    Some(Heard::Failed(failure)) => self.load_failed(failure),
                    Some(Heard::Refused(error)) => self.refused(&error),
                    _ => {}
                }
            }
        }
    }

    /// The files are read: asks for what is shown first. That is what the address says, or what was on screen before
    /// the worker died; a session that takes another's place starts anew.
    fn read(self, session: Session) {
        let empty = session.devices.is_empty();
        let (query, sort) = self.asked();
        let replaces = self.opened.with_untracked(Option::is_some);
        self.engines.update_value(|engines| {
            let Some(loading) = engines.loading.as_mut() else { return };
            loading.question = match (loading.again, replaces) {
                (true, _) => (query, sort),
                (false, true) => Default::default(),
                (false, false) => (pick::fitting(&session, query), sort),
            };
            loading.session = Some(session);
            if !empty {
                loading.ask();
            }
        });
        if empty {
            self.swap_in(None);
        }
    }

    /// The filter that the address came with is no expression: said, and left out.
    fn refused(self, error: &FilterError) {
        self.engines.update_value(|engines| {
            let Some(loading) = engines.loading.as_mut() else { return };
            loading.question.0.filter = Filter::default();
            loading.ask();
        });
        let title = "The address has a filter that is no regular expression".to_owned();
        let message = format!("Column {}: {}. It was left out.", error.column, error.message);
        self.inform(Failure { title, message });
    }

    fn swap_in(self, shown: Option<Shown>) {
        let Some(loading) = self.engines.try_update_value(|engines| engines.loading.take()).flatten() else { return };
        let Some(session) = loading.session else { return };
        let names: Vec<String> = session.files.iter().map(|file| file.name.clone()).collect();
        self.engines.update_value(|engines| {
            if let Some(old) = engines.open.replace(loading.link) {
                end(old);
            }
            engines.open_serial = loading.serial;
            engines.files = loading.files;
            engines.reopened = loading.again;
            engines.pending = None;
            engines.flight.clear();
            engines.further.clear();
        });
        if !loading.again {
            let replaces = self.opened.with_untracked(Option::is_some);
            let (query, sort) = loading.question;
            self.query.set(query);
            self.sort.set(sort);
            self.restart();
            if replaces {
                self.selected.set(Vec::new());
                self.zoom.set(String::new());
                self.op.set(String::new());
                self.graph.set(false);
                self.file.set(FilePlace::default());
                self.roofline.set(String::new());
                self.memory.set(String::new());
                self.memory_filter.set(String::new());
                self.comm.set(String::new());
                self.comm_filter.set(String::new());
                // Who looks at one capture's roofline wants to see the other's.
                if self.view.get_untracked() == View::File {
                    self.view.set(View::default());
                }
                self.toasts.set(Vec::new());
            }
        }
        self.busy.set(false);
        self.unanswered.set(false);
        self.load_shown.set(false);
        self.load.set(None);
        // Programs alone have no times: their text is what there is to see.
        if session.planes.is_empty() {
            self.view.set(View::File);
        }
        self.opened.set(Some(Same::new(Opened { name: pick::session_name(&names), session })));
        let late = loading.again && shown.as_ref().is_some_and(|shown| shown.question() != self.asked());
        self.shown.set(shown);
        if late {
            // Something else was chosen while the answer was on its way.
            self.ask();
        }
    }

    /// Nothing came of a load.
    pub(super) fn load_failed(self, mut failure: Failure) {
        self.busy.set(false);
        self.cancel();
        if self.opened.with_untracked(Option::is_some) {
            failure.message.push_str(" What was open stays open.");
        }
        self.fail(failure);
    }

    /// The open session's worker is gone: what is on screen stays, and its files are read again, once.
    fn worker_died(self, mut failure: Failure) {
        let files = self.engines.try_update_value(|engines| {
            if let Some(link) = engines.open.take() {
                end(link);
            }
            engines.pending = None;
            engines.flight.clear();
            engines.further.clear();
            (!engines.reopened && engines.loading.is_none()).then(|| engines.files.clone())
        });
        match files.flatten() {
            Some(files) => {
                failure.message.push_str(" The files are being read again; what is on screen stays.");
                self.start(files, true);
            }
            None => {
                self.busy.set(false);
                failure.message.push_str(" What is on screen stays; drop the files again to go on.");
            }
        }
        self.fail(failure);
    }
}
