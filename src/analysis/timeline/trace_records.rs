//! This module defines the query for a trace, the records of a trace, and the report about it. All times are in ps on the axis
//! of the session, which is the event clock.

use super::event_report::FlowKind;
use crate::analysis::base::TimeRange;
use crate::analysis::classify::Kind;
use serde::{Deserialize, Serialize};
use xla_profile::units::Picos;

/// Requests the events of a range as a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceQuery {
    /// The range of the axis. `None` stands for the whole session.
    pub range: Option<TimeRange>,
    /// Largest number of events, and of links between them.
    pub max_events: u64,
}

impl TraceQuery {
    /// The usual limit on events. Viewers of traces hold the whole file in memory, and profilers write no more.
    pub const MAX_EVENTS: u64 = 1_000_000;

    /// Returns whether an event from `start` to `end`, in ps, touches the range. An event without a duration touches the range
    /// in which it starts.
    pub fn includes(&self, (start, end): (u64, u64)) -> bool {
        self.range.is_none_or(|range| start < range.end.0 && (end > range.start.0 || start >= range.start.0))
    }
}

/// The content of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceReport {
    /// Number of events in the trace.
    pub n_events: u64,
    /// Number of events that touch the range.
    pub n_in_range: u64,
    /// Number of links between events of the trace.
    pub n_flows: u64,
    /// Start of the first event that is left out. `None` if the trace holds all events of the range.
    pub until: Option<Picos>,
}

/// A record of a trace. Processes and threads have numbers from 1, and come before their events.
#[derive(Clone, Copy, Debug)]
pub enum TraceRecord<'a> {
    /// A plane.
    Process {
        process: u32,
        name: &'a str,
    },
    /// A lane of a line.
    Thread {
        thread: TraceThread,
        name: &'a str,
        /// Number of the lane in its line, from 0.
        lane: u32,
    },
    Event(TraceEvent<'a>),
    Counter(TraceCounter<'a>),
    /// A link from one event to another. Both have been listed before.
    Flow {
        kind: FlowKind,
        source: TraceInstant,
        target: TraceInstant,
    },
}

/// The numbers of a process and of a thread in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceThread {
    pub process: u32,
    pub thread: u32,
}

/// The start of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceInstant {
    pub thread: TraceThread,
    pub start: Picos,
}

/// An event of a trace.
#[derive(Clone, Copy, Debug)]
pub struct TraceEvent<'a> {
    pub thread: TraceThread,
    pub name: &'a str,
    pub start: Picos,
    pub end: Picos,
    /// `None` if the line has no ops.
    pub kind: Option<Kind>,
    /// The category of the op.
    pub category: Option<&'a str>,
    pub program: Option<&'a str>,
    /// Number of the step of the device in which the event starts.
    pub step: Option<u64>,
}

/// A sample of a counter.
#[derive(Clone, Copy, Debug)]
pub struct TraceCounter<'a> {
    pub process: u32,
    pub name: &'a str,
    pub start: Picos,
    /// The names of the series and their values.
    pub values: &'a [(&'a str, f64)],
}
