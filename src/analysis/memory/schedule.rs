//! The entry's schedule: where in it something lies, and from when to when what it gives is used. This module knows no sizes.

use super::buffers::Buffers;
use super::live_ranges::LiveRange;
use super::report::{Moment, MomentPart};
use crate::hlo::{InstructionId, Module};
use crate::small_sort::SmallSort;
use indexmap::{IndexMap, IndexSet};

/// Calls nested deeper than this lead nowhere: computations that call each other in a circle.
const DEPTH: usize = 64;

/// A buffer that goes on through more instructions than this is taken to live until the end.
const USERS: u32 = 4096;

/// The order in which the entry's instructions run.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    pub(super) order: Vec<InstructionId>,
    places: IndexMap<InstructionId, u32>,
    /// Some instruction is of a gradient: the program trains.
    pub(super) has_gradient: bool,
}

impl Schedule {
    /// Empty where the module does not say the order.
    pub(super) fn new(module: &Module) -> Self {
        let entry = module.entry.and_then(|entry| module.computation(entry));
        let order = entry.and_then(|entry| entry.schedule.clone()).unwrap_or_default();
        let places = order.iter().enumerate().map(|(place, id)| (*id, place as u32)).collect();
        let has_gradient = module.instructions().any(|(_, i)| i.op_name().contains("transpose(jvp("));
        Self { order, places, has_gradient }
    }

    /// Where an instruction lies; of one in a loop's body or another computation that is called, where that is called first.
    pub(super) fn moment(&self, module: &Module, id: InstructionId) -> Option<Moment> {
        let mut at = id;
        for _ in 0..DEPTH {
            if let Some(place) = self.places.get(&at) {
                let of = self.order.len() as u32;
                let instruction = module.instruction(at)?.name.to_string();
                let part = self.has_gradient.then(|| part(*place, of));
                return Some(Moment { instruction, place: *place, of, part });
            }
            at = *module.callers(module.instruction(at)?.computation?).first()?;
        }
        None
    }

    /// Lives of what comes and goes in a memory of a program without a trace: from where a buffer is defined in the entry
    /// until whatever takes it, or a part or an alias of it, has run. Buffers in one piece of an allocation whose lives meet
    /// are one.
    pub(super) fn live_ranges(&self, module: &Module, buffers: &Buffers, color: i64) -> Vec<LiveRange> {
        let mut pieces: IndexMap<(u32, i64), Vec<LiveRange>> = IndexMap::default();
        for (slot, buffer) in (0_u32..).zip(&buffers.all) {
            let Some(assigned) = buffer.allocation else { continue };
            let is_temporary = buffers.allocation(slot).is_some_and(|a| a.color == color && a.comes_and_goes());
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

    /// The place after the last instruction of the entry that uses what `id` gives, also through what only passes it on.
    fn last_use(&self, module: &Module, id: InstructionId) -> u32 {
        let passes_on = |opcode: &str| {
            matches!(
                opcode,
                "tuple" | "get-tuple-element" | "bitcast" | "while" | "conditional" | "call" | "optimization-barrier"
            ) || crate::hlo::opcode::is_done(opcode)
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

/// Forward runs first: before half of the schedule it is forward, after 70 % backward.
fn part(place: u32, of: u32) -> MomentPart {
    let share = f64::from(place) / f64::from(of.max(1));
    match share {
        s if s < 0.5 => MomentPart::Forward,
        s if s > 0.7 => MomentPart::Backward,
        _ => MomentPart::Turn,
    }
}
