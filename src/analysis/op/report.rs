//! The report of one op: plain data with its units in its types. This module knows nothing of how it was found.

use crate::analysis::base::{Peaks, Query};
use crate::analysis::classify::Kind;
use crate::analysis::roofline::OpRoof;
use crate::profile::Note;
use crate::units::Picos;
use serde::{Deserialize, Serialize};

/// One op: what it is, how long it takes, what it takes and gives, where it comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpDetail {
    /// What was asked: device and step. Grouping and filter play no part.
    pub query: Query,
    /// Its name, without `%`.
    pub name: String,
    /// What it does, as HLO spells it: `fusion`, `all-reduce-start`.
    pub opcode: Option<String>,
    /// The kind its time is of. `None` where nothing but a name is known.
    pub kind: Option<Kind>,
    /// What people call the work. `None` where it has no time on the devices asked about; so for the next three.
    pub op_group: Option<String>,
    /// Phase of training.
    pub phase: Option<String>,
    /// Layer of the model.
    pub layer: Option<String>,
    /// `hlo_category`.
    pub category: Option<String>,
    /// Of a GPU the kernel that ran, where it has another name than the op.
    pub kernel: Option<String>,
    /// Its program's name.
    pub program: Option<String>,
    /// Its program's id.
    pub program_id: Option<u64>,
    /// The computation it is in. `None` without the program's HLO.
    pub computation: Option<OpPlace>,
    /// The device that the figures are of: `TPU:0`, or "8 devices" for a sum.
    pub device: Option<String>,
    /// What it is, in one plain sentence without a full stop.
    pub words: String,
    /// How long it takes. `None` where it does not run by itself on the devices asked about: a parameter, a part of a
    /// fusion.
    pub figures: Option<OpFigures>,
    /// Where it lies against the roofs. `None` where it does not run by itself on the devices asked about.
    pub roof: Option<OpRoof>,
    /// What it gives and takes: results first, then operands in order; 400 at most.
    pub values: Vec<OpValue>,
    /// Values beyond those told.
    pub more_values: u32,
    /// What changes between operand and result.
    pub remarks: Vec<OpRemark>,
    /// Where it comes from.
    pub source: OpSource,
    /// The ops whose results it takes, in order, each once; 200 at most.
    pub operands: Vec<Neighbour>,
    /// Operands beyond those told.
    pub more_operands: u32,
    /// The ops that take its result; 200 at most.
    pub users: Vec<Neighbour>,
    /// Users beyond those told.
    pub more_users: u32,
    /// What a fusion consists of.
    pub fused: Option<Fused>,
    /// The whole instruction as HLO text.
    pub text: Option<String>,
    /// Where its HLO came from.
    pub basis: OpBasis,
    /// What was assumed, or is absent and why.
    pub notes: Vec<Note>,
}

/// The computation an instruction is in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpPlace {
    /// Its name.
    pub computation: String,
    /// It is where the program starts.
    pub is_entry: bool,
    /// The instruction that calls it, the first of several.
    pub caller: Option<String>,
    /// The opcode of that: `while`, `fusion`, `call`.
    pub caller_opcode: Option<String>,
    /// How many further instructions call it.
    pub more_callers: u32,
    /// How often the loop it is the body of turns, where the compiler noted it or the loop plainly counts.
    pub trip_count: Option<u64>,
}

/// How long an op takes: in the query's window, in each step, and how that is spread.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OpFigures {
    /// "all", or the number of the step.
    pub step: String,
    /// Executions that start in the window.
    pub n: u64,
    /// Self time within the window.
    pub total: Picos,
    /// Whole durations, children included, within the window.
    pub inclusive: Picos,
    /// Shortest self time of an execution. `None` where none starts in the window; so for mean and max.
    pub min: Option<Picos>,
    /// Self time ÷ executions.
    pub mean: Option<Picos>,
    /// Longest self time of an execution.
    pub max: Option<Picos>,
    /// Self time ÷ window, a fraction.
    pub of_step: Option<f64>,
    /// Self time of its kind ÷ all time of that kind, a fraction.
    pub of_kind: Option<f64>,
    /// Floating point operations, executions × cost.
    pub flops: Option<f64>,
    /// The same by the model's count (without recompute).
    pub model_flops: Option<f64>,
    /// Bytes accessed, executions × cost.
    pub bytes_accessed: Option<f64>,
    /// What the device can do at most, as its plane says.
    pub peaks: Peaks,
    /// Each step, summed over the devices asked about, by number.
    pub steps: Vec<OpStep>,
    /// Self times of single executions. `None` where fewer than two start in the window.
    pub histogram: Option<Histogram>,
}

