//! This module handles the pointer and the wheel on the timeline.

use super::model::TimelineModel;
use crate::analysis::timeline::{EventDetail, EventQuery, LineRef};
use crate::chart::plot::popover_position::Rect;
use crate::chart::timeline::{Viewport, text};
use crate::protocol::TimelineQuestion;
use crate::units::Picos;
use crate::view::widgets::size::rect;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use leptos::{ev, html};

/// A pointer that moves farther than this between press and release makes a drag, in px.
const FAR: f64 = 4.0;
/// The distance in px at which an event counts as the one at the pointer.
const NEAR: f64 = 3.0;
/// The zoom factor of one wheel event.
const TURN: f64 = 0.8;
/// The time for which the pointer rests before the event below it is requested, in milliseconds.
const HOVER: u32 = 80;

/// A gesture of the pointer.
#[derive(Clone, Copy, PartialEq)]
enum Gesture {
    /// The pointer went down at a place of the canvas. It selects a range once it has moved.
    Select { x: f64 },
    /// The pointer moves the visible part, which was `from` when it went down.
    Pan { x: f64, from: Viewport },
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
    timer: StoredValue<Option<Timeout>, LocalStorage>,
}

impl Gestures {
    pub(super) fn new(model: TimelineModel, canvas: NodeRef<html::Canvas>, pointer: RwSignal<Option<f64>>) -> Self {
        Self { model, canvas, pointer, now: StoredValue::new(None), timer: StoredValue::new_local(None) }
    }

    /// Handles a pointer that goes down: it selects a range; with Shift, the middle button or a finger it pans.
    pub(super) fn down(self, event: &ev::PointerEvent) {
        let Some((x, ..)) = position(self.canvas, event) else { return };
        let pans = event.shift_key() || event.button() == 1 || event.pointer_type() == "touch";
        let from = self.model.view.get_untracked();
        let gesture = if pans { Gesture::Pan { x, from } } else { Gesture::Select { x } };
        self.now.set_value((event.button() < 2).then_some(gesture));
        if let Some(node) = self.canvas.get_untracked() {
            let _ = node.set_pointer_capture(event.pointer_id());
        }
    }

    /// Handles a pointer that moves.
    pub(super) fn moved(self, event: &ev::PointerEvent) {
        let Self { model, canvas, pointer, now, timer } = self;
        let Some((x, y, width)) = position(canvas, event) else { return };
        pointer.set(Some(x));
        let view = model.view.get_untracked();
        match now.get_value().filter(|_| event.buttons() > 0) {
            Some(Gesture::Pan { x: start, from }) => {
                model.state.tips.hide();
                model.show(from.pan(model.whole.get_untracked(), (start - x) / width.max(1.0)));
            }
            Some(Gesture::Select { x: start }) => {
                if (x - start).abs() > FAR || model.drag.with_untracked(Option::is_some) {
                    model.state.tips.hide();
                    let (a, b) = (view.time(start, width), view.time(x, width));
                    model.drag.set(Some((a.min(b), a.max(b).max(a.min(b) + 1))));
                }
            }
            None => {
                let at = (f64::from(event.client_x()), f64::from(event.client_y()));
                timer.set_value(Some(Timeout::new(HOVER, move || hover(model, (x, y, width), at))));
            }
        }
    }

    /// Handles a pointer that goes up: it ends a range, or selects the event at its place.
    pub(super) fn up(self, event: &ev::PointerEvent) {
        let model = self.model;
        let was = self.now.get_value();
        self.now.set_value(None);
        let Some((x, y, width)) = position(self.canvas, event) else { return };
        if let Some(range) = model.drag.get_untracked() {
            model.drag.set(None);
            model.select_range(Some(range));
            return;
        }
        let is_click = match was {
            Some(Gesture::Select { .. }) => true,
            Some(Gesture::Pan { x: start, .. }) => (x - start).abs() <= FAR && event.pointer_type() == "touch",
            None => false,
        };
        if is_click {
            match query_at(model, (x, y, width)) {
                Some(query) => model.find_event(query, false),
                None => model.deselect(),
            }
        }
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
        let (band, lane) = layout.as_ref()?.lane_at(y + scroll)?;
        Some((band.line()?, lane))
    })?;
    let tolerance = Picos((view.length() as f64 / width.max(1.0) * NEAR) as u64);
    Some(EventQuery::At { line, lane, time: Picos(view.time(x, width)), tolerance })
}

/// Shows the tooltip of the event below the pointer.
fn hover(model: TimelineModel, at: (f64, f64, f64), (left, top): (f64, f64)) {
    let tips = model.state.tips;
    let Some(query) = query_at(model, at) else { return tips.leave() };
    model.request(TimelineQuestion::Event(query), move |reply| match reply.decode::<Option<EventDetail>>() {
        Ok(Some(event)) => {
            let tip = text::tip(&event, &model.track_name(event.line));
            tips.hover(tip, Rect { x: left, y: top, width: 1.0, height: 1.0 });
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
