//! This module computes the places of the tracks: a head for each group, below it its tracks if the group is unfolded, and
//! for each track one row per lane.

use crate::analysis::timeline::{LineRef, SeriesRef, Timeline, TrackGroup, TrackId, TrackKind};
use std::collections::BTreeMap;

/// Height of the head of a group, in px.
pub const HEAD: f64 = 24.0;
/// Height of a lane, in px.
pub const LANE: f64 = 20.0;
/// Height of the events in a lane, in px.
pub const BLOCK: f64 = 18.0;
/// Height of a lane, and of the events in it, in a track with more than [`LARGE_LANES`] lanes.
const SMALL: (f64, f64) = (8.0, 7.0);
/// Height of the idle time of a device, and of its boxes, in px.
const IDLE: (f64, f64) = (16.0, 14.0);
/// Height of values over time, and of their largest value, in px.
const SERIES: (f64, f64) = (30.0, 26.0);
/// Largest number of lanes that have the usual height.
const LARGE_LANES: u32 = 6;
/// Space below the lanes of a track, in px.
const SPACE: f64 = 4.0;
/// Number of threads of a host that are shown before the others are folded.
const THREADS: usize = 6;

/// The content of a band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BandKind {
    /// The head of a group. It shows the first lane of the line, if the group is folded and has one to show.
    Head { is_open: bool, line: Option<LineRef> },
    /// A line; `track` is its index in the group.
    Track { line: LineRef, track: u32 },
    /// The idle time of a device.
    Idle { device: u32 },
    /// Values over time.
    Series { id: SeriesRef },
    /// The button that unfolds the threads that are folded, or folds them again.
    More { n: u32, is_open: bool },
}

/// A part of the height of the timeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    pub kind: BandKind,
    /// Index of the group.
    pub group: u32,
    /// Top and height, in px. The top of a band that is not pinned is below all pinned ones.
    pub top: f64,
    pub height: f64,
    /// Number of lanes that are drawn.
    pub n_lanes: u32,
    /// Whether the band is above all others and does not scroll.
    pub is_pinned: bool,
}

impl Band {
    /// Returns the line that the band draws.
    pub const fn line(&self) -> Option<LineRef> {
        match self.kind {
            BandKind::Head { line, .. } => line,
            BandKind::Track { line, .. } => Some(line),
            BandKind::Idle { .. } | BandKind::Series { .. } | BandKind::More { .. } => None,
        }
    }

    /// Returns the track of the band. A head has none, although it may draw a line.
    pub const fn track(&self) -> Option<TrackId> {
        match self.kind {
            BandKind::Track { line, .. } => Some(TrackId::Line(line)),
            BandKind::Idle { device } => Some(TrackId::Idle(device)),
            BandKind::Series { id } => Some(TrackId::Series(id)),
            BandKind::Head { .. } | BandKind::More { .. } => None,
        }
    }

    /// Returns the distance of a lane from the top of the band, in px. A lane that is not drawn has the place of the last one.
    pub(super) fn lane_offset(&self, lane: u32) -> f64 {
        match self.kind {
            BandKind::Head { .. } => (HEAD - BLOCK) / 2.0,
            _ => f64::from(lane.min(self.n_lanes.saturating_sub(1))) * self.lane_heights().0,
        }
    }

    /// Returns the height of the events in a lane, in px.
    pub const fn block(&self) -> f64 {
        self.lane_heights().1
    }

    /// Returns the height of a lane, and that of the events in it, in px.
    const fn lane_heights(&self) -> (f64, f64) {
        lane_heights(self.kind, self.n_lanes)
    }
}

const fn lane_heights(kind: BandKind, n_lanes: u32) -> (f64, f64) {
    match kind {
        BandKind::Idle { .. } => IDLE,
        BandKind::Series { .. } => SERIES,
        _ => line_heights(n_lanes),
    }
}

/// Returns the height of the events in the lanes of a line, in px.
pub const fn block_height(n_lanes: u32) -> f64 {
    line_heights(n_lanes).1
}

const fn line_heights(n_lanes: u32) -> (f64, f64) {
    if n_lanes > LARGE_LANES { SMALL } else { (LANE, BLOCK) }
}

/// A band at its place on the canvas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VisibleBand {
    pub band: Band,
    /// Top on the canvas, in px.
    pub y: f64,
}

