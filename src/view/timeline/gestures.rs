//! This module handles the pointer and the wheel on the timeline.

use super::model::{TimelineModel, Tool};
use crate::analysis::timeline::{EventQuery, IdleBox, LineRef};
use crate::chart::plot::popover_position::Rect;
use crate::chart::timeline::{BandKind, Viewport, text};
use crate::chart::widgets::tip::Tip;
use crate::protocol::requests;
use crate::protocol::url::timeline::TimelineRows;
use crate::view::widgets::size::rect;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use leptos::{ev, html};
use xla_profile::units::Picos;

/// A pointer that moves farther than this between press and release makes a drag, in px.
const FAR: f64 = 4.0;
/// The distance in px at which an event counts as the one at the pointer.
const NEAR: f64 = 3.0;
/// The zoom factor of one wheel event.
const TURN: f64 = 0.8;
/// The time for which the pointer rests before the event below it is requested, in milliseconds.
const HOVER: u32 = 80;
/// The time after which a finger that does not move selects a range, in milliseconds.
const LONG_PRESS: u32 = 450;

/// A gesture of the pointer.
#[derive(Clone, Copy, PartialEq)]
enum Gesture {
    /// The pointer went down at a place of the canvas, which has the time `start`. It selects a range or measures once it has
    /// moved.
    Span { tool: Tool, x: f64, start: u64 },
    /// The pointer moves the visible part, which was `from` when it went down.
    Pan { x: f64, from: Viewport },
    /// Two fingers hold two times.
    Pinch { times: (u64, u64) },
}

/// Returns the place of an event of the mouse in an element, in px.
fn position(node: NodeRef<html::Canvas>, event: &web_sys::MouseEvent) -> Option<(f64, f64, f64)> {
    let rect = rect(&*node.get_untracked()?);
    Some((f64::from(event.client_x()) - rect.x, f64::from(event.client_y()) - rect.y, rect.width))
}

/// Moves the visible part to the time at the pointer, in the picture of the whole capture.
pub(super) fn to_time(model: TimelineModel, map: NodeRef<html::Canvas>, event: &ev::PointerEvent) {
    let Some((x, _, width)) = position(map, event) else { return };
    let (view, whole) = (model.view.get_untracked(), model.whole.get_untracked());
    let start = whole.time(x, width).saturating_sub(view.length() / 2);
    model.show(Viewport::within(whole, start, start.saturating_add(view.length())));
}

/// The gestures of the pointer on the canvas. It is cheap to copy.
#[derive(Clone, Copy)]
pub(super) struct Gestures {
    model: TimelineModel,
    canvas: NodeRef<html::Canvas>,
    /// The x position of the pointer, for the ruler; `None` outside of the canvas.
    pointer: RwSignal<Option<f64>>,
    now: StoredValue<Option<Gesture>>,
    /// The id and the x position of each finger.
    fingers: StoredValue<Vec<(i32, f64)>>,
    timer: StoredValue<Option<Timeout>, LocalStorage>,
}

impl Gestures {
    pub(super) fn new(model: TimelineModel, canvas: NodeRef<html::Canvas>, pointer: RwSignal<Option<f64>>) -> Self {
        let (now, fingers) = (StoredValue::new(None), StoredValue::new(Vec::new()));
        Self { model, canvas, pointer, now, fingers, timer: StoredValue::new_local(None) }
    }

    /// Handles a pointer that goes down. It does what the tool does; with Shift or the middle button it pans. A finger pans, and
    /// selects a range after a long press; two fingers zoom.
    pub(super) fn pointer_down(self, event: &ev::PointerEvent) {
        let Self { model, canvas, now, fingers, timer, .. } = self;
        let Some((x, y, width)) = position(canvas, event) else { return };
        if let Some(node) = canvas.get_untracked() {
            let _ = node.set_pointer_capture(event.pointer_id());
        }
        let (view, tool) = (model.view.get_untracked(), model.tool.get_untracked());
        let is_finger = event.pointer_type() == "touch";
        let span = Gesture::Span { tool, x, start: self.time(event, (x, y, width)) };
        if is_finger {
            fingers.update_value(|fingers| fingers.push((event.pointer_id(), x)));
            if let [(_, a), (_, b)] = fingers.get_value()[..] {
                let times = (view.time(a.min(b), width), view.time(a.max(b), width));
                now.set_value(Some(Gesture::Pinch { times }));
                model.drag.set(None);
                return;
            }
            if tool == Tool::Range {
                timer.set_value(Some(Timeout::new(LONG_PRESS, move || now.set_value(Some(span)))));
            }
        }
        let pans = event.shift_key() || event.button() == 1 || tool == Tool::Pan || is_finger && tool == Tool::Range;
        let gesture = if pans { Gesture::Pan { x, from: view } } else { span };
        now.set_value((event.button() < 2).then_some(gesture));
    }

