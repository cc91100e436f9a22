//! This module holds the runs of a device, or the kernels of a GPU, and divides a gap into what the run after it waited
//! for.

use super::class_line::{CausePart, ClassTimes, within, without_overlaps};
use super::host_classes::HostClasses;
use super::report::GapClass;
use super::window::RawGap;
use crate::analysis::base::device::device_number;
use crate::analysis::base::host_links::{HostEventId, HostLinks};
use crate::analysis::base::{Device, Interval, Platform, intervals};
use crate::analysis::classify::kind_of_op::is_callback;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use xla_profile::profile::{EventLink, Line, OpId, Plane, Profile};
use xla_profile::small_sort::SmallSort;

/// A gap of a GPU in ps from which on the time after an early launch is unexplained. HTA uses the same limit.
const KERNEL_GAP: u64 = 5_000_000;

/// The longest time in ps that a TPU needs to start a run that was enqueued. A run that starts later waited for something else.
const LONGEST_LAUNCH: u64 = 1_000_000_000;

/// By how many ps a run may start before its call without a doubt about the clocks: times of traces are rounded.
const CLOCK_SLACK: u64 = 1_000_000;
/// One in so many runs must start before its call to show that the clocks of host and device differ. Fewer may be
/// joined to the wrong call.
const CLOCK_RUNS: usize = 20;

/// The parts of a gap, and why it has them.
#[derive(Default)]
pub(super) struct DividedGap {
    /// The parts after the one in which the host was late, in order of time.
    parts: Vec<CausePart>,
    /// The program run that ends the gap.
    pub run: Option<OpId>,
    /// The part in which the host was late, and the call that was late.
    pub late: Option<(HostEventId, Interval)>,
    /// The part in which the host is taken to have been late, although no call is known.
    pub assumed: Option<Interval>,
}

impl DividedGap {
    /// Returns the time of each class.
    pub fn times(&self, host: &HostClasses<'_>) -> ClassTimes {
        let mut times = ClassTimes::default();
        for (class, (start, end)) in &self.parts {
            times[*class as usize] += end - start;
        }
        if let Some((call, window)) = self.late {
            let late = host.late_times(call, window);
            late.by_class().for_each(|(class, time)| times[class as usize] += time);
            times[GapClass::Host as usize] += (window.1 - window.0).saturating_sub(late.total());
        }
        if let Some((window, main)) = self.assumed.and_then(|window| Some((window, host.main()?))) {
            for (sum, time) in times.iter_mut().zip(main.times(window)) {
                *sum += time;
            }
        }
        times
    }

    /// Returns all parts, in order of time.
    pub fn all_parts(&self, host: &HostClasses<'_>) -> Vec<CausePart> {
        let late = self.late.map_or_else(Vec::new, |(call, window)| host.late_parts(call, window));
        let main = self.assumed.and_then(|window| Some(host.main()?.parts(window)));
        let assumed = main.unwrap_or_default();
        late.into_iter().chain(assumed).chain(self.parts.iter().copied()).collect()
    }
}

/// A run of a program on a device, or a kernel of a GPU.
pub(super) struct Run {
    pub time: Interval,
    pub op: OpId,
    pub enqueue: Option<HostEventId>,
}

/// The runs of a device, and the waits within them.
pub(super) struct Runs<'p> {
    profile: &'p Profile,
    plane: &'p Plane,
    pub platform: Platform,
    /// In order of their start.
    pub all: Vec<Run>,
    /// Whether a call of the host is known for at least one run.
    is_linked: bool,
    /// Whether the device lost so many events that its gaps are unexplained.
    is_unknown: bool,
    /// Whether other devices run other programs, such as those of other stages of a pipeline.
    has_stages: bool,
    /// Whether an op is a part of a callback of the host, for the ops that a gap asked for.
    callbacks: RefCell<FxHashMap<OpId, bool>>,
    /// `barrier-cores` and `dependency-wait` of the line `XLA TraceMe`, in order of their start, without overlaps.
    waits: Vec<CausePart>,
}

impl<'p> Runs<'p> {
    /// `has_stages` tells whether other devices run other programs.
    pub fn new(
        profile: &'p Profile,
        plane: &'p Plane,
        device: &Device,
        host: &HostClasses<'_>,
        has_stages: bool,
    ) -> Self {
        let host = &host.links;
        let number = device_number(plane);
        let mut all = Vec::new();
        let mut waits = Vec::new();
        let each = |line: &Line| Some(intervals(line, device.event_clock)?.into_iter().enumerate());
        for line in &plane.lines {
            match &*line.name {
                "XLA Modules" if device.platform != Platform::Gpu => {
                    let mut links = line.links.iter().peekable();
                    for (event, time) in each(line).into_iter().flatten() {
                        // All links of the event are taken, although the first one may suffice.
                        let own: Vec<EventLink> =
                            std::iter::from_fn(|| links.next_if(|(linked, _)| *linked as usize == event))
                                .map(|(_, link)| *link)
                                .collect();
                        all.push(Run { time, op: line.events.op(event), enqueue: host.enqueue(&own, number) });
                    }
                }
                "XLA TraceMe" => waits.extend(each(line).into_iter().flatten().filter_map(|(event, time)| {
                    match profile.text(plane.op(line.events.op(event)).name) {
                        "barrier-cores" => Some((GapClass::Barrier, time)),
                        "dependency-wait" => Some((GapClass::Dependency, time)),
                        _ => None,
                    }
                })),
                _ => {}
            }
        }
        if device.platform == Platform::Gpu {
            for line in device.ops.iter().map(|i| &plane.lines[*i]) {
                let mut launches = line.launches.iter().peekable();
                for (event, time) in each(line).into_iter().flatten() {
                    let launch = launches.next_if(|(linked, _)| *linked as usize == event);
                    let enqueue = launch.and_then(|(_, correlation)| host.launch(*correlation));
                    all.push(Run { time, op: line.events.op(event), enqueue });
                }
            }
        }
        all.small_sort_by_key(|run| run.time);
        waits.small_sort_by_key(|(_, time)| *time);
        let is_linked = all.iter().any(|run| run.enqueue.is_some());
        let waits = without_overlaps(waits);
        Self { all, is_linked, has_stages, waits, ..Self::without_runs(profile, plane, device.platform) }
    }

