//! This module defines the requests about a comparison.

use super::by_hand::OpPair;
use super::matching::{Tier, name_without_numbers};
use super::report::{CompareRows, Comparison, OpGroupDelta, RowDelta};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use xla_profile::small_sort::SmallSort;

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

/// Changes of the programs, and collectives, that a comparison with the largest rows has.
const N_CHANGES: usize = 30;

impl Comparison {
    /// Returns the comparison without the rows that are not among the `n` largest parts of an owner, of which it has the `n` ÷ 2
    /// largest groups, and with the largest changes and collectives only. The parts that are left out are the difference between an
    /// owner and the sum of its children and groups.
    #[must_use]
    pub fn with_largest_rows(&self, n: usize) -> Self {
        let mut parts = self.parts.clone();
        let mut kept: Vec<u32> = Vec::new();
        for part in &mut parts {
            let left_out = part.children.split_off(n.min(part.children.len()));
            // A shared comparison that is cut has groups of the rows that it leaves out.
            if !left_out.is_empty() || part.groups.is_empty() {
                part.groups = self.groups(&left_out, n / 2);
            }
            for (row, _) in &mut part.children {
                *row = index_in(&mut kept, *row);
            }
        }
        let mut program_changes = self.program_changes.clone();
        program_changes.changes.truncate(N_CHANGES);
        for change in &mut program_changes.changes {
            change.row = index_in(&mut kept, change.row);
        }
        let mut explanation = self.explanation.clone();
        explanation.pairs.truncate(N_CHANGES);
        let mut comm = self.comm.clone();
        comm.rows.truncate(N_CHANGES);
        let rows = kept.iter().filter_map(|row| self.rows.get(*row as usize)).cloned().collect();
        Self { parts, rows, comm, program_changes, explanation, ..self.clone() }
    }
}

impl Comparison {
    /// Returns the `n` largest groups of parts of rows: those whose names differ only in numbers, and that are on the same sides.
    pub(crate) fn groups(&self, parts: &[(u32, i64)], n: usize) -> Vec<OpGroupDelta> {
        let mut groups: IndexMap<(String, CompareRows), OpGroupDelta> = IndexMap::new();
        for (row, delta) in parts {
            let Some(row) = self.rows.get(*row as usize) else { continue };
            let name = name_without_numbers(row.name());
            let group = groups.entry((name.clone(), row.sides())).or_insert_with(|| OpGroupDelta {
                name,
                n_rows: 0,
                rows: row.sides(),
                delta_ps: 0,
            });
            group.n_rows += 1;
            group.delta_ps += delta;
        }
        let mut groups: Vec<OpGroupDelta> = groups.into_values().collect();
        groups.small_sort_by_key(|group| Reverse(group.delta_ps.unsigned_abs()));
        groups.truncate(n);
        groups
    }
}

impl RowDelta {
    /// Returns whether the row is a sum of ops that a report leaves out, or of those that may be among them.
    pub fn is_left_out(&self) -> bool {
        self.tier == Some(Tier::LeftOut)
    }

    /// Returns the rows of the table in which the row is, beside all of them.
    pub const fn sides(&self) -> CompareRows {
        match (self.a.is_some(), self.b.is_some()) {
            (true, false) => CompareRows::OnlyInA,
            (false, true) => CompareRows::OnlyInB,
            _ => CompareRows::Matched,
        }
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
