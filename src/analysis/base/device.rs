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

use super::device_notes::{
    beyond_sums, derived_runs, is_beyond_sums, join_places, no_devices, {self},
};
use super::measure::union_length;
use super::platform::Platform;
use super::self_time::Interval;
use super::{hosts, longest_step};
use crate::profile::{Line, Note, OpId, Plane, Profile, ProgramId, Severity, program_of};
use crate::units::Picos;
use indexmap::{IndexMap, IndexSet};

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

/// Devices of a profile, in order of plane, with notes on what was found and what was not.
pub fn devices(profile: &Profile) -> (Vec<Device>, Vec<Note>) {
    let mut notes = Vec::new();
    let mut devices: Vec<Device> = Vec::new();
    let mut sum = 0_u128;
    for (index, plane) in profile.planes.iter().enumerate() {
        if let Some(platform) = Platform::of(&plane.name)
            && let Some((device, time)) = device(profile, (index, platform), plane, &mut notes)
        {
            sum = sum.saturating_add(time);
            if is_beyond_sums(time) {
                notes.push(beyond_sums().at(&device.label));
            }
            devices.push(device);
        }
    }
    if is_beyond_sums(sum) && notes.iter().all(|note| note.code != beyond_sums().code) {
        notes.push(beyond_sums());
    }
    make_labels_distinct(profile, &mut devices);
    longest_step::mark(&mut devices);
    let mut notes = join_places(notes);
    if devices.is_empty() {
        notes.push(no_devices(profile));
    }
    let sparse = profile.planes.iter().filter(|p| p.name.contains("SparseCore") && p.n_events() > 0).count();
    if sparse > 0 && !devices.is_empty() {
        let message =
            format!("{sparse} SparseCore planes are listed but not summed: their time runs beside the TensorCore's.");
        notes.push(Note::new(Severity::Info, "sparse_core_apart", message));
    }
    (devices, notes)
}

/// A plane's device, if it has ops, and what the durations on its lines of ops and steps add up to.
fn device(
    profile: &Profile,
    (index, platform): (usize, Platform),
    plane: &Plane,
    notes: &mut Vec<Note>,
) -> Option<(Device, u128)> {
    let named = |name: &str| -> Vec<usize> {
        let is = |(_, l): &(usize, &Line)| l.name == name && !l.events.is_empty();
        plane.lines.iter().enumerate().filter(is).map(|(i, _)| i).collect()
    };
    let ops = platform.op_lines(plane);
    if ops.is_empty() {
        return None;
    }
    let step_lines = named("Steps");
    let module_lines = named("XLA Modules");
    let all_device = |lines: &[usize]| lines.iter().all(|i| plane.lines[*i].events.has_device_clock());
    let in_flight: Vec<usize> = (0..plane.lines.len()).filter(|i| plane.lines[*i].is_async()).collect();
    let used = ops.iter().chain(&step_lines).chain(&module_lines).chain(&in_flight);
    let event = Clock::Event { origin_ns: used.map(|i| plane.lines[*i].timestamp_ns).min().unwrap_or(0) };
    let op_clock = if all_device(&ops) { Clock::Device } else { event };

    let (lines, from_steps) = if step_lines.is_empty() { (&module_lines, false) } else { (&step_lines, true) };
    let step_clock = if op_clock == Clock::Device && all_device(lines) { Clock::Device } else { event };
    let mut device = Device {
        plane: index,
        platform,
        label: plane.name.trim_start_matches("/device:").to_owned(),
        ops,
        steps: Vec::new(),
        longest: None,
        basis: StepBasis::None,
        step_clock,
        op_clock,
        event_clock: event,
        whole: (0, 0),
        busy: Picos::ZERO,
    };
    if from_steps {
        device.basis = StepBasis::StepsLine;
        device.steps = steps(profile, plane, lines, (step_clock, event), &|_| true);
    } else if let Some(program) = dominant_program(profile, plane, lines, step_clock) {
        let name = program.map_or_else(String::new, |p| profile.programs.get(&p).cloned().unwrap_or_default());
        let is = |op: OpId| program_of_run(profile, plane, op) == program;
        device.steps = steps(profile, plane, lines, (step_clock, event), &is);
        for (i, step) in device.steps.iter_mut().enumerate() {
            step.number = i as u64;
        }
        let n = device.steps.len();
        let what = if name.is_empty() { "its busiest program".to_owned() } else { name.clone() };
        let message = format!("No Steps line: steps are taken from {n} runs of {what}.");
        notes.push(Note::new(Severity::Info, "steps_from_modules", message).at(&device.label));
        if lines.iter().any(|i| plane.lines[*i].derived) {
            notes.push(derived_runs(platform).at(&device.label));
        }
        device.basis = StepBasis::Modules { program: name };
    } else {
        let message = "No Steps line and no module runs: only the whole capture can be shown. A capture of at least one whole step has them.";
        notes.push(Note::new(Severity::Info, "no_steps", message).at(&device.label));
    }
    let steps: u128 = device.steps.iter().map(|step| u128::from(step.duration().0)).sum();
    if let Some(note) = device_notes::overlap(&mut device) {
        notes.push(note.at(&device.label));
    }
    let time = look_at_ops(plane, &mut device).max(steps);
    Some((device, time))
}

/// The program with the most time on module lines; ties go to the smaller id. `Some(None)`: runs name no id.
fn dominant_program(profile: &Profile, plane: &Plane, lines: &[usize], clock: Clock) -> Option<Option<ProgramId>> {
    let mut time: IndexMap<Option<ProgramId>, Picos> = IndexMap::default();
    for line in lines.iter().map(|i| &plane.lines[*i]) {
        for ((start, end), op) in intervals(line, clock).unwrap_or_default().into_iter().zip(line.events.ops()) {
            *time.entry(program_of_run(profile, plane, op)).or_default() += Picos(end - start);
        }
    }
    time.into_iter()
        .collect::<Vec<_>>()
        .into_iter()
        .max_by_key(|(program, t)| (*t, std::cmp::Reverse(*program)))
        .map(|(program, _)| program)
}

