//! This module compares the ops that belong together: how often they run, how much work they do, and how fast.

use super::exact::{Divisors, Numerator, round, round_parts};
use super::input::{Input, InputOp};
use super::matching::{OpMatch, Tier};
use super::report::{RowDelta, RowSide, TierShare, Verdict};
use super::statistics::{Sample, benjamini_hochberg, mann_whitney_of_samples};
use crate::analysis::classify::Kind;
use crate::analysis::ledger::Owner;
use std::cmp::Reverse;
use xla_profile::small_sort::SmallSort;

/// The band of a row, as a share of the time of A.
const ROW_BAND: f64 = 0.005;
/// The share of rows with a difference that may be false discoveries.
const FALSE_DISCOVERIES: f64 = 0.05;

/// The pairs of ops of both sides.
#[derive(Clone, Copy)]
pub struct Pairs<'p, 'a, 'b> {
    pub a: &'p Input<'a>,
    pub b: &'p Input<'b>,
    pub matches: &'p [OpMatch],
    pub divisors: Divisors,
    /// The factors that scale the time of a step of each side to the unit of the comparison.
    pub scales: (f64, f64),
}

impl Pairs<'_, '_, '_> {
    /// Returns the difference of a pair; with an owner, only its part.
    pub fn difference(&self, op_match: &OpMatch, owner: Option<Owner>) -> Numerator {
        self.divisors.difference(self.a.time(&op_match.a, owner), self.b.time(&op_match.b, owner))
    }

    /// Returns the share of the time of each side that each tier pairs.
    #[expect(clippy::cast_precision_loss, reason = "shares")]
    pub fn shares(&self) -> Vec<TierShare> {
        let tiers = Tier::ALL.into_iter().map(Some).chain([None]);
        let sum = |side: &Input<'_>, ops: fn(&OpMatch) -> &[usize], tier: Option<Option<Tier>>| -> f64 {
            let chosen = self.matches.iter().filter(|one| tier.is_none_or(|tier| one.tier == tier));
            chosen.map(|one| side.time(ops(one), None) as f64).sum::<f64>()
        };
        let share = |side: &Input<'_>, ops: fn(&OpMatch) -> &[usize], tier| {
            sum(side, ops, Some(tier)) / sum(side, ops, None).max(1.0)
        };
        let both = tiers.map(|tier| TierShare {
            tier,
            a: share(self.a, |one| &one.a, tier),
            b: share(self.b, |one| &one.b, tier),
        });
        both.filter(|share| share.a > 0.0 || share.b > 0.0).collect()
    }
}

/// Compares the ops of each pair, in the order of the pairs. `gaps` are the differences of idle time, which belong to no op, and
/// `a_ps` is the time of A.
pub fn rows(pairs: &Pairs<'_, '_, '_>, gaps: &[Numerator], a_ps: i64) -> Vec<RowDelta> {
    let numerators = pairs.matches.iter().map(|op_match| pairs.difference(op_match, None));
    let numerators: Vec<Numerator> = numerators.chain(gaps.iter().copied()).collect();
    // Together with idle time, the rows of a capture sum to the whole difference.
    let sum = numerators.iter().fold(0, |sum: Numerator, numerator| sum.saturating_add(*numerator));
    let denominator = pairs.divisors.denominator();
    let deltas = round_parts(&numerators, denominator, round(sum, denominator));
    let p: Vec<Option<f64>> = pairs.matches.iter().map(|op_match| p_value(pairs, op_match)).collect();
    let is_real = benjamini_hochberg(&p, FALSE_DISCOVERIES);
    let row = |((op_match, delta_ps), (p, is_real)): ((&OpMatch, &i64), (&Option<f64>, &bool))| {
        row(pairs, op_match, *delta_ps, a_ps, (*p, *is_real))
    };
    pairs.matches.iter().zip(&deltas).zip(p.iter().zip(&is_real)).map(row).collect()
}

/// Compares the times of a pair in the steps of both sides. Ops of one side take no time in the other one. `None` if the times of
/// an op are unknown.
fn p_value(pairs: &Pairs<'_, '_, '_>, op_match: &OpMatch) -> Option<f64> {
    let a = step_times(pairs.a, &op_match.a, pairs.scales.0)?;
    Some(mann_whitney_of_samples(&a, &step_times(pairs.b, &op_match.b, pairs.scales.1)?))
}