impl VisibleBand {
    /// Returns the top of a lane on the canvas, in px. A lane that is not drawn has the place of the last one.
    pub fn lane_top(&self, lane: u32) -> f64 {
        self.y + self.band.lane_offset(lane)
    }

    /// Returns the lane at a height of the canvas. `None` if none is there.
    fn lane_at(&self, y: f64) -> Option<u32> {
        let lane = match self.band.kind {
            BandKind::Head { .. } => 0,
            _ => ((y - self.y) / self.band.lane_heights().0).floor().max(0.0) as u32,
        };
        (lane < self.band.n_lanes).then_some(lane)
    }
}

/// What the user has chosen to see, and what is known of the lines.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choices<'a> {
    /// The groups that are unfolded. `None` unfolds the first device and the first host.
    pub open: Option<&'a [u32]>,
    /// The device that the page shows. `None` if it shows several.
    pub device: Option<u32>,
    /// The groups whose threads are all shown.
    pub all: &'a [u32],
    /// The tracks that are pinned, in their order.
    pub pins: &'a [TrackId],
    /// Number of lanes of the lines that have been drawn. A line that is not in it has one lane.
    pub n_lanes: Option<&'a BTreeMap<LineRef, u32>>,
}

/// The places of all tracks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// The pinned bands, then the others, from top to bottom.
    bands: Vec<Band>,
    /// The sum of the heights of the pinned bands, in px.
    pub pinned: f64,
    /// The sum of all heights, in px.
    pub height: f64,
}

impl Layout {
    /// Computes the places.
    pub fn new(timeline: &Timeline, choices: &Choices<'_>) -> Self {
        let mut layout = Self::default();
        for pin in choices.pins {
            let group = (0..).zip(&timeline.groups).find_map(|(index, group)| {
                let kind = tracks(group).find(|kind| track_of(*kind) == Some(*pin))?;
                Some((index, kind))
            });
            if let Some((index, kind)) = group {
                layout.push_track(index, kind, choices, true);
            }
        }
        layout.pinned = layout.height;
        for (index, group) in (0..).zip(&timeline.groups) {
            let is_open = choices
                .open
                .map_or_else(|| is_open_by_default(timeline, choices.device, index), |open| open.contains(&index));
            let ops = group.tracks.iter().find(|track| track.kind == TrackKind::Ops);
            let line = ops.filter(|_| !is_open).map(|track| track.line);
            layout.push(index, BandKind::Head { is_open, line }, HEAD, 1);
            if !is_open {
                continue;
            }
            let has_all = choices.all.contains(&index);
            let n_shown = if group.is_host && !has_all { group.series.len() + THREADS } else { usize::MAX };
            for kind in tracks(group).take(n_shown) {
                layout.push_track(index, kind, choices, false);
            }
            let n_more = group.tracks.len().saturating_sub(THREADS);
            if group.is_host && n_more > 0 {
                layout.push(index, BandKind::More { n: n_more as u32, is_open: has_all }, HEAD, 0);
            }
        }
        layout
    }

    fn push_track(&mut self, group: u32, kind: BandKind, choices: &Choices<'_>, is_pinned: bool) {
        let n_lanes = match kind {
            BandKind::Track { line, .. } => {
                choices.n_lanes.and_then(|n_lanes| n_lanes.get(&line)).copied().unwrap_or(1)
            }
            _ => 1,
        };
        let n_lanes = n_lanes.max(1);
        self.push(group, kind, f64::from(n_lanes) * lane_heights(kind, n_lanes).0 + SPACE, n_lanes);
        if let Some(band) = self.bands.last_mut() {
            band.is_pinned = is_pinned;
        }
    }

    fn push(&mut self, group: u32, kind: BandKind, height: f64, n_lanes: u32) {
        self.bands.push(Band { kind, group, top: self.height, height, n_lanes, is_pinned: false });
        self.height += height;
    }

    /// Returns all bands: the pinned ones, then the others, from top to bottom.
    pub fn bands(&self) -> &[Band] {
        &self.bands
    }

