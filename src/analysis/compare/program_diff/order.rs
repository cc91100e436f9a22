//! This module counts the ops that run in another order.

use crate::analysis::compare::matching::longest_chain;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use xla_profile::hlo::{ComputationId, InstructionId, Module};

/// The position of an instruction: its computation, and its position in the order in which that runs.
type Position = (ComputationId, usize);

/// Returns the number of pairs of instructions that would have to move for the others to be in the same order: for each pair of
/// computations, all pairs that are not in a longest chain that both sides run in the same order.
pub(super) fn n_moved((a, b): (&Module, &Module), pairs: &[(InstructionId, InstructionId)]) -> u32 {
    let (places_a, places_b) = (places(a), places(b));
    let mut chains: BTreeMap<(ComputationId, ComputationId), Vec<(usize, usize)>> = BTreeMap::new();
    for (of_a, of_b) in pairs {
        if let (Some((in_a, at_a)), Some((in_b, at_b))) = (places_a.get(of_a), places_b.get(of_b)) {
            chains.entry((*in_a, *in_b)).or_default().push((*at_a, *at_b));
        }
    }
    let moved = chains.into_values().map(|mut pairs| {
        pairs.sort_unstable();
        pairs.len() - longest_chain(&pairs).len()
    });
    moved.sum::<usize>() as u32
}

fn places(module: &Module) -> FxHashMap<InstructionId, Position> {
    let mut places = FxHashMap::default();
    for (id, computation) in module.computations() {
        let order: Vec<InstructionId> =
            computation.schedule.clone().unwrap_or_else(|| module.instructions_of(id).collect());
        places.extend(order.into_iter().enumerate().map(|(place, instruction)| (instruction, (id, place))));
    }
    places
}
