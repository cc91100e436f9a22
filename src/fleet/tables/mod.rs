//! This module lists the tables, and makes the rows of each of them from the analyses of a capture.

mod captures;
mod collectives;
mod findings;
mod memory;
mod ops;
mod steps;

pub use captures::{CaptureFacts, CaptureRow, captured_at, date};

use super::SCHEMA_VERSION;
use super::cell::{Cell, cell};
use super::column::{ColumnHead, FleetColumn, INTEGER, TEXT};
use super::derive::Analysed;
use crate::keyed_enum;
use crate::session::capture::CaptureSession;
use std::borrow::Borrow;

/// The rows of a table. Each is made when it is asked for, because a capture may have very many.
pub type Rows<'a> = Box<dyn Iterator<Item = Vec<Cell>> + 'a>;

keyed_enum! {
    /// A table.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum TableName {
        Steps = "steps",
        Ops = "ops",
        Collectives = "collectives",
        Memory = "memory",
        Findings = "findings",
        /// It is written last: a capture without a row in it is not there.
        Captures = "captures",
    }
}

/// The columns that every table begins with.
const ROW_KEYS: [ColumnHead; 2] = [
    ColumnHead {
        id: "capture_id",
        kind: TEXT,
        about: "The capture: 32 hexadecimal digits, which follow from its bytes.",
    },
    ColumnHead { id: "schema_version", kind: INTEGER, about: "The version of the tables." },
];

impl TableName {
    /// Returns what a row stands for.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Captures => {
                "The table has one row for each capture: where it comes from, its status, and its main figures."
            }
            Self::Steps => "The table has one row for each step of a device.",
            Self::Ops => {
                "The table has one row for each op of a program. Times are those of a step: the mean of the steady steps and of the devices."
            }
            Self::Collectives => {
                "The table has one row for each collective of a program. Times are those of a step, as in `ops`; `rooflight comm` explains them."
            }
            Self::Memory => {
                "The table has one row for each memory of a program at its peak (`origin` is `program`), and for each allocator of a \
                 device (`origin` is `allocator`)."
            }
            Self::Findings => {
                "The table has one row for each finding of the overview. docs/OVERVIEW.md explains the rules."
            }
        }
    }

    /// Returns the columns of the table.
    pub fn columns(self) -> Vec<ColumnHead> {
        match self {
            Self::Captures => heads(captures::CAPTURES),
            Self::Steps => heads(steps::STEPS),
            Self::Ops => heads(ops::OPS),
            Self::Collectives => heads(collectives::COLLECTIVES),
            Self::Memory => heads(memory::MEMORY),
            Self::Findings => heads(findings::FINDINGS),
        }
    }
}

/// Returns the rows of a table. `facts` are those of the capture beside its analyses.
pub fn rows<'a>(
    table: TableName,
    session: &'a CaptureSession,
    analysed: &'a Analysed,
    facts: &'a CaptureFacts,
) -> Rows<'a> {
    let id = &facts.capture_id;
    match table {
        TableName::Captures => cells(captures::CAPTURES, id, [captures::row(session, analysed, facts)]),
        TableName::Steps => cells(steps::STEPS, id, steps::rows(session, analysed)),
        TableName::Ops => cells(ops::OPS, id, ops::rows(session, analysed)),
        TableName::Collectives => cells(collectives::COLLECTIVES, id, &analysed.comm.rows),
        TableName::Memory => cells(memory::MEMORY, id, memory::rows(&analysed.memory)),
        TableName::Findings => cells(findings::FINDINGS, id, findings::rows(analysed)),
    }
}

/// Returns the row of a capture that could not be read.
pub fn failed_rows(row: &CaptureRow) -> Rows<'_> {
    cells(captures::CAPTURES, &row.facts.capture_id, [row])
}

fn heads<R>(columns: &[FleetColumn<R>]) -> Vec<ColumnHead> {
    ROW_KEYS.into_iter().chain(columns.iter().map(FleetColumn::head)).collect()
}

fn cells<'a, R, I>(columns: &'static [FleetColumn<R>], capture_id: &'a str, rows: I) -> Rows<'a>
where
    I: IntoIterator<Item: Borrow<R>, IntoIter: 'a>,
{
    Box::new(rows.into_iter().map(move |row| {
        let keys = [Cell::Text(capture_id.to_owned()), Cell::Integer(SCHEMA_VERSION)];
        let values = columns.iter().map(|column| cell(&column.kind, &(column.value)(row.borrow())));
        keys.into_iter().chain(values).collect()
    }))
}
