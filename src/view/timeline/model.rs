//! This module holds the state of the timeline: the tracks, the visible part, the places of the tracks, the selected event,
//! the search, and the picture that the worker drew last.

use super::picture::Shown;
use crate::analysis::base::{DeviceChoice, FilterError, Query, StepChoice, TimeRange};
use crate::analysis::timeline::{
    EventDetail, EventQuery, EventsQuery, FlowsQuery, FlowsReport, LineRef, SearchQuery, SearchReport, SeriesRange,
    SeriesRef, Timeline, TrackGroup, TrackId,
};
use crate::chart::timeline::layout::Choices;
use crate::chart::timeline::sight::{ScrollTarget, step_part};
use crate::chart::timeline::{Band, BandKind, Layout, Viewport};
use crate::protocol::requests::{self, TypedRequest};
use crate::protocol::url::timeline::TimelineViewState;
use crate::protocol::{Reply, RequestId, ViewRequest};
use crate::view::state::{PtrEq, SharedMemo, SharedSignal, State};
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use xla_profile::units::Picos;

/// What a drag on the tracks does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    Range,
    /// Moves the visible part.
    Pan,
    /// Measures the time between two places.
    Measure,
}

/// Handles on the state of the timeline. They are cheap to copy.
#[derive(Clone, Copy)]
pub(super) struct TimelineModel {
    pub(super) state: State,
    /// The state of the view in the address.
    pub(super) view_state: Memo<TimelineViewState>,
    /// The tracks; `None` until they have come.
    pub(super) timeline: SharedSignal<Timeline>,
    /// The time from the first to the last event.
    pub(super) whole: Memo<Viewport>,
    /// The part that is visible first: the step that the page shows.
    pub(super) usual: Memo<Viewport>,
    /// The visible part. The one in the address follows when it rests.
    pub(super) view: RwSignal<Viewport>,
    /// What a drag does.
    pub(super) tool: RwSignal<Tool>,
    /// The time that a drag of the range or of the measure covers, until it ends.
    pub(super) drag: RwSignal<Option<(Tool, (u64, u64))>>,
    /// Number of lanes of the lines that have been drawn.
    pub(super) lanes: RwSignal<BTreeMap<LineRef, u32>>,
    /// The values of the series in the selected range.
    pub(super) series_ranges: RwSignal<BTreeMap<SeriesRef, SeriesRange>>,
    /// The value at the top of the lane of each series that has been drawn.
    pub(super) scales: RwSignal<BTreeMap<SeriesRef, f64>>,
    pub(super) layout: SharedMemo<Layout>,
    /// Height to which the tracks are scrolled, in px.
    pub(super) scroll: RwSignal<f64>,
    /// What has to be in sight, until the user scrolls.
    pub(super) sight: RwSignal<Option<ScrollTarget>>,
    pub(super) selected: SharedSignal<EventDetail>,
    pub(super) search: SharedSignal<SearchReport>,
    /// The links of all events in the range, if they are shown.
    pub(super) flows: SharedSignal<FlowsReport>,
    /// The query whose answer is awaited to select a hit, and how many places further the hit is.
    pub(super) awaited_hit: StoredValue<Option<(SearchQuery, isize)>>,
    /// The mistake of a regular expression that is searched.
    pub(super) search_error: RwSignal<Option<FilterError>>,
    /// The text of the search field.
    pub(super) find: RwSignal<String>,
    /// The picture of the tracks, and the one of the whole capture.
    pub(super) shown: StoredValue<Option<Shown>, LocalStorage>,
    pub(super) minimap: StoredValue<Option<Shown>, LocalStorage>,
    /// Counts the pictures that have come.
    pub(super) drawn: RwSignal<u32>,
    /// Whether a picture of the tracks is under way.
    pub(super) is_asked: StoredValue<bool>,
    pub(super) address_timer: StoredValue<Option<Timeout>, LocalStorage>,
}