/// The program of a module run: its stat, else the id in its name.
pub(in crate::analysis) fn program_of_run(profile: &Profile, plane: &Plane, op: OpId) -> Option<ProgramId> {
    let op = plane.op(op);
    op.stats.program.or_else(|| program_of(profile.text(op.text)).map(|(_, id)| id))
}

fn steps(
    profile: &Profile,
    plane: &Plane,
    lines: &[usize],
    (clock, event): (Clock, Clock),
    is: &dyn Fn(OpId) -> bool,
) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for i in lines {
        let line = &plane.lines[*i];
        let windows = intervals(line, clock).unwrap_or_default();
        let on_event = intervals(line, event).unwrap_or_else(|| windows.clone());
        for ((window, event_window), op) in windows.into_iter().zip(on_event).zip(line.events.ops()) {
            if is(op) {
                let name = profile.text(plane.op(op).name);
                // A run is named `program(id)`: the id says nothing to people.
                let name = program_of(name).map_or(name, |(name, _)| name).to_owned();
                steps.push(Step { number: 0, name, window, event_window, n_ops: 0 });
            }
        }
    }
    steps.sort_by(|a, b| a.window.cmp(&b.window).then_with(|| a.name.cmp(&b.name)));
    // The events' own numbers, if each has one and no two are the same.
    let numbers: Option<Vec<u64>> = steps.iter().map(|s| s.name.rsplit([' ', '_', '#']).next()?.parse().ok()).collect();
    let distinct = numbers.as_ref().is_some_and(|n| {
        let mut sorted = n.clone();
        sorted.sort_unstable();
        sorted.windows(2).all(|w| w[0] != w[1])
    });
    for (i, step) in steps.iter_mut().enumerate() {
        step.number = numbers.as_ref().filter(|_| distinct).map_or(i as u64, |n| n[i]);
    }
    steps
}

/// When the first op starts and the last one ends, how much of that is busy, and how many start in each step. Returns what the
/// ops' durations add up to, on the clock on which that is more.
fn look_at_ops(plane: &Plane, device: &mut Device) -> u128 {
    let mut edges: Vec<u64> = device.steps.iter().flat_map(|step| [step.window.0, step.window.1]).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut starts = Starts { between: vec![0; edges.len() + 1], edges, last: 0 };
    let mut whole = (u64::MAX, 0);
    let (mut on_op_clock, mut on_step_clock) = (0_u128, 0_u128);
    let length = |events: &[Interval]| events.iter().map(|(start, end)| u128::from(end - start)).sum::<u128>();
    for line in device.ops.iter().map(|i| &plane.lines[*i]) {
        let mut events = intervals(line, device.op_clock);
        if let Some(events) = &mut events {
            on_op_clock += length(events);
            device.busy += Picos(union_length(events));
            for (start, end) in events {
                whole = (whole.0.min(*start), whole.1.max(*end));
            }
        }
        let events = if device.step_clock == device.op_clock { events } else { intervals(line, device.step_clock) };
        on_step_clock += events.as_deref().map_or(0, length);
        events.iter().flatten().for_each(|(start, _)| starts.add(*start));
    }
    device.whole = (whole.0.min(whole.1), whole.1);
    let before = starts.before();
    for step in &mut device.steps {
        step.n_ops = before(step.window.1) - before(step.window.0);
    }
    on_op_clock.max(on_step_clock)
}

/// How many ops start between the edges of steps, which may overlap.
struct Starts {
    /// In order, each once.
    edges: Vec<u64>,
    /// How many start before the first edge, from there up to the next, and so on.
    between: Vec<u64>,
    /// Where the last one started: mostly the next one does, too.
    last: usize,
}

impl Starts {
    #[inline]
    fn add(&mut self, start: u64) {
        let is_after = self.last == 0 || self.edges[self.last - 1] <= start;
        if !is_after || self.edges.get(self.last).is_some_and(|next| *next <= start) {
            self.last = self.edges.partition_point(|edge| *edge <= start);
        }
        self.between[self.last] += 1;
    }

    /// How many start before an edge.
    fn before(mut self) -> impl Fn(u64) -> u64 {
        let mut sum = 0;
        for n in &mut self.between {
            sum += *n;
            *n = sum;
        }
        move |edge| self.between[self.edges.partition_point(|other| *other < edge)]
    }
}

/// `TPU:0` twice becomes `host-a TPU:0` and `host-b TPU:0`; failing that, `TPU:0 (2)`.
fn make_labels_distinct(profile: &Profile, devices: &mut [Device]) {
    let mut labels: IndexSet<&str> = IndexSet::default();
    let has_double = !devices.iter().all(|device| labels.insert(&device.label));
    if has_double && profile.files.len() > 1 {
        let names = hosts::names(profile);
        for device in devices.iter_mut() {
            let host = names.get(profile.planes[device.plane].file).map_or("", String::as_str);
            device.label = format!("{host} {}", device.label);
        }
    }
    let mut seen: IndexMap<String, u32> = IndexMap::default();
    for device in devices {
        let n = seen.entry(device.label.clone()).or_default();
        *n += 1;
        if *n > 1 {
            device.label = format!("{} ({n})", device.label);
        }
    }
}

impl Device {
    /// The step that is shown where none is asked for: `longest`.
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
