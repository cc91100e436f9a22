//! This module declares the table of memory: that of programs at their peaks, and that of allocators.

use crate::analysis::memory::columns::ALLOCATORS;
use crate::analysis::memory::{AllocatorMemory, CrossCheck, ProgramPeaks, RollUpBy, SpaceMemory, WholeMemory};
use crate::fleet::column::{ColumnType, FleetColumn, INTEGER, PROGRAM_ID, TEXT, name, of_view};
use crate::report::memory_json::basis;
use crate::share::NameKind;
use crate::table::Value::{self, Absent, Bytes, Count, Id, Integer, Word};
use rustc_hash::FxHashMap;

/// A memory of a program, or an allocator.
pub enum MemoryRow {
    Program { peaks: ProgramPeaks, space: Box<SpaceMemory> },
    Allocator { allocator: Box<AllocatorMemory>, check: Option<CrossCheck> },
}

fn space(row: &MemoryRow) -> Option<&SpaceMemory> {
    if let MemoryRow::Program { space, .. } = row { Some(space) } else { None }
}

fn of_space<'r>(row: &'r MemoryRow, value: impl FnOnce(&'r SpaceMemory) -> Value<'r>) -> Value<'r> {
    space(row).map_or(Absent, value)
}

fn of_program<'r>(row: &'r MemoryRow, value: impl FnOnce(&'r ProgramPeaks) -> Value<'r>) -> Value<'r> {
    if let MemoryRow::Program { peaks, .. } = row { value(peaks) } else { Absent }
}

fn of_allocator<'r>(id: &str, row: &'r MemoryRow) -> Value<'r> {
    if let MemoryRow::Allocator { allocator, .. } = row { of_view(ALLOCATORS, id, allocator) } else { Absent }
}

fn rollup(row: &MemoryRow, by: RollUpBy) -> Value<'_> {
    let of = space(row).and_then(|space| space.rollups.iter().find(|of| of.by == by));
    of.map_or(Absent, |of| Value::map(of.rows.iter().map(|row| (row.key.as_str(), Bytes(row.size)))))
}

macro_rules! allocator {
    ($id:literal, $kind:expr, $about:literal) => {
        FleetColumn::new($id, $kind, $about, |row: &MemoryRow| of_allocator($id, row))
    };
}

/// The columns of memory.
pub const MEMORY: &[FleetColumn<MemoryRow>] = &[
    FleetColumn::new("origin", TEXT, "`program` or `allocator`.", |row| {
        Word(if space(row).is_some() { "program" } else { "allocator" })
    }),
    FleetColumn::new("program", name(NameKind::Program), "The program.", |row| {
        of_program(row, |of| Value::text(&of.name))
    }),
    FleetColumn::new("program_id", PROGRAM_ID, "Its id in the capture, as decimal digits.", |row| {
        of_program(row, |of| Value::maybe(of.program_id, Id))
    }),
    FleetColumn::new("color", INTEGER, "The number of the memory: 0 is the main memory of the device.", |row| {
        of_space(row, |of| Integer(of.peak.color))
    }),
    FleetColumn::new("memory_space", TEXT, "Its name, such as `HBM`.", |row| {
        of_space(row, |of| Value::text(&of.peak.space))
    }),
    FleetColumn::new(
        "basis",
        TEXT,
        "What the peak is computed from: `trace`, `schedule`, `constant` or `live_ranges`.",
        |row| of_space(row, |of| Word(basis(of.peak.basis))),
    ),
    FleetColumn::new("peak_bytes", INTEGER, "The most bytes that are alive at once.", |row| {
        of_space(row, |of| Bytes(of.peak.peak))
    }),
    FleetColumn::new("peak_unpadded_bytes", INTEGER, "These bytes without padding.", |row| {
        of_space(row, |of| Bytes(of.peak_unpadded))
    }),
    FleetColumn::new("peak_instruction", name(NameKind::Op), "The instruction that reaches the peak.", |row| {
        of_space(row, |of| Value::maybe_text(of.peak.instruction.as_deref()))
    }),
    FleetColumn::new("indefinite_bytes", INTEGER, "Bytes that are alive all the time.", |row| {
        of_space(row, |of| Bytes(of.peak.indefinite))
    }),
    FleetColumn::new("parameter_bytes", INTEGER, "The part of them that is parameters.", |row| {
        of_space(row, |of| Bytes(of.peak.parameters))
    }),
    FleetColumn::new("n_alive", INTEGER, "Buffers that are alive at the peak.", |row| {
        of_space(row, |of| Count(of.alive.n.into()))
    }),
    FleetColumn::new("by_class", ColumnType::Map(&INTEGER), "Bytes at the peak by class of buffer.", |row| {
        rollup(row, RollUpBy::Class)
    }),
    FleetColumn::new("by_category", ColumnType::Map(&INTEGER), "Bytes at the peak by category of buffer.", |row| {
        rollup(row, RollUpBy::Category)
    }),
    FleetColumn::new("wasted_bytes", INTEGER, "Padding at the peak.", |row| {
        of_space(row, |of| Bytes(of.padding.wasted))
    }),
    allocator!("device", name(NameKind::Device), "The device of the allocator."),
    allocator!("allocator", name(NameKind::Allocator), "The name of the allocator."),
    allocator!("peak_in_use_bytes", INTEGER, "The most bytes in use."),
    allocator!("reserved_bytes", INTEGER, "The part of them for programs."),
    allocator!("allocated_bytes", INTEGER, "The part of them for arrays."),
    FleetColumn::new("capacity_bytes", INTEGER, "The memory of the device.", |row| {
        let MemoryRow::Allocator { allocator, check } = row else { return Absent };
        let of_chip = check.as_ref().and_then(|check| check.capacity.as_ref()).map(|capacity| capacity.size);
        Value::maybe(allocator.capacity.or(of_chip), Bytes)
    }),
    allocator!("fragmentation", ColumnType::Real, "The fragmentation that the allocator reports at its peak."),
    allocator!(
        "lifetime_peak_bytes",
        INTEGER,
        "The most bytes allocated since the start of the process, without what is reserved for programs."
    ),
];

/// Returns the memories of programs, then the allocators.
pub fn rows(memory: &WholeMemory) -> Vec<MemoryRow> {
    let of_program = |program: &crate::analysis::memory::ProgramWithTimelines| {
        let row = |space: &crate::analysis::memory::SpaceWithTimeline| MemoryRow::Program {
            peaks: ProgramPeaks { spaces: Vec::new(), ..program.peaks.clone() },
            space: Box::new(space.memory.clone()),
        };
        program.spaces.iter().map(row).collect::<Vec<MemoryRow>>()
    };
    // Of several checks with one label, the first one counts.
    let checks: FxHashMap<&str, &CrossCheck> =
        memory.checks.iter().rev().map(|check| (check.label.as_str(), check)).collect();
    let of_allocator = |allocator: &AllocatorMemory| {
        let check = checks.get(allocator.label.as_str()).filter(|_| !allocator.is_of_host());
        MemoryRow::Allocator { allocator: Box::new(allocator.clone()), check: check.map(|check| (*check).clone()) }
    };
    let programs = memory.programs.iter().flat_map(of_program);
    programs.chain(memory.runtime.allocators.iter().map(of_allocator)).collect()
}
