//! What the pickers of the memory view offer: programs, memories, allocators. Knows reports; no menu.

use super::size::text;
use crate::analysis::memory::{AllocatorMemory, MemoryPrograms, ProgramPeaks, RollUpBy, RuntimeMemory};
use crate::chart::pick::Choice;
use crate::report::number;

/// Letters of a program's name.
const NAME: usize = 48;

/// Programs in their order, each with its peak in the device's main memory.
pub fn programs(of: &MemoryPrograms) -> Vec<Choice<u32>> {
    let one = |program: &ProgramPeaks| {
        let peak = program.spaces.iter().find(|space| space.color == 0).or_else(|| program.spaces.first());
        Choice {
            value: program.program,
            label: number::middle_cut(&program.name, NAME),
            detail: peak.map_or_else(|| "no buffer assignment".to_owned(), |space| text(space.peak)),
        }
    };
    of.programs.iter().map(one).collect()
}

/// Memories of a program, each with its peak.
pub fn spaces(of: &ProgramPeaks) -> Vec<Choice<i64>> {
    of.spaces
        .iter()
        .map(|space| Choice { value: space.color, label: space.space.clone(), detail: text(space.peak) })
        .collect()
}

/// Allocators by their place, each with its peak.
pub fn allocators(of: &RuntimeMemory) -> Vec<Choice<u32>> {
    let one = |(at, allocator): (u32, &AllocatorMemory)| Choice {
        value: at,
        label: allocator_name(allocator),
        detail: text(allocator.peak.in_use()),
    };
    (0..).zip(&of.allocators).map(one).collect()
}

/// The device that an allocator serves, and its own name where that says more.
fn allocator_name(of: &AllocatorMemory) -> String {
    match &of.allocator {
        Some(name) if *name != of.label => format!("{}, {name}", of.label),
        _ => of.label.clone(),
    }
}

/// The allocator that belongs to a device: its own, else the first. `None` where there is none at all.
pub fn allocator_of(of: &RuntimeMemory, device: Option<u32>) -> Option<u32> {
    let own = of.allocators.iter().position(|allocator| device.is_some() && allocator.device == device);
    own.or((!of.allocators.is_empty()).then_some(0)).and_then(|at| u32::try_from(at).ok())
}

/// What the treemap groups by.
pub fn groupings() -> Vec<Choice<RollUpBy>> {
    RollUpBy::ALL.iter().map(|by| Choice { value: *by, label: by.label().to_owned(), detail: String::new() }).collect()
}
