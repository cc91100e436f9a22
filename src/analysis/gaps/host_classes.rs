//! This module tells what a host did while a device waited for one of its calls. The names of events are classified once,
//! and the sums of a window need no walk over the events in it, or over the calls that a call waited for.
//!
//! ```text
//!  call    ├ task ─ call ┤       the wait of a call is that of its own thread since the start of its task, that of both
//!  producer     ├ produces ┤     threads before, and the wait of the producer before the end of the producer
//! ```
//!
//! Waits that end in the same wait share it, so that each is summed once, for however many devices.

use super::class_line::{CausePart, ClassLine, HostTimes, Overlap};
use super::main_thread::MainThread;
use super::op_classes::{OpClasses, TensorFlow};
use super::reads::Reads;
use super::report::GapClass;
use crate::analysis::base::Interval;
use crate::analysis::base::ancestors::Forest;
use crate::analysis::base::device::Clock;
use crate::analysis::base::host_links::{HostEventId, HostLinks, Wait};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{OnceCell, RefCell};
use xla_profile::intervals::Merged;
use xla_profile::profile::Profile;
use xla_profile::small_sort::SmallSort;

/// The threads of a host, with the classes of their events.
pub(super) struct HostClasses<'a> {
    profile: &'a Profile,
    pub links: HostLinks<'a>,
    /// The main thread of the program, which explains the gaps of devices whose runs are linked to no calls.
    main: OnceCell<Option<MainThread>>,
    /// The class of each op, by plane.
    classes: FxHashMap<usize, OpClasses>,
    /// The classes over time, by thread.
    lines: Vec<ClassLine>,
    waits: RefCell<Waits>,
    /// By the first and the second thread.
    overlaps: RefCell<FxHashMap<(usize, usize), Overlap>>,
}

/// The threads on which a call depended.
pub(super) struct LateThreads {
    /// The thread of the call first, then those of the producers, back in time.
    pub threads: Vec<usize>,
    /// A thread on which the call may have depended, if that is a guess.
    pub guess: Option<usize>,
}

/// The waits of calls. The parent of a wait is that of the producer of its task.
#[derive(Default)]
struct Waits {
    forest: Forest,
    /// Each wait with the times of all waits before it.
    all: Vec<(Wait, HostTimes)>,
    /// By the call and the end of a wait.
    nodes: FxHashMap<(HostEventKey, u64), u32>,
}

/// Thread and event of a call.
type HostEventKey = (usize, u32);

fn key(wait: &Wait) -> (HostEventKey, u64) {
    ((wait.call.thread, wait.call.event), wait.end)
}

impl<'a> HostClasses<'a> {
    /// Reads the planes of a host. `clock` is the event clock of its devices, and `serves` tells whether they serve a model.
    pub fn new(profile: &'a Profile, planes: &[usize], clock: Clock, serves: bool) -> Self {
        let links = HostLinks::new(profile, planes, clock);
        let classes: FxHashMap<usize, OpClasses> =
            planes.iter().map(|plane| (*plane, OpClasses::new(profile, *plane, serves))).collect();
        let mut host = Self {
            profile,
            links,
            main: OnceCell::new(),
            classes,
            lines: Vec::new(),
            waits: RefCell::default(),
            overlaps: RefCell::default(),
        };
        let fetches = host.fetches();
        let transfers = host.transfers();
        let line = |thread: usize| {
            let host_thread = &host.links.threads[thread];
            let of_classes = host.classes.get(&host_thread.plane).into_iter();
            let mut events: Vec<CausePart> =
                of_classes.flat_map(|classes| classes.events(host_thread, host_thread.runs_python())).collect();
            if let Some(transfers) = &transfers {
                events = events.into_iter().flat_map(|part| split_by_transfers(part, transfers)).collect();
            }
            let classes = host.classes.get(&host_thread.plane).filter(|_| !fetches.is_empty());
            let calls = classes.into_iter().flat_map(|classes| classes.tensorflow(host_thread, TensorFlow::Call));
            let calls: Vec<Interval> = calls.collect();
            if calls.is_empty() {
                return ClassLine::new(events);
            }
            let calls = Merged::new(calls);
            let within = fetches.iter().flat_map(|time| calls.within(*time)).map(|time| (GapClass::Input, time));
            events.extend(within);
            events.small_sort_by_key(|(_, (start, end))| (*start, std::cmp::Reverse(*end)));
            ClassLine::new(events)
        };
        host.lines = (0..host.links.threads.len()).map(line).collect();
        host
    }

