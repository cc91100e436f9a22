//! This module chooses the small drawing of a finding from what the rules read.

use super::context::Context;
use super::evidence::Evidence;
use super::picture::{Picture, RooflinePoint};
use super::report::Finding;
use super::rule_id::RuleId;
use crate::analysis::gaps::GapClass;
use xla_profile::units::Picos;

/// Largest number of ops in a roofline chart.
const MAX_POINTS: usize = 12;

/// The rules about time in which the device is idle.
const IDLE_RULES: [RuleId; 11] = [
    RuleId::InputBound,
    RuleId::OpByOp,
    RuleId::HostDispatch,
    RuleId::Recompile,
    RuleId::HostSync,
    RuleId::Defragmentation,
    RuleId::ManyLaunches,
    RuleId::LatePeers,
    RuleId::NoRequests,
    RuleId::IdleOutside,
    RuleId::UnexplainedIdle,
];

impl Finding {
    /// Returns whether the finding is about time in which the device is idle, and so are the times of its evidence.
    pub fn is_about_idle(&self) -> bool {
        IDLE_RULES.contains(&self.rule())
    }
}

impl Context<'_> {
    /// Returns evidence of ops, as [`Context::op_evidence`] does, with a drawing of when they run in the shown step.
    pub fn op_evidence_when(&self, ops: &[(usize, Picos)]) -> Evidence {
        let (picture, spans) = self.columns.time_profile(ops);
        Evidence { picture: Some(picture), spans, ..self.op_evidence(ops) }
    }

    /// Adds to evidence when the device is idle for reasons of some classes.
    pub fn add_when_idle(&self, evidence: &mut Evidence, classes: &[GapClass]) {
        let gaps = self.gaps.gaps.iter().filter(|gap| classes.contains(&gap.main_class()));
        let (picture, spans) = self.columns.idle_profile(gaps);
        (evidence.picture, evidence.spans) = (Some(picture), spans);
    }

    /// Returns the self time of ops with the part that the roofline needs, and with the ops in the roofline chart if
    /// `has_chart` is set.
    pub fn roofline_picture(&self, ops: &[(usize, Picos)], needed: Picos, has_chart: bool) -> Option<Picture> {
        let all: Picos = ops.iter().map(|(index, _)| self.by_op.ops[*index].total()).sum();
        let (needed, all) = (self.per_step(needed), self.per_step(all));
        let longest = ops.iter().map(|(index, _)| self.by_op.ops[*index].total()).max()?;
        let point = |(index, _): &(usize, Picos)| {
            let op = &self.by_op.ops[*index];
            let floor = op.floor.filter(|floor| floor.self_time > 0)?;
            Some(RooflinePoint {
                intensity: floor.compute_time / floor.memory_time,
                attained: floor.roofline_time / Picos(floor.self_time).as_f64(),
                share: op.total().fraction_of(longest)?,
            })
        };
        if !has_chart {
            return Some(Picture::Needed { needed, all });
        }
        let points = ops.iter().filter_map(point).filter(|point| point.intensity.is_finite() && point.intensity > 0.0);
        Some(Picture::Roofline { points: points.take(MAX_POINTS).collect(), needed, all })
    }
}
