//! This module checks compute (rules F18 to F23 and F26).

use super::attention::FusedAttention;
use super::context::{Context, longest_first, total};
use super::evidence::Evidence;
use super::figures::Unit;
use super::report::{Confidence, Group, SeeView};
use super::rule::Advice;
use super::rule::{BY_COSTS, LEAST, Subject};
use super::rule::{Draft, Outcome, Rule, drafts, unknown};
use super::rule_id::{FindingId, RuleId};
use crate::analysis::base::Platform;
use crate::analysis::classify::{OpGroup, Phase};
use crate::analysis::ledger::Owner;
use crate::table::format::{bytes_text, percent_text};
use xla_profile::hlo::{DType, Module, Shape};
use xla_profile::units::Picos;

/// The rules about compute, in the order in which they claim time.
pub(super) const RULES: [Rule; 6] = [
    Rule {
        id: RuleId::Recompute,
        group: Group::Option,
        name: "Recomputation",
        title: "Values are recomputed (rematerialization)",
        threshold: 0.05,
        unit: Unit::Fraction,
        confidence: Confidence::Likely,
        basis: "whether the values fit into memory is unknown",
        why: "The backward pass repeats a part of the forward pass, to save memory.",
        worked_if: "the phase “recompute” is shorter, and the peak of memory still fits",
        formula: "time of compute ops of the phase recompute",
        view: SeeView::Breakdown,
        overlaps: &[RuleId::SpareHbm],
        tries: &[
            Advice::code(
                "Keep the results of matmuls.",
                "jax.checkpoint(f, policy=jax.checkpoint_policies.dots_saveable)",
            ),
            Advice::words("Shard more, so that more values fit."),
        ],
        check: recompute,
    },
    Rule {
        id: RuleId::TinyOps,
        group: Group::Time,
        name: "Ops under 10 µs",
        title: "Many short ops run below their roofline",
        threshold: LEAST,
        unit: Unit::Fraction,
        confidence: Confidence::Likely,
        basis: BY_COSTS,
        why: "The fixed time of an op outweighs its work.",
        worked_if: "the step gets shorter with fewer ops",
        formula: "self time − (roofline time ÷ attainable share) of ops that take less than 10 µs",
        view: SeeView::Roofline,
        overlaps: &[RuleId::MemoryRoof],
        tries: &[Advice::words("Fuse ops, or use a larger batch.")],
        check: tiny_ops,
    },
    Rule {
        id: RuleId::PaddedCompute,
        group: Group::Time,
        name: "Compute on padding",
        title: "The device computes on padding",
        threshold: LEAST,
        unit: Unit::Fraction,
        confidence: Confidence::Likely,
        basis: "rests on the tiles in the program",
        why: "Arrays are rounded up to tiles, and the device computes on whole tiles.",
        worked_if: "dimensions are multiples of the tiles",
        formula: "min(time above the roofline, self time × (1 − logical ÷ padded bytes))",
        view: SeeView::Roofline,
        overlaps: &[],
        tries: &[Advice::words("Choose dimensions that are multiples of 128.")],
        check: padded,
    },
    Rule {
        id: RuleId::MemoryRoof,
        group: Group::Time,
        name: "Ops limited by memory",
        title: "Ops limited by memory run below the roofline",
        threshold: LEAST,
        unit: Unit::Fraction,
        confidence: Confidence::Likely,
        basis: BY_COSTS,
        why: "These ops move their bytes more slowly than the memory allows.",
        worked_if: "their share of the roofline rises",
        formula: "self time − (roofline time ÷ attainable share)",
        view: SeeView::Roofline,
        overlaps: &[RuleId::TinyOps],
        tries: &[
            Advice::code(
                "Use fused attention, which keeps the scores on the chip.",
                "jax.nn.dot_product_attention(q, k, v, implementation=\"cudnn\")",
            )
            .for_platform(Platform::Gpu)
            .only_for(Subject::Attention),
            Advice::words("Use a kernel of flash attention, which keeps the scores on the chip.")
                .for_platform(Platform::Tpu)
                .only_for(Subject::Attention),
            COMPUTE_IN_BF16,
            Advice::words("A sort passes over its data many times. If the largest are enough, take jax.lax.top_k or jax.lax.approx_max_k.")
                .only_for(Subject::Sorts),
            Advice::words("Fuse ops, so that fewer bytes move.").only_for(Subject::Fusible),
            Advice::code(
                "Most of this time makes random bits. Another generator needs less of it; its numbers differ.",
                "jax.config.update(\"jax_default_prng_impl\", \"rbg\")",
            )
            .only_for(Subject::RandomBits),
            Advice::words(
                "Look at what these ops do: gathers, scatters, loops over few elements, and dimensions that are small or no multiple of 128 reach neither peak.",
            )
            .only_for(Subject::Far),
            Advice::flag(
                Platform::Tpu,
                "Give fusions more of the on-chip memory: raise this limit.",
                "--xla_tpu_scoped_vmem_limit_kib",
            )
            .only_for(Subject::Fusible),
        ],
        check: below_memory_roof,
    },
    Rule {
        id: RuleId::ComputeRoof,
        group: Group::Time,
        name: "Ops limited by compute",
        title: "Ops limited by compute run below the roofline",
        threshold: LEAST,
        unit: Unit::Fraction,
        confidence: Confidence::Likely,
        basis: BY_COSTS,
        why: "These ops keep the matrix units busy for only a part of their time.",
        worked_if: "their share of the roofline rises",
        formula: "self time − (roofline time ÷ attainable share)",
        view: SeeView::Roofline,
        overlaps: &[RuleId::PaddedCompute],
        tries: &[
            COMPUTE_IN_BF16,
            Advice::words("Use larger blocks, or a larger batch."),
            Advice::flag(
                Platform::Tpu,
                "Give fusions more of the on-chip memory: raise this limit.",
                "--xla_tpu_scoped_vmem_limit_kib",
            ),
        ],
        check: below_compute_roof,
    },
    Rule {
        id: RuleId::F32Matmul,
        group: Group::Option,
        name: "Matmuls in f32",
        title: "Matmuls have f32 operands",
        threshold: 0.1,
        unit: Unit::Fraction,
        confidence: Confidence::Likely,
        basis: "the precision that the matrix units use is not in the capture",
        why: "Matrix units are faster for bf16 than for f32, and f32 moves twice the bytes.",
        worked_if: "matmuls have bf16 operands",
        formula: "time of matmuls with f32 operands, if it is more than 10 % of that of all matmuls",
        view: SeeView::Roofline,
        overlaps: &[],
        tries: &[Advice::code(
            "Compute in bf16, or lower the precision.",
            "jax.config.update(\"jax_default_matmul_precision\", \"bfloat16\")",
        )],
        check: f32_matmuls,
    },
];

