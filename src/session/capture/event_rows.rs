//! This module caches the events of the last table of the timeline, while the user scrolls and sorts it.

use crate::analysis::timeline::EventRow;
use crate::protocol::table_query::TableQuery;
use crate::table::answer::CachedOrder;

/// The events of a table.
pub(crate) struct EventRows {
    /// The table that the events answer.
    pub(super) table: TableQuery,
    pub(super) rows: Vec<EventRow>,
    /// Number of events that are not listed.
    pub(super) more: u32,
    /// Order of the rows in the last request.
    pub(super) order: CachedOrder,
}
