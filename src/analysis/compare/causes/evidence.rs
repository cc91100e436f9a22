//! This module finds what changed in some work, from the ops of both sides: other kernels, fusions that were split or joined, other
//! types, shapes and groups, copies, recomputation, and ops that run more often or slower.

use super::report::{Cause, CauseKind, PairLevel};
use super::work_rows::{WorkOp, WorkRow, WorkRows};
use crate::analysis::classify::{Kind, Phase, scope_segments};
use crate::analysis::compare::matching::Tier;
use crate::analysis::compare::sections::Property;
use crate::table::format;
use crate::table::words::joined;
use indexmap::IndexMap;
use std::cmp::Reverse;
use xla_profile::small_sort::SmallSort;

/// A sort of work is named if its time, or its difference, is at least this share of the time of all work.
const NAMED: f64 = 0.05;
/// A change is evidence if its difference is at least this share of the whole difference.
const NOTABLE: f64 = 0.15;
/// Sorts of work in a list.
const LISTED: usize = 3;

/// Returns the changes in some rows of `work`, the largest difference first. `level` says what the rows have in common, which is no
/// evidence.
pub(super) fn causes(work: &WorkRows<'_>, rows: &[&WorkRow<'_>], level: PairLevel) -> Vec<Cause> {
    let delta = rows.iter().fold(0_i64, |sum, row| sum.saturating_add(row.row.delta_ps));
    let sorts = Sorts::new(rows);
    let replaced = sorts.replaced();
    let mut all: Vec<Cause> = Vec::new();
    if replaced.is_none() {
        all.extend(sorts.fusions());
    }
    all.extend(replaced);
    all.extend([Property::Dtype, Property::Groups, Property::Shape].into_iter().filter_map(|p| property(rows, p)));
    all.extend(loops(rows));
    all.extend((level != PairLevel::Phase).then(|| ops_of(rows, CauseKind::Recompute, is_recompute)).flatten());
    let is_movement = |op: &WorkOp<'_>| op.op.kind == Kind::DataMovement;
    all.extend((level != PairLevel::Work).then(|| ops_of(rows, CauseKind::Copies, is_movement)).flatten());
    all.extend(work.is_per_step.then(|| executions(rows)).flatten());
    all.extend(work.has_programs.then(|| speed(rows)).flatten());
    all.retain(|cause| share(cause.delta_ps, delta) >= NOTABLE);
    all.small_sort_by_key(|cause| (Reverse(cause.delta_ps.unsigned_abs()), cause.kind));
    all
}

fn is_recompute(op: &WorkOp<'_>) -> bool {
    op.op.phase == Some(Phase::Recompute)
}

/// Returns the size of a time as a fraction of that of another one.
#[expect(clippy::cast_precision_loss, reason = "a threshold")]
fn share(part: i64, whole: i64) -> f64 {
    part.unsigned_abs() as f64 / whole.unsigned_abs().max(1) as f64
}

impl Cause {
    pub(super) fn new(kind: CauseKind) -> Self {
        let (label, a, b) = (String::new(), String::new(), String::new());
        Self { kind, label, a, b, n_ops_a: 0, n_ops_b: 0, a_ps: 0, b_ps: 0, delta_ps: 0 }
    }

    /// Adds the ops and the times of a row.
    pub(super) fn add_row(&mut self, row: &WorkRow<'_>) {
        self.n_ops_a = self.n_ops_a.saturating_add(row.a.len() as u32);
        self.n_ops_b = self.n_ops_b.saturating_add(row.b.len() as u32);
        self.a_ps = self.a_ps.saturating_add(row.a_ps());
        self.b_ps = self.b_ps.saturating_add(row.b_ps());
        self.delta_ps = self.delta_ps.saturating_add(row.row.delta_ps);
    }

    /// Adds ops of one side.
    fn add_ops(&mut self, is_b: bool, ops: impl Iterator<Item = i64>) {
        let (n, sum) = if is_b { (&mut self.n_ops_b, &mut self.b_ps) } else { (&mut self.n_ops_a, &mut self.a_ps) };
        for time in ops {
            *n = n.saturating_add(1);
            *sum = sum.saturating_add(time);
            let delta = self.delta_ps;
            self.delta_ps = if is_b { delta.saturating_add(time) } else { delta.saturating_sub(time) };
        }
    }

    /// Adds the ops and the times of another cause.
    fn add(&mut self, other: &Self) {
        self.n_ops_a = self.n_ops_a.saturating_add(other.n_ops_a);
        self.n_ops_b = self.n_ops_b.saturating_add(other.n_ops_b);
        self.a_ps = self.a_ps.saturating_add(other.a_ps);
        self.b_ps = self.b_ps.saturating_add(other.b_ps);
        self.delta_ps = self.delta_ps.saturating_add(other.delta_ps);
    }
}

