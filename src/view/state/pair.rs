//! This module opens a second capture beside the open one, to compare both. The same worker reads it, so that the open session
//! stays, and every view can show either one.
//!
//! ```text
//!   open_second(files) ──► Progress… ──► Opened ──► both are open, the comparison is shown
//!                                └────── Failed, Cancel ──► the open session stays as it is
//!   show(slot) ──► Opened ──► figures ──► all views show the other capture
//! ```

use super::clock::now;
use super::open_request::OpenRequest;
use super::ptr_eq::PtrEq;
use super::workers::{SecondLoad, Workers};
use super::{Opened, State};
use crate::analysis::base::{Query, StepChoice, StepsBy};
use crate::chart::loading::Load;
use crate::protocol::url::View;
use crate::protocol::url::compare::CompareViewState;
use crate::protocol::{Answer, BreakdownHead, Failure, Reply, Request, SessionInfo, SessionSlot, requests};
use crate::worker::client::Picked;
use leptos::prelude::*;

/// What is done with files that the user drops or chooses while a session is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OpenAs {
    /// They replace the open session.
    #[default]
    Replace,
    /// They are compared with the open session.
    Compare,
    /// They are read together with the files of the open session, as its other hosts.
    AddHosts,
}

impl OpenAs {
    /// All choices, in order.
    pub(crate) const ALL: [Self; 3] = [Self::Replace, Self::Compare, Self::AddHosts];

    /// Returns the label for users.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Replace => "Replace",
            Self::Compare => "Compare",
            Self::AddHosts => "Add as hosts",
        }
    }
}

/// The names of two sessions that are open together, in the order in which they were opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PairNames(pub(crate) [String; 2]);

impl State {
    /// Opens files in one of three ways. Without an open session, they are opened as one.
    pub(crate) fn open_as(self, files: Vec<Picked>, how: OpenAs) {
        let is_open = self.opened.with_untracked(Option::is_some);
        match how {
            OpenAs::Compare if is_open => self.open_second(files),
            OpenAs::AddHosts if is_open => self.open_as_one_run(self.files().into_iter().chain(files).collect()),
            _ => self.open(files),
        }
    }

    /// Returns the session that the views show.
    pub(crate) fn shown_slot(self) -> SessionSlot {
        self.shown_slot.get()
    }

    pub(super) fn open_second(self, files: Vec<Picked>) {
        if self.remaining_files.with_untracked(Option::is_some) {
            return self.inform(Failure {
                title: "The open capture is still being read".to_owned(),
                message: "Choose the capture to compare with when all of its devices are there.".to_owned(),
            });
        }
        self.close_second_then(move || {
            self.view.set(View::Compare);
            let slot = SessionSlot::Second;
            self.start_second(OpenRequest { files, slot, is_one_run: true, ..OpenRequest::default() });
        });
    }

    /// Lets the worker of the open session read a second capture.
    pub(super) fn start_second(self, wanted: OpenRequest) {
        self.cancel();
        let (name, bytes) = wanted.size();
        let serial = self.next_serial();
        let is_sent = self.workers.try_update_value(|workers| {
            let id = wanted.open(workers.open.as_ref()?);
            workers.second = Some(SecondLoad { id, serial, request: wanted });
            Some(())
        });
        if is_sent.flatten().is_some() {
            self.show_load(Load::new(name, bytes, now()), serial);
        }
    }

    pub(super) fn is_loading_second(self, serial: u32) -> bool {
        self.workers.with_value(|workers| workers.second.as_ref().is_some_and(|second| second.serial == serial))
    }

    /// Returns whether an answer of the open session's worker belongs to the reading of the second capture.
    pub(super) fn is_of_second(self, answer: &Answer) -> bool {
        self.workers.with_value(|workers| workers.second.as_ref().is_some_and(|second| second.id == answer.id))
    }

    /// Handles an answer about the second capture.
    pub(super) fn handle_second(self, reply: Reply) {
        if let Reply::Progress(progress) = reply {
            return self.load.update(|load| {
                if let Some(load) = load {
                    load.update(progress, now());
                }
            });
        }
        let Some(second) = self.take_second() else { return };
        match reply {
            Reply::Opened(session) => self.pair(second.request, &session),
            Reply::Large(estimate) => {
                self.large.set_value(Some(second.request));
                self.estimate.set(Some(PtrEq::new(estimate)));
            }
            Reply::Failed(mut failure) => {
                failure.message.push_str(" What was open stays open.");
                self.fail(failure);
            }
            _ => {}
        }
    }

    pub(super) fn take_second(self) -> Option<SecondLoad> {
        let second = self.workers.try_update_value(|workers| workers.second.take()).flatten()?;
        self.load_shown.set(false);
        self.load.set(None);
        Some(second)
    }

    /// Gives up reading the second capture.
    pub(super) fn cancel_second(self) {
        self.workers.update_value(|workers| {
            if let (Some(second), Some(link)) = (workers.second.take(), &workers.open) {
                link.send(&Request::Cancel(second.id));
            }
        });
    }

    fn pair(self, request: OpenRequest, second: &SessionInfo) {
        let Some(first) = self.opened.get_untracked() else { return };
        self.workers.update_value(|workers| workers.other_opened_by = Some(request));
        self.pair.set(Some(PtrEq::new(PairNames([first.name.clone(), Self::name_of(second)]))));
    }

