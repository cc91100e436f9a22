//! This module counts the instructions in the bodies of fusions and calls, which execute with their op and have no events
//! of their own.
//!
//! An instruction of a called computation that has events of its own is counted as an op, and not here: a GPU runs the
//! instructions of a `call` one by one. The bodies of loops and branches are not read, because their instructions are ops,
//! and neither are the functions of a reduction or a sort.

use super::report::{BodyOpcode, DataMovement};
use indexmap::{IndexMap, IndexSet};
use std::cmp::Reverse;
use std::rc::Rc;
use xla_profile::hlo::{ComputationId, Module};
use xla_profile::profile::{Profile, ProgramId, StrId};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Count;

/// Largest depth of computations within computations. Compilers nest a few.
const MAX_DEPTH: u32 = 64;

/// The executed ops of each program.
#[derive(Default)]
pub struct ExecutedOps(IndexMap<ProgramId, ProgramOps>);

#[derive(Default)]
struct ProgramOps {
    names: IndexSet<StrId>,
    /// The fusions and calls, with their executions.
    callers: IndexMap<StrId, Count>,
}

impl ExecutedOps {
    /// Adds the executions of an op.
    pub(super) fn add(&mut self, program: Option<ProgramId>, name: StrId, opcode: Option<&str>, n: Count) {
        let Some(program) = program else { return };
        let ops = self.0.entry(program).or_default();
        ops.names.insert(name);
        if opcode.is_some_and(has_body) {
            *ops.callers.entry(name).or_default() += n;
        }
    }

    /// Returns the programs with fusions or calls.
    pub fn programs_with_bodies(&self) -> impl Iterator<Item = ProgramId> {
        self.0.iter().filter(|(_, ops)| !ops.callers.is_empty()).map(|(id, _)| *id)
    }
}

impl DataMovement {
    /// Counts the instructions in the bodies of the fusions and calls of a program. The counts stay unknown if the program
    /// does not have one of these ops.
    pub fn count_bodies(&mut self, profile: &Profile, executed: &ExecutedOps, program: ProgramId, module: &Module) {
        let Some(ops) = executed.0.get(&program) else { return };
        let mut bodies = Bodies {
            module,
            executed: ops.names.iter().map(|name| profile.text(*name)).collect(),
            counts: IndexMap::new(),
        };
        let mut sums: IndexMap<&str, Count> = IndexMap::new();
        for (name, n) in &ops.callers {
            let instruction = module.instruction_named(profile.text(*name)).and_then(|id| module.instruction(id));
            let Some(counts) = instruction.and_then(|caller| bodies.called(caller.calls().map(|call| call.id), 0))
            else {
                return;
            };
            for (opcode, inner) in &counts {
                *sums.entry(opcode).or_default() += Count::from(n.times(*inner));
            }
        }
        let mut sums: Vec<BodyOpcode> =
            sums.into_iter().map(|(opcode, n)| BodyOpcode { opcode: opcode.to_owned(), n }).collect();
        sums.small_sort_by(|a, b| (Reverse(a.n), &a.opcode).cmp(&(Reverse(b.n), &b.opcode)));
        if let Some(opcode) = self.opcodes.iter_mut().find(|opcode| opcode.program_id == Some(program.0)) {
            opcode.bodies = Some(sums);
        }
    }
}

/// Returns whether the op runs called computations as a part of itself.
fn has_body(opcode: &str) -> bool {
    matches!(opcode, "fusion" | "call")
}

type OpcodeCounts<'m> = Rc<IndexMap<&'m str, u64>>;

/// The computations of a program, each counted once.
struct Bodies<'m> {
    module: &'m Module,
    /// Names of the ops that have events.
    executed: IndexSet<&'m str>,
    /// `None` while a computation is being counted, and for one that cannot be counted.
    counts: IndexMap<ComputationId, Option<OpcodeCounts<'m>>>,
}

impl<'m> Bodies<'m> {
    /// Returns how often one execution of a caller runs each opcode in the computations that it calls. `None` if a
    /// computation is missing, calls itself or is nested too deeply.
    fn called(
        &mut self,
        calls: impl Iterator<Item = Option<ComputationId>>,
        depth: u32,
    ) -> Option<IndexMap<&'m str, u64>> {
        let mut sum: IndexMap<&'m str, u64> = IndexMap::new();
        for computation in calls {
            for (opcode, n) in self.computation(computation?, depth)?.iter() {
                let all = sum.entry(*opcode).or_default();
                *all = all.saturating_add(*n);
            }
        }
        Some(sum)
    }

    fn computation(&mut self, id: ComputationId, depth: u32) -> Option<OpcodeCounts<'m>> {
        if let Some(counts) = self.counts.get(&id) {
            return counts.clone();
        }
        if depth >= MAX_DEPTH {
            return None;
        }
        self.counts.insert(id, None);
        let mut sum: IndexMap<&'m str, u64> = IndexMap::new();
        for instruction in self.module.instructions_of(id).filter_map(|id| self.module.instruction(id)) {
            let opcode: &'m str = &instruction.opcode;
            // A parameter is an operand of the caller, and a constant is part of the code.
            if matches!(opcode, "parameter" | "constant") || self.executed.contains(&*instruction.name) {
                continue;
            }
            let all = sum.entry(opcode).or_default();
            *all = all.saturating_add(1);
            if has_body(opcode) {
                for (opcode, n) in self.called(instruction.calls().map(|call| call.id), depth + 1)? {
                    let all = sum.entry(opcode).or_default();
                    *all = all.saturating_add(n);
                }
            }
        }
        let counts = Some(Rc::new(sum));
        self.counts.insert(id, counts.clone());
        counts
    }
}
