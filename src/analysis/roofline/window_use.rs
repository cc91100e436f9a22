//! This module holds the use of compute and memory in a whole window. It is plain data.

use super::quadrant::Quadrant;
use serde::{Deserialize, Serialize};
use xla_profile::keyed_enum;
use xla_profile::units::Picos;

keyed_enum! {
    /// The source of the number of devices that share a step.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum DeviceCountSource {
        /// A value that the user gave.
        Yours = "yours",
        /// Replicas × partitions of the program with the most time.
        Program = "program",
        /// Number of devices in the capture. The job may have more devices.
        Capture = "capture",
    }
}

/// The number of devices that share a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceCount {
    pub n: u32,
    pub source: DeviceCountSource,
}

/// The use of the whole window: all ops of every kind, and idle time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WindowUse {
    /// Length of the window, summed over devices.
    pub window: Picos,
    /// FLOPs of all ops except containers; an asynchronous pair counts once. `None` if no op has FLOPs.
    pub flops: Option<f64>,
    /// Sum of `model_flops` over the same ops: without recompute.
    pub model_flops: Option<f64>,
    /// Bytes accessed by the same ops.
    pub bytes: Option<f64>,
    /// Peak FLOP/s of one device for bf16, or for f16 if its matrix units have no bf16. `None` if it is unknown or the
    /// devices differ.
    pub peak_flops: Option<f64>,
    /// `flops` ÷ (peak × window): the HFU.
    pub hfu: Option<f64>,
    /// `model_flops` ÷ (peak × window): the usual meaning of MFU.
    pub model_mfu: Option<f64>,
    /// Bytes of HBM ÷ (bandwidth × window).
    pub hbm_util: Option<f64>,
    /// The traffic of the memory that counters sampled ÷ its bandwidth. `None` if a device has no such counters.
    pub hbm_util_measured: Option<f64>,
    /// The cycles in which a multiprocessor was active, by counters ÷ the cycles at the clock of the driver; the mean of
    /// all multiprocessors. `None` if a device has no such counters.
    pub sm_active: Option<f64>,
    /// FLOPs that the user counts as useful, for this window and its devices. `None` if they are not above zero.
    pub useful_flops: Option<f64>,
    /// `useful_flops` ÷ (peak × window).
    pub useful_mfu: Option<f64>,
    /// Devices that share the useful FLOPs of a step. `None` if the query has no useful FLOPs, or if a link omits this
    /// field.
    pub useful_devices: Option<DeviceCount>,
}

/// The share of the time of compute from which on its costs count as known.
pub const WHOLE_COVERAGE: f64 = 0.95;

impl WindowUse {
    /// Compares the use of compute and memory. `coverage` is the share of the time whose ops have costs. Counters cover all
    /// of it.
    pub fn quadrant(&self, coverage: Option<f64>) -> Option<Quadrant> {
        let is_partial = coverage.is_none_or(|coverage| coverage < WHOLE_COVERAGE);
        let of_costs = |share: Option<f64>| share.map(|share| (share, is_partial));
        let measured = self.hbm_util_measured.map(|share| (share, false));
        Quadrant::new(of_costs(self.hfu), measured.or_else(|| of_costs(self.hbm_util)))
    }
}
