//! What a roofline reports. Plain data; knows nothing of how it was found.

use super::peaks::DevicePeaks;
use super::query::{Level, Precision};
use super::verdict::{Bound, Verified};
use crate::analysis::base::{Header, Totals};
use crate::analysis::breakdown::Group;
use crate::profile::Note;
use crate::units::Picos;
use serde::{Deserialize, Serialize};

/// Why ops are compared with no roof. The first that applies counts, in the order of [`SkipReason::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// A custom call without FLOPs: a kernel that says nothing of what it does.
    OpaqueCall,
    /// No FLOPs, or neither FLOPs nor bytes.
    NoFlops,
    /// No bytes.
    NoBytes,
    /// No peak is known for its type.
    NoPeak,
    /// No bandwidth of HBM is known.
    NoBandwidth,
    /// One end of an asynchronous op: `-start` only asks, and `-done` waits for what others do.
    AsyncEnd,
    /// A loop's own time: what it costs is its ops' cost.
    Container,
}

impl SkipReason {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Container,
        Self::AsyncEnd,
        Self::OpaqueCall,
        Self::NoFlops,
        Self::NoBytes,
        Self::NoPeak,
        Self::NoBandwidth,
    ];

    /// The name in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::OpaqueCall => "opaque_custom_call",
            Self::NoFlops => "no_flops",
            Self::NoBytes => "no_bytes",
            Self::NoPeak => "no_peak_for_dtype",
            Self::NoBandwidth => "no_hbm_bandwidth",
            Self::AsyncEnd => "async_end",
            Self::Container => "container",
        }
    }

    /// In words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::OpaqueCall => "kernels without a cost estimate",
            Self::NoFlops => "no FLOPs",
            Self::NoBytes => "no bytes",
            Self::NoPeak => "no peak for the type",
            Self::NoBandwidth => "no HBM bandwidth",
            Self::AsyncEnd => "ends of asynchronous ops",
            Self::Container => "loops’ own time",
        }
    }
}

/// Time that is compared with no roof, for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// Why.
    pub reason: SkipReason,
    /// Ops, each (program, name) once.
    pub n_ops: u32,
    /// Their self time.
    pub total: Picos,
}

/// Who says what ops cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostSource {
    /// The capture: the compiler's estimates.
    Capture,
    /// The capture, but only the model's count of FLOPs (`model_flops`).
    ModelFlops,
    /// The user, of some of it at least.
    Yours,
}

impl CostSource {
    /// The name in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Capture => "capture",
            Self::ModelFlops => "model_flops",
            Self::Yours => "yours",
        }
    }
}

/// Ops against their roofs: sums over those that are compared with one.
///
/// Floors are of each op by itself and summed: `t_roof` = Σ over ops of the longest of their floors. So the gaps of ops sum
/// to the gap of their group, and those of groups to the step's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Roof {
    /// Their self time.
    pub total: Picos,
    /// Their executions.
    pub n: u64,
    /// Their FLOPs.
    pub flops: f64,
    /// Their bytes, of all memories.
    pub bytes: f64,
    /// Their bytes by memory, by [`Level::index`]; all of them HBM's where nothing splits them.
    pub level_bytes: [f64; 5],
    /// The type they compute with, where they agree: HLO's name of it.
    pub dtype: Option<String>,
    /// Whose peak they are compared with, where they agree.
    pub precision: Option<Precision>,
    /// Of some the operands cannot be seen: the MFU is an upper bound.
    pub dtype_uncertain: bool,
    /// Of some the operands are of different types.
    pub dtype_mixed: bool,
    /// Who says what they cost.
    pub cost: CostSource,
    /// FLOPs ÷ bytes of HBM; `None` without such bytes.
    pub intensity: Option<f64>,
    /// Peak FLOP/s ÷ bytes/s of HBM, where they agree.
    pub ridge: Option<f64>,
    /// What the longest floor is of. Compute where AI ≥ ridge, and no other memory's floor is longer.
    pub bound: Bound,
    /// FLOPs ÷ peak FLOP/s.
    pub t_compute: Picos,
    /// Bytes ÷ peak bytes/s, by [`Level::index`]; zero where a memory has no peak.
    pub t_memory: [Picos; 5],
    /// The longest floor of each op, summed.
    pub t_roof: Picos,
    /// Self time by what an op's own longest floor is of: compute, then memories by [`Level::index`]. Sums to `total`.
    pub bound_total: [Picos; 6],
    /// t_compute ÷ time, a fraction; above 1 it is shown as it is. `None` without time.
    pub mfu: Option<f64>,
    /// t_memory ÷ time, by level; `None` for memories without a peak, too.
    pub level_util: [Option<f64>; 5],
    /// t_roof ÷ time.
    pub util: Option<f64>,
    /// Time − t_roof, picoseconds; below zero where the cost estimate is above the peak.
    pub gap: i64,
    /// Gap ÷ time.
    pub gap_fraction: Option<f64>,
    /// What could be won at the roof: the gaps of those ops that have one. Those above their roof hide none of it.
    pub recoverable: Picos,
    /// Time of ops whose cost estimate is above the peak.
    pub above: Picos,
    /// Little use of anything, and short executions: latency bounds them.
    pub latency_bound: bool,
}

