//! Tables between page and worker: which rows are requested, and what comes of them. This module knows the analyses' rows; no messages.

use crate::analysis::base::{Header, Query, Totals};
use crate::analysis::breakdown::Shown;
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
    /// What was assumed or left out, the reader's notes included.
    pub notes: Vec<Note>,
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
