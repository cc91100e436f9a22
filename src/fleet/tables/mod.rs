//! This module lists the tables, and makes the rows of each of them from the analyses of a capture.

mod captures;
mod collectives;
mod findings;
mod memory;
mod ops;
mod steps;

pub use captures::{CaptureFacts, CaptureRow, captured_at, date};

use super::SCHEMA_VERSION;
use super::cell::Cell;
use super::column::{Part, append_cells};
use super::derive::Analysed;
use super::heads::table_heads;
use crate::session::capture::CaptureSession;
use crate::table::columns;
use crate::table::kind::Head;
use std::borrow::Borrow;
use xla_profile::keyed_enum;

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

columns! {
    /// The columns that every table begins with, of the id of the capture.
    ROW_KEYS(row: String) {
        /// The capture: 32 hexadecimal digits, which follow from its bytes.
        capture_id: Text in table = row,
        /// The version of the tables.
        schema_version: Integer in table = SCHEMA_VERSION,
    }
}

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
    pub fn columns(self) -> Vec<Head> {
        match self {
            Self::Captures => heads(captures::PARTS),
            Self::Steps => heads(steps::PARTS),
            Self::Ops => heads(ops::PARTS),
            Self::Collectives => heads(collectives::PARTS),
            Self::Memory => heads(memory::PARTS),
            Self::Findings => heads(findings::PARTS),
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
        TableName::Captures => cells(captures::PARTS, id, [captures::row(session, analysed, facts)]),
        TableName::Steps => cells(steps::PARTS, id, steps::rows(session, analysed)),
        TableName::Ops => cells(ops::PARTS, id, ops::rows(session, analysed)),
        TableName::Collectives => cells(collectives::PARTS, id, &analysed.comm.rows),
        TableName::Memory => cells(memory::PARTS, id, memory::rows(&analysed.memory)),
        TableName::Findings => cells(findings::PARTS, id, findings::rows(analysed)),
    }
}

/// Returns the row of a capture that could not be read.
pub fn failed_rows(row: &CaptureRow) -> Rows<'_> {
    cells(captures::PARTS, &row.facts.capture_id, [row])
}

fn heads<R>(parts: &[Part<R>]) -> Vec<Head> {
    table_heads(ROW_KEYS).into_iter().chain(parts.iter().flat_map(|part| (part.heads)())).collect()
}

fn cells<'a, R, I>(parts: &'static [Part<R>], capture_id: &'a String, rows: I) -> Rows<'a>
where
    I: IntoIterator<Item: Borrow<R>, IntoIter: 'a>,
{
    Box::new(rows.into_iter().map(move |row| {
        let mut cells = Vec::new();
        append_cells(ROW_KEYS, Some(capture_id), &mut cells);
        parts.iter().for_each(|part| (part.append_cells)(row.borrow(), &mut cells));
        cells
    }))
}
