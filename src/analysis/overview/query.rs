//! This module holds the query of an overview. It is plain data and does not depend on the answer.

use crate::analysis::comm::{NamedMesh, Topology};
use crate::analysis::ledger::LedgerQuery;
use serde::{Deserialize, Serialize};

/// A query: the devices and steps, and what the user says about the hardware.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OverviewQuery {
    /// Devices and steps, peaks and costs, the useful FLOPs of a step, and the attainable share of the roofline.
    pub ledger: LedgerQuery,
    /// The arrangement of the chips. `None` means that the bandwidth of links is not judged.
    pub topology: Option<Topology>,
    /// The mesh of the program.
    pub mesh: Option<NamedMesh>,
    /// The XLA flags of the run, as text. `None` if the user gave none.
    pub flags: Option<String>,
}
