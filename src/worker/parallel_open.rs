//! This module opens large files with several workers. This worker and its helpers each read planes, until none waits.
//!
//! ```text
//!   planes, largest first   TPU:0 │ TPU:1 │ TPU:2 │ TPU:3 │ host
//!   this worker             TPU:0, TPU:3 ──────────────┐
//!   helper                  TPU:1, TPU:2, host ──parts─┴─► joined in the order of the file
//! ```
//!
//! Helpers share no memory with this worker, because static hosts do not send the headers that shared memory needs. If a
//! helper ends before its time, this worker reads the helper's planes.

use super::helper::{FromHelper, Helper, HelperEvent, HelperProgress};
use super::server::memory;
use crate::profile::{Part, ReadProgress};
use crate::protocol::{Progress, RequestId, Skip, Stage};
use crate::session::open::report_file::Captures;
use crate::session::open::{PlaneAt, PlanesRead, planes_apart};
use std::collections::VecDeque;
use web_sys::File;

/// Largest number of workers that read, this worker included.
const MAX_WORKERS: usize = 8;
/// Bytes that each worker should have to read, because starting one takes as long as reading a few megabytes.
const BYTES_PER_WORKER: u64 = 8 << 20;
/// Number of planes that a helper has at a time. It does not wait for the second one while this worker is busy.
const GIVEN: usize = 2;
/// This worker waits so long for its helpers to start, in milliseconds. They cannot start while it reads, because the browser
/// starts a worker with messages to the worker that started it.
pub(super) const START_TIME: u32 = 200;

/// Files that several workers read.
pub(super) struct ParallelOpen {
    pub(super) id: RequestId,
    captures: Captures,
    skips: Vec<Skip>,
    files: Vec<File>,
    /// The planes that no worker has begun, the largest first.
    waiting: VecDeque<PlaneAt>,
    read: PlanesRead,
    /// The helpers by number; `None` if the helper has ended.
    helpers: Vec<Option<HelperState>>,
    bytes_total: u64,
    bytes_read: u64,
    /// Whether the helpers are still starting.
    is_starting: bool,
    /// Number of checks since a helper has sent anything.
    silent_checks: u32,
}

struct HelperState {
    helper: Helper,
    is_ready: bool,
    /// The planes that the helper has and has not read yet.
    given: Vec<PlaneAt>,
    progress: HelperProgress,
}

impl ParallelOpen {
    /// Starts helpers, which report to `on_event` with their numbers. Returns what was to be opened if one worker reads it
    /// as fast: if it is small or packed, or if there is one core.
    pub(super) fn start(
        id: RequestId,
        captures: Captures,
        files: Vec<File>,
        skips: Vec<Skip>,
        n_cores: u32,
        on_event: impl Fn(usize, HelperEvent) + Clone + 'static,
    ) -> Result<Self, (Captures, Vec<Skip>)> {
        // The captures inside of a report file are not files of their own.
        let is_plain = captures.capture_ranges.is_empty() && captures.inputs.len() == files.len();
        let planes = if is_plain && n_cores > 1 { planes_apart(&captures.inputs, &skips) } else { Vec::new() };
        let bytes_total: u64 = planes.iter().map(|at| at.span().len()).sum();
        let n_workers = (n_cores as usize).min(MAX_WORKERS).min(planes.len());
        let n_workers = n_workers.min(usize::try_from(bytes_total / BYTES_PER_WORKER).unwrap_or(MAX_WORKERS));
        let start = |number: usize| {
            let on_event = on_event.clone();
            let helper = Helper::start(move |event| on_event(number, event)).ok()?;
            Some(HelperState { helper, is_ready: false, given: Vec::new(), progress: HelperProgress::default() })
        };
        let helpers: Vec<Option<HelperState>> = (1..n_workers).map(|number| start(number - 1)).collect();
        if helpers.iter().all(Option::is_none) {
            return Err((captures, skips));
        }
        Ok(Self {
            id,
            captures,
            skips,
            files,
            waiting: planes.into(),
            read: PlanesRead::default(),
            helpers,
            bytes_total,
            bytes_read: 0,
            is_starting: true,
            silent_checks: 0,
        })
    }

