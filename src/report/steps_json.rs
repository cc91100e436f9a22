//! This module writes the statistics of steps as JSON.

use crate::analysis::base::Spread;
use crate::analysis::breakdown::columns::{ACROSS_DEVICES, SPREAD, STEP_KINDS, STEPS};
use crate::analysis::breakdown::{AcrossDevices, DeviceSteps, KindTimes, StepStats, StepTime};
use crate::table::json::{Row, Rows};
use crate::units::Picos;
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
    found_by: &'a str,
    outside_ps: Picos,
    kinds: Rows<'a, KindTimes>,
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
            found_by: &device.found_by,
            outside_ps: device.outside,
            kinds: Rows { columns: STEP_KINDS, rows: &device.kinds },
            steps: Rows { columns: STEPS, rows: &device.steps },
        };
        Self {
            devices: stats.devices.iter().map(device).collect(),
            across_devices: Rows { columns: ACROSS_DEVICES, rows: &stats.spread },
        }
    }
}
