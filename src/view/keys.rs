//! This module handles the keys that work anywhere on the page. [`LIST`] describes the keys to the user, and must match the
//! code.

use super::breakdown::filter;
use super::shared::save;
use super::state::State;
use super::widgets::popover;
use super::widgets::table::GridAction;
use super::{compare, files, op, overview};
use crate::analysis::base::{Filter, GroupBy};
use crate::protocol::url::View;
use crate::table::copy::CopyForm;
use leptos::prelude::*;
use leptos::{ev, html};
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

/// The time within which another key must follow `g`, in milliseconds.
const PREFIX: f64 = 1500.0;

/// The groups of keys, in the order of the help dialog. A group with the name of a view belongs to that view.
pub(crate) const GROUPS: [&str; 10] = [
    "Page",
    "Rows",
    "Capture",
    "Charts",
    "Graph and text",
    "Overview",
    "Breakdown",
    "Communication",
    "Timeline",
    "Compare",
];

/// The keys that the help dialog lists, without those that group rows: group, keys, and action.
pub(crate) const LIST: [(&str, &[&str], &str); 36] = [
    ("Rows", &["s"], "sort by the column in focus"),
    ("Rows", &["S"], "sort in the other direction"),
    ("Rows", &["Space"], "toggle the selection of the row"),
    ("Rows", &["Enter"], "open the op; expand the row"),
    ("Rows", &["y"], "copy the rows selected, else the row"),
    ("Rows", &["Y"], "copy the table (TSV)"),
    (
        "Page",
        &["1", "2", "3", "4", "5", "6", "7", "8"],
        "overview, breakdown, roofline, memory, communication, timeline, comparison, file",
    ),
    ("Page", &["9"], "back to the list of captures"),
    ("Page", &["/"], "filter; again: next place to search in"),
    ("Page", &["c"], "columns"),
    ("Page", &["Alt", "↓"], "menu of the column in focus"),
    ("Page", &["e"], "save and copy"),
    ("Page", &["l"], "share"),
    ("Page", &["n"], "notes"),
    ("Page", &["t"], "light, dark, as the system"),
    ("Page", &["?"], "this list"),
    ("Page", &["h"], "glossary"),
    ("Page", &["Esc"], "close; clear filter; clear selection"),
    ("Capture", &["[", "]"], "previous, next step"),
    ("Capture", &["{", "}"], "previous, next device"),
    ("Charts", &["←", "→"], "next item of a group of buttons, a bar or a chart"),
    ("Charts", &["+", "−", "0"], "zoom in, zoom out, all"),
    ("Graph and text", &["Enter"], "go to the op; next match"),
    ("Graph and text", &["Space"], "expand or collapse the body"),
    ("Overview", &["↑", "↓", "Enter", "→"], "finding before, after; open or close it; go to its view"),
    ("Overview", &["y"], "copy as Markdown"),
    ("Communication", &["w", "a", "d"], "zoom in, earlier, later"),
    ("Timeline", &["w", "s", "a", "d"], "zoom in, zoom out, earlier, later; a and d with Shift: faster"),
    ("Timeline", &["←", "→", "↑", "↓"], "on the tracks: event before, after, around, inside"),
    ("Timeline", &["f", "0"], "fit the event or the range; all"),
    ("Timeline", &["r", "v", "m"], "a drag selects, pans, measures; r and m take the event"),
    ("Timeline", &["j"], "linked event"),
    ("Timeline", &["p"], "pin the track of the event"),
    ("Timeline", &["g"], "list of idle gaps"),
    ("Compare", &["x"], "swap A and B"),
    ("Compare", &["w", "s", "a", "d"], "in the timeline: zoom in, zoom out, earlier, later"),
];

/// Returns the key that groups rows of the breakdown after `g`.
pub(crate) const fn grouping_key(by: GroupBy) -> &'static str {
    match by {
        GroupBy::Op => "o",
        GroupBy::Dedup => "d",
        GroupBy::OpGroup => "g",
        GroupBy::Category => "c",
        GroupBy::Kind => "k",
        GroupBy::Phase => "h",
        GroupBy::Layer => "l",
        GroupBy::Module => "m",
        GroupBy::Scope => "t",
        GroupBy::Source => "s",
        GroupBy::Program => "p",
    }
}

/// Listens for keys as long as the page lives.
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
        let in_table = target_within(&event, "[role=grid]");
        let of_view = state.view_key.get_value().filter(|_| !in_table && !event.default_prevented());
        if of_view.is_some_and(|of_view| of_view.run(event.clone())) {
            event.prevent_default();
            return;
        }
        let after_g = prefix.get_value().is_some_and(|pressed_ms| event.time_stamp() - pressed_ms < PREFIX);
        prefix.set_value((key == "g" && !after_g).then(|| event.time_stamp()));
        let done = if after_g { group(state, &key) } else { single(state, help, &key) };
        if done {
            event.prevent_default();
        }
    });
}

