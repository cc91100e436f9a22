//! This module defines what the timeline reports about tracks: their list, and pictures of them. All times are displayed times, in ps
//! on the axis of the session (see `base::Axis`), with an offset for each host if their clocks are aligned.

use super::alignment_report::{Alignment, HostOffset};
use super::series::{SeriesPicture, SeriesRef, SeriesTrack};
use crate::analysis::classify::Kind;
use crate::analysis::gaps::GapClass;
use serde::{Deserialize, Serialize};
use xla_profile::units::Picos;

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
            Self::Series(series_ref) => format!("series-{}-{}", series_ref.group, series_ref.series),
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
    /// The offsets between the clocks of hosts. `None` if there is one host, or if hosts cannot be compared.
    pub alignment: Option<Alignment>,
}

impl Timeline {
    /// Returns the timeline with the first `max_steps` steps of each device, its last step, and the one with the number `step`.
    #[must_use]
    pub fn with_first_steps(&self, max_steps: usize, step: Option<u64>) -> Self {
        let mut timeline = self.clone();
        for group in &mut timeline.groups {
            let (mut index, n) = (0, group.steps.len());
            group.steps.retain(|group_step| {
                index += 1;
                index <= max_steps || index == n || Some(group_step.number) == step
            });
        }
        timeline
    }

    /// Returns the time by which the events of a group are displayed later than on the event clock, in ps.
    pub fn offset(&self, group: &TrackGroup) -> i64 {
        self.alignment.as_ref().map_or(0, |alignment| alignment.displayed_offset(group.host))
    }

    /// Returns the offset of the group of a device; that of the first group if there is no such device.
    pub fn device_offset(&self, device: Option<u32>) -> i64 {
        let group = self.groups.iter().find(|group| device.is_some() && group.device == device);
        group.or(self.groups.first()).map_or(0, |group| self.offset(group))
    }

    /// Returns the offset of the host of a group, if the offsets are applied.
    pub fn applied_offset(&self, group: &TrackGroup) -> Option<&HostOffset> {
        self.alignment.as_ref().filter(|alignment| alignment.is_applied)?.hosts.get(group.host as usize)
    }

    /// Returns whether clocks of hosts are aligned in all times of the timeline.
    pub fn is_aligned(&self) -> bool {
        self.alignment.as_ref().is_some_and(|alignment| alignment.is_applied)
    }

    /// Returns whether another timeline has the same tracks. Their times may be aligned in another way.
    pub fn has_tracks_of(&self, other: &Self) -> bool {
        let lines = |timeline: &Self| timeline.groups.iter().map(|group| group.tracks.clone()).collect::<Vec<_>>();
        lines(self) == lines(other)
    }
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
    /// Index of the host in [`Alignment::hosts`]: that of the file of the plane.
    pub host: u32,
    pub tracks: Vec<Track>,
    /// The values over time of the plane: first the counters, then those that are derived.
    pub series: Vec<SeriesTrack>,
    /// The steps of the device, in order. The page has the first ones, the last one, and the one that it shows.
    pub steps: Vec<StepSpan>,
}

impl TrackGroup {
    /// Returns the line with the ops of a device: of several, the one with the most time. `None` if it has none.
    pub fn main_ops(&self) -> Option<&Track> {
        let ops = self.tracks.iter().rev().filter(|track| track.kind.has_ops());
        ops.max_by_key(|track| (track.kind == TrackKind::Ops, track.time))
    }
}

impl Timeline {
    /// Returns the index of the group of the device that is shown first: the chosen one, else the first one that is busy for at
    /// least half as long as the busiest one. `None` without devices.
    pub fn first_device(&self, chosen: Option<u32>) -> Option<usize> {
        let time = |group: &TrackGroup| group.device.and_then(|_| group.main_ops()).map_or(0, |track| track.time.0);
        let most = self.groups.iter().map(time).max().unwrap_or_default();
        let position = |is: &dyn Fn(&TrackGroup) -> bool| self.groups.iter().position(is);
        chosen
            .and_then(|device| position(&|group| group.device == Some(device)))
            .or_else(|| position(&|group| group.device.is_some() && time(group) >= most / 2))
    }
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
    pub n_gaps: u32,
}
