//! This module holds a comparison as it is shared: the result of the comparison itself, so that its reader sees the figures
//! of its sender. Rows of ops can be left out; they are then summed by kind, and the sums say so.

use super::level::Level;
use crate::analysis::classify::Kind;
use crate::analysis::compare::matching::Tier;
use crate::analysis::compare::{Comparison, RowDelta, RowSide, ScopeDelta, Verdict};
use crate::analysis::overview::{Finding, FindingId};
use crate::table::format::counted;
use crate::table::text::first_name;
use std::cmp::Reverse;
use xla_profile::small_sort::SmallSort;

/// Largest parts of each owner whose rows are always kept.
const ROWS_PER_PART: usize = 4;
/// Pairs of work that are kept at every level.
const MIN_PAIRS: usize = 8;
/// Lengths of steps of each side that are kept at every level.
const MIN_STEPS: usize = 64;

/// The comparison of two sessions, with the numbers of what it had before it was cut.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedComparison {
    /// The comparison. Rows that are left out are sums by kind and side, as rows of [`Tier::LeftOut`] at the end.
    pub comparison: Comparison,
    /// Number of all rows of ops.
    pub n_rows: u32,
    /// Number of rows of ops that are left out.
    pub n_cut: u32,
    pub n_collectives: u32,
    /// Number of all changes of ops in the programs.
    pub n_changes: u32,
    pub n_scopes: u32,
}

impl SharedComparison {
    /// Returns a whole comparison, to share it.
    pub fn new(comparison: Comparison) -> Self {
        Self {
            n_rows: comparison.rows.len() as u32,
            n_cut: 0,
            n_collectives: comparison.comm.rows.len() as u32,
            n_changes: comparison.program_changes.changes.len() as u32,
            n_scopes: comparison.scopes.len() as u32,
            comparison,
        }
    }

    /// Returns the names of the files of both sides, such as `a.xplane.pb and 1 more`.
    pub fn names(&self) -> [String; 2] {
        [&self.comparison.a, &self.comparison.b].map(|side| first_name(&side.files, "a capture"))
    }

    /// Keeps the rows with the largest differences, the largest parts of owners, and the changes, collectives and scopes of a
    /// level of detail. The rows that are left out are summed, so that all rows still sum to the busy times.
    pub(super) fn cut_to(&mut self, level: Level) {
        let comparison = &mut self.comparison;
        comparison.program_changes.changes.truncate(level.collectives as usize);
        let mut is_kept = vec![false; comparison.rows.len()];
        let changed = comparison.program_changes.changes.iter().map(|change| change.row);
        let parts =
            comparison.parts.iter().flat_map(|part| part.children.iter().take(ROWS_PER_PART).map(|(row, _)| *row));
        let largest = 0..level.rows.min(comparison.rows.len() as u32);
        for row in changed.chain(parts).chain(largest) {
            if let Some(kept) = is_kept.get_mut(row as usize) {
                *kept = true;
            }
        }
        // Sums of an earlier cut are summed again, together with the rows that are left out now.
        comparison.rows.iter().zip(&mut is_kept).for_each(|(row, kept)| *kept &= n_omitted(row).is_none());
        let n_left =
            is_kept.iter().zip(&comparison.rows).filter(|(kept, row)| !**kept && n_omitted(row).is_none()).count();
        let n_cut = self.n_cut.saturating_add(n_left as u32);
        if n_left > 0 {
            *comparison = with_rows(comparison, &is_kept);
            self.n_cut = n_cut;
        }
        comparison.comm.rows.truncate(level.collectives as usize);
        cut_scopes(&mut comparison.scopes, level.groups as usize);
        comparison.explanation.pairs.truncate((level.groups as usize).max(MIN_PAIRS));
        for side in [&mut comparison.a, &mut comparison.b] {
            if side.periods_ps.len() > MIN_STEPS.max(level.steps as usize) {
                side.periods_ps.clear();
            }
        }
    }

    /// Removes from sentences what names source lines. `scrub` returns the rest of a sentence, and `None` if nothing is left.
    pub(super) fn scrub_sentences(&mut self, scrub: &dyn Fn(&str) -> Option<String>) {
        let comparison = &mut self.comparison;
        comparison.notes = comparison.notes.iter().filter_map(|note| scrub(note)).collect();
        // A value without a part of it is another value.
        let is_changed = |value: &str| scrub(value).as_deref() != Some(value);
        for parity in &mut comparison.parity {
            parity.a.take_if(|text| is_changed(text));
            parity.b.take_if(|text| is_changed(text));
        }
        for finding in &mut comparison.findings {
            let of_rule = || FindingId::from_key(&finding.id).map(|id| Finding::of_rule(id.rule()).title);
            finding.title = scrub(&finding.title).or_else(of_rule).unwrap_or_else(|| finding.id.clone());
        }
        let changes = comparison.program_changes.changes.iter_mut();
        changes.for_each(|change| change.what.retain(|what| !is_changed(&what.a) && !is_changed(&what.b)));
        let explanation = &mut comparison.explanation;
        let of_pairs = explanation.main.iter_mut().map(|main| &mut main.work).chain(&mut explanation.pairs);
        let all = of_pairs.map(|pair| &mut pair.causes).chain([&mut explanation.whole]);
        all.for_each(|causes| causes.retain(|cause| !is_changed(&cause.a) && !is_changed(&cause.b)));
    }

    /// Removes the sentences and texts that may hold any name.
    pub(super) fn remove_names(&mut self) {
        self.scrub_sentences(&|_| None);
        for text in [&mut self.comparison.memory.absent, &mut self.comparison.comm.absent] {
            text.iter_mut().for_each(|text| *text = "The reason is not shared.".to_owned());
        }
    }
}

