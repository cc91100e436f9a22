//! Groups of buttons that are one stop of the keyboard each: Tab goes to a group and from it, arrows, Home and End go within it. Which
//! button of a group is its stop is decided in the moment that Tab is pressed, so that views say nothing of it. Knows which parts of the
//! page are such groups; not what they do.

use gloo_events::{EventListener, EventListenerOptions};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent, NodeList};

/// Groups of all buttons within them.
const WHOLE: &str = "header .bar, .picture-head, .figures, .spread, .parts, .tools, .filter-line, .coverage-tools, .roofline-tools, \
                     .memory-tools, .map-head";
/// Groups where they are not within one of those.
const SMALL: &str = ".segmented, .chips";

/// Listens for as long as the page lives.
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
    let all = list.into_iter().flat_map(|list| (0..list.length()).filter_map(move |at| list.item(at)));
    all.filter_map(|node| node.dyn_into().ok()).collect()
}

fn is_in(element: &Element, selector: &str) -> bool {
    element.closest(selector).ok().flatten().is_some()
}

/// The buttons of each group.
fn groups() -> Vec<Vec<HtmlElement>> {
    let whole = elements(document().query_selector_all(WHOLE)).into_iter();
    let small = elements(document().query_selector_all(SMALL)).into_iter().filter(|group| !is_in(group, WHOLE));
    let buttons = |group: HtmlElement| -> Vec<HtmlElement> {
        elements(group.query_selector_all("button")).into_iter().filter(is_member).collect()
    };
    whole.chain(small).map(buttons).filter(|group| group.len() > 1).collect()
}

/// Whether a button can have the focus, and no menu, list of tabs or panel has its own way with it.
fn is_member(button: &HtmlElement) -> bool {
    let is_seen = button.offset_parent().is_some() && !button.has_attribute("disabled");
    is_seen && !is_in(button, "[popover], [role=tablist], [role=menu], [role=grid]")
}

/// Leaves one button of a group for Tab: the one with the focus, else the one that was before, else the one that is pressed, else the
/// first.
fn set_stop(group: &[HtmlElement]) {
    let active = document().active_element();
    let is = |name: &str, value: &str| group.iter().position(|one| one.get_attribute(name).as_deref() == Some(value));
    let has_focus = group.iter().position(|one| active.as_ref() == Some(one.as_ref()));
    let stop = has_focus.or_else(|| is("tabindex", "0")).or_else(|| is("aria-pressed", "true")).unwrap_or(0);
    for (at, button) in group.iter().enumerate() {
        let _ = button.set_attribute("tabindex", if at == stop { "0" } else { "-1" });
    }
}

/// Goes to another button of the group that has the focus.
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
    let Some((group, at)) = found else { return };
    let last = group.len() - 1;
    let to = match event.key().as_str() {
        "ArrowLeft" => at.checked_sub(1).unwrap_or(last),
        "ArrowRight" if at < last => at + 1,
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