    /// Returns the time at a place of the canvas, which snaps to events unless Alt is held.
    fn time(self, event: &ev::PointerEvent, place: (f64, f64, f64)) -> u64 {
        if event.alt_key() { self.model.view.get_untracked().time(place.0, place.2) } else { self.model.snapped(place) }
    }

    /// Handles a pointer that moves.
    pub(super) fn moved(self, event: &ev::PointerEvent) {
        let Self { model, canvas, pointer, now, fingers, timer } = self;
        let Some((x, y, width)) = position(canvas, event) else { return };
        pointer.set(Some(x));
        fingers.update_value(|fingers| {
            fingers.iter_mut().filter(|(id, _)| *id == event.pointer_id()).for_each(|finger| finger.1 = x);
        });
        match now.get_value().filter(|_| event.buttons() > 0) {
            Some(Gesture::Pan { x: start, from }) => {
                if (x - start).abs() > FAR {
                    timer.set_value(None);
                }
                model.state.tips.hide();
                model.show(from.pan(model.whole.get_untracked(), (start - x) / width.max(1.0)));
            }
            Some(Gesture::Span { tool, x: from, start }) => {
                if (x - from).abs() > FAR || model.drag.with_untracked(Option::is_some) {
                    model.state.tips.hide();
                    let end = self.time(event, (x, y, width));
                    let first = start.min(end);
                    model.drag.set(Some((tool, (first, start.max(end).max(first + 1)))));
                }
            }
            Some(Gesture::Pinch { times }) => {
                if let [(_, a), (_, b)] = fingers.get_value()[..] {
                    let places = (a.min(b) / width.max(1.0), a.max(b) / width.max(1.0));
                    model.show(Viewport::with_times_at(model.whole.get_untracked(), times, places));
                }
            }
            None if event.pointer_type() == "touch" => {}
            None => {
                let pointer = (f64::from(event.client_x()), f64::from(event.client_y()));
                timer.set_value(Some(Timeout::new(HOVER, move || hover(model, (x, y, width), pointer))));
            }
        }
    }

    /// Handles a pointer that goes up: it ends what a drag did, or selects the event at its place.
    pub(super) fn pointer_up(self, event: &ev::PointerEvent) {
        let model = self.model;
        let was = self.now.get_value();
        self.cancel(event);
        let Some((x, y, width)) = position(self.canvas, event) else { return };
        if let Some((tool, time)) = model.drag.get_untracked() {
            model.drag.set(None);
            match tool {
                Tool::Measure => model.change(|view_state| view_state.measure = Some(time)),
                Tool::Range | Tool::Pan => model.select_range(Some(time)),
            }
            return;
        }
        let is_click = match was {
            Some(Gesture::Span { .. }) => true,
            Some(Gesture::Pan { x: start, .. }) => (x - start).abs() <= FAR && !event.shift_key(),
            Some(Gesture::Pinch { .. }) | None => false,
        };
        if !is_click {
            return;
        }
        if let Some((_, idle)) = idle_at(model, (x, y, width)) {
            model.change(|view_state| {
                view_state.range = Some((idle.gap.0.0, idle.gap.1.0));
                view_state.rows = TimelineRows::Idle;
            });
            return;
        }
        match query_at(model, (x, y, width)) {
            Some(query) => model.find_event(query, false),
            None => model.deselect(),
        }
    }

    /// Ends a gesture, because the pointer went up or the browser scrolls.
    pub(super) fn cancel(self, event: &ev::PointerEvent) {
        self.now.set_value(None);
        self.timer.set_value(None);
        self.fingers.update_value(|fingers| fingers.retain(|(id, _)| *id != event.pointer_id()));
    }

    /// Handles a pointer that leaves the canvas.
    pub(super) fn leave(self) {
        self.timer.set_value(None);
        self.pointer.set(None);
        self.model.state.tips.leave();
    }
}