impl TimelineModel {
    pub(super) fn new(state: State) -> Self {
        let view_state = state.view_state(|views| &views.timeline);
        let timeline = state.answer_of_session::<Timeline>();
        let whole = Memo::new(move |_| {
            timeline.with(|timeline| {
                let (start, end) = timeline.as_ref().map_or((0, 1), |timeline| (timeline.start.0, timeline.end.0));
                Viewport { start, end: end.max(start.saturating_add(1000)) }
            })
        });
        let usual = Memo::new(move |_| {
            let (device, step, whole) = (state.shown_device(), state.step(), whole.get());
            let part = timeline.with(|timeline| step_part(timeline.as_ref()?, device, step));
            part.map_or(whole, |(start, end)| Viewport::within(whole, start, end))
        });
        let lanes = RwSignal::new(BTreeMap::new());
        let layout = SharedMemo::new(move || {
            let timeline = timeline.get()?;
            let TimelineViewState { open, all, pins, .. } = view_state.get();
            let (open, device) = (open.as_deref(), state.shown_device());
            lanes.with(|lanes| {
                let choices = Choices { open, device, all: &all, pins: &pins, n_lanes: Some(lanes) };
                Some(PtrEq::new(Layout::new(&timeline, &choices)))
            })
        });
        let model = Self {
            state,
            view_state,
            timeline,
            whole,
            usual,
            view: RwSignal::new(Viewport { start: 0, end: 1000 }),
            tool: RwSignal::new(Tool::Range),
            drag: RwSignal::new(None),
            lanes,
            series_ranges: RwSignal::new(BTreeMap::new()),
            scales: RwSignal::new(BTreeMap::new()),
            layout,
            scroll: RwSignal::new(0.0),
            sight: RwSignal::new(None),
            selected: state.answer_of_session(),
            search: state.answer_of_session(),
            flows: state.answer_of_session(),
            awaited_hit: StoredValue::new(None),
            search_error: RwSignal::new(None),
            find: RwSignal::new(view_state.with_untracked(|view_state| view_state.find.text.clone())),
            shown: StoredValue::new_local(None),
            minimap: StoredValue::new_local(None),
            drawn: RwSignal::new(0),
            is_asked: StoredValue::new(false),
            address_timer: StoredValue::new_local(None),
        };
        model.request_tracks();
        model.follow_address();
        model.follow_step();
        model.request_search();
        model.request_flows();
        model.request_series_ranges();
        model
    }

    fn request_tracks(self) {
        let is_aligned = Memo::new(move |_| self.view_state.with(|view_state| view_state.is_aligned));
        let step = Memo::new(move |_| self.state.unlisted_step());
        self.state.request_answer_on_change(
            move || {
                let (is_aligned, step) = (is_aligned.get(), step.get());
                Some(requests::Tracks { is_aligned, step })
            },
            move |answer| {
                if let Some(timeline) = self.state.shown(answer) {
                    match self.timeline.get_untracked() {
                        Some(before) if before.has_tracks_of(&timeline) => self.move_times(&before, &timeline),
                        // When the rest of the files has been read, lines and groups have other numbers.
                        Some(_) => {
                            self.selected.set(None);
                            self.change(|view_state| {
                                (view_state.event, view_state.open) = (None, None);
                                view_state.all.clear();
                                view_state.pins.clear();
                            });
                        }
                        None => {}
                    }
                    let is_first = self.timeline.with_untracked(Option::is_none);
                    // The answer to a request to the session before does not come.
                    self.is_asked.set_value(false);
                    self.shown.set_value(None);
                    self.minimap.set_value(None);
                    self.lanes.set(BTreeMap::new());
                    self.scales.set(BTreeMap::new());
                    self.timeline.set(Some(PtrEq::new(timeline)));
                    if is_first {
                        self.bring_range_into_sight();
                    }
                    if let Some(event) = self.selected.get_untracked() {
                        self.find_event(EventQuery::Index { line: event.line, event: event.event }, false);
                    }
                }
            },
        );
    }

