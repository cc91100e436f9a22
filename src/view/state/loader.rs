//! This module opens files. Every load starts a fresh worker, which replaces the open one as soon as it has figures to
//! show. The page never reads a file.
//!
//! ```text
//!   open(files) ──► WorkerHandle ──► Hello ──► Progress… ──► Opened ──► figures ──► swap in
//!                     │                                  └────── Failed, Died, Cancel ──► drop; the open session stays
//!   first device, from large files ──► Opened ──► figures ──► swap in ──► Opened ──► the same views, with all devices
//!   open worker dies ──► the same files, once more, not shown as a load; the page stays as it is
//! ```

use super::clock::now;
use super::open_request::OpenRequest;
use super::pending::{PendingState, SentRequest};
use super::ptr_eq::PtrEq;
use super::workers::{Loading, Workers, end};
use super::{Opened, State};
use crate::analysis::base::{Filter, FilterError, Query};
use crate::chart::loading::{Load, SHOWN_AFTER_MS};
use crate::chart::widgets::picker_options;
use crate::protocol::url::ViewStates;
use crate::protocol::url::{FilesViewState, View};
use crate::protocol::{Answer, BreakdownHead, Failure, Reply, SessionInfo, SessionSlot};
use crate::view::widgets::table::GridCell;
use crate::worker::client::{Picked, WorkerEvent, WorkerHandle};
use gloo::timers::callback::Timeout;
use leptos::prelude::*;

impl State {
    /// Opens files as one session, which replaces the open session once the files have been read.
    pub(crate) fn open(self, files: Vec<Picked>) {
        self.failure.set(None);
        self.start(OpenRequest { files, ..OpenRequest::default() }, false);
    }

    /// Opens files that are stored on this device under the name `stored`.
    pub(crate) fn open_kept(self, files: Vec<Picked>, stored: String) {
        self.failure.set(None);
        self.start(OpenRequest { files, stored, ..OpenRequest::default() }, false);
    }

    /// Records that the open session is stored on this device under the name `stored`.
    pub(crate) fn mark_stored(self, stored: &str) {
        self.workers.update_value(|workers| stored.clone_into(&mut workers.opened_by.stored));
        self.stored.set(stored.to_owned());
    }

    /// Returns the number of loads started so far. A slow fetch compares the number before and after, so that it does
    /// not replace a capture that was opened meanwhile.
    pub(crate) fn opens(self) -> u32 {
        self.workers.with_value(|workers| workers.opens)
    }

    /// Opens the report of a link. `report` is its text in the address.
    pub(super) fn open_report(self, report: String) {
        self.failure.set(None);
        self.start(OpenRequest { report, ..OpenRequest::default() }, false);
    }

    /// Starts a load. With `again`, the load only replaces a worker that ended, and the page does not show its
    /// progress.
    pub(super) fn start(self, wanted: OpenRequest, again: bool) {
        let wanted = OpenRequest { slot: SessionSlot::First, ..wanted };
        let fetched = self.load.get_untracked().filter(|_| !wanted.src.is_empty() && !again);
        let is_shown = fetched.is_some() && self.load_shown.get_untracked();
        if !again {
            self.workers.update_value(|workers| workers.opens += 1);
        }
        self.cancel();
        let (name, bytes) = wanted.size();
        let load = match fetched {
            Some(fetched) => fetched.of_fetched(name, bytes, now()),
            None => Load::new(name, bytes, now()),
        };
        let serial = self.next_serial();
        let link = match WorkerHandle::start(move |report| self.handle_report(serial, report)) {
            Ok(link) => link,
            Err(failure) => return self.load_failed(failure),
        };
        let id = wanted.open(&link);
        self.workers.update_value(|workers| {
            workers.loading = Some(Loading {
                serial,
                link,
                id,
                request: wanted,
                again,
                session: None,
                first_query: Default::default(),
                pending: None,
            });
        });
        if again {
            return;
        }
        self.show_load(load, serial);
        if is_shown {
            self.load_shown.set(true);
        }
    }

    /// Returns a number that was not used before.
    pub(super) fn next_serial(self) -> u32 {
        self.workers
            .try_update_value(|workers| {
                workers.serial += 1;
                workers.serial
            })
            .unwrap_or_default()
    }

    /// Shows a load, if it lasts longer than [`SHOWN_AFTER_MS`].
    pub(super) fn show_load(self, load: Load, serial: u32) {
        self.load.set(Some(load));
        let show = move || {
            if self.is_loading(serial) || self.is_fetching(serial) || self.is_loading_second(serial) {
                self.tips.hide();
                self.load_shown.set(true);
            }
        };
        Timeout::new(SHOWN_AFTER_MS, show).forget();
    }

    fn is_loading(self, serial: u32) -> bool {
        self.workers.with_value(|workers| workers.loading.as_ref().is_some_and(|loading| loading.serial == serial))
    }

    /// Returns the files of the open session.
    pub(crate) fn files(self) -> Vec<Picked> {
        self.workers.with_value(|workers| workers.opened_by.files.clone())
    }

