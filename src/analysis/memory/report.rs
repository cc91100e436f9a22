//! This module holds the types of a memory report. They are plain data with units in their names, and do not depend on
//! the computation.
//!
//! **Points.** The curve of a memory has one point before each event of the heap simulator's trace and one at the end.
//! A buffer that event `first` takes and event `last` frees is alive at the points `first + 1 ..= last`.

use super::categories::{MemoryClass, RollUpBy};
use super::fit_report::FitBasis;
pub use super::live_buffer::Buffer;
use super::query::BytesPerParameter;
use super::runtime_report::{CrossCheck, RuntimeMemory};
use serde::{Deserialize, Serialize};
use xla_profile::keyed_enum;
use xla_profile::profile::Note;

/// All programs of a session. Programs that ran come first, and of these the one with the highest peak in HBM. Programs without
/// a known peak in HBM are last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryPrograms {
    pub programs: Vec<ProgramPeaks>,
    pub notes: Vec<Note>,
}

impl MemoryPrograms {
    /// Returns the programs at the start of the list whose peaks in HBM descend. Programs that ran in the capture come first,
    /// from the highest peak to the lowest. The first higher peak is therefore that of a program that did not run. Programs
    /// without a higher peak may follow those that ran.
    pub fn leading(&self) -> &[ProgramPeaks] {
        let n = self.programs.windows(2).position(|pair| pair[1].hbm_peak() > pair[0].hbm_peak());
        &self.programs[..n.map_or(self.programs.len(), |n| n + 1)]
    }
}

/// The need of a program in each memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProgramPeaks {
    /// Index in [`crate::analysis::files::FileView::programs`].
    pub program: u32,
    /// Name of the program, without its id.
    pub name: String,
    /// Id of the program in events.
    pub program_id: Option<u64>,
    /// By colour. Empty if the memory of the program is unknown; `note` then gives the reason.
    pub spaces: Vec<SpacePeak>,
    /// Why the memory of the program is unknown, or a caution about its figures.
    pub note: Option<Note>,
}

impl ProgramPeaks {
    /// Returns the need in the main memory of the device. `None` if it is unknown.
    pub fn main_memory(&self) -> Option<&SpacePeak> {
        self.spaces.iter().find(|space| space.color == 0)
    }

    /// Returns the peak in the main memory of the device, in bytes. `None` if it is unknown.
    pub fn hbm_peak(&self) -> Option<u64> {
        self.main_memory().map(|space| space.peak)
    }
}

/// The need of a program in one memory. Sizes are bytes with padding.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpacePeak {
    /// Memory colour: 0 is the main memory of the device.
    pub color: i64,
    /// "HBM", "VMEM", "S(5)"; "device memory" for colour 0 of a device that is no TPU.
    pub space: String,
    /// Largest number of bytes that are alive at once.
    pub peak: u64,
    /// Event that first reaches the peak, which is at point `position + 1` of the curve. `None` if the curve starts at
    /// the peak.
    pub position: Option<u32>,
    /// Name of the instruction of that event.
    pub instruction: Option<String>,
    /// Bytes of all allocations that are not thread-local. This is not the peak, because not all are alive at once. 0
    /// if the program has no buffer assignment.
    pub total_allocation: u64,
    /// Bytes that are alive all the time: parameters, constants, and memory that may outlive the program.
    pub indefinite: u64,
    /// Part of `indefinite` that is parameters.
    pub parameters: u64,
    /// Part of `indefinite` that may outlive the program. A parameter that is updated in place is in both.
    pub live_out: u64,
    /// Part of `indefinite` that is constants.
    pub constants: u64,
    /// Number of events; the curve has one point more.
    pub n_events: u32,
    pub basis: Basis,
}

keyed_enum! {
    /// The data from which a curve is computed.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub enum Basis {
        /// The trace of the heap simulator. The curve is exact.
        #[default]
        Trace = "trace",
        /// The places of instructions in the schedule of the entry, for a program without a trace. Bodies of loops are
        /// not walked.
        Schedule = "schedule",
        /// Buffers that are alive all the time, and no others.
        Constant = "constant",
        /// Live ranges of the schedule in the text of a program, which has no buffer assignment. The curve is an
        /// estimate.
        LiveRanges = "live_ranges",
    }
}

/// The whole report on the memory of a session, as the command line writes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WholeMemory {
    /// In the order of [`MemoryPrograms`], with the requested memories.
    pub programs: Vec<ProgramWithTimelines>,
    /// The report on allocators.
    pub runtime: RuntimeMemory,
    /// The peaks of programs and allocators, compared with the capacity of each device.
    pub checks: Vec<CrossCheck>,
    pub notes: Vec<Note>,
}

