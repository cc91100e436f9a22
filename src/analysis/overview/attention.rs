//! This module estimates what a fused kernel of attention would take.

use super::context::Context;
use crate::analysis::classify::ModelModule;
use xla_profile::units::Picos;

/// Returns what all ops of attention would take by their FLOPs alone, as a sentence: a fused kernel spares the bytes of the scores,
/// which the roofline time of separate ops contains. `None` if the FLOPs are unknown.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a time")]
pub(super) fn fused_attention(context: &Context<'_>) -> Option<String> {
    let is_attention = |index: &usize| context.op(*index).1.module.module == ModelModule::Attention;
    let ops = || (0..context.by_op.ops.len()).filter(is_attention).map(|index| &context.by_op.ops[index]);
    let time: Picos = ops().map(|op| op.self_time).sum();
    let floor =
        ops().filter_map(|op| op.floor).map(|floor| floor.compute_time).sum::<f64>() / context.by_op.ledger.attainable;
    let floor = Some(floor).filter(|floor| (1.0..time.as_f64()).contains(floor))?;
    Some(format!(
        " A fused kernel also spares the bytes of the scores: by its FLOPs alone, all of attention would take {} in place of {}.",
        context.step_text(Picos(floor as u64)),
        context.step_text(time)
    ))
}
