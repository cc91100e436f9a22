//! This module holds the charts and texts of the communication view: the parts of steps, spans in flight against
//! compute, bandwidth against message size, and stragglers. It does not depend on a browser. The formulas of the
//! figures are in `analysis::comm`.

pub mod bandwidth;
pub mod figures;
pub mod flags;
pub mod lanes;
pub mod steps;
pub mod text;

use crate::analysis::comm::{Comm, CommRow, Traffic};
use crate::protocol::url::comm::CommRows;

/// Returns the sums of collectives or of copies.
pub const fn traffic(comm: &Comm, rows: CommRows) -> &Traffic {
    match rows {
        CommRows::Collectives => &comm.tensor,
        CommRows::Copies => &comm.copies,
    }
}

/// Returns the default choice: collectives, or copies if no collective ran.
pub fn usual(comm: &Comm) -> CommRows {
    if comm.rows.is_empty() && comm.copies.n > 0 { CommRows::Copies } else { CommRows::Collectives }
}

/// Returns the rows of collectives or of copies.
pub fn rows(comm: &Comm, rows: CommRows) -> &[CommRow] {
    match rows {
        CommRows::Collectives => &comm.rows,
        CommRows::Copies => &comm.copy_rows,
    }
}

/// Returns the key of a row in selections, the same as in the breakdown. For an async pair, the key names the start op.
pub fn key(row: &CommRow) -> String {
    crate::table::page::row_key(&row.key, row.program_id)
}
