//! This module joins runs of programs and kernels of GPUs to the host calls that enqueued them, and follows a call back
//! to the threads that it waited for.
//!
//! ```text
//!  main        ├──── Execute ────┤ ··· np.asarray ···        the time before the task on `queue` starts belongs to
//!  queue                              ├─ task ─ enqueue ┤    the thread that produced the task
//!  TPU:0                                                 ├─ run ─┤
//! ```

use super::ancestors::Forest;
use super::device::{Clock, host_intervals, host_lines};
use rustc_hash::FxHashMap;
use xla_profile::intervals::Interval;
use xla_profile::profile::{EventLink, Line, Profile, RunId};
use xla_profile::small_sort::SmallSort;

/// The name of the host call that enqueues a program on a TPU.
const ENQUEUE: &str = "DoEnqueueProgram";
/// A part of the name of the host call that runs a program on all devices of a CPU, such as
/// `CommonPjRtLoadedExecutable::Execute (jit_f)`.
const EXECUTE: &str = "Executable::Execute";

/// The bits of the `run_id` of a TPU. The device writes these alone, and the host the whole number.
pub const TPU_RUN: u64 = (1 << 27) - 1;

/// Returns a link as both sides of it write it.
fn common(link: EventLink) -> EventLink {
    match link {
        EventLink::Run(run) if run.queue.is_some() => EventLink::Run(RunId { run: run.run & TPU_RUN, ..run }),
        link => link,
    }
}

/// Number of events around a time that are looked at, the innermost first. Python permits 1,000 nested calls.
const MAX_ENCLOSING: usize = 1000;

/// A line of a host plane.
pub struct HostThread<'a> {
    pub plane: usize,
    /// The index of the line in its plane.
    pub index: usize,
    pub line: &'a Line,
    /// The times of the events on the event clock, in the order of the line.
    pub times: Vec<Interval>,
    /// The events in order of their start, the longer first.
    by_start: Vec<u32>,
    /// For each place in `by_start`, the place of the event that encloses it.
    parents: Vec<Option<u32>>,
    tasks: Tasks,
}

impl HostThread<'_> {
    /// Returns whether the thread is one of the program itself, such as the main thread, by its name.
    pub fn runs_python(&self) -> bool {
        ["main/", "python"].iter().any(|name| self.line.name.starts_with(name))
    }

    /// Iterates over the events in order of their start, the longer first.
    pub fn in_order(&self) -> impl Iterator<Item = u32> {
        self.by_start.iter().copied()
    }

    /// Returns whether an event marks a step.
    pub fn is_mark(&self, event: u32) -> bool {
        self.line.step_marks.binary_search_by_key(&event, |(marked, _)| *marked).is_ok()
    }

    /// Iterates over the events that overlap a window, the latest start first. Events of a thread are nested, so the
    /// events that start before the window are those that enclose the last one. Of these, the innermost 1,000 are
    /// returned.
    pub fn overlapping(&self, window: Interval) -> impl Iterator<Item = u32> {
        let place_of = |time: u64| self.by_start.partition_point(|event| self.times[*event as usize].0 < time);
        let (first, end) = (place_of(window.0), place_of(window.1));
        let enclosing =
            std::iter::successors(first.checked_sub(1), |place| self.parents[*place].map(|parent| parent as usize));
        let places = (first..end).rev().chain(enclosing.take(MAX_ENCLOSING));
        places.map(|place| self.by_start[place]).filter(move |event| self.times[*event as usize].1 > window.0)
    }
}

/// An event of a host thread: the index of the thread, and the index of the event in its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostEventId {
    pub thread: usize,
    pub event: u32,
}

/// The time before the end of a call, by what the call waited for: its own thread since its task started, its thread and
/// that of the producer before, and whatever the producer waited for before the task was produced. A call that no known
/// thread produced depends on its own thread, and possibly on the main thread.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    pub call: HostEventId,
    pub end: u64,
    /// The task that the call is a part of.
    pub task: Option<Task>,
    /// The main thread, on which the call may have depended, if no event tells.
    pub guess: Option<usize>,
}

/// A task that another thread produced. It starts before the end of its call, and its producer starts before it, so that
/// waits that follow each other go back in time even if links of a damaged capture form a circle.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    pub start: u64,
    pub producer: HostEventId,
    /// When the producer ended, or the start of the task if the producer ended later.
    pub produced: u64,
}

impl Wait {
    /// Returns the time from which on this wait tells what the call waited for.
    pub fn start(&self) -> u64 {
        self.task.map_or(0, |task| task.produced)
    }
}

