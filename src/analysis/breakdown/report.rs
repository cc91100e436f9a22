//! The breakdown's report: what `breakdown` returns, the page draws and the command line prints.
//! Plain data with its units in its types; knows nothing of how it was found.

use crate::analysis::base::GroupBy;
use crate::analysis::base::report::{Header, Totals};
use crate::analysis::classify::{Kind, scope_path};
use crate::profile::Note;
use crate::units::Picos;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Count and time of one part of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// Executions that start in the window.
    pub n: u64,
    /// Self time within the window.
    pub dur: Picos,
}

/// At most so many [`Group::parts`]; where there are more kinds of instruction, the last part is what is left.
pub const MAX_PARTS: usize = 24;

/// A group's time in one sort of instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// `custom-call:<target>`, a fusion's name without its numbers, or an opcode; "other" for what is left.
    pub signature: String,
    /// `hlo_category`.
    pub category: Option<String>,
    /// Self time within the window.
    pub total: Picos,
    /// Executions that start in the window.
    pub n: u64,
}

/// What a filter lets through; everything where there is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// Self time of the ops shown. Never more than [`Totals::busy`].
    pub total: Picos,
    /// Their executions that start in the window.
    pub n_events: u64,
    /// Their self time per kind, by [`Kind::index`].
    pub by_kind: [Picos; 7],
    /// Rows there would be without the text of the filter.
    pub n_all: u32,
    /// `total` ÷ window, a fraction.
    pub of_step: Option<f64>,
    /// Where the text matches nothing in leaf or source: rows it would match anywhere in the path.
    pub anywhere: Option<u32>,
}

/// One row. Costs are `None` where no op of the group carries the stat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// What the row stands for: an op's name, a category, a program's name, a source.
    pub key: String,
    /// What the key is: the grouping's name; for sources and scopes which tier it came from: "source_stack", "tf_op",
    /// "no_source"; "scope", "no_scope".
    pub key_kind: String,
    /// The kind most of the group's time is of.
    pub kind: Kind,
    /// The program, where all of the group's ops are of one.
    pub program: Option<String>,
    /// Its id, where there is one.
    pub program_id: Option<u64>,
    /// Executions that start in the window.
    pub n_executions: u64,
    /// Self time within the window.
    pub total: Picos,
    /// Whole durations, children included, within the window.
    pub inclusive: Picos,
    /// Shortest self time of an execution.
    pub min: Picos,
    /// Longest self time of an execution.
    pub max: Picos,
    /// Self time ÷ executions; `None` where none starts in the window.
    pub mean: Option<Picos>,
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
    /// Categories within, by time.
    pub categories: BTreeMap<String, Share>,
    /// What the time consists of, by instruction: most time first, [`MAX_PARTS`] at most. They sum to `total`.
    pub parts: Vec<Part>,
    /// What people call the work, where all of the group's ops agree.
    pub op_group: Option<String>,
    /// Phase of training, where all of the group's ops agree.
    pub phase: Option<String>,
    /// Layer of the model, where all of the group's ops agree.
    pub layer: Option<String>,
    /// Element types of the results seen, most time first.
    pub dtypes: Vec<String>,
    /// Result shapes seen, most time first, 8 at most.
    pub shapes: Vec<String>,
    /// The whole source stack of the longest example, innermost frame as the file has it.
    pub source_stack: Option<String>,
    /// The innermost frame, `file:line`.
    pub source_inner: Option<String>,
    /// Of a GPU the kernel that ran as the longest example, where it is not what the row is named after.
    pub kernel: Option<String>,
    /// `tf_op` of the longest example.
    pub tf_op: Option<String>,
    /// Name of the op with the longest single execution.
    pub example: Option<String>,
    /// How long that took, inclusive.
    pub example_dur: Option<Picos>,
}

impl Group {
    /// A row of nothing yet.
    pub fn empty(key: String) -> Self {
        Self {
            key,
            key_kind: String::new(),
            kind: Kind::Other,
            program: None,
            program_id: None,
            n_executions: 0,
            total: Picos::ZERO,
            inclusive: Picos::ZERO,
            min: Picos::ZERO,
            max: Picos::ZERO,
            mean: None,
            of_step: None,
            of_kind: None,
            flops: None,
            model_flops: None,
            bytes_accessed: None,
            categories: BTreeMap::new(),
            parts: Vec::new(),
            op_group: None,
            phase: None,
            layer: None,
            dtypes: Vec::new(),
            shapes: Vec::new(),
            source_stack: None,
            source_inner: None,
            kernel: None,
            tf_op: None,
            example: None,
            example_dur: None,
        }
    }

    /// FLOP/s over self time; `None` without flops, and below [`SHORTEST_RATED`].
    pub fn flop_rate(&self) -> Option<f64> {
        per_second(self.flops, self.total, self.n_executions)
    }

    /// Bytes/s over self time; `None` without bytes, and below [`SHORTEST_RATED`].
    pub fn byte_rate(&self) -> Option<f64> {
        per_second(self.bytes_accessed, self.total, self.n_executions)
    }

    /// FLOP per byte; `None` without flops or without bytes.
    pub fn intensity(&self) -> Option<f64> {
        per_byte(self.flops, self.bytes_accessed)
    }

    /// The end of the scope path: its last three segments, which a filter's *leaf* looks at.
    pub fn scope_leaf(&self) -> Option<&str> {
        self.tf_op.as_deref().map(|tf_op| scope_path::leaf(scope_path::path(tf_op)))
    }

    /// The category with the most time; the first by name of several.
    pub fn main_category(&self) -> Option<&str> {
        self.categories.iter().rev().max_by_key(|(_, share)| (share.dur, share.n)).map(|(name, _)| name.as_str())
    }
}

/// FLOP per byte.
fn per_byte(flops: Option<f64>, bytes: Option<f64>) -> Option<f64> {
    flops.zip(bytes).filter(|(_, bytes)| *bytes > 0.0).map(|(flops, bytes)| flops / bytes)
}

/// Executions that are shorter than this on average have no rate: the start of an asynchronous copy names all bytes of the copy and
/// takes a few ticks of a clock of about 1 ns.
pub const SHORTEST_RATED: Picos = Picos(100_000);

/// Whether `n` executions that take so long together are too short for a rate.
pub fn is_unrated(time: Picos, n: u64) -> bool {
    time.0 < SHORTEST_RATED.0.saturating_mul(n.max(1))
}

/// An amount per second of `n` executions; `None` where they are too short.
pub(in crate::analysis) fn per_second(amount: Option<f64>, time: Picos, n: u64) -> Option<f64> {
    amount.filter(|_| !is_unrated(time, n)).map(|a| a / (time.as_f64() / 1e12))
}

/// The answer to one query but for its rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// What the figures are of.
    pub header: Header,
    /// What rows stand for.
    pub by: GroupBy,
    /// Sums over the window, whatever the filter.
    pub totals: Totals,
    /// Sums of what the filter lets through.
    pub shown: Shown,
    /// What was assumed or left out.
    pub notes: Vec<Note>,
}

/// The whole answer to one query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Breakdown {
    /// What the figures are of.
    pub header: Header,
    /// What rows stand for.
    pub by: GroupBy,
    /// Sums over the window, whatever the filter.
    pub totals: Totals,
    /// Sums of what the filter lets through.
    pub shown: Shown,
    /// Rows, most self time first, ties by key. Their `total`s sum to `shown.total`; without a filter that is
    /// `totals.busy`.
    pub groups: Vec<Group>,
    /// What was assumed or left out.
    pub notes: Vec<Note>,
}
