//! This module computes the roofline point of one op, or finds the reason why the op has none. It does not depend on
//! sums.

use super::compute_dtype::{ComputeType, compute_type, needs_program};
use super::cost::cost;
use super::peaks::{Ceilings, DevicePeaks};
use super::query::{KernelCost, Level, Precision};
use super::report::SkipReason;
use super::sums::OpPoint;
use crate::analysis::base::Platform;
use crate::analysis::base::instruction_ref::InstructionRef;
use crate::analysis::base::rows::{Member, SessionFacts, Slice};
use crate::analysis::classify::{Kind, OpFacts, OpGroup, category, opcode};
use crate::analysis::data_movement::Programs;
use indexmap::IndexMap;
use xla_profile::hlo::opcode::{is_done, is_start};
use xla_profile::hlo::{DType, text};
use xla_profile::profile::{Op, ProgramId, StrId};
use xla_profile::units::Count;

/// An instruction of a slice: the index of the slice, the program and the name.
pub(super) type Instruction = (u32, Option<ProgramId>, StrId);

/// Sums over the kernels of each instruction that runs as several kernels. The cost of one kernel is only a share of
/// the cost of the instruction, so it has no meaning of its own. The values are the cost of the first kernel found,
/// executions and self time in ps.
#[derive(Default)]
pub(super) struct KernelGroups(IndexMap<Instruction, (Option<OpPoint>, Count, u64)>);

impl KernelGroups {
    /// Adds an op that is one kernel of `instruction`. Returns `false`, and adds nothing, if `instruction` is `None`.
    pub fn add_kernel(&mut self, instruction: Option<Instruction>, point: &OpPoint, n: Count, self_time: u64) -> bool {
        let Some(instruction) = instruction else { return false };
        let cached = self.0.entry(instruction).or_default();
        cached.0.get_or_insert(*point);
        cached.1 += n;
        cached.2 = cached.2.saturating_add(self_time);
        true
    }

    /// Iterates over the instructions: instruction, cost of one kernel, executions of kernels, self time in ps.
    pub fn into_iter(self) -> impl Iterator<Item = (Instruction, OpPoint, Count, u64)> {
        let entries = self.0.into_iter();
        entries.filter_map(|(instruction, (point, n, self_time))| Some((instruction, point?, n, self_time)))
    }
}

/// Computes the roofline points of ops. The compute dtype is cached per program, name and HLO text.
pub(super) struct RooflineModel<'a, 'm> {
    session: SessionFacts<'a>,
    programs: Option<Programs<'m>>,
    costs: &'a [KernelCost],
    /// Peaks of the device of each slice, by index of the slice.
    ceilings: Vec<Ceilings>,
    compute_types: IndexMap<(Option<ProgramId>, StrId, StrId), ComputeType>,
}

impl<'a, 'm> RooflineModel<'a, 'm> {
    /// Creates a model for ops of slices. `peaks` are those of the device of each slice, in the order of the slices.
    pub fn new(
        session: SessionFacts<'a>,
        programs: Option<Programs<'m>>,
        costs: &'a [KernelCost],
        peaks: impl Iterator<Item = &'a DevicePeaks>,
    ) -> Self {
        Self {
            session,
            programs,
            costs,
            ceilings: peaks.map(Ceilings::from_peaks).collect(),
            compute_types: IndexMap::default(),
        }
    }