/// The threads of a host, and the links between their events.
pub struct HostLinks<'a> {
    pub threads: Vec<HostThread<'a>>,
    /// The first event that produces a context, and the host call of each run.
    sources: FxHashMap<EventLink, HostEventId>,
    /// The host call that launched the kernels with a correlation id.
    launches: FxHashMap<u32, HostEventId>,
    /// The main thread of the program. Where a capture does not tell which thread a call depended on, the main thread is the
    /// best guess. Trace JSON tells nothing, and XLA does not link the copies that its worker threads launch on a GPU.
    main_thread: Option<usize>,
    /// Whether events produce contexts, so that the callers of most calls are known. Trace JSON has no such events.
    pub knows_callers: bool,
}

impl<'a> HostLinks<'a> {
    /// Reads the planes of a host. `clock` is the event clock of its devices. Without an event clock, there are no threads.
    pub fn new(profile: &'a Profile, planes: &[usize], clock: Clock) -> Self {
        let mut links = Self {
            threads: Vec::new(),
            sources: FxHashMap::default(),
            launches: FxHashMap::default(),
            main_thread: None,
            knows_callers: false,
        };
        let Clock::Event { origin_ns } = clock else { return links };
        for ((plane, index), line) in host_lines(profile, planes) {
            let Some(times) = host_intervals(line, origin_ns) else { continue };
            let thread = links.threads.len();
            for (event, link) in &line.links {
                let is_source = match link {
                    EventLink::Produces(_) => true,
                    EventLink::Consumes(_) => false,
                    EventLink::Run(run) => {
                        let name = profile.text(profile.planes[plane].op(line.events.op(*event as usize)).name);
                        name == ENQUEUE || run.queue.is_none() && name.contains(EXECUTE)
                    }
                };
                if is_source {
                    links.sources.entry(common(*link)).or_insert(HostEventId { thread, event: *event });
                }
            }
            for (event, correlation) in &line.launches {
                // The runtime and the driver both report a launch. The call of the runtime ends last.
                let id = HostEventId { thread, event: *event };
                let known = links.launches.entry(*correlation).or_insert(id);
                let end_of = |id: &HostEventId| {
                    let times = links.threads.get(id.thread).map_or(&times, |thread| &thread.times);
                    times[id.event as usize].1
                };
                if end_of(&id) > end_of(known) {
                    *known = id;
                }
            }
            let mut by_start: Vec<u32> = (0..times.len() as u32).collect();
            let order = |event: &u32| (times[*event as usize].0, std::cmp::Reverse(times[*event as usize].1));
            if !by_start.is_sorted_by_key(order) {
                by_start.small_sort_by_key(order);
            }
            let parents = enclosing_places(&by_start, &times);
            links.threads.push(HostThread { plane, index, line, times, by_start, parents, tasks: Tasks::default() });
        }
        for thread in 0..links.threads.len() {
            links.threads[thread].tasks = links.tasks_of(thread);
        }
        links.main_thread = links.threads.iter().position(HostThread::runs_python);
        links.knows_callers = links.sources.keys().any(|link| matches!(link, EventLink::Produces(_)));
        links
    }

    /// Returns the host call that enqueued a run. `links` are the links of the run's event, and `device` is the number
    /// of its device.
    pub fn enqueue(&self, links: &[EventLink], device: Option<u64>) -> Option<HostEventId> {
        let produced = links.iter().find_map(|link| self.producer(link));
        let by_run = |link: &EventLink| match link {
            EventLink::Run(run) => {
                // A call on a CPU enqueues the run on all devices and names none.
                let devices = [run.device.or(device), None];
                devices.iter().find_map(|device| {
                    self.sources.get(&common(EventLink::Run(RunId { device: *device, ..*run }))).copied()
                })
            }
            _ => None,
        };
        produced.or_else(|| links.iter().find_map(by_run))
    }

    /// Returns the host call that launched the kernels with a correlation id.
    pub fn launch(&self, correlation: u32) -> Option<HostEventId> {
        self.launches.get(&correlation).copied()
    }

    /// Returns the event that produced the context that an event consumes.
    fn producer(&self, link: &EventLink) -> Option<HostEventId> {
        match link {
            EventLink::Consumes(context) => self.sources.get(&EventLink::Produces(*context)).copied(),
            _ => None,
        }
    }

    /// Returns the time of an event.
    pub fn time(&self, id: HostEventId) -> Interval {
        self.threads[id.thread].times[id.event as usize]
    }

    /// Returns what a call waited for until `end`, which is at most the end of the call.
    pub fn wait(&self, call: HostEventId, end: u64) -> Wait {
        let task = self.task(call).filter(|(start, producer)| *start < end && self.time(*producer).0 < *start);
        let wait = Wait { call, end, task: None, guess: None };
        match task {
            Some((start, producer)) => {
                let produced = self.time(producer).1.min(start);
                Wait { task: Some(Task { start, producer, produced }), ..wait }
            }
            None => Wait { guess: self.main_thread.filter(|_| !self.threads[call.thread].runs_python()), ..wait },
        }
    }

