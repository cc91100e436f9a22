//! This module collects the processes and threads of a trace JSON, which become planes and lines.

use super::super::listing_limit::ListingLimit;
use crate::wire::trace::{Event, Id};
use rustc_hash::FxHashMap;

/// A process of a trace JSON.
#[derive(Default)]
pub(super) struct Process {
    pub(super) id: i64,
    /// `process_name`, else the id if it is a text.
    pub(super) name: Option<String>,
    /// `process_sort_index`, else the id.
    pub(super) order: i64,
}

/// The events of one kind of a thread, which form a line.
#[derive(Default)]
pub(super) struct Thread {
    /// Index in [`Tree::processes`].
    pub(super) process: usize,
    pub(super) id: i64,
    pub(super) kind: ThreadKind,
    /// `thread_name`, else the id if it is a text. Many threads have no name.
    pub(super) name: Option<String>,
    /// `thread_sort_index`, else the id.
    pub(super) order: i64,
    /// Start of the earliest event, in ps.
    pub(super) first_ps: Option<i128>,
}

/// The kind of the events of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum ThreadKind {
    /// Events that nest.
    #[default]
    Sync,
    /// Asynchronous events, which overlap the other events of their thread.
    Async,
    /// The values of counters. They belong to a process, and to none of its threads.
    Counters,
}

/// The processes and threads of a file.
#[derive(Default)]
pub(super) struct Tree {
    pub(super) processes: Vec<Process>,
    pub(super) threads: Vec<Thread>,
    /// The number of each id that is a text.
    texts: FxHashMap<Box<[u8]>, i64>,
    by_process: FxHashMap<Key, usize>,
    by_thread: FxHashMap<(usize, Key, ThreadKind), usize>,
    /// The limit for processes and threads together.
    pub(super) listing_limit: ListingLimit,
}

/// An id: whether it is a text, and its number.
type Key = (bool, i64);

impl Tree {
    /// Returns the index of the event's process, and adds the process if it is new. Returns `None` if there is no room.
    pub(super) fn process(&mut self, event: &Event<'_>) -> Option<usize> {
        if let Some(index) = self.known(event.process).and_then(|key| self.by_process.get(&key)) {
            return Some(*index);
        }
        if !self.listing_limit.take() {
            return None;
        }
        let key = self.key(event.process);
        let index = self.processes.len();
        self.by_process.insert(key, index);
        self.processes.push(Process { id: key.1, order: key.1, name: name_of(event.process) });
        Some(index)
    }

    /// Returns the index of the event's thread, and adds the thread if it is new. Returns `None` if there is no room.
    pub(super) fn thread(&mut self, event: &Event<'_>) -> Option<usize> {
        if let Some(index) = self.find(event) {
            return Some(index);
        }
        let process = self.process(event)?;
        if !self.listing_limit.take() {
            return None;
        }
        let kind = ThreadKind::new(event.phase);
        let thread = kind.thread(event.thread);
        let key = self.key(thread);
        let index = self.threads.len();
        self.by_thread.insert((process, key, kind), index);
        self.threads.push(Thread {
            process,
            id: key.1,
            kind,
            name: name_of(thread),
            order: key.1,
            ..Thread::default()
        });
        Some(index)
    }

    /// Returns the index of the event's thread, or `None` if the thread is unknown.
    pub(super) fn find(&self, event: &Event<'_>) -> Option<usize> {
        self.find_thread(event.phase, event.process, event.thread)
    }

    /// Returns the index of the thread of an event with a phase, a process and a thread, as [`Tree::find`] does.
    pub(super) fn find_thread(&self, phase: u8, process: Id<'_>, thread: Id<'_>) -> Option<usize> {
        let kind = ThreadKind::new(phase);
        let process = *self.by_process.get(&self.known(process)?)?;
        self.by_thread.get(&(process, self.known(kind.thread(thread))?, kind)).copied()
    }

    fn key(&mut self, id: Id<'_>) -> Key {
        if let (None, Id::Text(text)) = (self.known(id), id) {
            self.texts.insert(text.into(), self.texts.len() as i64);
        }
        self.known(id).unwrap_or_default()
    }

    fn known(&self, id: Id<'_>) -> Option<Key> {
        match id {
            Id::Number(n) => Some((false, n)),
            Id::Text(text) => self.texts.get(text).map(|n| (true, *n)),
        }
    }
}

impl ThreadKind {
    /// Returns the kind of events with a phase.
    const fn new(phase: u8) -> Self {
        match phase {
            b'b' | b'e' | b'n' => Self::Async,
            b'C' => Self::Counters,
            _ => Self::Sync,
        }
    }

    /// Returns the id of the thread to which an event belongs that names `thread`.
    const fn thread(self, thread: Id<'_>) -> Id<'_> {
        match self {
            Self::Counters => Id::Number(0),
            Self::Sync | Self::Async => thread,
        }
    }
}

fn name_of(id: Id<'_>) -> Option<String> {
    match id {
        Id::Number(_) => None,
        Id::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
    }
}
