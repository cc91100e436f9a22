//! This module writes memory as JSON. It defines the names and the order of the fields, and computes nothing.

use super::json::{HeadJson, first};
use crate::analysis::memory::columns::{ALLOCATORS, BUFFERS, CROSS_CHECKS, JUMPS, MOMENT, PADDED, ROLL_UPS};
use crate::analysis::memory::{
    AllocatorMemory, Basis, Buffer, CrossCheck, Estimate, FIT_TOO_LARGE, Fit, FitRow, JobSize, Jump, Moment, Padded,
    ProgramWithTimelines, RequestedSizes, RollUpRow, SpaceMemory, SpaceWithTimeline, Vocabulary, WholeMemory,
};
use crate::profile::Note;
use crate::small_sort::collect_map;
use crate::table::json::{Row, Rows};
use serde::Serialize;
use std::collections::BTreeMap;

/// The JSON of `rooflight memory --json`.
#[derive(Serialize)]
pub struct MemoryJson<'a> {
    #[serde(flatten)]
    head: HeadJson<'a>,
    programs: Vec<ProgramJson<'a>>,
    runtime: Rows<'a, AllocatorMemory>,
    cross_check: Rows<'a, CrossCheck>,
    notes: &'a [Note],
}

#[derive(Serialize)]
struct ProgramJson<'a> {
    name: &'a str,
    program_id: Option<String>,
    /// Name of the file with its HLO.
    file: Option<&'a str>,
    spaces: Vec<SpaceJson<'a>>,
    /// Code of the note that gives the reason why the memory is unknown, or the part that the figures leave out.
    note: Option<&'a str>,
}

#[derive(Serialize)]
struct SpaceJson<'a> {
    color: i64,
    memory_space: &'a str,
    basis: &'static str,
    peak_bytes: u64,
    peak_unpadded_bytes: u64,
    peak_position: Option<u32>,
    peak_instruction: Option<&'a str>,
    peak_in_schedule: Option<Row<'a, Moment>>,
    total_allocation_bytes: Option<u64>,
    indefinite_bytes: u64,
    parameter_bytes: u64,
    live_out_bytes: u64,
    constant_bytes: u64,
    timeline: &'a [u64],
    n_alive: u32,
    alive: Rows<'a, Buffer>,
    rollups: BTreeMap<&'static str, Rows<'a, RollUpRow>>,
    padding: PaddingJson<'a>,
    long_lived: Rows<'a, Buffer>,
    jumps: Rows<'a, Jump>,
    vocabulary: Option<VocabularyJson<'a>>,
    estimate: EstimateJson,
    fit: Option<FitJson>,
}

#[derive(Serialize)]
struct PaddingJson<'a> {
    wasted_bytes: u64,
    n: u32,
    worst: Rows<'a, Padded>,
}

#[derive(Serialize)]
struct VocabularyJson<'a> {
    dims: &'a [u64],
    size_bytes: u64,
    buffers: Rows<'a, Buffer>,
    chunks: u32,
    chunked_peak_bytes: u64,
    saves_bytes: u64,
}

impl<'a> VocabularyJson<'a> {
    fn new(v: &'a Vocabulary, top: usize) -> Self {
        Self {
            dims: &v.dims,
            size_bytes: v.size,
            buffers: buffers(&v.buffers, top),
            chunks: v.chunks,
            chunked_peak_bytes: v.peak,
            saves_bytes: v.saves,
        }
    }
}

#[derive(Serialize)]
struct EstimateJson {
    n_parameters: Option<u64>,
    counted: bool,
    by_class: BTreeMap<&'static str, EstimateRowJson>,
}

/// The memory with the sizes that the user gave, or with those of the program.
#[derive(Serialize)]
struct FitJson {
    program: JobSize,
    with: JobSize,
    /// `None` if there is no estimate, for the reason in `note`.
    estimate_bytes: Option<u64>,
    note: Option<&'static str>,
    capacity_bytes: Option<u64>,
    most_parameters: Option<u64>,
    most_sequences: Option<u64>,
    by_class: BTreeMap<&'static str, FitRowJson>,
}

#[derive(Serialize)]
struct FitRowJson {
    rule_bytes: Option<u64>,
    measured_bytes: u64,
    estimate_bytes: Option<u64>,
}

