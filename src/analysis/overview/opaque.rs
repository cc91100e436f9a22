//! This module checks the ops whose time no roofline judges: calls that run beside the compute of the device, and ops of unknown cost.

use super::context::{Context, total};
use super::figures::Unit;
use super::report::{Confidence, Group, SeeView};
use super::rule::{Advice, BY_EVENTS, Draft, Outcome, Rule, Subject};
use super::rule_id::RuleId;
use crate::analysis::base::Platform;
use crate::analysis::classify::OpGroup;
use crate::analysis::ledger::Owner;
use xla_profile::profile::NoteCode;
use xla_profile::units::Picos;

/// The rules about ops without a roofline time, in the order in which they claim time.
pub(super) const RULES: [Rule; 2] = [
    Rule {
        id: RuleId::AsyncCalls,
        group: Group::Time,
        name: "Waits for asynchronous calls",
        title: "The device waits for asynchronous calls",
        threshold: 0.03,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: BY_EVENTS,
        why: "A call runs beside the compute of the device, such as on a SparseCore, and ends later than that compute.",
        worked_if: "waits for asynchronous calls fall below 3 % of a step",
        formula: "self time of the ends of asynchronous calls",
        view: SeeView::Breakdown,
        overlaps: &[],
        tries: &[
            Advice::words("Start the call earlier, beside compute that needs none of its results."),
            Advice::words("Divide the work of the call among more devices, such as the rows of embedding tables."),
        ],
        check: async_calls,
    },
    Rule {
        id: RuleId::OpaqueKernels,
        group: Group::Time,
        name: "Ops without a roofline time",
        title: "The roofline time of many ops is unknown",
        threshold: 0.05,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: BY_EVENTS,
        why: "The costs of these ops, or the peaks of the device for them, are unknown, and so is how far they are from the roofline.",
        worked_if: "these ops have a roofline time",
        formula: "self time of ops without a roofline time; none of it is counted as recoverable",
        view: SeeView::Roofline,
        overlaps: &[],
        tries: &[
            Advice::words("Open the HLO protos of the programs beside this file: they have the costs of ops.")
                .only_for(Subject::NoCosts),
            Advice::words("Open the .xplane.pb of the same session in place of trace JSON: it has the costs of ops.")
                .only_for(Subject::NoCostsInTrace),
            Advice::words("Choose the chip (--chip in the terminal): the capture does not name it.")
                .only_for(Subject::NoPeaks),
            Advice::code("Give the peak for their data type, such as f32.", "--peak-tflops f32=…")
                .only_for(Subject::NoPeakOfType),
            Advice::code("Give Pallas kernels a cost.", "pl.pallas_call(…, cost_estimate=pl.CostEstimate(…))")
                .only_for(Subject::Kernels),
            Advice::flag(
                Platform::Tpu,
                "Trace the inside of custom calls.",
                "--xla_xprof_enable_custom_call_tracing=true",
            )
            .only_for(Subject::Kernels),
            Advice::words(
                "XLA did not compile these kernels, so that no file has their costs: measure them with Nsight Compute, or compile the model with XLA.",
            )
            .only_for(Subject::NotXla),
            Advice::words("Draw fewer random numbers: leave dropout out where it does not help, or take a kernel that draws them where it needs them.")
                .only_for(Subject::RandomBits),
        ],
        check: opaque,
    },
];

/// Ends of calls that run beside the compute of the device.
fn async_calls(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let ops = context.ops_of(&[Owner::Opaque], &|op| context.waits_for_call(op));
    rule.by_time(context, total(&ops), &mut |context| {
        let on_sparse_core = ops.iter().all(|(op, _)| context.op_text(*op).contains("sparsecore"));
        let place = if on_sparse_core { " The calls run on a SparseCore." } else { "" };
        let claimed = context.claims.ops(&ops, Owner::Opaque);
        let evidence = context.op_evidence_when(&ops);
        Draft { detail: context.ops_text(&ops) + place, claimed, evidence, ..Draft::default() }
    })
}

/// Kernels whose cost is unknown. How much of their time would go cannot be said.
fn opaque(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let ops = context.ops_left(Owner::Opaque, &|_| true);
    let time = total(&ops);
    rule.by_time(context, time, &mut |context| {
        let claimed = context.claims.ops(&ops, Owner::Opaque);
        let evidence = context.op_evidence_when(&ops);
        let has_costs = context.by_op.ops.iter().any(|op| op.floor.is_some_and(|floor| floor.self_time > 0));
        let has_cost = |index: usize| {
            let stats = &context.op(index).0.stats;
            stats.flops.or(stats.model_flops).is_some_and(|flops| flops > 0.0)
        };
        let of_costs: Picos = ops.iter().filter(|(index, _)| has_cost(*index)).map(|(_, time)| *time).sum();
        let is_trace = context.files.notes.iter().any(|note| note.code == NoteCode::TraceJson);
        // No table has the peaks of CPUs.
        let lack = match () {
            () if has_costs => None,
            () if context.lacks_peaks && context.platform() == Platform::Cpu => Some(Subject::Cpu),
            () if context.lacks_peaks => Some(Subject::NoPeaks),
            () if of_costs.0 * 2 > time.0 => Some(Subject::NoPeakOfType),
            () if is_trace => Some(Subject::NoCostsInTrace),
            // Programs of XLA have names.
            () if context.profile.programs.is_empty() && !context.framework.may_be_jax() => Some(Subject::NotXla),
            () if context.profile.hlo.is_empty() => Some(Subject::NoCosts),
            () => None,
        };
        let is_kernel = |(index, _): &&(usize, Picos)| {
            let text = context.op_text(*index);
            ["tpu_custom_call", "triton", "mosaic"].into_iter().any(|target| text.contains(target))
        };
        let of_kernels: Picos = ops.iter().filter(is_kernel).map(|(_, time)| *time).sum();
        let is_random = |(index, _): &&(usize, Picos)| context.op(*index).1.group == OpGroup::Rng;
        let of_random: Picos = ops.iter().filter(is_random).map(|(_, time)| *time).sum();
        let random = (context.share(of_random) >= rule.threshold).then_some(Subject::RandomBits);
        let numbers = random.map_or(String::new(), |_| {
            format!(" Random numbers, such as those of dropout, take {} of it.", context.step_text(of_random))
        });
        let subjects: Vec<Subject> =
            lack.or((of_kernels.0 * 2 > time.0).then_some(Subject::Kernels)).into_iter().chain(random).collect();
        Draft { detail: context.ops_text(&ops) + &numbers, claimed, evidence, subjects, ..Draft::default() }
    })
}
