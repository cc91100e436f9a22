//! This module draws the visible part of the timeline as a scene, which is saved as SVG or PNG: a title, the ruler, the names of
//! the tracks, their events and a legend.

use super::area::{AreaPlace, areas, highest, mean};
use super::layout::{Band, BandKind, Layout, VisibleBand};
use super::line_frame::{LanePlace, LineFrame, NAME_SIZE, tones};
use super::ruler::ruler;
use super::text::unit;
use super::viewport::Viewport;
use crate::analysis::classify::Kind;
use crate::analysis::gaps::GapClass;
use crate::analysis::timeline::cells;
use crate::analysis::timeline::{IdleBox, LinePicture, Picture, SeriesColumn, SeriesPicture, Timeline};
use crate::chart::plot::label::width;
use crate::chart::plot::scene::{Anchor, Mark, Paint, Scene, Shape, Tone};
use crate::chart::plot::time_part::TimePart;
use crate::table::format;
use xla_profile::units::Picos;

/// Width of the names, in px.
const NAMES: f64 = 200.0;
/// Heights of the title, of the ruler and of the legend, in px.
const TITLE: f64 = 28.0;
const RULER: f64 = 22.0;
const LEGEND: f64 = 30.0;
/// Largest number of marks of a picture that is saved. With more marks, wider columns are to be requested.
pub const MAX_MARKS: usize = 20_000;

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Content<'a> {
    /// The title: the name of the file.
    pub title: &'a str,
    pub timeline: &'a Timeline,
    pub layout: &'a Layout,
    /// A picture of the visible tracks.
    pub picture: &'a Picture,
    pub view: Viewport,
    /// Height to which the tracks are scrolled, in px.
    pub scroll: f64,
    /// Width and height of the visible tracks, in px.
    pub size: (f64, f64),
    pub range: Option<(u64, u64)>,
}

impl<'a> Content<'a> {
    /// Returns the place of the events.
    const fn frame(&self) -> LineFrame<'a> {
        let Self { view, size: (width, _), picture, .. } = *self;
        LineFrame { view, left: NAMES, width, query: &picture.query, names: picture.names.as_slice() }
    }
}

pub fn scene(content: &Content<'_>) -> Scene {
    let (width, height) = content.size;
    let mut drawing = Drawing { content, marks: Vec::new() };
    drawing.head();
    for visible in content.layout.visible(content.scroll, height) {
        drawing.band(&visible);
    }
    drawing.legend();
    let view = content.view;
    Scene {
        width: NAMES + width,
        height: TITLE + RULER + height + LEGEND,
        marks: drawing.marks,
        title: format!(
            "Timeline of {}, {} to {}",
            content.title,
            format::time_text(Picos(view.start)),
            format::time_text(Picos(view.end))
        ),
        ..Scene::default()
    }
}

struct Drawing<'a> {
    content: &'a Content<'a>,
    marks: Vec<Mark>,
}

