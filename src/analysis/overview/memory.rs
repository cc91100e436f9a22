//! This module checks the memory of the device (rules F27 to F31).

use super::context::{Context, total};
use super::evidence::Evidence;
use super::figures::Unit;
use super::picture::Picture;
use super::report::{Confidence, Group, SeeView};
use super::rule::Advice;
use super::rule::{Draft, Outcome, Rule, unknown};
use super::rule_id::RuleId;
use crate::analysis::classify::Phase;
use crate::analysis::ledger::Owner;
use crate::analysis::memory::CrossCheck;
use crate::table::format::{bytes_text, percent_text};
use xla_profile::units::Picos;

/// The rules about memory, in the order in which they claim time.
pub(super) const RULES: [Rule; 5] = [
    Rule {
        id: RuleId::HbmTight,
        group: Group::Memory,
        name: "Memory in use",
        title: "The memory of the device is almost full",
        threshold: 0.9,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: "the peak and the capacity are known",
        why: "A little more memory, such as a longer sequence, ends the run.",
        worked_if: "the peak falls below 90 % of the capacity",
        formula: "max(peak of the program, peak in use) ÷ capacity",
        view: SeeView::Memory,
        overlaps: &[],
        tries: &[
            Advice::code(
                "Recompute more, or shard more.",
                "jax.checkpoint(f, policy=jax.checkpoint_policies.nothing_saveable)",
            ),
            Advice::code("Donate the arrays that a step replaces.", "jax.jit(step, donate_argnums=(0,))"),
        ],
        check: tight,
    },
    Rule {
        id: RuleId::Fragmented,
        group: Group::Memory,
        name: "Fragmentation",
        title: "The free memory is fragmented",
        threshold: 0.1,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: "the allocator reports it",
        why: "A large array may not fit, although enough memory is free.",
        worked_if: "fragmentation falls below 10 %",
        formula: "fragmentation at the peak, as the allocator reports it",
        view: SeeView::Memory,
        overlaps: &[RuleId::Defragmentation],
        tries: &[Advice::code(
            "Use fewer and larger arrays, and donate those that a step replaces.",
            "jax.jit(step, donate_argnums=(0,))",
        )],
        check: fragmented,
    },
    Rule {
        id: RuleId::PaddingBytes,
        group: Group::Memory,
        name: "Padding in memory",
        title: "Padding takes memory at the peak",
        threshold: 0.05,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: "rests on the tiles in the program",
        why: "Arrays are rounded up to tiles.",
        worked_if: "padding falls below 5 % of the peak",
        formula: "Σ (padded − logical bytes) of the buffers at the peak",
        view: SeeView::Memory,
        overlaps: &[],
        tries: &[Advice::words("Choose dimensions that are multiples of 128.")],
        check: padding,
    },
    Rule {
        id: RuleId::VocabularyLogits,
        group: Group::Memory,
        name: "Logits",
        title: "Logits take memory at the peak",
        threshold: 0.05,
        unit: Unit::Fraction,
        confidence: Confidence::Likely,
        basis: "rests on the sizes of dimensions",
        why: "The loss keeps the logits of all tokens at once.",
        worked_if: "no buffer of vocabulary size is alive at the peak",
        formula: "peak − peak of a replay with the loss in chunks",
        view: SeeView::Memory,
        overlaps: &[],
        tries: &[Advice::code(
            "Compute the cross-entropy in chunks of the sequence.",
            "jax.lax.map(loss_of_chunk, chunks)",
        )],
        check: logits,
    },
    Rule {
        id: RuleId::SpareHbm,
        group: Group::Option,
        name: "Spare memory",
        title: "Memory is free while values are recomputed",
        threshold: 0.5,
        unit: Unit::Fraction,
        confidence: Confidence::Likely,
        basis: "whether the values fit into memory is unknown",
        why: "More memory could keep the values that are computed again.",
        worked_if: "the phase “recompute” is shorter, and the peak of memory still fits",
        formula: "less than 50 % of the memory used, and compute of the phase “recompute” more than 5 % of a step",
        view: SeeView::Memory,
        overlaps: &[RuleId::Recompute],
        tries: &[Advice::code(
            "Keep the results of matmuls.",
            "jax.checkpoint(f, policy=jax.checkpoint_policies.dots_saveable)",
        )],
        check: spare,
    },
];

const NO_CAPACITY: &str = "The memory in use or the capacity of the device is unknown.";
const NO_PROGRAM: &str = "The buffers of the program are unknown: its buffer assignment is not in the capture.";

/// Returns the device that uses the largest share of its memory, with this share.
fn fullest<'a>(context: &Context<'a>) -> Option<(&'a CrossCheck, f64)> {
    let used = context.checks.iter().filter_map(|check| Some((check, check.used?)));
    used.fold(None, |most: Option<(&CrossCheck, f64)>, next| most.filter(|most| most.1 >= next.1).or(Some(next)))
}

/// Returns evidence that is a part of a size.
fn in_bytes(part: u64, all: u64) -> Evidence {
    Evidence { picture: Some(Picture::Bytes { part, all }), ..Evidence::default() }
}

