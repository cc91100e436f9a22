//! This module sums rows to a pair of work, with its phases and its evidence.

use super::evidence;
use super::report::{PairLevel, PhaseDelta, WorkPair};
use super::work_rows::{WorkRow, WorkRows};
use crate::analysis::classify::Phase;
use std::collections::BTreeMap;

/// Returns the sum of some rows as a pair, with its evidence.
pub(super) fn work_pair(work: &WorkRows<'_>, name: String, level: PairLevel, rows: &[usize]) -> WorkPair {
    let all: Vec<&WorkRow<'_>> = rows.iter().map(|row| &work.rows[*row]).collect();
    let only = |is_there: bool, time: i64| if is_there { 0 } else { time };
    let mut phases: BTreeMap<Phase, PhaseDelta> = BTreeMap::new();
    for row in &all {
        let Some(phase) = row.phase() else { continue };
        let empty = PhaseDelta { phase, a_ps: 0, b_ps: 0, delta_ps: 0 };
        let sums = phases.entry(phase).or_insert(empty);
        sums.a_ps = sums.a_ps.saturating_add(row.a_ps());
        sums.b_ps = sums.b_ps.saturating_add(row.b_ps());
        sums.delta_ps = sums.delta_ps.saturating_add(row.row.delta_ps);
    }
    WorkPair {
        name,
        level,
        a_ps: work.sum(rows, WorkRow::a_ps),
        b_ps: work.sum(rows, WorkRow::b_ps),
        delta_ps: work.sum(rows, |row| row.row.delta_ps),
        n_ops_a: all.iter().map(|row| row.a.len() as u32).sum(),
        n_ops_b: all.iter().map(|row| row.b.len() as u32).sum(),
        unmatched_a_ps: work.sum(rows, |row| only(row.row.b.is_some(), row.a_ps())),
        unmatched_b_ps: work.sum(rows, |row| only(row.row.a.is_some(), row.b_ps())),
        phases: phases.into_values().collect(),
        causes: evidence::causes(work, &all, level),
    }
}
