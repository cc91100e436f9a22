//! This module writes a comparison as JSON. It defines the names and the order of the fields.

use crate::analysis::base::Status;
use crate::analysis::compare::columns::{
    CAUSES, COMPARE, COMPARE_GROUPS, FIGURES, FINDINGS, MEMORY, PARITY, SCOPES, SIDES, WORK_PAIRS,
};
use crate::analysis::compare::matching::Tier;
use crate::analysis::compare::{
    CompareBy, CompareUnit, Comparison, Gate, GateFigure, GateResult, GroupDelta, MainCause, PartDelta, RowDelta,
    ScopeDelta, TierShare, Verdict, groups,
};
use crate::analysis::ledger::Owner;
use crate::report::compare::explanation::main_sentence;
use crate::report::compare::sections_json::{comm, program_changes};
use crate::report::json::first;
use crate::report::ledger::table::label;
use crate::table::{Object, RowList, Rows, Value, object};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::rc::Rc;
use xla_profile::small_sort::SmallSort;

/// Returns a comparison as JSON, with the `top` rows of the largest difference. Unless `by` is [`CompareBy::Op`], it
/// also has the `top` groups of all rows.
pub fn compare<'a>(comparison: &'a Comparison, by: CompareBy, gate: Option<&Gate>, top: usize) -> Object<'a> {
    let grouped = (by != CompareBy::Op).then(|| groups(&comparison.rows, by));
    let n_groups = grouped.as_ref().map(|groups| groups.len() as u64);
    object!(Compare {
        /// Whether the figures are complete: `partial` if only a part of a side was read.
        status: Word(Status) = status(comparison.a.is_partial || comparison.b.is_partial),
        /// Name of the command.
        view: Word = "compare",
        /// Whether B differs from A by more than the steps and captures vary. It is `too_few_steps` if a side has no
        /// steps, and `incomparable` if the sides do different work and the work in a step is unknown.
        verdict: Word(Verdict) = comparison.verdict,
        /// The verdict in words.
        sentence: Removed = crate::report::compare::text::sentence(comparison),
        /// The part of the work that explains the difference. Null if the difference is noise, or if no part explains half of
        /// it.
        cause: Own or null = comparison.explanation.main.as_ref().map(|main| main_cause(comparison, main)),
        /// What is certain of the whole and changes many ops: another batch, another type, or more layers.
        whole_causes: Rows(CAUSES) = &comparison.explanation.whole,
        /// The unit of work. All fields in ps are per unit, but for `period_ps`, `periods_ps` and `median_ps` of a
        /// side.
        unit: Word(CompareUnit) = comparison.unit,
        /// The baseline.
        a: Object(SIDES) = &comparison.a,
        /// The experiment.
        b: Object(SIDES) = &comparison.b,
        /// The time of A.
        a_ps: Integer = comparison.a_ps,
        /// The time of B.
        b_ps: Integer = comparison.b_ps,
        /// The difference B − A, which is positive if B is slower. It is that of the means.
        delta_ps: Integer = comparison.delta_ps,
        /// The difference as a share of A. Null if A takes no time.
        change: Number or null = comparison.change(),
        /// The Hodges–Lehmann shift of the lengths of the steps. Null with fewer than 4 steps on a side.
        shift_ps: Number or null = comparison.shift.map(|shift| shift.estimate),
        /// The 95 % interval of the shift. Null with fewer than 4 steps on a side.
        interval_ps: Value(Pair) or null =
            Value::maybe(comparison.shift, |shift| Value::List([shift.low, shift.high].map(Value::Number).into())),
        /// The two-sided p-value of the Mann–Whitney test over the lengths of the steps. Null with fewer than 4 steps
        /// on a side.
        p: Number or null = comparison.p,
        /// Number of steps of A and of B whose length is known.
        n: Pair = (comparison.a.periods_ps.len() as u64, comparison.b.periods_ps.len() as u64),
        /// The share of A below which a difference is noise between captures.
        band: Number = comparison.band,
        /// The gate. It is only there with `--fail-over` or `--rows-over`.
        gate: Own or null in json if_present = gate.map(|gate| gate_json(gate, comparison)),
        /// Sentences about what the reports of the sides leave out, about times that are too large, and about pairs of
        /// `--pair` whose ops do not exist.
        notes: List(Removed) = &comparison.notes,
        /// What both sides should share.
        parity: Rows(PARITY) = &comparison.parity,
        /// The owners of time, the largest difference first. Their differences sum to `delta_ps`.
        waterfall: List(Own) = comparison.parts.iter().map(|part| part_json(comparison, part, top)),
        /// The matched ops, and the ops of one side, the largest difference first.
        rows: Rows(COMPARE) = first(&comparison.rows, top),
        /// Number of all rows.
        n_rows: Count = comparison.rows.len() as u64,
        /// The property by which `groups` sums the rows. It is only there with `--by`.
        by: Word(CompareBy) or null in json if_present = n_groups.map(|_| by),
        /// The groups of the rows, the largest difference first. They are only there with `--by`.
        groups: Value(Rows(COMPARE_GROUPS)) or null in json if_present =
            Value::maybe(grouped, |groups| first_groups(groups, top)),
        /// Number of all groups. It is only there with `--by`.
        n_groups: Count or null in json if_present = n_groups,
        /// The scopes of both sides, the largest difference first.
        scopes: List(Object(SCOPES)) = scopes(comparison, top),
        /// Number of all scopes.
        n_scopes: Count = comparison.scopes.len().saturating_sub(1) as u64,
        /// The ops of both sides by the deepest scope that both have, else by module, else by group of work. Each op is in one
        /// pair. The largest difference is first.
        pairs: Rows(WORK_PAIRS) = first(&comparison.explanation.pairs, top),
        /// Number of all pairs.
        n_pairs: Count = comparison.explanation.pairs.len() as u64,
        /// The shares of the time of A and of B whose ops have a counterpart: a partner of their own, or a pair of both sides.
        /// Null if the pairs are unknown, as in a comparison that was shared.
        paired_pct: Value(Pair) or null = Value::maybe(comparison.paired_shares(), |(a, b)| {
            Value::List([a, b].map(Value::Percent).into())
        }),
        /// The shares of the time of A and of B by tier, in percent. `only_in_one` has the shares of the ops that only
        /// one side has.
        matched_pct: Map(Value(Pair)) = comparison.matched.iter().map(shares).collect::<BTreeMap<_, _>>(),
        /// The figures of `overview`.
        figures: Rows(FIGURES) = &comparison.figures,
        /// The findings that one side alone has. Those of B are first.
        findings: Rows(FINDINGS) = &comparison.findings,
        /// Memory.
        memory: Object(MEMORY) = &comparison.memory,
        /// Communication.
        comm: Own = comm(&comparison.comm, top),
        /// The differences of the programs that both sides run.
        program_changes: Own = program_changes(comparison, top),
    })
}

