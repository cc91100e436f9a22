//! This module declares the table of steps.

use crate::analysis::breakdown::columns::STEPS as VIEW;
use crate::analysis::breakdown::{DeviceSteps, StepTime};
use crate::analysis::gaps::ClassIdle;
use crate::fleet::column::{ColumnType, FleetColumn, INTEGER, TEXT, name, of_view};
use crate::fleet::derive::Analysed;
use crate::session::capture::CaptureSession;
use crate::share::NameKind;
use crate::table::Value::{self, Flag, Text, Time};

/// A step of a device.
pub struct StepRow {
    device: String,
    is_critical: bool,
    step: StepTime,
    idle: Option<Vec<ClassIdle>>,
}

macro_rules! of_step {
    ($id:literal, $kind:expr, $about:literal) => {
        FleetColumn::new($id, $kind, $about, |row: &StepRow| of_view(VIEW, $id, &row.step))
    };
}

/// The columns of steps.
pub const STEPS: &[FleetColumn<StepRow>] = &[
    FleetColumn::new("device", name(NameKind::Device), "The device.", |row| Text(row.device.as_str().into())),
    FleetColumn::new("is_critical", ColumnType::Flag, "Whether the time of a step depends on the device.", |row| {
        Flag(row.is_critical)
    }),
    of_step!("step", INTEGER, "The number of the step."),
    of_step!("name", name(NameKind::Program), "The name of the step's event, or of its program."),
    of_step!(
        "period_ps",
        INTEGER,
        "From the start of the step to the start of the next one. It is null for the last step."
    ),
    of_step!("dur_ps", INTEGER, "The length of the step's event."),
    of_step!("is_steady", ColumnType::Flag, "Whether the step counts for means."),
    of_step!("not_steady", TEXT, "Why the step does not count for means."),
    of_step!("busy_ps", INTEGER, "Self time of all ops in the period."),
    of_step!("idle_ps", INTEGER, "Time of the period without an op."),
    FleetColumn::new("compute_duration_ps", INTEGER, "Time of compute.", |row| kind("compute_duration_ps", row)),
    FleetColumn::new("data_move_duration_ps", INTEGER, "Time of data movement.", |row| {
        kind("data_move_duration_ps", row)
    }),
    FleetColumn::new("comm_duration_ps", INTEGER, "Time of communication, with ops that also compute.", |row| {
        kind("comm_duration_ps", row)
    }),
    FleetColumn::new("fused_duration_ps", INTEGER, "The part of it in ops that also compute.", |row| {
        kind("fused_duration_ps", row)
    }),
    FleetColumn::new("host_duration_ps", INTEGER, "Time of ops that exchange data with the host.", |row| {
        kind("host_duration_ps", row)
    }),
    FleetColumn::new("other_duration_ps", INTEGER, "Time of loops and of ops that no rule classifies.", |row| {
        kind("other_duration_ps", row)
    }),
    FleetColumn::new(
        "idle_by_class",
        ColumnType::Map(&INTEGER),
        "Idle time by what the device waited for, as in `rooflight gaps`. It is null unless the step is a steady one of the critical device.",
        |row| {
            Value::maybe(row.idle.as_ref(), |idle| {
                Value::map(idle.iter().map(|(class, time)| (class.key(), Time(*time))))
            })
        },
    ),
    of_step!("n_ops", INTEGER, "Executions of ops that start in the step."),
];

fn kind<'r>(id: &str, row: &'r StepRow) -> Value<'r> {
    of_view(crate::analysis::breakdown::columns::KINDS, id, &row.step.by_kind)
}

/// Returns the steps of all devices, in the order of the devices.
pub fn rows<'a>(session: &CaptureSession, analysed: &'a Analysed) -> impl Iterator<Item = StepRow> + use<'a> {
    let critical = analysed.critical.as_ref();
    let idle = critical.map(|of| &of.idle_by_step);
    let critical = critical.map(|of| session.analysis.devices[of.derived.by_op.ledger.device].label.clone());
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
