//! This module defines the replies that hold figures and tables. It depends on the report types of the analyses, and on
//! no messages.

use crate::analysis::base::{Header, Query, Totals};
use crate::analysis::breakdown::Shown;
use crate::analysis::classify::Phase;
use crate::analysis::comm::Overlap;
use crate::analysis::data_movement::DataMovement;
use crate::analysis::roofline::{RooflineFigures, RooflineQuery};
use serde::{Deserialize, Serialize};
use xla_profile::profile::Note;
use xla_profile::units::{Count, Picos};

/// The figures of a breakdown query, without its rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BreakdownHead {
    pub query: Query,
    /// Device and window that the figures cover.
    pub header: Header,
    /// Sums over the window. The filter has no effect on them.
    pub totals: Totals,
    /// Sums over the ops that pass the filter.
    pub shown: Shown,
    pub n_groups: u32,
    /// Notes of the reader and of the analysis: assumptions and missing data.
    pub notes: Vec<Note>,
}

/// How far a window uses the hardware, beside the times of its breakdown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Utilization {
    /// The query that was answered.
    pub query: RooflineQuery,
    /// The figures of the roofline, without lists of programs, kernels and gaps.
    pub figures: RooflineFigures,
    /// Collectives in flight. `None` if none ran.
    pub collectives: Option<Overlap>,
    /// Self time by known phase, in the order of a step. Empty if the ops name no phase.
    pub phases: Vec<(Phase, Picos)>,
}

/// The format of exported rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Export {
    /// The output of `rooflight breakdown --csv`, or of the same option of the other commands.
    Csv,
    /// The output of `rooflight breakdown --json`, or of the same option of the other commands.
    Json,
}

/// Data movement: all categories, and for each category the sources with the most time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataMovementView {
    /// `by_source` holds only the first sources of each category.
    pub data_movement: DataMovement,
    /// Sums over the sources that `by_source` leaves out, one entry per category, in the order of the categories.
    pub rest: Vec<OmittedSum>,
}

/// Sums over rows that are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OmittedSum {
    pub n: u32,
    /// Self time.
    pub total: Picos,
    pub n_executions: Count,
}
