//! Devices and steps: which lines of which planes are ops, module runs and steps, and on which clock they are
//! read.
//!
//! ```text
//!  /device:TPU:0 ─┬─ Steps        ├── 12 ──┤├── 13 ──┤      windows
//!                 ├─ XLA Modules  ├ jit_f ┤ ├ jit_f ┤       the next best windows
//!                 └─ XLA Ops      ▪▪▪▪▪▪▪▪  ▪▪▪▪▪▪▪▪        what is counted
//! ```
//!
//! **Two clocks.** Ops carry a time on the device's own clock beside the event clock, hundreds of milliseconds
//! apart; steps and modules may lack it. Within op lines the device clock is used. To relate ops to steps
//! it is used only if every event of both has it, else the event clock for both.

use super::platform::Platform;
use super::self_time::Interval;
use crate::profile::{Line, OpId, Plane, Profile, ProgramId, program_of};
use crate::units::Picos;

/// A device with ops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Index into [`Profile::planes`].
    pub plane: usize,
    /// What it is.
    pub platform: Platform,
    /// What people call it: `TPU:0`; with its host where several captures are open.
    pub label: String,
    /// Indices of its op lines.
    pub ops: Vec<usize>,
    /// Its steps, by start.
    pub steps: Vec<Step>,
    /// The longest step, by its place; the same step on all devices that have it.
    pub longest: Option<usize>,
    /// How steps were found.
    pub basis: StepBasis,
    /// On which clock steps and ops are related.
    pub step_clock: Clock,
    /// On which clock op lines are read by themselves.
    pub op_clock: Clock,
    /// The event clock, which every line has.
    pub event_clock: Clock,
    /// From the first op's start to the last op's end, on `op_clock`.
    pub whole: Interval,
    /// Busy time over the whole capture: of each op line the length of its events' union, which is what their self times
    /// add up to.
    pub busy: Picos,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its number: the `Steps` event's, or a count of runs from 0.
    pub number: u64,
    /// The event's name, or the program's.
    pub name: String,
    /// `[start, end)` on [`Device::step_clock`].
    pub window: Interval,
    /// The same on [`Device::event_clock`].
    pub event_window: Interval,
    /// Ops that start in it.
    pub n_ops: u64,
}

/// How steps were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepBasis {
    /// The `Steps` line.
    StepsLine,
    /// Runs of the program with the most time.
    Modules {
        /// Its name.
        program: String,
    },
    /// There are none.
    None,
}

/// Which times are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clock {
    /// `device_offset_ps`, `device_duration_ps`.
    Device,
    /// `offset_ps`, `duration_ps`, after the line's timestamp; relative to this origin, ns.
    Event {
        /// Subtracted from each line's timestamp, so that epoch times fit.
        origin_ns: i64,
    },
}

/// The events of a line as intervals on a clock. `None` where a start does not fit 64 bits of picoseconds: a
/// line whose timestamp is 213 days or more from the plane's first.
pub fn intervals(line: &Line, clock: Clock) -> Option<Vec<Interval>> {
    match clock {
        Clock::Device => after(line.events.device_times()?, 0),
        Clock::Event { origin_ns } => {
            let base =
                line.timestamp_ns.checked_sub(origin_ns).and_then(|ns| u64::try_from(ns).ok())?.checked_mul(1000)?;
            after(line.events.times(), base)
        }
    }
}

/// Starts and durations as intervals, `base` picoseconds later.
fn after(times: impl Iterator<Item = (u64, u64)>, base: u64) -> Option<Vec<Interval>> {
    let at = |(start, duration): (u64, u64)| {
        let start = start.checked_add(base)?;
        Some((start, start.saturating_add(duration)))
    };
    let mut all = Vec::with_capacity(times.size_hint().0);
    for time in times {
        all.push(at(time)?);
    }
    Some(all)
}

/// The program of a module run: its stat, else the id in its name.
pub(in crate::analysis) fn program_of_run(profile: &Profile, plane: &Plane, op: OpId) -> Option<ProgramId> {
    let op = plane.op(op);
    op.stats.program.or_else(|| program_of(profile.text(op.text)).map(|(_, id)| id))
}

impl Device {
    /// The step that is shown where none is requested: `longest`.
    pub fn busiest(&self) -> Option<&Step> {
        self.steps.get(self.longest?)
    }
}

impl Step {
    /// Its length.
    pub fn duration(&self) -> Picos {
        Picos(self.window.1 - self.window.0)
    }
}
