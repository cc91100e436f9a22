//! This module defines the reply of the communication view as plain data.

use crate::analysis::comm::{Comm, CommQuery};
use serde::{Deserialize, Serialize};
use xla_profile::units::Picos;

/// The reply to [`super::ViewRequest::Comm`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommView {
    pub query: CommQuery,
    pub comm: Comm,
    /// Rows of collectives left out of `comm.rows`: their number and their exposed time.
    pub more: (u32, Picos),
    /// Rows of copies left out of `comm.copy_rows`: their number and their exposed time.
    pub more_copies: (u32, Picos),
}