impl Drawing<'_> {
    fn rect(&mut self, tone: Tone, (x, y): (f64, f64), (width, height): (f64, f64), opacity: f64) {
        let paint = Paint { opacity, ..Paint::fill(tone) };
        self.marks.push(Mark::new(Shape::rect(x, y, width, height), paint));
    }

    fn text(&mut self, tone: Tone, (x, y): (f64, f64), text: String) {
        self.marks.push(Mark::new(Shape::text(x, y, Anchor::Start, text), Paint::fill(tone)));
    }

    /// Draws the title, the ruler and the selected range.
    fn head(&mut self) {
        let Content { title, timeline, view, size: (width, height), range, .. } = *self.content;
        self.text(Tone::Ink, (12.0, TITLE - 9.0), title.to_owned());
        let ruler = ruler(view, width, 96.0);
        self.text(Tone::Ink3, (12.0, TITLE + RULER - 7.0), unit(ruler.unit.symbol(), timeline.is_aligned()));
        if let Some((x, wide)) = range.and_then(|(start, end)| self.content.frame().span(Picos(start), Picos(end))) {
            self.rect(Tone::Select, (x, TITLE + RULER), (wide, height), 1.0);
            self.rect(Tone::Accent, (x, TITLE + RULER - 4.0), (wide, 4.0), 1.0);
        }
        for mark in ruler.marks {
            let x = self.content.frame().x(Picos(mark.time)).round();
            self.rect(Tone::Grid, (x, TITLE + RULER), (1.0, height), 1.0);
            self.text(Tone::Ink3, (x + 4.0, TITLE + RULER - 7.0), mark.label);
        }
    }

    /// Draws a band: its name, and the events of its line or the idle time of its device.
    fn band(&mut self, visible: &VisibleBand) {
        let y = TITLE + RULER + visible.y;
        let Band { kind, height, is_pinned, .. } = visible.band;
        let Content { layout, picture, size, .. } = *self.content;
        // A band that is partly above or below the picture is left out.
        let top = if is_pinned { 0.0 } else { layout.pinned };
        if visible.y < top || visible.y + height > size.1 {
            return;
        }
        if matches!(kind, BandKind::Head { .. }) {
            self.rect(Tone::Sunken, (0.0, y), (NAMES + size.0, height - 1.0), 1.0);
        }
        if let Some((name, x)) = self.name(&visible.band) {
            let room = (NAMES - x - 8.0) / width("n", NAME_SIZE).max(1.0);
            let name = format::middle_cut(&name, room.max(1.0) as usize);
            let tone = if x > 20.0 { Tone::Ink2 } else { Tone::Ink };
            self.text(tone, (x, y + 15.0), name);
        }
        if let Some(line) =
            visible.band.line().and_then(|line_ref| picture.lines.iter().find(|line| line.line == line_ref))
        {
            self.line(visible, line);
        }
        if let BandKind::Idle { device } = kind {
            let boxes = picture.idle.iter().find(|idle| idle.device == device).map_or(&[][..], |idle| &idle.boxes);
            boxes.iter().for_each(|idle_box| self.idle(visible, idle_box));
        }
        if let BandKind::Series { id } = kind
            && let Some(series) = picture.series.iter().find(|candidate| candidate.id == id)
        {
            self.series(visible, series);
        }
    }

    /// Returns the name of a band, and the place of the name.
    fn name(&self, band: &Band) -> Option<(String, f64)> {
        let group = self.content.timeline.groups.get(band.group as usize)?;
        match band.kind {
            BandKind::Head { .. } => Some((group.name.clone(), 12.0)),
            BandKind::Track { track, .. } => {
                let track = group.tracks.get(track as usize)?.name.clone();
                Some((if band.is_pinned { format!("{}, {track}", group.name) } else { track }, 28.0))
            }
            BandKind::Idle { .. } => Some(("Idle".to_owned(), 28.0)),
            BandKind::Series { id } => Some((group.series.get(id.series as usize)?.name.clone(), 28.0)),
            BandKind::More { .. } => None,
        }
    }

    /// Draws values over time.
    fn series(&mut self, visible: &VisibleBand, series_picture: &SeriesPicture) {
        let Content { view, size: (width, _), picture, .. } = *self.content;
        let height = visible.band.block();
        let bottom = TITLE + RULER + visible.lane_top(0) + height;
        let place = AreaPlace { view, left: NAMES, width, bottom, height };
        for (value, opacity) in [(highest as fn(SeriesColumn) -> f32, 0.4), (mean, 1.0)] {
            for area in areas(series_picture, &picture.query, place, value) {
                self.marks.push(Mark::new(Shape::Path(area, true), Paint::fill(Tone::Seq(3)).faded(opacity)));
            }
        }
    }

    /// Draws the events of a line.
    fn line(&mut self, visible: &VisibleBand, line: &LinePicture) {
        let band = &visible.band;
        let is_folded = matches!(band.kind, BandKind::Head { .. });
        let top = |lane: u32| TITLE + RULER + visible.lane_top(if is_folded { 0 } else { lane });
        let is_shown = |lane: u32| lane < band.n_lanes || is_folded;
        let place = LanePlace {
            block: band.block(),
            is_folded,
            top: &|lane| is_shown(lane).then(|| top(lane)),
            first_id: None,
        };
        self.content.frame().draw(&mut self.marks, line, &place);
    }

    /// Draws idle time.
    fn idle(&mut self, visible: &VisibleBand, idle: &IdleBox) {
        let Some((x, wide)) = self.content.frame().span(idle.start, idle.end) else { return };
        let (y, block) = (TITLE + RULER + visible.lane_top(0), visible.band.block());
        let tone = idle_tone(idle.class);
        let opacity = idle.time.fraction_of(idle.end.saturating_sub(idle.start)).unwrap_or(1.0).clamp(0.3, 1.0);
        let shape = Shape::rect(x, y, if wide >= 4.0 { wide - 1.0 } else { wide }, block);
        self.marks.push(Mark::new(shape.clone(), Paint::fill(tone).faded(0.3 * opacity)));
        self.marks.push(Mark::new(shape, Paint::stroke(tone, 1.0).faded(opacity)));
        let label = idle.class.label();
        if width(label, NAME_SIZE) + 8.0 <= wide {
            self.text(Tone::Ink, (x + 4.0, y + block - 4.0), label.to_owned());
        }
    }

    /// Draws the names of the kinds of time that occur in the picture.
    fn legend(&mut self) {
        let y = TITLE + RULER + self.content.size.1 + 8.0;
        let lines = &self.content.picture.lines;
        let is_there = |kind: &Kind| {
            let has = |line: &LinePicture| {
                line.boxes.iter().any(|event_box| event_box.kind == Some(*kind))
                    || cells::read(&line.cells).any(|cell| cell.shares[kind.index()] > 0)
            };
            lines.iter().any(has)
        };
        let mut x = NAMES;
        for kind in Kind::ALL.into_iter().filter(is_there).collect::<Vec<_>>() {
            self.rect(tones(Some(kind)).0, (x, y), (12.0, 12.0), 1.0);
            self.text(Tone::Ink2, (x + 18.0, y + 10.0), kind.label().to_owned());
            x += 18.0 + width(kind.label(), NAME_SIZE) + 18.0;
        }
    }
}

