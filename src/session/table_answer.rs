//! This module answers requests about the rows of a table.

use crate::protocol::table_query::{CopiedRows, TableAction};
use crate::protocol::{Reply, requests};
use crate::table::answer::TableRows;

/// Answers a request about a table.
pub(super) fn answer<R>(rows: &mut TableRows<'_, R>, action: &TableAction) -> Reply {
    let reply = match action {
        TableAction::Rows(query) => rows.page(query).map(|page| Reply::answer_to::<requests::Rows>(&page)),
        TableAction::Copy { query, columns, keys, form } => rows
            .copy(query, columns, keys.as_deref(), *form)
            .map(|(text, n)| Reply::answer_to::<requests::CopyRows>(&CopiedRows { text, n })),
    };
    reply.unwrap_or_else(Reply::BadFilter)
}
