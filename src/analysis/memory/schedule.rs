//! This module reads the schedule of the entry computation: the place of an instruction, and the live range of its
//! result. It does not depend on sizes.

use super::buffers::Buffers;
use super::heap_trace::LiveRange;
use super::report::{Moment, MomentPart};
use indexmap::{IndexMap, IndexSet};
use xla_profile::hlo::{InstructionId, Module};
use xla_profile::small_sort::SmallSort;

/// Maximum nesting of calls. Deeper nesting means that computations call each other in a cycle.
const DEPTH: usize = 64;

/// Maximum number of instructions that pass a buffer on. A buffer with more counts as alive until the end.
const USERS: u32 = 4096;

/// The order in which the instructions of the entry computation run.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    pub(super) order: Vec<InstructionId>,
    places: IndexMap<InstructionId, u32>,
    /// Whether any instruction belongs to a gradient, so that the program trains.
    pub(super) has_gradient: bool,
}

impl Schedule {
    /// Reads the schedule. It is empty if the module does not give the order.
    pub(super) fn new(module: &Module) -> Self {
        let entry = module.entry.and_then(|entry| module.computation(entry));
        let order = entry.and_then(|entry| entry.schedule.clone()).unwrap_or_default();
        let places = order.iter().enumerate().map(|(place, id)| (*id, place as u32)).collect();
        let has_gradient = module.instructions().any(|(_, i)| i.op_name().contains("transpose(jvp("));
        Self { order, places, has_gradient }
    }

    /// Returns the place of an instruction in the schedule of the entry. An instruction of another computation, such as
    /// the body of a loop, has the place of the first call of that computation. `None` if no call leads to it.
    pub(super) fn moment(&self, module: &Module, id: InstructionId) -> Option<Moment> {
        let mut current = id;
        for _ in 0..DEPTH {
            if let Some(place) = self.places.get(&current) {
                let n_instructions = self.order.len() as u32;
                let instruction = module.instruction(current)?.name.to_string();
                let part = self.has_gradient.then(|| part(*place, n_instructions));
                return Some(Moment { instruction, place: *place, n_instructions, part });
            }
            current = *module.callers(module.instruction(current)?.computation?).first()?;
        }
        None
    }

    /// Returns the live ranges of the temporaries of a memory, for a program without a trace. A range begins where the
    /// entry defines the buffer, and ends after the last instruction that uses the buffer, a part of it or an alias of
    /// it. Buffers at the same offset of an allocation whose ranges overlap are merged.
    pub(super) fn live_ranges(&self, module: &Module, buffers: &Buffers, color: i64) -> Vec<LiveRange> {
        let mut pieces: IndexMap<(u32, i64), Vec<LiveRange>> = IndexMap::default();
        for (slot, buffer) in (0_u32..).zip(&buffers.all) {
            let Some(assigned) = buffer.allocation else { continue };
            let is_temporary = buffers.allocation(slot).is_some_and(|a| a.color == color && a.is_temporary());
            let defined = buffer.instruction(module).filter(|_| is_temporary);
            let Some((id, first)) = defined.and_then(|id| Some((id, *self.places.get(&id)?))) else { continue };
            let range = LiveRange { slot, holder: slot, first, last: self.last_use(module, id).max(first + 1) };
            pieces.entry((assigned.allocation, assigned.offset)).or_default().push(range);
        }
        let mut live_ranges: Vec<LiveRange> = Vec::new();
        for (_, mut piece) in pieces {
            piece.small_sort_by_key(|range| (range.first, range.slot));
            let from = live_ranges.len();
            for range in piece {
                match live_ranges[from..].last_mut() {
                    Some(before) if range.first < before.last => {
                        before.last = before.last.max(range.last);
                        if buffers.all[range.slot as usize].size > buffers.all[before.slot as usize].size {
                            (before.slot, before.holder) = (range.slot, range.holder);
                        }
                    }
                    _ => live_ranges.push(range),
                }
            }
        }
        live_ranges.small_sort_by_key(|range| (range.first, range.slot));
        live_ranges
    }

    /// Returns the place after the last instruction of the entry that uses the result of `id`, directly or through
    /// instructions that pass it on.
    fn last_use(&self, module: &Module, id: InstructionId) -> u32 {
        let passes_on = |opcode: &str| {
            matches!(
                opcode,
                "tuple" | "get-tuple-element" | "bitcast" | "while" | "conditional" | "call" | "optimization-barrier"
            ) || xla_profile::hlo::opcode::is_done(opcode)
        };
        let (mut last, mut left) = (0, vec![id]);
        let mut seen: IndexSet<InstructionId> = IndexSet::default();
        let mut n = 0;
        while let Some(id) = left.pop() {
            n += 1;
            if n > USERS {
                return self.order.len() as u32;
            }
            let place = self.places.get(&id).copied().unwrap_or_default();
            let is_root = module.instruction(id).is_some_and(|i| i.is_root);
            last = last.max(if is_root { self.order.len() as u32 } else { place + 1 });
            for user in module.users(id) {
                let opcode = module.instruction(*user).map_or("", |i| &i.opcode);
                if seen.insert(*user) {
                    if passes_on(opcode) {
                        left.push(*user);
                    }
                    last = last.max(self.places.get(user).map_or(0, |place| place + 1));
                }
            }
        }
        last
    }
}

/// Returns the part of a training step at a place. The forward pass runs first: it is the first half of the schedule,
/// and the backward pass is what follows 70 %.
fn part(place: u32, index: u32) -> MomentPart {
    let share = f64::from(place) / f64::from(index.max(1));
    match share {
        s if s < 0.5 => MomentPart::Forward,
        s if s > 0.7 => MomentPart::Backward,
        _ => MomentPart::Turn,
    }
}