fn in_field(event: &KeyboardEvent) -> bool {
    target_within(event, "input:not([type=checkbox]), textarea, select, [contenteditable], dialog[open]")
}

/// Returns whether the target of an event is in an element that a selector selects.
fn target_within(event: &KeyboardEvent, selector: &str) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|target| target.closest(selector).ok().flatten().is_some())
}

/// Closes one thing. Popovers and dialogs are left to the browser, which closes them itself.
fn escape(state: State) {
    let theirs = document().query_selector(":popover-open, dialog[open]").ok().flatten().is_some();
    if state.tips.is_shown() {
        state.tips.hide();
    } else if theirs {
    } else if state.load_shown.get_untracked() {
        state.cancel();
    } else if state.graph.get_untracked() && state.op.with_untracked(|op| !op.is_empty()) {
        op::close_graph(state);
    } else if state.op.with_untracked(|op| !op.is_empty()) {
        op::close(state);
    } else if state.compared_row.with_untracked(|row| !row.is_empty()) {
        compare::close_panel(state);
    } else if let Some(toast) = state.toasts.with_untracked(|toasts| toasts.last().map(|toast| toast.id)) {
        state.dismiss(toast);
    } else if state.hint.get_untracked().is_some() && state.opened.with_untracked(Option::is_some) {
        state.dismiss_hint();
    } else if state.query.with_untracked(|query| !query.filter.is_empty()) {
        state.filter(|filter| *filter = Filter { within: filter.within, regex: filter.regex, ..Filter::default() });
    } else if state.selected.with_untracked(|selected| !selected.is_empty()) {
        state.selected.set(Vec::new());
    }
}

fn group(state: State, key: &str) -> bool {
    if state.view.get_untracked() != View::Breakdown {
        return false;
    }
    let Some(by) = GroupBy::ALL.into_iter().find(|by| grouping_key(*by) == key) else { return false };
    if state.can(|can| can.groups_breakdown_by(by)) {
        state.group_by(by);
    }
    true
}

fn single(state: State, help: NodeRef<html::Dialog>, key: &str) -> bool {
    match key {
        "[" | "]" => {
            if let Some(step) = untrack(|| state.neighbouring_step(if key == "[" { -1 } else { 1 })) {
                state.choose_step(step);
            }
        }
        "{" | "}" => {
            if let Some(device) = untrack(|| state.neighbouring_device(if key == "{" { -1 } else { 1 })) {
                untrack(|| state.choose_device(device));
            }
        }
        "s" | "S" => sort(state, key == "S"),
        "t" => state.switch_theme(),
        "n" => popover::toggle("notes"),
        "0" if !state.zoom.with_untracked(String::is_empty) => state.zoom_to(String::new()),
        "0" => {}
        "/" if state.view.get_untracked() == View::File => files::focus(),
        "/" => filter::focus(state),
        "c" => popover::toggle("columns"),
        "l" => state.sharing.set(state.opened.with_untracked(Option::is_some) && !untrack(|| state.is_folder())),
        "9" => state.return_to_folder(),
        "h" => state.glossary.set(Some(String::new())),
        "e" => popover::toggle(save::ID),
        "y" if state.view.get_untracked() == View::Overview => overview::copy_markdown(state),
        "y" | "Y" => {
            if let Some(model) = state.table.get_value() {
                model.act.run(GridAction::CopyRows { all: key == "Y", form: CopyForm::Tsv });
            }
        }
        "x" if state.view.get_untracked() == View::Compare => {
            if state.pair.with_untracked(Option::is_some) {
                state.swap_sides();
            }
        }
        "?" => {
            if let Some(dialog) = help.get_untracked() {
                let _ = dialog.show_modal();
            }
        }
        _ => {
            let Some(view) = View::ALL.into_iter().find(|view| view.digit() == key) else { return false };
            if !untrack(|| state.is_shared_comparison()) {
                state.open_view(view);
            }
        }
    }
    true
}

fn sort(state: State, reversed: bool) {
    let Some(model) = state.table.get_value() else { return };
    let index = state.place.get_untracked().column;
    let column = model
        .columns
        .with_untracked(|columns| columns.get(index).and_then(|column| Some((column.id.clone(), column.sort?))));
    if let Some((id, natural)) = column {
        model.act.run(GridAction::Sort(id, natural ^ reversed));
    }
}