impl WholeMemory {
    /// Returns the memory of a device in bytes. `None` if it is unknown.
    pub fn capacity(&self) -> Option<u64> {
        self.checks.iter().find_map(|check| Some(check.capacity.as_ref()?.size))
    }

    /// Returns whether neither a program nor an allocator has any figures.
    pub fn is_empty(&self) -> bool {
        self.runtime.allocators.is_empty() && self.programs.iter().all(|program| program.peaks.spaces.is_empty())
    }
}

/// A program with the reports on its memories.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProgramWithTimelines {
    pub peaks: ProgramPeaks,
    /// Name of the file with its HLO. `None` if the session has no HLO of it.
    pub file: Option<String>,
    /// The requested memories, by colour.
    pub spaces: Vec<SpaceWithTimeline>,
}

/// The report on a memory, with its whole curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpaceWithTimeline {
    pub memory: SpaceMemory,
    /// Bytes at every point.
    pub timeline: Vec<u64>,
}

/// The report on one memory of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StaticMemory {
    /// The program, with the peaks of all its memories.
    pub program: ProgramPeaks,
    /// The requested memory. `None` if the program has nothing in it.
    pub space: Option<SpaceMemory>,
    pub notes: Vec<Note>,
}

/// The figures of one memory of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpaceMemory {
    /// The peak and the sums.
    pub peak: SpacePeak,
    /// Bytes without padding that are alive at the peak. Buffers that are alive all the time count with their padding,
    /// as in other tools.
    pub peak_unpadded: u64,
    /// Place of the peak in the schedule of the entry. `None` if the place is unknown.
    pub moment: Option<Moment>,
    /// The whole curve, in few columns.
    pub curve: Curve,
    /// The buffers that are alive at the peak.
    pub alive: AliveAt,
    /// Sums of these buffers by each [`RollUpBy`].
    pub rollups: Vec<RollUp>,
    /// Padding at the peak.
    pub padding: Padding,
    /// Temporaries that are alive for more than half of the events and larger than 100 MiB, the largest first.
    pub long_lived: Vec<Buffer>,
    /// The largest rises of the curve, the largest first.
    pub jumps: Vec<Jump>,
    /// Buffers with a dimension of the size of the vocabulary, and the saving of a loss in chunks. `None` if no
    /// temporary has such a dimension.
    pub vocabulary: Option<Vocabulary>,
    /// The need of a model by its number of parameters, compared with the live buffers.
    pub estimate: Estimate,
    /// The sizes of the model and of the batch, from which the memory of other sizes is estimated. `None` if the weights
    /// or the tokens of the program are not recognised.
    pub fit: Option<FitBasis>,
    /// Live ranges around the peak.
    pub lanes: LiveRangeRows,
}

/// A place in the schedule of the entry computation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// Name of the instruction of the entry: that of the event, or the one that calls the computation of the event.
    pub instruction: String,
    /// Index in the schedule of the entry, counted from 0.
    pub place: u32,
    /// Number of instructions in that schedule.
    pub n_instructions: u32,
    /// Part of a training step. `None` if the program computes no gradient.
    pub part: Option<MomentPart>,
}

keyed_enum! {
    /// The part of a training step at a moment, by its place in the schedule.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum MomentPart {
        /// Before half of the schedule.
        Forward = "forward",
        /// From half of the schedule to 70 %, where the forward pass changes to the backward pass.
        Turn = "turn",
        /// After 70 % of the schedule.
        Backward = "backward",
    }
}

/// A piece of a curve, in columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Curve {
    /// Number of points of the whole curve.
    pub n_points: u32,
    /// First point of the piece.
    pub from: u32,
    /// Point after the last one of the piece.
    pub to: u32,
    /// Columns of neighbouring points. Each point has its own column if there is room.
    pub columns: Vec<CurveColumn>,
    /// For each column, the instruction of the event before its maximum. Empty if it is unknown.
    pub instructions: Vec<String>,
    /// For each column, the phase of training of that instruction. Empty if it is unknown.
    pub phases: Vec<String>,
}

/// Neighbouring points of a curve. Sizes are bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurveColumn {
    /// First point. The column ends where the next one begins.
    pub first: u32,
    /// Minimum.
    pub least: u64,
    /// Maximum.
    pub most: u64,
    /// First point with the maximum.
    pub most_at: u32,
    /// Minimum without padding.
    pub unpadded_least: u64,
    /// Maximum without padding.
    pub unpadded_most: u64,
}