    /// Returns the times in which threads move data to the device. `None` if no transfer is long.
    fn transfers(&self) -> Option<Merged> {
        let mut all: Vec<Interval> = Vec::new();
        for thread in &self.links.threads {
            let classes = self.classes.get(&thread.plane);
            all.extend(classes.into_iter().flat_map(|classes| classes.transfers(thread)));
        }
        (!all.is_empty()).then(|| Merged::new(all))
    }

    /// Returns the times in which operations of TensorFlow take the next batch of tf.data, on all threads. The function that
    /// they belong to waits for them.
    fn fetches(&self) -> Vec<Interval> {
        let mut all: Vec<Interval> = Vec::new();
        for thread in &self.links.threads {
            let classes = self.classes.get(&thread.plane);
            all.extend(classes.into_iter().flat_map(|classes| classes.tensorflow(thread, TensorFlow::Fetch)));
        }
        all.small_sort_by_key(|time| *time);
        all
    }

    /// Returns the main thread of the program, which is found with the first call. `None` if no thread is the main one.
    pub fn main(&self) -> Option<&MainThread> {
        self.main.get_or_init(|| MainThread::new(self.profile, &self.links, &self.classes)).as_ref()
    }

    /// Returns the class of an event; `None` if its name says nothing about it.
    pub fn class(&self, thread: usize, event: u32) -> Option<GapClass> {
        let host_thread = &self.links.threads[thread];
        self.classes.get(&host_thread.plane)?.class(host_thread.line.events.op(event as usize))
    }

    /// Returns the time of each class in a window in which a device waited for a call. The rest of the window has the class
    /// [`GapClass::Host`].
    pub fn late_times(&self, call: HostEventId, window: Interval) -> HostTimes {
        let first = self.links.wait(call, self.links.time(call).1);
        if first.start() <= window.0 {
            return self.own_times(&first, window);
        }
        let node = self.node(first);
        let waits = self.waits.borrow();
        let until = |time: u64| {
            let found = waits.forest.nearest(node, |node| waits.all[node as usize].0.start() <= time).unwrap_or(node);
            let (wait, before) = &waits.all[found as usize];
            *before + self.own_times(wait, (wait.start(), time))
        };
        until(window.1) - until(window.0)
    }

    /// Returns the parts of a window in which a device waited for a call, in order of time.
    pub fn late_parts(&self, call: HostEventId, window: Interval) -> Vec<CausePart> {
        let mut parts = Vec::new();
        self.each_wait(call, window.0, &mut |wait| {
            for (threads, (start, end)) in stretches(wait) {
                let stretch = (start.max(window.0), end.min(window.1));
                let lines = threads.into_iter().flatten().map(|thread| &self.lines[thread]);
                add_parts(lines, stretch, &mut parts);
            }
        });
        parts.small_sort_by_key(|(_, time)| *time);
        parts
    }

    /// Returns the threads on which a call depended since the time `from`. `reads` counts the waits that are read.
    pub fn late_threads(&self, call: HostEventId, from: u64, reads: &mut Reads) -> LateThreads {
        let (mut threads, mut seen, mut guess) = (Vec::new(), FxHashSet::default(), None);
        self.each_wait(call, from, &mut |wait| {
            reads.add(1);
            guess = guess.or(wait.guess);
            let producer = wait.task.filter(|task| task.start > from).map(|task| task.producer.thread);
            threads
                .extend([Some(wait.call.thread), producer].into_iter().flatten().filter(|thread| seen.insert(*thread)));
        });
        LateThreads { threads, guess: guess.filter(|guess| !seen.contains(guess)) }
    }

    /// Calls `each` with the waits of a call that end after the time `from`, the last one first.
    fn each_wait(&self, call: HostEventId, from: u64, each: &mut dyn FnMut(&Wait)) {
        let mut wait = self.links.wait(call, self.links.time(call).1);
        while wait.end > from {
            each(&wait);
            let Some(task) = wait.task else { return };
            wait = self.links.wait(task.producer, task.produced);
        }
    }

