//! This module finds the instructions one hop and two hops away from an instruction, in one direction. It depends on
//! HLO and on weights.

use indexmap::{IndexMap, IndexSet};
use std::cmp::Reverse;
use xla_profile::hlo::{ComputationId, InstructionId, Module};
use xla_profile::small_sort::SmallSort;

/// Largest number of instructions one hop away.
const MAX_AT_ONE_HOP: usize = 16;
/// Largest number of instructions two hops away.
const MAX_AT_TWO_HOPS: usize = 32;

/// One direction: `[0]` is one hop away, `[1]` two hops.
pub(crate) type Side = [Hop; 2];

/// The instructions of one hop. Each instruction is in one hop only.
#[derive(Default)]
pub(crate) struct Hop {
    /// Instructions that are drawn, in order.
    pub(crate) shown: Vec<InstructionId>,
    /// Instructions that are left out.
    pub(crate) left: Vec<InstructionId>,
}

/// The order of execution of the instructions of a computation, in both directions: data and control dependencies.
pub(crate) struct Dependencies<'a> {
    module: &'a Module,
    /// Control successors. A module stores only control predecessors.
    after: IndexMap<InstructionId, Vec<InstructionId>>,
}

impl<'a> Dependencies<'a> {
    pub(crate) fn new(module: &'a Module, computation: Option<ComputationId>) -> Self {
        let mut after: IndexMap<InstructionId, Vec<InstructionId>> = IndexMap::default();
        for id in computation.into_iter().flat_map(|computation| module.instructions_of(computation)) {
            let before = module.instruction(id).map_or(&[][..], |i| i.control_predecessors());
            for before in before.iter().filter_map(|operand| operand.id) {
                after.entry(before).or_default().push(id);
            }
        }
        Self { module, after }
    }

    /// Returns the operands (with `up`) or the users of an instruction, each once. Data dependencies come before
    /// control dependencies.
    pub(crate) fn hop(&self, id: InstructionId, up: bool) -> Vec<InstructionId> {
        let mut near: Vec<InstructionId> = if up {
            let before = self.module.instruction(id).map_or(&[][..], |i| i.control_predecessors());
            self.module.operands(id).chain(before.iter().filter_map(|operand| operand.id)).collect()
        } else {
            let after = self.after.get(&id).map_or(&[][..], Vec::as_slice);
            self.module.users(id).iter().chain(after).copied().collect()
        };
        let mut known = IndexSet::new();
        near.retain(|id| known.insert(*id));
        near
    }

    /// Returns two hops in one direction. If there are too many instructions, those with the largest weight are drawn.
    pub(crate) fn side(&self, centre: InstructionId, up: bool, weight: &dyn Fn(InstructionId) -> u64) -> Side {
        let near = self.hop(centre, up);
        let mut known: IndexSet<InstructionId> = near.iter().copied().chain([centre]).collect();
        let first = cut(near, MAX_AT_ONE_HOP, weight);
        let mut lists: Vec<_> = Vec::new();
        for id in &first.shown {
            let mut list = self.hop(*id, up);
            list.retain(|id| !known.contains(id));
            list.small_sort_by_key(|id| Reverse(weight(*id)));
            lists.push(list);
        }
        // The lists take turns, so that an instruction with many neighbours leaves room for those of the others.
        let mut second = Hop::default();
        for turn in 0..lists.iter().map(Vec::len).max().unwrap_or(0) {
            for id in lists.iter().filter_map(|list| list.get(turn)).copied() {
                if known.insert(id) {
                    let to = if second.shown.len() < MAX_AT_TWO_HOPS { &mut second.shown } else { &mut second.left };
                    to.push(id);
                }
            }
        }
        second.shown.small_sort_by(Ord::cmp);
        [first, second]
    }
}

/// Keeps the `room` instructions with the largest weight, in their order. The others are left out.
fn cut(ids: Vec<InstructionId>, room: usize, weight: &dyn Fn(InstructionId) -> u64) -> Hop {
    let mut places: Vec<usize> = (0..ids.len()).collect();
    places.small_sort_by_key(|i| Reverse(weight(ids[*i])));
    let shown: IndexSet<usize> = places.into_iter().take(room).collect();
    let mut hop = Hop::default();
    for (i, id) in ids.into_iter().enumerate() {
        if shown.contains(&i) { hop.shown.push(id) } else { hop.left.push(id) }
    }
    hop
}
