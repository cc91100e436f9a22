//! This module finds the body of an instruction that calls computations: the instructions that are drawn, the
//! parameters of an operand, and the roots. It depends on HLO.

use indexmap::IndexMap;
use xla_profile::hlo::{ComputationId, Instruction, InstructionId, Module};
use xla_profile::small_sort::SmallSort;

/// Largest number of drawn instructions of a body.
const MAX: usize = 80;

/// Returns the computations that an instruction runs as its body, in order. The computation of a reduction or a sort is
/// no body: it describes the operation on two elements.
pub(crate) fn inside(instruction: &Instruction) -> Vec<ComputationId> {
    match &*instruction.opcode {
        "fusion" | "call" | "while" | "conditional" | "async-start" => {
            instruction.calls().filter_map(|call| call.id).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the number of instructions of a body.
pub(crate) fn size(module: &Module, inside: &[ComputationId]) -> usize {
    inside.iter().map(|id| module.instructions_of(*id).len()).sum()
}

/// Splits a body into the instructions that are drawn and those that are left out. Instructions nearest to the result
/// are kept, so that every user of a kept instruction is kept.
pub(crate) fn visible(module: &Module, inside: &[ComputationId]) -> (Vec<InstructionId>, Vec<InstructionId>) {
    let all: Vec<InstructionId> = inside.iter().flat_map(|id| module.instructions_of(*id)).collect();
    if all.len() <= MAX {
        return (all, Vec::new());
    }
    // The longest path to the result, in hops. Operands precede their users in the file.
    let mut far: IndexMap<InstructionId, u32> = IndexMap::default();
    for id in all.iter().rev() {
        let own = *far.entry(*id).or_default();
        let before = module.instruction(*id).map_or(&[][..], |i| i.control_predecessors());
        for from in module.operands(*id).chain(before.iter().filter_map(|operand| operand.id)) {
            let distance = far.entry(from).or_default();
            *distance = (*distance).max(own.saturating_add(1));
        }
    }
    let mut order = all;
    order.small_sort_by_key(|id| (far.get(id).copied(), std::cmp::Reverse(*id)));
    let mut left = order.split_off(MAX);
    order.small_sort_by(Ord::cmp);
    left.small_sort_by(Ord::cmp);
    (order, left)
}

/// Returns the parameters that receive an operand in the body.
pub(crate) fn parameters(module: &Module, instruction: &Instruction, operand: usize) -> Vec<InstructionId> {
    let inside = inside(instruction);
    let parameter = |computation: ComputationId, number: usize| {
        let is =
            |id: &InstructionId| module.instruction(*id).is_some_and(|i| i.parameter_number() == Some(number as u64));
        module.instructions_of(computation).find(is)
    };
    match &*instruction.opcode {
        // The first operand selects the branch. Each further operand is the input of one branch.
        "conditional" => {
            let branch = operand.checked_sub(1).and_then(|i| inside.get(i));
            branch.and_then(|branch| parameter(*branch, 0)).into_iter().collect()
        }
        _ => inside.iter().filter_map(|computation| parameter(*computation, operand)).collect(),
    }
}

/// Returns the roots of the body. For a loop, it is the root of the loop body and not that of the condition.
pub(crate) fn roots(module: &Module, instruction: &Instruction) -> Vec<InstructionId> {
    let mut inside = inside(instruction);
    if let Some(body) = instruction.call("body") {
        inside = body.id.into_iter().collect();
    }
    inside.iter().filter_map(|id| module.computation(*id)?.root).collect()
}
