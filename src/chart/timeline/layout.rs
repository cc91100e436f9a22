//! This module computes the places of the tracks: a head for each group, below it its tracks if the group is unfolded, and
//! for each track one row per lane.

use crate::analysis::timeline::{LineRef, Timeline, TrackGroup, TrackKind};

/// Height of the head of a group, in px.
pub const HEAD: f64 = 24.0;
/// Height of a lane, in px.
pub const LANE: f64 = 20.0;
/// Height of the events in a lane, in px.
pub const BLOCK: f64 = 18.0;
/// Height of a lane, and of the events in it, in a track with more than [`LARGE_LANES`] lanes.
const SMALL: (f64, f64) = (8.0, 7.0);
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
    /// A track.
    Track { line: LineRef, kind: TrackKind, track: u32 },
    /// The button that unfolds the threads that are folded, or folds them again.
    More { n: u32, is_open: bool },
}

/// A part of the height of the timeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    pub kind: BandKind,
    /// Index of the group.
    pub group: u32,
    /// Top and height, in px.
    pub top: f64,
    pub height: f64,
    /// Number of lanes that are drawn.
    pub n_lanes: u32,
}

impl Band {
    /// Returns the line that the band draws.
    pub const fn line(&self) -> Option<LineRef> {
        match self.kind {
            BandKind::Head { line, .. } => line,
            BandKind::Track { line, .. } => Some(line),
            BandKind::More { .. } => None,
        }
    }

    /// Returns the top of a lane, in px. A lane that is not drawn has the place of the last one.
    pub fn lane_top(&self, lane: u32) -> f64 {
        match self.kind {
            BandKind::Head { .. } => self.top + (HEAD - BLOCK) / 2.0,
            _ => self.top + f64::from(lane.min(self.n_lanes.saturating_sub(1))) * lane_heights(self.n_lanes).0,
        }
    }

    /// Returns the height of the events in a lane, in px.
    pub fn block(&self) -> f64 {
        lane_heights(self.n_lanes).1
    }
}

/// Returns the height of a lane, and that of the events in it, in px.
const fn lane_heights(n_lanes: u32) -> (f64, f64) {
    if n_lanes > LARGE_LANES { SMALL } else { (LANE, BLOCK) }
}

/// The places of all tracks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    pub bands: Vec<Band>,
    /// The sum of all heights, in px.
    pub height: f64,
}

impl Layout {
    /// Computes the places. `is_open` returns whether a group is unfolded, `has_all` whether all threads of a group are shown,
    /// and `n_lanes` the number of lanes of a line, which is 1 until it is known.
    pub fn new(
        timeline: &Timeline,
        is_open: impl Fn(u32) -> bool,
        has_all: impl Fn(u32) -> bool,
        n_lanes: impl Fn(LineRef) -> u32,
    ) -> Self {
        let mut layout = Self::default();
        for (at, group) in (0..).zip(&timeline.groups) {
            let is_open = is_open(at);
            let ops = group.tracks.iter().find(|track| track.kind == TrackKind::Ops);
            let line = ops.filter(|_| !is_open).map(|track| track.line);
            layout.push(at, BandKind::Head { is_open, line }, HEAD, 1);
            if !is_open {
                continue;
            }
            let n_shown = if group.is_host && !has_all(at) { THREADS } else { usize::MAX };
            for (index, track) in (0..).zip(&group.tracks).take(n_shown) {
                let kind = BandKind::Track { line: track.line, kind: track.kind, track: index };
                let n_lanes = n_lanes(track.line).max(1);
                layout.push(at, kind, f64::from(n_lanes) * lane_heights(n_lanes).0 + SPACE, n_lanes);
            }
            let n_more = group.tracks.len().saturating_sub(THREADS);
            if group.is_host && n_more > 0 {
                layout.push(at, BandKind::More { n: n_more as u32, is_open: has_all(at) }, HEAD, 0);
            }
        }
        layout
    }

    fn push(&mut self, group: u32, kind: BandKind, height: f64, n_lanes: u32) {
        self.bands.push(Band { kind, group, top: self.height, height, n_lanes });
        self.height += height;
    }

    /// Returns the bands that are visible between two heights.
    pub fn visible(&self, top: f64, bottom: f64) -> &[Band] {
        let first = self.bands.partition_point(|band| band.top + band.height <= top);
        let end = self.bands.partition_point(|band| band.top < bottom);
        self.bands.get(first..end.max(first)).unwrap_or_default()
    }

    /// Returns the band and the lane at a height. `None` if no lane is there.
    pub fn lane_at(&self, y: f64) -> Option<(&Band, u32)> {
        let band = self.visible(y, y + 0.5).first()?;
        band.line()?;
        let lane = match band.kind {
            BandKind::Head { .. } => 0,
            _ => ((y - band.top) / lane_heights(band.n_lanes).0).floor() as u32,
        };
        (lane < band.n_lanes).then_some((band, lane))
    }

    /// Returns the band of a line.
    pub fn band_of(&self, line: LineRef) -> Option<&Band> {
        self.bands.iter().find(|band| band.line() == Some(line))
    }
}

/// Returns whether a group is unfolded if the address does not tell: the first device and the first host are.
pub fn is_open_by_default(timeline: &Timeline, at: u32) -> bool {
    let groups = &timeline.groups;
    let first = |is: fn(&TrackGroup) -> bool| groups.iter().position(is);
    let device = first(|group| group.device.is_some()).or(Some(0));
    [device, first(|group| group.is_host)].contains(&Some(at as usize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::timeline::Track;

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

    #[test]
    fn bands_follow_each_other() {
        let layout = Layout::new(&timeline(), |_| true, |_| false, |line| line.line + 1);
        // Two heads, two tracks of a device, six threads, and the button for three more.
        assert_eq!(layout.bands.len(), 2 + 2 + 6 + 1);
        let mut top = 0.0;
        for band in &layout.bands {
            assert_eq!(band.top, top);
            top += band.height;
        }
        assert_eq!(layout.height, top);
        assert_eq!(layout.bands.last().map(|band| band.kind), Some(BandKind::More { n: 3, is_open: false }));
        assert_eq!(Layout::new(&timeline(), |_| true, |_| true, |_| 1).bands.len(), 2 + 2 + 9 + 1);
    }

    #[test]
    fn a_folded_device_shows_its_ops() {
        let layout = Layout::new(&timeline(), |_| false, |_| false, |_| 4);
        let ops = LineRef { plane: 0, line: 1 };
        assert_eq!(layout.bands.len(), 2);
        assert_eq!((layout.bands[0].line(), layout.bands[1].line()), (Some(ops), None));
        assert_eq!(layout.lane_at(5.0).map(|(band, lane)| (band.line(), lane)), Some((Some(ops), 0)));
        assert_eq!(layout.lane_at(HEAD + 5.0), None);
    }

    #[test]
    fn lanes_are_found_by_their_height() {
        let layout = Layout::new(&timeline(), |at| at == 0, |_| false, |_| 3);
        let ops = layout.band_of(LineRef { plane: 0, line: 1 }).unwrap();
        for lane in 0..3 {
            assert_eq!(layout.lane_at(ops.lane_top(lane) + 1.0), Some((ops, lane)));
        }
        assert_eq!(layout.lane_at(ops.top + ops.height - 1.0), None, "the space below the lanes");
        assert_eq!(layout.visible(ops.top, ops.top + 1.0), [*ops]);
        assert_eq!(layout.visible(layout.height, layout.height + 9.0), []);
    }
}
