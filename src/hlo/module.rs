//! A module: computations of instructions, linked both ways. Knows neither the text nor the proto it came from.

use super::{Attribute, ComputationId, Frames, Instruction, InstructionId, Text};
use hashbrown::HashMap;
use std::ops::Range;

/// A whole program.
#[derive(Debug, Default)]
pub struct Module {
    /// Its name: `jit_train_step`.
    pub name: Text,
    /// Its program id, as events of a capture name it. `None` from text, which does not say it.
    pub id: Option<u64>,
    /// What its first line says besides the name, in order.
    pub attributes: Vec<Attribute>,
    /// Where it starts.
    pub entry: Option<ComputationId>,
    /// Call stacks.
    pub frames: Frames,
    /// What could not be read. Empty for every module that a compiler wrote.
    pub damage: Damage,
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

    /// The instruction that does the work of `id`: of an asynchronous start, update or done the root of the computation
    /// that the start calls, of a `call` its computation's root; through several of them. Anything else is itself.
    pub fn wrapped(&self, id: InstructionId) -> InstructionId {
        id
    }
}

fn slice<'a>(start: &[u32], all: &'a [InstructionId], i: usize) -> &'a [InstructionId] {
    let at = |i: usize| start.get(i).map(|n| *n as usize);
    at(i).zip(at(i.saturating_add(1))).and_then(|(from, to)| all.get(from..to)).unwrap_or_default()
}
