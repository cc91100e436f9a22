//! This module defines the progress of reading a file.

/// The progress of building a profile.
#[derive(Clone, Copy, Debug)]
pub struct ReadProgress<'a> {
    /// Number of bytes of the current file that were read.
    pub bytes: u64,
    /// Number of complete planes of all files.
    pub planes: usize,
    /// Number of events of all files.
    pub events: u64,
    /// Name of the current plane; empty if there is none.
    pub plane: &'a str,
}
