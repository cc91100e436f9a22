//! This module holds the types of a roofline report. They are plain data and do not depend on the computation.

use super::peaks::DevicePeaks;
use super::query::{Level, Precision};
use super::verdict::{Bound, FloorComparison};
use super::window_use::WindowUse;
use crate::analysis::base::{Header, Totals};
use crate::analysis::breakdown::Group;
use serde::{Deserialize, Serialize};
use xla_profile::keyed_enum;
use xla_profile::profile::Note;
use xla_profile::units::{Count, Picos};

/// The reason why ops have no roof. The first reason that applies counts, in the order of [`SkipReason::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// A custom call whose FLOPs are absent or zero: a kernel without a cost estimate.
    OpaqueCall,
    /// The FLOPs are absent, or FLOPs and bytes are both zero.
    NoFlops,
    /// The bytes are absent.
    NoBytes,
    /// No peak FLOP/s is known for the data type.
    NoPeak,
    /// The op moves bytes through HBM, and no HBM bandwidth is known.
    NoBandwidth,
    /// A part of an asynchronous op: a `-start` or `-update` only issues the work, and a `-done` waits for work that
    /// runs elsewhere.
    AsyncEnd,
    /// The self time of a container, such as a loop. The cost of a container is that of the ops inside it.
    Container,
    /// No execution of the op starts in the window. Its time there is that of an execution from before, whose cost is not
    /// counted.
    NoStart,
}

impl SkipReason {
    /// All reasons, in the order in which they are checked.
    pub const ALL: [Self; 8] = [
        Self::Container,
        Self::AsyncEnd,
        Self::OpaqueCall,
        Self::NoFlops,
        Self::NoBytes,
        Self::NoPeak,
        Self::NoBandwidth,
        Self::NoStart,
    ];

    /// Returns the name in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::OpaqueCall => "opaque_custom_call",
            Self::NoFlops => "no_flops",
            Self::NoBytes => "no_bytes",
            Self::NoPeak => "no_peak_for_dtype",
            Self::NoBandwidth => "no_hbm_bandwidth",
            Self::AsyncEnd => "async_end",
            Self::Container => "container",
            Self::NoStart => "no_start",
        }
    }

    /// Returns a text of at most 12 letters for a cell of a table.
    pub const fn short(self) -> &'static str {
        match self {
            Self::OpaqueCall => "no cost",
            Self::NoFlops => "no FLOPs",
            Self::NoBytes => "no bytes",
            Self::NoPeak => "no peak",
            Self::NoBandwidth => "no bandwidth",
            Self::AsyncEnd => "async end",
            Self::Container => "loop time",
            Self::NoStart => "no start",
        }
    }

    /// Returns the text for users.
    pub const fn label(self) -> &'static str {
        match self {
            Self::OpaqueCall => "kernels without a cost estimate",
            Self::NoFlops => "no FLOPs",
            Self::NoBytes => "no bytes",
            Self::NoPeak => "unknown peak",
            Self::NoBandwidth => "no HBM bandwidth",
            Self::AsyncEnd => "ends of asynchronous ops",
            Self::Container => "loops’ own time",
            Self::NoStart => "no start in the window",
        }
    }
}

/// Self time without a roof, for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    pub reason: SkipReason,
    /// Number of ops; an op counts once by program and name.
    pub n_ops: u32,
    /// Self time of these ops.
    pub total: Picos,
}

keyed_enum! {
    /// The source of the costs of ops. A sum over ops has the last of these variants that any of its ops has.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum CostSource {
        /// The estimates of the compiler, in the capture.
        Capture = "capture",
        /// Only the FLOPs of the model (`model_flops`), in the capture.
        ModelFlops = "model_flops",
        /// A value that the user gave.
        Yours = "yours",
    }
}

