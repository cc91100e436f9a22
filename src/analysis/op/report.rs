//! This module holds the report of one op. It is plain data, with units in its types, and does not depend on the
//! analysis.

use crate::analysis::base::{Peaks, Query};
use crate::analysis::classify::Kind;
use crate::analysis::roofline::OpRoofline;
use serde::{Deserialize, Serialize};
use xla_profile::profile::Note;
use xla_profile::units::{Count, Picos};

/// The description of one op: identity, times, values, source and neighbours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpDetail {
    /// Device and step. The grouping and the filter are ignored.
    pub query: Query,
    /// Name of the op, without `%`.
    pub name: String,
    /// The opcode in HLO: `fusion`, `all-reduce-start`.
    pub opcode: Option<String>,
    /// `None` if the op does not run by itself, and no rule classifies its name and text.
    pub kind: Option<Kind>,
    /// Phase of training. This field and the next two are `None` if the op does not run by itself.
    pub phase: Option<String>,
    pub layer: Option<String>,
    /// `hlo_category`.
    pub category: Option<String>,
    /// The GPU kernel that ran, if its name differs from that of the op.
    pub kernel: Option<String>,
    pub program: Option<String>,
    pub program_id: Option<u64>,
    /// The computation that contains the op. `None` without the program's HLO.
    pub computation: Option<EnclosingComputation>,
    /// The device of the figures: `TPU:0`, or "8 devices" for a sum.
    pub device: Option<String>,
    /// The description of the op in one plain sentence without a full stop.
    pub words: String,
    /// Times of the op. `None` if the op does not run by itself on the selected devices, such as a parameter or a part
    /// of a fusion.
    pub figures: Option<OpFigures>,
    /// Position in the roofline model. `None` if the op does not run by itself on the selected devices.
    pub roof: Option<OpRoofline>,
    /// Results first, then operands in order; at most 400.
    pub values: Vec<OpValue>,
    /// Number of values that were left out.
    pub more_values: u32,
    /// Changes between operand and result of an op that only moves data.
    pub value_changes: Vec<ValueChange>,
    /// Source location in the user's program.
    pub source: OpSource,
    /// The ops that this op takes as operands, in order, each once; at most 200.
    pub operands: Vec<Neighbour>,
    /// Number of operands that were left out.
    pub more_operands: u32,
    /// The ops that take this op as an operand; at most 200.
    pub users: Vec<Neighbour>,
    /// Number of users that were left out.
    pub more_users: u32,
    /// The body of a fusion. `None` for other ops and without the program's HLO.
    pub fused: Option<Fused>,
    /// The whole instruction as HLO text.
    pub text: Option<String>,
    /// The source of the HLO.
    pub basis: OpBasis,
    /// Assumptions, and reasons for absent values.
    pub notes: Vec<Note>,
}

/// The computation that contains an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnclosingComputation {
    pub computation: String,
    /// Whether the computation is the entry of the program.
    pub is_entry: bool,
    /// The instruction that calls the computation, the first one of several.
    pub caller: Option<String>,
    /// The opcode of the caller: `while`, `fusion`, `call`.
    pub caller_opcode: Option<String>,
    /// Number of further callers.
    pub more_callers: u32,
    /// Trip count of the loop whose body the computation is. `None` if the compiler did not note it and the loop does
    /// not show it.
    pub trip_count: Option<u64>,
}

/// The times of an op in the window of the query, in each step, and per execution.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OpFigures {
    /// "all", "mean", or the number of the step.
    pub step: String,
    pub n: Count,
    /// Self time within the window.
    pub total: Picos,
    /// Inclusive time within the window.
    pub inclusive: Picos,
    /// Shortest self time of an execution. `min`, `mean` and `max` are `None` if no execution starts in the window.
    pub min: Option<Picos>,
    /// Self time ÷ executions.
    pub mean: Option<Picos>,
    /// Longest self time of an execution.
    pub max: Option<Picos>,
    /// Self time ÷ window, a fraction.
    pub of_step: Option<f64>,
    /// Self time of the op with its main kind ÷ self time of all ops of that kind, a fraction.
    pub of_kind: Option<f64>,
    /// Floating-point operations: executions × cost per execution. `None` without a cost.
    pub flops: Option<f64>,
    /// Floating-point operations by the count of the model, without recompute. `None` without a cost.
    pub model_flops: Option<f64>,
    /// Bytes accessed: executions × cost per execution. `None` without a cost.
    pub bytes_accessed: Option<f64>,
    /// Peaks of the device, from the stats of its plane.
    pub peaks: Peaks,
    /// Steps of the selected devices, by number. Steps of the same number are summed over devices, or averaged over the
    /// devices that have the step.
    pub steps: Vec<OpStep>,
    /// The number of these steps. The page has the first ones.
    pub n_steps: u32,
    /// Self times of single executions. `None` if fewer than two start in the window.
    pub histogram: Option<Histogram>,
}

