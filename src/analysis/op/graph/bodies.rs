//! What is inside an instruction that calls computations: which of it is reported, where its operands come in, and what it
//! gives. This module knows HLO.

use crate::hlo::{ComputationId, Instruction, InstructionId, Module};
use crate::small_sort::SmallSort;
use indexmap::IndexMap;

/// Instructions of an opened one told at most.
const MAX: usize = 80;

/// The computations that an instruction runs as its inside, in order. A reduction's or a sort's is no inside: it says
/// what is done to two elements.
pub(crate) fn inside(instruction: &Instruction) -> Vec<ComputationId> {
    match &*instruction.opcode {
        "fusion" | "call" | "while" | "conditional" | "async-start" => {
            instruction.calls().filter_map(|call| call.id).collect()
        }
        _ => Vec::new(),
    }
}

/// How many instructions that is.
pub(crate) fn size(module: &Module, inside: &[ComputationId]) -> usize {
    inside.iter().map(|id| module.instructions_of(*id).len()).sum()
}

/// The instructions that are reported and those left out: nearest to what is given first, so that nobody who takes from one
/// that is reported is left out.
pub(crate) fn visible(module: &Module, inside: &[ComputationId]) -> (Vec<InstructionId>, Vec<InstructionId>) {
    let all: Vec<InstructionId> = inside.iter().flat_map(|id| module.instructions_of(*id)).collect();
    if all.len() <= MAX {
        return (all, Vec::new());
    }
    // Hops to what is given, the longest way. Operands stand before those that take them.
    let mut far: IndexMap<InstructionId, u32> = IndexMap::default();
    for id in all.iter().rev() {
        let own = *far.entry(*id).or_default();
        let before = module.instruction(*id).map_or(&[][..], |i| i.control_predecessors());
        for from in module.operands(*id).chain(before.iter().filter_map(|operand| operand.id)) {
            let of = far.entry(from).or_default();
            *of = (*of).max(own.saturating_add(1));
        }
    }
    let mut order = all;
    order.small_sort_by_key(|id| (far.get(id).copied(), std::cmp::Reverse(*id)));
    let mut left = order.split_off(MAX);
    order.small_sort_by(Ord::cmp);
    left.small_sort_by(Ord::cmp);
    (order, left)
}

/// The parameters that an operand becomes inside.
pub(crate) fn parameters(module: &Module, of: &Instruction, operand: usize) -> Vec<InstructionId> {
    let inside = inside(of);
    let at = |computation: ComputationId, number: usize| {
        let is =
            |id: &InstructionId| module.instruction(*id).is_some_and(|i| i.parameter_number() == Some(number as u64));
        module.instructions_of(computation).find(is)
    };
    match &*of.opcode {
        // The first says which branch; each of the others is what its branch takes.
        "conditional" => {
            let branch = operand.checked_sub(1).and_then(|i| inside.get(i));
            branch.and_then(|branch| at(*branch, 0)).into_iter().collect()
        }
        _ => inside.iter().filter_map(|computation| at(*computation, operand)).collect(),
    }
}

/// What is given: the roots of its computations, but for a loop's condition.
pub(crate) fn roots(module: &Module, of: &Instruction) -> Vec<InstructionId> {
    let mut inside = inside(of);
    if let Some(body) = of.call("body") {
        inside = body.id.into_iter().collect();
    }
    inside.iter().filter_map(|id| module.computation(*id)?.root).collect()
}
