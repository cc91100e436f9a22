//! This module makes a group of buttons one tab stop (roving tabindex). Tab moves between groups; arrows, Home and End
//! move within a group. An element with the attribute `data-roving` is a group, and inside another group it is a part
//! of that one. The stop of a group is chosen when Tab is pressed, so that views need no code for it.

use gloo::events::{EventListener, EventListenerOptions};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent, NodeList};

/// The selector of groups.
const GROUP: &str = "[data-roving]";
/// The selector of floating elements. They are outside of the group that holds their button.
const FLOATING: &str = "[popover]";

/// Listens for keys as long as the page lives.
pub(crate) fn listen() {
    let options = EventListenerOptions { passive: false, ..EventListenerOptions::run_in_capture_phase() };
    let pressed = |event: &Event| {
        let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
        match event.key().as_str() {
            "Tab" => groups().iter().for_each(|group| set_stop(group)),
            "ArrowLeft" | "ArrowRight" | "Home" | "End" => move_focus(event),
            _ => {}
        }
    };
    EventListener::new_with_options(&window(), "keydown", options, pressed).forget();
}

fn elements(list: Result<NodeList, wasm_bindgen::JsValue>) -> Vec<HtmlElement> {
    let list = list.ok();
    let all = list.into_iter().flat_map(|list| (0..list.length()).filter_map(move |index| list.item(index)));
    all.filter_map(|node| node.dyn_into().ok()).collect()
}

fn enclosing(element: &Element, selector: &str) -> Option<Element> {
    element.closest(selector).ok().flatten()
}

/// Returns the buttons of each group.
fn groups() -> Vec<Vec<HtmlElement>> {
    let buttons = |group: HtmlElement| -> Vec<HtmlElement> {
        let all = elements(group.query_selector_all("button")).into_iter();
        all.filter(|button| enclosing(button, FLOATING) == enclosing(&group, FLOATING) && is_member(button)).collect()
    };
    let all = elements(document().query_selector_all(GROUP)).into_iter().filter(|group| !is_inner(group));
    all.map(buttons).filter(|group| group.len() > 1).collect()
}

/// Returns whether a group is a part of another one.
fn is_inner(group: &Element) -> bool {
    let either = format!("{GROUP}, {FLOATING}");
    let outer = group.parent_element().and_then(|parent| enclosing(&parent, &either));
    outer.is_some_and(|outer| outer.matches(GROUP).unwrap_or(false))
}

/// Returns whether a button can have the focus, and no tab list, menu or table handles its keys.
fn is_member(button: &HtmlElement) -> bool {
    let is_seen = button.offset_parent().is_some() && !button.has_attribute("disabled");
    is_seen && enclosing(button, "[role=tablist], [role=menu], [role=grid]").is_none()
}

/// Makes one button of a group the tab stop: the one with the focus, else the previous stop, else the pressed one, else
/// the first.
fn set_stop(group: &[HtmlElement]) {
    let active = document().active_element();
    let is = |name: &str, value: &str| group.iter().position(|one| one.get_attribute(name).as_deref() == Some(value));
    let has_focus = group.iter().position(|one| active.as_ref() == Some(one.as_ref()));
    let stop = has_focus.or_else(|| is("tabindex", "0")).or_else(|| is("aria-pressed", "true")).unwrap_or(0);
    for (index, button) in group.iter().enumerate() {
        let _ = button.set_attribute("tabindex", if index == stop { "0" } else { "-1" });
    }
}

/// Moves the focus to another button of the group that has the focus.
fn move_focus(event: &KeyboardEvent) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key() {
        return;
    }
    let Some(button) = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok()) else { return };
    if button.tag_name() != "BUTTON" {
        return;
    }
    let all = groups();
    let found = all.iter().find_map(|group| Some((group, group.iter().position(|one| *one == button)?)));
    let Some((group, index)) = found else { return };
    let last = group.len() - 1;
    let to = match event.key().as_str() {
        "ArrowLeft" => index.checked_sub(1).unwrap_or(last),
        "ArrowRight" if index < last => index + 1,
        "End" => last,
        _ => 0,
    };
    event.prevent_default();
    event.stop_propagation();
    if let Some(button) = group.get(to) {
        let _ = button.focus();
        set_stop(group);
    }
}
