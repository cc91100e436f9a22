//! This module holds the query of an overview. It is plain data and does not depend on the answer.

use crate::analysis::comm::{NamedMesh, Topology};
use crate::analysis::ledger::LedgerQuery;
use serde::{Deserialize, Serialize};

/// A query: the devices and steps, and what the user says about the hardware and the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OverviewQuery {
    /// Devices and steps, peaks and costs, and the attainable share of the roofline.
    pub ledger: LedgerQuery,
    /// The arrangement of the chips. `None` means that the bandwidth of links is not judged.
    pub topology: Option<Topology>,
    /// The mesh of the program.
    pub mesh: Option<NamedMesh>,
    pub model: ModelFacts,
}

/// What the user says about the model. Unknown values are derived from the program, as far as it tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelFacts {
    /// Tokens per step over all devices.
    pub tokens: Option<f64>,
    /// FLOPs per token. `None` selects 6 × parameters.
    pub flops_per_token: Option<f64>,
    /// Parameters of the model over all devices.
    pub parameters: Option<f64>,
    /// Devices that share a step. `None` selects those of the program, else those of the capture.
    pub devices: Option<u32>,
}