    /// Shows one of both captures in the views.
    pub(crate) fn show_session(self, slot: SessionSlot, view: View) {
        if self.shown_slot.get_untracked() == slot {
            return self.view.set(view);
        }
        self.show_session_then(slot, view, || ());
    }

    fn show_session_then(self, slot: SessionSlot, view: View, then: impl FnOnce() + 'static) {
        let query = |session: &SessionInfo| session.usual_query.clone();
        self.request_session(&Request::Show(slot), query, move |session, query| {
            self.set_shown(slot, session, query);
            self.view.set(view);
            then();
        });
    }

    /// Finds the steps of the session that is shown in another way, and shows their mean.
    pub(crate) fn find_steps(self, by: StepsBy) {
        if self.remaining_files.with_untracked(Option::is_some) {
            return self.inform(Failure {
                title: "The open capture is still being read".to_owned(),
                message: "Choose how steps are found when all of its devices are there.".to_owned(),
            });
        }
        let query = self.query.get_untracked();
        let query = move |_: &SessionInfo| Query { step: StepChoice::Mean, ..query };
        self.request_session(&Request::FindSteps(by), query, move |session, query| {
            self.query.set(query);
            self.opened.set(Some(PtrEq::new(Opened { name: Self::name_of(&session), session })));
        });
    }

    /// Sends a request whose reply is a session, then requests its figures. Calls `show` when both are there, so that the page never
    /// shows the figures of one session with the devices of another.
    fn request_session(
        self,
        request: &Request,
        query: impl FnOnce(&SessionInfo) -> Query + 'static,
        show: impl FnOnce(SessionInfo, Query) + 'static,
    ) {
        let opened = move |reply: Reply| {
            let Reply::Opened(session) = reply else { return };
            let query = query(&session);
            let request = requests::Breakdown(query.clone());
            let has_devices = !session.devices.is_empty();
            let show = move |head: Option<BreakdownHead>| {
                show(*session, query);
                self.shown.set(head.map(PtrEq::new));
            };
            if !has_devices {
                return show(None);
            }
            self.request_answer(request, move |answer| {
                if let Some(head) = self.shown(answer) {
                    show(Some(head));
                }
            });
        };
        self.request(request, opened);
    }

    /// Shows an op of one of both captures in a view. `key` is the key of the op.
    pub(crate) fn show_op_in(self, slot: SessionSlot, view: View, key: String) {
        if self.shown_slot.get_untracked() == slot {
            self.view.set(view);
            return self.op.set(key);
        }
        self.show_session_then(slot, view, move || self.op.set(key));
    }

    fn set_shown(self, slot: SessionSlot, session: SessionInfo, query: Query) {
        self.shown_slot.set(slot);
        self.workers.update_value(|workers| {
            if let Some(other) = &mut workers.other_opened_by {
                std::mem::swap(other, &mut workers.opened_by);
            }
        });
        self.forget_capture();
        self.query.set(query);
        let origin = self.workers.with_value(|workers| workers.opened_by.clone());
        self.src.set(origin.src);
        self.stored.set(origin.stored);
        self.opened.set(Some(PtrEq::new(Opened { name: Self::name_of(&session), session })));
    }

    /// Exchanges baseline and experiment.
    pub(crate) fn swap_sides(self) {
        self.change_sides(CompareViewState::swap);
    }

    fn change_sides(self, with: impl FnOnce(&mut CompareViewState)) {
        self.change_views(|views| with(&mut views.compare));
    }

    /// Closes the capture that is compared with the first one, which is shown.
    pub(crate) fn close_second(self) {
        self.close_second_then(|| ());
    }

    fn close_second_then(self, then: impl FnOnce() + 'static) {
        self.cancel_second();
        if self.pair.with_untracked(Option::is_none) {
            return then();
        }
        let close = move || {
            self.request(&Request::CloseSecond, |_| ());
            self.workers.update_value(|workers| workers.other_opened_by = None);
            self.forget_pair();
            then();
        };
        match self.shown_slot.get_untracked() {
            SessionSlot::First => close(),
            // The files of the shown session are exchanged before the others are forgotten.
            SessionSlot::Second => self.show_session_then(SessionSlot::First, self.view.get_untracked(), close),
        }
    }

    /// Records that only one session is open.
    pub(super) fn forget_pair(self) {
        self.pair.set(None);
        self.change_views(|views| views.compare = CompareViewState::default());
        self.compare_filter.set(String::new());
    }

    /// Reads the second capture again, if there was one, after another worker has taken the place of one that ended. The session that is shown
    /// is the first one now.
    pub(super) fn reopen_second(self) {
        let take = |workers: &mut Workers| if workers.open.is_some() { workers.other_opened_by.take() } else { None };
        let other = self.workers.try_update_value(take).flatten();
        let Some(other) = other else { return };
        if self.shown_slot.get_untracked() == SessionSlot::Second {
            self.shown_slot.set(SessionSlot::First);
            // The captures exchange their places, and stay the sides that they are.
            self.change_sides(|place| place.is_swapped = !place.is_swapped);
        }
        self.pair.set(None);
        self.start_second(OpenRequest { slot: SessionSlot::Second, ..other });
    }
}
