//! This module defines an HLO module: its computations and instructions, with links between them in both directions.

use super::opcode::is_done;
use super::{Attribute, ComputationId, Frames, Instruction, InstructionId, Metadata, SourceFrame, Text, Value};
use std::collections::HashMap;
use std::ops::Range;

/// A compiled HLO program.
#[derive(Debug, Default)]
pub struct Module {
    /// Name of the module, such as `jit_train_step`.
    pub name: Text,
    /// `HloModuleProto.id`; `None` if the module was read from text. On TPUs this is **not** the `program_id` of the
    /// events (12 and 12190760917235803885 in one real capture); on CPUs and GPUs it is. The name of the event that
    /// holds the proto, `jit_f(program id)`, identifies a program.
    pub id: Option<u64>,
    /// Attributes of the first line, in order.
    pub attributes: Vec<Attribute>,
    pub entry: Option<ComputationId>,
    /// Call stacks.
    pub frames: Frames,
    /// Parts that could not be read. Empty for every module that a compiler wrote.
    pub damage: Damage,
    /// Number of replicas and of partitions in the device assignment.
    pub(super) assigned: Option<(u64, u64)>,
    /// Parts along each dimension of the entry's parameters, by number. Empty if the program does not state them.
    pub(super) parameter_tiles: Vec<Option<Vec<u64>>>,
    pub(super) computations: Vec<Computation>,
    pub(super) instructions: Vec<Instruction>,
    pub(super) links: Links,
}

/// A computation of a module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Computation {
    /// Name, without `%`.
    pub name: Text,
    /// Id in the proto; `None` if the module was read from text.
    pub proto_id: Option<i64>,
    /// Indices of the instructions in the module.
    pub instructions: Range<u32>,
    /// The instruction whose result is the result of the computation.
    pub root: Option<InstructionId>,
    /// The computation is the body of a fusion, whose instructions do not run one by one.
    pub is_fusion: bool,
    /// The thread, if it is not the main one, such as `sparsecore`.
    pub thread: Option<Text>,
    /// The order in which the instructions run, if it is known.
    pub schedule: Option<Vec<InstructionId>>,
}

/// The parts of a module or an instruction that could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Number of parts that could not be parsed, such as unknown characters and lines that are not instructions.
    pub leftover: usize,
    /// Number of operands and called computations that are not in the module.
    pub unresolved: usize,
    /// Descriptions of the first few parts.
    pub notes: Vec<String>,
}

impl Damage {
    const NOTES: usize = 8;

    /// Adds a description, unless there are [`Self::NOTES`] already.
    pub(super) fn note(&mut self, note: impl FnOnce() -> String) {
        if self.notes.len() < Self::NOTES {
            self.notes.push(note());
        }
    }
}

/// Indices by name and by id, the users of each instruction, and the callers of each computation.
#[derive(Debug, Default)]
pub(super) struct Links {
    pub(super) by_name: HashMap<Text, InstructionId>,
    pub(super) by_computation: HashMap<Text, ComputationId>,
    pub(super) by_proto_id: HashMap<i64, InstructionId>,
    /// The users of instruction `i` are `users[user_start[i]..user_start[i + 1]]`.
    pub(super) user_start: Vec<u32>,
    pub(super) users: Vec<InstructionId>,
    pub(super) caller_start: Vec<u32>,
    pub(super) callers: Vec<InstructionId>,
}

impl Module {
    /// Returns the number of devices that run the module together: replicas × partitions. Returns `None` if the module
    /// contains neither.
    pub fn devices(&self) -> Option<u64> {
        let (replicas, partitions) = self.replicas_and_partitions()?;
        replicas.checked_mul(partitions).filter(|n| *n > 0)
    }

    /// Returns the number of replicas, each of which works on its own inputs; 1 if the module does not contain it.
    pub fn n_replicas(&self) -> u64 {
        self.replicas_and_partitions().map_or(1, |(replicas, _)| replicas)
    }

    /// Returns into how many parts the devices divide each dimension of a parameter of the entry; further dimensions are
    /// not divided. `None` if the module does not contain it.
    pub fn parameter_tiles(&self, parameter: &Instruction) -> Option<Vec<u64>> {
        if let Some((_, 1)) = self.replicas_and_partitions() {
            return Some(Vec::new());
        }
        let number = usize::try_from(parameter.parameter_number()?).ok()?;
        self.parameter_tiles.get(number).cloned().flatten()
    }

    fn replicas_and_partitions(&self) -> Option<(u64, u64)> {
        let attribute = |key: &str| match &self.attributes.iter().find(|a| &*a.key == key)?.value {
            Value::Text(text) => text.parse().ok(),
            _ => None,
        };
        let by_text = || match (attribute("replica_count"), attribute("num_partitions")) {
            (None, None) => None,
            (replicas, partitions) => Some((replicas.unwrap_or(1_u64), partitions.unwrap_or(1_u64))),
        };
        self.assigned.or_else(by_text)
    }

