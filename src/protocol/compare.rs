//! This module defines the replies about a comparison.

use crate::analysis::compare::{CompareQuery, RowDelta, RowDot, Verdict};
use crate::analysis::op::OpDetail;
use crate::analysis::timeline::Picture;
use serde::{Deserialize, Serialize};
use xla_profile::units::Picos;

/// A row of a comparison, with the details of the op with the most time of each side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparedOps {
    pub row: RowDelta,
    /// `None` if the side has no op, or if it is a report, which has no details of ops.
    pub a: Option<OpDetail>,
    pub b: Option<OpDetail>,
}

/// The rows of a comparison with a time on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompareDots {
    /// Those with the longest times, the longest first.
    pub dots: Vec<RowDot>,
    /// Number of all rows with a time on both sides.
    pub n_rows: u64,
    /// Time of A and of B in ps per unit that no point has: ops of one side without a counterpart.
    pub omitted_ps: [u64; 2],
}

/// Requests a step of each side on one time axis, which begins at the start of both steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CompareTimelineQuery {
    pub compare: CompareQuery,
    /// Start and end of the part that is shown, after the start of the steps. `None` for all of the longer step.
    pub part: Option<(Picos, Picos)>,
    /// Number of columns of the pictures.
    pub n_columns: u32,
}

/// A step of each side on one time axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompareTimeline {
    /// Length of the longer step.
    pub duration: Picos,
    /// A and B.
    pub sides: [SideTimeline; 2],
}

/// A step of a side: that whose length is nearest to the mean of the steady steps. All times are after its start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SideTimeline {
    /// Why there is no picture. `None` if there is one.
    pub absent: Option<String>,
    /// Number of the step. `None` if the side has no steps: then the picture shows the whole capture.
    pub step: Option<u64>,
    /// Length of the step; of the whole capture from the first to the last op.
    pub length: Picos,
    /// The lines with the ops of the device: of many, those with the most time. Events are cut at the end of the step.
    pub picture: Picture,
    /// The names of the lines.
    pub tracks: Vec<String>,
    /// Number of all lines with ops.
    pub n_lines: u32,
    /// The rows of the comparison to which the ops in the picture belong.
    pub rows: Vec<TimelineRow>,
    /// The index in `rows` of each box, in the order of the lines and their boxes. `None` if no row has the op.
    pub row_of: Vec<Option<u32>>,
}

/// What a picture tells of a row of the comparison. Times are in ps per unit, and 0 if the side has no such op.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineRow {
    /// [Key](RowDelta::key) of the row.
    pub key: String,
    pub a_ps: i64,
    pub b_ps: i64,
    pub delta_ps: i64,
    pub verdict: Verdict,
}
