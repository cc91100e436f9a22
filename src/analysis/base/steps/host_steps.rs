//! This module finds the steps that a host marked, and the step in which a run of a program was launched.
//!
//! ```text
//!  main      ├──────── train 3 ────────┤              the run belongs to step 3: its call was made by a task that a call
//!               ├ Execute ┤                           within the step produced
//!  queue                     ├ task: enqueue ┤
//!  TPU:0                                       ├ run ┤
//! ```

use super::super::device::{Clock, Device, device_number, intervals};
use super::super::host_links::{HostEventId, HostLinks, HostThread};
use super::super::host_marks::{HostMark, host_marks};
use super::super::platform::Platform;
use super::source::{Source, Unit};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use xla_profile::intervals::Interval;
use xla_profile::profile::{EventLink, Profile};
use xla_profile::small_sort::SmallSort;

/// Number of runs of a GPU that may overlap, on streams of their own.
const MAX_OVERLAP: usize = 8;

/// Number of tasks that are followed from a call back to the thread that marks steps.
const MAX_TASKS: usize = 32;

/// Parts of the names of the host calls that run a program: `CommonPjRtLoadedExecutable::ExecuteHelperOnSingleDevice`,
/// `TfrtCpuExecutable::Execute`.
const EXECUTE: [&str; 2] = ["ExecuteHelperOnSingleDevice", "Executable::Execute"];

/// A step that the host marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostStep {
    /// The line of the mark: the index of its plane, and its index in the plane.
    line: (usize, usize),
    /// On the event clock of the devices, in ps.
    pub time: Interval,
    /// The number that the program gave.
    pub number: Option<u64>,
    pub name: String,
}

/// The steps that a host marked, in order of their start.
pub struct HostSteps<'a> {
    pub steps: Vec<HostStep>,
    /// The indices of the steps of each line, in order.
    by_line: FxHashMap<(usize, usize), Vec<usize>>,
    /// The planes of the host, and the event clock of its devices.
    planes: Vec<usize>,
    clock: Clock,
    profile: &'a Profile,
    /// The links from runs to calls, which are made when they are first needed.
    links: OnceCell<HostLinks<'a>>,
}

/// The call of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launch {
    /// No call is known.
    Unknown,
    /// The call is outside of all marked steps.
    Outside,
    /// The call is in the step with this index.
    In(usize),
}

