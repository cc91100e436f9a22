//! This module lists the choices of the pickers in the memory view: programs, memory spaces, allocators, groupings. It
//! does not depend on a menu.

use super::size::text;
use crate::analysis::memory::{AllocatorMemory, CrossCheck, MemoryPrograms, ProgramPeaks, RollUpBy, RuntimeMemory};
use crate::chart::widgets::picker_options::Choice;
use crate::table::format;

/// Largest number of letters of a program's name.
const NAME: usize = 48;

/// Returns the programs in the order of the report, each with its peak in the main memory of the device. Without a main
/// memory, the peak is that of the first memory space.
pub fn programs(programs: &MemoryPrograms) -> Vec<Choice<u32>> {
    let one = |program: &ProgramPeaks| {
        let peak = program.spaces.iter().find(|space| space.color == 0).or_else(|| program.spaces.first());
        Choice {
            value: program.program,
            label: format::middle_cut(&program.name, NAME),
            detail: peak.map_or_else(|| "no buffer assignment".to_owned(), |space| text(space.peak)),
        }
    };
    programs.programs.iter().map(one).collect()
}

/// Returns the memory spaces of a program, each with its peak.
pub fn spaces(peaks: &ProgramPeaks) -> Vec<Choice<i64>> {
    peaks
        .spaces
        .iter()
        .map(|space| Choice { value: space.color, label: space.space.clone(), detail: text(space.peak) })
        .collect()
}

/// Returns the allocators by index, each with its peak.
pub fn allocators(memory: &RuntimeMemory) -> Vec<Choice<u32>> {
    let one = |(index, allocator): (u32, &AllocatorMemory)| Choice {
        value: index,
        label: allocator_name(allocator),
        detail: text(allocator.peak.in_use()),
    };
    (0..).zip(&memory.allocators).map(one).collect()
}

/// Returns the name of the device, and the name of the allocator if it differs.
fn allocator_name(allocator: &AllocatorMemory) -> String {
    match &allocator.allocator {
        Some(name) if *name != allocator.label => format!("{}, {name}", allocator.label),
        _ => allocator.label.clone(),
    }
}

/// Returns the index of the allocator of a device, or of the first allocator if the device has none. `None` without
/// allocators.
pub fn allocator_of(memory: &RuntimeMemory, device: Option<u32>) -> Option<u32> {
    let own = memory.allocators.iter().position(|allocator| device.is_some() && allocator.device == device);
    own.or((!memory.allocators.is_empty()).then_some(0)).and_then(|index| u32::try_from(index).ok())
}

/// Returns the check of the selected device. For all devices, and for a device without a check, returns the first check
/// with a program, else the first check. `checks` holds one check per allocator, in the order of the allocators, then
/// one per device without an allocator. An allocator of the host also has a check.
pub fn check_of<'a>(checks: &'a [CrossCheck], runtime: &RuntimeMemory, device: Option<u32>) -> Option<&'a CrossCheck> {
    let position = |device: u32| runtime.allocators.iter().position(|allocator| allocator.device == Some(device));
    let behind = |device| runtime.allocators.len() + (0..device).filter(|other| position(*other).is_none()).count();
    let own = device.and_then(|device| checks.get(position(device).unwrap_or_else(|| behind(device))));
    own.or_else(|| checks.iter().find(|check| check.static_peak.is_some())).or_else(|| checks.first())
}

/// Returns the groupings of the treemap.
pub fn groupings() -> Vec<Choice<RollUpBy>> {
    RollUpBy::ALL.iter().map(|by| Choice { value: *by, label: by.label().to_owned(), detail: String::new() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_checked_against_the_memory_of_its_device() {
        let allocator = |device| AllocatorMemory { device, ..AllocatorMemory::default() };
        let runtime =
            RuntimeMemory { allocators: vec![allocator(None), allocator(Some(1))], ..RuntimeMemory::default() };
        let check =
            |label: &str, static_peak| CrossCheck { label: label.to_owned(), static_peak, ..CrossCheck::default() };
        let checks = [check("host", None), check("GPU:1", Some(7)), check("GPU:0", Some(7)), check("GPU:2", Some(7))];
        let label = |device| check_of(&checks, &runtime, device).map(|check| check.label.as_str());
        assert_eq!([label(Some(0)), label(Some(1)), label(Some(2))], [Some("GPU:0"), Some("GPU:1"), Some("GPU:2")]);
        assert_eq!([label(None), label(Some(9))], [Some("GPU:1"); 2], "the first that a program runs on");
        assert_eq!(check_of(&[], &runtime, None), None);
    }
}
