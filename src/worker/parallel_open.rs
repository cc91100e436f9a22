//! This module opens large files with helpers, which read the planes. This worker opens the first device as soon as it has
//! been read, answers questions about it, and opens all of them at the end.
//!
//! ```text
//!   planes         TPU:0 │ host │ TPU:1 │ TPU:2 │ TPU:3
//!   helper 1       TPU:0 ───────┐ TPU:1 ──── TPU:3 ──────────┐
//!   helper 2       host ─parts──┤ TPU:2 ─────────────────────┤
//!   this worker                 └─► first device open        └─► all joined in the order of the file
//! ```
//!
//! Helpers share no memory with this worker, because static hosts do not send the headers that shared memory needs. If a
//! helper ends before its time, this worker reads the helper's planes.

use super::helper::{FromHelper, Helper, HelperProgress};
use super::server::memory;
use crate::profile::{Part, ReadProgress};
use crate::protocol::{DevicesRead, Progress, RequestId, Skip, Stage};
use crate::session::open::report_file::Captures;
use crate::session::open::{PlaneAt, PlanesApart, PlanesRead, planes_apart};
use std::collections::VecDeque;
use web_sys::{File, MessagePort};

/// Number of planes that a helper has at a time. It does not wait for the second one while this worker is busy.
const GIVEN: usize = 2;
/// Files that several workers read.
pub(super) struct ParallelOpen {
    pub(super) id: RequestId,
    captures: Captures,
    skips: Vec<Skip>,
    pub(super) paths: Vec<String>,
    pub(super) files: Vec<File>,
    /// The planes that no worker has begun.
    waiting: VecDeque<PlaneAt>,
    /// The planes that are opened before the others; empty once they have been.
    first: Vec<PlaneAt>,
    n_devices: u32,
    read: PlanesRead,
    /// The helpers by number; `None` if the helper has ended.
    helpers: Vec<Option<HelperState>>,
    bytes_total: u64,
    bytes_read: u64,
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
    /// Begins to open files with the helpers at `ports`, whose messages go to `on_message` with the number of the helper. If
    /// reading apart brings nothing, the captures and skips are returned.
    pub(super) fn start(
        id: RequestId,
        captures: Captures,
        (paths, files): (Vec<String>, Vec<File>),
        skips: Vec<Skip>,
        ports: Vec<MessagePort>,
        on_message: impl Fn(usize, Option<FromHelper>) + Clone + 'static,
    ) -> Result<Self, (Captures, Vec<Skip>)> {
        // The captures inside of a report file are not files of their own.
        let is_plain = captures.capture_ranges.is_empty() && captures.inputs.len() == files.len();
        let planes = if is_plain { planes_apart(&captures.inputs, &skips) } else { PlanesApart::default() };
        if planes.all.is_empty() || ports.is_empty() && planes.first.is_empty() {
            return Err((captures, skips));
        }
        let bytes_total: u64 = planes.all.iter().map(|at| at.bytes()).sum();
        let listen = |(number, port): (usize, MessagePort)| {
            let on_message = on_message.clone();
            let helper = Helper::new(port, move |message| on_message(number, message));
            Some(HelperState { helper, is_ready: false, given: Vec::new(), progress: HelperProgress::default() })
        };
        let helpers = ports.into_iter().enumerate().map(listen).collect();
        Ok(Self {
            id,
            captures,
            skips,
            paths,
            files,
            waiting: planes.all.into(),
            first: planes.first,
            n_devices: planes.n_devices,
            read: PlanesRead::default(),
            helpers,
            bytes_total,
            bytes_read: 0,
            silent_checks: 0,
        })
    }

    /// Returns whether this worker reads planes, because there are no helpers.
    pub(super) fn reads_itself(&self) -> bool {
        self.helpers.iter().all(Option::is_none)
    }

    /// Reads one plane that waits. Returns `false` if none waits, or if the helpers read the rest.
    pub(super) fn read_one(&mut self, report: &mut dyn FnMut(Progress)) -> bool {
        if !self.reads_itself() {
            return false;
        }
        let Some(at) = self.waiting.pop_front() else { return false };
        let source = self.captures.inputs.get(at.file as usize).map(|input| input.source.as_ref());
        let part = source.and_then(|source| Part::read(source, at.span(), &mut |own| report(self.progress(own, at))));
        self.add(at, part);
        true
    }

    /// Handles a message of the helper with this number; `None` if it cannot be read.
    pub(super) fn handle(&mut self, number: usize, message: Option<FromHelper>) {
        self.silent_checks = 0;
        let Some(Some(state)) = self.helpers.get_mut(number) else { return };
        match message {
            Some(FromHelper::Ready) => state.is_ready = true,
            Some(FromHelper::Progress(progress)) => state.progress = progress,
            Some(FromHelper::Read(at, part)) => {
                state.given.retain(|given| *given != at);
                state.progress = HelperProgress { memory: state.progress.memory, ..HelperProgress::default() };
                self.add(at, part);
            }
            None => self.end(number),
        }
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

    /// Returns the planes to open before the others, once they have been read, and the numbers of devices.
    pub(super) fn take_first(&mut self) -> Option<(PlanesRead, DevicesRead)> {
        if self.first.is_empty() || !self.first.iter().all(|at| self.read.has(*at)) {
            return None;
        }
        let planes = self.read.only(&std::mem::take(&mut self.first))?;
        Some((planes, DevicesRead { read: 1, total: self.n_devices }))
    }

    /// Gives up the planes that have not been read. They are left out of what [`ParallelOpen::finish`] returns.
    pub(super) fn stop(&mut self) {
        (0..self.helpers.len()).for_each(|number| self.end(number));
        self.skips.extend(self.waiting.drain(..).map(|at| Skip { file: at.file, plane: Some(at.plane) }));
        self.read.is_all = true;
        self.first.clear();
    }

    /// Returns whether all planes have been read.
    pub(super) fn is_done(&self) -> bool {
        self.waiting.is_empty() && self.helpers.iter().flatten().all(|state| state.given.is_empty())
    }

    /// Returns what is to be opened, with the planes that have been read.
    pub(super) fn finish(self) -> (Captures, Vec<Skip>) {
        (Captures { planes: self.read, ..self.captures }, self.skips)
    }

    fn add(&mut self, at: PlaneAt, part: Option<Part>) {
        self.bytes_read += at.bytes();
        self.read.add(at, part);
    }

    /// Gives planes to a helper that has fewer than it can have.
    fn give(&mut self, number: usize) {
        let n_workers = self.helpers.iter().flatten().count();
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

    /// Gives up a helper. The planes that it has not read wait again.
    pub(super) fn end(&mut self, number: usize) {
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
            can_stop: planes > 0,
        }
    }
}
