//! This module checks the idle time that no work of the host explains: launches, other devices, and what has no known
//! cause.

use super::context::{Context, total};
use super::exposure::{bubble, bubble_text};
use super::figures::Unit;
use super::host::{NO_LINKS, by_gaps, lacks_links};
use super::report::{Confidence, Group, SeeView};
use super::rule::{Advice, BY_EVENTS, Draft, LEAST, Outcome, Rule, Subject, drafts, unknown};
use super::rule_id::RuleId;
use crate::analysis::base::Platform;
use crate::analysis::gaps::GapClass;
use crate::analysis::ledger::Owner;
use xla_profile::units::Picos;

/// The rules about this time, in the order in which they claim it.
pub(super) const RULES: [Rule; 4] = [
    Rule {
        id: RuleId::ManyLaunches,
        group: Group::Time,
        name: "Launches",
        title: "The device waits for launches",
        threshold: 0.01,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: BY_EVENTS,
        why: "Each program run, and on a GPU each kernel, needs time to start.",
        worked_if: "the idle time between launches and starts falls below 1 % of a step",
        formula: "idle time between the launch and the start of runs or kernels, if a step has at least two",
        view: SeeView::Breakdown,
        overlaps: &[],
        tries: &[
            Advice::words("Launch fewer and longer kernels: a larger batch, or more fusion.")
                .for_platform(Platform::Gpu),
            Advice::code("Put the whole step into one jitted function.", "jax.jit(step)").for_platform(Platform::Tpu),
        ],
        check: launches,
    },
    Rule {
        id: RuleId::LatePeers,
        group: Group::Time,
        name: "Waits for other devices",
        title: "The device waits for other devices",
        threshold: LEAST,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: "lengths of waits, no clocks compared",
        why: "All devices of a collective, and of a run, wait for the last one.",
        worked_if: "waits for other devices fall below 0.5 % of a step",
        formula: "idle time at the start of runs for other devices + first part of waits in collectives",
        view: SeeView::Comm,
        overlaps: &[RuleId::Straggler],
        tries: &[
            Advice::words("Split the batch of a step into more microbatches.").only_for(Subject::Bubble),
            Advice::words("Look for the host or the device that starts late."),
            Advice::words("Balance the work of devices: experts and pipeline stages."),
        ],
        check: late_peers,
    },
    Rule {
        id: RuleId::NoRequests,
        group: Group::Time,
        name: "Waits for requests",
        title: "The server waits for requests",
        threshold: 0.03,
        unit: Unit::Fraction,
        confidence: Confidence::Likely,
        basis: "rests on names of host events",
        why: "The server has answered all requests, so the device has nothing to do.",
        worked_if: "the server is under full load",
        formula: "idle time in which the host waits for the next request",
        view: SeeView::Breakdown,
        overlaps: &[],
        tries: &[
            Advice::words("Capture the server under the load that you want to speed up."),
            Advice::words("If the load is always so low, serve it with fewer devices."),
        ],
        check: requests,
    },
    Rule {
        id: RuleId::UnexplainedIdle,
        group: Group::Time,
        name: "Unexplained idle time",
        title: "The device is idle for an unknown reason",
        threshold: 0.03,
        unit: Unit::Fraction,
        confidence: Confidence::Guess,
        basis: "the capture does not tell the cause",
        why: "Nothing in the capture says what the device waited for.",
        worked_if: "idle time without a cause falls below 3 % of a step",
        formula: "idle time that is unexplained or waits for another run",
        view: SeeView::Breakdown,
        overlaps: &[],
        tries: &[
            Advice::code("Capture again with host events.", "options.host_tracer_level = 2")
                .only_for(Subject::NoHostEvents),
            Advice::words("Look in the timeline at what the host does then: its events are not linked to the device.")
                .only_for(Subject::HostEvents),
            Advice::words("The work was enqueued in time. Look for other work on the device, such as another process, and for its clocks.")
                .only_for(Subject::Enqueued),
        ],
        check: unexplained,
    },
];

fn requests(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    if lacks_links(context) { unknown(NO_LINKS) } else { by_gaps(context, rule, &[GapClass::Requests], false) }
}

fn launches(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    if lacks_links(context) {
        return unknown(NO_LINKS);
    }
    #[expect(clippy::cast_precision_loss, reason = "a count of runs")]
    let runs = context.gaps.n_runs as f64 / context.n_steps_f64();
    let time = context.gap_time(&[GapClass::Launch]);
    if runs < 2.0 {
        return vec![Outcome::Below { measured: context.share(time), at_stake: Some(time) }];
    }
    let mut found = by_gaps(context, rule, &[GapClass::Launch], true);
    for draft in drafts(&mut found) {
        let what = if context.platform() == Platform::Gpu { "kernels" } else { "runs" };
        draft.detail = format!("{runs:.0} {what} per step. {}", draft.detail);
        draft.inputs.push(("runs_per_step", runs));
    }
    found
}

/// Waits for devices that arrive later, at the start of a run or in a collective.
fn late_peers(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    if context.by_op.waits.len() < 2 && context.gap_time(&[GapClass::Barrier]) == Picos::ZERO {
        return unknown("The capture has one device, or its devices cannot be compared.");
    }
    let ops = context.ops_of(&[Owner::Late], &|_| true);
    let late: Picos = total(&ops);
    let barrier = context.gap_time(&[GapClass::Barrier]);
    rule.by_time(context, late + barrier, &mut |context| {
        let claimed_ops: Picos = context.claims.ops(&ops, Owner::Late);
        let claimed = context.claims.gap(GapClass::Barrier) + claimed_ops;
        let mut detail = Vec::new();
        if barrier > Picos::ZERO {
            detail.push(format!("Waits before the first op of a run: {} per step.", context.step_text(barrier)));
        }
        if late > Picos::ZERO {
            detail.push(format!("Waits in collectives: {} per step.", context.step_text(late)));
        }
        let inputs =
            vec![("barrier_ps", context.per_step(barrier).as_f64()), ("late_ps", context.per_step(late).as_f64())];
        let mut evidence = context.op_evidence(&ops);
        if late >= barrier {
            evidence.devices = vec![context.device().label.clone()];
        } else {
            context.add_when_idle(&mut evidence, &[GapClass::Barrier]);
        }
        let mut draft =
            Draft { detail: detail.join(" "), claimed, recoverable: claimed, inputs, evidence, ..Draft::default() };
        if let Some((stages, batches)) = bubble(context, barrier) {
            draft.detail += &bubble_text(stages, batches);
            draft.recoverable = Picos::ZERO;
            draft.confidence =
                Some((Confidence::Likely, "the time is that of a pipeline with these stages and microbatches"));
            draft.subjects.push(Subject::Bubble);
        }
        draft
    })
}

fn unexplained(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let has_host_events = context.profile.planes.iter().any(|plane| plane.is_host() && plane.n_events() > 0);
    let subject = match () {
        () if context.gaps.n_linked_runs > 0 => Subject::Enqueued,
        () if has_host_events => Subject::HostEvents,
        () => Subject::NoHostEvents,
    };
    let mut found = by_gaps(context, rule, &[GapClass::Unexplained, GapClass::Dependency], false);
    drafts(&mut found).for_each(|draft| draft.subjects.push(subject));
    found
}