/// The position of ops in the roofline model: sums over those ops that have a roof.
///
/// A floor is the least time that one resource allows an op: FLOPs ÷ peak for compute, bytes ÷ bandwidth for a memory.
/// Each op has its own floors, and `t_roof` is Σ over ops of the longest floor of the op. The gaps of ops therefore sum
/// to the gap of their group, and the gaps of groups sum to the gap of the step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RooflinePosition {
    /// Self time.
    pub total: Picos,
    /// Executions.
    pub n: Count,
    pub flops: f64,
    /// Bytes of all executions, over all memories.
    pub bytes: f64,
    /// Bytes of all executions by memory, indexed by [`Level::index`]. All bytes count as HBM if the source does not
    /// split them.
    pub level_bytes: [f64; 5],
    /// HLO name of the data type that the ops compute with. `None` if it is unknown or the ops differ.
    pub dtype: Option<String>,
    /// Precision whose peak the ops are compared with. `None` if the ops differ.
    pub precision: Option<Precision>,
    /// Whether some op may have operands of a faster type than the known one. The MFU is then an upper bound.
    pub dtype_uncertain: bool,
    /// Whether some op is a dot or a convolution with operands of different types.
    pub dtype_mixed: bool,
    pub cost: CostSource,
    /// FLOPs ÷ bytes of HBM. `None` if the ops move no bytes through HBM.
    pub intensity: Option<f64>,
    /// Ridge point in FLOPs per byte: peak FLOP/s ÷ bytes/s of HBM. `None` if it is unknown or the ops differ.
    pub ridge: Option<f64>,
    /// Resource with the longest summed floor; compute on a tie. If only HBM has a peak, this is compute where the
    /// intensity is at least the ridge point.
    pub bound: Bound,
    /// FLOPs ÷ peak FLOP/s.
    pub t_compute: Picos,
    /// Bytes ÷ peak bytes/s of each memory, indexed by [`Level::index`]. Zero for a memory without a peak.
    pub t_memory: [Picos; 5],
    /// Roofline time: the longest floor of each op, summed.
    pub t_roof: Picos,
    /// Self time by the resource with the longest floor of each op, indexed by [`Bound::index`]. Sums to `total`.
    pub bound_total: [Picos; 6],
    /// `t_compute` ÷ self time, a fraction that is not clamped at 1. `None` if the self time is zero.
    pub mfu: Option<f64>,
    /// Floor of each memory ÷ self time, indexed by [`Level::index`]. `None` for a memory without a peak, or if the
    /// self time is zero.
    pub level_util: [Option<f64>; 5],
    /// `t_roof` ÷ self time. `None` if the self time is zero.
    pub util: Option<f64>,
    /// Self time − `t_roof`, in ps. Negative if the cost estimate exceeds the peak.
    pub gap: i64,
    /// Gap ÷ self time. `None` if the self time is zero.
    pub gap_fraction: Option<f64>,
    /// Time that ops at their roof would save: the sum of the positive gaps of ops. Negative gaps do not reduce it.
    pub recoverable: Picos,
    /// Self time of ops whose cost estimate exceeds the peak.
    pub above: Picos,
    /// Whether latency limits the ops: the utilisation is low and the executions are short.
    pub latency_bound: bool,
}

impl RooflinePosition {
    /// Returns the utilisation of the HBM bandwidth as a fraction. `None` if the bandwidth is unknown or the self time
    /// is zero.
    pub const fn hbm_util(&self) -> Option<f64> {
        self.level_util[Level::Hbm.index()]
    }

    /// Returns the floor of HBM.
    pub const fn t_hbm(&self) -> Picos {
        self.t_memory[Level::Hbm.index()]
    }

    /// Returns whether the time is too short for a meaningful rate: less than 10 ns per execution (a device clock
    /// counts in nanoseconds) and less than a hundred-thousandth of `considered`.
    pub fn is_too_short(&self, considered: Picos) -> bool {
        self.n.mean_of(self.total).is_none_or(|mean| mean < SHORTEST)
            && self.total.fraction_of(considered).is_none_or(|share| share < SMALLEST)
    }

    /// Returns whether the summed cost estimate exceeds the peak.
    pub fn is_above(&self) -> bool {
        self.gap < 0
    }

    /// Returns FLOP/s over the self time. `None` if the executions are too short for a rate.
    pub fn flop_rate(&self) -> Option<f64> {
        crate::analysis::breakdown::report::per_second(Some(self.flops), self.total, self.n)
    }

    /// Returns bytes/s of a memory over the self time. `None` without such bytes, or if the executions are too short
    /// for a rate.
    pub fn byte_rate(&self, level: Level) -> Option<f64> {
        crate::analysis::breakdown::report::per_second(self.level_bytes(level), self.total, self.n)
    }

