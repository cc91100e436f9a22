//! This module requests pictures for the tracks that are visible, and keeps the newest ones.

use super::model::TimelineModel;
use super::picture::{Colors, Shown};
use crate::analysis::timeline::{LineRef, PictureQuery, SeriesRef};
use crate::chart::timeline::{BandKind, VisibleBand, snap};
use crate::protocol::requests;
use leptos::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use xla_profile::units::Picos;

/// The distance from the start or the end of an event at which a drag snaps to it, in px.
const SNAP: f64 = 6.0;

impl TimelineModel {
    /// Keeps the number of lanes that a picture has shown.
    fn keep_lanes(self, shown: &Shown) {
        let known: Vec<(LineRef, u32)> = shown.lines().map(|line| (line.line, line.n_lanes)).collect();
        let is_new = |lanes: &BTreeMap<LineRef, u32>| known.iter().any(|(line, n)| lanes.get(line) != Some(n));
        if self.lanes.with_untracked(is_new) {
            self.lanes.update(|lanes| lanes.extend(known));
        }
    }

    /// Keeps the greatest values of the series that a picture has shown.
    fn keep_scales(self, shown: &Shown) {
        let known: Vec<(SeriesRef, f64)> = shown.picture.series.iter().map(|series| (series.id, series.top)).collect();
        if self.scales.with_untracked(|scales| known.iter().any(|(id, _)| !scales.contains_key(id))) {
            self.scales.update(|scales| scales.extend(known));
        }
    }

    /// Returns the query of the picture of the whole capture: the ops of the shown device, else the first line.
    fn minimap_query(self, width: f64) -> Option<PictureQuery> {
        let whole = self.whole.get_untracked();
        self.timeline.with_untracked(|timeline| {
            let timeline = timeline.as_ref()?;
            let group =
                timeline.groups.get(timeline.first_device(untrack(|| self.state.shown_device())).unwrap_or(0))?;
            let line = group.main_ops().or(group.tracks.first())?.line;
            let n_columns = width.ceil() as u32;
            let (start, column) = (Picos(whole.start), whole.column(width));
            Some(PictureQuery { lines: vec![line], start, column, n_columns, ..PictureQuery::default() })
        })
    }

    /// Requests a picture, unless the one that is shown fits, or another request is under way. When its answer comes, the
    /// tracks are drawn again, and the newest picture is requested.
    pub(super) fn request_picture(self, query: Option<PictureQuery>, colors: &Colors) {
        let Some(query) = query else { return };
        let fits = |shown: &Shown| {
            let (now, view) = (shown.query(), self.view.get_untracked());
            let has_lines = query.lines.iter().all(|line| now.lines.contains(line))
                && query.idle.iter().all(|device| now.idle.contains(device))
                && query.series.iter().all(|id| now.series.contains(id));
            let end = query.end().0.min(view.end);
            now.column == query.column
                && has_lines
                && now.start.0 <= view.start.max(query.start.0)
                && end <= now.end().0
        };
        let is_shown = self.shown.with_value(|shown| shown.as_ref().is_some_and(fits));
        if is_shown || self.is_asked.get_value() {
            return;
        }
        self.is_asked.set_value(true);
        let colors = colors.clone();
        let sent = self.request_answer(requests::Picture(query), move |answer| {
            self.is_asked.set_value(false);
            if let Some(picture) = self.state.shown(answer) {
                let shown = Shown::new(picture, &colors);
                self.keep_lanes(&shown);
                self.keep_scales(&shown);
                self.shown.set_value(Some(shown));
                self.drawn.update(|n| *n += 1);
            }
        });
        if sent.is_none() {
            self.is_asked.set_value(false);
        }
    }

