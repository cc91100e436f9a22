//! This module opens large files with helpers. Each worker reads its share of the planes. This worker reads the first device
//! first, opens it, and answers requests about it between the other planes.
//!
//! ```text
//!   planes         TPU:0 │ host │ TPU:1 │ TPU:2 │ TPU:3
//!   this worker    TPU:0, host ─► first device open ─ TPU:3 ─┬─► all joined in the order of the file
//!   helper         TPU:1, TPU:2 ──────────parts──────────────┘
//! ```
//!
//! A plane that is larger than the share of a worker is divided by its events.
//!
//! A helper receives its whole share at its start, because messages arrive late at a worker that is reading.
//! Helpers share no memory with this worker, because static hosts do not send the headers that shared memory needs. If a
//! helper ends before its time, this worker reads the helper's planes.

use super::helper::{HelperMessage, HelperPort, HelperProgress};
use super::runtime::memory;
use crate::protocol::{DevicesRead, Progress, RequestId, Skip, Stage};
use crate::session::open::report_file::Captures;
use crate::session::open::{PlaneAt, PlaneList, PlanesRead, list_planes};
use std::collections::VecDeque;
use web_sys::{File, MessagePort};
use xla_profile::profile::{ProfilePart, ReadProgress};

/// Files that several workers read.
pub(super) struct ParallelOpen {
    pub(super) id: RequestId,
    captures: Captures,
    skips: Vec<Skip>,
    pub(super) paths: Vec<String>,
    pub(super) files: Vec<File>,
    /// The planes that this worker is to read.
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
    helper: HelperPort,
    /// The planes that the helper has not read yet.
    share: Vec<PlaneAt>,
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
        on_message: impl Fn(usize, Option<HelperMessage>) + Clone + 'static,
    ) -> Result<Self, (Captures, Vec<Skip>)> {
        // The captures inside of a report file are not files of their own.
        let is_plain = captures.capture_ranges.is_empty() && captures.inputs.len() == files.len();
        let planes =
            if is_plain { list_planes(&captures.inputs, &skips, ports.len() + 1) } else { PlaneList::default() };
        if planes.all.is_empty() || ports.is_empty() && planes.first.is_empty() {
            return Err((captures, skips));
        }
        let bytes_total: u64 = planes.all.iter().map(|plane_at| plane_at.bytes()).sum();
        let mut shares = planes.divide_among_workers(ports.len() + 1).into_iter();
        let own = shares.next().unwrap_or_default();
        let listen = |(number, (port, share)): (usize, (MessagePort, Vec<PlaneAt>))| {
            let on_message = on_message.clone();
            let helper = HelperPort::new(port, move |message| on_message(number, message));
            Some(HelperState { helper, share, progress: HelperProgress::default() })
        };
        let helpers = ports.into_iter().zip(shares).enumerate().map(listen).collect();
        Ok(Self {
            id,
            captures,
            skips,
            paths,
            files,
            waiting: own.into(),
            first: planes.first,
            n_devices: planes.n_devices,
            read: PlanesRead::new(planes.fields),
            helpers,
            bytes_total,
            bytes_read: 0,
            silent_checks: 0,
        })
    }

    /// Reads one plane of this worker's share. Returns `false` if none waits.
    pub(super) fn read_one(&mut self, report: &mut dyn FnMut(Progress)) -> bool {
        let Some(plane_at) = self.waiting.pop_front() else { return false };
        let source = self.captures.inputs.get(plane_at.file as usize).map(|input| input.source.as_ref());
        let mut report = |own: ReadProgress<'_>| report(self.progress(Some((own, plane_at))));
        let part = source.and_then(|source| ProfilePart::read(source, plane_at.span(), plane_at.events(), &mut report));
        self.add(plane_at, part);
        true
    }

    /// Returns whether this worker has planes to read.
    pub(super) fn has_planes(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Handles a message of the helper with this number; `None` if it cannot be read.
    pub(super) fn handle(&mut self, number: usize, message: Option<HelperMessage>) {
        self.silent_checks = 0;
        let Some(Some(state)) = self.helpers.get_mut(number) else { return };
        match message {
            Some(HelperMessage::Ready) => self.give_share(number),
            Some(HelperMessage::Progress(progress)) => state.progress = progress,
            Some(HelperMessage::Read(plane_at, part)) => {
                state.share.retain(|given| *given != plane_at);
                state.progress = HelperProgress { memory: state.progress.memory, ..HelperProgress::default() };
                self.add(plane_at, part.map(|part| *part));
            }
            None => self.end(number),
        }
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
        if self.first.is_empty() || !self.first.iter().all(|plane_at| self.read.has(*plane_at)) {
            return None;
        }
        let planes = self.read.only(&std::mem::take(&mut self.first))?;
        Some((planes, DevicesRead { read: 1, total: self.n_devices }))
    }

    /// Gives up the planes that have not been read. They are left out of what [`ParallelOpen::finish`] returns.
    pub(super) fn stop(&mut self) {
        (0..self.helpers.len()).for_each(|number| self.end(number));
        self.skips
            .extend(self.waiting.drain(..).map(|plane_at| Skip { file: plane_at.file, plane: Some(plane_at.plane) }));
        self.read.is_all = true;
        self.first.clear();
    }

    /// Returns whether all planes have been read.
    pub(super) fn is_done(&self) -> bool {
        self.waiting.is_empty() && self.helpers.iter().flatten().all(|state| state.share.is_empty())
    }

    /// Returns what is to be opened, with the planes that have been read.
    pub(super) fn finish(self) -> (Captures, Vec<Skip>) {
        (Captures { planes: self.read, ..self.captures }, self.skips)
    }

    fn add(&mut self, plane_at: PlaneAt, part: Option<ProfilePart>) {
        self.bytes_read += plane_at.bytes();
        self.read.add(plane_at, part);
    }

    /// Tells a helper to read its share.
    fn give_share(&mut self, number: usize) {
        let Some(Some(state)) = self.helpers.get(number) else { return };
        let is_sent = |plane_at: &PlaneAt| {
            self.files.get(plane_at.file as usize).is_some_and(|file| state.helper.read(*plane_at, file).is_ok())
        };
        if !state.share.iter().all(is_sent) {
            self.end(number);
        }
    }

    /// Gives up a helper. This worker reads the planes that the helper has not read.
    pub(super) fn end(&mut self, number: usize) {
        let ended = self.helpers.get_mut(number).and_then(Option::take);
        self.waiting.extend(ended.into_iter().flat_map(|state| state.share));
    }

    /// Returns the progress of all workers. `own` is that of this worker, if it reads a plane.
    pub(super) fn progress(&self, own: Option<(ReadProgress<'_>, PlaneAt)>) -> Progress {
        let helpers = || self.helpers.iter().flatten().map(|state| state.progress);
        let (own_bytes, own_events, place) = own.map_or((0, 0, String::new()), |(own, plane_at)| {
            (plane_at.bytes_before(own.bytes), own.events, own.plane.to_owned())
        });
        let (planes, events) = self.read.count();
        Progress {
            stage: Stage::Read,
            bytes_done: self.bytes_read + own_bytes + helpers().map(|progress| progress.bytes).sum::<u64>(),
            bytes_total: self.bytes_total,
            planes,
            events: events + own_events + helpers().map(|progress| progress.events).sum::<u64>(),
            place,
            memory: memory().map(|own| own + helpers().map(|progress| progress.memory).sum::<u64>()),
            notes: Vec::new(),
            can_stop: planes > 0,
        }
    }
}
