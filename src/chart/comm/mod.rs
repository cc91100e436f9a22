//! Communication as pictures and words: what steps are made of, what is in flight against compute, bandwidth against size, who
//! comes last. This module knows reports; no browser, and no formula of a figure (`analysis::comm`).

pub mod bandwidth;
pub mod figures;
pub mod lanes;
pub mod steps;
pub mod text;

use crate::analysis::comm::{Comm, CommRow, Traffic};
use crate::protocol::url::comm::CommRows;

/// The sums of collectives or of copies.
pub const fn traffic(comm: &Comm, of: CommRows) -> &Traffic {
    match of {
        CommRows::Collectives => &comm.tensor,
        CommRows::Copies => &comm.copies,
    }
}

/// What is shown where nobody chose: collectives, or copies where no collective ran.
pub const fn usual(comm: &Comm) -> CommRows {
    if comm.rows.is_empty() && comm.copies.n > 0 { CommRows::Copies } else { CommRows::Collectives }
}

/// The rows of collectives or of copies.
pub fn rows(comm: &Comm, of: CommRows) -> &[CommRow] {
    match of {
        CommRows::Collectives => &comm.rows,
        CommRows::Copies => &comm.copy_rows,
    }
}

/// How a row is named where rows are selected, as in the breakdown; of a pair that is its start.
pub fn key(row: &CommRow) -> String {
    crate::table::page::row_key(&row.key, row.program_id)
}
