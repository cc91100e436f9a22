//! This module answers requests about the rows of a table.

use crate::protocol::table_query::{CopiedRows, TableAction};
use crate::protocol::{Reply, requests};
use crate::table::answer::TableRows;

/// Answers a request about a table.
pub(super) fn answer<R>(rows: &mut TableRows<'_, R>, action: &TableAction) -> Reply {
    match action {
        TableAction::Rows(query) => Reply::answer_or_bad_filter::<requests::Rows>(rows.page(query)),
        TableAction::Copy { query, columns, keys, form } => {
            let copied = rows.copy(query, columns, keys.as_deref(), *form);
            Reply::answer_or_bad_filter::<requests::CopyRows>(copied.map(|(text, n)| CopiedRows { text, n }))
        }
    }
}
