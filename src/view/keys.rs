//! Keys that work anywhere on the page. Knows which key does what; the list people see is beside it, and both
//! say the same.

use crate::analysis::GroupBy;
use crate::view::state::State;
use crate::view::widgets::popover;
use leptos::{ev, html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

/// After `g`, the next key must come within this, milliseconds.
const PREFIX: f64 = 1500.0;

/// What `?` lists: keys, and what they do.
pub(crate) const LIST: [(&str, &[&str], &str); 13] = [
    ("Rows", &["g", "o"], "group by op"),
    ("Rows", &["g", "c"], "group by category"),
    ("Rows", &["g", "k"], "group by kind"),
    ("Rows", &["g", "s"], "group by source"),
    ("Rows", &["g", "p"], "group by program"),
    ("Rows", &["s"], "sort by the column in focus"),
    ("Rows", &["S"], "the same, reversed"),
    ("Capture", &["[", "]"], "previous, next step"),
    ("Capture", &["{", "}"], "previous, next device"),
    ("Capture", &["n"], "notes"),
    ("Page", &["t"], "light, dark, as the system"),
    ("Page", &["?"], "this list"),
    ("Page", &["Esc"], "close, cancel, dismiss"),
];

/// Listens for as long as the page lives.
pub(crate) fn listen(state: State, help: NodeRef<html::Dialog>) {
    let prefix = StoredValue::new(None::<f64>);
    window_event_listener(ev::keydown, move |event| {
        let key = event.key();
        if key == "Escape" {
            escape(state);
            return;
        }
        if event.ctrl_key() || event.meta_key() || event.alt_key() || !state.keys_on.get_untracked() || in_field(&event)
        {
            return;
        }
        let after_g = prefix.get_value().is_some_and(|at| event.time_stamp() - at < PREFIX);
        prefix.set_value((key == "g").then(|| event.time_stamp()));
        let done = if after_g { group(state, &key) } else { single(state, help, &key) };
        if done {
            event.prevent_default();
        }
    });
}

fn in_field(event: &KeyboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let field = "input:not([type=checkbox]), textarea, select, [contenteditable], dialog";
    target.is_some_and(|target| target.closest(field).ok().flatten().is_some())
}

/// Closes one thing. What the browser closes itself is left to it.
fn escape(state: State) {
    let theirs = document().query_selector(":popover-open, dialog[open]").ok().flatten().is_some();
    if state.tips.is_shown() {
        state.tips.hide();
    } else if theirs {
    } else if state.load_shown.get_untracked() {
        state.cancel();
    } else if let Some(toast) = state.toasts.with_untracked(|toasts| toasts.last().map(|toast| toast.id)) {
        state.dismiss(toast);
    }
}

fn group(state: State, key: &str) -> bool {
    let by = match key {
        "o" => GroupBy::Op,
        "c" => GroupBy::Category,
        "k" => GroupBy::Kind,
        "s" => GroupBy::Source,
        "p" => GroupBy::Program,
        _ => return false,
    };
    state.group_by(by);
    true
}

fn single(state: State, help: NodeRef<html::Dialog>, key: &str) -> bool {
    match key {
        "[" | "]" => {
            if let Some(step) = untrack(|| state.step_on(if key == "[" { -1 } else { 1 })) {
                state.choose_step(step);
            }
        }
        "{" | "}" => {
            if let Some(device) = untrack(|| state.device_on(if key == "{" { -1 } else { 1 })) {
                untrack(|| state.choose_device(device));
            }
        }
        "s" | "S" => sort(state, key == "S"),
        "t" => state.switch_theme(),
        "n" => popover::toggle("notes"),
        "?" => {
            if let Some(dialog) = help.get_untracked() {
                let _ = dialog.show_modal();
            }
        }
        _ => return false,
    }
    true
}

fn sort(state: State, reversed: bool) {
    let column = state.place.get_untracked().column;
    let natural = state.columns.with_untracked(|columns| columns.get(column).and_then(|chosen| chosen.cell.natural()));
    if let Some(mut natural) = natural {
        natural.descending ^= reversed;
        state.choose(|_, sort| *sort = natural);
    }
}
