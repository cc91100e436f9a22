//! What a program's memory is reported as. Plain data with its units in its names; knows nothing of how it was found.
//!
//! **Points.** The curve of a space has one point before each event of the heap simulator's trace and one at the end. A
//! buffer taken by event `first` and let go by event `last` is alive at the points `first + 1 ..= last`.

pub use super::live_buffer::Buffer;
use super::query::BytesPerParameter;
use super::runtime_report::{CrossCheck, RuntimeMemory};
use super::words::{MemoryClass, RollUpBy};
use crate::profile::Note;
use serde::{Deserialize, Serialize};

/// Every program of a session that has its buffers told, the one with the highest peak in HBM first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryPrograms {
    /// Programs that can be requested, then those of which nothing is known.
    pub programs: Vec<ProgramPeaks>,
    /// What is to be reported of all.
    pub notes: Vec<Note>,
}

/// What a program takes of each memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProgramPeaks {
    /// Its place in [`crate::analysis::files::FileView::programs`].
    pub program: u32,
    /// Its name, without its id.
    pub name: String,
    /// Its id, as events have it.
    pub program_id: Option<u64>,
    /// By colour. Empty where nothing is known: `note` says why.
    pub spaces: Vec<SpacePeak>,
    /// Why nothing is known of it, or what its figures leave out.
    pub note: Option<Note>,
}

/// What a program takes of one memory. Sizes are bytes with padding.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpacePeak {
    /// The memory colour: 0 is the device's main memory.
    pub color: i64,
    /// "HBM", "VMEM", "S(5)"; "device memory" for colour 0 of what is no TPU.
    pub space: String,
    /// The most that is alive at once.
    pub peak: u64,
    /// The event that first reached the peak: the curve's point `position + 1` is it. `None` where nothing comes and goes.
    pub position: Option<u32>,
    /// The instruction of that event.
    pub instruction: Option<String>,
    /// All allocations but those of one thread. Not the peak: not all are alive at once. 0 where no buffer assignment says it.
    pub total_allocation: u64,
    /// What is alive all the time: parameters, constants and what lives on after the program.
    pub indefinite: u64,
    /// Of these, parameters.
    pub parameters: u64,
    /// Of these, what may live on after the program (a parameter updated in place is both).
    pub live_out: u64,
    /// Of these, constants.
    pub constants: u64,
    /// Events of the trace; the curve has one point more.
    pub n_events: u32,
    /// How it was found.
    pub basis: Basis,
}

/// What a curve rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Basis {
    /// The heap simulator's trace: exact.
    #[default]
    Trace,
    /// The program has no trace: from where instructions stand in the entry's schedule. Bodies of loops are not walked.
    Schedule,
    /// Nothing comes and goes.
    Constant,
    /// The program's text alone is known, which has no buffer assignment: an estimate from the live ranges of its schedule.
    LiveRanges,
}

/// All there is to say of a session's memory: what the command line writes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WholeMemory {
    /// As in [`MemoryPrograms`], with the memories that were requested.
    pub programs: Vec<ProgramWithTimelines>,
    /// What allocators say.
    pub runtime: RuntimeMemory,
    /// Their peaks beside each other.
    pub checks: Vec<CrossCheck>,
    /// What is to be reported of all.
    pub notes: Vec<Note>,
}

impl WholeMemory {
    /// Whether nothing at all is known.
    pub fn is_empty(&self) -> bool {
        self.runtime.allocators.is_empty() && self.programs.iter().all(|program| program.peaks.spaces.is_empty())
    }
}

/// A program with all that is known of its memories.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProgramWithTimelines {
    /// Its peaks.
    pub peaks: ProgramPeaks,
    /// By colour: those that were requested.
    pub spaces: Vec<SpaceWithTimeline>,
}

/// A memory with its whole curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpaceWithTimeline {
    /// All that is shown of it.
    pub memory: SpaceMemory,
    /// Bytes at every point.
    pub timeline: Vec<u64>,
}

/// All that is shown of one program's memory at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StaticMemory {
    /// The program and all its memories.
    pub program: ProgramPeaks,
    /// The memory asked for; `None` where the program has nothing in it.
    pub space: Option<SpaceMemory>,
    /// What is to be reported of the figures.
    pub notes: Vec<Note>,
}

/// One memory of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpaceMemory {
    /// Its peak and its sums.
    pub peak: SpacePeak,
    /// What is alive at the peak, without padding (what is alive all the time counts with it, as in other tools).
    pub peak_unpadded: u64,
    /// Where in the entry's schedule the peak lies.
    pub moment: Option<Moment>,
    /// The whole curve, in few columns.
    pub curve: Curve,
    /// What is alive at the peak.
    pub alive: AliveAt,
    /// What is alive at the peak, summed by each [`RollUpBy`].
    pub rollups: Vec<RollUp>,
    /// What padding wastes at the peak.
    pub padding: Padding,
    /// Temporaries that live for more than half of the trace and are larger than 100 MiB, the largest first.
    pub long_lived: Vec<Buffer>,
    /// The largest rises of the curve, the largest first.
    pub jumps: Vec<Jump>,
    /// Buffers with a dimension of the vocabulary's size, and what computing the loss in pieces would save.
    pub vocabulary: Option<Vocabulary>,
    /// What a model of so many parameters needs, beside what is there.
    pub estimate: Estimate,
    /// Lives around the peak.
    pub lanes: LiveRangeRows,
}

/// Where in the entry's schedule something lies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// The entry's instruction: the one of the event, or the one that calls what it is in.
    pub instruction: String,
    /// Its place in the entry's schedule, counted from 0.
    pub place: u32,
    /// Instructions in that schedule.
    pub of: u32,
    /// Which part of a training step that is; `None` where the program computes no gradient.
    pub part: Option<MomentPart>,
}

