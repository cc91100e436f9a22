//! This module defines a file to open.
use xla_profile::source::Source;

/// A file to open.
pub struct Input {
    pub name: String,
    pub source: Box<dyn Source>,
    /// Whether the file was found in a folder or an archive. Such a file is skipped if it is not a capture.
    pub from_folder: bool,
}
