//! This module pairs the work of both sides in levels: by the deepest common scope, then by module, then by group of work.

use super::report::{PairLevel, WorkPair};
use super::work_pair::work_pair;
use super::work_rows::{WorkRow, WorkRows};
use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use xla_profile::small_sort::SmallSort;

/// Returns the pairs of all rows, the largest difference first.
pub(super) fn pairs(work: &WorkRows<'_>) -> Vec<WorkPair> {
    let mut groups: IndexMap<(PairLevel, String), Vec<usize>> = IndexMap::default();
    let all: Vec<usize> = (0..work.rows.len()).collect();
    let (with_scope, left): (Vec<usize>, Vec<usize>) =
        all.into_iter().partition(|row| !work.rows[*row].scopes.is_empty());
    for row in with_scope {
        groups.entry((PairLevel::Scope, work.rows[row].scopes.join("/"))).or_default().push(row);
    }
    let module = |row: &WorkRow<'_>| row.module().map(|module| module.label().to_owned());
    let left = add_common(work, &mut groups, PairLevel::Module, module, left);
    let op_group = |row: &WorkRow<'_>| row.op_group().map(str::to_owned);
    for row in add_common(work, &mut groups, PairLevel::OpGroup, op_group, left) {
        let name = op_group(&work.rows[row]).unwrap_or_default();
        groups.entry((PairLevel::OneSide, name)).or_default().push(row);
    }
    let mut pairs: Vec<WorkPair> =
        groups.into_iter().map(|((level, name), rows)| work_pair(work, name, level, &rows)).collect();
    pairs.small_sort_by_key(|pair| Reverse((pair.delta_ps.unsigned_abs(), pair.a_ps.max(pair.b_ps))));
    pairs
}

/// Groups the rows that have a name, if such rows are on both sides. Returns the other rows.
fn add_common(
    work: &WorkRows<'_>,
    groups: &mut IndexMap<(PairLevel, String), Vec<usize>>,
    level: PairLevel,
    name: impl Fn(&WorkRow<'_>) -> Option<String>,
    rows: Vec<usize>,
) -> Vec<usize> {
    let names_on = |is_on: fn(&WorkRow<'_>) -> bool| -> FxHashSet<String> {
        rows.iter().map(|row| &work.rows[*row]).filter(|row| is_on(row)).filter_map(&name).collect()
    };
    let (on_a, on_b) = (names_on(|row| !row.a.is_empty()), names_on(|row| !row.b.is_empty()));
    let mut left = Vec::new();
    for row in rows {
        match name(&work.rows[row]).filter(|name| on_a.contains(name) && on_b.contains(name)) {
            Some(name) => groups.entry((level, name)).or_default().push(row),
            None => left.push(row),
        }
    }
    left
}
