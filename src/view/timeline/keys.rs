//! This module handles the keys of the timeline.

use super::model::{TimelineModel, Tool};
use crate::analysis::timeline::{EventQuery, Neighbour, TrackId};
use crate::protocol::url::timeline::TimelineRows;
use crate::table::page::row_key;
use leptos::ev;
use leptos::prelude::*;
use xla_profile::units::Picos;

/// The zoom factor of a key or a button.
pub(super) const STEP: f64 = 0.5;
/// The part of the width by which a key moves the visible part, and the factor with Shift.
const ASIDE: f64 = 0.2;
const FAST: f64 = 4.0;

/// Handles a key on the canvas, or with `is_on_canvas` unset anywhere in the view. Returns whether the key has a meaning here.
/// Only the canvas has keys that other elements use, too: arrows, Enter and Escape.
pub(super) fn key(model: TimelineModel, event: &ev::KeyboardEvent, is_on_canvas: bool) -> bool {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return false;
    }
    let key = event.key();
    if !is_on_canvas && (key.starts_with("Arrow") || key == "Enter" || key == "Escape") {
        return false;
    }
    let (view, whole) = (model.view.get_untracked(), model.whole.get_untracked());
    let aside = if event.shift_key() { ASIDE * FAST } else { ASIDE };
    let selected = model.selected.get_untracked();
    let next = |to: Neighbour| {
        if let Some(event) = &selected {
            model.find_event(EventQuery::Next { line: event.line, event: event.event, to }, true);
        } else {
            first_event(model);
        }
    };
    match &*key {
        "w" | "W" | "+" | "=" => model.show(view.zoom(whole, STEP, 0.5)),
        "s" | "S" | "-" | "−" => model.show(view.zoom(whole, 1.0 / STEP, 0.5)),
        "a" | "A" => model.show(view.pan(whole, -aside)),
        "d" | "D" => model.show(view.pan(whole, aside)),
        "0" => model.show(whole),
        "f" | "F" => model.fit(),
        "ArrowLeft" => next(Neighbour::Previous),
        "ArrowRight" => next(Neighbour::Next),
        "ArrowUp" => next(Neighbour::Parent),
        "ArrowDown" => next(Neighbour::Child),
        "j" | "J" => {
            if let Some(flow) = selected.as_ref().and_then(|event| event.flows.first()) {
                model.find_event(EventQuery::Index { line: flow.event.line, event: flow.event.event }, true);
            }
        }
        "v" | "V" => model.tool.set(Tool::Pan),
        "r" | "R" => {
            model.tool.set(Tool::Range);
            let event = selected.as_ref().map(|event| (event.start.0, event.end.0));
            if let Some(range) = event.or_else(|| model.view_state.with_untracked(|view_state| view_state.measure)) {
                model.select_range(Some(range));
            }
        }
        "m" | "M" => {
            model.tool.set(Tool::Measure);
            model.measure_event();
        }
        "p" | "P" => {
            if let Some(event) = &selected {
                model.pin(TrackId::Line(event.line));
            }
        }
        "g" | "G" => model.change(|view_state| view_state.rows = TimelineRows::Idle),
        "Enter" => {
            if let Some(event) = selected.filter(|event| event.kind.is_some()) {
                model.state.op.set(row_key(&event.name, event.program));
            }
        }
        "Escape" if model.selected.with_untracked(Option::is_some) => model.deselect(),
        "Escape" if model.view_state.with_untracked(|view_state| view_state.measure.is_some()) => {
            model.change(|view_state| view_state.measure = None);
        }
        "Escape" if model.view_state.with_untracked(|view_state| view_state.range.is_some()) => {
            model.select_range(None);
        }
        _ => return false,
    }
    true
}

/// Selects the event in the middle of the first visible line.
fn first_event(model: TimelineModel) {
    let view = model.view.get_untracked();
    let line = model.layout.with_untracked(|layout| {
        let scroll = model.scroll.get_untracked();
        layout.as_ref()?.visible(scroll, f64::INFINITY).find_map(|visible| visible.band.line())
    });
    if let Some(line) = line {
        let (time, tolerance) = (Picos(view.start + view.length() / 2), Picos(view.length()));
        model.find_event(EventQuery::At { line, lane: 0, time, tolerance }, true);
    }
}