/// Returns the comparison with some of its rows, and sums of the others by kind and by side.
fn with_rows(comparison: &Comparison, is_kept: &[bool]) -> Comparison {
    let mut rows: Vec<RowDelta> = Vec::new();
    let mut place: Vec<Option<u32>> = vec![None; comparison.rows.len()];
    let mut left: Vec<RowDelta> = Vec::new();
    for (index, row) in comparison.rows.iter().enumerate() {
        if is_kept.get(index) == Some(&true) {
            place[index] = Some(rows.len() as u32);
            rows.push(row.clone());
        } else {
            left.push(row.clone());
        }
    }
    let order = |row: &RowDelta| (row.kind.index(), row.sides() as u8);
    left.small_sort_by_key(order);
    let sums = left.chunk_by(|a, b| order(a) == order(b)).map(|rows| left_out(rows[0].kind, rows));
    let mut sums: Vec<RowDelta> = sums.collect();
    sums.small_sort_by_key(|row| Reverse(row.delta_ps.unsigned_abs()));
    rows.extend(sums);
    let new_place = |row: u32| place.get(row as usize).copied().flatten();
    let mut parts = comparison.parts.clone();
    for part in &mut parts {
        let (kept, cut): (Vec<_>, Vec<_>) =
            std::mem::take(&mut part.children).into_iter().partition(|(row, _)| new_place(*row).is_some());
        let groups = comparison.groups(&cut, ROWS_PER_PART / 2);
        part.groups = if cut.is_empty() { std::mem::take(&mut part.groups) } else { groups };
        part.children = kept.into_iter().filter_map(|(row, delta)| Some((new_place(row)?, delta))).collect();
    }
    let mut program_changes = comparison.program_changes.clone();
    program_changes.changes.retain(|change| new_place(change.row).is_some());
    program_changes.changes.iter_mut().for_each(|change| change.row = new_place(change.row).unwrap_or_default());
    Comparison { parts, rows, program_changes, ..comparison.clone() }
}

/// Returns the sum of rows of one kind that are on the same sides. Some of them may be such sums themselves.
fn left_out(kind: Kind, rows: &[RowDelta]) -> RowDelta {
    let n: u64 = rows.iter().map(|row| n_omitted(row).unwrap_or(1)).sum();
    let name = format!("{}{}{})", counted(n, "other row", "other rows"), IN_KIND, kind.label().to_lowercase());
    let side = |value: fn(&RowDelta) -> Option<&RowSide>| {
        let mut all = rows.iter().filter_map(value).peekable();
        all.peek()?;
        let sum = RowSide { ops: vec![name.clone()], ..RowSide::default() };
        Some(all.fold(sum, |sum, side| RowSide {
            n_executions: sum.n_executions + side.n_executions,
            self_ps: sum.self_ps.saturating_add(side.self_ps),
            ..sum
        }))
    };
    let sum = |value: fn(&RowDelta) -> i64| rows.iter().fold(0_i64, |sum, row| sum.saturating_add(value(row)));
    RowDelta {
        kind,
        tier: Some(Tier::LeftOut),
        is_ambiguous: false,
        a: side(|row| row.a.as_ref()),
        b: side(|row| row.b.as_ref()),
        delta_ps: sum(|row| row.delta_ps),
        count_ps: sum(|row| row.count_ps),
        work_ps: None,
        efficiency_ps: None,
        p: None,
        verdict: Verdict::WithinNoise,
    }
}

/// The text between the number of rows in a sum and their kind, in the name of the sum.
const IN_KIND: &str = " (";

/// Returns the number of rows that a row sums. `None` for a row of ops.
fn n_omitted(row: &RowDelta) -> Option<u64> {
    let name = row.is_left_out().then(|| row.name()).filter(|name| is_sum_name(name))?;
    name.split(' ').next()?.replace(',', "").parse().ok()
}

/// Returns whether a name is that of a sum of rows, such as `12 other rows (compute)`. It is a text of Rooflight and reveals
/// nothing.
pub(super) fn is_sum_name(name: &str) -> bool {
    let Some((number, rest)) = name.split_once(' ') else { return false };
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
    let kind = rest.split_once(IN_KIND).and_then(|(words, kind)| {
        ["other row", "other rows", "other op", "other ops"].contains(&words).then(|| kind.strip_suffix(')'))?
    });
    is_number && kind.is_some_and(|kind| Kind::ALL.iter().any(|known| known.label().eq_ignore_ascii_case(kind)))
}

/// Keeps the scopes with the longest times, and their parents. Scopes have at least the time of their children, and come
/// before them.
fn cut_scopes(scopes: &mut Vec<ScopeDelta>, limit: usize) {
    if scopes.len() <= limit {
        return;
    }
    let mut order: Vec<usize> = (0..scopes.len()).collect();
    order.small_sort_by_key(|index| (Reverse(scopes[*index].a.total.max(scopes[*index].b.total)), *index));
    let mut is_kept = vec![false; scopes.len()];
    order.iter().take(limit).for_each(|index| is_kept[*index] = true);
    let mut place: Vec<Option<u32>> = Vec::with_capacity(scopes.len());
    let mut kept: Vec<ScopeDelta> = Vec::new();
    for (index, scope) in scopes.iter().enumerate() {
        let parent = scope.parent.map(|parent| place.get(parent as usize).copied().flatten());
        // A scope without its parent would be another root.
        let is_in_tree = is_kept[index] && parent != Some(None);
        place.push(is_in_tree.then_some(kept.len() as u32));
        if is_in_tree {
            kept.push(ScopeDelta { parent: parent.flatten(), ..scope.clone() });
        }
    }
    *scopes = kept;
}