    /// Iterates over the computations with their ids, in the order of the file. The entry is usually the last one.
    pub fn computations(&self) -> impl ExactSizeIterator<Item = (ComputationId, &Computation)> {
        self.computations.iter().enumerate().map(|(i, c)| (ComputationId::new(i), c))
    }

    /// Iterates over all instructions with their ids, computation by computation.
    pub fn instructions(&self) -> impl ExactSizeIterator<Item = (InstructionId, &Instruction)> {
        self.instructions.iter().enumerate().map(|(i, n)| (InstructionId::new(i), n))
    }

    /// Returns an instruction, or `None` if the module has no such id.
    pub fn instruction(&self, id: InstructionId) -> Option<&Instruction> {
        self.instructions.get(id.index())
    }

    /// Returns a computation, or `None` if the module has no such id.
    pub fn computation(&self, id: ComputationId) -> Option<&Computation> {
        self.computations.get(id.index())
    }

    /// Returns the instruction with this name (without `%`), the first one if several computations have one.
    pub fn instruction_named(&self, name: &str) -> Option<InstructionId> {
        self.links.by_name.get(name).copied()
    }

    /// Returns the computation with this name (without `%`).
    pub fn computation_named(&self, name: &str) -> Option<ComputationId> {
        self.links.by_computation.get(name).copied()
    }

    /// Returns the instruction with this id in the proto, by which buffers refer to it.
    pub fn instruction_of_proto(&self, id: i64) -> Option<InstructionId> {
        self.links.by_proto_id.get(&id).copied()
    }

    /// Iterates over the instructions of a computation, in the order of the file. In a text with `is_scheduled=true`,
    /// this is the schedule.
    pub fn instructions_of(&self, id: ComputationId) -> impl ExactSizeIterator<Item = InstructionId> + use<> {
        self.computation(id).map_or(0..0, |c| c.instructions.clone()).map(InstructionId)
    }

    /// Iterates over the operands that are in the module, in order.
    pub fn operands(&self, id: InstructionId) -> impl Iterator<Item = InstructionId> {
        self.instruction(id).map_or(&[][..], |i| &i.operands).iter().filter_map(|o| o.id)
    }

    /// Returns the instructions that have this one as an operand, each once, in the order of the file.
    pub fn users(&self, id: InstructionId) -> &[InstructionId] {
        slice(&self.links.user_start, &self.links.users, id.index())
    }

    /// Returns the instructions that call a computation, each once, in the order of the file.
    pub fn callers(&self, id: ComputationId) -> &[InstructionId] {
        slice(&self.links.caller_start, &self.links.callers, id.index())
    }

    /// Returns the instruction that does the work of `id`. A `-done` leads to its `-start`; an `async-start` or a
    /// `call` leads to the root of the called computation. Several such steps are followed. Any other instruction is
    /// returned itself.
    ///
    /// ```text
    /// async-done → async-start → (calls) call → (to_apply) all-gather
    /// all-reduce-done → all-reduce-start
    /// ```
    pub fn wrapped(&self, id: InstructionId) -> InstructionId {
        let mut current = id;
        // Real chains have three steps. The limit ends a circle of calls.
        for _ in 0..16 {
            let Some(instruction) = self.instruction(current) else { break };
            let next = match &*instruction.opcode {
                "async-start" | "call" => instruction.calls().find_map(|c| self.computation(c.id?)?.root),
                opcode if opcode == "async-update" || is_done(opcode) => self.operands(current).next(),
                _ => None,
            };
            let Some(next) = next else { return current };
            current = next;
        }
        current
    }

    /// Returns the call stack of an instruction, the innermost call first. It comes from the stack frames of the
    /// module, else it is the one source line of the instruction's metadata. It is empty if neither is known.
    pub fn stack(&self, id: InstructionId) -> Vec<SourceFrame<'_>> {
        let Some(metadata) = self.instruction(id).and_then(Instruction::metadata) else { return Vec::new() };
        let stack = self.frames.stack(metadata.stack_frame);
        match &metadata.source_file {
            Some(file) if stack.is_empty() => {
                let Metadata { source_line: line, source_column: column, .. } = *metadata;
                vec![SourceFrame { file, function: "", line, column }]
            }
            _ => stack,
        }
    }

    /// Adds a computation that consists of the instructions from index `start` on.
    pub(super) fn push_computation(&mut self, start: usize, computation: Computation, is_entry: bool) {
        let place = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
        if is_entry {
            self.entry = Some(ComputationId::new(self.computations.len()));
        }
        let instructions = place(start)..place(self.instructions.len());
        self.computations.push(Computation { instructions, ..computation });
    }
}

fn slice<'a>(start: &[u32], all: &'a [InstructionId], i: usize) -> &'a [InstructionId] {
    let bound = |i: usize| start.get(i).map(|n| *n as usize);
    bound(i).zip(bound(i.saturating_add(1))).and_then(|(from, to)| all.get(from..to)).unwrap_or_default()
}
