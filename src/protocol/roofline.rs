//! This module defines the reply of the roofline view as plain data. It limits the number of points, so that a chart of
//! many rows stays small. This module does not depend on messages.

use super::url::roofline::RoofBy;
use crate::analysis::roofline::{RooflineFigures, RooflinePosition, RooflineQuery, Skipped, StepRoofline};
use crate::table::page::row_key;
use serde::{Deserialize, Serialize};
use xla_profile::units::{Count, Picos};

/// Largest number of rows that a chart receives. They are the rows with the most time.
pub const MAX_POINTS: usize = 1000;

/// The figures of a roofline and the points of its chart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RooflineHead {
    pub query: RooflineQuery,
    /// All figures except the rows.
    pub figures: RooflineFigures,
    /// Position of each step in the roofline model.
    pub steps: Vec<StepRoofline>,
    /// Number of rows, those without a roof included.
    pub n_rows: u32,
    /// Rows with a roof, most time first, at most [`MAX_POINTS`].
    pub points: Vec<RoofPoint>,
    /// Rows with a roof that `points` leaves out: their number and their self time.
    pub more: (u32, Picos),
}

/// A row of the roofline: the data of a point in the chart and of a row in the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoofPoint {
    /// Op name, source or program of the row.
    pub key: String,
    /// Program name. `None` if the row has no program or several programs.
    pub program: Option<String>,
    /// Program id. `None` if the row has no program with an id, or several programs.
    pub program_id: Option<u64>,
    /// Name of the work, such as matmul or attention. `None` if the ops of the row differ.
    pub op_group: Option<String>,
    /// Innermost source line.
    pub source: Option<String>,
    /// Self time of all ops of the row, including ops without a roof.
    pub total: Picos,
    pub n: Count,
    /// Position in the roofline model. `None` if no op of the row has a roof.
    pub roof: Option<RooflinePosition>,
    /// Self time of the ops without a roof, by reason.
    pub skipped: Vec<Skipped>,
    /// Recoverable time of this row and of all rows with a larger gap, as a fraction of the recoverable time of all
    /// rows. `None` if the row has no recoverable time.
    pub cumulative: Option<f64>,
}

impl RoofPoint {
    /// Returns the name that the page shows for the row: the innermost source line if rows stand for sources, else the
    /// key.
    pub fn name(&self, by: RoofBy) -> &str {
        match (by, &self.source) {
            (RoofBy::Source, Some(source)) => source,
            _ => &self.key,
        }
    }

    /// Returns the name of the row in selections. The breakdown uses the same names.
    pub fn row_key(&self) -> String {
        row_key(&self.key, self.program_id)
    }
}
