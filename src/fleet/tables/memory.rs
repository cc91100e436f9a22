//! This module lists the columns of the table of memory: that of programs at their peaks, and that of allocators.

use crate::analysis::memory::columns::{ALLOCATORS, SPACE};
use crate::analysis::memory::{AllocatorMemory, CrossCheck, ProgramPeaks, RollUpBy, SpaceMemory, WholeMemory};
use crate::fleet::column::{Part, part};
use crate::table::{Value, columns};
use rustc_hash::FxHashMap;

/// A memory of a program, or an allocator.
pub enum MemoryRow {
    Program { peaks: ProgramPeaks, space: Box<SpaceMemory> },
    Allocator { allocator: Box<AllocatorMemory>, check: Option<CrossCheck> },
}

/// The columns of memory.
pub const PARTS: &[Part<MemoryRow>] = &[
    part!(ORIGIN, |row| Some(row)),
    part!(SPACE, |row| row.space()),
    part!(ROLL_UPS, |row| row.space()),
    part!(ALLOCATORS, |row| if let MemoryRow::Allocator { allocator, .. } = row { Some(allocator) } else { None }),
    part!(CAPACITY, |row| Some(row)),
];

columns! {
    ORIGIN(row: MemoryRow) {
        /// What the row is about: `program` or `allocator`.
        origin: Word in table = if row.space().is_some() { "program" } else { "allocator" },
        /// The program.
        program: Name(Program) or null in table = row.peaks().map(|peaks| &peaks.name),
        /// Id of the program in the capture, as decimal digits.
        program_id: ProgramId or null in table = row.peaks().and_then(|peaks| peaks.program_id),
    }

    ROLL_UPS(row: SpaceMemory) {
        /// Bytes at the peak by class of buffer.
        by_class: Value(Map(Bytes)) or null in table = roll_up(row, RollUpBy::Class),
        /// Bytes at the peak by category of buffer.
        by_category: Value(Map(Bytes)) or null in table = roll_up(row, RollUpBy::Category),
        /// Padding at the peak.
        wasted_bytes: Bytes in table = row.padding.wasted,
    }

    CAPACITY(row: MemoryRow) {
        /// The memory of the device.
        capacity_bytes: Bytes or null in table = row.capacity(),
    }
}

fn roll_up(space: &SpaceMemory, by: RollUpBy) -> Value<'_> {
    let found = space.rollups.iter().find(|roll_up| roll_up.by == by);
    Value::maybe(found, |found| Value::map(found.rows.iter().map(|row| (row.key.as_str(), Value::Bytes(row.size)))))
}

impl MemoryRow {
    const fn peaks(&self) -> Option<&ProgramPeaks> {
        if let Self::Program { peaks, .. } = self { Some(peaks) } else { None }
    }

    fn space(&self) -> Option<&SpaceMemory> {
        if let Self::Program { space, .. } = self { Some(space) } else { None }
    }

    fn capacity(&self) -> Option<u64> {
        let Self::Allocator { allocator, check } = self else { return None };
        allocator.capacity.or_else(|| check.as_ref()?.capacity.as_ref().map(|capacity| capacity.size))
    }
}

/// Returns the memories of programs, then the allocators.
pub fn rows(memory: &WholeMemory) -> Vec<MemoryRow> {
    let program_rows = |program: &crate::analysis::memory::ProgramWithTimelines| {
        let row = |space: &crate::analysis::memory::SpaceWithTimeline| MemoryRow::Program {
            peaks: ProgramPeaks { spaces: Vec::new(), ..program.peaks.clone() },
            space: Box::new(space.memory.clone()),
        };
        program.spaces.iter().map(row).collect::<Vec<MemoryRow>>()
    };
    // Of several checks with one label, the first one counts.
    let checks: FxHashMap<&str, &CrossCheck> =
        memory.checks.iter().rev().map(|check| (check.label.as_str(), check)).collect();
    let allocator_row = |allocator: &AllocatorMemory| {
        let check = checks.get(allocator.label.as_str()).filter(|_| !allocator.is_of_host());
        MemoryRow::Allocator { allocator: Box::new(allocator.clone()), check: check.map(|check| (*check).clone()) }
    };
    let programs = memory.programs.iter().flat_map(program_rows);
    programs.chain(memory.runtime.allocators.iter().map(allocator_row)).collect()
}