/// Mean time of an execution below which an op is tiny.
const TINY: Picos = Picos(10_000_000);

/// Recomputation in a program that trains. Less of it needs more memory, so this is an option.
fn recompute(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    const OWNERS: [Owner; 3] = [Owner::Floor, Owner::Excess, Owner::Opaque];
    let is_recomputed = |index: usize| context.op(index).1.phase == Phase::Recompute;
    let ops = context.ops_of(&OWNERS, &is_recomputed);
    let time = total(&ops);
    let of_phase: Picos =
        context.by_op.ops.iter().enumerate().filter(|(index, _)| is_recomputed(*index)).map(|(_, op)| op.total()).sum();
    rule.by_time(context, time, &mut |context| {
        let headroom = context.checks.iter().filter_map(|check| check.headroom).min();
        let free = match headroom.and_then(|bytes| u64::try_from(bytes).ok()) {
            Some(bytes) => format!(" {} of device memory are free at the peak.", bytes_text(bytes)),
            None => " The free memory of the device is unknown.".to_owned(),
        };
        let others = (of_phase > time).then(|| context.step_text(of_phase));
        let others = others.map_or(String::new(), |all| format!(" All of the phase: {all}."));
        Draft {
            detail: format!("{}{others}{free}", context.ops_text(&ops)),
            recoverable: time,
            evidence: context.op_evidence_when(&ops),
            ..Draft::default()
        }
    })
}

