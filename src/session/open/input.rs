//! A file that is handed over to be opened.
use crate::source::Source;

/// One file to open.
pub struct Input {
    /// Its name, with folders.
    pub name: String,
    /// Its bytes.
    pub source: Box<dyn Source>,
    /// It was found in a folder: if it is no capture it is skipped.
    pub from_folder: bool,
}
