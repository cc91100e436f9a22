//! This module defines what the timeline reports about events: their details and links, lists of them, and searches. All times
//! are displayed times, in ps on the axis of the session (see [`Timeline`](super::Timeline)).

use super::report::LineRef;
use crate::analysis::classify::Kind;
use crate::table::filter::TextFilter;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use xla_profile::units::Picos;

/// A place from which an event is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EventQuery {
    /// The event of a lane at a time, or the nearest one at most `tolerance` away.
    At { line: LineRef, lane: u32, time: Picos, tolerance: Picos },
    /// The event at an index of a line.
    Index { line: LineRef, event: u32 },
    /// The event next to another one.
    Next { line: LineRef, event: u32, to: Neighbour },
}

/// A direction from an event to another one of the same line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Neighbour {
    /// The event before it in its lane.
    Previous,
    /// The event after it in its lane.
    Next,
    /// The event around it.
    Parent,
    /// The first event inside of it.
    Child,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventDetail {
    pub line: LineRef,
    /// Index of the event in its line.
    pub event: u32,
    pub lane: u32,
    pub name: String,
    /// The whole text of the event's metadata, if it is more than the name. It may be the text of an HLO instruction.
    pub text: Option<String>,
    pub start: Picos,
    pub end: Picos,
    /// Time that no event inside of it takes.
    pub self_time: Picos,
    /// Start on the clock of the device, in ps of that clock. `None` if the line does not have it.
    pub device_start: Option<Picos>,
    /// Start on the event clock, in ps on the axis of the session. `None` if the event is displayed at this time.
    pub event_start: Option<Picos>,
    /// `None` if the line has no ops.
    pub kind: Option<Kind>,
    /// The program of the op.
    pub program: Option<u64>,
    /// The step of the device in which the event starts, and the time from the start of the step.
    pub step: Option<(u64, Picos)>,
    /// Number of this execution of the op in its line, from 1, and the number of all of them.
    pub execution: (u64, u64),
    /// The median duration of all executions of the op in its line.
    pub median: Picos,
    /// The events that this one started, and those that started it; at most [`EventDetail::MAX_FLOWS`].
    pub flows: Vec<Flow>,
}

/// A link from the event of a detail to another event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    pub event: EventRow,
    /// The lane of the other event.
    pub lane: u32,
    pub kind: FlowKind,
    /// Whether the other event started this one.
    pub is_source: bool,
}

/// Requests the links between events of some lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowsQuery {
    pub lines: Vec<LineRef>,
    /// A link is listed if the event that the other one started begins at or after `start`, and before `end`.
    pub start: Picos,
    pub end: Picos,
}

/// The links between events of a window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowsReport {
    pub query: FlowsQuery,
    pub n: u64,
    /// The first of them in order of time, at most [`FlowsReport::MAX_FLOWS`].
    pub flows: Vec<FlowLine>,
}

impl FlowsReport {
    /// Largest number of links that are listed.
    pub const MAX_FLOWS: usize = 500;
}

/// A link between two events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowLine {
    /// The event that started the other one.
    pub source: FlowEnd,
    pub target: FlowEnd,
}

/// An event of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FlowEnd {
    pub start: Picos,
    pub end: Picos,
    pub line: LineRef,
    pub lane: u32,
    /// Index of the event in its line.
    pub event: u32,
}

/// The reason why two events belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FlowKind {
    /// A host call launched a kernel: both have a correlation id.
    Launch,
    /// One event began work with which the other one went on: both have the context of that work.
    Context,
    /// Both have the id of the same run of a program. The earlier one counts as the source.
    Run,
}

/// Requests the events whose op has a text in its name, its scope path or its source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchQuery {
    /// The text. An empty text finds nothing. The field of the op's name is searched in the name alone; the scope path and
    /// the source of an op are searched as well if the text may be anywhere.
    pub filter: TextFilter,
    /// Number of columns into which the time from the first to the last event is divided, at most [`PictureQuery::MAX_COLUMNS`](super::PictureQuery::MAX_COLUMNS).
    pub n_columns: u32,
}

/// The events that a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchReport {
    pub query: SearchQuery,
    /// Number of events found.
    pub n: u64,
    /// Sum of their durations. Events inside of others count as well.
    pub time: Picos,
    /// For each column, whether an event that was found starts there: 1, else 0.
    #[serde(with = "serde_bytes")]
    pub columns: Vec<u8>,
    /// The names of the ops that match, at most [`SearchReport::MAX_HITS`].
    pub names: BTreeSet<String>,
    /// The first hits of all lines, in order of their start; at most [`SearchReport::MAX_HITS`].
    pub hits: Vec<EventRow>,
}

impl EventDetail {
    /// Largest number of links that are listed.
    pub const MAX_FLOWS: usize = 100;

    /// Returns the time from its start to its end.
    pub const fn duration(&self) -> Picos {
        Picos(self.end.0.saturating_sub(self.start.0))
    }

    /// Iterates over the links of the event, each from the event that started the other one.
    pub fn flow_lines(&self) -> impl Iterator<Item = FlowLine> + '_ {
        let own = FlowEnd { start: self.start, end: self.end, line: self.line, lane: self.lane, event: self.event };
        self.flows.iter().map(move |flow| {
            let EventRow { line, event, start, end, .. } = flow.event;
            let other = FlowEnd { start, end, line, lane: flow.lane, event };
            let (source, target) = if flow.is_source { (other, own) } else { (own, other) };
            FlowLine { source, target }
        })
    }
}

impl SearchReport {
    /// Largest number of hits that are listed.
    pub const MAX_HITS: usize = 1000;
}

/// An event in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventRow {
    pub line: LineRef,
    /// Index of the event in its line.
    pub event: u32,
    pub name: String,
    /// Name of the line, with its plane: "TPU:0, XLA Ops".
    pub track: String,
    /// `None` if the line has no ops.
    pub kind: Option<Kind>,
    pub start: Picos,
    pub end: Picos,
}

impl EventRow {
    /// Returns the time from the start to the end of the event.
    pub const fn duration(&self) -> Picos {
        Picos(self.end.0.saturating_sub(self.start.0))
    }

    /// Returns the key of the event's row.
    pub fn key(&self) -> String {
        event_key(self.line, self.event)
    }
}

/// Returns the key of an event: its line, and its index in the line.
pub fn event_key(line: LineRef, event: u32) -> String {
    format!("{}-{}-{event}", line.plane, line.line)
}

/// Reads what [`event_key`] writes. `None` if the text is no key.
pub fn parse_event_key(key: &str) -> Option<(LineRef, u32)> {
    let mut parts = key.splitn(3, '-').map(|part| part.parse::<u32>().ok());
    let mut next = || parts.next()?;
    Some((LineRef { plane: next()?, line: next()? }, next()?))
}

/// Requests the events of a window, in order of their start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventsQuery {
    pub lines: Vec<LineRef>,
    pub start: Picos,
    pub end: Picos,
}

/// The events of a window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventList {
    pub query: EventsQuery,
    /// Number of events that touch the window.
    pub n: u64,
    /// The first of them, at most [`SearchReport::MAX_HITS`].
    pub events: Vec<EventRow>,
}
