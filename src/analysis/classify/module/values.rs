//! This module finds the values that the instructions of a program read. It looks through fusions, calls, loops, tuples
//! and moves, so that the result of a matmul in one fusion and the softmax in the next one are neighbours.
//!
//! ```text
//!  fusion.1(x) = { dot ─► convert }      fusion.2(fusion.1) = { transpose(p0) ─► exponential }
//!                  ▲                                                             │ reads
//!                  └─────────────────────────────────────────────────────────────┘
//! ```
//!
//! Of a loop, a value before its body is the one of the first iteration, and a value after it the one of the last.

use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use xla_profile::hlo::{ComputationId, Instruction, InstructionId, Module};

/// Opcodes whose result has the values of their first operand, at other places, of another type or summed over devices.
const MOVES: [&str; 20] = [
    "all-gather",
    "all-gather-done",
    "all-gather-start",
    "all-reduce",
    "all-reduce-done",
    "all-reduce-start",
    "bitcast",
    "broadcast",
    "convert",
    "copy",
    "copy-done",
    "copy-start",
    "dynamic-slice",
    "reduce-precision",
    "reduce-scatter",
    "reshape",
    "slice",
    "transpose",
    "async-done",
    "async-update",
];
/// Targets of custom calls whose result has the values of their first operand.
const MOVING_CALLS: [&str; 4] = ["ConcatBitcast", "Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape"];
/// Longest way from an instruction to the one that computes its value.
const LONGEST: usize = 256;
/// Deepest nesting of loops and calls whose tuples are looked through.
const DEPTH: u32 = 16;
/// Largest number of instructions that one search visits. The elements of one softmax are some tens.
const SEARCHED: usize = 400;

/// The values that the instructions of a program read, by position.
pub struct Values<'m> {
    ids: Vec<InstructionId>,
    instructions: Vec<&'m Instruction>,
    /// For each instruction, the one that computes its value: itself, or another one.
    sources: Vec<u32>,
    operands: Vec<Vec<u32>>,
    readers: Vec<Vec<u32>>,
}

impl<'m> Values<'m> {
    pub fn new(module: &'m Module) -> Self {
        let ids: Vec<InstructionId> = module.instructions().map(|(id, _)| id).collect();
        let instructions: Vec<&Instruction> = module.instructions().map(|(_, instruction)| instruction).collect();
        let sources: Vec<u32> = ids.iter().map(|id| source(module, *id).index() as u32).collect();
        let mut operands = vec![Vec::new(); ids.len()];
        let mut readers = vec![Vec::new(); ids.len()];
        for (index, id) in ids.iter().enumerate().filter(|(index, _)| sources[*index] as usize == *index) {
            for operand in module.operands(*id).map(|operand| sources[operand.index()]) {
                operands[index].push(operand);
                readers[operand as usize].push(index as u32);
            }
        }
        Self { ids, instructions, sources, operands, readers }
    }

    /// Returns the number of instructions.
    pub const fn len(&self) -> usize {
        self.instructions.len()
    }

    /// Returns the instruction at a position.
    pub fn instruction(&self, index: u32) -> &'m Instruction {
        self.instructions[index as usize]
    }

    /// Returns the id of the instruction at a position.
    pub fn id(&self, index: u32) -> InstructionId {
        self.ids[index as usize]
    }

    /// Returns the position of the instruction that computes the value of another one.
    pub fn source(&self, index: u32) -> u32 {
        self.sources[index as usize]
    }

    /// Iterates over the instructions that compute values, and not those that only hold or move them.
    pub fn computing(&self) -> impl Iterator<Item = u32> {
        (0..self.len() as u32).filter(|index| self.source(*index) == *index)
    }

    /// Returns the instructions whose values an instruction reads, one for each operand.
    pub fn operands(&self, index: u32) -> &[u32] {
        &self.operands[index as usize]
    }

    /// Returns the instructions that read the value of an instruction.
    pub fn readers(&self, index: u32) -> &[u32] {
        &self.readers[index as usize]
    }

    /// Returns the instructions that a value comes from, `index` itself included. The search goes on only at those that `passes` accepts.
    pub fn origins(&self, index: u32, passes: impl Fn(u32) -> bool) -> Vec<u32> {
        search(&[index], &self.operands, passes)
    }

    /// Returns the instructions that some values go to, as [`Values::origins`] does.
    pub fn consumers(&self, starts: &[u32], passes: impl Fn(u32) -> bool) -> Vec<u32> {
        search(starts, &self.readers, passes)
    }
}