/// Which part of a training step a moment lies in, by its place in the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MomentPart {
    /// Before half of the schedule.
    Forward,
    /// From half of it to 70 %: where forward turns into backward.
    Turn,
    /// After 70 %.
    Backward,
}

/// A piece of a curve, by columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Curve {
    /// Points of the whole curve.
    pub n_points: u32,
    /// The first point told.
    pub from: u32,
    /// The point after the last one told.
    pub to: u32,
    /// Neighbouring points by their least and most: a column a point where there is room for all.
    pub columns: Vec<CurveColumn>,
    /// By column, the instruction of the event that leads to its most; empty where none does.
    pub instructions: Vec<String>,
    /// By column, the phase of training that instruction belongs to; empty where nothing tells.
    pub phases: Vec<String>,
}

/// Neighbouring points of a curve. Sizes are bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurveColumn {
    /// The first of its points; it ends where the next column begins.
    pub first: u32,
    /// The least.
    pub least: u64,
    /// The most.
    pub most: u64,
    /// The first point at which it is the most.
    pub most_at: u32,
    /// The least without padding.
    pub unpadded_least: u64,
    /// The most without padding.
    pub unpadded_most: u64,
}

/// What is alive at a point of the curve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AliveAt {
    /// The point.
    pub point: u32,
    /// The instruction of the event before it; `None` at the start.
    pub instruction: Option<String>,
    /// Where in the entry's schedule that is.
    pub moment: Option<Moment>,
    /// All that is alive: Σ of the buffers' sizes.
    pub size: u64,
    /// The same without padding.
    pub unpadded: u64,
    /// How many buffers.
    pub n: u32,
    /// The largest of them, the largest first.
    pub buffers: Vec<Buffer>,
    /// Bytes of those that are not told.
    pub rest: u64,
}

/// What is alive, summed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RollUp {
    /// By what.
    pub by: RollUpBy,
    /// The largest first, ties by key. Σ sizes = the peak.
    pub rows: Vec<RollUpRow>,
}

/// A row of a roll-up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RollUpRow {
    /// What its buffers have in common; empty where they have none.
    pub key: String,
    /// Their bytes.
    pub size: u64,
    /// Bytes of their elements; those whose shape is not known count as padded.
    pub unpadded: u64,
    /// How many.
    pub n: u32,
}

/// What padding wastes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Padding {
    /// Bytes alive at the peak that hold no element: over all buffers, Σ size − unpadded.
    pub wasted: u64,
    /// Buffers that have any.
    pub n: u32,
    /// The worst by bytes, the worst first.
    pub worst: Vec<Padded>,
}

/// A buffer with padding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Padded {
    /// The buffer.
    pub buffer: Buffer,
    /// Size − unpadded, bytes.
    pub wasted: u64,
    /// Size ÷ unpadded − 1; `None` where it has no element.
    pub overhead: Option<f64>,
}

/// A rise of the curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Jump {
    /// The event that made it.
    pub position: u32,
    /// By how many bytes.
    pub size: u64,
    /// All that is alive after it.
    pub after: u64,
    /// What was taken.
    pub buffer: Buffer,
}

/// Buffers of the vocabulary's size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vocabulary {
    /// Sizes of a vocabulary in this program, the largest first.
    pub dims: Vec<u64>,
    /// Temporaries alive at the peak that have one, the largest first.
    pub buffers: Vec<Buffer>,
    /// Their bytes.
    pub size: u64,
    /// In how many pieces the loss is thought to be computed.
    pub chunks: u32,
    /// The peak if each of such temporaries, wherever it lives, were one piece: replayed.
    pub peak: u64,
    /// By how much that is lower.
    pub saves: u64,
}

/// What a model needs by rule of thumb, beside what its program has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Parameters on one device: counted from the weights, or as asked. `None` where no buffer is known to be a weight.
    pub n_parameters: Option<u64>,
    /// Whether they were counted.
    pub counted: bool,
    /// Bytes for each.
    pub per_parameter: BytesPerParameter,
    /// Weights, gradients, optimizer's state.
    pub rows: Vec<EstimateRow>,
}

/// One part of an estimate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EstimateRow {
    /// What is estimated.
    pub class: MemoryClass,
    /// Parameters × bytes for each. `None` where their number is not known.
    pub expected: Option<u64>,
    /// Bytes of this class at the peak.
    pub measured: u64,
}

/// Lives of buffers beside each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveRangeRows {
    /// The first point of the window.
    pub from: u32,
    /// The point after its last one.
    pub to: u32,
    /// The rows: live ranges of one row do not overlap. The one with the largest buffer first.
    pub lanes: Vec<Vec<Buffer>>,
    /// Buffers that live in the window and are in no lane, for they are smaller.
    pub n_left_out: u32,
}

/// What the peak would be without some buffers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WhatIf {
    /// The peak as it is, bytes.
    pub before: u64,
    /// The peak without them: replayed, for without them another moment may be the highest.
    pub peak: u64,
    /// The event that first reaches it.
    pub position: Option<u32>,
    /// The instruction of that event.
    pub instruction: Option<String>,
    /// Bytes of those that are left out, over all their lives at once.
    pub without: u64,
    /// The curve without them, of the points that were requested, in at most as many columns as were requested.
    pub curve: Vec<WhatIfColumn>,
}

/// Neighbouring points of the curve without some buffers. Sizes are bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhatIfColumn {
    /// The first of its points; it ends where the next column begins.
    pub first: u32,
    /// The least.
    pub least: u64,
    /// The most.
    pub most: u64,
}
