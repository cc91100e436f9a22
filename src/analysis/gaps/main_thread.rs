//! This module explains the idle time of a device whose runs are not linked to calls of the host, by what the main
//! thread of the program did meanwhile.
//!
//! ```text
//!  main   ├ prepare_inputs ┤     ├ np.asarray ┤├ Execute ┤
//!  TPU:0  ┤                                               ├── run ──┤
//!  gap    ├───── host ─────┤ –   ├─── sync ───┤├─ host ──┤           –: nothing was traced, so this part is unexplained
//! ```
//!
//! The host is taken to be late for a gap if its last call that runs a program began in the gap, or if the capture has
//! no such calls. Else the run was enqueued before, and the device waited for something else.

use super::class_line::{CausePart, ClassTimes, without_overlaps};
use super::host_class::is_of_library;
use super::op_classes::OpClasses;
use super::report::{GapClass, HostEvent};
use crate::analysis::base::Interval;
use crate::analysis::base::host_links::{HostLinks, HostThread};
use crate::analysis::base::op_times::union_length;
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use xla_profile::profile::{Profile, StrId};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// A gap in ps below which the host is not taken to be late: it is the time between two runs.
const LEAST_GAP: u64 = 20_000_000;
/// Parts of the names of calls that run a program.
const CALLS: [&str; 3] = ["PjitFunction(", "ExecuteHelperOnSingleDevice", "Executable::Execute"];
/// Number of host events that a gap names.
const MAX_HOST_EVENTS: usize = 5;

/// What the main thread of the program did.
pub(super) struct MainThread {
    thread: usize,
    /// The starts of the outermost calls that run programs, in order.
    calls: Vec<u64>,
    /// The class of each traced instant, in order, without overlaps.
    parts: Vec<CausePart>,
    /// For each part, the times of the parts before it.
    before: Vec<ClassTimes>,
}

impl MainThread {
    /// Finds the main thread of a host: the one with the most outermost calls that run programs, else the one with the
    /// most marks of steps, else the first one that runs Python. `None` if no thread is one of these.
    pub fn new(profile: &Profile, links: &HostLinks<'_>, classes: &FxHashMap<usize, OpClasses>) -> Option<Self> {
        // Whether each op of a plane is such a call. Many threads share a plane.
        let mut calls_by_plane: FxHashMap<usize, Vec<bool>> = FxHashMap::default();
        for thread in &links.threads {
            let is_call = |name: &str| CALLS.iter().any(|call| name.contains(call));
            let ops = || profile.planes[thread.plane].ops.iter().map(|op| is_call(profile.text(op.name))).collect();
            calls_by_plane.entry(thread.plane).or_insert_with(ops);
        }
        let calls_of = |thread: &HostThread<'_>| outermost(thread, &calls_by_plane[&thread.plane]);
        let most = |by: &dyn Fn(&HostThread<'_>) -> usize| {
            let counts = links.threads.iter().map(by).enumerate().filter(|(_, n)| *n > 0);
            counts.max_by_key(|(index, n)| (*n, std::cmp::Reverse(*index))).map(|(index, _)| index)
        };
        let thread = most(&|thread| calls_of(thread).len())
            .or_else(|| most(&|thread| thread.line.step_marks.len()))
            .or_else(|| links.threads.iter().position(HostThread::runs_python))?;
        let host_thread = &links.threads[thread];
        let calls = calls_of(host_thread).into_iter().map(|event| host_thread.times[event as usize].0).collect();
        let parts = parts(host_thread, classes.get(&host_thread.plane)?);
        let (mut sum, mut before) = (ClassTimes::default(), Vec::with_capacity(parts.len()));
        for (class, (start, end)) in &parts {
            before.push(sum);
            sum[*class as usize] += end - start;
        }
        Some(Self { thread, calls, parts, before })
    }

    /// Returns whether the host is taken to be late for a gap.
    pub fn is_late(&self, (start, end): Interval) -> bool {
        let last = self.calls.partition_point(|call| *call < end).checked_sub(1).map(|index| self.calls[index]);
        end.saturating_sub(start) >= LEAST_GAP && (self.calls.is_empty() || last.is_some_and(|call| call >= start))
    }

    /// Returns the time of each class in a window. Θ(log n).
    pub fn times(&self, (start, end): Interval) -> ClassTimes {
        let mut times = self.until(end);
        for (time, before) in times.iter_mut().zip(self.until(start)) {
            *time -= before;
        }
        times[GapClass::Unexplained as usize] = (end - start).saturating_sub(times.iter().sum());
        times
    }

