//! This module names an op in a request. It holds plain data.

use super::program_text::ProgramRef;
use serde::{Deserialize, Serialize};

/// A reference to an op by name and program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpRef {
    /// Name without `%`.
    pub name: String,
    pub program: ProgramSelector,
}

impl OpRef {
    /// Creates a reference to an op of the program `id`. `None` stands for [`ProgramSelector::Any`].
    pub fn new(name: &str, id: Option<u64>) -> Self {
        Self { name: name.to_owned(), program: id.map_or(ProgramSelector::Any, ProgramSelector::Id) }
    }

    /// Creates a reference to an instruction of a listed program. This program is read even if several programs have
    /// the same id, or if it has no id.
    pub fn listed(name: &str, program: ProgramRef) -> Self {
        Self { name: name.to_owned(), program: ProgramSelector::Listed(program) }
    }
}

/// The program of an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProgramSelector {
    /// The program is not given: ops without a program if these ran, else the program in which the op takes most time.
    Any,
    /// The program with this id.
    Id(u64),
    /// The program at this position in the list of programs.
    Listed(ProgramRef),
}
