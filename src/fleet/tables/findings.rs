//! This module lists the columns of the table of findings.

use crate::analysis::overview::columns::{EVIDENCE, FINDINGS};
use crate::analysis::overview::{FindingRow, Group};
use crate::fleet::column::{Part, part};
use crate::fleet::derive::Analysed;
use crate::table::columns;

/// The columns of findings.
pub const PARTS: &[Part<FindingRow>] = &[
    part!(PLACE, |row| Some(row)),
    part!(FINDINGS, |row| Some(&row.finding)),
    part!(EVIDENCE, |row| Some(&row.finding.evidence)),
];

columns! {
    PLACE(row: FindingRow) {
        /// `time`: its recoverable time is part of the sum. `option`: it changes memory, numerics or the model. `memory`: it is about
        /// bytes. `quality`: it is about the capture itself.
        group: Word(Group) in table = row.group,
        /// The place in the group, from 1.
        rank: Count in table = row.rank,
    }
}

/// Returns all findings of the overview, group by group.
pub fn rows(analysed: &Analysed) -> Vec<FindingRow> {
    analysed.critical.as_ref().map_or_else(Vec::new, |critical| critical.derived.overview.finding_rows())
}