    fn until(&self, time: u64) -> ClassTimes {
        let Some(last) = self.parts.partition_point(|(_, (start, _))| *start < time).checked_sub(1) else {
            return ClassTimes::default();
        };
        let (class, (start, end)) = self.parts[last];
        let mut times = self.before[last];
        times[class as usize] += end.min(time) - start;
        times
    }

    /// Returns the parts of a window, in order of time.
    pub fn parts(&self, window: Interval) -> Vec<CausePart> {
        let mut all = Vec::new();
        let mut now = window.0;
        for (class, (start, end)) in super::class_line::within(&self.parts, window) {
            all.extend((start > now).then_some((GapClass::Unexplained, (now, start))));
            all.push((class, (start, end)));
            now = end;
        }
        all.extend((window.1 > now).then_some((GapClass::Unexplained, (now, window.1))));
        all
    }

    /// Names the events in a window: the outermost ones, and the innermost one that covers half of it. Frames of Python
    /// are named only if there is nothing else, and then the innermost frame of the program itself.
    pub fn events(&self, profile: &Profile, links: &HostLinks<'_>, window: Interval) -> Vec<HostEvent> {
        let host_thread = &links.threads[self.thread];
        let op = |event: u32| profile.planes[host_thread.plane].op(host_thread.line.events.op(event as usize));
        let text = |event: u32| profile.text(op(event).name);
        let covers = |event: &u32| {
            let (start, end) = host_thread.times[*event as usize];
            end.min(window.1) - start.max(window.0) >= (window.1 - window.0) / 2
        };
        let all: Vec<u32> = host_thread.overlapping(window).filter(|event| !host_thread.is_mark(*event)).collect();
        let own: Vec<u32> = all.iter().copied().filter(|event| !text(*event).starts_with('$')).collect();
        let mut names: IndexMap<StrId, Vec<Interval>> = IndexMap::default();
        let mut reached = 0;
        for event in own.iter().rev() {
            let (start, end) = host_thread.times[*event as usize];
            if start >= reached {
                names.entry(op(*event).name).or_default();
            }
            reached = reached.max(end);
        }
        names.extend(own.iter().copied().find(covers).map(|event| (op(event).name, Vec::new())));
        if names.is_empty() {
            let is_program = |event: &u32| !is_of_library(text(*event));
            let frame = all.iter().copied().filter(is_program).find(covers);
            names.extend(frame.map(|event| (op(event).name, Vec::new())));
        }
        for event in all {
            if let Some(times) = names.get_mut(&op(event).name) {
                let (start, end) = host_thread.times[event as usize];
                times.push((start.max(window.0), end.min(window.1)));
            }
        }
        let named = |(name, mut times): (StrId, Vec<Interval>)| HostEvent {
            name: profile.text(name).to_owned(),
            total: Picos(union_length(&mut times)),
        };
        let mut events: Vec<HostEvent> =
            names.into_iter().map(named).filter(|event| event.total > Picos::ZERO).collect();
        events.small_sort_by(|a, b| b.total.cmp(&a.total).then_with(|| a.name.cmp(&b.name)));
        events.truncate(MAX_HOST_EVENTS);
        events
    }
}

/// Returns the calls that are in no other one, in order of their start. `is_call` tells which ops of the plane are
/// calls.
fn outermost(thread: &HostThread<'_>, is_call: &[bool]) -> Vec<u32> {
    let mut reached = 0;
    let mut found = Vec::new();
    for event in thread.in_order() {
        let (start, end) = thread.times[event as usize];
        if is_call[thread.line.events.op(event as usize).0 as usize] && start >= reached {
            found.push(event);
            reached = end;
        }
    }
    found
}

/// Returns the class of each traced instant of a thread. The outermost event whose name tells a class counts. All other
/// traced time is other work.
fn parts(thread: &HostThread<'_>, classes: &OpClasses) -> Vec<CausePart> {
    let known = without_overlaps(classes.events(thread, true).collect::<Vec<CausePart>>());
    let is_traced = |event: &u32| !thread.is_mark(*event);
    let traced: Vec<CausePart> =
        thread.in_order().filter(is_traced).map(|event| (GapClass::Host, thread.times[event as usize])).collect();
    let mut all = Vec::new();
    for (_, window) in without_overlaps(traced) {
        let mut now = window.0;
        for (class, (start, end)) in super::class_line::within(&known, window) {
            all.extend((start > now).then_some((GapClass::Host, (now, start))));
            all.push((class, (start, end)));
            now = end;
        }
        all.extend((window.1 > now).then_some((GapClass::Host, (now, window.1))));
    }
    all
}
