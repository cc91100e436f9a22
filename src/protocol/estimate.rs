//! The memory that opening files takes, as the page asks for a choice: plain data. `session::open::estimate` makes it.

use serde::{Deserialize, Serialize};

/// What there is to choose from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimate {
    /// All that could be read, in the order of files.
    pub choices: Vec<Choice>,
    /// Memory that may be taken, bytes.
    pub budget: u64,
}

/// A plane, or a file whose planes are unknown before it is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// Names it.
    pub of: Skip,
    /// The file.
    pub file: String,
    /// The plane; `None`: all of the file.
    pub plane: Option<String>,
    /// Bytes as stored.
    pub bytes: u64,
    /// Memory that it takes, about, bytes.
    pub memory: u64,
    /// It is chosen unless someone says otherwise: all that fits, devices first.
    pub is_chosen: bool,
}

/// What is not read: a file, or a plane of one, by their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Skip {
    /// Which of the files that were handed over.
    pub file: u32,
    /// Which plane of it; `None`: all.
    pub plane: Option<u32>,
}

impl Estimate {
    /// Memory of what is chosen, bytes.
    pub fn memory(&self) -> u64 {
        self.choices.iter().filter(|choice| choice.is_chosen).map(|choice| choice.memory).sum()
    }

    /// What is not chosen.
    pub fn skips(&self) -> Vec<Skip> {
        self.choices.iter().filter(|choice| !choice.is_chosen).map(|choice| choice.of).collect()
    }
}