    fn without_runs(profile: &'p Profile, plane: &'p Plane, platform: Platform) -> Self {
        Self {
            profile,
            plane,
            platform,
            all: Vec::new(),
            is_linked: false,
            is_unknown: false,
            has_stages: false,
            callbacks: RefCell::default(),
            waits: Vec::new(),
        }
    }

    /// Returns the runs of a device that lost so many events that its gaps are unexplained: a gap may be the time of lost events.
    pub fn unknown(profile: &'p Profile, plane: &'p Plane, platform: Platform) -> Self {
        Self { is_unknown: true, ..Self::without_runs(profile, plane, platform) }
    }

    /// Returns whether an op is a part of a callback. Its text may be long, so it is searched once.
    fn is_callback(&self, op: OpId) -> bool {
        let info = self.plane.op(op);
        let search = || is_callback(self.profile.text(info.name), self.profile.text(info.text));
        *self.callbacks.borrow_mut().entry(op).or_insert_with(search)
    }

    /// Returns whether a gap is a part of a callback. A callback copies its arguments to the host. Python then runs until the
    /// program goes on, with the copy of the result or, if it has none, with the next op.
    fn is_in_callback(&self, gap: &RawGap) -> bool {
        let Some((after, before)) = gap.after.zip(gap.before) else { return false };
        let program = |op: OpId| self.plane.op(op).stats.program;
        let is_same = program(after).is_some() && program(after) == program(before);
        self.is_callback(after) && (is_same || self.is_callback(before))
    }

    /// Returns by how many ps the clock of the device is behind that of its host: a run cannot start before its call
    /// begins. With this shift, no run starts before its call has ended. `None` if no clock is known to be behind.
    pub fn clock_shift(&self, host: &HostLinks<'_>) -> Option<u64> {
        // A run of a CPU is measured by the clock of the host.
        if self.platform == Platform::Cpu {
            return None;
        }
        let (mut n, mut n_impossible, mut shift) = (0_usize, 0_usize, 0);
        for (start, call) in self.all.iter().filter_map(|run| Some((run.time.0, host.time(run.enqueue?)))) {
            n += 1;
            n_impossible += usize::from(start.saturating_add(CLOCK_SLACK) < call.0);
            shift = shift.max(call.1.saturating_sub(start));
        }
        (n_impossible > 0 && n_impossible * CLOCK_RUNS >= n).then_some(shift)
    }

    /// Adds the time before a run whose call is unknown.
    fn divide_unlinked(&self, host: &HostClasses<'_>, time: Interval, found: &mut DividedGap) {
        let may_explain = !self.is_linked && !self.is_unknown;
        match may_explain.then(|| host.main()).flatten() {
            Some(main) if main.is_late(time) => found.assumed = Some(time),
            _ => found.parts.push((GapClass::Unexplained, time)),
        }
    }

    /// Divides a gap into parts.
    pub fn divide_gap(&self, host: &HostClasses<'_>, gap: &RawGap) -> DividedGap {
        let (start, end) = gap.time;
        let mut found = DividedGap::default();
        if gap.is_outside {
            found.parts.push((GapClass::Capture, gap.time));
            return found;
        }
        if self.is_in_callback(gap) {
            found.parts.push((GapClass::Callback, gap.time));
            return found;
        }
        // The run that holds the op that ends the gap. If the gap ends at the end of the window, the run that holds it.
        let after = self.all.partition_point(|run| run.time.0 <= gap.ends_before);
        let run = self.all[..after].last().filter(|run| run.time.1 > gap.ends_before);
        let Some(run) = run else {
            // Without runs, the ops alone tell when the device works.
            let is_before_op = self.all.is_empty() && gap.before.is_some();
            if is_before_op {
                self.divide_unlinked(host, gap.time, &mut found);
            } else {
                found.parts.push((GapClass::Unexplained, gap.time));
            }
            return found;
        };
        found.run = Some(run.op);
        let mut now = start;
        let run_start = run.time.0.clamp(start, end);
        if let Some(call) = run.enqueue {
            let late = host.links.time(call).1.clamp(now, run_start);
            if late > now {
                found.late = Some((call, (now, late)));
                now = late;
            }
            if run_start > now {
                let waits_in_stream =
                    self.platform == Platform::Gpu && found.late.is_none() && end - start >= KERNEL_GAP;
                let is_long = self.platform == Platform::Tpu && run_start - now > LONGEST_LAUNCH;
                let class = match () {
                    // Its arguments are the results of other devices, which run the programs of other stages.
                    () if is_long && self.has_stages => GapClass::Barrier,
                    () if is_long || waits_in_stream => GapClass::Unexplained,
                    () => GapClass::Launch,
                };
                found.parts.push((class, (now, run_start)));
                now = run_start;
            }
        } else if run_start > now {
            self.divide_unlinked(host, (now, run_start), &mut found);
            now = run_start;
        }
        for (class, (from, to)) in within(&self.waits, (now, end)) {
            if from > now {
                found.parts.push((GapClass::Unexplained, (now, from)));
            }
            found.parts.push((class, (from, to)));
            now = to;
        }
        if end > now {
            found.parts.push((GapClass::Unexplained, (now, end)));
        }
        found
    }
}
