//! This module holds one side of a comparison with its analyses.

use super::input::{Input, InputOp, InputPeak};
use super::matching::{Side, SideOp};
use super::report::SideHead;
use crate::analysis::base::Analysis;
use crate::analysis::comm::Comm;
use crate::analysis::data_movement::Programs;
use crate::analysis::ledger::{LedgerByOp, OpSteps, OwnedOp};
use crate::analysis::memory::{RuntimeMemory, StaticMemory};
use crate::analysis::overview::Overview;
use xla_profile::profile::{Plane, Profile};

/// Why a program without known buffers has no peak.
const NO_BUFFERS: &str = "The buffers of the program of a side are unknown.";

/// One side of a comparison, with its analyses.
#[derive(Clone, Copy)]
pub struct CaptureSide<'a> {
    pub profile: &'a Profile,
    pub analysis: &'a Analysis,
    pub programs: Option<Programs<'a>>,
    /// The ledger of the steps that are compared.
    pub by_op: &'a LedgerByOp,
    /// The times of the ops of the ledger's device by step.
    pub steps: &'a OpSteps,
    pub overview: &'a Overview,
    /// The memory of the program whose peaks are compared. The error is the reason why there is none.
    pub memory: Result<&'a StaticMemory, &'a str>,
    /// The report on the allocators.
    pub runtime: &'a RuntimeMemory,
    /// The communication of the ledger's device in the steps that are compared, by op.
    pub comm: &'a Comm,
    /// Whether only a part of the capture was read.
    pub is_partial: bool,
}

impl<'a> CaptureSide<'a> {
    fn plane(&self) -> &'a Plane {
        &self.profile.planes[self.analysis.devices[self.by_op.ledger.device].plane]
    }

    /// Lists the ops for matching.
    pub(super) fn side(&self) -> Side<'a> {
        let plane = self.plane();
        let op = |owned: &OwnedOp| SideOp {
            op: owned.op,
            time: owned.total().0,
            n: owned.n.as_f64().round() as u64,
            first_start: self.steps.first_start(plane, owned.op),
        };
        Side {
            profile: self.profile,
            analysis: self.analysis,
            device: self.by_op.ledger.device,
            programs: self.programs,
            ops: self.by_op.ops.iter().map(op).collect(),
        }
    }

    /// Returns the figures and the ops that are compared. The ops have the order of those of [`CaptureSide::side`].
    pub(super) fn input(&self) -> Input<'a> {
        let (profile, plane, by_op) = (self.profile, self.plane(), self.by_op);
        let facts = &self.analysis.facts[by_op.ledger.device];
        let op = |owned: &'a OwnedOp| {
            let stats = &plane.op(owned.op).stats;
            let steps = self.steps.times(plane, owned.op).filter(|_| self.overview.has_steps);
            InputOp {
                name: profile.text(plane.op(owned.op).name).into(),
                program_id: stats.program.map(|program| program.0),
                scope: stats.tf_op.map(|scope| profile.text(scope)),
                source: facts.source_inner(profile, plane.op(owned.op)),
                op_group: Some(facts.ops[owned.op.0 as usize].group.label()),
                kind: facts.ops[owned.op.0 as usize].kind,
                n: owned.n.as_f64(),
                total: owned.total().0,
                parts: &owned.parts,
                roofline: owned.floor.as_ref().filter(|floor| floor.unknown == 0).map(|floor| floor.roofline_time),
                steps: steps.map(|steps| &*steps.times),
            }
        };
        let peak = self.memory.and_then(|memory| memory.space.as_ref().map(|space| (memory, space)).ok_or(NO_BUFFERS));
        let peak = peak.map(|(memory, space)| {
            InputPeak::of_roll_ups(&memory.program.name, &space.peak, space.alive.n, &space.rollups)
        });
        Input {
            head: self.head(),
            ledger: &by_op.ledger,
            ops: by_op.ops.iter().map(op).collect(),
            n_ops: by_op.ops.len() as u64,
            overview: self.overview,
            peak,
            runtime: self.runtime,
            comm: Ok(self.comm),
        }
    }

    /// Returns the head of the side.
    pub fn head(&self) -> SideHead {
        let steps = self.steps.steps.iter().filter(|_| self.overview.has_steps);
        let periods_ps: Vec<u64> = steps.map(|(start, end)| end - start).collect();
        SideHead {
            files: self.profile.files.clone(),
            device: self.overview.device.clone(),
            device_type: self.overview.header.device_type.clone(),
            n_devices: self.analysis.devices.len() as u32,
            n_steps: periods_ps.len() as u32,
            step_kind: self.overview.header.mean.kind.clone(),
            period_ps: self.by_op.ledger.per_step(self.by_op.ledger.window).0,
            periods_ps,
            median_ps: self.overview.periods.as_ref().map(|periods| periods.median),
            tokens: step_tokens(self.overview),
            is_partial: self.is_partial,
            report_level: None,
        }
    }
}

/// Returns the tokens of one step of the whole job, as the program's inputs tell them. `None` if they do not.
pub fn step_tokens(overview: &Overview) -> Option<u64> {
    let (sequences, length) = overview.model_guess?.batch?;
    sequences.checked_mul(length).filter(|tokens| *tokens > 0)
}
