//! The JSON of memory. This module knows names and order of fields; computes nothing.

use super::json::HeadJson;
use crate::analysis::memory::{
    AllocatorMemory, Basis, Buffer, CapacitySource, CrossCheck, Estimate, Jump, Moment, MomentPart, Padded,
    ProgramWithTimelines, RollUpRow, SpaceWithTimeline, UseColumn, Vocabulary, WholeMemory,
};
use crate::profile::Note;
use crate::units::Picos;
use serde::Serialize;
use std::collections::BTreeMap;

/// `rooflight memory --json`.
#[derive(Serialize)]
pub struct MemoryJson<'a> {
    #[serde(flatten)]
    head: HeadJson<'a>,
    programs: Vec<ProgramJson<'a>>,
    runtime: Vec<RuntimeJson<'a>>,
    cross_check: Vec<CheckJson<'a>>,
    notes: &'a [Note],
}

#[derive(Serialize)]
struct ProgramJson<'a> {
    name: &'a str,
    program_id: Option<String>,
    spaces: Vec<SpaceJson<'a>>,
    /// Why nothing is known of it, or what its figures leave out: a note's code.
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
    peak_in_schedule: Option<MomentJson<'a>>,
    total_allocation_bytes: Option<u64>,
    indefinite_bytes: u64,
    parameter_bytes: u64,
    live_out_bytes: u64,
    constant_bytes: u64,
    timeline: &'a [u64],
    n_alive: u32,
    alive: Vec<BufferJson<'a>>,
    rollups: BTreeMap<&'static str, Vec<RollUpJson<'a>>>,
    padding: PaddingJson<'a>,
    long_lived: Vec<BufferJson<'a>>,
    jumps: Vec<JumpJson<'a>>,
    vocabulary: Option<VocabularyJson<'a>>,
    estimate: EstimateJson,
}

#[derive(Serialize)]
struct MomentJson<'a> {
    instruction: &'a str,
    place: u32,
    of: u32,
    part: Option<&'static str>,
}

impl<'a> MomentJson<'a> {
    fn new(moment: &'a Moment) -> Self {
        let part = moment.part.map(|part| match part {
            MomentPart::Forward => "forward",
            MomentPart::Turn => "turn",
            MomentPart::Backward => "backward",
        });
        Self { instruction: &moment.instruction, place: moment.place, of: moment.of, part }
    }
}

#[derive(Serialize)]
struct BufferJson<'a> {
    size_bytes: u64,
    unpadded_bytes: Option<u64>,
    shape: &'a str,
    dtype: Option<&'a str>,
    name: String,
    instruction: &'a str,
    opcode: &'a str,
    op_name: &'a str,
    source: Option<&'a str>,
    category: &'static str,
    class: &'static str,
    first: u32,
    last: u32,
}

impl<'a> BufferJson<'a> {
    fn new(b: &'a Buffer) -> Self {
        Self {
            size_bytes: b.size,
            unpadded_bytes: b.unpadded,
            shape: &b.shape,
            dtype: b.dtype.as_deref(),
            name: b.label(),
            instruction: &b.instruction,
            opcode: &b.opcode,
            op_name: &b.op_name,
            source: b.source.as_deref(),
            category: b.category.key(),
            class: b.class.key(),
            first: b.first,
            last: b.last,
        }
    }

    fn all(buffers: &'a [Buffer], top: usize) -> Vec<Self> {
        buffers.iter().take(top).map(Self::new).collect()
    }
}

#[derive(Serialize)]
struct RollUpJson<'a> {
    key: &'a str,
    size_bytes: u64,
    unpadded_bytes: u64,
    n: u32,
}

impl<'a> RollUpJson<'a> {
    fn new(row: &'a RollUpRow) -> Self {
        Self { key: &row.key, size_bytes: row.size, unpadded_bytes: row.unpadded, n: row.n }
    }
}

#[derive(Serialize)]
struct PaddingJson<'a> {
    wasted_bytes: u64,
    n: u32,
    worst: Vec<PaddedJson<'a>>,
}

#[derive(Serialize)]
struct PaddedJson<'a> {
    instruction: &'a str,
    shape: &'a str,
    size_bytes: u64,
    wasted_bytes: u64,
    overhead: Option<f64>,
}

impl<'a> PaddedJson<'a> {
    fn new(padded: &'a Padded) -> Self {
        Self {
            instruction: &padded.buffer.instruction,
            shape: &padded.buffer.shape,
            size_bytes: padded.buffer.size,
            wasted_bytes: padded.wasted,
            overhead: padded.overhead,
        }
    }
}

#[derive(Serialize)]
struct JumpJson<'a> {
    position: u32,
    size_bytes: u64,
    after_bytes: u64,
    instruction: &'a str,
    shape: &'a str,
}

impl<'a> JumpJson<'a> {
    fn new(jump: &'a Jump) -> Self {
        Self {
            position: jump.position,
            size_bytes: jump.size,
            after_bytes: jump.after,
            instruction: &jump.buffer.instruction,
            shape: &jump.buffer.shape,
        }
    }
}

#[derive(Serialize)]
struct VocabularyJson<'a> {
    dims: &'a [u64],
    size_bytes: u64,
    buffers: Vec<BufferJson<'a>>,
    chunks: u32,
    chunked_peak_bytes: u64,
    saves_bytes: u64,
}

impl<'a> VocabularyJson<'a> {
    fn new(v: &'a Vocabulary, top: usize) -> Self {
        Self {
            dims: &v.dims,
            size_bytes: v.size,
            buffers: BufferJson::all(&v.buffers, top),
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
            by_class: estimate.rows.iter().map(row).collect(),
        }
    }
}

