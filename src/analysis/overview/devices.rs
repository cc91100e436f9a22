//! This module checks the differences between devices (rules F10, F24 and F25).

use super::context::{Context, total};
use super::figures::Unit;
use super::report::{Confidence, Group, SeeView};
use super::rule::Advice;
use super::rule::{BY_NAMES, LEAST};
use super::rule::{Draft, Outcome, Rule, drafts, unknown};
use super::rule_id::RuleId;
use crate::analysis::classify::{Kind, OpGroup};
use crate::analysis::ledger::Owner;
use crate::table::format::{percent_text, time_text};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// The rules about differences between devices, in the order in which they claim time.
pub(super) const RULES: [Rule; 3] = [
    Rule {
        id: RuleId::ExpertImbalance,
        group: Group::Time,
        name: "Balance of experts",
        title: "One device has more work for its experts",
        threshold: 1.1,
        unit: Unit::Count,
        confidence: Confidence::Likely,
        basis: BY_NAMES,
        why: "The router sends more tokens to the experts of one device, and all other devices wait for it.",
        worked_if: "the matmuls of experts take the same time on all devices, within 10 %",
        formula: "time of expert matmuls above the median of devices, at most the longest wait of another device",
        view: SeeView::Breakdown,
        overlaps: &[RuleId::Straggler],
        tries: &[Advice::words("Lower the capacity factor, or raise the weight of the balance loss.")],
        check: experts,
    },
    Rule {
        id: RuleId::Straggler,
        group: Group::Time,
        name: "Speed of devices",
        title: "One device is slower than the others",
        threshold: 0.01,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: "the same ops on all devices",
        why: "The device takes longer for its own ops, and all other devices wait for it in collectives.",
        worked_if: "the waits of devices differ by less than 1 % of a step",
        formula: "Σ over ops max(0, self time − median of devices), at most the longest wait of another device",
        view: SeeView::Comm,
        overlaps: &[RuleId::LatePeers],
        tries: &[
            Advice::words("Look at the temperature, the power and the host of this device, or leave it out."),
            Advice::words("If the device has more work, balance experts or pipeline stages."),
        ],
        check: straggler,
    },
    Rule {
        id: RuleId::Throttled,
        group: Group::Time,
        name: "Throttling",
        title: "The power of the device is throttled",
        threshold: 0.01,
        unit: Unit::Fraction,
        confidence: Confidence::Likely,
        basis: "rests on the power states in the capture",
        why: "The device lowers its clock to stay within its power or temperature.",
        worked_if: "no step is throttled",
        formula: "Σ over throttled steps (compute − median of the other steps)",
        view: SeeView::Breakdown,
        overlaps: &[RuleId::SlowSteps],
        tries: &[Advice::words("Tell the operators of the machine: cooling and power limits are theirs.")],
        check: throttled,
    },
];

const NOT_THE_SLOWEST: &str = "The others wait for another device. Choose that device, or the mean of devices.";

/// Why devices are not compared.
pub(super) const DEVICES_MISSING: &str = "The capture lacks devices of the program, so devices are not compared.";

const ONE_DEVICE: &str = "The capture has one device, or its devices cannot be compared.";

/// Returns the longest wait of another device for the one of the ledger, as a sum over all steps.
fn longest_wait(context: &Context<'_>) -> Picos {
    let others = context.by_op.waits.iter().filter(|(device, _)| *device != context.by_op.ledger.device);
    Picos(others.map(|(_, wait)| wait.0).max().unwrap_or(0).saturating_mul(context.n_steps()))
}

/// Returns whether an op is a matmul of experts.
fn is_expert(context: &Context<'_>, index: usize) -> bool {
    let (op, facts) = context.op(index);
    let is_in_moe = || {
        let source = context.analysis.facts[context.by_op.ledger.device].source_inner(context.profile, op);
        let scope = op.stats.tf_op.map(|id| context.profile.text(id)).unwrap_or_default();
        [source.unwrap_or_default(), scope].into_iter().any(|text| {
            let text = text.to_ascii_lowercase();
            ["moe", "expert"].into_iter().any(|word| text.contains(word))
        })
    };
    facts.group == OpGroup::Moe || (facts.group == OpGroup::Matmul && is_in_moe())
}

/// Claims the time by which the ops are slower than on other devices.
fn slower(context: &mut Context<'_>, rule: &Rule, least: f64, ops: &[(usize, Picos)]) -> Vec<Outcome> {
    let at_stake = total(ops);
    rule.by_share(context, least, at_stake, &mut |context| {
        let claimed: Picos = context.claims.ops(ops, Owner::Slower);
        let wait = longest_wait(context);
        let device = context.device().label.clone();
        let mut evidence = context.op_evidence(ops);
        evidence.devices = vec![device.clone()];
        let n_devices = context.by_op.waits.len();
        let detail = format!(
            "{device} takes {} longer per step than the median of {n_devices} devices. Others wait for it {} per step. {}",
            context.step_text(claimed),
            context.step_text(wait),
            context.ops_text_with(ops, "more per step"),
        );
        let few = n_devices < 3;
        Draft {
            detail,
            claimed,
            recoverable: claimed.min(wait),
            confidence: few.then_some((Confidence::Guess, "two devices have no middle")),
            inputs: vec![
                ("excess_ps", context.per_step(claimed).as_f64()),
                ("longest_wait_ps", context.per_step(wait).as_f64()),
                ("n_devices", n_devices as f64),
            ],
            evidence,
            ..Draft::default()
        }
    })
}

