//! This module checks the capture itself.

use super::context::Context;
use super::figures::Unit;
use super::outside::has_no_work;
use super::report::{Confidence, Group, SeeView};
use super::rule::{Advice, BY_EVENTS, Draft, Outcome, Rule, unknown};
use super::rule_id::RuleId;
use crate::analysis::base::{Device, NotSteady, Platform, intervals};
use crate::analysis::files::FindingKind;
use crate::table::format::{counted, percent_text, time_text};
use rustc_hash::FxHashSet;
use xla_profile::profile::{OpId, program_of};
use xla_profile::units::Picos;

/// The rules about the capture itself, in the order in which they claim time.
pub(super) const RULES: [Rule; 5] = [
    Rule {
        id: RuleId::Truncated,
        group: Group::Quality,
        name: "Complete file",
        title: "The capture is cut",
        threshold: 1.0,
        unit: Unit::Count,
        confidence: Confidence::Measured,
        basis: "reported by the file",
        why: "All sums are too small.",
        worked_if: "the capture is complete",
        formula: "notes of the reader",
        view: SeeView::File,
        overlaps: &[],
        tries: &[
            Advice::words("Capture fewer steps."),
            Advice::code("Do not trace Python.", "options.python_tracer_level = 0"),
        ],
        check: truncated,
    },
    Rule {
        id: RuleId::Dropped,
        group: Group::Quality,
        name: "Lost events",
        title: "The capture lost events",
        threshold: 1.0,
        unit: Unit::Count,
        confidence: Confidence::Measured,
        basis: "by the profiler, or by launches and runs without events",
        why: "A buffer of the profiler was full, so times and counts are too small.",
        worked_if: "all steps have the same number of ops",
        formula: "signs that events are missing, and steps with less than 80 % of the median number of ops",
        view: SeeView::File,
        overlaps: &[],
        tries: &[Advice::words("Capture fewer steps.")],
        check: dropped,
    },
    Rule {
        id: RuleId::DeviceMissing,
        group: Group::Quality,
        name: "All devices to the end",
        title: "The events of a device end early",
        threshold: 1.0,
        unit: Unit::Count,
        confidence: Confidence::Measured,
        basis: BY_EVENTS,
        why: "Figures about all devices leave out the rest of its steps.",
        worked_if: "all devices have the same steps",
        formula: "end of the last op of a device, more than a step before that of the others",
        view: SeeView::File,
        overlaps: &[],
        tries: &[Advice::words("Capture fewer steps.")],
        check: missing_device,
    },
    Rule {
        id: RuleId::WarmUp,
        group: Group::Quality,
        name: "Steady steps",
        title: "The capture has few steady steps",
        threshold: 3.0,
        unit: Unit::Count,
        confidence: Confidence::Measured,
        basis: BY_EVENTS,
        why: "The first steps compile and warm up, so they say little about the run.",
        worked_if: "the capture has at least five steady steps",
        formula: "number of steady steps",
        view: SeeView::File,
        overlaps: &[],
        tries: &[Advice::words("Start the capture after the first steps, and capture at least five.")],
        check: warm_up,
    },
    Rule {
        id: RuleId::TracingCost,
        group: Group::Quality,
        name: "Cost of tracing",
        title: "Tracing may slow down the steps",
        threshold: 0.2,
        unit: Unit::Fraction,
        confidence: Confidence::Guess,
        basis: "the cost of tracing an op is that of one other run",
        why: "Ops of a CPU are recorded one by one on the threads that run them, so a step with many short ops takes longer than without the profiler.",
        worked_if: "the step takes as long without the profiler",
        formula: "ops per step × 3 µs ÷ step time, on CPUs",
        view: SeeView::File,
        overlaps: &[],
        tries: &[Advice::words("Compare the step time with that of a run without the profiler.")],
        check: tracing_cost,
    },
];

/// Time in ps that the profiler takes to record an op of a CPU: (948 ms − 43 ms) ÷ 297,481 ops of one run with and
/// without the profiler.
const COST_OF_EVENT: f64 = 3e6;

/// Steps of a CPU with so many ops that recording them takes much of the time.
fn tracing_cost(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    if context.platform() != Platform::Cpu {
        return unknown("Only CPUs record ops on the threads that run them.");
    }
    let n_ops = context.by_op.ops.iter().map(|op| op.n.as_f64()).sum::<f64>() / context.n_steps_f64();
    let period = context.per_step(context.by_op.ledger.window).as_f64();
    let share = n_ops * COST_OF_EVENT / period;
    if period == 0.0 || share < rule.threshold {
        return vec![Outcome::Below { measured: share.max(0.0), at_stake: None }];
    }
    let detail = format!(
        "{n_ops:.0} ops per step. At 3 µs each, recording them takes {} of a step.",
        percent_text(share.min(1.0))
    );
    let inputs = vec![("ops_per_step", n_ops)];
    vec![Outcome::Found(Box::new(Draft { detail, inputs, ..Draft::default() }))]
}

/// Returns the outcome of a rule about something that is there or not.
fn if_any(n: usize, draft: impl FnOnce() -> Draft) -> Vec<Outcome> {
    if n == 0 {
        return vec![Outcome::Below { measured: 0.0, at_stake: None }];
    }
    vec![Outcome::Found(Box::new(draft()))]
}

fn by_files(context: &Context<'_>, kind: FindingKind) -> Vec<Outcome> {
    let found: Vec<&str> = context
        .files
        .quality
        .iter()
        .filter(|finding| finding.kind == kind)
        .map(|finding| &*finding.consequence)
        .collect();
    if_any(found.len(), || Draft { detail: found.join(" "), ..Draft::default() })
}