    /// Returns the time of each class in a part of a wait.
    fn own_times(&self, wait: &Wait, window: Interval) -> HostTimes {
        let mut times = HostTimes::default();
        for ([first, second], (start, end)) in stretches(wait) {
            let stretch = (start.max(window.0), end.min(window.1));
            let (Some(first), true) = (first, stretch.0 < stretch.1) else { continue };
            times = times + self.lines[first].times(stretch);
            if let Some(second) = second {
                times = times + self.lines[second].times(stretch) - self.overlap(first, second, stretch);
            }
        }
        times
    }

    fn overlap(&self, first: usize, second: usize, window: Interval) -> HostTimes {
        let lines = (&self.lines[first], &self.lines[second]);
        let mut overlaps = self.overlaps.borrow_mut();
        let overlap = overlaps.entry((first, second)).or_insert_with(|| Overlap::new(lines.0, lines.1));
        overlap.times(lines.0, lines.1, window)
    }

    /// Returns the node of a wait in [`Waits`]. Adds the wait, and those before it, if they are new.
    fn node(&self, first: Wait) -> u32 {
        let mut waits = self.waits.borrow_mut();
        let mut new = Vec::new();
        let mut next = Some(first);
        let mut parent = None;
        while let Some(wait) = next {
            parent = waits.nodes.get(&key(&wait)).copied();
            if parent.is_some() {
                break;
            }
            next = wait.task.map(|task| self.links.wait(task.producer, task.produced));
            new.push(wait);
        }
        for wait in new.into_iter().rev() {
            let before = parent.map_or(HostTimes::default(), |parent: u32| {
                let (above, before) = &waits.all[parent as usize];
                *before + self.own_times(above, (above.start(), above.end))
            });
            let node = waits.forest.push(parent);
            waits.all.push((wait, before));
            waits.nodes.insert(key(&wait), node);
            parent = Some(node);
        }
        parent.unwrap_or_default()
    }
}

/// Divides a part in which the host waits for a result: while data is on its way to the device, that is what the device, and so
/// the host, waits for. Other parts stay as they are.
fn split_by_transfers(part: CausePart, transfers: &Merged) -> Vec<CausePart> {
    if part.0 != GapClass::Sync {
        return vec![part];
    }
    let (mut now, end) = part.1;
    let mut parts = Vec::new();
    for (from, to) in transfers.within((now, end)) {
        parts.extend((from > now).then_some((GapClass::Sync, (now, from))));
        parts.push((GapClass::Input, (from, to)));
        now = to;
    }
    parts.extend((end > now || parts.is_empty()).then_some((GapClass::Sync, (now, end))));
    parts
}

/// Returns the stretches of a wait, each with the threads on which the call depended in it. The first one counts.
fn stretches(wait: &Wait) -> [([Option<usize>; 2], Interval); 2] {
    let own = Some(wait.call.thread);
    match wait.task {
        None => [([own, wait.guess], (0, wait.end)), ([None, None], (0, 0))],
        Some(task) => {
            [([own, None], (task.start, wait.end)), ([own, Some(task.producer.thread)], (task.produced, task.start))]
        }
    }
}

/// Divides a stretch by the classes of threads. Of several threads, the first one with a class counts.
fn add_parts<'l>(lines: impl Iterator<Item = &'l ClassLine>, stretch: Interval, parts: &mut Vec<CausePart>) {
    let mut free: Vec<Interval> = Some(stretch).filter(|(start, end)| start < end).into_iter().collect();
    for line in lines {
        let mut left = Vec::new();
        for (start, end) in free {
            let mut now = start;
            for (class, (from, to)) in line.within((start, end)) {
                left.extend(Some((now, from)).filter(|(start, end)| start < end));
                parts.push((class, (from, to)));
                now = to;
            }
            left.extend(Some((now, end)).filter(|(start, end)| start < end));
        }
        free = left;
    }
    parts.extend(free.into_iter().map(|time| (GapClass::Host, time)));
}
