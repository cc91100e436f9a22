//! This module defines notes: sentences about a capture or a result.

use super::NoteCode;
use crate::keyed_enum;
use serde::{Deserialize, Serialize};

keyed_enum! {
    /// The effect of a note's subject on the figures.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Severity {
        /// No figure changes.
        Info = "info",
        /// A figure depends on an assumption, or leaves data out.
        Caution = "caution",
        /// The file is damaged or cut, so figures cover only a part.
        Partial = "partial",
    }
}

/// A message about an assumption, or about data that is missing or left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Note {
    pub severity: Severity,
    pub code: NoteCode,
    /// The text for the user: the fact, and the remedy if there is one.
    pub message: String,
    /// The file, plane or line that is the subject of the note; `None` if the subject is the whole session.
    #[serde(rename = "where")]
    pub place: Option<String>,
}

impl Note {
    /// Creates a note without a place.
    pub fn new(severity: Severity, code: NoteCode, message: impl Into<String>) -> Self {
        Self { severity, code, message: message.into(), place: None }
    }

    /// Sets the file, plane or line that is the subject of the note.
    #[must_use]
    pub fn with_place(mut self, place: impl Into<String>) -> Self {
        self.place = Some(place.into());
        self
    }
}
