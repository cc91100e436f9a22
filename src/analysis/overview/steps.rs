//! This module compares the steps of the device (rules F32 and F33).

use super::context::{Context, MAX_NAME, longest_first, total};
use super::evidence::{host_events_of, telling_event};
use super::figures::Unit;
use super::op_in_steps::{OpInSteps, ops_in_steps};
use super::report::{Confidence, Group, SeeView};
use super::rule::Advice;
use super::rule::{BY_EVENTS, LEAST};
use super::rule::{Draft, Outcome, Rule, unknown};
use super::rule_id::RuleId;
use super::verdict::lower;
use crate::analysis::base::Step;
use crate::analysis::classify::Kind;
use crate::analysis::gaps::GapClass;
use crate::analysis::ledger::Owner;
use crate::table::format::{counted, middle_cut, percent_text, time_text};
use rustc_hash::FxHashSet;
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// The rules about differences between steps, in the order in which they claim time.
pub(super) const RULES: [Rule; 2] = [
    Rule {
        id: RuleId::SlowSteps,
        group: Group::Time,
        name: "Slow steps",
        title: "Some steps take much longer than the others",
        threshold: LEAST,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: BY_EVENTS,
        why: "The mean of the steps rises, and other findings may describe only these steps.",
        worked_if: "no step is an outlier",
        formula: "Σ over outliers (period − median) ÷ steps; outliers have 0.6745 × (period − median) ÷ MAD > 3.5",
        view: SeeView::Breakdown,
        overlaps: &[RuleId::Recompile, RuleId::Throttled],
        tries: &[Advice::words("Compare a slow step with a usual one.")],
        check: slow_steps,
    },
    Rule {
        id: RuleId::VaryingOp,
        group: Group::Time,
        name: "Variation of ops",
        title: "The time of ops varies between steps",
        threshold: LEAST,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: BY_EVENTS,
        why: "The same op takes longer in some steps, so something outside of the program slows it down.",
        worked_if: "the middle half of the steps differs by less than 10 % for each op",
        formula: "Σ over steps max(0, time − median) ÷ steps, of ops with IQR > 10 % of the median",
        view: SeeView::Breakdown,
        overlaps: &[RuleId::SlowSteps, RuleId::Throttled],
        tries: &[Advice::words("Compare the steps of the op in its panel.")],
        check: varying_ops,
    },
];

/// Fewest steps whose differences say anything.
const LEAST_STEPS: usize = 5;
/// A step is an outlier if its distance from the median, in robust standard deviations, is larger than this (Iglewicz and
/// Hoaglin, 1993).
const OUTLIER: f64 = 3.5;
/// Share of a step that an op must have for its variation to matter.
const LEAST_SHARE: f64 = 0.005;

/// The steady steps that are much longer than the others.
pub(super) struct Outliers<'a> {
    /// The median of the periods.
    pub median: Picos,
    /// The steps that are too long.
    pub slow: Vec<&'a Step>,
}

/// Returns the outliers among the steady steps. `None` if there are fewer than five.
pub(super) fn outliers<'a>(context: &Context<'a>) -> Option<Outliers<'a>> {
    let steps: Vec<&Step> = context.steady_steps().collect();
    if steps.len() < LEAST_STEPS {
        return None;
    }
    let median_of = |mut all: Vec<f64>| {
        all.small_sort_by(f64::total_cmp);
        let [low, high] = [(all.len() - 1) / 2, all.len() / 2].map(|index| all[index]);
        low.midpoint(high)
    };
    let median = median_of(steps.iter().map(|step| step.length().as_f64()).collect());
    let spread = median_of(steps.iter().map(|step| (step.length().as_f64() - median).abs()).collect());
    let score = |step: &Step| 0.6745 * (step.length().as_f64() - median) / spread.max(0.001 * median);
    let slow = steps.into_iter().filter(|step| score(step) > OUTLIER).collect();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time")]
    let median = Picos(median.round() as u64);
    Some(Outliers { median, slow })
}

const IDLE: &str = "idle time";
const FEW_STEPS: &str = "The capture has fewer than five steady steps.";

