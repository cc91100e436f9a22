//! This module defines the requests about tables as plain data: which table, and which rows in which form.

use super::url::roofline::RoofBy;
use crate::analysis::base::Query;
use crate::analysis::comm::{CommQuery, TransferFilter};
use crate::analysis::compare::{CompareBy, CompareQuery, RowSelection};
use crate::analysis::memory::MemoryQuery;
use crate::analysis::roofline::RooflineQuery;
use crate::analysis::timeline::{EventsQuery, SearchQuery};
use crate::table::copy::CopyForm;
use crate::table::page::{PageQuery, SortBy};
use serde::{Deserialize, Serialize};

/// A table of the session, with the query of its rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TableQuery {
    /// Rows of a breakdown. Its query has a filter of its own.
    Breakdown(Query),
    /// Collectives, or copies between memories.
    Comm(CommQuery, TransferFilter),
    /// Ops, sources, programs or steps in the roofline model.
    Roofline(RooflineQuery, RoofBy),
    /// Buffers that are alive at a point of a program's memory curve. The number is the point.
    Buffers(MemoryQuery, u32),
    /// Ops of both open sessions, or groups of them.
    Compare(CompareQuery, RowSelection),
    /// The captures of a folder.
    Captures {
        /// Increases when a capture has been read, so that the rows are requested again.
        revision: u32,
    },
    /// The events of a window of the timeline.
    Events(EventsQuery),
    /// The events that a search of the timeline found.
    Hits(SearchQuery),
}

/// The request about a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TableAction {
    /// Returns some rows as a [`crate::table::page::TablePage`].
    Rows(PageQuery),
    /// Returns rows as text for the clipboard, as [`CopiedRows`].
    Copy {
        /// Order and filter. The paging fields have no effect: all rows that pass the filter are copied.
        query: PageQuery,
        columns: Vec<String>,
        /// Names of the rows, as selections use them. `None` copies all rows.
        keys: Option<Vec<String>>,
        form: CopyForm,
    },
}

/// Rows that can be saved as a file. The file has all of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ExportQuery {
    /// Rows of a breakdown.
    Breakdown {
        query: Query,
        /// Order of the rows. `None` stands for the order that the table has by default.
        sort: Option<SortBy>,
    },
    /// Data movement. The grouping and the filter have no effect.
    DataMovement(Query),
    /// Idle gaps. The grouping and the filter have no effect.
    Gaps(Query),
    /// Ops or groups of them in the roofline model.
    Roofline {
        query: RooflineQuery,
        /// Order of the rows. `None` stands for the order that the table has by default.
        sort: Option<SortBy>,
    },
    /// The whole memory of the session.
    Memory,
    /// Collectives and copies between memories.
    Comm(CommQuery),
    /// Ops of both open sessions. As CSV, they are summed by `by`.
    Compare { query: CompareQuery, by: CompareBy },
    /// The captures of a folder.
    Captures,
}

/// Rows as text for the clipboard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopiedRows {
    pub text: String,
    /// Number of rows in the text.
    pub n: u32,
}
