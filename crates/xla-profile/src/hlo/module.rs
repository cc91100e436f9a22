//! A module: computations of instructions, linked both ways. This module knows neither the text nor the proto it came from.

use super::opcode::is_done;
use super::{Attribute, ComputationId, Frames, Instruction, InstructionId, Metadata, SourceFrame, Text, Value};
use std::collections::HashMap;
use std::ops::Range;

/// A whole program.
#[derive(Debug, Default)]
pub struct Module {
    /// Its name: `jit_train_step`.
    pub name: Text,
    /// `HloModuleProto.id`; `None` from text. On TPUs this is **not** the `program_id` of a capture's events (12 and
    /// 12190760917235803885 in one real capture), on CPUs and GPUs it is: find a program by the name of the event that
    /// holds its proto, `jit_f(program id)`.
    pub id: Option<u64>,
    /// What its first line says besides the name, in order.
    pub attributes: Vec<Attribute>,
    /// Where it starts.
    pub entry: Option<ComputationId>,
    /// Call stacks.
    pub frames: Frames,
    /// What could not be read. Empty for every module that a compiler wrote.
    pub damage: Damage,
    /// Replicas and partitions that its devices were assigned to.
    pub(super) assigned: Option<(u64, u64)>,
    pub(super) computations: Vec<Computation>,
    pub(super) instructions: Vec<Instruction>,
    pub(super) links: Links,
}

/// A computation: instructions, one of which is what it gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Computation {
    /// Its name, without `%`.
    pub name: Text,
    /// Its id in the proto; `None` from text.
    pub proto_id: Option<i64>,
    /// Its instructions' places.
    pub instructions: Range<u32>,
    /// What it gives.
    pub root: Option<InstructionId>,
    /// Whether it is the body of a fusion, whose instructions do not run one by one.
    pub is_fusion: bool,
    /// The thread it runs on, where that is not the main one: `sparsecore`.
    pub thread: Option<Text>,
    /// The order its instructions run in, if it is known.
    pub schedule: Option<Vec<InstructionId>>,
}

/// What could not be read of a module or an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Pieces that were not understood: characters nothing knows, lines that are no instruction.
    pub leftover: usize,
    /// Operands, called computations and roots that are nowhere in the module.
    pub unresolved: usize,
    /// The first few, in words.
    pub notes: Vec<String>,
}

impl Damage {
    const NOTES: usize = 8;

    /// Keeps a note, if there are not enough already.
    pub(super) fn note(&mut self, note: impl FnOnce() -> String) {
        if self.notes.len() < Self::NOTES {
            self.notes.push(note());
        }
    }
}

/// Look-ups and the way back from an instruction to its users.
#[derive(Debug, Default)]
pub(super) struct Links {
    pub(super) by_name: HashMap<Text, InstructionId>,
    pub(super) by_computation: HashMap<Text, ComputationId>,
    pub(super) by_proto_id: HashMap<i64, InstructionId>,
    /// Users of instruction `i` are `users[user_start[i]..user_start[i + 1]]`.
    pub(super) user_start: Vec<u32>,
    pub(super) users: Vec<InstructionId>,
    pub(super) caller_start: Vec<u32>,
    pub(super) callers: Vec<InstructionId>,
}

impl Module {
    /// Devices that one run of it is shared by: replicas × partitions; `None` where it does not say them.
    pub fn devices(&self) -> Option<u64> {
        let attribute = |key: &str| match &self.attributes.iter().find(|a| &*a.key == key)?.value {
            Value::Text(text) => text.parse().ok(),
            _ => None,
        };
        let by_text = || match (attribute("replica_count"), attribute("num_partitions")) {
            (None, None) => None,
            (replicas, partitions) => Some((replicas.unwrap_or(1_u64), partitions.unwrap_or(1_u64))),
        };
        let (replicas, partitions) = self.assigned.or_else(by_text)?;
        replicas.checked_mul(partitions).filter(|n| *n > 0)
    }

