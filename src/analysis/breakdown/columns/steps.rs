//! This module declares the columns of steps.

use crate::analysis::base::NotSteady;
use crate::analysis::base::columns::{KINDS, SPREAD, rounded};
use crate::analysis::breakdown::steps::{AcrossDevices, DeviceSteps, KindTimes, StepStats, StepTime};
use crate::table::columns;

columns! {
    /// The steps of all devices.
    pub STEP_STATS(row: StepStats) {
        /// The steps of each device.
        devices: Rows(DEVICE_STEPS) = &row.devices,
        /// The lengths of the events of each step, compared between devices. Periods are compared where a step has
        /// several runs and no event.
        across_devices: Rows(ACROSS_DEVICES) = &row.spread,
    }

    /// The steps of a device.
    pub DEVICE_STEPS(row: DeviceSteps) {
        /// Name of the device.
        device: Name(Device) = &row.label,
        /// Statistics of the lengths of all steps. Null if there are no steps.
        all: Object(SPREAD) or null = row.all.as_ref(),
        /// Statistics of the periods of the steady steps. Null where no step has a period.
        steady: Object(SPREAD) or null = row.steady.as_ref(),
        /// Whether fewer than three steps are steady. Then `steady` describes all steps with a period.
        few_steps: Flag = row.has_few_steady,
        /// How the steps were found: `line`, `annotation`, `sequence`, `program` or `none`.
        found_by: Text = &row.found_by,
        /// Time from the first to the last op that is in no step.
        outside_ps: Time = row.outside,
        /// The kinds of steps.
        kinds: Rows(STEP_KINDS) = &row.kinds,
        /// The steps, in order of their start.
        steps: Rows(STEPS) = &row.steps,
    }

    /// The columns of steps.
    pub STEPS(row: StepTime) {
        /// Number of the step.
        step: Count in json csv table = row.number,
        /// Name of the step's event, or of its program.
        name: Name(Program) in json csv table = &row.name,
        /// Time from the start of the step to the start of the next one. Null for the last step.
        period_ps: Time or null in json csv table = row.period(),
        /// Length of the step's event, which leaves out the time between steps.
        dur_ps: Time in json csv table = row.duration,
        /// Whether the step counts for means.
        is_steady: Flag in json csv table = row.not_steady.is_none(),
        /// Why the step does not count for means, and null for a steady step: `no_period` (the last step, and steps
        /// that the clock of the device and that of the events order differently), `first`, `compile` (the host
        /// compiles or loads a program in more than 1 % of the step, and less than half of the steps compile),
        /// `lost_ops` (less than 80 % of the median number of ops), `cut` (the file ends within the step), `lost` (the
        /// step is in a span whose events were lost) or `other_kind` (the mean is of another kind of steps).
        not_steady: Word(NotSteady) or null in json csv table = row.not_steady,
        /// Self time of all ops in the period or, for the last step, in the event.
        busy_ps: Time in json csv table = row.busy,
        /// Time without an op in the period or, for the last step, in the event.
        idle_ps: Time in json csv table = row.idle,
        kinds: Fields(KINDS) in json table = &row.by_kind,
        /// Number of executions of ops that start in the step.
        n_ops: Count in json csv table = row.n_ops,
    }

    /// The columns of kinds of steps.
    pub STEP_KINDS(row: KindTimes) {
        /// Name of the kind: that of its host annotation, the role of its program (such as `decode`), or the program.
        name: Name(Program) = &row.name,
        /// Number of steps of the kind.
        n_steps: Count = row.n_steps.into(),
        /// Number of the first step of the kind.
        first_step: Count = row.first_step,
        /// Share of the sum of all periods. Null if no step has a period.
        share: Number or null = row.share,
        /// The mean period. Null if no step of the kind has a period.
        mean_period_ps: Count or null = row.periods.map(|periods| rounded(periods.mean)),
        /// The median period.
        median_period_ps: Count or null = row.periods.map(|periods| rounded(periods.median)),
        /// The period that nine tenths of the steps do not exceed.
        p90_period_ps: Count or null = row.p90.map(rounded),
    }

    /// The columns of steps that several devices have.
    pub ACROSS_DEVICES(row: AcrossDevices) {
        /// Number of the step.
        step: Count = row.number,
        /// Number of devices that have the step.
        n_devices: Count = row.n_devices.into(),
        /// The shortest length.
        min_dur_ps: Time = row.min,
        /// The longest length.
        max_dur_ps: Time = row.max,
        /// The mean length.
        mean_dur_ps: Time = row.mean,
        /// The device with the longest step.
        slowest_device: Name(Device) = &row.slowest,
        /// (longest − shortest) ÷ mean.
        spread_pct: Percent = row.spread,
    }
}
