//! One op against its device's roofs, or why not. This module knows ops, programs and peaks; no sums.

use super::compute_dtype::{Work, needs_program, work};
use super::cost::cost;
use super::peaks::{Ceilings, DevicePeaks};
use super::query::{KernelCost, Level};
use super::report::SkipReason;
use super::sums::OpPoint;
use crate::analysis::base::instruction_ref::InstructionRef;
use crate::analysis::base::rows::{Known, Member, Slice};
use crate::analysis::classify::{Kind, OpFacts, OpGroup, category, opcode};
use crate::analysis::data_movement::Programs;
use crate::hlo::opcode::{is_done, is_start};
use crate::hlo::{DType, text};
use crate::profile::{Op, ProgramId, StrId};
use indexmap::IndexMap;

/// An instruction of a slice, by program and name.
pub(super) type Instruction = (u32, Option<ProgramId>, StrId);

/// Ops of instructions that run as several kernels, put together: a kernel's share of the cost says nothing by itself.
#[derive(Default)]
pub(super) struct Together(IndexMap<Instruction, (Option<OpPoint>, u64, u64)>);

impl Together {
    /// Keeps executions and self time of an op, if it is one of several of its instruction; whether it is.
    pub fn keeps(&mut self, instruction: Option<Instruction>, point: &OpPoint, n: u64, own: u64) -> bool {
        let Some(instruction) = instruction else { return false };
        let cached = self.0.entry(instruction).or_default();
        cached.0.get_or_insert(*point);
        cached.1 = cached.1.saturating_add(n);
        cached.2 = cached.2.saturating_add(own);
        true
    }

    /// The instructions: program, what each kernel costs, kernels, self time.
    pub fn into_iter(self) -> impl Iterator<Item = (Option<ProgramId>, OpPoint, u64, u64)> {
        let entries = self.0.into_iter();
        entries.filter_map(|((_, program, _), (point, n, own))| Some((program, point?, n, own)))
    }
}

/// Holds ops against roofs. What an op computes with is examined once per text.
pub(super) struct RooflineModel<'a, 'm> {
    known: Known<'a>,
    programs: Option<Programs<'m>>,
    costs: &'a [KernelCost],
    /// By slice.
    ceilings: Vec<Ceilings>,
    works: IndexMap<(Option<ProgramId>, StrId, StrId), Work>,
}

impl<'a, 'm> RooflineModel<'a, 'm> {
    /// For ops of devices with these peaks, in the order of the slices.
    pub fn new(
        known: Known<'a>,
        programs: Option<Programs<'m>>,
        costs: &'a [KernelCost],
        peaks: impl Iterator<Item = &'a DevicePeaks>,
    ) -> Self {
        Self { known, programs, costs, ceilings: peaks.map(Ceilings::from_peaks).collect(), works: IndexMap::default() }
    }

    /// An op of a slice.
    pub fn evaluate_op(&mut self, slices: &[Slice], member: Member) -> Result<OpPoint, SkipReason> {
        let device = slices[member.slice as usize].device;
        let profile = self.known.profile;
        let (op, facts) = self.known.op(device, member.op);
        if facts.kind == Kind::Container {
            return Err(SkipReason::Container);
        }
        let name = profile.text(op.name);
        if is_end(&self.known, op) {
            return Err(SkipReason::AsyncEnd);
        }
        let memory = profile.memory(self.known.plane(device), member.op);
        let cost = cost(op, name, is_custom_call(&self.known, op), memory, self.costs)?;
        let mut work = self.work(op, facts);
        let ceilings = &self.ceilings[member.slice as usize];
        let has_peak = |dtype: DType| ceilings.class(dtype).is_some_and(|p| ceilings.flops[p as usize].is_some());
        if let Some(instead) = work.instead.filter(|_| work.uncertain && !work.dtype.is_some_and(has_peak)) {
            work.dtype = Some(instead);
        }
        let of_type = work.dtype.and_then(|dtype| ceilings.class(dtype));
        let precision = if work.matmul {
            of_type.ok_or(SkipReason::NoPeak)?
        } else {
            // Vector units have no published peak. No op of the device is faster than its matrix units.
            of_type.filter(|p| ceilings.yours[*p as usize]).unwrap_or(ceilings.main)
        };
        let peak = ceilings.flops[precision as usize].ok_or(SkipReason::NoPeak)?;
        if ceilings.bytes[Level::Hbm.index()].is_none() && cost.levels[Level::Hbm.index()] > 0.0 {
            return Err(SkipReason::NoBandwidth);
        }
        let Work { dtype, uncertain, mixed, .. } = work;
        Ok(OpPoint { cost, peak, bytes: ceilings.bytes, dtype, precision, uncertain, mixed })
    }

    /// The instruction that an op is one of several kernels of.
    pub fn instruction(&self, slices: &[Slice], member: Member) -> Option<Instruction> {
        let (op, _) = self.known.op(slices[member.slice as usize].device, member.op);
        op.stats.events_per_execution.map(|_| (member.slice, op.stats.program, op.name))
    }

    /// What an op computes with.
    pub fn work(&mut self, op: &Op, facts: &OpFacts) -> Work {
        let key = (op.stats.program, op.name, op.text);
        if let Some(known) = self.works.get(&key) {
            return *known;
        }
        let found = self.find_work(op, facts);
        *self.works.entry(key).or_insert_with(|| found)
    }

    fn find_work(&self, op: &Op, facts: &OpFacts) -> Work {
        let profile = self.known.profile;
        let (category, matmul) = (category(profile, op), facts.group == OpGroup::Matmul);
        let parsed = text::instruction(profile.text(op.text));
        let of_text = parsed.as_ref().map(|p| InstructionRef { instruction: &p.instruction, module: None, tpu: true });
        // Reading a program takes time and memory: only for what the text does not say.
        if of_text.is_none_or(|inst| needs_program(inst, category))
            && let Some(module) = op.stats.program.and_then(|id| self.programs.and_then(|of| of(id)))
            && let Some(id) = module.instruction_named(profile.text(op.name))
            && let Some(inst) = InstructionRef::within(module, id, true)
        {
            return work(inst, category, matmul);
        }
        match of_text {
            Some(inst) => work(inst, category, matmul),
            // Not even a text: the stat of its shape may tell what it gives.
            None => {
                let shape = op.stats.shape.and_then(|id| text::shape(profile.text(id)));
                let dtype = shape.and_then(|s| s.arrays().max_by_key(|a| a.bytes()).map(|a| a.dtype));
                Work {
                    dtype,
                    matmul: matmul || category.starts_with("convolution"),
                    uncertain: true,
                    ..Work::default()
                }
            }
        }
    }
}

/// One end of an asynchronous op.
fn is_end(known: &Known<'_>, op: &Op) -> bool {
    let name = known.profile.text(op.name);
    let word = opcode(known.profile.text(op.text)).unwrap_or_else(|| category(known.profile, op));
    let stem = name.split('.').next().unwrap_or(name);
    [word, stem].into_iter().any(|w| is_start(w) || is_done(w) || w.ends_with("-update"))
}

/// Whether an op only begins, or keeps going, what another one ends: its cost is reported there, too.
pub(super) fn is_begin(known: &Known<'_>, op: &Op) -> bool {
    let word = opcode(known.profile.text(op.text)).unwrap_or_else(|| category(known.profile, op));
    is_start(word) || word.ends_with("-update")
}

fn is_custom_call(known: &Known<'_>, op: &Op) -> bool {
    match opcode(known.profile.text(op.text)) {
        Some(opcode) => opcode == "custom-call",
        None => matches!(category(known.profile, op), "custom-call" | "custom call"),
    }
}
