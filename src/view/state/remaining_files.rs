//! This module completes a session whose first device is shown while the rest of its files is read.

use super::State;
use super::clock::now;
use super::pending::Pending;
use super::ptr_eq::PtrEq;
use super::{Opened, Workers};
use crate::chart::widgets::picker_options;
use crate::protocol::{Answer, Reply, Request, SessionInfo};
use leptos::prelude::*;

impl State {
    /// Returns whether an answer of the open session's worker belongs to the reading of the rest.
    pub(super) fn is_for_remaining_files(self, answer: &Answer) -> bool {
        self.workers.with_value(|workers| workers.reading == Some(answer.id))
    }

    /// Handles an answer about the rest of the files.
    pub(super) fn handle_remaining_files(self, reply: Reply) {
        match reply {
            Reply::Progress(progress) => self.remaining_files.update(|load| {
                if let Some(load) = load {
                    load.update(progress, now());
                }
            }),
            Reply::Opened(session) => self.complete(*session),
            Reply::Failed(mut failure) => {
                self.give_up_remaining_files();
                failure.message.push_str(" The device that was read stays open.");
                self.fail(failure);
            }
            _ => {}
        }
    }

    /// Stops reading files. What has been read is opened.
    pub(crate) fn stop_reading(self) {
        self.workers.with_value(|workers| {
            let loading = workers.loading.as_ref().map(|loading| &loading.link);
            if let Some(link) = loading.or(workers.open.as_ref().filter(|_| workers.reading.is_some())) {
                link.send(&Request::StopReading);
            }
        });
    }

    /// Records that the rest of the files will not be read.
    pub(super) fn give_up_remaining_files(self) {
        self.end_remaining_files();
        if let Some(Opened { name, session }) = self.opened.get_untracked().as_deref()
            && session.reading.is_some()
        {
            let session = SessionInfo { reading: None, ..session.clone() };
            self.opened.set(Some(PtrEq::new(Opened { name: name.clone(), session })));
        }
        self.reopen_second();
        self.compare_waiting();
    }

    fn end_remaining_files(self) {
        self.workers.update_value(|workers| workers.reading = None);
        self.remaining_files.set(None);
    }

    /// Shows all devices in the views on screen, which keep their state. The chosen device stays, unless it was the usual
    /// one.
    fn complete(self, session: SessionInfo) {
        self.end_remaining_files();
        let Some(before) = self.opened.get_untracked() else { return };
        let mut query = self.query.get_untracked();
        let awaited = self.workers.try_update_value(|workers| workers.awaited_device.take()).flatten();
        query.device = match awaited {
            Some(device) if query.device == before.session.usual_query.device => device,
            _ => picker_options::device_after(&before.session, &session, query.device),
        };
        let query = picker_options::clamp_query(&session, query);
        self.query.set(query.clone());
        self.opened.set(Some(PtrEq::new(Opened { name: Self::name_of(&session), session })));
        self.workers.update_value(|workers| {
            let Workers { open: Some(link), pending, withdrawn, .. } = workers else { return };
            if let Some(old) = pending.take() {
                withdrawn.push(old.withdraw(link));
            }
            *pending = Some(Pending::send(link, query));
        });
        self.update_slow_state();
        self.reopen_second();
        self.compare_waiting();
    }
}
