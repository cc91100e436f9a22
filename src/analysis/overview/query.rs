//! This module holds the query of an overview. It is plain data and does not depend on the answer.

use crate::analysis::comm::Machine;
use crate::analysis::ledger::LedgerQuery;
use serde::{Deserialize, Serialize};

/// A query: the devices and steps, and what the user says about the hardware.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OverviewQuery {
    /// Devices and steps, peaks and costs, the useful FLOPs of a step, and the attainable share of the roofline.
    pub ledger: LedgerQuery,
    /// What the user says about the devices and the networks between them.
    pub machine: Machine,
    /// The XLA flags of the run, as text. `None` if the user gave none.
    pub flags: Option<String>,
}