fn slow_steps(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let Some(Outliers { median, slow }) = outliers(context) else { return unknown(FEW_STEPS) };
    let more: Picos = slow.iter().map(|step| step.length().saturating_sub(median)).sum();
    rule.by_time(context, more, &mut |context| {
        let times = context.all_step_times();
        let slow_numbers: FxHashSet<u64> = slow.iter().map(|step| step.number).collect();
        let is_slow = |number: u64| slow_numbers.contains(&number);
        let steady = || times.iter().filter(|time| time.not_steady.is_none());
        // What the slow steps and the others have, by kind, and idle time last.
        let mut sums = [[Picos::ZERO; Kind::ALL.len() + 1]; 2];
        let mut n = [0_u64; 2];
        for time in steady() {
            let side = usize::from(is_slow(time.number));
            let parts = Kind::ALL.into_iter().map(|kind| time.by_kind[kind.index()]).chain([time.idle]);
            sums[side].iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
            n[side] += 1;
        }
        let mean = |side: usize, part: usize| Picos(sums[side][part].0 / n[side].max(1));
        let labels: Vec<&str> = Kind::ALL.iter().map(|kind| kind.label()).chain([IDLE]).collect();
        let mut rises: Vec<(Picos, &str)> = labels
            .into_iter()
            .enumerate()
            .map(|(part, label)| (mean(1, part).saturating_sub(mean(0, part)), label))
            .collect();
        rises.small_sort_by_key(|(rise, _)| std::cmp::Reverse(*rise));
        let ops = longest_first(rises_of_ops(context, &slow));
        let cause = rises.first().filter(|(rise, _)| *rise > Picos::ZERO).map_or(String::new(), |(rise, label)| {
            let named = match label {
                &IDLE => idle_cause(context, &is_slow).map(|class| format!(": {class}")),
                _ => longer_ops(context, &slow, &ops, *rise),
            };
            format!(" Most of the difference is {label}, {}{}.", time_text(*rise), named.unwrap_or_default())
        });
        let longest = slow.iter().map(|step| step.length()).max().unwrap_or_default();
        let mut draft = Draft {
            detail: format!(
                "{} of {} {} {}; the median is {}.{cause}",
                slow.len(),
                counted(steady().count() as u64, "step", "steps"),
                if slow.len() == 1 { "takes" } else { "take up to" },
                time_text(longest),
                time_text(median)
            ),
            inputs: vec![("median_ps", median.as_f64()), ("slow_steps", slow.len() as f64)],
            evidence: context.op_evidence(&ops),
            ..Draft::default()
        };
        draft.evidence.steps = slow.iter().map(|step| step.number).collect();
        draft
    })
}

/// Returns what takes longer in the slow steps: a program that no usual step runs, or ops. `ops` are the rises of their self
/// times as sums over the slow steps, the largest first, and `rise` is the largest rise of a
/// kind in one step. `None` if the rises of all ops are less than half of it: the overview then shows another step.
fn longer_ops(context: &Context<'_>, slow: &[&Step], ops: &[(usize, Picos)], rise: Picos) -> Option<String> {
    let in_one = |time: Picos| Picos(time.0 / slow.len().max(1) as u64);
    let (first, of_first) = *ops.first()?;
    if in_one(total(ops)).0 < rise.0 / 2 {
        return None;
    }
    Some(if let Some((name, time)) = added_program(context, slow, ops, first) {
        format!("; {name}, {} in each, runs in no other steady step", time_text(in_one(time)))
    } else {
        let n = counted(ops.len() as u64, "op", "ops");
        format!("; {n} take longer, {} by {}", context.op_name(first), time_text(in_one(of_first)))
    })
}