fn straggler(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    if context.by_op.waits.len() < 2 {
        return unknown(ONE_DEVICE);
    }
    if context.lacks_neighbours() {
        return unknown(DEVICES_MISSING);
    }
    let left = context.ops_left(Owner::Slower, &|_| true);
    if left.is_empty() {
        let waits = context.by_op.waits.iter().map(|(_, wait)| wait.0);
        let least = waits.clone().min().unwrap_or(0);
        let spread = Picos((waits.max().unwrap_or(0) - least).saturating_mul(context.n_steps()));
        let is_slowest =
            context.by_op.waits.iter().any(|(device, wait)| *device == context.by_op.ledger.device && wait.0 == least);
        return match context.share(spread) >= rule.threshold {
            true if !is_slowest => unknown(NOT_THE_SLOWEST),
            // The others wait for this device, but none of its ops takes longer than elsewhere.
            true => vec![Outcome::Below { measured: 0.0, at_stake: Some(Picos::ZERO) }],
            false => vec![Outcome::Below { measured: context.share(spread), at_stake: Some(spread) }],
        };
    }
    slower(context, rule, rule.threshold, &left)
}

/// Experts of a device that get more than their share of the tokens.
fn experts(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    if context.by_op.waits.len() < 2 {
        return unknown(ONE_DEVICE);
    }
    if context.lacks_neighbours() {
        return unknown(DEVICES_MISSING);
    }
    const COMPUTE: [Owner; 4] = [Owner::Slower, Owner::Floor, Owner::Excess, Owner::Opaque];
    let all = total(&context.ops_of(&COMPUTE, &|index| is_expert(context, index)));
    if all == Picos::ZERO {
        return unknown("No op is a matmul of experts.");
    }
    let slower_ops = context.ops_of(&[Owner::Slower], &|index| is_expert(context, index));
    let more = total(&slower_ops);
    let to_median = |own: Picos, more: Picos| own.fraction_of(own.saturating_sub(more)).unwrap_or(1.0);
    let ratio = to_median(all, more);
    // A device that is slower at everything has no more tokens than the others.
    let others = context.ops_of(&COMPUTE, &|index| !is_expert(context, index));
    let others =
        to_median(total(&others), total(&context.ops_of(&[Owner::Slower], &|index| !is_expert(context, index))));
    if ratio / others < rule.threshold {
        return vec![Outcome::Below { measured: ratio / others, at_stake: Some(more) }];
    }
    let mut found = slower(context, rule, LEAST, &slower_ops);
    drafts(&mut found).for_each(|draft| draft.inputs.push(("own_to_median", ratio)));
    found
}

/// Steps in which the power is throttled, and whose compute takes longer than in the others.
fn throttled(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let device = context.device();
    let plane = context.plane();
    let is_of_power = |name: &str| name.to_ascii_lowercase().contains("throttle");
    let lines: Vec<_> = plane.lines.iter().filter(|line| is_of_power(&line.name)).collect();
    if lines.is_empty() {
        return unknown("The capture has no events of power or throttling.");
    }
    let times = |line| crate::analysis::base::intervals(line, device.event_clock).unwrap_or_default();
    let throttled: Vec<(u64, u64)> = lines.into_iter().flat_map(times).collect();
    let mut slow: Vec<(u64, Picos)> = Vec::new();
    let mut usual: Vec<Picos> = Vec::new();
    for (step, time) in device.steps.iter().zip(&context.all_step_times()) {
        let compute = time.by_kind[Kind::Compute.index()] + time.by_kind[Kind::Fused.index()];
        let (start, end) = step.event_window;
        // A step counts as throttled if half of it is.
        let covered: u64 = throttled.iter().map(|(from, to)| (*to).min(end).saturating_sub((*from).max(start))).sum();
        match step.not_steady {
            None if covered.saturating_mul(2) > end - start => slow.push((step.number, compute)),
            None => usual.push(compute),
            Some(_) => {}
        }
    }
    usual.small_sort_by_key(|time| *time);
    let Some(median) = usual.get(usual.len() / 2).copied() else {
        return unknown("All steps are throttled, or none is steady, so there is nothing to compare with.");
    };
    let more: Picos = slow.iter().map(|(_, time)| time.saturating_sub(median)).sum();
    rule.by_time(context, more, &mut |context| {
        // The time is compute beyond its roofline first, and then compute that the roofline allows.
        let owners = [Owner::Excess, Owner::Floor];
        let ops = context.ops_of(&owners, &|_| true);
        let mut claimed = Picos::ZERO;
        for owner in owners {
            let left: Picos = ops.iter().map(|(index, _)| context.claims.left(*index, owner)).sum();
            let part = more.saturating_sub(claimed).fraction_of(left).unwrap_or(0.0).min(1.0);
            for (index, _) in &ops {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a time")]
                let most = Picos((context.claims.left(*index, owner).as_f64() * part) as u64);
                claimed += context.claims.op(*index, owner, most);
            }
        }
        let n = slow.len() as u64;
        let mean = Picos(slow.iter().map(|(_, time)| time.0).sum::<u64>() / n.max(1));
        let mut evidence = context.op_evidence(&ops);
        evidence.steps = slow.iter().map(|(number, _)| *number).collect();
        Draft {
            detail: format!(
                "Compute takes {} in throttled steps and {} in the others, {} more.",
                time_text(mean),
                time_text(median),
                percent_text(mean.saturating_sub(median).fraction_of(median).unwrap_or(0.0))
            ),
            claimed,
            recoverable: claimed,
            inputs: vec![("throttled_steps", n as f64)],
            evidence,
            ..Draft::default()
        }
    })
}