    /// Cancels the load under way. The open session stays.
    pub(crate) fn cancel(self) {
        if let Some(loading) = self.workers.try_update_value(|workers| workers.loading.take()).flatten() {
            end(loading.link);
        }
        self.cancel_second();
        self.stop_fetching();
        self.load_shown.set(false);
        self.load.set(None);
    }

    /// Closes the open session.
    pub(crate) fn close(self) {
        self.cancel();
        self.workers.update_value(|workers| {
            if let Some(link) = workers.open.take() {
                end(link);
            }
            *workers = Workers { serial: workers.serial, opens: workers.opens + 1, ..Workers::default() };
        });
        self.update_slow_state();
        self.remaining_files.set(None);
        self.shown.set(None);
        self.opened.set(None);
        self.src.set(String::new());
        self.report.set(String::new());
        self.stored.set(String::new());
        self.forget_pair();
        self.update_folder();
        self.shown_slot.set(SessionSlot::First);
        self.forget_captures();
        self.forget();
        self.reset();
    }

    /// Clears the state that belongs to one capture, and the keyboard's place in the table.
    pub(super) fn forget_capture(self) {
        self.forget();
        self.restart();
    }

    /// Clears the state that belongs to one capture, such as the selection and the zoom.
    fn forget(self) {
        self.sort.set(None);
        self.selected.set(Vec::new());
        self.zoom.set(String::new());
        self.op.set(String::new());
        self.graph.set(false);
        self.file.set(FilesViewState::default());
        // The state of a comparison ends with the pair, and that of a list with the list.
        self.change_views(|views| {
            let ViewStates { compare, captures, .. } = std::mem::take(views);
            *views = ViewStates { compare, captures, ..ViewStates::default() };
        });
        self.memory_filter.set(String::new());
        self.comm_filter.set(String::new());
        // The view is kept for the next capture, except for the view of the files.
        if self.view.get_untracked() == View::File {
            self.view.set(View::default());
        }
        self.toasts.set(Vec::new());
    }

    fn reset(self) {
        self.query.set(Query::default());
        self.restart();
    }

    /// Resets the keyboard's place in the table, the error of the filter, and the busy state.
    fn restart(self) {
        self.place.set(GridCell { row: Some(0), column: 0 });
        self.has_chosen_device.set(false);
        self.judged_device.set(String::new());
        self.filter_error.set(None);
        self.busy.set(false);
    }

    fn handle_report(self, serial: u32, report: WorkerEvent) {
        if self.is_loading(serial) {
            match report {
                WorkerEvent::Answer(answer) => self.handle_load_answer(answer),
                WorkerEvent::Died(failure) => self.load_failed(failure),
            }
        } else if self.workers.with_value(|workers| workers.open.is_some() && workers.open_serial == serial) {
            match report {
                WorkerEvent::Answer(answer) if self.is_for_remaining_files(&answer) => {
                    self.handle_remaining_files(answer.reply);
                }
                WorkerEvent::Answer(answer) if self.is_of_second(&answer) => self.handle_second(answer.reply),
                WorkerEvent::Answer(answer) => self.receive(answer),
                WorkerEvent::Died(failure) => self.worker_died(failure),
            }
        } else if matches!(report, WorkerEvent::Died(_)) {
            self.folder_died(serial);
        }
    }

    fn handle_load_answer(self, answer: Answer) {
        match answer.reply {
            Reply::Progress(progress) => self.load.update(|load| {
                if let Some(load) = load {
                    load.update(progress, now());
                }
            }),
            Reply::Large(estimate) => self.show_memory_estimate(estimate),
            Reply::Opened(session) => self.read(*session),
            Reply::Failed(failure) => self.load_failed(failure),
            reply => {
                let answer = Answer { id: answer.id, reply };
                let pending_state = self
                    .workers
                    .with_value(|workers| Some(workers.loading.as_ref()?.pending.as_ref()?.receive(answer)));
                match pending_state {
                    Some(PendingState::Done(head)) => self.swap_in(Some(head)),
                    Some(PendingState::Failed(failure)) => self.load_failed(failure),
                    Some(PendingState::Refused(error)) => self.refused(&error),
                    _ => {}
                }
            }
        }
    }

    /// Requests the first figures after the files were read. The query is the one of the address, or the one on screen
    /// before the worker died. A session that replaces another one starts with the default query.
    fn read(self, session: SessionInfo) {
        let empty = session.devices.is_empty();
        let query = self.query.get_untracked();
        let replaces = self.opened.with_untracked(Option::is_some);
        self.workers.update_value(|workers| {
            let Some(loading) = workers.loading.as_mut() else { return };
            let is_named = !loading.again && !replaces && Self::names_device();
            workers.awaited_device = session.reading.filter(|_| is_named).map(|_| query.device);
            loading.first_query = match (loading.again, replaces) {
                (true, _) => query,
                (false, replaces) if session.summary.is_some() => {
                    picker_options::available_query(&session, if replaces { Query::default() } else { query })
                }
                (false, true) => session.usual_query.clone(),
                (false, false) => {
                    let query = Self::written_address().named_query(query, &session.usual_query);
                    picker_options::clamp_query(&session, query)
                }
            };
            loading.session = Some(session);
            if !empty {
                loading.send_first();
            }
        });
        if empty {
            self.swap_in(None);
        }
    }

