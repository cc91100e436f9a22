//! The answer of the communication view: plain data.

use crate::analysis::comm::{Comm, CommQuery};
use crate::units::Picos;
use serde::{Deserialize, Serialize};

/// The communication view's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommView {
    /// The question this answers.
    pub query: CommQuery,
    /// The answer.
    pub comm: Comm,
    /// Rows of collectives that are not in it, and what of them is not covered.
    pub more: (u32, Picos),
    /// The same of copies.
    pub more_copies: (u32, Picos),
}
