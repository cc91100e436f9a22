//! This module keeps a list of captures while one of them is open, so that the user can return to the list.
//!
//! ```text
//!   list of captures ── open_capture ──► the capture is open, the worker of the list waits
//!          ▲                                   │
//!          └────────── return_to_folder ───────┘   the worker of the capture is ended
//! ```

use super::open_request::OpenRequest;
use super::ptr_eq::PtrEq;
use super::workers::{Folder, end};
use super::{Opened, State};
use crate::chart::captures::folder_name;
use crate::chart::widgets::picker_options;
use crate::protocol::url::View;
use crate::protocol::url::captures::CapturesViewState;
use crate::protocol::{Failure, SessionInfo, SessionSlot};
use crate::worker::client::Picked;
use leptos::prelude::*;
use xla_profile::profile::NoteCode;

impl State {
    /// Returns whether the open session is a list of captures.
    pub(crate) fn is_folder(self) -> bool {
        self.opened.with(|opened| opened.as_ref().is_some_and(|opened| !opened.session.captures.is_empty()))
    }

    /// Returns whether the open session is a list of captures, of which at least one can be opened. Rows of tables cannot.
    pub(crate) fn folder_has_files(self) -> bool {
        let has_files = |opened: &Opened| opened.session.captures.iter().any(|files| !files.is_empty());
        self.opened.with(|opened| opened.as_ref().is_some_and(|opened| has_files(opened)))
    }

    /// Returns the files of a capture in the open list. Empty if there is no such capture.
    pub(crate) fn files_of_capture(self, capture: u32) -> Vec<Picked> {
        let files = self.files();
        let indices = self.opened.with_untracked(|opened| {
            opened
                .as_ref()
                .and_then(|opened| opened.session.captures.get(capture as usize).cloned())
                .unwrap_or_default()
        });
        indices.into_iter().filter_map(|index| files.get(index as usize).cloned()).collect()
    }

    /// Opens a capture of the open list, and beside it another one to compare with.
    pub(crate) fn open_capture(self, capture: u32, other: Option<u32>) {
        let compare_with = other.map_or_else(Vec::new, |other| self.files_of_capture(other));
        let files = self.files_of_capture(capture);
        let request =
            OpenRequest { files, compare_with, is_one_run: true, is_of_folder: true, ..OpenRequest::default() };
        self.start(request, false);
    }

    /// Opens files as one capture, even if they look like those of several runs.
    pub(crate) fn open_as_one_run(self, files: Vec<Picked>) {
        self.failure.set(None);
        self.start(OpenRequest { files, is_one_run: true, ..OpenRequest::default() }, false);
    }

    /// Returns the name of a session, which is made from the names of its files.
    pub(super) fn name_of(session: &SessionInfo) -> String {
        let names: Vec<String> = session.files.iter().map(|file| file.name.clone()).collect();
        match session.captures.len() {
            0 => picker_options::session_name(&names),
            n => folder_name(&names, n),
        }
    }

    /// Says that files are of several runs, although the user said that they are of one.
    pub(super) fn inform_of_several_runs(self, session: &SessionInfo) {
        if let Some(note) = session.notes.iter().find(|note| note.code == NoteCode::SeveralRuns) {
            let title = "Not all files are of the run that is open".to_owned();
            self.inform(Failure { title, message: note.message.clone() });
        }
    }

    /// Puts the list of captures aside before one of them takes its place. If other files do, the list is given up.
    pub(super) fn leave_folder(self, stays: bool) {
        let selected = self.selected.get_untracked();
        let opened = self.opened.get_untracked().filter(|opened| !opened.session.captures.is_empty());
        self.workers.update_value(|workers| {
            if !stays && let Some(folder) = workers.folder.take() {
                end(folder);
            }
            if let (true, Some(opened)) = (stays, opened)
                && let Some(link) = workers.open.take()
            {
                let (serial, request) = (workers.open_serial, workers.opened_by.clone());
                let Opened { name, session } = &*opened;
                let (name, session) = (name.clone(), session.clone());
                workers.folder = Some(Folder { link, serial, request, name, session, selected });
            }
        });
        self.update_folder();
    }

    /// Clears the state of the list of captures.
    pub(super) fn forget_captures(self) {
        self.change_views(|views| views.captures = CapturesViewState::default());
    }

    /// Closes the open capture, and shows the list from which it was opened.
    pub(crate) fn return_to_folder(self) {
        let Some(folder) = self.workers.try_update_value(|workers| workers.folder.take()).flatten() else { return };
        self.tips.hide();
        // The next capture that is opened has no other one to compare with.
        if self.view.get_untracked() == View::Compare {
            self.view.set(View::default());
        }
        let captures = self.views.with_untracked(|views| views.captures.clone());
        self.close();
        self.change_views(|views| views.captures = captures);
        let Folder { link, serial, request, name, session, selected } = folder;
        self.selected.set(selected);
        self.workers.update_value(|workers| {
            (workers.open, workers.open_serial, workers.opened_by) = (Some(link), serial, request);
        });
        self.shown_slot.set(SessionSlot::First);
        self.opened.set(Some(PtrEq::new(Opened { name, session })));
        self.update_folder();
    }

    /// Records that a worker ended. If it is that of the list, there is no way back.
    pub(super) fn folder_died(self, serial: u32) {
        self.workers.update_value(|workers| {
            if let Some(folder) = workers.folder.take_if(|folder| folder.serial == serial) {
                end(folder);
            }
        });
        self.update_folder();
    }

    /// Updates the name of the list that waits.
    pub(super) fn update_folder(self) {
        let name = self.workers.with_value(|workers| workers.folder.as_ref().map(|folder| folder.name.clone()));
        if self.folder.get_untracked().as_deref() != name.as_ref() {
            self.folder.set(name.map(PtrEq::new));
        }
    }

    /// Opens the capture that waits to be compared with the open one.
    pub(super) fn compare_waiting(self) {
        let files = self.workers.try_update_value(|workers| std::mem::take(&mut workers.opened_by.compare_with));
        let files = files.unwrap_or_default();
        if !files.is_empty() {
            self.open_second(files);
        }
    }
}