    /// Returns the bands that are on a canvas of a height, when the tracks are scrolled by `scroll`: those that scroll, then the
    /// pinned ones, which cover them.
    pub fn visible(&self, scroll: f64, height: f64) -> impl Iterator<Item = VisibleBand> + '_ {
        let n_pinned = self.bands.partition_point(|band| band.is_pinned);
        let (pinned, others) = self.bands.split_at(n_pinned);
        let first = others.partition_point(|band| band.top + band.height - scroll <= self.pinned);
        let end = others.partition_point(|band| band.top - scroll < height);
        let others = others.get(first..end.max(first)).unwrap_or_default();
        let others = others.iter().map(move |band| VisibleBand { band: *band, y: band.top - scroll });
        others.chain(pinned.iter().map(|band| VisibleBand { band: *band, y: band.top }))
    }

    /// Returns the band of a line, which may be outside of the canvas; of several ones, the pinned one.
    pub fn band_of(&self, line: LineRef, scroll: f64) -> Option<VisibleBand> {
        let band = self.bands.iter().find(|band| band.line() == Some(line))?;
        let y = if band.is_pinned { band.top } else { band.top - scroll };
        Some(VisibleBand { band: *band, y })
    }

    /// Returns the band and the lane at a height of the canvas. `None` if no lane is there.
    pub fn lane_at(&self, y: f64, scroll: f64) -> Option<(VisibleBand, u32)> {
        let is_there = |visible: &VisibleBand| visible.y <= y && y < visible.y + visible.band.height;
        // A pinned band covers the others.
        let band = self.visible(scroll, y + 1.0).filter(is_there).last()?;
        if band.band.line().is_none() && band.band.track().is_none() {
            return None;
        }
        Some((band, band.lane_at(y)?))
    }
}

/// Lists the tracks of an unfolded group. The idle time of a device is below its ops, and values over time are the last ones; of
/// a host they are the first ones, before its threads.
fn tracks(group: &TrackGroup) -> impl Iterator<Item = BandKind> + '_ {
    let last_ops = group.tracks.iter().rposition(|track| track.kind == TrackKind::Ops);
    let lines = (0..).zip(&group.tracks).flat_map(move |(index, track)| {
        let idle = group.device.filter(|_| last_ops == Some(index as usize)).map(|device| BandKind::Idle { device });
        [Some(BandKind::Track { line: track.line, track: index }), idle].into_iter().flatten()
    });
    let series =
        |is_here: bool| group.series.iter().filter(move |_| is_here).map(|track| BandKind::Series { id: track.id });
    series(group.is_host).chain(lines).chain(series(!group.is_host))
}

fn track_of(kind: BandKind) -> Option<TrackId> {
    Band { kind, group: 0, top: 0.0, height: 0.0, n_lanes: 1, is_pinned: false }.track()
}

