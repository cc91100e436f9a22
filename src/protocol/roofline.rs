//! The roofline between page and worker: what is asked, and what comes of it, small enough for charts of many rows. Plain
//! data; knows no messages.

use super::url::roofline::RoofBy;
use crate::analysis::roofline::{Roof, RooflineFigures, RooflineQuery, Skipped, StepRoof};
use crate::table::page::row_key;
use crate::units::Picos;
use serde::{Deserialize, Serialize};

/// Rows that a chart is given at most: those with the most time.
pub const MAX_POINTS: usize = 1000;

/// The figures of a roofline, and what a chart draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RooflineHead {
    /// The question this answers.
    pub query: RooflineQuery,
    /// All but the rows.
    pub figures: RooflineFigures,
    /// Each step against the roofs.
    pub steps: Vec<StepRoof>,
    /// How many rows there are.
    pub n_rows: u32,
    /// The rows with the most time that are compared with a roof, most first, [`MAX_POINTS`] at most.
    pub points: Vec<RoofPoint>,
    /// How many others are compared with a roof, and their time.
    pub more: (u32, Picos),
}

/// A row: what a mark and a line of the table say of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoofPoint {
    /// What the row stands for.
    pub key: String,
    /// Its program, where it is of one.
    pub program: Option<String>,
    /// That program's id.
    pub program_id: Option<u64>,
    /// What people call the work, where all of its ops agree.
    pub op_group: Option<String>,
    /// Its innermost source line.
    pub source: Option<String>,
    /// Self time, of ops without a roof too.
    pub total: Picos,
    /// Executions.
    pub n: u64,
    /// Where it lies; `None` where none of its ops is compared with a roof.
    pub roof: Option<Roof>,
    /// What of it is compared with no roof.
    pub skipped: Vec<Skipped>,
    /// In the order of what could be won: this and all before it ÷ all; `None` where it has nothing to win.
    pub cumulative: Option<f64>,
}

impl RoofPoint {
    /// What the row is called.
    pub fn name(&self, by: RoofBy) -> &str {
        match (by, &self.source) {
            (RoofBy::Source, Some(source)) => source,
            _ => &self.key,
        }
    }

    /// How the row is named where rows are selected, as in the breakdown.
    pub fn row_key(&self) -> String {
        row_key(&self.key, self.program_id)
    }
}
