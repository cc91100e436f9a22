//! This module does the first walk: it reads the names of processes and threads, and counts the events. Only metadata
//! events have their arguments read.

use super::super::{Line, Plane};
use super::tree::Tree;
use crate::wire::trace::{Event, Id, Sink, scaled};

/// The result of the first walk over a trace JSON.
#[derive(Default)]
pub struct Survey {
    pub(super) tree: Tree,
    /// Number of events with a position in time, of all threads.
    pub n_events: u64,
    /// Start of the earliest event, in ps.
    first_ps: Option<i128>,
    /// An event starts between 0 and [`SMALL`].
    counts_from_zero: bool,
}

/// Largest time, in ps, that needs no origin: 53 days. Larger times count from 1970 or from a boot long ago.
const SMALL: i128 = 1 << 62;

impl Survey {
    /// Returns the origin of the times of lines, in ns: 0 if an event starts within [`SMALL`], else the earliest start.
    pub(super) fn origin_ns(&self) -> i64 {
        let first = self.first_ps.filter(|_| !self.counts_from_zero);
        first.and_then(|ps| i64::try_from(ps.div_euclid(1000)).ok()).unwrap_or_default()
    }

    /// Returns whether a process is a device of XLA, such as `/device:TPU:0`.
    pub fn has_xla_device(&self) -> bool {
        self.tree.processes.iter().any(|p| p.name.as_deref().is_some_and(|name| name.starts_with("/device:")))
    }

    pub(super) fn has_plane(&self, name: &str) -> bool {
        self.tree.processes.iter().any(|p| p.name.as_deref() == Some(name))
    }

    /// Returns whether a line of `plane` starts at the same time (within 1 ns) as the thread of the same name in the
    /// process of the same name.
    pub(super) fn starts_with(&self, plane: &Plane) -> bool {
        self.start_differences(plane).any(|difference| difference.unsigned_abs() <= 1000)
    }

    /// Returns the time between the start of each line of `plane` and that of each thread of the same name in the process of the same
    /// name, in ps.
    pub(super) fn start_differences<'s>(&'s self, plane: &'s Plane) -> impl Iterator<Item = i128> + 's {
        let start = |line: &Line| {
            let first = line.events.times().map(|(start, _)| start).min()?;
            Some(i128::from(first) + i128::from(line.timestamp_ns) * 1000)
        };
        let of_line = move |line: &'s Line| {
            let is_same = move |t: &&super::tree::Thread| {
                self.tree.processes[t.process].name.as_deref() == Some(&plane.name)
                    && t.name.as_deref().unwrap_or_default() == line.name
            };
            let threads = self.tree.threads.iter().filter(is_same);
            threads.filter_map(move |t| Some(t.first_ps? - start(line)?))
        };
        plane.lines.iter().flat_map(of_line)
    }
}

/// Returns whether an event has a position on a line: a complete event, a begin, an instant, or a counter.
pub(super) const fn has_place(phase: u8) -> bool {
    matches!(phase, b'X' | b'B' | b'b' | b'n' | b'i' | b'I' | b'R' | b'C')
}

/// An argument of a metadata event.
#[derive(Clone, Copy)]
enum Arg {
    Name,
    Order,
}

/// The sink of the first walk.
pub(super) struct Counting<'p> {
    pub(super) survey: Survey,
    progress: &'p mut dyn FnMut(u64),
    /// The argument whose value comes next.
    arg: Arg,
    name: Option<String>,
    order: Option<i64>,
}

impl<'p> Counting<'p> {
    pub(super) fn new(progress: &'p mut dyn FnMut(u64)) -> Self {
        Self { survey: Survey::default(), progress, arg: Arg::Name, name: None, order: None }
    }

    fn metadata(&mut self, event: &Event<'_>) {
        let tree = &mut self.survey.tree;
        let (name, order) = (self.name.take(), self.order.take());
        match event.name {
            b"process_name" | b"process_sort_index" => {
                let Some(index) = tree.process(event) else { return tree.listing_limit.leave_out(0) };
                let process = &mut tree.processes[index];
                process.name = name.or(process.name.take());
                process.order = order.unwrap_or(process.order);
            }
            b"thread_name" | b"thread_sort_index" => {
                let Some(index) = tree.thread(event) else { return tree.listing_limit.leave_out(0) };
                let thread = &mut tree.threads[index];
                thread.name = name.or(thread.name.take());
                thread.order = order.unwrap_or(thread.order);
            }
            _ => {}
        }
    }
}

impl Sink for Counting<'_> {
    fn wants_args(&mut self, phase: u8, _: Id<'_>, _: Id<'_>) -> bool {
        matches!(phase, b'M' | 0)
    }

    fn wants(&mut self, name: &[u8]) -> bool {
        self.arg = match name {
            b"name" => Arg::Name,
            b"sort_index" => Arg::Order,
            _ => return false,
        };
        true
    }

    fn arg(&mut self, value: &[u8]) {
        match self.arg {
            Arg::Name => self.name = Some(String::from_utf8_lossy(value).into_owned()),
            Arg::Order => self.order = scaled(value, 0).and_then(|n| i64::try_from(n).ok()),
        }
    }

    fn event(&mut self, event: &Event<'_>) {
        self.survey.tree.listing_limit.read(event.bytes);
        if event.phase == b'M' {
            return self.metadata(event);
        }
        self.discard();
        let (true, Some(start)) = (has_place(event.phase), event.start_ps) else { return };
        let survey = &mut self.survey;
        let Some(index) = survey.tree.thread(event) else { return survey.tree.listing_limit.leave_out_event() };
        let thread = &mut survey.tree.threads[index];
        thread.first_ps = Some(thread.first_ps.map_or(start, |first| first.min(start)));
        survey.n_events += 1;
        survey.first_ps = Some(survey.first_ps.map_or(start, |first| first.min(start)));
        survey.counts_from_zero |= (0..SMALL).contains(&start);
    }

    fn discard(&mut self) {
        (self.name, self.order) = (None, None);
    }

    fn progress(&mut self, bytes: u64) {
        (self.progress)(bytes);
    }
}