    /// Begins to read with the helpers that have started.
    pub(super) fn begin(&mut self) {
        self.is_starting = false;
    }

    /// Reads one plane that waits. Returns `false` if none waits, or if the helpers are still starting.
    pub(super) fn read_one(&mut self, report: &mut dyn FnMut(Progress)) -> bool {
        if self.is_starting {
            return false;
        }
        let Some(at) = self.waiting.pop_front() else { return false };
        let source = self.captures.inputs.get(at.file as usize).map(|input| input.source.as_ref());
        let part = source.and_then(|source| Part::read(source, at.span(), &mut |own| report(self.progress(own, at))));
        self.add(at, part);
        true
    }

    /// Handles an event of the helper with this number.
    pub(super) fn handle(&mut self, number: usize, event: HelperEvent) {
        self.silent_checks = 0;
        let Some(Some(state)) = self.helpers.get_mut(number) else { return };
        match event {
            HelperEvent::Message(FromHelper::Ready) => state.is_ready = true,
            HelperEvent::Message(FromHelper::Progress(progress)) => state.progress = progress,
            HelperEvent::Message(FromHelper::Read(at, part)) => {
                state.given.retain(|given| *given != at);
                state.progress = HelperProgress { memory: state.progress.memory, ..HelperProgress::default() };
                self.add(at, part);
            }
            HelperEvent::Died => self.end(number),
        }
        self.is_starting &= self.helpers.iter().flatten().any(|state| !state.is_ready);
        self.give(number);
    }

    /// Ends the helpers if none of them has sent anything since the check before the last one. One check is not enough:
    /// after a long plane of this worker, messages of helpers wait.
    pub(super) fn end_silent_helpers(&mut self) {
        self.silent_checks += 1;
        if self.silent_checks > 1 {
            (0..self.helpers.len()).for_each(|number| self.end(number));
        }
    }

    /// Returns whether all planes have been read.
    pub(super) fn is_done(&self) -> bool {
        self.waiting.is_empty() && self.helpers.iter().flatten().all(|state| state.given.is_empty())
    }

    /// Ends the helpers, and returns what is to be opened, with the planes that have been read.
    pub(super) fn finish(self) -> (Captures, Vec<Skip>) {
        (Captures { planes: self.read, ..self.captures }, self.skips)
    }

    fn add(&mut self, at: PlaneAt, part: Option<Part>) {
        self.bytes_read += at.span().len();
        self.read.add(at, part);
    }

    /// Gives planes to a helper that has fewer than it can have.
    fn give(&mut self, number: usize) {
        let n_workers = self.helpers.iter().flatten().count() + 1;
        let Some(Some(state)) = self.helpers.get_mut(number) else { return };
        // At the end, every worker should have a plane, and none should have two.
        let n_given = if self.waiting.len() > n_workers { GIVEN } else { 1 };
        while state.is_ready && state.given.len() < n_given {
            let Some(at) = self.waiting.pop_front() else { return };
            let sent = self.files.get(at.file as usize).is_some_and(|file| state.helper.read(at, file).is_ok());
            if !sent {
                self.waiting.push_front(at);
                return self.end(number);
            }
            state.given.push(at);
        }
    }

    /// Ends a helper. The planes that it has not read wait again.
    fn end(&mut self, number: usize) {
        let ended = self.helpers.get_mut(number).and_then(Option::take);
        self.waiting.extend(ended.into_iter().flat_map(|state| state.given));
    }

    /// Returns the progress of all workers while this worker reads the plane at `at`.
    fn progress(&self, own: ReadProgress<'_>, at: PlaneAt) -> Progress {
        let helpers = || self.helpers.iter().flatten().map(|state| state.progress);
        let (planes, events) = self.read.count();
        Progress {
            stage: Stage::Read,
            bytes_done: self.bytes_read
                + own.at.saturating_sub(at.start)
                + helpers().map(|progress| progress.bytes).sum::<u64>(),
            bytes_total: self.bytes_total,
            planes,
            events: events + own.events + helpers().map(|progress| progress.events).sum::<u64>(),
            place: own.plane.to_owned(),
            memory: memory().map(|own| own + helpers().map(|progress| progress.memory).sum::<u64>()),
            notes: Vec::new(),
        }
    }
}