/// The executions of an op in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpStep {
    pub number: u64,
    /// Executions that start in the step.
    pub n: Count,
    /// Self time within the step.
    pub total: Picos,
}

/// Number of executions by self time, in bins of equal width.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// Start of the first bin: the shortest self time.
    pub from: Picos,
    /// End of the last bin, inclusive: the longest self time.
    pub to: Picos,
    /// Executions per bin; at most 24 bins, and one if all self times are equal. The sum is the number of executions.
    pub bins: Vec<u64>,
}

/// The role of a value in the op.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OpRole {
    /// A part of the result, by index path. The path is empty if the result is no tuple.
    Result(Vec<u32>),
    /// An operand, or a part of it.
    Operand {
        /// Index of the operand, from 0.
        index: u32,
        /// The instruction that produces the operand.
        name: String,
        /// Index path of the part, if the operand is a tuple.
        path: Vec<u32>,
    },
}

/// An array (or a token) that an op reads or writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpValue {
    pub role: OpRole,
    /// `bf16[8,128]`. Empty if unknown.
    pub shape: String,
    /// `{1,0:T(8,128)(2,1)}`. `None` if the text has no layout.
    pub layout: Option<String>,
    /// `bf16`. `None` for a token, or if unknown.
    pub dtype: Option<String>,
    /// Bytes without padding. `None` for a token, or if unknown.
    pub bytes: Option<u64>,
    /// Bytes with padding.
    pub padded_bytes: Option<u64>,
    /// Dimensions with padding. `None` if they are those of the shape.
    pub padded_dims: Option<Vec<u64>>,
    /// `padded_bytes` ÷ `bytes` − 1, a fraction.
    pub overhead: Option<f64>,
    /// "HBM", "VMEM", "S(5)". `None` without a layout, and for space 0 of devices other than TPUs.
    pub memory: Option<String>,
    /// The tiles of the layout in words: "tiles of 8×128, each cut into 2×1". `None` if the elements are not tiled.
    pub tiling: Option<String>,
}

/// A property that may differ between an operand and a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Change {
    Dtype,
    Shape,
    /// The order of dimensions in memory.
    DimOrder,
    Tiling,
    Memory,
}

/// One change between the operand and the result of an op.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueChange {
    pub change: Change,
    /// The change in words: "HBM → VMEM".
    pub words: String,
}

/// The source location of an op in the user's program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpSource {
    /// The innermost frame, `file:line`.
    pub innermost: Option<String>,
    /// The whole stack, the innermost frame first.
    pub stack: Vec<SourceLine>,
    /// Op name of the framework, with its scopes.
    pub tf_op: Option<String>,
    /// Whether a part comes from the HLO, because the events lack it.
    pub from_hlo: bool,
}

/// One frame of a source stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceLine {
    /// The frame in the form of the file: `model.py:12:4 [forward]`.
    pub text: String,
    /// Whether the frame is the innermost one.
    pub innermost: bool,
}

/// An op one hop away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Neighbour {
    /// Name of the op, without `%`. With the program of this op, it identifies the op in another query.
    pub name: String,
    /// `None` if only the name is known.
    pub opcode: Option<String>,
    /// Shape of the result, without layout. Empty if unknown.
    pub shape: String,
    /// `None` if the op has no time of its own.
    pub kind: Option<Kind>,
    /// Self time in the window. `None` if the op has no time there.
    pub total: Option<Picos>,
    /// Whether the op has time of its own, in this window or another one.
    pub is_op: bool,
}

/// The body of a fusion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fused {
    pub computation: String,
    /// The instructions as text, at most 400.
    pub lines: Vec<String>,
    /// Number of instructions that were left out.
    pub more: u32,
}

/// The source of an op's HLO.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OpBasis {
    /// The program in the capture.
    Proto,
    /// The text of the op's own event.
    EventText,
    /// The op has no HLO.
    None,
}