fn main_cause<'a>(comparison: &'a Comparison, main: &'a MainCause) -> Object<'a> {
    object!(MainCause {
        /// The work and what changed there. `level` may also be `work` for a sort of work such as all-gathers, `phase` for a
        /// phase of a training step, and `owner` for an owner of time such as a class of idle time.
        work: Object(WORK_PAIRS) = &main.work,
        /// The owner of the time, if `level` is `owner`. Null otherwise.
        owner: Word(Owner) or null = main.owner,
        /// Its difference as a share of the whole difference.
        share: Number = main.share,
        /// The cause in words.
        sentence: Removed or null = main_sentence(comparison),
    })
}

/// Returns the status of a comparison of which a side may be partial.
pub(super) const fn status(is_partial: bool) -> Status {
    if is_partial { Status::Partial } else { Status::Ok }
}

fn gate_json<'a>(gate: &Gate, comparison: &'a Comparison) -> Object<'a> {
    let names = |rows: Vec<&'a RowDelta>| rows.into_iter().map(RowDelta::name);
    object!(Gate {
        /// What the gate compares.
        on: Word(GateFigure) = gate.on,
        /// B may exceed A by this share. Null without `--fail-over`.
        limit: Number or null = gate.limit,
        /// The change of the figure as a share of A. For the period, it is that of the medians, while `delta_ps` is
        /// that of the means. Null if a side does not tell, or if the figure of A is 0 and that of B is not.
        change: Number or null = gate.change(comparison).filter(|change| change.is_finite()),
        /// An op that is slower may exceed its baseline by this share of the time of A. Null without `--rows-over`.
        rows_over: Number or null = gate.rows_over,
        /// Names of the ops of both sides that are slower by more than `rows_over`.
        slower_rows: List(Name(Op)) = names(gate.slower_rows(comparison)),
        /// Names of the ops of B alone that take longer than `rows_over`.
        new_rows: List(Name(Op)) = names(gate.new_rows(comparison)),
        /// The result. It is `inconclusive` if the captures do not tell.
        result: Word(GateResult) = gate.evaluate(comparison),
    })
}

/// Returns an owner of time as JSON, with the `top` ops of the largest parts.
pub(super) fn part_json<'a>(comparison: &'a Comparison, part: &PartDelta, top: usize) -> Object<'a> {
    let child = |(row, delta): &(u32, i64)| {
        let row = comparison.rows.get(*row as usize)?;
        Some(object!(WaterfallOp {
            /// Name of the op.
            name: Name(Op) = row.name(),
            /// Its part of the difference.
            delta_ps: Integer = *delta,
        }))
    };
    object!(WaterfallPart {
        /// The owner of the time, as in `ledger` of `overview`.
        owner: Word(Owner) = part.owner,
        /// Its label.
        label: Text = label(part.owner),
        /// Its time in A, per unit.
        a_ps: Integer = part.a_ps,
        /// Its time in B, per unit.
        b_ps: Integer = part.b_ps,
        /// The difference.
        delta_ps: Integer = part.delta_ps,
        /// The part of each op, the largest first. Empty if a side is a report.
        children: List(Own) = part.children.iter().take(top).filter_map(child),
    })
}

/// The groups of rows, which are made for the document.
struct GroupRows(Vec<GroupDelta>);

impl RowList for GroupRows {
    fn for_each(&self, write: &mut dyn FnMut(Value<'_>)) {
        Rows { columns: COMPARE_GROUPS, rows: &self.0 }.for_each(write);
    }
}

/// Returns the first `top` groups.
fn first_groups(mut groups: Vec<GroupDelta>, top: usize) -> Value<'static> {
    groups.truncate(top);
    Value::Rows(Rc::new(GroupRows(groups)))
}

/// Returns the `top` scopes below the root with the largest difference.
fn scopes(comparison: &Comparison, top: usize) -> impl Iterator<Item = &ScopeDelta> {
    let mut all: Vec<&ScopeDelta> = comparison.scopes.iter().skip(1).collect();
    all.small_sort_by_key(|scope| Reverse(scope.delta_ps().unsigned_abs()));
    all.into_iter().take(top)
}

/// Returns the name of a tier and the shares of the time of both sides that it pairs.
fn shares(share: &TierShare) -> (&'static str, Value<'static>) {
    (share.tier.map_or("only_in_one", Tier::key), Value::List([share.a, share.b].map(Value::Percent).into()))
}