/// Returns the colour of the hatch of idle time. Waits for other devices have the colour of communication. Waits for the
/// host are dark, because the colour of host ops belongs to ops.
pub const fn idle_tone(class: GapClass) -> Tone {
    match class {
        GapClass::Barrier | GapClass::Dependency => Tone::Kind(TimePart::Kind(Kind::Communication)),
        GapClass::Launch | GapClass::Capture | GapClass::Unexplained | GapClass::Requests => Tone::Kind(TimePart::Idle),
        GapClass::Recompile
        | GapClass::Input
        | GapClass::Sync
        | GapClass::Defrag
        | GapClass::Host
        | GapClass::Callback => Tone::Ink2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::timeline::{EventBox, LineRef, PictureQuery, Track, TrackGroup, TrackKind};
    use crate::chart::plot::svg;
    use crate::chart::timeline::layout::Choices;

    const OPS: LineRef = LineRef { plane: 0, line: 0 };

    fn timeline() -> Timeline {
        let ops = Track { line: OPS, name: "XLA Ops".to_owned(), kind: TrackKind::Ops, ..Track::default() };
        let group =
            TrackGroup { name: "TPU:0".to_owned(), device: Some(0), tracks: vec![ops], ..TrackGroup::default() };
        Timeline { groups: vec![group], end: Picos(1000), ..Timeline::default() }
    }

    /// A picture of 1,000 columns of 1 ps: one wide event, and columns with the shares of the first two kinds.
    fn picture(columns: &[(u16, [u8; 2])]) -> Picture {
        let mut encoded = Vec::new();
        for (column, [first, second]) in columns {
            encoded.push(0);
            encoded.extend(column.to_le_bytes());
            encoded.extend([1, 3, *first, *second]);
        }
        let kind = Some(Kind::Compute);
        let wide = EventBox { lane: 0, start: Picos(100), end: Picos(300), event: 0, kind, name: 0 };
        let line = LinePicture { line: OPS, n_lanes: 1, boxes: vec![wide], cells: encoded, ..LinePicture::default() };
        let query = PictureQuery { lines: vec![OPS], column: Picos(1), n_columns: 1000, ..PictureQuery::default() };
        Picture { query, lines: vec![line], names: vec!["fusion.12 <a>".to_owned()], ..Picture::default() }
    }

    fn draw(picture: &Picture) -> Scene {
        let (timeline, view) = (timeline(), Viewport { start: 0, end: 1000 });
        let layout = Layout::new(&timeline, &Choices::default());
        let (size, title) = ((1000.0, 100.0), "a.xplane.pb");
        let timeline = &timeline;
        scene(&Content { title, timeline, layout: &layout, picture, view, scroll: 0.0, size, range: Some((50, 150)) })
    }

    /// The left sides and the widths of the marks in the colour of a kind that are above the legend.
    fn rects(scene: &Scene, kind: Kind) -> Vec<(f64, f64)> {
        let of_kind = |mark: &&Mark| mark.paint.fill == Some(tones(Some(kind)).0);
        let rect = |mark: &Mark| match mark.shape {
            Shape::Rect { x, y, w, .. } if y < TITLE + RULER + 100.0 => Some((x - NAMES, w)),
            _ => None,
        };
        scene.marks.iter().filter(of_kind).filter_map(rect).collect()
    }

    #[test]
    fn events_are_at_their_times() {
        let scene = draw(&picture(&[]));
        assert_eq!(
            rects(&scene, Kind::Compute),
            [(100.0, 199.0)],
            "a wide event, with a pixel between it and the next"
        );
        assert_eq!((scene.width, scene.height), (1200.0, 180.0));
        let file = svg::write(&scene, &|token| token.to_owned());
        assert!(file.contains("fusion.12 &lt;a>") || file.contains("fusion.12 &lt;a&gt;"), "{file}");
        assert!(file.contains("XLA Ops") && file.contains("TPU:0") && file.contains("a.xplane.pb"));
    }

    #[test]
    fn columns_that_look_the_same_are_one_mark() {
        let equal: Vec<(u16, [u8; 2])> = (400..500).map(|column| (column, [100, 50])).collect();
        let drawn = draw(&picture(&equal));
        assert_eq!(rects(&drawn, Kind::Compute), [(400.0, 100.0), (100.0, 199.0)]);
        assert_eq!(rects(&drawn, Kind::Fused), [(400.0, 100.0)]);
        let apart = draw(&picture(&[(400, [100, 50]), (402, [100, 50]), (403, [200, 50])]));
        let columns: Vec<(f64, f64)> = rects(&apart, Kind::Compute).into_iter().filter(|(x, _)| *x >= 400.0).collect();
        assert_eq!(columns, [(400.0, 1.0), (402.0, 1.0), (403.0, 1.0)]);
    }
}
