//! This module writes the statistics of steps as JSON.

use crate::analysis::base::Spread;
use crate::analysis::breakdown::columns::{ACROSS_DEVICES, SPREAD, STEPS};
use crate::analysis::breakdown::{AcrossDevices, DeviceSteps, StepStats, StepTime};
use crate::table::json::{Row, Rows};
use serde::Serialize;

/// The steps of all devices.
#[derive(Serialize)]
pub struct StepsJson<'a> {
    devices: Vec<DeviceJson<'a>>,
    across_devices: Rows<'a, AcrossDevices>,
}

#[derive(Serialize)]
struct DeviceJson<'a> {
    device: &'a str,
    all: Option<Row<'a, Spread>>,
    steady: Option<Row<'a, Spread>>,
    few_steps: bool,
    steps: Rows<'a, StepTime>,
}

impl<'a> StepsJson<'a> {
    /// Returns the statistics with the names of the JSON.
    pub fn new(stats: &'a StepStats) -> Self {
        let device = |device: &'a DeviceSteps| DeviceJson {
            device: &device.label,
            all: device.all.as_ref().map(|row| Row { columns: SPREAD, row }),
            steady: device.steady.as_ref().map(|row| Row { columns: SPREAD, row }),
            few_steps: device.has_few_steady,
            steps: Rows { columns: STEPS, rows: &device.steps },
        };
        Self {
            devices: stats.devices.iter().map(device).collect(),
            across_devices: Rows { columns: ACROSS_DEVICES, rows: &stats.spread },
        }
    }
}