    /// Its computations with their ids, in the order of the file: the entry is mostly the last.
    pub fn computations(&self) -> impl ExactSizeIterator<Item = (ComputationId, &Computation)> {
        self.computations.iter().enumerate().map(|(i, c)| (ComputationId::new(i), c))
    }

    /// Every instruction with its id, computation by computation.
    pub fn instructions(&self) -> impl ExactSizeIterator<Item = (InstructionId, &Instruction)> {
        self.instructions.iter().enumerate().map(|(i, n)| (InstructionId::new(i), n))
    }

    /// An instruction; `None` for an id of another module.
    pub fn instruction(&self, id: InstructionId) -> Option<&Instruction> {
        self.instructions.get(id.index())
    }

    /// A computation; `None` for an id of another module.
    pub fn computation(&self, id: ComputationId) -> Option<&Computation> {
        self.computations.get(id.index())
    }

    /// The instruction called `name` (without `%`); the first if several computations have one.
    pub fn instruction_named(&self, name: &str) -> Option<InstructionId> {
        self.links.by_name.get(name).copied()
    }

    /// The computation called `name` (without `%`).
    pub fn computation_named(&self, name: &str) -> Option<ComputationId> {
        self.links.by_computation.get(name).copied()
    }

    /// The instruction that the proto calls `id`, as buffers do.
    pub fn instruction_of_proto(&self, id: i64) -> Option<InstructionId> {
        self.links.by_proto_id.get(&id).copied()
    }

    /// The instructions of a computation, in the order of the file (which is the schedule where text says
    /// `is_scheduled=true`).
    pub fn instructions_of(&self, id: ComputationId) -> impl ExactSizeIterator<Item = InstructionId> + use<> {
        self.computation(id).map_or(0..0, |c| c.instructions.clone()).map(InstructionId)
    }

    /// Operands that are in the module, in order.
    pub fn operands(&self, id: InstructionId) -> impl Iterator<Item = InstructionId> {
        self.instruction(id).map_or(&[][..], |i| &i.operands).iter().filter_map(|o| o.id)
    }

    /// The instructions that take this one, each once, in the order of the file.
    pub fn users(&self, id: InstructionId) -> &[InstructionId] {
        slice(&self.links.user_start, &self.links.users, id.index())
    }

    /// The instructions that call a computation, in the order of the file.
    pub fn callers(&self, id: ComputationId) -> &[InstructionId] {
        slice(&self.links.caller_start, &self.links.callers, id.index())
    }

    /// The instruction that does the work of `id`: of a `-done` its `-start`; of an `async-start` or a `call` the root of
    /// the computation it calls; through several of them. Anything else is itself.
    ///
    /// ```text
    /// async-done → async-start → (calls) call → (to_apply) all-gather
    /// all-reduce-done → all-reduce-start
    /// ```
    pub fn wrapped(&self, id: InstructionId) -> InstructionId {
        let mut at = id;
        // Real ones are three deep; calls that go round in a circle have no end.
        for _ in 0..16 {
            let Some(instruction) = self.instruction(at) else { break };
            let next = match &*instruction.opcode {
                "async-start" | "call" => instruction.calls().find_map(|c| self.computation(c.id?)?.root),
                opcode if opcode == "async-update" || is_done(opcode) => self.operands(at).next(),
                _ => None,
            };
            let Some(next) = next else { return at };
            at = next;
        }
        at
    }

    /// The call stack of an instruction, the innermost call first: from the module's stack frames, else the one place
    /// that its metadata names. Empty if nothing is known.
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

    /// Adds a computation of the instructions from `start` on.
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
    let at = |i: usize| start.get(i).map(|n| *n as usize);
    at(i).zip(at(i.saturating_add(1))).and_then(|(from, to)| all.get(from..to)).unwrap_or_default()
}