impl<'a> HostSteps<'a> {
    /// Finds the steps that a host with these planes marked. `clock` is the event clock of its devices.
    pub fn new(profile: &'a Profile, planes: &[usize], clock: Clock) -> Self {
        // The host may start before its devices: the time before the origin is cut off.
        let time = |span: (i128, i128)| {
            let Clock::Event { origin_ns } = clock else { return None };
            let on_clock = |time: i128| u64::try_from((time - i128::from(origin_ns) * 1000).max(0)).ok();
            Some((on_clock(span.0)?, on_clock(span.1)?))
        };
        let marks = host_marks(profile, planes).into_iter();
        let step = |mark: HostMark<'_>| {
            let (line, number, name) = (mark.line, mark.number, mark.name.to_owned());
            Some(HostStep { line, time: time(mark.span)?, number, name })
        };
        let steps: Vec<HostStep> = marks.filter_map(step).collect();
        let mut by_line: FxHashMap<(usize, usize), Vec<usize>> = FxHashMap::default();
        for (index, step) in steps.iter().enumerate() {
            by_line.entry(step.line).or_default().push(index);
        }
        Self { steps, by_line, planes: planes.to_vec(), clock, profile, links: OnceCell::new() }
    }

    fn links(&self) -> &HostLinks<'a> {
        self.links.get_or_init(|| HostLinks::new(self.profile, &self.planes, self.clock))
    }

    /// Returns whether steps of different threads overlap, so that their times do not tell them apart.
    pub fn overlap(&self) -> bool {
        self.steps.windows(2).any(|pair| pair[1].time.0 < pair[0].time.1)
    }

    /// Returns the step in which each run of a device was launched.
    pub fn launches(&self, device: &Device, source: &Source) -> Vec<Launch> {
        if self.steps.is_empty() {
            return vec![Launch::Unknown; source.runs.all.len()];
        }
        let launch = |call: Option<HostEventId>| call.map_or(Launch::Unknown, |call| self.step_of(call));
        self.calls(device, source).into_iter().map(launch).collect()
    }

    /// Returns the times at which the host launched the runs of a device. `None` if few calls are known.
    pub fn call_times(&self, device: &Device, source: &Source) -> Option<Vec<Option<u64>>> {
        let times = |call: Option<HostEventId>| call.map(|call| self.links().time(call).0);
        let times: Vec<Option<u64>> = self.calls(device, source).into_iter().map(times).collect();
        (times.iter().flatten().count() * 5 >= times.len() * 4).then_some(times)
    }

    /// Returns the call of each run of a device. Without links, calls and runs pair in their order, if there are as many of
    /// both.
    fn calls(&self, device: &Device, source: &Source) -> Vec<Option<HostEventId>> {
        let calls = match device.platform {
            Platform::Gpu => self.kernel_launches(device, source),
            _ => self.linked_calls(device, source),
        };
        let n_linked = calls.iter().flatten().count();
        if n_linked * 5 >= calls.len() * 4 { calls } else { self.in_order(source).unwrap_or(calls) }
    }

    /// Returns the step that a call was made in, by the tasks that led to the call.
    fn step_of(&self, call: HostEventId) -> Launch {
        let links = self.links();
        let line = |call: HostEventId| {
            let thread = &links.threads[call.thread];
            self.by_line.get(&(thread.plane, thread.index))
        };
        let mut call = call;
        for _ in 0..MAX_TASKS {
            let (start, _) = links.time(call);
            let step = line(call).and_then(|steps| {
                let index = steps.partition_point(|step| self.steps[*step].time.0 <= start).checked_sub(1)?;
                Some(steps[index]).filter(|step| start < self.steps[*step].time.1)
            });
            if let Some(step) = step {
                return Launch::In(step);
            }
            match links.task(call) {
                Some((_, producer)) if links.time(producer).0 <= start => call = producer,
                _ => break,
            }
        }
        // A thread without marks does not tell where its work comes from.
        if line(call).is_some() { Launch::Outside } else { Launch::Unknown }
    }

    /// Returns the outermost calls that run programs, if they are as many as the runs, and each starts before its run. The
    /// calls are those of threads with marks, else those of all threads.
    fn in_order(&self, source: &Source) -> Option<Vec<Option<HostEventId>>> {
        let links = self.links();
        let runs = &source.runs.all;
        let fits = |calls: &Vec<HostEventId>| {
            let starts_before = |(call, run): (&HostEventId, &Unit)| links.time(*call).0 <= run.event_window.0;
            calls.len() == runs.len() && calls.iter().zip(runs).all(starts_before)
        };
        let has_marks = |thread: &HostThread<'_>| self.by_line.contains_key(&(thread.plane, thread.index));
        let calls = Some(self.outermost_calls(&has_marks)).filter(fits);
        let calls = calls.or_else(|| Some(self.outermost_calls(&|_| true)).filter(fits))?;
        Some(calls.into_iter().map(Some).collect())
    }

    /// Returns the call that enqueued each run, as links tell.
    fn linked_calls(&self, device: &Device, source: &Source) -> Vec<Option<HostEventId>> {
        let plane = &self.profile.planes[device.plane];
        let number = device_number(plane);
        let call = |unit: &Unit| {
            let links: Vec<EventLink> = unit.links(plane).iter().map(|(_, link)| *link).collect();
            self.links().enqueue(&links, number)
        };
        source.runs.all.iter().map(call).collect()
    }

    /// Returns the call that launched the first kernel of each run of a GPU.
    fn kernel_launches(&self, device: &Device, source: &Source) -> Vec<Option<HostEventId>> {
        let plane = &self.profile.planes[device.plane];
        let runs = &source.runs.all;
        let mut calls: Vec<Option<(u64, HostEventId)>> = vec![None; runs.len()];
        for line in device.ops.iter().map(|line| &plane.lines[*line]) {
            let Some(times) = intervals(line, device.event_clock) else { continue };
            for (event, correlation) in &line.launches {
                let Some(call) = self.links().launch(*correlation) else { continue };
                let (start, _) = times[*event as usize];
                let program = plane.op(line.events.op(*event as usize)).stats.program;
                // The last run that begins at or before the kernel and has its program. Copies have none: the host makes them for a
                // later run.
                let before = runs.partition_point(|run| run.event_window.0 <= start);
                let is_of = |index: &usize| {
                    let run = &runs[*index];
                    start < run.event_window.1.max(run.event_window.0 + 1) && plane.op(run.op).stats.program == program
                };
                let Some(index) = (before.saturating_sub(MAX_OVERLAP)..before).rev().find(is_of) else { continue };
                if calls[index].is_none_or(|(first, _)| start < first) {
                    calls[index] = Some((start, call));
                }
            }
        }
        calls.into_iter().map(|call| call.map(|(_, call)| call)).collect()
    }

    /// Returns the calls that run programs and are in no other such call of their thread, in order of their start.
    fn outermost_calls(&self, is_of: &dyn Fn(&HostThread<'_>) -> bool) -> Vec<HostEventId> {
        let links = self.links();
        let mut found: Vec<HostEventId> = Vec::new();
        for (index, thread) in links.threads.iter().enumerate().filter(|(_, thread)| is_of(thread)) {
            let ops = &self.profile.planes[thread.plane].ops;
            let is_execute = |name: &str| EXECUTE.iter().any(|part| name.contains(part));
            let is_call: Vec<bool> = ops.iter().map(|op| is_execute(self.profile.text(op.name))).collect();
            let mut reached = 0;
            for event in thread.in_order() {
                let time = thread.times[event as usize];
                if is_call[thread.line.events.op(event as usize).0 as usize] && time.1 > reached {
                    reached = time.1;
                    found.push(HostEventId { thread: index, event });
                }
            }
        }
        found.small_sort_by_key(|call| (links.time(*call).0, call.thread));
        found
    }
}