fn by_excess(
    context: &mut Context<'_>,
    rule: &Rule,
    ops: &[(usize, Picos)],
    confidence: Option<(Confidence, &'static str)>,
    has_chart: bool,
) -> Vec<Outcome> {
    if context.by_op.ops.iter().all(|op| op.floor.is_none_or(|floor| floor.self_time == 0)) {
        return unknown("No op has a roofline time: costs or peaks are unknown.");
    }
    let time = total(ops);
    rule.by_time(context, time, &mut |context| {
        let claimed: Picos = context.claims.ops(ops, Owner::Excess);
        let (all, util) = (self_time(context, ops), roofline_share(context, ops));
        let attainable = percent_text(context.by_op.ledger.attainable);
        let above = format!("above the time at {attainable} of the roofline, per step");
        let text = context.ops_text_with(ops, &above);
        let subject = if ops.len() == 1 { "It runs at" } else { "They run at" };
        let whose = if ops.len() == 1 { "its" } else { "their" };
        let subjects = subjects(context, ops);
        let has_advice = rule.id == RuleId::MemoryRoof && subjects.contains(&Subject::Attention);
        let fused = has_advice.then(|| FusedAttention::new(context)).flatten();
        let mut detail = format!("{text} {subject} {} of {whose} roofline.", percent_text(util));
        detail += &fused.as_ref().map_or(String::new(), FusedAttention::sentence);
        let inputs = [
            ("self_ps", context.per_step(all).as_f64()),
            ("roofline_share", util),
            ("attainable", context.by_op.ledger.attainable),
        ];
        Draft {
            detail,
            claimed,
            recoverable: claimed,
            confidence,
            inputs: inputs.into_iter().chain(fused.iter().flat_map(FusedAttention::inputs)).collect(),
            evidence: Evidence {
                picture: context.roofline_picture(ops, all.saturating_sub(time), has_chart),
                ..context.op_evidence(ops)
            },
            subjects,
            ..Draft::default()
        }
    })
}

fn self_time(context: &Context<'_>, ops: &[(usize, Picos)]) -> Picos {
    ops.iter().map(|(op, _)| context.by_op.ops[*op].total()).sum()
}

/// Returns the roofline time of ops ÷ their self time.
fn roofline_share(context: &Context<'_>, ops: &[(usize, Picos)]) -> f64 {
    let floors = ops.iter().filter_map(|(op, _)| context.by_op.ops[*op].floor);
    floors.map(|floor| floor.roofline_time).sum::<f64>() / self_time(context, ops).as_f64()
}

/// Advice for ops with f32 operands.
const COMPUTE_IN_BF16: Advice =
    Advice::code("Compute in bf16: convert parameters and activations.", "x.astype(jnp.bfloat16)")
        .only_for(Subject::F32);

/// Returns what most of the time of ops is about. Ops of attention count only if no kernel computes the attention as a
/// whole.
fn subjects(context: &Context<'_>, ops: &[(usize, Picos)]) -> Vec<Subject> {
    let half = Picos(total(ops).0 / 2);
    let of_attention = |index: usize| {
        let (op, facts) = context.op(index);
        let scope = facts.scope.map_or("", |scope| context.analysis.words.get(scope)).to_ascii_lowercase();
        let has = |word: &str| scope.contains(word) || context.profile.text(op.name).contains(word);
        has("attention") || has("attn") || has("softmax")
    };
    let of_f32 = |index: usize| context.by_op.ops[index].floor.and_then(|floor| floor.dtype) == Some(DType::F32);
    let is_most = |is_of: &dyn Fn(usize) -> bool| {
        let time: Picos = ops.iter().filter(|(index, _)| is_of(*index)).map(|(_, time)| *time).sum();
        time > half
    };
    let is_fused = (0..context.by_op.ops.len()).any(|index| context.op(index).1.group == OpGroup::Attention);
    let sorts = is_most(&|index| context.op(index).1.group == OpGroup::Sort);
    let all = [
        (Subject::Attention, !is_fused && is_most(&of_attention)),
        (Subject::F32, !sorts && is_most(&of_f32)),
        (Subject::Sorts, sorts),
        (Subject::Fusible, !sorts),
    ];
    all.into_iter().filter(|(_, is_most)| *is_most).map(|(subject, _)| subject).collect()
}

fn tiny_ops(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let is_tiny = |index: usize| context.mean_time(index).is_some_and(|mean| mean < TINY);
    let ops = context.ops_left(Owner::Excess, &is_tiny);
    by_excess(context, rule, &ops, None, false)
}

/// Returns bytes without padding ÷ bytes with padding of the arrays that an instruction reads and writes. `None` if a
/// shape is unknown.
fn unpadded_share(module: &Module, name: &str) -> Option<f64> {
    let id = module.instruction_named(name)?;
    let shapes = std::iter::once(id).chain(module.operands(id)).map(|id| Some(&module.instruction(id)?.shape));
    let shapes: Vec<&Shape> = shapes.collect::<Option<_>>()?;
    let sum =
        |bytes: fn(&Shape) -> Option<u64>| shapes.iter().try_fold(0_u64, |sum, shape| sum.checked_add(bytes(shape)?));
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    let share = sum(Shape::bytes)? as f64 / sum(Shape::padded_bytes)?.max(1) as f64;
    Some(share.min(1.0))
}

/// Compute on the padding of arrays.
fn padded(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    if context.platform() != Platform::Tpu {
        return unknown("Only arrays of TPUs are tiled.");
    }
    let share = |context: &Context<'_>, index: usize| {
        let op = context.op(index).0;
        let module = context.programs.and_then(|module_of| module_of(op.stats.program?))?;
        unpadded_share(module, context.profile.text(op.name))
    };
    let all = context.ops_left(Owner::Excess, &|_| true);
    if !all.is_empty() && all.iter().all(|(index, _)| share(context, *index).is_none()) {
        return unknown("Tiles are unknown: the program is not in the capture.");
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a time")]
    let of_padding = |(index, left): (usize, Picos)| {
        let padding = 1.0 - share(context, index)?;
        let time = Picos((context.by_op.ops[index].total().as_f64() * padding) as u64).min(left);
        (time > Picos::ZERO).then_some((index, time))
    };
    let ops = longest_first(all.into_iter().filter_map(of_padding).collect());
    by_excess(context, rule, &ops, None, false)
}

/// Returns why the roofline time of these ops is doubtful.
fn doubt(context: &Context<'_>, ops: &[(usize, Picos)]) -> Option<(Confidence, &'static str)> {
    let all: Picos = total(ops);
    let uncertain = |index: usize| context.by_op.ops[index].floor.is_some_and(|floor| floor.is_uncertain);
    let time: Picos = ops.iter().filter(|(index, _)| uncertain(*index)).map(|(_, time)| *time).sum();
    let is_much = time.fraction_of(all).is_some_and(|share| share > 0.5);
    is_much.then_some((Confidence::Guess, "the data type of most of these ops is uncertain"))
}

fn is_compute_bound(context: &Context<'_>, index: usize) -> bool {
    context.by_op.ops[index].floor.is_some_and(|floor| floor.compute_bound * 2.0 >= floor.roofline_time)
}

fn below_memory_roof(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let ops = context.ops_left(Owner::Excess, &|index| !is_compute_bound(context, index));
    let doubt = doubt(context, &ops);
    let mut found = by_excess(context, rule, &ops, doubt, true);
    let of_random_bits = |index: usize| {
        let op = context.op(index).0;
        [op.stats.tf_op.unwrap_or(op.name), op.name].into_iter().any(|id| context.profile.text(id).contains("threefry"))
    };
    let random: Picos = ops.iter().filter(|(index, _)| of_random_bits(*index)).map(|(_, time)| *time).sum();
    let share = roofline_share(context, &ops);
    for draft in drafts(&mut found) {
        // Ops of attention and sorts have advice that holds at any share.
        let is_known = draft.subjects.iter().any(|subject| matches!(subject, Subject::Attention | Subject::Sorts));
        if share < FAR && !is_known {
            draft.id = Some(FindingId::FarBelowRoofline);
            draft.detail += " At so small a share, neither memory nor compute limits them.";
            draft.subjects = vec![if random.0 * 2 > total(&ops).0 { Subject::RandomBits } else { Subject::Far }];
        }
    }
    found
}

/// The share of the roofline below which something else than memory or compute limits ops.
const FAR: f64 = 0.35;

fn below_compute_roof(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let ops = context.ops_left(Owner::Excess, &|index| is_compute_bound(context, index));
    let doubt = doubt(context, &ops);
    by_excess(context, rule, &ops, doubt, true)
}

/// Returns whether all matrices among the operands in the HLO text of an op are of f32.
fn has_only_f32(text: &str) -> bool {
    let Some(parsed) = xla_profile::hlo::text::instruction(text) else { return false };
    let operands = parsed.instruction.operands.iter().filter_map(|operand| operand.shape.as_ref());
    let mut matrices = operands.flat_map(Shape::arrays).filter(|array| array.dims.len() > 1).peekable();
    matrices.peek().is_some() && matrices.all(|array| array.dtype == DType::F32)
}

/// Matmuls of f32 operands, as a share of all matmuls.
fn f32_matmuls(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    const OWNERS: [Owner; 4] = [Owner::Floor, Owner::Excess, Owner::Opaque, Owner::Slower];
    let is_matmul = |index: usize| context.op(index).1.group == OpGroup::Matmul;
    let all: Picos = context.ops_of(&OWNERS, &is_matmul).iter().map(|(_, time)| *time).sum();
    let is_f32 = |index: usize| {
        let by_program = context.by_op.ops[index].floor.and_then(|floor| floor.dtype) == Some(DType::F32);
        by_program || has_only_f32(context.profile.text(context.op(index).0.text))
    };
    let ops = context.ops_of(&OWNERS, &|index| is_matmul(index) && is_f32(index));
    let time: Picos = total(&ops);
    let share = time.fraction_of(all).unwrap_or(0.0);
    if all == Picos::ZERO {
        return unknown("No op is known to be a matmul.");
    }
    if share < rule.threshold {
        return vec![Outcome::Below { measured: share, at_stake: Some(time) }];
    }
    vec![Outcome::Found(Box::new(Draft {
        detail: format!("{} of the time of matmuls. {}", percent_text(share), context.ops_text(&ops)),
        at_stake: time,
        inputs: vec![("share_of_matmuls", share)],
        evidence: context.op_evidence_when(&ops),
        ..Draft::default()
    }))]
}