    /// Requests the links of all events in the range, as long as they are shown.
    fn request_flows(self) {
        let is_shown = Memo::new(move |_| self.view_state.with(|view_state| view_state.has_flows));
        self.state.request_answer_on_change(
            move || {
                let EventsQuery { lines, start, end } = self.events_query().filter(|_| is_shown.get())?;
                Some(requests::Flows(FlowsQuery { lines, start, end }))
            },
            move |answer| {
                if let Some(flows) = self.state.shown(answer) {
                    self.flows.set(Some(PtrEq::new(flows)));
                }
            },
        );
    }

    /// Returns the query of the events in the range, on the lines of unfolded groups.
    pub(super) fn events_query(self) -> Option<EventsQuery> {
        let range = self.range().filter(|_| self.has_chosen_alignment())?;
        let is_track = |band: &&Band| matches!(band.kind, BandKind::Track { .. });
        // A pinned track may be shown twice.
        let lines: BTreeSet<LineRef> = self
            .layout
            .with(|layout| Some(layout.as_ref()?.bands().iter().filter(is_track).filter_map(Band::line).collect()))?;
        Some(EventsQuery { lines: lines.into_iter().collect(), start: range.start, end: range.end })
    }

    /// Changes the state of the view in the address.
    pub(super) fn change(self, with: impl FnOnce(&mut TimelineViewState)) {
        self.state.change_views(|views| with(&mut views.timeline));
    }

    /// Returns the displayed range of the sums: the one that is selected, else the visible part when it rests.
    pub(super) fn range(self) -> Option<TimeRange> {
        let (start, end) = self.view_state.with(|view_state| view_state.range).unwrap_or_else(|| {
            let part = self.address_part();
            (part.start, part.end)
        });
        TimeRange::between(Picos(start), Picos(end))
    }

    /// Returns the time that a drag with a tool covers.
    fn dragged(self, tool: Tool) -> Option<(u64, u64)> {
        self.drag.get_untracked().filter(|(dragging, _)| *dragging == tool).map(|(_, time)| time)
    }

    /// Returns the range to draw: the one that a drag covers, else the selected one.
    pub(super) fn drawn_range(self) -> Option<(u64, u64)> {
        self.dragged(Tool::Range).or_else(|| self.view_state.with_untracked(|view_state| view_state.range))
    }

    /// Returns the measured time to draw: the one that a drag covers, else the one that was measured.
    pub(super) fn drawn_measure(self) -> Option<(u64, u64)> {
        self.dragged(Tool::Measure).or_else(|| self.view_state.with_untracked(|view_state| view_state.measure))
    }

    /// Measures the selected event. If a time has been measured before, it grows so that the event is in it.
    pub(super) fn measure_event(self) {
        let event = self.selected.with_untracked(|event| event.as_ref().map(|event| (event.start.0, event.end.0)));
        let Some((start, end)) = event else { return };
        self.change(|view_state| {
            let (from, to) = view_state.measure.unwrap_or((start, end));
            view_state.measure = Some((from.min(start), to.max(end).max(from.min(start) + 1)));
        });
    }

    /// Pins a track above all others, or releases it.
    pub(super) fn pin(self, track: TrackId) {
        self.change(|view_state| crate::view::state::toggle(&mut view_state.pins, track));
    }

    /// Selects a range, or none.
    pub(super) fn select_range(self, range: Option<(u64, u64)>) {
        self.change(|view_state| view_state.range = range.filter(|(start, end)| start < end));
    }

    /// Requests a part of the timeline, and handles the answer if the view is still there.
    pub(super) fn request_answer<A: TypedRequest + Into<ViewRequest>>(
        self,
        typed: A,
        then: impl FnOnce(Result<A::Answer, Reply>) + 'static,
    ) -> Option<RequestId> {
        self.state.request_answer(typed, move |answer| {
            if self.is_asked.try_get_value().is_some() {
                then(answer);
            }
        })
    }