fn peak(check: &CrossCheck) -> u64 {
    check.static_peak.max(check.runtime_peak).unwrap_or(0)
}

fn tight(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let Some((check, used)) = fullest(context) else { return unknown(NO_CAPACITY) };
    if used < rule.threshold {
        return vec![Outcome::Below { measured: used, at_stake: None }];
    }
    let capacity = check.capacity.as_ref().map_or(0, |capacity| capacity.size);
    #[expect(clippy::cast_precision_loss, reason = "a size that is shown")]
    let inputs = vec![("peak_bytes", peak(check) as f64), ("capacity_bytes", capacity as f64)];
    let mut draft = Draft {
        detail: format!(
            "{} of {} are in use at the peak of {}, {}.",
            bytes_text(peak(check)),
            bytes_text(capacity),
            check.label,
            percent_text(used)
        ),
        bytes: Some(peak(check)),
        inputs,
        ..Draft::default()
    };
    draft.evidence.devices = vec![check.label.clone()];
    draft.evidence.picture = Some(Picture::Bytes { part: peak(check), all: capacity });
    vec![Outcome::Found(Box::new(draft))]
}

fn fragmented(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let of_check = context.checks.iter().filter_map(|check| Some((check, check.fragmentation?)));
    let worst = of_check
        .fold(None, |most: Option<(&CrossCheck, f64)>, next| most.filter(|most| most.1 >= next.1).or(Some(next)));
    let Some((check, share)) = worst else {
        return unknown("The allocator of the device reports no fragmentation.");
    };
    if share < rule.threshold {
        return vec![Outcome::Below { measured: share, at_stake: None }];
    }
    let free = check.capacity.as_ref().map_or(0, |capacity| capacity.size.saturating_sub(peak(check)));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a part of a size"
    )]
    let pieces = (free as f64 * share) as u64;
    let mut draft = Draft {
        detail: format!("{} of the free memory of {} is in small pieces.", percent_text(share), check.label),
        bytes: Some(pieces),
        inputs: vec![("fragmentation", share)],
        ..Draft::default()
    };
    draft.evidence.devices = vec![check.label.clone()];
    draft.evidence.picture = Some(Picture::Bytes { part: pieces, all: free });
    vec![Outcome::Found(Box::new(draft))]
}

fn padding(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let Some(memory) = context.memory else { return unknown(NO_PROGRAM) };
    let (wasted, peak) = (memory.padding.wasted, memory.peak.peak);
    let share = Picos(wasted).fraction_of(Picos(peak)).unwrap_or(0.0);
    if share < rule.threshold {
        return vec![Outcome::Below { measured: share, at_stake: None }];
    }
    let worst = memory.padding.worst.first().map_or(String::new(), |worst| {
        format!(" Largest: {}, {} of padding.", worst.buffer.label(), bytes_text(worst.wasted))
    });
    vec![Outcome::Found(Box::new(Draft {
        detail: format!("{} of {} at the peak are padding.{worst}", bytes_text(wasted), bytes_text(peak)),
        bytes: Some(wasted),
        evidence: in_bytes(wasted, peak),
        ..Draft::default()
    }))]
}

fn logits(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let Some(memory) = context.memory else { return unknown(NO_PROGRAM) };
    let saves = memory.vocabulary.as_ref().map_or(0, |vocabulary| vocabulary.saves);
    let share = Picos(saves).fraction_of(Picos(memory.peak.peak)).unwrap_or(0.0);
    let Some(vocabulary) = memory.vocabulary.as_ref().filter(|_| share >= rule.threshold) else {
        return vec![Outcome::Below { measured: share, at_stake: None }];
    };
    vec![Outcome::Found(Box::new(Draft {
        detail: format!(
            "{} buffers of vocabulary size hold {} at the peak. A loss in {} chunks saves {}.",
            vocabulary.buffers.len(),
            bytes_text(vocabulary.size),
            vocabulary.chunks,
            bytes_text(saves)
        ),
        bytes: Some(saves),
        evidence: in_bytes(saves, memory.peak.peak),
        ..Draft::default()
    }))]
}

/// Free memory in a program that recomputes: it may keep values instead.
fn spare(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let Some((check, used)) = fullest(context) else { return unknown(NO_CAPACITY) };
    const OWNERS: [Owner; 3] = [Owner::Floor, Owner::Excess, Owner::Opaque];
    let ops = context.ops_of(&OWNERS, &|index| context.op(index).1.phase == Phase::Recompute);
    let time: Picos = total(&ops);
    if used >= rule.threshold || context.share(time) < 0.05 {
        return vec![Outcome::Below { measured: 1.0 - used, at_stake: Some(time) }];
    }
    let free = check.headroom.and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(0);
    vec![Outcome::Found(Box::new(Draft {
        detail: format!(
            "{} of device memory are free, and recomputation takes {} per step.",
            bytes_text(free),
            context.step_text(time)
        ),
        at_stake: time,
        bytes: Some(free),
        evidence: in_bytes(peak(check), check.capacity.as_ref().map_or(0, |capacity| capacity.size)),
        inputs: vec![("used", used)],
        ..Draft::default()
    }))]
}
