//! The roofline between page and worker: what is asked, and what comes of it, small enough for charts of many rows. Plain
//! data; knows no messages.

use crate::analysis::roofline::{Level, Roof, RooflineFigures, RooflineQuery, Skipped, StepRoof};
use crate::table::order::SortKey;
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
    /// The largest figures over all rows.
    pub largest: RoofLargest,
}

/// The largest value of each column over all rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoofLargest {
    /// Self time.
    pub total: Picos,
    /// What could be won.
    pub recoverable: Picos,
    /// Executions.
    pub n: u64,
    /// FLOP/s.
    pub flop_rate: f64,
    /// Bytes/s of HBM.
    pub byte_rate: f64,
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

/// Which rows, in which order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoofRowsQuery {
    /// Of which question.
    pub query: RooflineQuery,
    /// In which order.
    pub sort: RoofSort,
    /// From which row on, counted in that order.
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// Some rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoofRowsPage {
    /// From which row on.
    pub first: u32,
    /// The rows.
    pub rows: Vec<RoofPoint>,
}

/// An order of rows. Ties are broken by key, absent values come last in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RoofSort {
    /// By which column.
    pub column: RoofColumn,
    /// Largest first (for text: z first).
    pub descending: bool,
}

impl Default for RoofSort {
    fn default() -> Self {
        Self { column: RoofColumn::Gap, descending: true }
    }
}

/// Columns of the roofline's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RoofColumn {
    /// The key.
    Name,
    /// What could be won at the roof.
    Gap,
    /// Self time.
    Total,
    /// Time at the roof ÷ time.
    Util,
    /// FLOP per byte of HBM.
    Intensity,
    /// What the longest floor is of.
    Bound,
    /// FLOP/s ÷ peak.
    Mfu,
    /// Bytes/s ÷ bandwidth of HBM.
    HbmUtil,
    /// FLOP/s.
    FlopRate,
    /// Bytes/s of HBM.
    ByteRate,
    /// The type that is computed with.
    Dtype,
    /// Executions.
    Executions,
    /// Group of work.
    OpGroup,
}

impl RoofColumn {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Name,
        Self::Gap,
        Self::Total,
        Self::Util,
        Self::Intensity,
        Self::Bound,
        Self::Mfu,
        Self::HbmUtil,
        Self::FlopRate,
        Self::ByteRate,
        Self::Dtype,
        Self::Executions,
        Self::OpGroup,
    ];

    /// The name in addresses.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Gap => "gap",
            Self::Total => "self",
            Self::Util => "util",
            Self::Intensity => "ai",
            Self::Bound => "bound",
            Self::Mfu => "mfu",
            Self::HbmUtil => "hbm",
            Self::FlopRate => "flops",
            Self::ByteRate => "bytes",
            Self::Dtype => "dtype",
            Self::Executions => "runs",
            Self::OpGroup => "group",
        }
    }

    /// The value that a row is sorted by.
    pub fn sort_key<'r>(self, row: RoofSortRow<'r>) -> SortKey<'r> {
        let real = |value: fn(&Roof) -> Option<f64>| SortKey::real(row.roof.and_then(value));
        match self {
            Self::Name => SortKey::Number(row.rank.into()),
            Self::Total => SortKey::Number(row.total.0),
            Self::Executions => SortKey::Number(row.n),
            Self::OpGroup => SortKey::text(row.op_group),
            Self::Dtype => SortKey::text(row.roof.and_then(|roof| roof.dtype.as_deref())),
            Self::Gap => SortKey::number(row.roof.map(|roof| roof.recoverable.0)),
            Self::Bound => SortKey::number(row.roof.map(|roof| roof.bound.rank())),
            Self::Util => real(|roof| roof.util),
            Self::Intensity => real(|roof| roof.intensity),
            Self::Mfu => real(|roof| roof.mfu),
            Self::HbmUtil => real(Roof::hbm_util),
            Self::FlopRate => real(Roof::flop_rate),
            Self::ByteRate => real(|roof| roof.byte_rate(Level::Hbm)),
        }
    }
}

/// The values of a row that the roofline's table can be sorted by.
#[derive(Clone, Copy, Debug)]
pub struct RoofSortRow<'r> {
    /// The place by name.
    pub rank: u32,
    /// Self time.
    pub total: Picos,
    /// Executions.
    pub n: u64,
    /// Group of work.
    pub op_group: Option<&'r str>,
    /// Position in the roofline model.
    pub roof: Option<&'r Roof>,
}

impl RoofPoint {
    /// The values that the row can be sorted by; `rank` is its place by name.
    pub fn sort_row(&self, rank: u32) -> RoofSortRow<'_> {
        RoofSortRow { rank, total: self.total, n: self.n, op_group: self.op_group.as_deref(), roof: self.roof.as_ref() }
    }
}
