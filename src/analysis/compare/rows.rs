//! This module compares the ops that belong together: how often they run, how much work they do, and how fast.

use super::exact::{Divisors, Numerator, round_parts};
use super::matching::{OpMatch, Side, SideOp, Tier};
use super::report::{RowDelta, RowSide, TierShare, Verdict};
use super::session::Session;
use super::statistics::{benjamini_hochberg, mann_whitney};
use crate::analysis::classify::Kind;
use crate::analysis::ledger::{OwnedOp, Owner};
use crate::profile::Plane;
use std::cmp::Reverse;

/// The band of a row, as a share of the time of A.
const ROW_BAND: f64 = 0.005;
/// The share of rows with a difference that may be false discoveries.
const FALSE_DISCOVERIES: f64 = 0.05;

/// Lists the ops of a side for matching.
pub fn side<'a>(of: &Session<'a>) -> Side<'a> {
    let device = of.by_op.ledger.device;
    let plane = of.plane();
    let op = |owned: &OwnedOp| SideOp {
        op: owned.op,
        time: owned.total().0,
        n: owned.n.as_f64().round() as u64,
        first_start: of.steps.first_start(plane, owned.op),
    };
    let ops = of.by_op.ops.iter().map(op).collect();
    Side { profile: of.profile, analysis: of.analysis, device, programs: of.programs, ops }
}

impl<'a> Session<'a> {
    pub(super) fn plane(&self) -> &'a Plane {
        &self.profile.planes[self.analysis.devices[self.by_op.ledger.device].plane]
    }

    /// Returns the sum of the time of some ops in ps; with an owner, only its part.
    pub(super) fn time(&self, ops: &[usize], owner: Option<Owner>) -> u64 {
        let time = |at: &usize| {
            let owned = &self.by_op.ops[*at];
            owner.map_or_else(|| owned.total(), |owner| owned.time(owner)).0
        };
        ops.iter().map(time).sum()
    }
}

/// The pairs of ops of both sides.
#[derive(Clone, Copy)]
pub struct Pairs<'p, 'a, 'b> {
    pub a: &'p Session<'a>,
    pub b: &'p Session<'b>,
    pub matches: &'p [OpMatch],
    pub divisors: Divisors,
    /// The factors that scale the time of a step of each side to the unit of the comparison.
    pub scales: (f64, f64),
}

impl Pairs<'_, '_, '_> {
    /// Returns the difference of a pair; with an owner, only its part.
    pub fn difference(&self, of: &OpMatch, owner: Option<Owner>) -> Numerator {
        self.divisors.difference(self.a.time(&of.a, owner), self.b.time(&of.b, owner))
    }

    /// Returns the share of the time of each side that each tier pairs.
    #[expect(clippy::cast_precision_loss, reason = "shares")]
    pub fn shares(&self) -> Vec<TierShare> {
        let tiers = Tier::ALL.into_iter().map(Some).chain([None]);
        let sum = |of: &Session<'_>, ops: fn(&OpMatch) -> &[usize], tier: Option<Option<Tier>>| -> f64 {
            let chosen = self.matches.iter().filter(|one| tier.is_none_or(|tier| one.tier == tier));
            chosen.map(|one| of.time(ops(one), None)).sum::<u64>() as f64
        };
        let share = |of: &Session<'_>, ops: fn(&OpMatch) -> &[usize], tier| {
            sum(of, ops, Some(tier)) / sum(of, ops, None).max(1.0)
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
/// `a_ps` and `delta_ps` the time of A and the whole difference.
pub fn rows(pairs: &Pairs<'_, '_, '_>, gaps: &[Numerator], (a_ps, delta_ps): (i64, i64)) -> Vec<RowDelta> {
    // Together with idle time, the rows sum to the difference.
    let numerators = pairs.matches.iter().map(|of| pairs.difference(of, None));
    let numerators: Vec<Numerator> = numerators.chain(gaps.iter().copied()).collect();
    let deltas = round_parts(&numerators, pairs.divisors.denominator(), delta_ps);
    let p: Vec<Option<f64>> = pairs.matches.iter().map(|of| p_value(pairs, of)).collect();
    let is_real = benjamini_hochberg(&p, FALSE_DISCOVERIES);
    let row = |((of, delta_ps), (p, is_real)): ((&OpMatch, &i64), (&Option<f64>, &bool))| {
        row(pairs, of, *delta_ps, a_ps, (*p, *is_real))
    };
    pairs.matches.iter().zip(&deltas).zip(p.iter().zip(&is_real)).map(row).collect()
}

