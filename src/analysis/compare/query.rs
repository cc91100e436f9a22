//! This module defines the requests about a comparison.

use super::by_hand::OpPair;
use super::report::{Comparison, RowDelta};
use serde::{Deserialize, Serialize};

/// The band of noise between captures, as a share of the time of A.
pub const BAND: f64 = 0.01;

/// Selects a comparison of the two open sessions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CompareQuery {
    /// Whether the session that was opened second is the baseline A.
    pub is_swapped: bool,
    /// Ops that the user paired.
    pub pairs: Vec<OpPair>,
}

/// What the user decides about a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareOptions {
    /// The share of A below which differences are noise between captures.
    pub band: f64,
    /// Ops that the user paired.
    pub pairs: Vec<OpPair>,
}

impl Default for CompareOptions {
    fn default() -> Self {
        Self { band: BAND, pairs: Vec::new() }
    }
}

/// The rows that a table of a comparison shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompareRows {
    #[default]
    All,
    /// Ops that were paired.
    Matched,
    OnlyInA,
    OnlyInB,
}

impl CompareRows {
    /// All choices, in order.
    pub const ALL: [Self; 4] = [Self::All, Self::Matched, Self::OnlyInA, Self::OnlyInB];

    /// Returns the name in addresses.
    pub const fn key(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Matched => "matched",
            Self::OnlyInA => "only-in-a",
            Self::OnlyInB => "only-in-b",
        }
    }

    /// Returns the label for users.
    pub const fn label(self) -> &'static str {
        match self {
            Self::All => "All",
            Self::Matched => "Matched",
            Self::OnlyInA => "Only in A",
            Self::OnlyInB => "Only in B",
        }
    }

    /// Returns whether a row is shown.
    pub const fn has(self, row: &RowDelta) -> bool {
        match self {
            Self::All => true,
            Self::Matched => row.a.is_some() && row.b.is_some(),
            Self::OnlyInA => row.a.is_some() && row.b.is_none(),
            Self::OnlyInB => row.a.is_none() && row.b.is_some(),
        }
    }
}

/// Changes of the programs, and collectives, that a comparison with the largest rows has.
const N_CHANGES: usize = 30;

impl Comparison {
    /// Returns the comparison without the rows that are not among the `n` largest parts of an owner, and with the largest
    /// changes and collectives only. The parts that are left out
    /// are the difference between an owner and the sum of its children.
    #[must_use]
    pub fn with_largest_rows(&self, n: usize) -> Self {
        let mut parts = self.parts.clone();
        let mut kept: Vec<u32> = Vec::new();
        for part in &mut parts {
            part.children.truncate(n);
            for (row, _) in &mut part.children {
                *row = index_in(&mut kept, *row);
            }
        }
        let mut program_changes = self.program_changes.clone();
        program_changes.changes.truncate(N_CHANGES);
        for change in &mut program_changes.changes {
            change.row = index_in(&mut kept, change.row);
        }
        let mut comm = self.comm.clone();
        comm.rows.truncate(N_CHANGES);
        let rows = kept.iter().filter_map(|row| self.rows.get(*row as usize)).cloned().collect();
        Self { parts, rows, comm, program_changes, ..self.clone() }
    }
}

/// Returns the index of a row among the rows that are kept. A row that is not there is added.
fn index_in(kept: &mut Vec<u32>, row: u32) -> u32 {
    let index = kept.iter().position(|other| *other == row).unwrap_or_else(|| {
        kept.push(row);
        kept.len() - 1
    });
    index as u32
}
