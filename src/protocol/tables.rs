//! Tables between page and worker: which rows are requested, and what comes of them. This module knows the analyses' rows; no messages.

use super::column::Sort;
use crate::analysis::base::{Header, Query, Totals};
use crate::analysis::breakdown::{Group, Shown};
use crate::analysis::data_movement::DataMovement;
use crate::profile::Note;
use crate::units::Picos;
use serde::{Deserialize, Serialize};

/// The figures of a query, without rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BreakdownHead {
    /// The query this answers.
    pub query: Query,
    /// What the figures are of.
    pub header: Header,
    /// Sums over the window, whatever the filter.
    pub totals: Totals,
    /// Sums of what the filter lets through.
    pub shown: Shown,
    /// How many rows there are.
    pub n_groups: u32,
    /// The largest figures of each column, so that units and widths are chosen once.
    pub largest: Largest,
    /// What was assumed or left out, the reader's notes included.
    pub notes: Vec<Note>,
}

/// The largest value of each column over all rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Largest {
    /// Self time.
    pub total: Picos,
    /// Mean self time.
    pub mean: Picos,
    /// Inclusive time.
    pub inclusive: Picos,
    /// Executions.
    pub n_executions: u64,
    /// FLOP/s, over rows that have flops and time.
    pub flop_rate: Option<f64>,
    /// Bytes/s, over rows that have bytes and time.
    pub byte_rate: Option<f64>,
    /// Longest self time of an execution.
    pub max: Picos,
    /// Floating point operations, over rows that have them.
    pub flops: Option<f64>,
    /// Bytes accessed, over rows that have them.
    pub bytes: Option<f64>,
    /// FLOP per byte, over rows that have both.
    pub intensity: Option<f64>,
}

impl Largest {
    /// The larger of both, column by column.
    pub(crate) fn with(self, other: Self) -> Self {
        let more = |a: Option<f64>, b: Option<f64>| [a, b].into_iter().flatten().max_by(f64::total_cmp);
        Self {
            total: self.total.max(other.total),
            mean: self.mean.max(other.mean),
            inclusive: self.inclusive.max(other.inclusive),
            n_executions: self.n_executions.max(other.n_executions),
            flop_rate: more(self.flop_rate, other.flop_rate),
            byte_rate: more(self.byte_rate, other.byte_rate),
            max: self.max.max(other.max),
            flops: more(self.flops, other.flops),
            bytes: more(self.bytes, other.bytes),
            intensity: more(self.intensity, other.intensity),
        }
    }
}

/// Which rows, in which order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowsQuery {
    /// Of which query.
    pub query: Query,
    /// In which order.
    pub sort: Sort,
    /// First row, counted from 0 in that order.
    pub first: u32,
    /// How many; fewer come where there are no more.
    pub count: u32,
}

/// What rows are written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Export {
    /// `rooflight breakdown --csv`.
    Csv,
    /// `rooflight breakdown --json`.
    Json,
}

/// Data movement: all categories, and of each the sources with the most time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataMovementView {
    /// Data movement; `by_source` holds the first sources of each category.
    pub data_movement: DataMovement,
    /// By category, in their order: the sources that are not among them.
    pub rest: Vec<Rest>,
}

/// Rows that are not told one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rest {
    /// How many.
    pub n: u32,
    /// Their self time.
    pub total: Picos,
    /// Their executions.
    pub n_executions: u64,
}

/// Some rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowsPage {
    /// What was asked.
    pub query: RowsQuery,
    /// The rows, from `query.first`.
    pub rows: Vec<Group>,
    /// Self time of all rows before the first one, in this order: where the running sum starts.
    pub before: Picos,
}