    /// Computes the roofline point of an op.
    ///
    /// # Errors
    /// The first reason why the op has no roof.
    pub fn evaluate_op(&mut self, slices: &[Slice], member: Member) -> Result<OpPoint, SkipReason> {
        let device = slices[member.slice as usize].device;
        let profile = self.session.profile;
        let (op, facts) = self.session.op(device, member.op);
        if facts.kind == Kind::Container {
            return Err(SkipReason::Container);
        }
        let name = profile.text(op.name);
        if is_end(&self.session, op) {
            return Err(SkipReason::AsyncEnd);
        }
        let memory = profile.memory(self.session.plane(device), member.op);
        let cost = cost(op, name, is_custom_call(&self.session, op), memory, self.costs)?;
        let mut compute = self.compute_type(op, facts);
        let ceilings = &self.ceilings[member.slice as usize];
        let has_peak = |dtype: DType| ceilings.class(dtype).is_some_and(|p| ceilings.flops[p as usize].is_some());
        if let Some(instead) = compute.instead.filter(|_| compute.uncertain && !compute.dtype.is_some_and(has_peak)) {
            compute.dtype = Some(instead);
        }
        let of_type = compute.dtype.and_then(|dtype| ceilings.class(dtype));
        // No vendor publishes the f32 peak of a TPU. Its matrix units make passes of bf16 for f32.
        let is_tpu = self.session.devices[device].platform == Platform::Tpu;
        let passes = compute.passes.filter(|_| is_tpu && !compute.dtype.is_some_and(has_peak));
        let precision = if passes.is_some() {
            Precision::Bf16
        } else if compute.matmul {
            of_type.ok_or(SkipReason::NoPeak)?
        } else {
            // Vector units have no published peak. The peak of the matrix units is an upper bound for every op of the
            // device.
            of_type.filter(|p| ceilings.yours[*p as usize]).unwrap_or(ceilings.main)
        };
        let peak = ceilings.flops[precision as usize].ok_or(SkipReason::NoPeak)? / f64::from(passes.unwrap_or(1));
        if ceilings.bytes[Level::Hbm.index()].is_none() && cost.levels[Level::Hbm.index()] > 0.0 {
            return Err(SkipReason::NoBandwidth);
        }
        let ComputeType { dtype, uncertain, mixed, .. } = compute;
        Ok(OpPoint { cost, peak, bytes: ceilings.bytes, dtype, precision, uncertain, mixed })
    }

    /// Returns the instruction that runs as several kernels, of which this op is one. `None` for any other op.
    pub fn instruction(&self, slices: &[Slice], member: Member) -> Option<Instruction> {
        let (op, _) = self.session.op(slices[member.slice as usize].device, member.op);
        op.stats.events_per_execution.map(|_| (member.slice, op.stats.program, op.name))
    }

    /// Returns the compute dtype of an op, from the cache if it is there.
    pub fn compute_type(&mut self, op: &Op, facts: &OpFacts) -> ComputeType {
        let key = (op.stats.program, op.name, op.text);
        if let Some(compute) = self.compute_types.get(&key) {
            return *compute;
        }
        let found = self.find_compute_type(op, facts);
        *self.compute_types.entry(key).or_insert_with(|| found)
    }

    fn find_compute_type(&self, op: &Op, facts: &OpFacts) -> ComputeType {
        let profile = self.session.profile;
        let (category, matmul) = (category(profile, op), facts.group == OpGroup::Matmul);
        let parsed = text::instruction(profile.text(op.text));
        let of_text = parsed.as_ref().map(|p| InstructionRef { instruction: &p.instruction, module: None, tpu: true });
        // Reading a program takes time and memory, so it is read only where the text is not enough.
        if of_text.is_none_or(|inst| needs_program(inst, category))
            && let Some(module) = op.stats.program.and_then(|id| self.programs.and_then(|module_of| module_of(id)))
            && let Some(id) = module.instruction_named(profile.text(op.name))
            && let Some(inst) = InstructionRef::within(module, id, true)
        {
            return compute_type(inst, category, matmul);
        }
        match of_text {
            Some(inst) => compute_type(inst, category, matmul),
            // The op has no HLO text. Its stat `shape` may still give the shape of the result.
            None => {
                let shape = op.stats.shape.and_then(|id| text::shape(profile.text(id)));
                let dtype = shape.and_then(|s| s.arrays().max_by_key(|a| a.bytes()).map(|a| a.dtype));
                ComputeType {
                    dtype,
                    matmul: matmul || category.starts_with("convolution"),
                    uncertain: true,
                    ..ComputeType::default()
                }
            }
        }
    }
}

/// Returns whether an op is a part of an asynchronous op: its start, update or done.
fn is_end(session: &SessionFacts<'_>, op: &Op) -> bool {
    let name = session.profile.text(op.name);
    let word = opcode(session.profile.text(op.text)).unwrap_or_else(|| category(session.profile, op));
    let stem = name.split('.').next().unwrap_or(name);
    [word, stem].into_iter().any(|w| is_start(w) || is_done(w) || w.ends_with("-update"))
}

/// Returns whether an op starts or continues an asynchronous op that another op ends. The cost of the asynchronous op
/// is also reported at its end.
pub(in crate::analysis) fn is_begin(session: &SessionFacts<'_>, op: &Op) -> bool {
    let word = opcode(session.profile.text(op.text)).unwrap_or_else(|| category(session.profile, op));
    is_start(word) || word.ends_with("-update")
}

fn is_custom_call(session: &SessionFacts<'_>, op: &Op) -> bool {
    match opcode(session.profile.text(op.text)) {
        Some(opcode) => opcode == "custom-call",
        None => matches!(category(session.profile, op), "custom-call" | "custom call"),
    }
}
