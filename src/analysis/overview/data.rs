//! This module checks data movement (rules F15 to F17).

use super::communication::compute_beside_no_collective;
use super::context::{Context, total};
use super::figures::Unit;
use super::report::{Confidence, Group, SeeView};
use super::rule::Advice;
use super::rule::{BY_EVENTS, LEAST, Subject};
use super::rule::{Draft, Outcome, Rule, drafts, unknown};
use super::rule_id::RuleId;
use crate::analysis::base::Platform;
use crate::analysis::classify::{OpGroup, Phase, opcode};
use crate::analysis::ledger::Owner;
use xla_profile::hlo::{InstructionId, Module, text};
use xla_profile::units::Picos;

/// The rules about data movement, in the order in which they claim time.
pub(super) const RULES: [Rule; 5] = [
    Rule {
        id: RuleId::CopyBeforeDot,
        group: Group::Time,
        name: "Copies before dots",
        title: "Copies change the layout only for matmuls",
        threshold: LEAST,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: BY_EVENTS,
        why: "A matmul needs another layout than the op before it produces.",
        worked_if: "these copies are gone",
        formula: "self time of layout ops whose only users are dots",
        view: SeeView::Breakdown,
        overlaps: &[RuleId::LayoutCopies],
        tries: &[
            Advice::code("Write transposes as part of the matmul.", "jnp.einsum(\"bsd,dh->bsh\", x, w)"),
            Advice::code(
                "Choose the layout of a parameter.",
                "jax.experimental.layout.Format(Layout(major_to_minor=(1, 0)), sharding)",
            ),
        ],
        check: copies_before_dots,
    },
    Rule {
        id: RuleId::ResultCopies,
        group: Group::Time,
        name: "Copies to the host",
        title: "Copies to the host take time",
        threshold: 0.05,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: BY_EVENTS,
        why: "The device copies results to the host, and computes nothing meanwhile.",
        worked_if: "copies to the host fall below 5 % of a step",
        formula: "self time of copies from a GPU to its host outside of collectives",
        view: SeeView::Breakdown,
        overlaps: &[RuleId::HostSync],
        tries: &[
            Advice::words("Reduce the results on the device, such as with jnp.argmax, and copy only what the host needs."),
            Advice::words("Fetch results less often, or while the next step runs."),
        ],
        check: result_copies,
    },
    Rule {
        id: RuleId::Gathers,
        group: Group::Time,
        name: "Gathers and scatters",
        title: "Gathers and scatters take time",
        threshold: 0.05,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: BY_EVENTS,
        why: "The rows that an index names are read or added one by one, in any order.",
        worked_if: "gathers and scatters fall below 5 % of a step",
        formula: "self time of gathers and scatters that are not fused with compute; recoverable is unknown",
        view: SeeView::Breakdown,
        overlaps: &[RuleId::LayoutCopies],
        tries: &[
            Advice::code(
                "Sort the indices once, and say so.",
                "jax.ops.segment_sum(x, ids, n, indices_are_sorted=True)",
            ),
            Advice::code("With few rows, multiply by a matrix of zeros and ones.", "jax.nn.one_hot(ids, n).T @ x"),
        ],
        check: gathers,
    },
    Rule {
        id: RuleId::LayoutCopies,
        group: Group::Time,
        name: "Copies and layout changes",
        title: "Copies and layout changes take time",
        threshold: 0.05,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: BY_EVENTS,
        why: "The data is only moved or rearranged, and nothing is computed meanwhile.",
        worked_if: "copies and layout changes fall below 5 % of a step",
        formula: "self time of copies and layout ops",
        view: SeeView::Breakdown,
        overlaps: &[RuleId::CopyBeforeDot],
        tries: &[
            Advice::code("Write transposes as part of the matmul.", "jnp.einsum(\"bsd,dh->bsh\", x, w)")
                .only_for(Subject::Layouts),
            Advice::code(
                "If a loop takes slices of stacked parameters, stack them along the first axis.",
                "jax.lax.scan(layer, x, params)",
            )
            .for_platform(Platform::Tpu)
            .only_for(Subject::Slices),
            Advice::words("Keep the parameters of each layer in arrays of their own. A library needs a copy of a slice of a stack.")
                .for_platform(Platform::Gpu)
                .only_for(Subject::Slices),
            Advice::code(
                "The copies change nothing: donate the arrays that a step replaces, so that it writes into them.",
                "jax.jit(step, donate_argnums=(0,))",
            )
            .only_for(Subject::PlainCopies),
            Advice::code(
                "A loop over layers writes what its backward pass needs into one array, and reads it back. Save less: compute it again.",
                "jax.lax.scan(jax.checkpoint(layer), x, params)",
            )
            .only_for(Subject::SavedSlices),
            Advice::code("Unroll the loop, so that XLA fuses the slices.", "jax.lax.scan(layer, x, params, unroll=4)")
                .only_for(Subject::Slices),
        ],
        check: layout,
    },
    Rule {
        id: RuleId::DmaWait,
        group: Group::Time,
        name: "Waits for copies",
        title: "The device waits for asynchronous copies",
        threshold: 0.02,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: BY_EVENTS,
        why: "A copy between memories ends later than the compute that was to hide it.",
        worked_if: "waits for copies fall below 2 % of a step",
        formula: "self time of starts and dones of copies and slices; recoverable is at most the compute that can hide them",
        view: SeeView::Comm,
        overlaps: &[],
        tries: &[
            Advice::words("Offload less to the memory of the host."),
            Advice::flag(
                Platform::Tpu,
                "Let more copies from and to the host overlap: raise this limit.",
                "--xla_tpu_host_transfer_overlap_limit",
            ),
        ],
        check: dma_waits,
    },
];