/// The buffers that are alive at a point of the curve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AliveAt {
    pub point: u32,
    /// Instruction of the event before the point. `None` at the start, or if it is unknown.
    pub instruction: Option<String>,
    /// Place of that instruction in the schedule of the entry. `None` if it is unknown.
    pub moment: Option<Moment>,
    /// Bytes of all live buffers: Σ of their sizes.
    pub size: u64,
    /// Bytes without padding. Buffers that are alive all the time count with their padding.
    pub unpadded: u64,
    /// Number of live buffers.
    pub n: u32,
    /// The largest live buffers, the largest first.
    pub buffers: Vec<Buffer>,
    /// Bytes of the live buffers that are not in `buffers`.
    pub rest: u64,
}

/// Sums of live buffers by one property.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RollUp {
    pub by: RollUpBy,
    /// The largest first, ties by key. Σ sizes = the bytes of all live buffers.
    pub rows: Vec<RollUpRow>,
}

/// A row of a roll-up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RollUpRow {
    /// The property that the buffers share. Empty for buffers without it.
    pub key: String,
    /// Bytes of the buffers.
    pub size: u64,
    /// Bytes of their elements. A buffer of unknown shape counts with its size.
    pub unpadded: u64,
    pub n: u32,
}

/// The padding of the buffers that are alive at the peak.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Padding {
    /// Bytes that hold no element: Σ size − unpadded over the buffers with padding.
    pub wasted: u64,
    /// Number of buffers with padding.
    pub n: u32,
    /// Buffers with the most padding, in bytes, the most first.
    pub worst: Vec<Padded>,
}

/// A buffer with padding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Padded {
    pub buffer: Buffer,
    /// Size − unpadded, in bytes.
    pub wasted: u64,
    /// Size ÷ unpadded − 1. `None` if the buffer has no element.
    pub overhead: Option<f64>,
}

/// A rise of the curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Jump {
    /// Event that causes the rise.
    pub position: u32,
    /// Bytes of the rise.
    pub size: u64,
    /// Bytes of all live buffers after the event.
    pub after: u64,
    /// Buffer that the event takes.
    pub buffer: Buffer,
}

/// The buffers with a dimension of the size of the vocabulary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vocabulary {
    /// Sizes of vocabularies in this program, the largest first.
    pub dims: Vec<u64>,
    /// Temporaries with such a dimension that are alive at the peak, the largest first.
    pub buffers: Vec<Buffer>,
    /// Bytes of all temporaries with such a dimension that are alive at the peak.
    pub size: u64,
    /// Assumed number of chunks in which the loss is computed.
    pub chunks: u32,
    /// Peak, by a replay, if each such buffer of the loss had the size of one chunk, wherever it is alive.
    pub peak: u64,
    /// Peak − this peak.
    pub saves: u64,
}

/// The need of a model by a rule of thumb, compared with the live buffers of its program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Parameters on one device: the number in the query, else the number counted from the weights. `None` if the query
    /// has none and no buffer is a weight.
    pub n_parameters: Option<u64>,
    /// Whether the parameters were counted from the weights.
    pub counted: bool,
    pub per_parameter: BytesPerParameter,
    /// Rows for weights, gradients and optimizer state.
    pub rows: Vec<EstimateRow>,
}

/// One part of an estimate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EstimateRow {
    pub class: MemoryClass,
    /// Parameters × bytes for each. `None` if the number of parameters is unknown.
    pub expected: Option<u64>,
    /// Bytes of buffers of this class that are alive at the peak.
    pub measured: u64,
}

/// Live ranges of buffers, arranged in rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveRangeRows {
    /// First point of the window.
    pub from: u32,
    /// Point after the last one of the window.
    pub to: u32,
    /// The rows; the ranges of a row do not overlap. The row with the largest buffer is first.
    pub lanes: Vec<Vec<Buffer>>,
    /// Number of live ranges in the window that are in no row, because other rows hold larger buffers.
    pub n_left_out: u32,
}

/// The peak without some buffers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WhatIf {
    /// Peak with all buffers, in bytes.
    pub before: u64,
    /// Peak without the removed buffers, by a replay: another moment may then be the highest.
    pub peak: u64,
    /// Event that first reaches that peak. `None` if the curve starts at that peak.
    pub position: Option<u32>,
    /// Name of the instruction of that event.
    pub instruction: Option<String>,
    /// Bytes of the removed buffers, each counted once, even if they are never alive at the same time.
    pub without: u64,
    /// Curve without the removed buffers over the requested points, in at most the requested number of columns.
    pub curve: Vec<WhatIfColumn>,
}

/// Neighbouring points of the curve without some buffers. Sizes are bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhatIfColumn {
    /// First point. The column ends where the next one begins.
    pub first: u32,
    /// Minimum.
    pub least: u64,
    /// Maximum.
    pub most: u64,
}
