//! This module computes the fingerprint of a program: a digest that does not depend on names and ids, and the position
//! of each instruction.

use super::digest::Digest;
use super::instruction_digests::instruction_digest;
use crate::hlo::{Computation, ComputationId, InstructionId, Module};

/// The fingerprint of a program. If two programs have the same digest, instructions with the same position correspond.
pub(super) struct Fingerprint {
    pub(super) digest: u64,
    /// Positions by the index of the instruction, in schedule order, the entry first and then the computations in the
    /// order of their first call. `None` for instructions that the entry does not lead to.
    positions: Vec<Option<u32>>,
}

impl Fingerprint {
    /// Computes the fingerprint of a program.
    pub(super) fn new(module: &Module) -> Self {
        let mut numbers: Vec<Option<u32>> = vec![None; module.computations().len()];
        let mut order: Vec<InstructionId> = Vec::new();
        let mut called: Vec<ComputationId> = Vec::new();
        let mut call = |id: ComputationId, called: &mut Vec<ComputationId>| {
            if let Some(number @ None) = numbers.get_mut(id.index()) {
                *number = Some(called.len() as u32);
                called.push(id);
            }
        };
        module.entry.into_iter().for_each(|entry| call(entry, &mut called));
        let mut next = 0;
        while let Some(id) = called.get(next).copied() {
            next += 1;
            let start = order.len();
            order.extend(schedule(module, id));
            for instruction in order[start..].iter().filter_map(|id| module.instruction(*id)) {
                instruction.calls().filter_map(|of| of.id).for_each(|id| call(id, &mut called));
            }
        }
        let mut positions = vec![None; module.instructions().len()];
        for (position, id) in order.iter().enumerate() {
            if let Some(entry) = positions.get_mut(id.index()) {
                *entry = Some(position as u32);
            }
        }
        let mut digest = Digest::default();
        for (id, instruction) in order.iter().filter_map(|id| Some((*id, module.instruction(*id)?))) {
            digest.add(instruction_digest(instruction, |call| numbers.get(call.id?.index()).copied().flatten()));
            module.operands(id).for_each(|operand| digest.add(positions.get(operand.index())));
        }
        Self { digest: digest.finish(), positions }
    }

    /// Returns the position of an instruction.
    pub(super) fn position(&self, id: InstructionId) -> Option<u32> {
        self.positions.get(id.index()).copied().flatten()
    }
}

/// Returns the instructions of a computation in the order in which they run, else in the order of the file.
fn schedule(module: &Module, id: ComputationId) -> Vec<InstructionId> {
    let computation: Option<&Computation> = module.computation(id);
    let scheduled = computation.and_then(|computation| computation.schedule.clone());
    scheduled.unwrap_or_else(|| module.instructions_of(id).collect())
}
