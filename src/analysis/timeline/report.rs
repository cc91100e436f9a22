//! This module defines what the timeline reports: its tracks, pictures of them, single events, and the events that a search
//! finds. All times are in ps on the axis of the session (see `base::Axis`).

use super::series::{SeriesPicture, SeriesRef, SeriesTrack};
use crate::analysis::classify::Kind;
use crate::analysis::gaps::GapClass;
use crate::table::filter::TextFilter;
use crate::units::Picos;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The place of a line in the profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LineRef {
    /// Index of the plane.
    pub plane: u32,
    /// Index of the line in the plane.
    pub line: u32,
}

/// A track: a line, the idle time of a device, or values over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TrackId {
    Line(LineRef),
    /// The idle time of a device, by its index.
    Idle(u32),
    Series(SeriesRef),
}

impl TrackId {
    /// Returns the name of the track in addresses.
    pub fn key(self) -> String {
        match self {
            Self::Line(line) => format!("{}-{}", line.plane, line.line),
            Self::Idle(device) => format!("idle-{device}"),
            Self::Series(of) => format!("series-{}-{}", of.group, of.series),
        }
    }

    /// Reads what [`TrackId::key`] writes. `None` if the text is no key.
    pub fn parse(key: &str) -> Option<Self> {
        let (first, rest) = key.split_once('-')?;
        match first {
            "idle" => Some(Self::Idle(rest.parse().ok()?)),
            "series" => {
                let (group, series) = rest.split_once('-')?;
                Some(Self::Series(SeriesRef { group: group.parse().ok()?, series: series.parse().ok()? }))
            }
            plane => Some(Self::Line(LineRef { plane: plane.parse().ok()?, line: rest.parse().ok()? })),
        }
    }
}

/// The tracks of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// Start of the first event.
    pub start: Picos,
    /// End of the last event.
    pub end: Picos,
    /// The devices, then the hosts, then all other planes.
    pub groups: Vec<TrackGroup>,
    /// Number of events on the tracks.
    pub n_events: u64,
    /// Number of lines that are left out, because their times are far away from those of the devices.
    pub n_off_axis: u32,
}

/// The tracks of one plane.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrackGroup {
    /// Name of the plane; with the name of its file if the session has several files.
    pub name: String,
    /// Index of the device in the session. `None` for a plane without ops.
    pub device: Option<u32>,
    /// Whether the plane holds the threads of a host.
    pub is_host: bool,
    pub tracks: Vec<Track>,
    /// The values over time of the plane: first the counters, then those that are derived.
    pub series: Vec<SeriesTrack>,
    /// The steps of the device, in order.
    pub steps: Vec<StepSpan>,
}

/// A step of a device on the axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepSpan {
    pub number: u64,
    pub start: Picos,
    pub end: Picos,
}

/// A line of a plane.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Track {
    pub line: LineRef,
    pub name: String,
    pub kind: TrackKind,
    pub n_events: u64,
    /// Sum of the durations of the outermost events. Events that overlap count each.
    pub time: Picos,
}

/// The content of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TrackKind {
    /// The steps of a device.
    Steps,
    /// The runs of programs.
    Modules,
    /// The ops of a device.
    Ops,
    /// The asynchronous ops of a device.
    Async,
    /// Any other line of a device, such as its name scopes.
    #[default]
    Other,
    /// A thread of a host.
    Thread,
}

impl TrackKind {
    /// Returns whether the events of the line are ops, which have a kind of time.
    pub const fn has_ops(self) -> bool {
        matches!(self, Self::Ops | Self::Async)
    }
}

/// Requests a picture of some lines and series.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureQuery {
    pub lines: Vec<LineRef>,
    /// The devices whose idle time is drawn.
    pub idle: Vec<u32>,
    /// The series that are drawn.
    pub series: Vec<SeriesRef>,
    /// Start of the first column.
    pub start: Picos,
    /// Width of a column; at least 1 ps.
    pub column: Picos,
    /// Number of columns, at most [`PictureQuery::MAX_COLUMNS`].
    pub n_columns: u32,
}

impl PictureQuery {
    /// Largest number of columns. Further columns are left out.
    pub const MAX_COLUMNS: u32 = 8192;
    /// The least width of an event that is drawn as a box, in columns. Narrower events are summed by column.
    pub const BOX_COLUMNS: u64 = 3;

    /// Returns the end of the picture.
    pub fn end(&self) -> Picos {
        Picos(self.start.0.saturating_add(self.column.0.saturating_mul(self.n_columns.into())))
    }
}

/// A picture of some lines and series.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    pub query: PictureQuery,
    /// The lines of the query that are on the axis, in its order.
    pub lines: Vec<LinePicture>,
    /// The idle time of the devices of the query.
    pub idle: Vec<IdlePicture>,
    /// The series of the query that exist, in its order.
    pub series: Vec<SeriesPicture>,
    /// The names to which boxes refer.
    pub names: Vec<String>,
}

/// The picture of one line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinePicture {
    pub line: LineRef,
    /// Number of lanes of the whole line.
    pub n_lanes: u32,
    /// Number of events in the last lane that may overlap there; 0 if no events overlap in a lane.
    pub n_overlapping: u64,
    /// The wide events of the picture, by lane and then by time.
    pub boxes: Vec<EventBox>,
    /// The narrow events of the picture, summed by column; [`super::cells`] describes the bytes.
    #[serde(with = "serde_bytes")]
    pub cells: Vec<u8>,
}

/// A wide event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventBox {
    pub lane: u32,
    pub start: Picos,
    pub end: Picos,
    /// Index of the event in its line.
    pub event: u32,
    /// `None` if the line has no ops.
    pub kind: Option<Kind>,
    /// Index in [`Picture::names`].
    pub name: u32,
}

/// The idle time of a device in a picture. It has no boxes if the device has no times on the event clock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdlePicture {
    /// Index of the device.
    pub device: u32,
    /// In order of time.
    pub boxes: Vec<IdleBox>,
}

/// A part of a gap between the ops of a device. Parts that are narrower than a column are one box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdleBox {
    pub start: Picos,
    pub end: Picos,
    /// What the device waited for; of several parts, the one with the most time.
    pub class: GapClass,
    /// Idle time between `start` and `end`.
    pub time: Picos,
    /// Start of the gap that the part belongs to, and its end. Of several gaps, the start of the first and the end of the last.
    pub gap: (Picos, Picos),
    /// Number of gaps.
    pub n_gaps: u32,
}

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
    /// Number of links.
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
    /// Number of columns into which the time from the first to the last event is divided, at most [`PictureQuery::MAX_COLUMNS`].
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
