//! This module defines the estimate of the memory that opening files takes, from which the user chooses the planes to
//! read. It holds plain data; `session::open::estimate` computes the estimate.

use serde::{Deserialize, Serialize};

/// The planes and files to choose from, and the memory that they may take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimate {
    /// All planes and files that can be read, in the order of the files.
    pub choices: Vec<Choice>,
    /// Memory that may be used, in bytes.
    pub budget: u64,
}

/// A plane, or a whole file whose planes are unknown before it is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// Position of the plane or file.
    pub position: Skip,
    pub file: String,
    /// Name of the plane. `None` stands for the whole file.
    pub plane: Option<String>,
    /// Size as stored, in bytes.
    pub bytes: u64,
    /// Estimated memory after reading, in bytes.
    pub memory: u64,
    /// Whether the plane or file is read. The default is every choice that fits into the budget: first the planes that
    /// describe the capture, then devices, then the rest. The user can change it.
    pub is_chosen: bool,
}

/// The position of a file or of a plane that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Skip {
    /// Index among the files of the request.
    pub file: u32,
    /// Index of the plane within the file. `None` stands for the whole file.
    pub plane: Option<u32>,
}

impl Estimate {
    /// Returns the estimated memory of the chosen planes and files, in bytes.
    pub fn memory(&self) -> u64 {
        self.choices.iter().filter(|choice| choice.is_chosen).map(|choice| choice.memory).sum()
    }

    /// Returns the positions of the planes and files that are not chosen.
    pub fn skips(&self) -> Vec<Skip> {
        self.choices.iter().filter(|choice| !choice.is_chosen).map(|choice| choice.position).collect()
    }
}