/// What a curve rests on, as JSON and people have it.
pub(super) const fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Trace => "trace",
        Basis::Schedule => "schedule",
        Basis::Constant => "constant",
        Basis::LiveRanges => "live_ranges",
    }
}

impl<'a> SpaceJson<'a> {
    fn new(timed: &'a SpaceWithTimeline, top: usize) -> Self {
        let (space, peak) = (&timed.memory, &timed.memory.peak);
        Self {
            color: peak.color,
            memory_space: &peak.space,
            basis: basis(peak.basis),
            peak_bytes: peak.peak,
            peak_unpadded_bytes: space.peak_unpadded,
            peak_position: peak.position,
            peak_instruction: peak.instruction.as_deref(),
            peak_in_schedule: space.moment.as_ref().map(MomentJson::new),
            total_allocation_bytes: peak.allocated(),
            indefinite_bytes: peak.indefinite,
            parameter_bytes: peak.parameters,
            live_out_bytes: peak.live_out,
            constant_bytes: peak.constants,
            timeline: &timed.timeline,
            n_alive: space.alive.n,
            alive: BufferJson::all(&space.alive.buffers, top),
            rollups: space
                .rollups
                .iter()
                .map(|r| (r.by.key(), r.rows.iter().take(top).map(RollUpJson::new).collect()))
                .collect(),
            padding: PaddingJson {
                wasted_bytes: space.padding.wasted,
                n: space.padding.n,
                worst: space.padding.worst.iter().take(top).map(PaddedJson::new).collect(),
            },
            long_lived: BufferJson::all(&space.long_lived, top),
            jumps: space.jumps.iter().take(top).map(JumpJson::new).collect(),
            vocabulary: space.vocabulary.as_ref().map(|v| VocabularyJson::new(v, top)),
            estimate: EstimateJson::new(&space.estimate),
        }
    }
}

#[derive(Serialize)]
struct RuntimeJson<'a> {
    device: &'a str,
    allocator: Option<&'a str>,
    ordinal: Option<u64>,
    n_events: u64,
    peak_in_use_bytes: u64,
    peak_ps: Picos,
    peak_step: Option<u64>,
    reserved_bytes: u64,
    allocated_bytes: u64,
    available_bytes: Option<u64>,
    capacity_bytes: Option<u64>,
    fragmentation: Option<f64>,
    lifetime_peak_bytes: Option<u64>,
    persistent_bytes: u64,
    transient_bytes: u64,
    timeline: Vec<UseJson>,
}

#[derive(Serialize)]
struct UseJson {
    at_ps: Picos,
    least_bytes: u64,
    most_bytes: u64,
    most_at_ps: Picos,
    last_bytes: u64,
}

impl UseJson {
    fn new(c: &UseColumn) -> Self {
        Self { at_ps: c.at, least_bytes: c.least, most_bytes: c.most, most_at_ps: c.most_at, last_bytes: c.last }
    }
}

impl<'a> RuntimeJson<'a> {
    fn new(a: &'a AllocatorMemory) -> Self {
        Self {
            device: &a.label,
            allocator: a.allocator.as_deref(),
            ordinal: a.ordinal,
            n_events: a.n_events,
            peak_in_use_bytes: a.peak.in_use(),
            peak_ps: a.peak.at,
            peak_step: a.peak.step,
            reserved_bytes: a.peak.reserved,
            allocated_bytes: a.peak.allocated,
            available_bytes: a.peak.available,
            capacity_bytes: a.capacity,
            fragmentation: a.fragmentation,
            lifetime_peak_bytes: a.lifetime_peak,
            persistent_bytes: a.persistent,
            transient_bytes: a.transient,
            timeline: a.timeline.iter().map(UseJson::new).collect(),
        }
    }
}

#[derive(Serialize)]
struct CheckJson<'a> {
    device: &'a str,
    program: Option<&'a str>,
    static_peak_bytes: Option<u64>,
    runtime_peak_bytes: Option<u64>,
    capacity_bytes: Option<u64>,
    /// `allocator`, or the chip whose published memory it is.
    capacity_source: Option<&'a str>,
    used: Option<f64>,
    headroom_bytes: Option<i64>,
    is_tight: bool,
    fragmentation: Option<f64>,
    is_fragmented: bool,
}

impl<'a> CheckJson<'a> {
    fn new(check: &'a CrossCheck) -> Self {
        let capacity = check.capacity.as_ref();
        Self {
            device: &check.label,
            program: check.program.as_deref(),
            static_peak_bytes: check.static_peak,
            runtime_peak_bytes: check.runtime_peak,
            capacity_bytes: capacity.map(|capacity| capacity.size),
            capacity_source: capacity.map(|capacity| match &capacity.source {
                CapacitySource::Allocator => "allocator",
                CapacitySource::Chip(name) => name,
            }),
            used: check.used,
            headroom_bytes: check.headroom,
            is_tight: check.is_tight,
            fragmentation: check.fragmentation,
            is_fragmented: check.is_fragmented,
        }
    }
}

/// Memory: all programs and allocators, `top` rows of each list.
pub fn memory<'a>(head: HeadJson<'a>, whole: &'a WholeMemory, top: usize, notes: &'a [Note]) -> MemoryJson<'a> {
    let program = |timed: &'a ProgramWithTimelines| ProgramJson {
        name: &timed.peaks.name,
        program_id: timed.peaks.program_id.map(|id| id.to_string()),
        spaces: timed.spaces.iter().map(|space| SpaceJson::new(space, top)).collect(),
        note: timed.peaks.note.as_ref().map(|note| note.code.name()),
    };
    MemoryJson {
        head,
        programs: whole.programs.iter().map(program).collect(),
        runtime: whole.runtime.allocators.iter().map(RuntimeJson::new).collect(),
        cross_check: whole.checks.iter().map(CheckJson::new).collect(),
        notes,
    }
}
