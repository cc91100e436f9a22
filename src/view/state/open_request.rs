//! What is to be opened: files, or the report in a link; where it is from, and what of it is not read. This module knows handles; reads nothing.

use crate::chart::widgets::picker_options;
use crate::protocol::{Request, Skip};
use crate::worker::client::{Link, Picked};

/// What a load is of.
#[derive(Clone, Default)]
pub(super) struct Wanted {
    pub(super) files: Vec<Picked>,
    /// Where on the web they are from; empty: from this machine.
    pub(super) src: String,
    /// Under which name they are kept on this device; empty: they are not.
    pub(super) stored: String,
    /// What of them is not read, where someone chose.
    pub(super) skips: Option<Vec<Skip>>,
    /// The report of a link, in place of files; empty: none.
    pub(super) report: String,
}

impl Wanted {
    /// What it is called, and its bytes.
    pub(super) fn size(&self) -> (String, u64) {
        if !self.report.is_empty() {
            return ("a link".to_owned(), self.report.len() as u64);
        }
        let names: Vec<String> = self.files.iter().map(|picked| picked.path.clone()).collect();
        (picker_options::session_name(&names), total_size(&self.files))
    }

    /// Hands it to a worker.
    pub(super) fn open(&self, link: &Link) {
        if self.report.is_empty() {
            link.open(&self.files, self.skips.clone());
        } else {
            link.send(&Request::OpenReport { link: self.report.clone() });
        }
    }
}

/// Bytes of files.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "lengths: whole, below 2⁵³")]
pub(crate) fn total_size(files: &[Picked]) -> u64 {
    files.iter().map(|picked| picked.file.size() as u64).sum()
}
