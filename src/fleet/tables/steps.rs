//! This module lists the columns of the table of steps.

use crate::analysis::breakdown::columns::STEPS;
use crate::analysis::breakdown::{DeviceSteps, StepTime};
use crate::analysis::gaps::ClassIdle;
use crate::fleet::column::{Part, part};
use crate::fleet::derive::Analysed;
use crate::session::capture::CaptureSession;
use crate::table::{Value, columns};

/// A step of a device.
pub struct StepRow {
    device: String,
    is_critical: bool,
    step: StepTime,
    idle: Option<Vec<ClassIdle>>,
}

/// The columns of steps.
pub const PARTS: &[Part<StepRow>] =
    &[part!(DEVICE, |row| Some(row)), part!(STEPS, |row| Some(&row.step)), part!(IDLE, |row| Some(row))];

columns! {
    DEVICE(row: StepRow) {
        /// The device.
        device: Name(Device) in table = &row.device,
        /// Whether the time of a step depends on the device.
        is_critical: Flag in table = row.is_critical,
    }

    IDLE(row: StepRow) {
        /// Idle time by what the device waited for, as in `rooflight gaps`. Null unless the step is a steady one of the critical
        /// device.
        idle_by_class: Value(Map(Time)) or null in table = Value::maybe(row.idle.as_ref(), |idle| {
            Value::map(idle.iter().map(|(class, time)| (class.key(), Value::Time(*time))))
        }),
    }
}

/// Returns the steps of all devices, in the order of the devices.
pub fn rows<'a>(session: &CaptureSession, analysed: &'a Analysed) -> impl Iterator<Item = StepRow> + use<'a> {
    let critical = analysed.critical.as_ref();
    let idle = critical.map(|device| &device.idle_by_step);
    let critical = critical.map(|device| session.analysis.devices[device.derived.by_op.ledger.device].label.clone());
    let of_device = move |device: &'a DeviceSteps| {
        let is_critical = Some(&device.label) == critical.as_ref();
        let row = move |step: &StepTime| StepRow {
            device: device.label.clone(),
            is_critical,
            step: step.clone(),
            idle: idle
                .filter(|_| is_critical && step.not_steady.is_none())
                .and_then(|idle| idle.get(&step.number))
                .cloned(),
        };
        device.steps.iter().map(row)
    };
    analysed.steps.devices.iter().flat_map(of_device)
}