    /// Handles a filter of the address that is not a valid regular expression: the filter is removed, and a message
    /// reports this.
    fn refused(self, error: &FilterError) {
        self.workers.update_value(|workers| {
            let Some(loading) = workers.loading.as_mut() else { return };
            loading.first_query.filter = Filter::default();
            loading.send_first();
        });
        let title = "The address has a filter that is not a valid regular expression".to_owned();
        let message = format!("Column {}: {}. It was left out.", error.column, error.message);
        self.inform(Failure { title, message });
    }

    fn swap_in(self, shown: Option<PtrEq<BreakdownHead>>) {
        let Some(loading) = self.workers.try_update_value(|workers| workers.loading.take()).flatten() else { return };
        let Some(session) = loading.session else { return };
        let name = match session.reading {
            // Only the first file has been read.
            Some(_) => loading.request.size().0,
            None => Self::name_of(&session),
        };
        let (is_of_folder, is_one_run) = (loading.request.is_of_folder, loading.request.is_one_run);
        self.leave_folder(is_of_folder || loading.again);
        self.workers.update_value(|workers| {
            if let Some(old) = workers.open.replace(loading.link) {
                end(old);
            }
            workers.open_serial = loading.serial;
            workers.reading = session.reading.map(|_| loading.id);
            if !loading.again {
                workers.died_at = None;
            }
            workers.forget_requests();
        });
        if !loading.again {
            // The cancelled requests were about another session, so they are sent again.
            self.tries.update(|tries| *tries += 1);
        }
        self.update_slow_state();
        self.src.set(loading.request.src.clone());
        self.report.set(loading.request.report.clone());
        self.stored.set(loading.request.stored.clone());
        self.needs.set(None);
        self.workers.update_value(|workers| {
            workers.opened_by = loading.request;
            if !loading.again {
                workers.other_opened_by = None;
            }
        });
        if !loading.again {
            self.shown_slot.set(SessionSlot::First);
            let replaces = self.opened.with_untracked(Option::is_some);
            if replaces {
                self.forget_pair();
            }
            self.query.set(loading.first_query);
            self.restart();
            self.has_chosen_device.set(!replaces && Self::names_device());
            if replaces {
                self.forget();
            }
            if replaces && !is_of_folder {
                self.forget_captures();
            }
        }
        self.busy.set(false);
        self.load_shown.set(false);
        self.remaining_files.set(if session.reading.is_some() { self.load.get_untracked() } else { None });
        self.load.set(None);
        // A capture that holds only compiled programs has no times, so the view of the files is shown.
        let is_folder = !session.captures.is_empty();
        if session.is_comparison() {
            self.view.set(View::Compare);
        } else if session.planes.is_empty() && session.summary.is_none() && !is_folder {
            self.view.set(View::File);
        } else if !session.capabilities.overview && !is_folder && self.view.get_untracked() == View::Overview {
            self.view.set(View::Breakdown);
        }
        if is_one_run && !loading.again {
            self.inform_of_several_runs(&session);
        }
        self.opened.set(Some(PtrEq::new(Opened { name, session })));
        let late =
            loading.again && shown.as_ref().is_some_and(|head| self.query.with_untracked(|query| *query != head.query));
        self.shown.set(shown);
        if late {
            // The query was changed while the answer was on its way.
            self.request_breakdown();
        }
        if self.remaining_files.with_untracked(Option::is_none) {
            if loading.again {
                self.reopen_second();
            }
            self.compare_waiting();
        }
    }

    /// Handles a load that failed. The open session stays.
    pub(crate) fn load_failed(self, mut failure: Failure) {
        self.busy.set(false);
        self.cancel();
        if self.opened.with_untracked(Option::is_some) {
            failure.message.push_str(" What was open stays open.");
        }
        self.fail(failure);
    }

    /// Handles the end of the open session's worker. The page stays as it is, and the files are read again, unless a
    /// worker ended a moment ago or a load is under way.
    fn worker_died(self, mut failure: Failure) {
        let wanted = self.workers.try_update_value(|workers| {
            if let Some(link) = workers.open.take() {
                end(link);
            }
            let lost = workers.forget_requests();
            let again = workers.record_exit_and_may_restart() && !workers.is_loading();
            (lost, again.then(|| workers.opened_by.clone()))
        });
        self.update_slow_state();
        let (lost, wanted) = wanted.unwrap_or_default();
        lost.into_iter().filter(|request| request.once).for_each(SentRequest::cancelled);
        match wanted {
            Some(wanted) => {
                failure.message.push_str(" The files are being read again; what is on screen stays.");
                self.start(wanted, true);
            }
            None => {
                self.busy.set(false);
                self.take_second();
                self.give_up_remaining_files();
                failure.message.push_str(" What is on screen stays; drop the files again to go on.");
            }
        }
        self.fail(failure);
    }
}
