//! This module finds the changes of an op of a capture: from its own text, from the text of its async start, or from
//! its program.
//!
//! A program holds facts that texts lack: the body of a fusion, and the operation inside an async op. A text is
//! parsed at most once per op that is resolved.

use super::change::Reason;
use super::classify::{LayoutChange, classify, classify_operands};
use super::operands::{OperandPairs, Pairing, operand_pairs};
use super::order::{Map, compose, map};
use indexmap::IndexMap;
use xla_profile::hlo::opcode::is_done;
use xla_profile::hlo::{Instruction, InstructionId, Module, text};
use xla_profile::profile::{Op, Plane, Profile, ProgramId, StrId};

/// Looks up the HLO module of a program. `None` if the program is not loaded.
pub type Programs<'m> = &'m dyn Fn(ProgramId) -> Option<&'m Module>;

/// Resolves the changes of the ops of one plane.
pub struct Resolver<'a, 'm> {
    profile: &'a Profile,
    plane: &'a Plane,
    programs: Option<Programs<'m>>,
    /// HLO texts by program and op name. They are collected when a done first needs the text of its start.
    names: Option<IndexMap<(Option<ProgramId>, &'a str), StrId>>,
}

impl<'a, 'm> Resolver<'a, 'm> {
    /// Creates a resolver for a plane.
    pub fn new(profile: &'a Profile, plane: &'a Plane, programs: Option<Programs<'m>>) -> Self {
        Self { profile, plane, programs, names: None }
    }

    /// Returns the changes of an op.
    pub fn resolve(&mut self, op: &Op) -> LayoutChange {
        let of_text = self.of_text(op);
        if of_text.changes.are_known() {
            return of_text;
        }
        // Reading a program takes time and memory, so the program is used only if the text does not suffice.
        let module = op.stats.program.and_then(|id| self.programs.and_then(|module_of| module_of(id)));
        let found = module.and_then(|module| Some((module, module.instruction_named(self.profile.text(op.name))?)));
        found.map_or(of_text, |(module, id)| in_module(module, id))
    }

    fn of_text(&mut self, op: &Op) -> LayoutChange {
        let program = op.stats.program;
        let Some(parsed) = text::instruction(self.profile.text(op.text)) else {
            return LayoutChange::unknown(Reason::NoHlo);
        };
        let own = parsed.instruction;
        // A done waits for the operation that its start began. The text of the done describes it only if its operands
        // have shapes.
        if is_done(&own.opcode)
            && matches!(operand_pairs(&own), Err(Reason::NoShape))
            && let Some(start) = self.started(&own, program)
        {
            let writes = own.shape.to_string();
            return LayoutChange { writes: Some(writes), bytes: whole_bytes(&start), ..classify(&start) };
        }
        classify(&own)
    }

    /// Returns the start of a done.
    fn started(&mut self, done: &Instruction, program: Option<ProgramId>) -> Option<Instruction> {
        let (profile, plane) = (self.profile, self.plane);
        let names = self.names.get_or_insert_with(|| {
            plane.ops.iter().map(|op| ((op.stats.program, profile.text(op.name)), op.text)).collect()
        });
        let mut name = done.operands.first()?.name.clone();
        // Updates stand between start and done. The limit ends cycles; real programs have only a few updates in a row.
        for _ in 0..16 {
            let found = text::instruction(profile.text(*names.get(&(program, &*name))?))?.instruction;
            if operand_pairs(&found).is_ok() {
                return Some(found);
            }
            name = found.operands.first()?.name.clone();
        }
        None
    }
}

/// Returns the bytes of the whole transfer of a start.
fn whole_bytes(start: &Instruction) -> Option<u64> {
    let pairs = operand_pairs(start).ok().filter(|e| e.pairing == Pairing::OneByOne)?;
    let (from, to) = pairs.arrays();
    from.iter().chain(&to).try_fold(0_u64, |n, a| n.checked_add(a.bytes()?))
}

/// Returns the changes of an instruction of a program, with the bodies of fusions and the operations inside async ops.
pub fn in_module(module: &Module, id: InstructionId) -> LayoutChange {
    let Some(instruction) = shaped(module, id) else { return LayoutChange::unknown(Reason::NoHlo) };
    if &*instruction.opcode == "fusion" {
        return fusion(module, &instruction).unwrap_or_else(|| classify(&instruction));
    }
    if instruction.is_async()
        && let Some(work) = shaped(module, module.wrapped(id)).filter(|work| work.name != instruction.name)
    {
        let of_work = classify(&work);
        let bytes = of_work.bytes.filter(|_| is_done(&instruction.opcode));
        return LayoutChange { bytes, ..of_work };
    }
    classify(&instruction)
}

/// Returns an instruction with the shapes of its operands, which a module does not repeat.
fn shaped(module: &Module, id: InstructionId) -> Option<Instruction> {
    let mut instruction = module.instruction(id)?.clone();
    for operand in &mut instruction.operands {
        if operand.shape.is_none() {
            operand.shape = operand.id.and_then(|id| module.instruction(id)).map(|i| i.shape.clone());
        }
    }
    Some(instruction)
}

/// Classifies a fusion that only formats data: follows its root back to the parameter from which it comes. `None` for
/// other fusions.
fn fusion(module: &Module, fusion: &Instruction) -> Option<LayoutChange> {
    let mut id = module.computation(fusion.calls().next()?.id?)?.root?;
    let mut through: Option<Map> = Some((0..fusion.shape.as_array()?.dims.len()).map(Some).collect());
    for _ in 0..64 {
        let step = shaped(module, id)?;
        match &*step.opcode {
            "parameter" => {
                let operand = usize::try_from(step.parameter_number()?).ok()?;
                let from = fusion.operands.get(operand)?.shape.as_ref()?;
                let pairs =
                    OperandPairs { from: vec![from], to: vec![&fusion.shape], whole: None, pairing: Pairing::OneByOne };
                return Some(classify_operands(fusion, &pairs, Some(through.as_ref())));
            }
            "copy" | "convert" | "transpose" | "reshape" | "bitcast" | "bitcast-convert" | "broadcast" | "slice"
            | "dynamic-slice" | "pad" | "reverse" => {
                let operand = step.operands.first()?;
                let (from, to) = (operand.shape.as_ref()?.as_array()?, step.shape.as_array()?);
                // In a fusion, a bitcast is a reshape.
                let opcode = if &*step.opcode == "bitcast" { "reshape" } else { &*step.opcode };
                // Once dimensions are merged, their parts can no longer be followed.
                through = map(opcode, &step, from, to).zip(through).map(|(inner, outer)| compose(&outer, &inner));
                id = operand.id?;
            }
            _ => return None,
        }
    }
    None
}