    /// Requests the picture of the whole capture, unless it is shown.
    pub(super) fn request_minimap(self, width: f64, colors: &Colors) {
        let Some(query) = self.minimap_query(width) else { return };
        if self.minimap.with_value(|shown| shown.as_ref().is_some_and(|shown| *shown.query() == query)) {
            return;
        }
        let colors = colors.clone();
        self.request_answer(requests::Picture(query), move |answer| {
            if let Some(picture) = self.state.shown(answer) {
                self.minimap.set_value(Some(Shown::new(picture, &colors)));
                self.drawn.update(|n| *n += 1);
            }
        });
    }

    /// Requests the values of the series that are listed in the selected range.
    pub(super) fn request_series_ranges(self) {
        let request = Memo::new(move |_| {
            let (start, end) =
                self.view_state.with(|view_state| view_state.range).filter(|_| self.has_chosen_alignment())?;
            let series = self.layout.with(|layout| {
                let ids = layout.as_ref()?.bands().iter().filter_map(|band| match band.kind {
                    BandKind::Series { id } => Some(id),
                    _ => None,
                });
                Some(ids.collect::<BTreeSet<SeriesRef>>())
            })?;
            let series: Vec<SeriesRef> = series.into_iter().collect();
            Some(requests::SeriesRanges { series, start: Picos(start), end: Picos(end) })
        });
        self.state.request_answer_on_change(
            move || {
                let request = request.get();
                if request.is_none() {
                    self.series_ranges.set(BTreeMap::new());
                }
                request
            },
            move |answer| {
                if let Some(ranges) = self.state.shown(answer) {
                    self.series_ranges.set(ranges.into_iter().map(|range| (range.id, range)).collect());
                }
            },
        );
    }

    /// Returns the query of the picture for the visible part, with half of its width on both sides. Idle time and values
    /// over time are requested once the events are there, because they take longer.
    pub(super) fn wanted(self, bands: &[VisibleBand], width: f64) -> Option<PictureQuery> {
        let (view, whole) = (self.view.get_untracked(), self.whole.get_untracked());
        let mut query = PictureQuery::default();
        for VisibleBand { band, .. } in bands {
            query.lines.extend(band.line().filter(|line| !query.lines.contains(line)));
            match band.kind {
                BandKind::Idle { device } if !query.idle.contains(&device) => query.idle.push(device),
                BandKind::Series { id } if !query.series.contains(&id) => query.series.push(id),
                _ => {}
            }
        }
        if self.shown.with_value(Option::is_none) {
            query.idle.clear();
            query.series.clear();
        }
        if query.lines.is_empty() && query.idle.is_empty() && query.series.is_empty() {
            return None;
        }
        query.column = view.column(width);
        let margin = view.length() / 2;
        let start = view.start.saturating_sub(margin).max(whole.start.min(view.start));
        let end = view.end.saturating_add(margin).min(whole.end.max(view.end));
        query.start = Picos(start);
        query.n_columns =
            ((end - start) / query.column.0).saturating_add(1).min(PictureQuery::MAX_COLUMNS.into()) as u32;
        Some(query)
    }

    /// Returns the time at a place of the canvas, or the nearest start or end of an event of the track at this place.
    pub(super) fn snapped(self, (x, y, width): (f64, f64, f64)) -> u64 {
        let (view, scroll) = (self.view.get_untracked(), self.scroll.get_untracked());
        let (time, reach) = (view.time(x, width), (view.length() as f64 / width.max(1.0) * SNAP) as u64);
        let band = self.layout.with_untracked(|layout| Some(layout.as_ref()?.lane_at(y, scroll)?.0.band));
        let Some(band) = band else { return time };
        self.shown.with_value(|shown| {
            let Some(shown) = shown else { return time };
            let boxes = band.line().and_then(|line| shown.line(line)).into_iter().flat_map(|line| &line.boxes);
            let events = boxes.flat_map(|event_box| [event_box.start.0, event_box.end.0]);
            let idle = match band.kind {
                BandKind::Idle { device } => shown.idle(device),
                _ => &[],
            };
            snap(time, reach, events.chain(idle.iter().flat_map(|idle_box| [idle_box.start.0, idle_box.end.0])))
        })
    }
}
