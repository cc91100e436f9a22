//! This module defines the report of the breakdown, which the page draws and the command line prints. The report is
//! plain data with its units in its types, and does not depend on the analysis that makes it.

use crate::analysis::base::GroupBy;
use crate::analysis::base::report::{Header, Totals};
use crate::analysis::classify::{Kind, ModelModule, scope_path};
use crate::table::MIXED;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use xla_profile::profile::Note;
use xla_profile::units::{Count, Picos};

/// The executions and the self time of one category in a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// Number of executions that start in the window.
    pub n: Count,
    /// Self time within the window.
    pub dur: Picos,
}

/// The largest number of [`Group::parts`]. If a group has more types of instruction, the last part is the sum of the
/// rest.
pub const MAX_PARTS: usize = 24;

/// The time of a group in one type of instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignatureTime {
    /// `custom-call:<target>`, the name of a fusion without its numbers, or an opcode; "other" for the rest.
    pub signature: String,
    /// `hlo_category`.
    pub category: Option<String>,
    /// Self time within the window.
    pub total: Picos,
    /// Number of executions that start in the window.
    pub n: Count,
}

/// The sums over the ops that a filter selects; over all ops if there is no filter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// Self time of the selected ops, which never exceeds [`Totals::busy`].
    pub total: Picos,
    /// Number of executions of the selected ops that start in the window.
    pub n_events: Count,
    /// Self time of the selected ops per kind, by [`Kind::index`].
    pub by_kind: [Picos; 7],
    /// Number of rows without the text of the filter.
    pub n_all: u32,
    /// `total` ÷ window, a fraction; `None` if there is no window.
    pub of_step: Option<f64>,
    /// Number of rows that the text would match anywhere in the path. `None` unless the text was searched in leaf or
    /// source and matched nothing.
    pub anywhere: Option<u32>,
}

/// One row. Costs are `None` if no op of the group has the stat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// The name of the row: an op, a category, a program, a source and so on.
    pub key: String,
    /// The type of the key: the key of the grouping; for sources and scopes their tier: "source_stack", "tf_op",
    /// "no_source"; "scope", "no_scope". "other" for the sum of the rows that a shared report leaves out.
    pub key_kind: String,
    /// The kind with the most self time.
    pub kind: Kind,
    /// Self time of the ops of other kinds. The kernels of one op of a CUDA graph can have several kinds. Zero in a report
    /// of version 3 or older.
    pub other_kinds: Picos,
    /// Name of the program; `None` if the ops are not all of one program.
    pub program: Option<String>,
    /// Id of the program; `None` if the ops are not all of one program with an id.
    pub program_id: Option<u64>,
    /// Number of executions that start in the window.
    pub n_executions: Count,
    /// Self time within the window.
    pub total: Picos,
    /// Inclusive time within the window.
    pub inclusive: Picos,
    /// Shortest self time of an execution; zero if none starts in the window.
    pub min: Picos,
    /// Longest self time of an execution.
    pub max: Picos,
    /// Self time ÷ executions; `None` if none starts in the window.
    pub mean: Option<Picos>,
    /// Self time ÷ window, a fraction.
    pub of_step: Option<f64>,
    /// Self time of the group's kind ÷ self time of that kind in the window, a fraction.
    pub of_kind: Option<f64>,
    /// FLOPs: executions × cost of one.
    pub flops: Option<f64>,
    /// FLOPs by the count of the model, without recompute: executions × cost of one.
    pub model_flops: Option<f64>,
    /// Bytes accessed: executions × cost of one.
    pub bytes_accessed: Option<f64>,
    /// Executions and self time per category, by name.
    pub categories: BTreeMap<String, Share>,
    /// Time per type of instruction: most self time first, at most [`MAX_PARTS`]. The parts sum to `total`.
    pub parts: Vec<SignatureTime>,
    /// Group of work; `None` if the ops of the group differ.
    pub op_group: Option<String>,
    /// Phase of training; `None` if the ops of the group differ.
    pub phase: Option<String>,
    /// Layer of the model; `None` if the ops of the group differ.
    pub layer: Option<String>,
    /// Module of the model; `None` if the ops of the group differ, and in a report of version 6 or older.
    pub module: Option<ModelModule>,
    /// Element types of the results, most self time first.
    pub dtypes: Vec<String>,
    /// Result shapes, most self time first, at most 8.
    pub shapes: Vec<String>,
    /// Whole source stack of the example op, in the frame order of the file.
    pub source_stack: Option<String>,
    /// Innermost source frame of the example op in the user's code, `file:line`.
    pub source_inner: Option<String>,
    /// GPU kernel that ran the example op, if its name differs from the name of the op.
    pub kernel: Option<String>,
    /// `tf_op` of the example op.
    pub tf_op: Option<String>,
    /// Name of the example op, which has the longest execution.
    pub example: Option<String>,
    /// Inclusive time of the longest execution.
    pub example_dur: Option<Picos>,
}