/// Returns whether a group is unfolded if the address does not tell: the shown device and the first host are.
fn is_open_by_default(timeline: &Timeline, device: Option<u32>, index: u32) -> bool {
    let device = timeline.first_device(device).or(Some(0));
    let host = timeline.groups.iter().position(|group| group.is_host);
    [device, host].contains(&Some(index as usize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::timeline::{SeriesTrack, Track};

    fn timeline() -> Timeline {
        let track =
            |plane: u32, line: u32, kind: TrackKind| Track { line: LineRef { plane, line }, kind, ..Track::default() };
        let device = TrackGroup {
            device: Some(0),
            tracks: vec![track(0, 0, TrackKind::Steps), track(0, 1, TrackKind::Ops)],
            ..TrackGroup::default()
        };
        let host = TrackGroup {
            is_host: true,
            tracks: (0..9).map(|line| track(1, line, TrackKind::Thread)).collect(),
            ..TrackGroup::default()
        };
        Timeline { groups: vec![device, host], ..Timeline::default() }
    }

    /// Lines with as many lanes as `n_lanes` tells.
    fn lanes(n_lanes: impl Fn(LineRef) -> u32) -> BTreeMap<LineRef, u32> {
        let timeline = timeline();
        let lines = timeline.groups.iter().flat_map(|group| &group.tracks).map(|track| track.line);
        lines.map(|line| (line, n_lanes(line))).collect()
    }

    const OPS: LineRef = LineRef { plane: 0, line: 1 };

    #[test]
    fn bands_follow_each_other() {
        let n_lanes = lanes(|line| line.line + 1);
        let layout = Layout::new(&timeline(), &Choices { n_lanes: Some(&n_lanes), ..Choices::default() });
        // Two heads, two tracks and the idle time of a device, six threads, and the button for three more.
        assert_eq!(layout.bands.len(), 2 + 3 + 6 + 1);
        let mut top = 0.0;
        for band in &layout.bands {
            assert_eq!(band.top, top);
            top += band.height;
        }
        assert_eq!((layout.height, layout.pinned), (top, 0.0));
        assert_eq!(layout.bands.last().map(|band| band.kind), Some(BandKind::More { n: 3, is_open: false }));
        let all = Layout::new(&timeline(), &Choices { all: &[1], ..Choices::default() });
        assert_eq!(all.bands.len(), 2 + 3 + 9 + 1);
    }

    #[test]
    fn a_folded_device_shows_its_ops() {
        let n_lanes = lanes(|_| 4);
        let choices = Choices { open: Some(&[]), n_lanes: Some(&n_lanes), ..Choices::default() };
        let layout = Layout::new(&timeline(), &choices);
        assert_eq!(layout.bands.len(), 2);
        assert_eq!((layout.bands[0].line(), layout.bands[1].line()), (Some(OPS), None));
        let lane_at = |y: f64| layout.lane_at(y, 0.0).map(|(visible, lane)| (visible.band.line(), lane));
        assert_eq!((lane_at(5.0), lane_at(HEAD + 5.0)), (Some((Some(OPS), 0)), None));
    }

    #[test]
    fn lanes_are_found_by_their_height() {
        let n_lanes = lanes(|_| 3);
        let layout = Layout::new(&timeline(), &Choices { n_lanes: Some(&n_lanes), ..Choices::default() });
        for scroll in [0.0, 30.0] {
            let is_ops = |visible: &VisibleBand| visible.band.line() == Some(OPS);
            let ops = layout.visible(scroll, 1e9).find(is_ops).unwrap();
            for lane in 0..3 {
                assert_eq!(layout.lane_at(ops.lane_top(lane) + 1.0, scroll), Some((ops, lane)));
            }
            assert_eq!(layout.lane_at(ops.y + ops.band.height - 1.0, scroll), None, "the space below the lanes");
        }
        assert_eq!(layout.visible(layout.height, layout.height).count(), 0);
    }

    #[test]
    fn values_over_time_are_tracks() {
        let mut timeline = timeline();
        for (index, group) in (0..).zip(&mut timeline.groups) {
            let id = SeriesRef { group: index, series: 0 };
            group.series = vec![SeriesTrack { id, ..SeriesTrack::default() }];
        }
        let layout = Layout::new(&timeline, &Choices::default());
        let tracks: Vec<Option<TrackId>> = layout.bands.iter().map(Band::track).collect();
        let series = |group| Some(TrackId::Series(SeriesRef { group, series: 0 }));
        assert_eq!(
            (tracks[4], tracks[6]),
            (series(0), series(1)),
            "after the tracks of a device, before those of a host"
        );
        assert_eq!(layout.bands.len(), 2 + 4 + 7 + 1, "values do not take the place of threads");
    }

    #[test]
    fn pinned_tracks_stay_above_the_others() {
        let pins = [TrackId::Idle(0), TrackId::Line(LineRef { plane: 1, line: 8 }), TrackId::Idle(7)];
        let layout = Layout::new(&timeline(), &Choices { pins: &pins, ..Choices::default() });
        let tracks = |layout: &Layout, scroll: f64| {
            layout
                .visible(scroll, 100.0)
                .filter(|visible| visible.band.is_pinned)
                .map(|visible| visible.band.track())
                .collect::<Vec<_>>()
        };
        // A track that is not there is not pinned.
        assert_eq!(layout.pinned, IDLE.0 + SPACE + LANE + SPACE);
        assert_eq!(tracks(&layout, 0.0), [Some(pins[0]), Some(pins[1])]);
        assert_eq!(tracks(&layout, 200.0), tracks(&layout, 0.0));
        let first = |scroll: f64| layout.lane_at(3.0, scroll).and_then(|(visible, _)| visible.band.track());
        assert_eq!((first(0.0), first(200.0)), (Some(pins[0]), Some(pins[0])), "they cover what is below them");
        let head = layout.visible(0.0, 100.0).find(|visible| matches!(visible.band.kind, BandKind::Head { .. }));
        assert_eq!(head.map(|visible| visible.y), Some(layout.pinned));
    }
}
