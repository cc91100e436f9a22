//! This module holds a request to open a session: files or the report of a link, their origin, and the parts that are
//! not read.

use crate::chart::widgets::picker_options;
use crate::protocol::{Request, RequestId, SessionSlot, Skip};
use crate::worker::client::{Picked, WorkerHandle, total_size};

/// A request to open a session.
#[derive(Clone, Default)]
pub(super) struct OpenRequest {
    pub(super) files: Vec<Picked>,
    /// The web address of the files; empty if they come from this machine.
    pub(super) src: String,
    /// The name under which the files are stored on this device; empty if they are not stored.
    pub(super) stored: String,
    /// The parts of the files that are not read; `None` if the user has not chosen.
    pub(super) skips: Option<Vec<Skip>>,
    /// Whether the files are known to be of one run, so that they are not listed as several captures.
    pub(super) is_one_run: bool,
    /// The files of a capture to compare with this one, once it is open.
    pub(super) compare_with: Vec<Picked>,
    /// Whether the list of captures that is open now stays, so that the user can return to it.
    pub(super) is_of_folder: bool,
    /// Which of the open sessions the files become.
    pub(super) slot: SessionSlot,
    /// The report of a link, in place of files; empty if files are opened.
    pub(super) report: String,
}

impl OpenRequest {
    /// Returns the name of the session and its size in bytes.
    pub(super) fn size(&self) -> (String, u64) {
        if !self.report.is_empty() {
            return ("a link".to_owned(), self.report.len() as u64);
        }
        let mut names: Vec<String> = self.files.iter().map(|picked| picked.path.clone()).collect();
        // A session has its files in the order of their names.
        names.sort_unstable();
        (picker_options::session_name(&names), total_size(&self.files))
    }

    /// Sends the request to a worker, and returns its id.
    pub(super) fn open(&self, link: &WorkerHandle) -> RequestId {
        if self.report.is_empty() {
            link.open(self.slot, &self.files, self.skips.clone(), self.is_one_run)
        } else {
            link.send(&Request::OpenReport { link: self.report.clone() })
        }
    }
}