impl Group {
    /// Returns a row without ops.
    pub fn empty(key: String) -> Self {
        Self {
            key,
            key_kind: String::new(),
            kind: Kind::Other,
            other_kinds: Picos::ZERO,
            program: None,
            program_id: None,
            n_executions: Count::ZERO,
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
            module: None,
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

    /// Returns FLOPs per second of self time. Without a cost estimate of the compiler, the FLOPs are those of the model,
    /// as in the roofline. `None` if both are unknown, or if the mean execution is shorter than [`SHORTEST_RATED`].
    pub fn flop_rate(&self) -> Option<f64> {
        per_second(self.rated_flops(), self.total, self.n_executions)
    }

    /// Returns the FLOPs from which rates follow.
    fn rated_flops(&self) -> Option<f64> {
        self.flops.or(self.model_flops)
    }

    /// Returns bytes per second of self time. `None` if bytes are unknown, or if the mean execution is shorter than
    /// [`SHORTEST_RATED`].
    pub fn byte_rate(&self) -> Option<f64> {
        per_second(self.bytes_accessed, self.total, self.n_executions)
    }

    /// Returns FLOPs per byte; `None` if FLOPs or bytes are unknown, or if bytes are zero.
    pub fn intensity(&self) -> Option<f64> {
        per_byte(self.rated_flops(), self.bytes_accessed)
    }

    /// Returns the leaf of the scope path, its last three segments, which a filter on the leaf searches.
    pub fn scope_leaf(&self) -> Option<&str> {
        self.tf_op.as_deref().map(|tf_op| scope_path::leaf(scope_path::path(tf_op)))
    }

    /// Returns whether ops of several kinds have time in the row.
    pub fn is_of_several_kinds(&self) -> bool {
        self.other_kinds > Picos::ZERO
    }

    /// Returns the kind for users: its short name, or [`MIXED`].
    pub fn kind_text(&self) -> &'static str {
        if self.is_of_several_kinds() { MIXED } else { self.kind.short() }
    }

    /// Returns the category for users: its name, or [`MIXED`]. `None` if no op has a category.
    pub fn category_text(&self) -> Option<&str> {
        if self.categories.len() > 1 { Some(MIXED) } else { self.main_category() }
    }

    /// Returns the category with the most time; of several, the first by name.
    pub fn main_category(&self) -> Option<&str> {
        self.categories.iter().rev().max_by_key(|(_, share)| (share.dur, share.n)).map(|(name, _)| name.as_str())
    }
}

fn per_byte(flops: Option<f64>, bytes: Option<f64>) -> Option<f64> {
    flops.zip(bytes).filter(|(_, bytes)| *bytes > 0.0).map(|(flops, bytes)| flops / bytes)
}

/// The shortest average execution that has a rate, 100 ns. The start of an asynchronous copy, for example, has all
/// bytes of the copy as its cost, but takes a few ticks of a clock of about 1 ns.
pub const SHORTEST_RATED: Picos = Picos(100_000);

/// Returns whether `n` executions that take `time` together are too short for a rate.
pub fn is_unrated(time: Picos, n: Count) -> bool {
    time < SHORTEST_RATED || n.mean_of(time).is_some_and(|mean| mean < SHORTEST_RATED)
}

/// Returns an amount per second of `time`; `None` if the amount is unknown, or if the `n` executions are too short for
/// a rate. Amounts are those of the executions that start in the window. If none starts there, the time is that of an
/// execution from outside, whose amount is not counted.
pub(in crate::analysis) fn per_second(amount: Option<f64>, time: Picos, n: Count) -> Option<f64> {
    amount.filter(|_| n > 0 && !is_unrated(time, n)).map(|a| a / (time.as_f64() / 1e12))
}

/// The answer to one query without its rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    pub header: Header,
    pub by: GroupBy,
    /// Sums over the window, whatever the filter.
    pub totals: Totals,
    /// Sums over the ops that the filter selects.
    pub shown: Shown,
    /// Notes on assumptions and on data that is left out.
    pub notes: Vec<Note>,
}

/// The sums of rows whose reports were not made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowsLeftOut {
    pub n: u64,
    /// Self time within the window.
    pub total: Picos,
    /// Number of executions that start in the window.
    pub n_executions: Count,
    /// The largest [`Group::mean`]. `None` if no row has one.
    pub largest_mean: Option<Picos>,
}

impl RowsLeftOut {
    /// Returns the sums together with those of more rows.
    #[must_use]
    pub fn with(mut self, rows: &[Group]) -> Self {
        for row in rows {
            self.add(row.total, row.n_executions, row.mean);
        }
        self
    }

    pub(in crate::analysis) fn add(&mut self, total: Picos, n_executions: Count, mean: Option<Picos>) {
        self.n += 1;
        self.total += total;
        self.n_executions += n_executions;
        self.largest_mean = self.largest_mean.max(mean);
    }
}

/// The whole answer to one query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Breakdown {
    pub header: Header,
    pub by: GroupBy,
    /// Sums over the window, whatever the filter.
    pub totals: Totals,
    /// Sums over the ops that the filter selects.
    pub shown: Shown,
    /// The first rows, most self time first, ties by key. With `rest`, their `total`s sum to `shown.total`; without a filter,
    /// this is `totals.busy`.
    pub groups: Vec<Group>,
    /// The sums of the rows that are not in `groups`.
    pub rest: RowsLeftOut,
    /// Notes on assumptions and on data that is left out.
    pub notes: Vec<Note>,
}

impl Breakdown {
    /// Returns the number of all rows.
    pub fn n_rows(&self) -> u64 {
        self.groups.len() as u64 + self.rest.n
    }

    /// Returns the sums of all rows but the first `top`.
    pub fn rest_after(&self, top: usize) -> RowsLeftOut {
        self.rest.with(self.groups.get(top..).unwrap_or_default())
    }
}
