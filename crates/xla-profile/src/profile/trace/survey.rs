//! The first walk: names, and how many events there are. Reads arguments of metadata events alone.

use super::super::{Line, Plane};
use super::tree::Tree;
use crate::wire::trace::{Event, Sink, scaled};

/// What a trace JSON holds, before any of it is taken.
#[derive(Default)]
pub struct Survey {
    pub(super) tree: Tree,
    /// Events with a place in time, of all threads.
    pub n_events: u64,
    /// When the earliest starts, ps, and whether any starts within [`SMALL`].
    first_ps: Option<i128>,
    counts_from_zero: bool,
}

/// Times up to here need no origin of their own: 53 days. What is beyond counts from 1970 or from a boot long ago.
const SMALL: i128 = 1 << 62;

impl Survey {
    /// The moment that times are reported from, ns.
    pub(super) fn origin_ns(&self) -> i64 {
        let first = self.first_ps.filter(|_| !self.counts_from_zero);
        first.and_then(|ps| i64::try_from(ps.div_euclid(1000)).ok()).unwrap_or_default()
    }

    pub(super) fn has_plane(&self, name: &str) -> bool {
        self.tree.processes.iter().any(|p| p.name.as_deref() == Some(name))
    }

    /// A line of `plane` starts when the one of the same names starts here.
    pub(super) fn starts_with(&self, plane: &Plane) -> bool {
        let start = |line: &Line| {
            let first = line.events.times().map(|(start, _)| start).min()?;
            Some(i128::from(first) + i128::from(line.timestamp_ns) * 1000)
        };
        let is = |line: &Line| {
            self.tree.threads.iter().any(|t| {
                let same = self.tree.processes[t.process].name.as_deref() == Some(&plane.name)
                    && t.name.as_deref().unwrap_or_default() == line.name;
                same && t.first_ps.zip(start(line)).is_some_and(|(a, b)| a.abs_diff(b) <= 1000)
            })
        };
        plane.lines.iter().any(is)
    }
}

/// An event that takes a place on a line: complete, the begin of one, or an instant.
pub(super) const fn has_place(phase: u8) -> bool {
    matches!(phase, b'X' | b'B' | b'b' | b'n' | b'i' | b'I' | b'R')
}

/// An argument of a metadata event.
#[derive(Clone, Copy)]
enum Arg {
    Name,
    Order,
}

/// The first walk's sink.
pub(super) struct Counting<'p> {
    pub(super) survey: Survey,
    progress: &'p mut dyn FnMut(u64),
    /// Which argument's value comes, and the arguments of the event so far.
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
                let Some(at) = tree.process(event) else { return tree.room.leave_out(0) };
                let process = &mut tree.processes[at];
                process.name = name.or(process.name.take());
                process.order = order.unwrap_or(process.order);
            }
            b"thread_name" | b"thread_sort_index" => {
                let Some(at) = tree.thread(event) else { return tree.room.leave_out(0) };
                let thread = &mut tree.threads[at];
                thread.name = name.or(thread.name.take());
                thread.order = order.unwrap_or(thread.order);
            }
            _ => {}
        }
    }
}

impl Sink for Counting<'_> {
    fn wants_args(&self, phase: u8) -> bool {
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
        self.survey.tree.room.read(event.bytes);
        if event.phase == b'M' {
            return self.metadata(event);
        }
        self.discard();
        let (true, Some(start)) = (has_place(event.phase), event.start_ps) else { return };
        let survey = &mut self.survey;
        let Some(at) = survey.tree.thread(event) else { return survey.tree.room.leave_out_event() };
        let thread = &mut survey.tree.threads[at];
        thread.first_ps = Some(thread.first_ps.map_or(start, |first| first.min(start)));
        survey.n_events += 1;
        survey.first_ps = Some(survey.first_ps.map_or(start, |first| first.min(start)));
        survey.counts_from_zero |= (0..SMALL).contains(&start);
    }

    fn discard(&mut self) {
        (self.name, self.order) = (None, None);
    }

    fn progress(&mut self, at: u64) {
        (self.progress)(at);
    }
}