/// Returns the query of the event at a place of the canvas. `None` if no lane is there.
fn query_at(model: TimelineModel, (x, y, width): (f64, f64, f64)) -> Option<EventQuery> {
    let (view, scroll) = (model.view.get_untracked(), model.scroll.get_untracked());
    let (line, lane): (LineRef, u32) = model.layout.with_untracked(|layout| {
        let (visible, lane) = layout.as_ref()?.lane_at(y, scroll)?;
        Some((visible.band.line()?, lane))
    })?;
    let tolerance = Picos((view.length() as f64 / width.max(1.0) * NEAR) as u64);
    Some(EventQuery::At { line, lane, time: Picos(view.time(x, width)), tolerance })
}

/// Returns the device and the idle time at a place of the canvas. `None` if no idle time is there.
fn idle_at(model: TimelineModel, (x, y, width): (f64, f64, f64)) -> Option<(u32, IdleBox)> {
    let (view, scroll) = (model.view.get_untracked(), model.scroll.get_untracked());
    let kind = model.layout.with_untracked(|layout| Some(layout.as_ref()?.lane_at(y, scroll)?.0.band.kind))?;
    let BandKind::Idle { device } = kind else { return None };
    let reach = (view.length() as f64 / width.max(1.0) * NEAR) as u64;
    let time = view.time(x, width);
    let distance = |idle_box: &IdleBox| idle_box.start.0.saturating_sub(time).max(time.saturating_sub(idle_box.end.0));
    model.shown.with_value(|shown| {
        let idle = shown.as_ref()?.idle(device).iter().min_by_key(|idle_box| distance(idle_box))?;
        (distance(idle) <= reach).then_some((device, *idle))
    })
}

/// Returns the tooltip of the values over time at a place of the canvas. `None` if none are there.
fn series_tip(model: TimelineModel, (x, y, width): (f64, f64, f64)) -> Option<Tip> {
    let (view, scroll) = (model.view.get_untracked(), model.scroll.get_untracked());
    let kind = model.layout.with_untracked(|layout| Some(layout.as_ref()?.lane_at(y, scroll)?.0.band.kind))?;
    let BandKind::Series { id } = kind else { return None };
    let time = Picos(view.time(x, width));
    model.timeline.with_untracked(|timeline| {
        let track = timeline.as_ref()?.groups.get(id.group as usize)?.series.get(id.series as usize)?;
        model.shown.with_value(|shown| {
            let shown = shown.as_ref()?;
            let column = shown.query().column;
            let column_index = time.saturating_sub(shown.query().start).0 / column.0.max(1);
            let value = shown.series(id)?.read().nth(usize::try_from(column_index).ok()?)?;
            Some(text::series_tip(track, value, (time, column)))
        })
    })
}

/// Shows the tooltip of what is below the pointer: an event, idle time, or values over time.
fn hover(model: TimelineModel, position: (f64, f64, f64), (left, top): (f64, f64)) {
    let tips = model.state.tips;
    let anchor = Rect { x: left, y: top, width: 1.0, height: 1.0 };
    if let Some((device, idle)) = idle_at(model, position) {
        return tips.hover(text::idle_tip(&idle, &model.device_name(device)), anchor);
    }
    if let Some(tip) = series_tip(model, position) {
        return tips.hover(tip, anchor);
    }
    let Some(query) = query_at(model, position) else { return tips.leave() };
    model.request_answer(requests::Event(query), move |answer| match answer {
        Ok(Some(event)) => {
            let tip = text::tip(&event, &model.track_name(event.line));
            tips.hover(tip, anchor);
        }
        _ => tips.leave(),
    });
}

/// Zooms with Ctrl or Command, and pans with Shift or a horizontal wheel. Otherwise the wheel scrolls the tracks.
pub(super) fn wheel(model: TimelineModel, sheet: NodeRef<html::Canvas>, event: &ev::WheelEvent) {
    let Some((x, _, width)) = position(sheet, event) else { return };
    let (view, whole) = (model.view.get_untracked(), model.whole.get_untracked());
    let (dx, dy) = (event.delta_x(), event.delta_y());
    if event.ctrl_key() || event.meta_key() {
        event.prevent_default();
        model.show(view.zoom(whole, if dy < 0.0 { TURN } else { 1.0 / TURN }, x / width.max(1.0)));
    } else if event.shift_key() || dx.abs() > dy.abs() {
        event.prevent_default();
        let by = if dx.abs() > dy.abs() { dx } else { dy };
        model.show(view.pan(whole, by / width.max(1.0)));
    }
    model.state.tips.hide();
}