/// Returns the name of the program of an op with the sum of the rises of its ops, if the slow steps, all of them
/// and no other steady step, run this program.
fn added_program(context: &Context<'_>, slow: &[&Step], ops: &[(usize, Picos)], op: usize) -> Option<(String, Picos)> {
    let program_of = |index: usize| context.op(index).0.stats.program;
    let program = program_of(op)?;
    let name = context.profile.programs.get(&program)?;
    let of_program: Vec<usize> =
        (0..context.by_op.ops.len()).filter(|index| program_of(*index) == Some(program)).collect();
    let slow_numbers: FxHashSet<u64> = slow.iter().map(|step| step.number).collect();
    let is_usual = |step: &&Step| !slow_numbers.contains(&step.number);
    let usual: Vec<&Step> = context.steady_steps().filter(is_usual).collect();
    let runs_in = |steps: &[&Step]| -> Vec<bool> {
        let mut runs = vec![false; steps.len()];
        let by_op = ops_in_steps(context, &of_program, steps);
        by_op.iter().flat_map(OpInSteps::times).for_each(|(step, time)| runs[step] |= time > 0);
        runs
    };
    if runs_in(&usual).contains(&true) || runs_in(slow).contains(&false) {
        return None;
    }
    let rise = ops.iter().filter(|(index, _)| program_of(*index) == Some(program)).map(|(_, time)| *time).sum();
    Some((middle_cut(name, MAX_NAME), rise))
}

/// Returns by how much the self time of ops in the slow steps is above its median of all steady steps.
fn rises_of_ops(context: &Context<'_>, slow: &[&Step]) -> Vec<(usize, Picos)> {
    let ops: Vec<usize> = (0..context.by_op.ops.len()).collect();
    let steps: Vec<&Step> = context.steady_steps().collect();
    let slow_numbers: FxHashSet<u64> = slow.iter().map(|step| step.number).collect();
    let is_slow: Vec<bool> = steps.iter().map(|step| slow_numbers.contains(&step.number)).collect();
    let rise = |op_steps: OpInSteps| {
        let [_, median, _] = op_steps.quartiles();
        Picos(op_steps.times().filter(|(step, _)| is_slow[*step]).map(|(_, time)| time.saturating_sub(median)).sum())
    };
    let all = ops.iter().copied().zip(ops_in_steps(context, &ops, &steps).into_iter().map(rise));
    all.filter(|(_, rise)| *rise > Picos::ZERO).collect()
}

/// Returns the class with most of the idle time of the slow steps, for users. `None` if they have no known gap.
fn idle_cause(context: &Context<'_>, is_slow: &dyn Fn(u64) -> bool) -> Option<String> {
    let gaps = context.gaps.gaps.iter().filter(|gap| gap.step.is_some_and(is_slow));
    let mut times = GapClass::ALL.map(|class| (Picos::ZERO, class));
    gaps.flat_map(|gap| &gap.parts).for_each(|(class, time)| times[*class as usize].0 += *time);
    let (time, class) = times.into_iter().max_by_key(|(time, _)| *time)?;
    let of_slow = context.gaps.gaps.iter().filter(|gap| gap.step.is_some_and(is_slow));
    let events = host_events_of(of_slow.filter(|gap| gap.main_class() == class));
    let event = telling_event(&events, &[class]);
    let event = event.map_or(String::new(), |(name, _)| format!(" ({})", middle_cut(name, MAX_NAME)));
    (time > Picos::ZERO).then(|| lower(class.label()) + &event)
}

/// Ops whose time differs much between steps.
fn varying_ops(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let steps: Vec<&Step> = context.steady_steps().collect();
    if steps.len() < LEAST_STEPS {
        return unknown(FEW_STEPS);
    }
    let large: Vec<usize> = (0..context.by_op.ops.len())
        .filter(|index| context.share(context.by_op.ops[*index].total()) > LEAST_SHARE)
        .collect();
    let by_step = ops_in_steps(context, &large, &steps);
    let mut varying: Vec<(usize, Picos)> = Vec::new();
    for (index, op_steps) in large.into_iter().zip(by_step) {
        let [first, median, third] = op_steps.quartiles_of_each();
        if third - first > 0.1 * median {
            let more = op_steps.above_median();
            // Collectives vary with the devices that arrive late, which other rules judge.
            if context.by_op.ops[index].time(Owner::Late) + context.by_op.ops[index].time(Owner::Transfer)
                == Picos::ZERO
            {
                varying.push((index, Picos(more)));
            }
        }
    }
    let varying = longest_first(varying);
    let more: Picos = total(&varying);
    rule.by_time(context, more, &mut |context| Draft {
        detail: format!(
            "{} vary by more than {} between steps. {}",
            counted(varying.len() as u64, "op", "ops"),
            percent_text(0.1),
            context.ops_text_with(&varying, "above their medians per step")
        ),
        evidence: context.op_evidence(&varying),
        ..Draft::default()
    })
}
