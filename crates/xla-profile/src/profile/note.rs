//! What an analysis or a reader has to say beside its figures. This module knows no format and no figure.

use super::NoteCode;
use serde::{Deserialize, Serialize};

/// How much a note matters to the figures beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Good to know; no figure changes.
    Info,
    /// A figure rests on an assumption, or leaves something out.
    Caution,
    /// The file is damaged or cut: figures cover only a part.
    Partial,
}

/// One sentence on what was assumed, skipped, truncated or guessed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Note {
    /// How much it matters.
    pub severity: Severity,
    /// What kind of note it is.
    pub code: NoteCode,
    /// The sentence: what, and what to do where there is something to do.
    pub message: String,
    /// Which file, plane or line it is about, where it is about one.
    #[serde(rename = "where")]
    pub place: Option<String>,
}

impl Note {
    /// A note without a place.
    pub fn new(severity: Severity, code: NoteCode, message: impl Into<String>) -> Self {
        Self { severity, code, message: message.into(), place: None }
    }

    /// The same note, about `place`.
    #[must_use]
    pub fn with_place(mut self, place: impl Into<String>) -> Self {
        self.place = Some(place.into());
        self
    }
}
