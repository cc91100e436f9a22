//! This module defines devices, steps and clocks: which lines of a plane hold ops and steps, and on which clock their
//! times are read.
//!
//! ```text
//!  /device:TPU:0 ─┬─ Steps        ├── 12 ──┤├── 13 ──┤      steps
//!                 ├─ XLA Modules  ├ jit_f ┤ ├ jit_f ┤       steps, if there is no Steps line
//!                 └─ XLA Ops      ▪▪▪▪▪▪▪▪  ▪▪▪▪▪▪▪▪        ops
//! ```
//!
//! **Two clocks.** Besides their time on the event clock, ops have a time on the clock of the device, which may differ
//! by hundreds of milliseconds. Steps and modules may lack the time on the device clock. Times within op lines are read
//! on the device clock if every op has it. Ops are related to steps on the device clock only if every event of both has
//! it, and otherwise on the event clock.

use super::not_steady::NotSteady;
use super::platform::Platform;
use xla_profile::intervals::Interval;
use xla_profile::profile::{Line, OpId, Plane, Profile, ProgramId, program_of};
use xla_profile::units::Picos;

/// A device with its op lines, steps and clocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Index into [`Profile::planes`].
    pub plane: usize,
    pub platform: Platform,
    /// The display name, such as `TPU:0`. Labels are distinct within a session: if names repeat, the name of the host
    /// precedes them.
    pub label: String,
    /// Indices of the op lines in [`Plane::lines`].
    pub ops: Vec<usize>,
    /// Steps in order of their start.
    pub steps: Vec<Step>,
    /// Index into `steps` of the step that is shown by default (see `longest_step`); `None` if the device has no steps.
    pub longest: Option<usize>,
    /// The kind of steps with the largest share of the time. Means are of this kind.
    pub main_kind: u16,
    /// Whether fewer than three steps of the main kind are steady by themselves, so that all of them with a period count as
    /// steady.
    pub has_few_steady: bool,
    /// The source of the steps.
    pub basis: StepBasis,
    /// The clock on which ops are assigned to steps.
    pub step_clock: Clock,
    /// The clock on which times within op lines and the whole capture are read.
    pub op_clock: Clock,
    /// The event clock, which every line has.
    pub event_clock: Clock,
    /// The place of the origin of `event_clock` on the time axis of the session (see [`Axis`](super::Axis)), in ps.
    pub axis_offset: u64,
    /// Start of the first op and end of the last op, in ps on `op_clock`.
    pub whole: Interval,
    /// End of the last op before the end of a cut file, in ps on `event_clock`. `None` if all ops are in the file.
    pub file_end: Option<u64>,
    /// Busy time over the whole capture: the length of the union of the events of each op line, summed over lines. The
    /// busy time equals the sum of all self times.
    pub busy: Picos,
}

/// A step of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The number of the `Steps` event if all events have distinct numbers, otherwise the index of the step from 0.
    pub number: u64,
    /// The op of the step's event, which names it ([`Step::name`]). `None` if it is a range of time.
    pub op: Option<OpId>,
    /// `[start, end)` in ps on [`Device::step_clock`]: the period if the step has one, else its event.
    pub window: Interval,
    /// `[start, end)` in ps on [`Device::event_clock`], as `window`.
    pub event_window: Interval,
    /// Whether `window` is a period: it ends where the next step starts. The last step has no period.
    pub has_period: bool,
    /// The time of the step after the end of a cut file. It is not part of the windows.
    pub not_in_file: Picos,
    /// Why the step is not steady; `None` for a steady step.
    pub not_steady: Option<NotSteady>,
    /// The length of the step's event, which leaves out the time until the next step.
    pub duration: Picos,
    /// Number of op executions that start in the step, at most 2³² − 1.
    pub n_ops: u32,
    /// Index into [`Analysis::kinds`](super::Analysis::kinds): steps of one kind run the same programs.
    pub kind: u16,
}

// A file has ten bytes for a step, and all steps are in memory.
const _: () = assert!(size_of::<Step>() <= 72);

/// The source of the steps of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepBasis {
    /// The events of the `Steps` line.
    StepsLine,
    /// The steps that the host marked.
    Annotations {
        /// The name of the first mark.
        name: String,
        /// Whether events of the `Steps` line make the steps, and not runs of programs.
        of_line: bool,
        /// The most events or runs that make a step.
        n_parts: usize,
    },
    /// A sequence of programs that repeats.
    Sequence {
        /// The names of the programs, in the order of their runs.
        programs: Vec<String>,
    },
    /// The runs of programs with much of the time.
    Modules {
        /// The names of the programs.
        programs: Vec<String>,
    },
    /// The device has no steps.
    None,
}

/// A clock on which events are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clock {
    /// The clock of the device: `device_offset_ps` and `device_duration_ps`.
    Device,
    /// The event clock: `offset_ps` and `duration_ps` after the timestamp of the line.
    Event {
        /// The origin of the clock in ns. The origin is subtracted from the timestamp of each line, so that epoch times
        /// fit 64 bits of picoseconds.
        origin_ns: i64,
    },
}

impl Clock {
    /// Returns the clock on which other events are read if this one is `ps` behind theirs.
    #[must_use]
    pub fn behind(self, ps: u64) -> Self {
        let ns = i64::try_from(ps.div_ceil(1000)).unwrap_or(i64::MAX);
        match self {
            Self::Device => self,
            Self::Event { origin_ns } => Self::Event { origin_ns: origin_ns.saturating_add(ns) },
        }
    }
}