/// Returns the sums of the times of ops in each step. In most steps of a capture with many programs, an op has no time.
#[expect(clippy::cast_precision_loss, reason = "samples of statistics")]
fn step_times(side: &Input<'_>, ops: &[usize], scale: f64) -> Option<Sample> {
    let n_steps = side.head.periods_ps.len();
    let mut times: Vec<(u32, u64)> = Vec::new();
    for op in ops {
        times.extend(side.ops[*op].steps?.iter().filter(|(step, _)| (*step as usize) < n_steps));
    }
    if ops.len() > 1 {
        times.sort_unstable_by_key(|(step, _)| *step);
    }
    let sums = times.chunk_by(|(a, _), (b, _)| a == b).map(|times| times.iter().map(|(_, time)| *time).sum::<u64>());
    Sample::with_zeros(&sums.map(|sum| sum as f64 * scale).collect::<Vec<f64>>(), n_steps)
}

#[expect(clippy::cast_precision_loss, reason = "times of a row, which are below 2⁵³ ps")]
fn row(
    pairs: &Pairs<'_, '_, '_>,
    op_match: &OpMatch,
    delta_ps: i64,
    whole_ps: i64,
    (p, is_real): (Option<f64>, bool),
) -> RowDelta {
    let factor = pairs.divisors.factor as f64;
    let side = |side: &Input<'_>, ops: &[usize], divisor: u64, self_ps: i64| {
        (!ops.is_empty()).then(|| row_side(side, ops, factor / divisor.max(1) as f64, self_ps))
    };
    let a_ps = pairs.divisors.mean_a(pairs.a.time(&op_match.a, None));
    let b_ps = pairs.divisors.mean_b(pairs.b.time(&op_match.b, None));
    let (a, b) =
        (side(pairs.a, &op_match.a, pairs.divisors.a, a_ps), side(pairs.b, &op_match.b, pairs.divisors.b, b_ps));
    let (mut count_ps, mut work_ps) = (0, None);
    if let (Some(a), Some(b)) = (&a, &b)
        && a.n_executions > 0.0
        && b.n_executions > 0.0
    {
        let each = |side: &RowSide| side.self_ps as f64 / side.n_executions;
        count_ps = ((b.n_executions - a.n_executions) * (each(a) + each(b)) / 2.0).round() as i64;
        let roofline = |side: &RowSide| side.roofline_ps.map(|time| time / side.n_executions);
        let mean = (a.n_executions + b.n_executions) / 2.0;
        work_ps = roofline(a).zip(roofline(b)).map(|(a, b)| ((b - a) * mean).round() as i64);
    }
    let is_beyond = delta_ps.unsigned_abs() as f64 > ROW_BAND * whole_ps.unsigned_abs() as f64;
    let verdict = Verdict::of_difference(delta_ps, (p.is_none() || is_real) && is_beyond);
    let efficiency_ps = work_ps.map(|work| delta_ps.saturating_sub(count_ps).saturating_sub(work));
    let is_ambiguous = op_match.is_ambiguous;
    RowDelta {
        kind: kind(pairs, op_match),
        tier: op_match.tier,
        is_ambiguous,
        a,
        b,
        delta_ps,
        count_ps,
        work_ps,
        efficiency_ps,
        p,
        verdict,
    }
}

fn kind(pairs: &Pairs<'_, '_, '_>, op_match: &OpMatch) -> Kind {
    let kind = |side: &Input<'_>, ops: &[usize]| {
        let longest = ops.iter().max_by_key(|op| (side.ops[**op].total, Reverse(**op)))?;
        Some(side.ops[*longest].kind)
    };
    kind(pairs.b, &op_match.b).or_else(|| kind(pairs.a, &op_match.a)).unwrap_or(Kind::Other)
}

fn row_side(side: &Input<'_>, ops: &[usize], scale: f64, self_ps: i64) -> RowSide {
    let mut ordered: Vec<&InputOp<'_>> = ops.iter().map(|op| &side.ops[*op]).collect();
    ordered.small_sort_by_key(|op| Reverse(op.total));
    let longest = ordered.first();
    RowSide {
        ops: ordered.iter().map(|op| op.name.clone().into_owned()).collect(),
        program_id: longest.and_then(|op| op.program_id),
        scope: longest.and_then(|op| op.scope).map(str::to_owned),
        source: longest.and_then(|op| op.source).map(str::to_owned),
        op_group: longest.and_then(|op| op.op_group).map(str::to_owned),
        n_executions: ordered.iter().map(|op| op.n).sum::<f64>() * scale,
        self_ps,
        roofline_ps: ordered.iter().map(|op| op.roofline).sum::<Option<f64>>().map(|time| time * scale),
    }
}
