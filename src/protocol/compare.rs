//! This module defines the replies about a comparison.

use crate::analysis::compare::{RowDelta, RowDot};
use crate::analysis::op::OpDetail;
use serde::{Deserialize, Serialize};

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
}
