//! This module shows every event of a session on one time axis: pictures of any part at any scale, values over time,
//! single events, and searches.
//!
//! ```text
//!  axis      0 ─────────────────────────────────────────►              the event clock (base::Axis), aligned between hosts
//!  group     TPU:0       Steps         ├── step 12 ──┤├── step 13 ──┤
//!                        XLA Ops       ▪▪▪▪▪▪▪▪▪▪▪▪▪▪ ▪▪▪▪▪▪▪▪▪▪▪▪▪▪   lanes (xla_profile::lanes)
//!  group     /host:CPU   python        ├────┤   ├─┤
//!  picture   boxes of wide events, columns of narrow ones
//! ```
//!
//! The lanes of a line are made when the line is first shown. Self times of a range are those of the breakdown: a range is
//! a [`StepChoice::Range`](crate::analysis::base::StepChoice).

mod alignment;
mod alignment_report;
pub mod cells;
pub mod columns;
mod event;
mod event_report;
mod flows;
mod idle;
mod links;
mod report;
mod search;
mod series;
mod trace;
mod trace_records;
mod tracks;

pub use alignment_report::{Alignment, AlignmentBasis, HostOffset};
pub use event_report::{
    EventDetail, EventList, EventQuery, EventRow, EventsQuery, Flow, FlowEnd, FlowKind, FlowLine, FlowsQuery,
    FlowsReport, Neighbour, SearchQuery, SearchReport, event_key, parse_event_key,
};
pub use report::{
    EventBox, IdleBox, IdlePicture, LinePicture, LineRef, Picture, PictureQuery, StepSpan, Timeline, Track, TrackGroup,
    TrackId, TrackKind,
};
pub use series::{SeriesColumn, SeriesPicture, SeriesRange, SeriesRef, SeriesTrack, SeriesUnit};
pub use trace_records::{TraceCounter, TraceEvent, TraceInstant, TraceQuery, TraceRecord, TraceReport, TraceThread};

use crate::analysis::base::Analysis;
use crate::analysis::classify::Kind;
use crate::analysis::data_movement::Programs;
use crate::analysis::gaps::GapPart;
use alignment::DisplayAxis;
use indexmap::IndexMap;
use links::Links;
use rustc_hash::FxHashMap;
use series::SeriesIndex;
use tracks::line_at;
use xla_profile::lanes::{Lanes, LineTimes, PicturePart, View};
use xla_profile::profile::{Plane, Profile, StrId};
use xla_profile::units::Picos;

/// The tracks of a session, and the lanes of the lines that have been shown.
pub struct TimelineIndex {
    /// The tracks.
    pub timeline: Timeline,
    /// The group of the track of each line, and the place of the track in it.
    track_of: FxHashMap<LineRef, (u32, u32)>,
    axis: DisplayAxis,
    lines: FxHashMap<LineRef, LineIndex>,
    /// The kind of each op of a plane as a class of `lanes`, by the index of the plane.
    classes: FxHashMap<u32, Vec<u8>>,
    /// The displayed parts of the gaps of the devices whose idle time has been drawn, by the index of the device.
    idle: FxHashMap<u32, Box<[GapPart]>>,
    series: SeriesIndex,
    /// The links between events, after the first request for an event.
    links: Option<Links>,
}

/// A line on the axis.
struct LineIndex {
    lanes: Lanes,
    kind: TrackKind,
    /// Name of the line, with its plane.
    track: String,
}

/// A line with everything that is needed to read its events.
#[derive(Clone, Copy)]
struct ShownLine<'a> {
    plane: &'a Plane,
    times: LineTimes<'a>,
    lanes: &'a Lanes,
    /// The class of each op; empty if the events have no kind.
    classes: &'a [u8],
    /// Name of the line, with its plane.
    track: &'a str,
}

impl ShownLine<'_> {
    fn kind(&self, event: usize) -> Option<Kind> {
        let class = *self.classes.get(self.times.op(event).0 as usize)?;
        Kind::ALL.get(usize::from(class)).copied()
    }

    fn name(&self, event: usize) -> StrId {
        self.plane.op(self.times.op(event)).name
    }
}

/// Returns the group of the track of each line, and the place of the track in it.
fn track_of(timeline: &Timeline) -> FxHashMap<LineRef, (u32, u32)> {
    let mut all = FxHashMap::default();
    for (group, track_group) in (0..).zip(&timeline.groups) {
        for (position, track) in (0..).zip(&track_group.tracks) {
            all.entry(track.line).or_insert((group, position));
        }
    }
    all
}

impl TimelineIndex {
    /// Lists the tracks of a session on the event clock. A session without events has none.
    pub fn new(profile: &Profile, analysis: &Analysis) -> Self {
        Self::with_alignment(profile, analysis, None)
    }

    /// Lists the tracks of a session, with the clocks of its hosts aligned if they are known to differ. `programs` supplies device
    /// groups of collectives that the texts of ops lack.
    pub fn aligned(profile: &Profile, analysis: &Analysis, programs: Option<Programs<'_>>) -> Self {
        Self::with_alignment(profile, analysis, alignment::find_alignment(profile, analysis, programs))
    }