    /// Requests an event, and selects it. With `is_to_show`, the visible part and the scroll follow the event.
    pub(super) fn find_event(self, query: EventQuery, is_to_show: bool) {
        self.request_answer(requests::Event(query), move |answer| {
            let Some(found) = self.state.shown(answer) else { return };
            let place = found.as_ref().map(|event| (event.line, event.event));
            if let Some(event) = found.as_ref().filter(|_| is_to_show) {
                self.show_event(event);
            }
            let is_given = found.is_some();
            self.selected.set(found.map(PtrEq::new));
            // A click beside all events removes the selection.
            if is_given || !is_to_show {
                self.change(|state| state.event = place);
            }
        });
    }

    /// Moves the visible part so that an event is in it, and unfolds and scrolls the tracks so that its lane is in sight.
    fn show_event(self, event: &EventDetail) {
        self.unfold(event.line);
        self.sight.set(Some(ScrollTarget::Lane(event.line, event.lane)));
        let (view, whole) = (self.view.get_untracked(), self.whole.get_untracked());
        let is_visible = event.start.0 < view.end && event.end.0 > view.start;
        if !is_visible {
            self.show(view.showing(whole, event.start.0));
        }
    }

    /// Removes the selected event.
    pub(super) fn deselect(self) {
        self.selected.set(None);
        self.change(|view_state| view_state.event = None);
    }

    /// Shows the selected range, else the selected event, so that it fills most of the width.
    pub(super) fn fit(self) {
        let range = self.view_state.with_untracked(|view_state| view_state.range);
        let event = self.selected.with_untracked(|event| event.as_ref().map(|event| (event.start.0, event.end.0)));
        if let Some((start, end)) = event.or(range) {
            self.show(Viewport::with_margin(self.whole.get_untracked(), start, end));
        }
    }

    /// Shows the selected range so that it fills most of the width.
    pub(super) fn fit_range(self) {
        if let Some((start, end)) = self.view_state.with_untracked(|view_state| view_state.range) {
            self.show(Viewport::with_margin(self.whole.get_untracked(), start, end));
        }
    }

    /// Returns the query of the sums: the device of the selected event, else the first one, in the range on its event clock.
    pub(super) fn sums_query(self) -> Option<Query> {
        let by = self.view_state.with(|view_state| view_state.by);
        let device = self.device()?;
        let range = self.event_clock_range(Some(device))?;
        Some(Query { device: DeviceChoice::One(device), step: StepChoice::Range(range), by, ..Query::default() })
    }

    /// Returns the device of the sums: that of the query if it is a single one, else the first one. `None` without devices.
    pub(super) fn device(self) -> Option<u32> {
        let chosen = self.state.query.with(|query| query.device.single());
        let selected = self.selected.with(|event| event.as_ref().map(|event| event.line.plane));
        self.timeline.with(|timeline| {
            let groups = &timeline.as_ref()?.groups;
            let is_of = |group: &&TrackGroup| group.tracks.iter().any(|track| Some(track.line.plane) == selected);
            let of_event = groups.iter().find(is_of).and_then(|group| group.device);
            of_event.or(chosen).or_else(|| groups.iter().find_map(|group| group.device))
        })
    }

    /// Returns the name of a device: "TPU:0".
    pub(super) fn device_name(self, device: u32) -> String {
        self.timeline.with_untracked(|timeline| {
            let mut groups = timeline.iter().flat_map(|timeline| &timeline.groups);
            groups.find(|group| group.device == Some(device)).map_or_else(String::new, |group| group.name.clone())
        })
    }

    /// Returns the name of a line: "TPU:0, XLA Ops".
    pub(super) fn track_name(self, line: LineRef) -> String {
        self.timeline.with_untracked(|timeline| {
            let groups = timeline.as_ref().map(|timeline| &timeline.groups[..]).unwrap_or_default();
            let mut all = groups.iter().flat_map(|group| group.tracks.iter().map(move |track| (group, track)));
            let found = all.find(|(_, track)| track.line == line);
            found.map_or_else(String::new, |(group, track)| format!("{}, {}", group.name, track.name))
        })
    }
}