impl FitJson {
    fn new(space: &SpaceMemory, whole: &WholeMemory, requested: RequestedSizes) -> Option<Self> {
        let program = space.fit.as_ref()?.size;
        let with = requested.or_program_sizes(program);
        let fit = Fit::new(space, with, whole.capacity())?;
        let row = |row: &FitRow| {
            let FitRow { rule, measured, estimate, .. } = *row;
            (row.class.key(), FitRowJson { rule_bytes: rule, measured_bytes: measured, estimate_bytes: estimate })
        };
        Some(Self {
            program,
            with,
            estimate_bytes: fit.estimate,
            note: fit.estimate.is_none().then_some(FIT_TOO_LARGE),
            capacity_bytes: fit.capacity,
            most_parameters: fit.most_parameters,
            most_sequences: fit.most_sequences,
            by_class: collect_map(fit.rows.iter().map(row)),
        })
    }
}

#[derive(Serialize)]
struct EstimateRowJson {
    expected_bytes: Option<u64>,
    measured_bytes: u64,
}

impl EstimateJson {
    fn new(estimate: &Estimate) -> Self {
        let row = |row: &crate::analysis::memory::EstimateRow| {
            (row.class.key(), EstimateRowJson { expected_bytes: row.expected, measured_bytes: row.measured })
        };
        Self {
            n_parameters: estimate.n_parameters,
            counted: estimate.counted,
            by_class: collect_map(estimate.rows.iter().map(row)),
        }
    }
}

/// Returns the name of the source of a curve.
pub const fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Trace => "trace",
        Basis::Schedule => "schedule",
        Basis::Constant => "constant",
        Basis::LiveRanges => "live_ranges",
    }
}

impl<'a> SpaceJson<'a> {
    fn new(timed: &'a SpaceWithTimeline, top: usize, whole: &WholeMemory, requested: RequestedSizes) -> Self {
        let (space, peak) = (&timed.memory, &timed.memory.peak);
        Self {
            color: peak.color,
            memory_space: &peak.space,
            basis: basis(peak.basis),
            peak_bytes: peak.peak,
            peak_unpadded_bytes: space.peak_unpadded,
            peak_position: peak.position,
            peak_instruction: peak.instruction.as_deref(),
            peak_in_schedule: space.moment.as_ref().map(|row| Row { columns: MOMENT, row }),
            total_allocation_bytes: peak.allocated(),
            indefinite_bytes: peak.indefinite,
            parameter_bytes: peak.parameters,
            live_out_bytes: peak.live_out,
            constant_bytes: peak.constants,
            timeline: &timed.timeline,
            n_alive: space.alive.n,
            alive: buffers(&space.alive.buffers, top),
            rollups: collect_map(
                space.rollups.iter().map(|r| (r.by.key(), Rows { columns: ROLL_UPS, rows: first(&r.rows, top) })),
            ),
            padding: PaddingJson {
                wasted_bytes: space.padding.wasted,
                n: space.padding.n,
                worst: Rows { columns: PADDED, rows: first(&space.padding.worst, top) },
            },
            long_lived: buffers(&space.long_lived, top),
            jumps: Rows { columns: JUMPS, rows: first(&space.jumps, top) },
            vocabulary: space.vocabulary.as_ref().map(|v| VocabularyJson::new(v, top)),
            estimate: EstimateJson::new(&space.estimate),
            fit: FitJson::new(space, whole, requested),
        }
    }
}

/// Returns the memory of all programs and allocators as JSON, with the first `top` rows of each list. `requested` are the
/// sizes for which the memory is estimated.
pub fn memory<'a>(
    head: HeadJson<'a>,
    whole: &'a WholeMemory,
    top: usize,
    requested: RequestedSizes,
    notes: &'a [Note],
) -> MemoryJson<'a> {
    let program = |timed: &'a ProgramWithTimelines| ProgramJson {
        name: &timed.peaks.name,
        program_id: timed.peaks.program_id.map(|id| id.to_string()),
        file: timed.file.as_deref(),
        spaces: timed.spaces.iter().map(|space| SpaceJson::new(space, top, whole, requested)).collect(),
        note: timed.peaks.note.as_ref().map(|note| note.code.key()),
    };
    MemoryJson {
        head,
        programs: whole.programs.iter().map(program).collect(),
        runtime: Rows { columns: ALLOCATORS, rows: &whole.runtime.allocators },
        cross_check: Rows { columns: CROSS_CHECKS, rows: &whole.checks },
        notes,
    }
}

/// Returns the first `top` buffers.
fn buffers(rows: &[Buffer], top: usize) -> Rows<'_, Buffer> {
    Rows { columns: BUFFERS, rows: first(rows, top) }
}