    fn with_alignment(profile: &Profile, analysis: &Analysis, alignment: Option<Alignment>) -> Self {
        let classes = analysis.devices.iter().zip(&analysis.facts).map(|(device, facts)| {
            (device.plane as u32, facts.ops.iter().map(|facts| facts.kind.index() as u8).collect())
        });
        let axis = DisplayAxis::new(analysis.axis, alignment.as_ref());
        let mut timeline = tracks::timeline(profile, analysis, &axis, alignment);
        Self {
            track_of: track_of(&timeline),
            series: SeriesIndex::new(profile, analysis, &mut timeline),
            timeline,
            axis,
            lines: FxHashMap::default(),
            classes: classes.collect(),
            idle: FxHashMap::default(),
            links: None,
        }
    }

    /// Aligns the clocks of the hosts, or displays all hosts on the event clock. `None` aligns them if they are known to differ.
    pub fn align(&mut self, profile: &Profile, analysis: &Analysis, is_aligned: Option<bool>) {
        let Some(mut alignment) = self.timeline.alignment.clone() else { return };
        let is_applied = is_aligned.unwrap_or(alignment.is_default);
        if is_applied == alignment.is_applied {
            return;
        }
        alignment.is_applied = is_applied;
        self.axis = DisplayAxis::new(analysis.axis, Some(&alignment));
        self.timeline = tracks::timeline(profile, analysis, &self.axis, Some(alignment));
        self.track_of = track_of(&self.timeline);
        self.series = SeriesIndex::new(profile, analysis, &mut self.timeline);
        self.idle.clear();
    }

    /// Draws the lines of a query that are on the axis, the idle time of its devices, and its series.
    pub fn picture(&mut self, profile: &Profile, analysis: &Analysis, query: &PictureQuery) -> Picture {
        let mut query = query.clone();
        query.column = Picos(query.column.0.max(1));
        query.n_columns = query.n_columns.min(PictureQuery::MAX_COLUMNS);
        let column = query.column.0;
        let box_from = column.saturating_mul(PictureQuery::BOX_COLUMNS);
        let view = View { start: query.start.0, column, n_columns: query.n_columns, box_from };
        let mut names: IndexMap<StrId, ()> = IndexMap::default();
        let mut lines = Vec::with_capacity(query.lines.len());
        for line_ref in &query.lines {
            let Some(shown) = self.shown(profile, *line_ref) else { continue };
            let mut picture = LinePicture {
                line: *line_ref,
                n_lanes: shown.lanes.len() as u32,
                n_overlapping: shown.lanes.n_overlapping() as u64,
                ..LinePicture::default()
            };
            for lane in 0..shown.lanes.len() {
                shown.lanes.draw(lane, shown.times, shown.classes, &view, &mut |part| match part {
                    PicturePart::Cell(cell) => cells::write(&mut picture.cells, lane as u32, &cell, column),
                    PicturePart::Box { event, start, end } => picture.boxes.push(EventBox {
                        lane: lane as u32,
                        start: Picos(start),
                        end: Picos(end),
                        event: event as u32,
                        kind: shown.kind(event),
                        name: names.insert_full(shown.name(event), ()).0 as u32,
                    }),
                });
            }
            lines.push(picture);
        }
        let names = names.keys().map(|name| profile.text(*name).to_owned()).collect();
        let idle = self.idle(profile, analysis, &query);
        let series = self.series.picture(profile, analysis, &query);
        Picture { query, lines, idle, series, names }
    }

    /// Returns the values of a series in a range of time. `None` if there is no such series.
    pub fn series_range(
        &mut self,
        profile: &Profile,
        analysis: &Analysis,
        series: SeriesRef,
        range: (Picos, Picos),
    ) -> Option<SeriesRange> {
        self.series.range(profile, analysis, series, range)
    }

    /// Returns a line with its lanes, which are made if the line is shown for the first time. `None` if the line is not a
    /// track.
    fn shown<'a>(&'a mut self, profile: &'a Profile, line_ref: LineRef) -> Option<ShownLine<'a>> {
        if !self.lines.contains_key(&line_ref) {
            let (group, track) = *self.track_of.get(&line_ref)?;
            let group = self.timeline.groups.get(group as usize)?;
            let track = group.tracks.get(track as usize)?;
            let (kind, track) = (track.kind, format!("{}, {}", group.name, track.name));
            let (_, line) = line_at(profile, line_ref)?;
            let classes = self.classes_of(line_ref, kind);
            let lanes = Lanes::new(&line.events, kind != TrackKind::Async, classes);
            self.lines.insert(line_ref, LineIndex { lanes, kind, track });
        }
        let (plane, line) = line_at(profile, line_ref)?;
        let index = self.lines.get(&line_ref)?;
        let times = self.axis.times(plane, line)?;
        Some(ShownLine {
            plane,
            times,
            lanes: &index.lanes,
            classes: self.classes_of(line_ref, index.kind),
            track: &index.track,
        })
    }

    /// Returns the class of each op of a line; empty if its events are not ops.
    fn classes_of(&self, line: LineRef, kind: TrackKind) -> &[u8] {
        self.classes.get(&line.plane).filter(|_| kind.has_ops()).map_or(&[], Vec::as_slice)
    }

    /// Finds the links between events, if they have not been found before.
    fn make_links(&mut self, profile: &Profile) {
        if self.links.is_none() {
            self.links = Some(Links::new(profile, self.tracks().map(|track| track.line)));
        }
    }

    fn tracks(&self) -> impl Iterator<Item = &Track> {
        self.timeline.groups.iter().flat_map(|group| &group.tracks)
    }
}
