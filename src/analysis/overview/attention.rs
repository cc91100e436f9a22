//! This module estimates what a fused kernel of attention would save.

use super::context::Context;
use super::report::{Finding, Overview};
use crate::analysis::classify::ModelModule;
use crate::table::format::{percent_text, time_text};
use xla_profile::units::Picos;

/// The names of the inputs of a finding that hold the times, in ps per step.
const INPUTS: [&str; 2] = ["attention_ps", "fused_attention_ps"];

/// The compute of attention, per step.
pub(super) struct FusedAttention {
    /// Self time of the ops of attention that have a roofline time.
    time: Picos,
    /// Their FLOPs at the attainable share of the peak: a fused kernel spares the bytes of the scores, which the roofline time of
    /// separate ops contains.
    floor: Picos,
}

impl FusedAttention {
    /// Returns the times of the device of the context. `None` if no FLOPs are known.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a time")]
    pub fn new(context: &Context<'_>) -> Option<Self> {
        let is_attention = |index: &usize| context.op(*index).1.module.module == ModelModule::Attention;
        let indices = (0..context.by_op.ops.len()).filter(is_attention);
        let ops =
            indices.filter_map(|index| Some((context.by_op.ops[index].self_time, context.by_op.ops[index].floor?)));
        let (mut time, mut compute) = (Picos::ZERO, 0.0);
        for (own, floor) in ops {
            time += own;
            compute += floor.compute_time;
        }
        let floor =
            Some(compute / context.by_op.ledger.attainable).filter(|floor| (1.0..time.as_f64()).contains(floor))?;
        Some(Self { time: context.per_step(time), floor: context.per_step(Picos(floor as u64)) })
    }

    /// Returns the times as inputs of a finding.
    pub fn inputs(&self) -> [(&'static str, f64); 2] {
        [(INPUTS[0], self.time.as_f64()), (INPUTS[1], self.floor.as_f64())]
    }

    /// Returns the times in a sentence, with a space before it.
    pub fn sentence(&self) -> String {
        format!(
            " By its FLOPs alone, fused attention would take {}, not {}.",
            time_text(self.floor),
            time_text(self.time)
        )
    }
}

/// Returns what a fused kernel of attention could save at most, in a sentence with a space before it. Empty if no finding says so.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "times in ps")]
pub(super) fn saving(overview: &Overview) -> String {
    let input =
        |finding: &Finding, name: &str| finding.inputs.iter().find(|(other, _)| other == name).map(|(_, value)| *value);
    let saved =
        overview.findings.iter().find_map(|finding| Some(input(finding, INPUTS[0])? - input(finding, INPUTS[1])?));
    saved.map_or(String::new(), |saved| {
        let saved = Picos(saved.max(0.0) as u64);
        let share = percent_text(saved.fraction_of(overview.period).unwrap_or(0.0));
        format!(" Fused attention could save up to {}, {share}.", time_text(saved))
    })
}
