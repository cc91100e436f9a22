//! This module holds one side of a comparison with its analyses.

use super::causes::{WorkFacts, work_name};
use super::input::{Input, InputOp, InputPeak};
use super::matching::{Side, SideOp};
use super::report::SideHead;
use crate::analysis::base::Analysis;
use crate::analysis::base::instruction_ref::InstructionRef;
use crate::analysis::classify::{ModelModule, opcode};
use crate::analysis::comm::Comm;
use crate::analysis::data_movement::Programs;
use crate::analysis::ledger::{LedgerByOp, OpSteps, OwnedOp};
use crate::analysis::memory::{RuntimeMemory, StaticMemory};
use crate::analysis::overview::Overview;
use std::borrow::Cow;
use xla_profile::hlo::text;
use xla_profile::profile::{OpId, Plane, Profile, StrId};

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
            let (name, of_op) = (profile.text(plane.op(owned.op).name), facts.get(owned.op));
            InputOp {
                name: name.into(),
                program_id: stats.program.map(|program| program.0),
                scope: stats.tf_op.map(|scope| profile.text(scope)),
                source: facts.source_inner(profile, plane.op(owned.op)),
                op_group: Some(of_op.group.label()),
                work: self.work(owned.op),
                module: Some(of_op.module.module).filter(|module| *module != ModelModule::Unknown),
                phase: Some(of_op.phase).filter(|phase| phase.is_known()),
                kind: of_op.kind,
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

    /// Returns the sort of work of an op, by the texts of its events and by its program.
    fn work(&self, id: OpId) -> Cow<'static, str> {
        let (profile, op) = (self.profile, self.plane().op(id));
        let facts = self.analysis.facts[self.by_op.ledger.device].get(id);
        let text = |id: Option<StrId>| id.map_or("", |id| profile.text(id));
        let name = profile.text(op.name);
        let of_program = || {
            let module = self.programs?(op.stats.program?)?;
            InstructionRef::within(module, module.instruction_named(name)?, false)
        };
        let found = of_program();
        // The text of a custom call names its target.
        let written = Some(profile.text(op.text)).filter(|text| found.is_none() && opcode(text) == Some("custom-call"));
        let read = written.and_then(text::instruction);
        let target = found.map(|found| found.instruction).or(read.as_ref().map(|read| &read.instruction));
        let parts = found.map_or_else(Vec::new, InstructionRef::parts);
        let has = |opcode: &str| parts.iter().any(|part| part.opcode() == opcode);
        work_name(WorkFacts {
            kind: facts.kind,
            op_group: Some(facts.group.label()),
            name,
            scope: text(op.stats.tf_op),
            target: target.and_then(|instruction| instruction.custom_call_target()).unwrap_or_default(),
            kernel: text(op.stats.kernel),
            has_softmax: has("exponential") && has("reduce"),
            is_conversion: found.map_or_else(|| opcode(profile.text(op.text)), |found| Some(found.opcode()))
                == Some("convert"),
        })
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