/// The sorts of work of some rows, each with the ops of both sides.
struct Sorts<'w> {
    sorts: IndexMap<&'w str, Cause>,
    /// The time of the longer side.
    whole_ps: i64,
}

impl<'w> Sorts<'w> {
    fn new(rows: &[&'w WorkRow<'_>]) -> Self {
        let mut sorts: IndexMap<&'w str, Cause> = IndexMap::default();
        for row in rows {
            for (is_b, ops) in [(false, &row.a), (true, &row.b)] {
                for op in ops {
                    let sort = sorts.entry(&op.op.work).or_insert_with(|| Cause::new(CauseKind::Replaced));
                    sort.add_ops(is_b, std::iter::once(op.time_ps));
                }
            }
        }
        sorts.sort_by(|name, a, other, b| {
            b.delta_ps.unsigned_abs().cmp(&a.delta_ps.unsigned_abs()).then_with(|| name.cmp(other))
        });
        let sum = |time: fn(&Cause) -> i64| sorts.values().fold(0_i64, |sum, sort| sum.saturating_add(time(sort)));
        let whole_ps = sum(|sort| sort.a_ps).max(sum(|sort| sort.b_ps));
        Self { sorts, whole_ps }
    }

    /// Returns the work that one side alone does in place of other work.
    fn replaced(&self) -> Option<Cause> {
        let has_time = |time: i64| share(time, self.whole_ps) >= NAMED;
        let list = |is_in: &dyn Fn(&Cause) -> bool| -> Vec<(&str, &Cause)> {
            self.sorts.iter().filter(|(_, sort)| is_in(sort)).map(|(name, sort)| (*name, sort)).take(LISTED).collect()
        };
        let new = list(&|sort| sort.n_ops_a == 0 && has_time(sort.b_ps));
        let gone = list(&|sort| sort.n_ops_b == 0 && has_time(sort.a_ps));
        let less = list(&|sort| sort.n_ops_a > 0 && sort.delta_ps < 0 && has_time(sort.delta_ps));
        let more = list(&|sort| sort.n_ops_b > 0 && sort.delta_ps > 0 && has_time(sort.delta_ps));
        let (from, to) = match (new.is_empty(), gone.is_empty()) {
            (true, true) => return None,
            (false, _) => (less, new),
            (true, false) => (gone, more),
        };
        let is_one_sided = from.is_empty() || to.is_empty();
        let mut cause = Cause::new(if is_one_sided { CauseKind::OneSide } else { CauseKind::Replaced });
        from.iter().chain(&to).for_each(|(_, sort)| cause.add(sort));
        let names = |sorts: &[(&str, &Cause)]| joined(&sorts.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        (cause.a, cause.b) = (names(&from), names(&to));
        Some(cause)
    }

    /// Returns the sorts of work that both sides do in another number of ops.
    fn fusions(&self) -> Vec<Cause> {
        let is_other = |sort: &Cause| sort.n_ops_a > 0 && sort.n_ops_b > 0 && sort.n_ops_a != sort.n_ops_b;
        let others =
            self.sorts.iter().filter(|(_, sort)| is_other(sort) && share(sort.delta_ps, self.whole_ps) >= NAMED);
        others
            .map(|(name, sort)| Cause { kind: CauseKind::Fusion, label: (*name).to_owned(), ..sort.clone() })
            .collect()
    }
}

/// Returns the change of a property of instructions. The texts are those of the change with the largest difference. Of types, only
/// the ops with this change count; other properties have too many values, and the texts are an example.
fn property(rows: &[&WorkRow<'_>], property: Property) -> Option<Cause> {
    let kind = match property {
        Property::Dtype => CauseKind::Dtype,
        Property::Groups => CauseKind::Groups,
        _ => CauseKind::Shape,
    };
    let mut all = Cause::new(kind);
    let mut changes: IndexMap<(&str, &str), (Cause, u64)> = IndexMap::default();
    for row in rows {
        let Some(texts) = row.change(property) else { continue };
        all.add_row(row);
        let (cause, size) = changes.entry(texts).or_insert_with(|| (Cause::new(kind), 0));
        cause.add_row(row);
        *size = size.saturating_add(row.row.delta_ps.unsigned_abs());
    }
    let ((a, b), (largest, _)) = changes.into_iter().min_by_key(|(_, (_, size))| Reverse(*size))?;
    let counted = if property == Property::Dtype { largest } else { all };
    Some(Cause { a: a.to_owned(), b: b.to_owned(), ..counted })
}

/// The share of the time of ops from which on they run in a loop, and up to which they do not.
const IN_LOOP: f64 = 0.5;
const UNROLLED: f64 = 0.05;

/// Returns the work whose layers run in a loop on one side, and one by one on the other.
fn loops(rows: &[&WorkRow<'_>]) -> Option<Cause> {
    let is_in_loop =
        |op: &WorkOp<'_>| op.op.scope.is_some_and(|scope| scope_segments(scope).any(|segment| segment == "while"));
    let in_loop = |is_b: bool| {
        let (mut whole, mut looped) = (0_i64, 0_i64);
        for op in rows.iter().flat_map(|row| if is_b { &row.b } else { &row.a }) {
            whole = whole.saturating_add(op.time_ps);
            looped = looped.saturating_add(if is_in_loop(op) { op.time_ps } else { 0 });
        }
        share(looped, whole)
    };
    let (a, b) = (in_loop(false), in_loop(true));
    let mut all = Cause::new(CauseKind::Loop);
    rows.iter().for_each(|row| all.add_row(row));
    let (looped, unrolled) = ("in a loop".to_owned(), "unrolled".to_owned());
    (all.a, all.b) = if a >= IN_LOOP && b <= UNROLLED {
        (looped, unrolled)
    } else if a <= UNROLLED && b >= IN_LOOP {
        (unrolled, looped)
    } else {
        return None;
    };
    // Without ops on a side, there is nothing to compare.
    (all.n_ops_a > 0 && all.n_ops_b > 0).then_some(all)
}

/// Returns the change of the ops of a sort. `None` if all ops are of this sort, or none, and if their share of the time is that of
/// before: what grows with all that is around it is no change of its own.
fn ops_of(rows: &[&WorkRow<'_>], kind: CauseKind, is_in: impl Fn(&WorkOp<'_>) -> bool) -> Option<Cause> {
    let (mut inside, mut all) = (Cause::new(kind), Cause::new(kind));
    for row in rows {
        for (is_b, ops) in [(false, &row.a), (true, &row.b)] {
            inside.add_ops(is_b, ops.iter().filter(|op| is_in(op)).map(|op| op.time_ps));
            all.add_ops(is_b, ops.iter().map(|op| op.time_ps));
        }
    }
    let (n_a, n_b) = (inside.n_ops_a, inside.n_ops_b);
    let is_some = (n_a, n_b) != (0, 0) && (n_a, n_b) != (all.n_ops_a, all.n_ops_b);
    let (a, b) = (share(inside.a_ps, all.a_ps), share(inside.b_ps, all.b_ps));
    (is_some && (a - b).abs() >= NAMED).then_some(inside)
}

/// Returns the ops that run another number of times, by the part of the difference that this makes. The ops of a loop share the
/// factor: of several factors, the one with the largest part counts.
pub(super) fn executions(rows: &[&WorkRow<'_>]) -> Option<Cause> {
    let mut factors: IndexMap<String, (Cause, f64, f64)> = IndexMap::default();
    for row in rows.iter().filter(|row| row.row.count_ps != 0) {
        let (Some(a), Some(b)) = (&row.row.a, &row.row.b) else { continue };
        let factor = format!("{:.2}", b.n_executions / a.n_executions);
        let (cause, n_a, n_b) = factors.entry(factor).or_insert_with(|| (Cause::new(CauseKind::Executions), 0.0, 0.0));
        let part = cause.delta_ps.saturating_add(row.row.count_ps);
        cause.add_row(row);
        cause.delta_ps = part;
        *n_a += a.n_executions;
        *n_b += b.n_executions;
    }
    // A fraction of an execution is one at an edge of the window.
    factors.retain(|factor, (_, n_a, n_b)| factor != "1.00" && n_a.round() as u64 != n_b.round() as u64);
    let (label, (cause, n_a, n_b)) =
        factors.into_iter().min_by_key(|(_, (cause, ..))| Reverse(cause.delta_ps.unsigned_abs()))?;
    Some(Cause { label, a: format::decimal(n_a, 1), b: format::decimal(n_b, 1), ..cause })
}

/// Returns the ops that did not change and take another time. An op that does other work is another op.
fn speed(rows: &[&WorkRow<'_>]) -> Option<Cause> {
    let is_same = |row: &&&WorkRow<'_>| {
        row.changes.is_empty()
            && row.has_same_work()
            && matches!(row.row.tier, Some(Tier::Exact | Tier::ScopeAndShape | Tier::Name))
    };
    let mut all = Cause::new(CauseKind::Speed);
    let mut counts = 0_i64;
    for row in rows.iter().filter(is_same) {
        all.add_row(row);
        counts = counts.saturating_add(row.row.count_ps);
    }
    all.delta_ps = all.delta_ps.saturating_sub(counts);
    (all.n_ops_a > 0).then_some(all)
}