fn truncated(context: &mut Context<'_>, _: &Rule) -> Vec<Outcome> {
    by_files(context, FindingKind::Truncated)
}

/// Events that are missing for sure, or steps that lack ops.
fn dropped(context: &mut Context<'_>, _: &Rule) -> Vec<Outcome> {
    let losses = || context.analysis.completeness.losses();
    if let Some(first) = losses().next() {
        let more = match losses().count() - 1 {
            0 => String::new(),
            n => format!(
                " {} (see the notes).",
                counted(n as u64, "more sign of lost events", "more signs of lost events")
            ),
        };
        let draft = Draft { detail: format!("{}{more}", first.headline), ..Draft::default() };
        return vec![Outcome::Found(Box::new(draft))];
    }
    let is_short = |step: &&crate::analysis::base::Step| step.not_steady == Some(NotSteady::LostOps);
    let steps: Vec<u64> = context.device().steps.iter().filter(is_short).map(|step| step.number).collect();
    if steps.is_empty() {
        return by_files(context, FindingKind::Dropped);
    }
    if_any(steps.len(), || {
        let detail = format!(
            "{} of {} have less than 80 % of the usual ops. They are left out of means.",
            counted(steps.len() as u64, "step", "steps"),
            context.device().steps.len()
        );
        // Steps may have different numbers of ops for another reason.
        let confidence = Some((Confidence::Likely, "steps have too few ops"));
        let mut draft = Draft { detail, confidence, ..Draft::default() };
        draft.evidence.steps = steps;
        draft
    })
}

/// Devices whose events end more than a step before those of the others.
fn missing_device(context: &mut Context<'_>, _: &Rule) -> Vec<Outcome> {
    let period = context.by_op.ledger.window.0 / context.n_steps();
    let end = |device: &Device| {
        let plane = &context.profile.planes[device.plane];
        let lines = device.ops.iter().map(|index| &plane.lines[*index]);
        lines.filter_map(|line| intervals(line, device.event_clock)?.into_iter().map(|(_, end)| end).max()).max()
    };
    // Some devices of a capture may only copy: they have no steps, and may end at any time.
    let n_steps = || context.analysis.devices.iter().map(|device| device.steps.len()).filter(|n| *n > 0);
    let most_steps = n_steps().max().unwrap_or(0);
    // Without a device that lacks steps, no event is read.
    let lacks_steps = n_steps().any(|n| n < most_steps);
    let devices = context.analysis.devices.iter().filter(|_| lacks_steps);
    let ends: Vec<Option<u64>> = devices.map(end).collect();
    let last = ends.iter().flatten().copied().max().unwrap_or(0);
    let is_early = |end: &Option<u64>| end.is_some_and(|end| last - end > period);
    // A device that runs other programs, such as an actor beside learners, or none, may end at any time.
    let longest = context.analysis.devices.iter().find(|device| device.steps.len() == most_steps);
    let programs = longest.map(|device| program_names(context, device)).unwrap_or_default();
    let runs_as_others = |device: &Device| {
        let own = program_names(context, device);
        own.is_empty() || !own.is_disjoint(&programs)
    };
    let is_short = |device: &Device, end: &Option<u64>| {
        let has_fewer = !device.steps.is_empty() && device.steps.len() < most_steps;
        is_early(end) && has_fewer && !has_no_work(context, device) && runs_as_others(device)
    };
    let short: Vec<String> = context
        .analysis
        .devices
        .iter()
        .zip(&ends)
        .filter(|(device, end)| is_short(device, end))
        .map(|(device, _)| device.label.clone())
        .collect();
    if_any(short.len(), || {
        let first = ends.iter().filter(|end| is_early(end)).flatten().copied().min().unwrap_or(last);
        let detail = format!(
            "The events of {} end up to {} before those of the other devices.",
            short.join(", "),
            time_text(Picos(last - first))
        );
        let mut draft = Draft { detail, ..Draft::default() };
        draft.evidence.devices = short;
        draft
    })
}

/// Returns the names of the programs that run on a device. Empty if the capture does not tell.
fn program_names<'a>(context: &Context<'a>, device: &Device) -> FxHashSet<&'a str> {
    let plane = &context.profile.planes[device.plane];
    let ops: FxHashSet<OpId> =
        plane.lines.iter().filter(|line| line.name == "XLA Modules").flat_map(|line| line.events.ops()).collect();
    let text = |op: OpId| context.profile.text(plane.op(op).text);
    ops.into_iter().map(|op| program_of(text(op)).map_or(text(op), |(name, _)| name)).collect()
}

/// Captures whose means rest on few steps, or on the first ones.
fn warm_up(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let device = context.device();
    #[expect(clippy::cast_precision_loss, reason = "a count of steps")]
    let n = if device.has_few_steady { 0.0 } else { device.steady_steps().count() as f64 };
    if device.steps.is_empty() {
        return unknown("The capture has no steps.");
    }
    if n >= rule.threshold {
        return vec![Outcome::Below { measured: n, at_stake: None }];
    }
    let n_steps = counted(device.steps.len() as u64, "step", "steps");
    let detail = if device.steps.len() < 3 {
        format!("The capture has only {n_steps}. Figures may be those of warm-up.")
    } else {
        format!("The capture has {n_steps}, of which fewer than three are steady. Figures may be those of warm-up.")
    };
    vec![Outcome::Found(Box::new(Draft { detail, ..Draft::default() }))]
}