impl Roof {
    /// Use of HBM's bandwidth, a fraction.
    pub const fn hbm_util(&self) -> Option<f64> {
        self.level_util[Level::Hbm.index()]
    }

    /// The floor of HBM.
    pub const fn t_hbm(&self) -> Picos {
        self.t_memory[Level::Hbm.index()]
    }

    /// Whether it takes so little time that a rate would say nothing: less than 10 ns per execution (a device's clock counts
    /// in nanoseconds), and less than a hundred-thousandth of the time asked about.
    pub fn is_too_short(&self, considered: Picos) -> bool {
        self.total.0.checked_div(self.n).is_none_or(|mean| Picos(mean) < SHORTEST)
            && self.total.fraction_of(considered).is_none_or(|share| share < SMALLEST)
    }

    /// Whether their cost estimate as a whole is above the peak.
    pub fn is_above(&self) -> bool {
        self.gap < 0
    }

    /// FLOP/s in their own time.
    pub fn flop_rate(&self) -> Option<f64> {
        crate::analysis::breakdown::report::per_second(Some(self.flops), self.total, self.n)
    }

    /// Bytes/s of a memory in their own time; `None` without such bytes.
    pub fn byte_rate(&self, level: Level) -> Option<f64> {
        crate::analysis::breakdown::report::per_second(self.level_bytes(level), self.total, self.n)
    }

    /// FLOP per byte of a memory; `None` without such bytes.
    pub fn intensity_of(&self, level: Level) -> Option<f64> {
        self.level_bytes(level).map(|bytes| self.flops / bytes)
    }

    fn level_bytes(&self, level: Level) -> Option<f64> {
        self.level_bytes.get(level.index()).copied().filter(|bytes| *bytes > 0.0)
    }
}

/// One row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoofRow {
    /// The row as a breakdown has it. `group.total` = `roof.total` + Σ `skipped`.
    pub group: Group,
    /// Its ops that are compared with roofs; `None` where none is.
    pub roof: Option<Roof>,
    /// The others.
    pub skipped: Vec<Skipped>,
}

/// A program against its roofs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgramRoof {
    /// Its name, where there is one.
    pub program: Option<String>,
    /// Its id, where there is one.
    pub program_id: Option<u64>,
    /// Self time of its ops that were requested.
    pub total: Picos,
    /// Those that are compared with roofs.
    pub roof: Option<Roof>,
}

/// A step against the roofs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepRoof {
    /// Its number.
    pub number: u64,
    /// Self time of its ops that were requested, within it.
    pub total: Picos,
    /// Those that are compared with roofs.
    pub roof: Option<Roof>,
}

/// One op against its roofs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpRoof {
    /// Where it lies; `None` where it has no roof.
    pub roof: Option<Roof>,
    /// What is to be thought of it; `None` where it has no time, or no floor.
    pub verified: Option<Verified>,
    /// Why all or a part of it has no roof.
    pub skipped: Vec<Skipped>,
    /// The peaks it is compared with.
    pub peaks: Vec<DevicePeaks>,
}