/// An op in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpStep {
    /// The step's number.
    pub number: u64,
    /// Executions that start in it.
    pub n: u64,
    /// Self time within it.
    pub total: Picos,
}

/// How often which self time occurs: bins of equal width from the shortest to the longest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// Where the first bin starts: the shortest.
    pub from: Picos,
    /// Where the last bin ends: the longest, which is in it.
    pub to: Picos,
    /// Executions per bin, 24 bins at most; one where all take equally long. They sum to the executions.
    pub bins: Vec<u64>,
}

/// What a value is to the op.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OpRole {
    /// A part of its result, by index path: empty for a result that is no tuple.
    Result(Vec<u32>),
    /// An operand (or a part of one, by index path): its place and its name.
    Operand {
        /// Its place among the operands, from 0.
        index: u32,
        /// The instruction that gives it.
        name: String,
        /// Which part of it, where it is a tuple.
        path: Vec<u32>,
    },
}

/// Something an op gives or takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpValue {
    /// What it is to the op.
    pub role: OpRole,
    /// `bf16[8,128]`. Empty where it is not known.
    pub shape: String,
    /// `{1,0:T(8,128)(2,1)}`; `None` where the text has none.
    pub layout: Option<String>,
    /// `bf16`.
    pub dtype: Option<String>,
    /// Bytes without padding; `None` for a token, or where it is not known.
    pub bytes: Option<u64>,
    /// Bytes in memory.
    pub padded_bytes: Option<u64>,
    /// Dimensions in memory; `None` where they are those of the shape.
    pub padded_dims: Option<Vec<u64>>,
    /// `padded_bytes` ÷ `bytes` − 1, a fraction.
    pub overhead: Option<f64>,
    /// "HBM", "VMEM", "S(5)". `None` where there is no layout.
    pub memory: Option<String>,
    /// How elements lie, in words: "tiles of 8×128, inner tiles of 2×1". `None` where they are not tiled.
    pub tiling: Option<String>,
}

/// What changes between an operand and a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Change {
    /// Element type.
    Dtype,
    /// Dimensions, or their number.
    Shape,
    /// The order of dimensions in memory.
    DimOrder,
    /// Tiles.
    Tiling,
    /// Memory space.
    Memory,
}

/// One thing worth saying of an op.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpRemark {
    /// What changes.
    pub change: Change,
    /// In words: "HBM → VMEM".
    pub words: String,
}

/// Where an op comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpSource {
    /// The innermost frame, `file:line`.
    pub innermost: Option<String>,
    /// The whole stack, the innermost frame first.
    pub stack: Vec<SourceLine>,
    /// The framework's name with its scopes.
    pub tf_op: Option<String>,
    /// The profile's events do not say it: it is the HLO's.
    pub from_hlo: bool,
}

/// One frame of a source stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceLine {
    /// As the file has it: `model.py:12:4 [forward]`.
    pub text: String,
    /// It is the innermost.
    pub innermost: bool,
}

/// An op one hop away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Neighbour {
    /// Its name, without `%`: what [`OpDetail`] can be asked of, with the same program.
    pub name: String,
    /// `None` where only the name is known.
    pub opcode: Option<String>,
    /// What it gives, without layout. Empty where it is not known.
    pub shape: String,
    /// Its kind; `None` where it has no time.
    pub kind: Option<Kind>,
    /// Its self time in the window; `None` where it has none there.
    pub total: Option<Picos>,
    /// It is an op with time of its own, in this window or another.
    pub is_op: bool,
}

/// What a fusion consists of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fused {
    /// The computation's name.
    pub computation: String,
    /// Its instructions as text, 400 at most.
    pub lines: Vec<String>,
    /// How many more there are.
    pub more: u32,
}

/// Where an op's HLO came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OpBasis {
    /// The program in the capture.
    Proto,
    /// The text of the op's own event.
    EventText,
    /// There is none.
    None,
}
