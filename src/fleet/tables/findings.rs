//! This module lists the columns of the table of findings.

use crate::analysis::overview::columns::{EVIDENCE, FINDINGS, TRIES};
use crate::analysis::overview::{Finding, FindingRow, Group, Suggestion};
use crate::fleet::column::{Part, part};
use crate::fleet::derive::Analysed;
use crate::table::columns;

/// The columns of findings.
pub const PARTS: &[Part<FindingRow>] = &[
    part!(PLACE, |row| Some(row)),
    part!(FINDINGS, |row| Some(&row.finding)),
    part!(EVIDENCE, |row| Some(&row.finding.evidence)),
    part!(ADVICE, |row| Some(&row.finding)),
];

columns! {
    PLACE(row: FindingRow) {
        /// `time`: its recoverable time is part of the sum. `option`: it changes memory, numerics or the model. `memory`: it is about
        /// bytes. `quality`: it is about the capture itself.
        group: Word(Group) in table = row.group,
        /// The place in the group, from 1.
        rank: Count in table = row.rank,
    }

    ADVICE(row: Finding) {
        /// What to try.
        r#try: Rows(ATTEMPTS) in table = &row.tries,
    }

    ATTEMPTS(row: Suggestion) {
        advice: Fields(TRIES) in json table = row,
        /// The chip whose compiler accepts the flag. Null without a flag.
        chip: Text or null in json table = row.chip.as_deref(),
    }
}

/// Returns all findings of the overview, group by group.
pub fn rows(analysed: &Analysed) -> Vec<FindingRow> {
    analysed.critical.as_ref().map_or_else(Vec::new, |critical| critical.derived.overview.finding_rows())
}
