//! This module lists the rows of a comparison as points: the time of A beside that of B.

use super::report::{Comparison, RowDelta, Verdict};
use crate::analysis::classify::Kind;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// A row whose ops are on both sides. Times are in ps per unit, and are not 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowDot {
    /// [Key](RowDelta::key) of the row.
    pub key: String,
    pub name: String,
    pub kind: Kind,
    pub a_ps: u64,
    pub b_ps: u64,
    pub verdict: Verdict,
}

impl Comparison {
    /// Returns the rows with a time on both sides, those with the longest time first, at most `n`, and the number of all of them.
    pub fn dots(&self, n: usize) -> (Vec<RowDot>, u64) {
        let times = |row: &RowDelta| {
            let time = |ps: i64| u64::try_from(ps).ok().filter(|ps| *ps > 0);
            Some((time(row.a.as_ref()?.self_ps)?, time(row.b.as_ref()?.self_ps)?))
        };
        let mut all: Vec<(u64, u64, &RowDelta)> =
            self.rows.iter().filter_map(|row| times(row).map(|(a, b)| (a, b, row))).collect();
        all.sort_by_key(|(a, b, _)| Reverse(*a.max(b)));
        let dot = |(a_ps, b_ps, row): &(u64, u64, &RowDelta)| RowDot {
            key: row.key(),
            name: row.name().to_owned(),
            kind: row.kind,
            a_ps: *a_ps,
            b_ps: *b_ps,
            verdict: row.verdict,
        };
        (all.iter().take(n).map(dot).collect(), all.len() as u64)
    }
}
