//! This module describes a run among the files that are opened, for messages and for choosing it.

use crate::analysis::captures::{CaptureFiles, FileHead, folder, time_of_folder};
use std::collections::BTreeSet;

/// A run among the files that are opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Name for users.
    pub name: String,
    /// Paths of its files with events.
    pub paths: Vec<String>,
    /// The time that its folder is named by, else when it was started, in ns since 1970. `None` if both are unknown.
    pub time_ns: Option<u64>,
    pub n_hosts: u32,
}

impl Run {
    pub(super) fn new(capture_files: &CaptureFiles, heads: &[FileHead]) -> Self {
        let files = capture_files.files.iter().filter_map(|file| heads.get(*file as usize));
        let paths: Vec<String> = files.filter(|head| head.kind.has_events()).map(|head| head.path.clone()).collect();
        let run = Self { name: capture_files.name.clone(), paths, time_ns: None, n_hosts: capture_files.n_hosts };
        let named = run.folders().into_iter().find_map(time_of_folder);
        Self { time_ns: named.or(capture_files.start_ns), ..run }
    }

    /// Returns the folders of its files.
    pub fn folders(&self) -> BTreeSet<&str> {
        self.paths.iter().map(|path| folder(path)).collect()
    }

    pub(super) fn is_named(&self, name: &str) -> bool {
        let name = name.trim_end_matches('/');
        let has_folder = |folder: &&str| *folder == name || folder.rsplit('/').next() == Some(name);
        self.name == name || self.folders().iter().any(has_folder) || self.paths.iter().any(|path| path == name)
    }
}