    /// Returns the start of the task that an event is a part of, and the event that produced the task. `None` if the
    /// event is in no task of another thread.
    pub fn task(&self, id: HostEventId) -> Option<(u64, HostEventId)> {
        self.threads[id.thread].tasks.enclosing_task(self.time(id))
    }

    /// Returns the events of a thread that another thread produced.
    fn tasks_of(&self, thread_index: usize) -> Tasks {
        let thread = &self.threads[thread_index];
        let task = |event: u32| {
            let first = thread.line.links.partition_point(|(linked, _)| *linked < event);
            let links = thread.line.links[first..].iter().take_while(|(linked, _)| *linked == event);
            let mut producers = links.filter_map(|(_, link)| self.producer(link));
            Some((thread.times[event as usize], producers.find(|producer| producer.thread != thread_index)?))
        };
        // Few threads have links.
        let events = thread.in_order().filter(|_| !thread.line.links.is_empty());
        Tasks::new(events.filter_map(task).collect())
    }
}

/// The tasks of a thread: its events that another thread produced.
#[derive(Default)]
struct Tasks {
    /// Times, and the events that produced the tasks, in order of the start, the longer first.
    all: Vec<(Interval, HostEventId)>,
    /// The parent of a task is the last task before it that ends after it.
    forest: Forest,
}

impl Tasks {
    fn new(all: Vec<(Interval, HostEventId)>) -> Self {
        let end_of = |place: u32| all[place as usize].0.1;
        let mut forest = Forest::default();
        let mut open: Vec<u32> = Vec::new();
        for place in 0..all.len() as u32 {
            while open.last().is_some_and(|last| end_of(*last) <= end_of(place)) {
                open.pop();
            }
            forest.push(open.last().copied());
            open.push(place);
        }
        Self { all, forest }
    }

    /// Returns the start of the task around an interval, and the event that produced the task. Of several tasks, it is the
    /// one that starts last.
    fn enclosing_task(&self, (start, end): Interval) -> Option<(u64, HostEventId)> {
        let end = end.max(start.saturating_add(1));
        let last = self.all.partition_point(|((from, _), _)| *from <= start).checked_sub(1)?;
        let task = self.forest.nearest(last as u32, |place| self.all[place as usize].0.1 >= end)?;
        let ((from, _), producer) = self.all[task as usize];
        Some((from, producer))
    }
}

/// Returns the place of the event that encloses each event, for events in order of their start.
fn enclosing_places(by_start: &[u32], times: &[Interval]) -> Vec<Option<u32>> {
    let mut open: Vec<u32> = Vec::new();
    let parent = |(place, event): (u32, &u32)| {
        let start = times[*event as usize].0;
        while open.last().is_some_and(|last| times[by_start[*last as usize] as usize].1 <= start) {
            open.pop();
        }
        let parent = open.last().copied();
        open.push(place);
        parent
    };
    (0..).zip(by_start).map(parent).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_events_are_those_of_a_plain_scan() {
        // An event around all others, nested events, neighbours, and an event without duration.
        let times: Vec<Interval> = vec![(0, 100), (10, 40), (12, 20), (20, 30), (30, 30), (40, 90), (60, 70), (95, 99)];
        let by_start: Vec<u32> = (0..times.len() as u32).collect();
        let parents = enclosing_places(&by_start, &times);
        let line = Line::default();
        let thread = HostThread {
            plane: 0,
            index: 0,
            line: &line,
            times: times.clone(),
            by_start,
            parents,
            tasks: Tasks::default(),
        };
        for start in 0..100 {
            for end in start..=100 {
                let mut found: Vec<u32> = thread.overlapping((start, end)).collect();
                assert!(found.is_sorted_by_key(|event| std::cmp::Reverse(times[*event as usize].0)));
                found.sort_unstable();
                let is_meant =
                    |event: &u32| times[*event as usize].0 < end.max(start) && times[*event as usize].1 > start;
                let expected: Vec<u32> = (0..times.len() as u32).filter(is_meant).collect();
                assert_eq!(found, expected, "{start} to {end}");
            }
        }
    }

    #[test]
    fn the_task_around_an_interval_is_that_of_a_plain_scan() {
        // Nested tasks, tasks that overlap, tasks with equal ends, and one without duration.
        let times = [(0, 90), (5, 60), (5, 40), (7, 40), (20, 70), (30, 30), (50, 95), (60, 70), (80, 90)];
        let id = |event: usize| HostEventId { thread: 1, event: event as u32 };
        let tasks = Tasks::new(times.iter().enumerate().map(|(event, time)| (*time, id(event))).collect());
        for start in 0..100 {
            for end in start..=100 {
                let is_around = |(from, to): &Interval| *from <= start && *to >= end.max(start + 1);
                let last = times.iter().rposition(is_around);
                assert_eq!(
                    tasks.enclosing_task((start, end)),
                    last.map(|event| (times[event].0, id(event))),
                    "{start} to {end}"
                );
            }
        }
    }
}