/// Returns the events of `line` as intervals in ps on `clock`, in the order of the line. Returns `None` if the line has
/// no times on the device clock, or if a start does not fit 64 bits of picoseconds: the timestamp of the line is before
/// the origin, or 213 days or more after it.
pub fn intervals(line: &Line, clock: Clock) -> Option<Vec<Interval>> {
    match clock {
        Clock::Device => line.events.device_intervals(),
        Clock::Event { origin_ns } => line.events.intervals(base_of(line, origin_ns)?),
    }
}

/// Returns the intervals of [`intervals`] in `buffer`, whose memory is used again. Returns `None` where that function does.
pub fn intervals_in<'a>(buffer: &'a mut Vec<Interval>, line: &Line, clock: Clock) -> Option<&'a mut [Interval]> {
    buffer.clear();
    let is_complete = match clock {
        Clock::Device => line.events.add_device_intervals(buffer),
        Clock::Event { origin_ns } => line.events.add_intervals(base_of(line, origin_ns)?, buffer),
    };
    is_complete.then_some(buffer)
}

/// Returns one event of `line` as an interval, as [`intervals`] does.
pub fn interval_of(line: &Line, clock: Clock, event: usize) -> Option<Interval> {
    let (base, (start, duration)) = match clock {
        Clock::Device => (0, line.events.device_time(event)?),
        Clock::Event { origin_ns } => (base_of(line, origin_ns)?, line.events.time(event)),
    };
    let start = start.checked_add(base)?;
    Some((start, start.saturating_add(duration)))
}

/// Returns the start of a line in ps after the origin. `None` if it does not fit 64 bits.
fn base_of(line: &Line, origin_ns: i64) -> Option<u64> {
    line.timestamp_ns.checked_sub(origin_ns).and_then(|ns| u64::try_from(ns).ok())?.checked_mul(1000)
}

/// Returns the number of a device on its host, as the name of its plane tells it: 3 for `/device:TPU:3`.
pub(in crate::analysis) fn device_number(plane: &Plane) -> Option<u64> {
    plane.name.rsplit(':').next()?.parse().ok()
}

/// Returns the indices of the planes with the threads of each host, by file.
pub fn host_planes(profile: &Profile) -> Vec<Vec<usize>> {
    let mut by_file = vec![Vec::new(); profile.files.len()];
    for (index, plane) in profile.planes.iter().enumerate().filter(|(_, plane)| plane.name == "/host:CPU") {
        if let Some(planes) = by_file.get_mut(plane.file) {
            planes.push(index);
        }
    }
    by_file
}

/// Iterates over the threads on planes of a host, each after its place: the index of its plane, and its index in the plane.
pub fn host_lines<'p>(profile: &'p Profile, planes: &[usize]) -> impl Iterator<Item = ((usize, usize), &'p Line)> {
    let lines =
        |index: usize| profile.planes[index].lines.iter().enumerate().map(move |(line, value)| ((index, line), value));
    planes.iter().copied().flat_map(lines).filter(|(_, line)| !line.derived)
}

/// Returns the events of a line of the host as intervals in ps on the event clock with this origin, in the order of the
/// line. The host may start before its devices: the time before the origin is cut off. `None` if a time is so far after
/// the origin that it does not fit 64 bits of picoseconds.
pub fn host_intervals(line: &Line, origin_ns: i64) -> Option<Vec<Interval>> {
    line.events.times().map(|time| host_interval(line.timestamp_ns, origin_ns, time)).collect()
}

/// Returns the time of an event of the host as [`host_intervals`] does. `time` is its start and its duration in ps.
pub fn host_interval(timestamp_ns: i64, origin_ns: i64, (start, duration): (u64, u64)) -> Option<Interval> {
    let base = (i128::from(timestamp_ns) - i128::from(origin_ns)) * 1000;
    let on_axis = |time: u64| u64::try_from((base + i128::from(time)).max(0)).ok();
    Some((on_axis(start)?, on_axis(start.saturating_add(duration))?))
}

/// Returns the program of a module run: the program in the stats of its op, else the id in its name, such as
/// `jit_f(123)`.
pub(in crate::analysis) fn program_of_run(profile: &Profile, plane: &Plane, op: OpId) -> Option<ProgramId> {
    let op = plane.op(op);
    op.stats.program.or_else(|| program_of(profile.text(op.text)).map(|(_, id)| id))
}

/// Returns the name of the steps whose events are of an op.
pub(super) fn step_name<'p>(profile: &'p Profile, plane: &Plane, op: OpId) -> &'p str {
    let name = profile.text(plane.op(op).name);
    // A run is named `program(id)`. The name of the step leaves out the id, which means nothing to users.
    program_of(name).map_or(name, |(name, _)| name)
}

impl Device {
    /// Returns the step that is shown by default: the one at index [`Device::longest`].
    pub fn busiest(&self) -> Option<&Step> {
        self.steps.get(self.longest?)
    }
}

impl Step {
    /// Returns the name of the step on a device with this plane: that of its event, or of its program.
    pub fn name<'p>(&self, profile: &'p Profile, plane: &Plane) -> &'p str {
        self.op.map_or("", |op| step_name(profile, plane, op))
    }

    /// Returns the length of the step's window.
    pub fn length(&self) -> Picos {
        Picos(self.window.1 - self.window.0)
    }
}