/// Returns whether all users of an op are dots. `None` if the program of the op is unknown.
fn feeds_only_dots(context: &Context<'_>, index: usize) -> Option<bool> {
    let op = context.op(index).0;
    let module = context.programs.and_then(|module_of| module_of(op.stats.program?))?;
    let id = module.instruction_named(context.profile.text(op.name))?;
    let users = module.users(id);
    Some(!users.is_empty() && users.iter().all(|user| is_dot(module, *user)))
}

/// Returns whether an instruction is a dot or a convolution, or a fusion of one.
fn is_dot(module: &Module, id: InstructionId) -> bool {
    let Some(instruction) = module.instruction(id) else { return false };
    let is = |opcode: &str| matches!(opcode, "dot" | "convolution");
    let in_body = || {
        let bodies = instruction.calls().filter_map(|call| call.id);
        bodies
            .flat_map(|body| module.instructions_of(body))
            .any(|inner| module.instruction(inner).is_some_and(|inner| is(&inner.opcode)))
    };
    is(&instruction.opcode) || (&*instruction.opcode == "fusion" && in_body())
}

fn by_layout(
    context: &mut Context<'_>,
    rule: &Rule,
    ops: &[(usize, Picos)],
    confidence: Option<(Confidence, &'static str)>,
) -> Vec<Outcome> {
    let time = total(ops);
    rule.by_time(context, time, &mut |context| {
        let claimed = context.claims.ops(ops, Owner::Layout);
        let evidence = context.op_evidence_when(ops);
        Draft { detail: context.ops_text(ops), claimed, recoverable: claimed, confidence, evidence, ..Draft::default() }
    })
}

/// Copies and layout changes whose only users are dots.
fn copies_before_dots(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let all = context.ops_of(&[Owner::Layout], &|_| true);
    if !all.is_empty() && all.iter().all(|(index, _)| feeds_only_dots(context, *index).is_none()) {
        return unknown("The users of ops are unknown: the program is not in the capture.");
    }
    let ops = context.ops_of(&[Owner::Layout], &|index| feeds_only_dots(context, index) == Some(true));
    by_layout(context, rule, &ops, None)
}

/// Copies of results from a GPU to its host.
fn result_copies(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let is_result = |op: usize| context.profile.text(context.op(op).0.name) == "MemcpyD2H";
    let ops = context.ops_left(Owner::Layout, &is_result);
    by_layout(context, rule, &ops, None)
}

/// Gathers and scatters of their own. How much of their time would go depends on their indices.
fn gathers(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let ops = context.ops_left(Owner::Layout, &|index| context.op(index).1.group == OpGroup::Gather);
    let mut found = by_layout(context, rule, &ops, None);
    drafts(&mut found).for_each(|draft| draft.recoverable = Picos::ZERO);
    found
}

fn layout(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let is_left = |index: usize| context.claims.left(index, Owner::Layout) > Picos::ZERO;
    let ops = context.ops_of(&[Owner::Layout], &is_left);
    let has_text = ops.first().is_none_or(|(index, _)| !context.profile.text(context.op(*index).0.text).is_empty());
    let confidence = (!has_text).then_some((Confidence::Likely, "the shapes of ops are unknown"));
    let mut found = by_layout(context, rule, &ops, confidence);
    let slices: Picos = ops.iter().filter(|(index, _)| is_slice(context, *index)).map(|(_, time)| *time).sum();
    let has_slices = slices.0 > total(&ops).0 / 2;
    let facts = &context.analysis.facts[context.by_op.ledger.device].ops;
    let is_backward = |index: usize| facts[context.by_op.ops[index].op.0 as usize].phase == Phase::Backward;
    let has_backward = ops.iter().any(|(index, _)| is_slice(context, *index) && is_backward(*index));
    for draft in drafts(&mut found) {
        let plain: Picos = ops.iter().filter(|(index, _)| is_plain_copy(context, *index)).map(|(_, time)| *time).sum();
        draft.subjects.push(match () {
            () if has_slices => Subject::Slices,
            () if plain.0 > total(&ops).0 / 2 => Subject::PlainCopies,
            () => Subject::Layouts,
        });
        draft.subjects.extend((has_slices && has_backward).then_some(Subject::SavedSlices));
    }
    found
}

/// Returns whether an op copies an array and changes neither its type nor its layout.
fn is_plain_copy(context: &Context<'_>, index: usize) -> bool {
    let written = context.profile.text(context.op(index).0.text);
    // Most ops are no copies, and their texts are not parsed.
    let copy = (opcode(written) == Some("copy")).then(|| text::instruction(written)).flatten();
    copy.is_some_and(|copy| {
        let source = copy.instruction.operands.first().and_then(|operand| operand.shape.as_ref());
        source == Some(&copy.instruction.shape)
    })
}

/// Returns whether an op reads or writes a slice at a place that the program computes, by its name: `dynamic-slice.3`, or
/// `loop_dynamic_update_slice_fusion.2` on a GPU.
fn is_slice(context: &Context<'_>, index: usize) -> bool {
    let name = context.profile.text(context.op(index).0.name).replace('_', "-");
    name.contains("dynamic-slice") || name.contains("dynamic-update-slice")
}

/// Waits for asynchronous copies and slices.
fn dma_waits(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    if context.platform() != Platform::Tpu {
        return unknown("Only TPUs wait for asynchronous copies on their op line.");
    }
    let ops = context.ops_of(&[Owner::Dma], &|_| true);
    let time = total(&ops);
    rule.by_time(context, time, &mut |context| {
        let of_host = |index: usize| context.profile.text(context.op(index).0.text).contains("S(5)");
        let host: Picos = ops.iter().filter(|(index, _)| of_host(*index)).map(|(_, time)| *time).sum();
        let mut detail = context.ops_text(&ops);
        if host > Picos::ZERO {
            detail += &format!(" Copies from or to host memory: {} per step.", context.step_text(host));
        }
        let claimed = context.claims.ops(&ops, Owner::Dma);
        // Compute is all that can hide a copy.
        let free = compute_beside_no_collective(context);
        if free < claimed {
            detail += &format!(
                " The compute of a step can hide {} of it; only copying fewer bytes saves more.",
                context.step_text(free)
            );
        }
        Draft {
            detail,
            claimed,
            recoverable: claimed.min(free),
            inputs: vec![
                ("host_memory_ps", context.per_step(host).as_f64()),
                ("compute_beside_no_collective_ps", context.per_step(free).as_f64()),
            ],
            evidence: context.op_evidence_when(&ops),
            ..Draft::default()
        }
    })
}
