//! This module computes the fingerprint of a program: a digest that does not depend on names, on ids, and on the order
//! in which independent instructions run.

use super::dataflow::{Node, dataflow_digests, unordered_digest};
use super::digest::digest;
use super::instruction_digests::instruction_digest;
use rustc_hash::FxHashMap;
use xla_profile::hlo::{ComputationId, Instruction, InstructionId, Module};

/// The fingerprint of a program. If two programs have the same digest, they are the same apart from names, ids and
/// order, and instructions with the same identity correspond.
pub(super) struct Fingerprint {
    pub(super) digest: u64,
    /// Identities by the index of the instruction. `None` for instructions that the entry does not lead to.
    identities: Vec<Option<u64>>,
}

impl Fingerprint {
    /// Computes the fingerprint of a program.
    pub(super) fn new(module: &Module) -> Self {
        let mut identities: Vec<Option<u64>> = vec![None; module.instructions().len()];
        let mut digests: FxHashMap<ComputationId, u64> = FxHashMap::default();
        // In a file, a computation comes after those that it calls. For another order, the called one has no digest.
        for (id, _) in module.computations() {
            let of_computation = dataflow(module, id, &digests);
            for (instruction, identity) in module.instructions_of(id).zip(&of_computation) {
                identities[instruction.index()] = Some(*identity);
            }
            digests.insert(id, unordered_digest(&of_computation));
        }
        let digest = module.entry.and_then(|entry| digests.get(&entry)).copied().unwrap_or_default();
        add_callers(module, &mut identities);
        Self { digest, identities }
    }

    /// Returns the identity of an instruction.
    pub(super) fn identity(&self, id: InstructionId) -> Option<u64> {
        self.identities.get(id.index()).copied().flatten()
    }
}

/// Returns the digests of the instructions of a computation. `digests` are those of the computations that they call.
fn dataflow(module: &Module, id: ComputationId, digests: &FxHashMap<ComputationId, u64>) -> Vec<u64> {
    let instructions: Vec<(InstructionId, &Instruction)> =
        module.instructions_of(id).filter_map(|id| Some((id, module.instruction(id)?))).collect();
    let first = instructions.first().map_or(0, |(id, _)| id.index());
    let nodes = instructions.iter().map(|(_, instruction)| Node {
        digest: instruction_digest(instruction, |call| digests.get(&call.id?).copied()),
        // The instructions of a computation have consecutive indices.
        operands: instruction
            .operands
            .iter()
            .map(|operand| operand.id?.index().checked_sub(first).map(|place| place as u32))
            .collect(),
    });
    dataflow_digests(&nodes.collect::<Vec<Node>>())
}

/// Adds the identity of the caller to that of each instruction of a called computation, so that the bodies of two equal
/// loops differ. Removes the identities of computations that the entry does not lead to.
fn add_callers(module: &Module, identities: &mut [Option<u64>]) {
    let mut callers: FxHashMap<ComputationId, u64> = module.entry.map(|entry| (entry, 0)).into_iter().collect();
    let computations: Vec<ComputationId> = module.computations().map(|(id, _)| id).collect();
    for computation in computations.into_iter().rev() {
        let caller = callers.get(&computation).copied();
        for id in module.instructions_of(computation) {
            let Some(identity) = identities.get_mut(id.index()) else { continue };
            *identity = identity.zip(caller).map(digest);
            let (Some(identity), Some(instruction)) = (*identity, module.instruction(id)) else { continue };
            for (number, called) in instruction.calls().enumerate().filter_map(|(n, call)| Some((n, call.id?))) {
                callers.entry(called).or_insert_with(|| digest((identity, number)));
            }
        }
    }
}