/// Follows edges from some instructions, and beyond those that `passes` accepts.
fn search(starts: &[u32], edges: &[Vec<u32>], passes: impl Fn(u32) -> bool) -> Vec<u32> {
    let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
    let mut open: VecDeque<u32> = starts.iter().copied().collect();
    while let Some(index) = open.pop_front().filter(|_| found.len() < SEARCHED) {
        if !seen.insert(index) {
            continue;
        }
        found.push(index);
        if starts.contains(&index) || passes(index) {
            open.extend(&edges[index as usize]);
        }
    }
    found
}

/// Returns the instruction that computes the value of `id`.
fn source(module: &Module, id: InstructionId) -> InstructionId {
    let mut id = id;
    for _ in 0..LONGEST {
        match nearer(module, id) {
            Some(next) if next != id => id = next,
            _ => break,
        }
    }
    id
}

/// Returns the next instruction on the way to the one that computes a value. `None` if `id` computes it.
fn nearer(module: &Module, id: InstructionId) -> Option<InstructionId> {
    let instruction = module.instruction(id)?;
    let operand = |place: usize| module.operands(id).nth(place);
    match &*instruction.opcode {
        "fusion" | "call" | "async-start" => root(module, instruction.calls().find_map(|call| call.id)?),
        "get-tuple-element" => {
            let place = instruction.text("index")?.trim().parse().ok()?;
            element(module, operand(0)?, place, DEPTH).or_else(|| operand(0))
        }
        "parameter" => {
            let caller = caller(module, instruction, id)?;
            let is_loop = &*module.instruction(caller)?.opcode == "while";
            let place = instruction.parameter_number()? as usize;
            if is_loop { None } else { module.operands(caller).nth(place) }
        }
        // What is written into a buffer is its value.
        "dynamic-update-slice" => operand(1),
        "custom-call" if instruction.custom_call_target().is_some_and(|target| MOVING_CALLS.contains(&target)) => {
            operand(0)
        }
        opcode if MOVES.contains(&opcode) => operand(0),
        _ => None,
    }
}

/// Returns an element of a tuple. `depth` limits the loops and calls that are looked through.
fn element(module: &Module, tuple: InstructionId, place: usize, depth: u32) -> Option<InstructionId> {
    let instruction = module.instruction(tuple)?;
    let depth = depth.checked_sub(1)?;
    let within = |tuple: Option<InstructionId>| element(module, tuple?, place, depth);
    let called = |key: &str| root(module, instruction.call(key)?.id?);
    match &*instruction.opcode {
        "tuple" => module.operands(tuple).nth(place),
        "opt-barrier" => within(module.operands(tuple).next()),
        "fusion" => within(called("calls")),
        "call" => within(called("to_apply")),
        "while" => within(called("body")),
        "parameter" => {
            let caller = caller(module, instruction, tuple)?;
            within(module.operands(caller).nth(instruction.parameter_number()? as usize))
        }
        _ => None,
    }
}

fn root(module: &Module, computation: ComputationId) -> Option<InstructionId> {
    module.computation(computation)?.root
}

/// Returns the instruction that calls the computation of a parameter.
fn caller(module: &Module, parameter: &Instruction, id: InstructionId) -> Option<InstructionId> {
    module.callers(parameter.computation?).first().copied().filter(|caller| *caller != id)
}
