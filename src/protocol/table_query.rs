//! What the page asks about tables: which table, and what of it. Plain data.

use super::url::roofline::RoofBy;
use crate::analysis::base::Query;
use crate::analysis::comm::{Carried, CommQuery};
use crate::analysis::memory::MemoryQuery;
use crate::analysis::roofline::RooflineQuery;
use crate::table::copy::CopyForm;
use crate::table::page::PageQuery;
use serde::{Deserialize, Serialize};

/// A table of the session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TableOf {
    /// The rows of a breakdown, which its query filters.
    Breakdown(Query),
    /// Collectives, or copies between memories.
    Comm(CommQuery, Carried),
    /// Ops, sources, programs or steps against their roofs.
    Roofline(RooflineQuery, RoofBy),
    /// The buffers that are alive at a point of a program's curve.
    Buffers(MemoryQuery, u32),
}

/// What is asked about a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TableAction {
    /// Some rows: [`crate::table::page::TablePage`].
    Rows(PageQuery),
    /// Rows as text for the clipboard: [`CopiedRows`].
    Copy {
        /// The order and the filter. All rows that pass are meant, wherever they are.
        query: PageQuery,
        /// The ids of the columns.
        columns: Vec<String>,
        /// Only the rows with these names in selections; `None`: all.
        keys: Option<Vec<String>>,
        /// The form of the text.
        form: CopyForm,
    },
}

/// Rows for the clipboard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopiedRows {
    /// The text.
    pub text: String,
    /// How many rows it has.
    pub n: u32,
}