/// Compares the times of a pair in the steps of both sides. Ops of one side take no time in the other one.
fn p_value(pairs: &Pairs<'_, '_, '_>, of: &OpMatch) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "samples of statistics")]
    let times = |session: &Session<'_>, ops: &[usize], scale: f64| {
        let mut sums = vec![0_u64; session.steps.steps.len()];
        for at in ops {
            if let Some(times) = session.steps.times(session.plane(), session.by_op.ops[*at].op) {
                sums.iter_mut().zip(&times.times).for_each(|(sum, time)| *sum += time);
            }
        }
        sums.into_iter().map(|sum| sum as f64 * scale).collect::<Vec<f64>>()
    };
    let has_steps = pairs.a.overview.has_steps && pairs.b.overview.has_steps;
    has_steps
        .then(|| mann_whitney(&times(pairs.a, &of.a, pairs.scales.0), &times(pairs.b, &of.b, pairs.scales.1)))
        .flatten()
}

#[expect(clippy::cast_precision_loss, reason = "times of a row, which are below 2⁵³ ps")]
fn row(
    pairs: &Pairs<'_, '_, '_>,
    of: &OpMatch,
    delta_ps: i64,
    whole_ps: i64,
    (p, is_real): (Option<f64>, bool),
) -> RowDelta {
    let factor = pairs.divisors.factor as f64;
    let side = |session: &Session<'_>, ops: &[usize], divisor: u64, self_ps: i64| {
        (!ops.is_empty()).then(|| row_side(session, ops, factor / divisor.max(1) as f64, self_ps))
    };
    let a_ps = pairs.divisors.mean_a(pairs.a.time(&of.a, None));
    let b_ps = pairs.divisors.mean_b(pairs.b.time(&of.b, None));
    let (a, b) = (side(pairs.a, &of.a, pairs.divisors.a, a_ps), side(pairs.b, &of.b, pairs.divisors.b, b_ps));
    let (mut count_ps, mut work_ps) = (0, None);
    if let (Some(a), Some(b)) = (&a, &b)
        && a.n_executions > 0.0
        && b.n_executions > 0.0
    {
        let each = |of: &RowSide| of.self_ps as f64 / of.n_executions;
        count_ps = ((b.n_executions - a.n_executions) * (each(a) + each(b)) / 2.0).round() as i64;
        let roofline = |of: &RowSide| of.roofline_ps.map(|time| time / of.n_executions);
        let mean = (a.n_executions + b.n_executions) / 2.0;
        work_ps = roofline(a).zip(roofline(b)).map(|(a, b)| ((b - a) * mean).round() as i64);
    }
    let is_beyond = delta_ps.unsigned_abs() as f64 > ROW_BAND * whole_ps.unsigned_abs() as f64;
    let verdict = Verdict::on(delta_ps, (p.is_none() || is_real) && is_beyond);
    let efficiency_ps = work_ps.map(|work| delta_ps - count_ps - work);
    let is_ambiguous = of.is_ambiguous;
    RowDelta {
        kind: kind(pairs, of),
        tier: of.tier,
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

fn kind(pairs: &Pairs<'_, '_, '_>, of: &OpMatch) -> Kind {
    let kind = |session: &Session<'_>, ops: &[usize]| {
        let longest = ops.iter().max_by_key(|at| (session.by_op.ops[**at].total(), Reverse(**at)))?;
        let device = session.by_op.ledger.device;
        Some(session.analysis.facts[device].ops[session.by_op.ops[*longest].op.0 as usize].kind)
    };
    kind(pairs.b, &of.b).or_else(|| kind(pairs.a, &of.a)).unwrap_or(Kind::Other)
}

fn row_side(session: &Session<'_>, ops: &[usize], scale: f64, self_ps: i64) -> RowSide {
    let mut ordered = ops.to_vec();
    ordered.sort_by_key(|at| (Reverse(session.by_op.ops[*at].total()), *at));
    let owned = || ordered.iter().map(|at| &session.by_op.ops[*at]);
    let plane = session.plane();
    let name = |of: &OwnedOp| session.profile.text(plane.op(of.op).name).to_owned();
    let scope = owned().next().and_then(|of| plane.op(of.op).stats.tf_op);
    let program_id = owned().next().and_then(|of| Some(plane.op(of.op).stats.program?.0));
    let roofline =
        owned().map(|of| of.floor.as_ref().filter(|floor| floor.unknown == 0).map(|floor| floor.roofline_time));
    RowSide {
        ops: owned().map(name).collect(),
        program_id,
        scope: scope.map(|scope| session.profile.text(scope).to_owned()),
        n_executions: owned().map(|of| of.n.as_f64()).sum::<f64>() * scale,
        self_ps,
        roofline_ps: roofline.sum::<Option<f64>>().map(|time| time * scale),
    }
}
