//! This module lists the columns of the table of collectives.

use crate::analysis::comm::CommRow;
use crate::analysis::comm::columns::COMM;
use crate::fleet::column::{Part, part};

/// The columns of collectives.
pub const PARTS: &[Part<CommRow>] = &[part!(COMM, |row| Some(row))];