    /// Returns FLOPs per byte of a memory. `None` without such bytes.
    pub fn intensity_of(&self, level: Level) -> Option<f64> {
        self.level_bytes(level).map(|bytes| self.flops / bytes)
    }

    fn level_bytes(&self, level: Level) -> Option<f64> {
        self.level_bytes.get(level.index()).copied().filter(|bytes| *bytes > 0.0)
    }
}

/// A row of the roofline table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoofRow {
    /// The row of the breakdown. `group.total` = `roof.total` + Σ `skipped`.
    pub group: Group,
    /// The ops of the row that have a roof. `None` if no op has one.
    pub roof: Option<RooflinePosition>,
    /// The other ops.
    pub skipped: Vec<Skipped>,
}

/// The position of a program in the roofline model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgramRoofline {
    pub program: Option<String>,
    pub program_id: Option<u64>,
    /// Self time of the selected ops of the program.
    pub total: Picos,
    /// The ops that have a roof. `None` if no op has one.
    pub roof: Option<RooflinePosition>,
}

/// The position of a step in the roofline model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepRoofline {
    pub number: u64,
    /// Self time of the selected ops within the step.
    pub total: Picos,
    /// The ops that have a roof. `None` if no op has one.
    pub roof: Option<RooflinePosition>,
}

/// The position of one op in the roofline model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpRoofline {
    /// `None` if the op has no roof.
    pub roof: Option<RooflinePosition>,
    /// The verdict on the op. `None` if the op has no self time, no floor or no execution.
    pub verified: Option<FloorComparison>,
    /// The parts of the op that have no roof, by reason.
    pub skipped: Vec<Skipped>,
    /// Peaks of the devices on which the op is selected.
    pub peaks: Vec<DevicePeaks>,
}

/// A custom call without a cost estimate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpaqueKernel {
    pub op: String,
    pub program_id: Option<u64>,
    /// Target of the custom call, such as `tpu_custom_call`.
    pub target: Option<String>,
    /// Executions that start in the window.
    pub n: Count,
    /// Self time.
    pub total: Picos,
    pub source_inner: Option<String>,
}

/// A row in the ranking by recoverable time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GapRank {
    pub key: String,
    /// Program of the row. `None` if the ops of the row have no program or several.
    pub program_id: Option<u64>,
    /// Self time of the ops that have a roof.
    pub total: Picos,
    pub recoverable: Picos,
    /// Recoverable time of this row and of all rows before it, as a fraction of the recoverable time of all rows.
    pub cumulative: f64,
}

/// The answer to a roofline query, without its rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RooflineFigures {
    /// Device, step and window of the figures.
    pub header: Header,
    /// Sums over the window, regardless of the filter.
    pub totals: Totals,
    /// Self time of the selected ops: those of kind compute, of another kind, or of all kinds. Equals `step.total` + Σ
    /// `skipped`.
    pub considered: Picos,
    /// Fraction of `considered` that has a roof. It is shown beside every average. `None` if `considered` is zero.
    pub coverage: Option<f64>,
    /// Peaks of the selected devices. Devices with the same peaks share an entry.
    pub peaks: Vec<DevicePeaks>,
    /// Sums over all ops that have a roof, so averages are weighted by time. `None` if no op has a roof.
    pub step: Option<RooflinePosition>,
    /// By program, most time first.
    pub programs: Vec<ProgramRoofline>,
    /// Time without a roof, by reason, most time first.
    pub skipped: Vec<Skipped>,
    /// Kernels without a cost estimate, most time first.
    pub opaque: Vec<OpaqueKernel>,
    /// Rows by recoverable time, the largest first, at most [`MAX_GAPS`].
    pub gaps: Vec<GapRank>,
    /// Self time, with a roof, of the rows that latency limits.
    pub latency_bound: Picos,
    pub window: WindowUse,
    /// Notes on assumptions and on omissions.
    pub notes: Vec<Note>,
}

/// Mean execution time below which ops have no rates, unless their share of the considered time is at least
/// [`SMALLEST`].
const SHORTEST: Picos = Picos(10_000);
const SMALLEST: f64 = 1e-5;

/// Maximum number of ranked gaps.
pub const MAX_GAPS: usize = 100;

/// The whole report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Roofline {
    pub figures: RooflineFigures,
    /// Rows: most self time first, ties by key, then by program.
    pub rows: Vec<RoofRow>,
}