/// A kernel that says nothing of what it does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpaqueKernel {
    /// Its op's name.
    pub op: String,
    /// The id of its program, where it has one.
    pub program_id: Option<u64>,
    /// What it calls: `tpu_custom_call`.
    pub target: Option<String>,
    /// Executions that start in the window.
    pub n: u64,
    /// Self time.
    pub total: Picos,
    /// Its innermost source line.
    pub source_inner: Option<String>,
}

/// A place in the order of what could be won.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GapRank {
    /// The row's key.
    pub key: String,
    /// Its program, where it is of one.
    pub program_id: Option<u64>,
    /// Time of its ops that are compared with roofs.
    pub total: Picos,
    /// What could be won.
    pub recoverable: Picos,
    /// Of all that could be won, this and all before it: a fraction.
    pub cumulative: f64,
}

/// Where the number of devices that share a step is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceCountSource {
    /// The user.
    Yours,
    /// The program with the most time: its replicas × partitions.
    Program,
    /// The devices of the capture: a job may have more.
    Capture,
}

impl DeviceCountSource {
    /// The name in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Yours => "yours",
            Self::Program => "program",
            Self::Capture => "capture",
        }
    }
}

/// Devices that share a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceCount {
    /// How many.
    pub n: u32,
    /// Who says so.
    pub source: DeviceCountSource,
}

/// The window as a whole: all that runs in it, of every kind, idle time included.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WindowUse {
    /// Its length, summed over devices.
    pub window: Picos,
    /// FLOPs of all ops but loops; of an asynchronous pair once.
    pub flops: Option<f64>,
    /// The same by the model's count: without recompute.
    pub model_flops: Option<f64>,
    /// Bytes, counted alike.
    pub bytes: Option<f64>,
    /// The peak they are compared with: bf16's, FLOP/s of one device.
    pub peak_flops: Option<f64>,
    /// FLOPs ÷ (peak × window).
    pub mfu: Option<f64>,
    /// Model FLOPs ÷ (peak × window): what is mostly meant by MFU.
    pub model_mfu: Option<f64>,
    /// Bytes of HBM ÷ (bandwidth × window).
    pub hbm_util: Option<f64>,
    /// What the user says a step computes, for this window and its devices.
    pub useful_flops: Option<f64>,
    /// That ÷ (peak × window).
    pub useful_mfu: Option<f64>,
    /// Devices that share the useful FLOPs of a step; `None` where none are given, or a link leaves it out.
    pub useful_devices: Option<DeviceCount>,
}

/// The answer but for its rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RooflineFigures {
    /// What the figures are of.
    pub header: Header,
    /// Sums over the window.
    pub totals: Totals,
    /// Self time of the ops asked about: compute, or all kinds; = `step.total` + Σ `skipped`.
    pub considered: Picos,
    /// Of that, the fraction that is compared with roofs. Stands beside every average.
    pub coverage: Option<f64>,
    /// The peaks, by devices that have the same.
    pub peaks: Vec<DevicePeaks>,
    /// All ops that are compared with roofs, summed: averages are weighted by time.
    pub step: Option<Roof>,
    /// By program, most time first.
    pub programs: Vec<ProgramRoof>,
    /// What is compared with no roof, most time first.
    pub skipped: Vec<Skipped>,
    /// Kernels that say nothing of what they do, most time first.
    pub opaque: Vec<OpaqueKernel>,
    /// Rows by what could be won, most first, [`MAX_GAPS`] at most.
    pub gaps: Vec<GapRank>,
    /// Time of ops bound by latency.
    pub latency_bound: Picos,
    /// The window as a whole.
    pub window: WindowUse,
    /// What was assumed or left out.
    pub notes: Vec<Note>,
}

/// Executions shorter than this on average have no rates, unless they are more than [`SMALLEST`] of the time asked about.
const SHORTEST: Picos = Picos(10_000);
const SMALLEST: f64 = 1e-5;

/// Gaps that are ranked, at most.
pub const MAX_GAPS: usize = 100;

/// The whole answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Roofline {
    /// All but the rows.
    pub figures: RooflineFigures,
    /// Rows, most self time first, ties by key.
    pub rows: Vec<RoofRow>,
}
