//! This module renders a menu of actions, which opens from a button or at a place. Arrow keys walk the entries, Enter
//! runs one, and Esc closes the menu, which is a popover of the browser.

use super::icon::{Icon, icon};
use super::popover;
use super::size::{rect, screen};
use crate::chart::plot::popover_position::{self, Rect};
use crate::view::type_erasure::EraseType;
use gloo::events::EventListener;
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlElement, MouseEvent};

/// An entry of a menu.
#[derive(Clone)]
pub(crate) struct Entry {
    label: String,
    key: &'static str,
    /// Whether a line is drawn above the entry.
    separated: bool,
    /// Whether the entry is the chosen one of several choices; `None` if it is no choice.
    chosen: Option<bool>,
    /// The term of the glossary that the entry opens.
    term: Option<&'static str>,
    run: Callback<()>,
}

impl Entry {
    pub(crate) fn new(label: impl Into<String>, run: Callback<()>) -> Self {
        Self { label: label.into(), key: "", separated: false, chosen: None, term: None, run }
    }

    /// Sets the key that does the same, which is shown beside the label.
    pub(crate) fn key(self, key: &'static str) -> Self {
        Self { key, ..self }
    }

    /// Makes the entry one of several choices, and sets whether it is the chosen one.
    pub(crate) fn chosen(self, chosen: bool) -> Self {
        Self { chosen: Some(chosen), ..self }
    }

    /// Creates the entry that opens the glossary at a term.
    pub(crate) fn definition(term: &'static str) -> Self {
        Self { term: Some(term), ..Self::new("What is this?", Callback::new(|()| ())) }
    }

    /// Draws a line above the entry.
    pub(crate) fn separated(self) -> Self {
        Self { separated: true, ..self }
    }
}

/// Opens the menu of an id at `anchor`.
pub(crate) fn open_at(id: &str, anchor: Rect) {
    let Some(panel) = document().get_element_by_id(id).and_then(|panel| panel.dyn_into::<HtmlElement>().ok()) else {
        return;
    };
    let _ = panel.show_popover();
    // The entries are rendered at this moment, and only then the menu has its size.
    request_animation_frame(move || {
        let size = rect(&panel);
        let (x, y) = popover_position::popover_corner(anchor, (size.width, size.height), screen(), 4.0);
        let style = panel.style();
        let _ = style.set_property("left", &format!("{x}px"));
        let _ = style.set_property("top", &format!("{y}px"));
        let _ = panel.toggle_attribute_with_force("data-placed", true);
        focus(&panel, 0);
    });
}

/// Opens the menu after a press of the right button. Some systems request the menu while the button is still down, and
/// the browser closes an open popover when the button goes up. The menu therefore opens after that.
pub(crate) fn open_after_press(id: &'static str, anchor: Rect, event: &MouseEvent) {
    if event.buttons() == 0 {
        return open_at(id, anchor);
    }
    let open = move |_: &Event| request_animation_frame(move || open_at(id, anchor));
    EventListener::once(&window(), "pointerup", open).forget();
}

fn entries(panel: &HtmlElement) -> Vec<HtmlElement> {
    let all = panel.query_selector_all("[role^=menuitem]").ok();
    let all = all.into_iter().flat_map(|all| (0..all.length()).filter_map(move |index| all.item(index)));
    all.filter_map(|node| node.dyn_into().ok()).collect()
}

fn focus(panel: &HtmlElement, index: usize) {
    if let Some(entry) = entries(panel).get(index) {
        let _ = entry.focus();
    }
}

/// Moves the focus between the entries by the arrow keys, Home and End. The arrows go around the ends.
fn walk(event: &ev::KeyboardEvent, id: &str) {
    let panel: HtmlElement = event.current_target().map_or_else(|| event_target(event), JsCast::unchecked_into);
    let all = entries(&panel);
    let active = document().active_element();
    let now = all.iter().position(|entry| active.as_ref() == Some(entry.as_ref())).unwrap_or(0);
    let to = match event.key().as_str() {
        "ArrowDown" => (now + 1) % all.len().max(1),
        "ArrowUp" => (now + all.len().max(1) - 1) % all.len().max(1),
        "Home" => 0,
        "End" => all.len().saturating_sub(1),
        "Tab" => return popover::hide(id),
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    focus(&panel, to);
}

/// Renders the entries inside an existing panel.
fn list(id: &'static str, label: String, entries: Signal<Vec<Entry>>) -> AnyView {
    let one = move |entry: Entry| {
        let run = entry.run;
        let press = move |_| {
            popover::hide(id);
            run.run(());
        };
        let key = (!entry.key.is_empty()).then(|| view! { <kbd aria-hidden="true">{entry.key}</kbd> }.any());
        let role = if entry.chosen.is_some() { "menuitemradio" } else { "menuitem" };
        let tick =
            entry.chosen.map(|chosen| view! { <span class="tick">{chosen.then(|| icon(Icon::Check))}</span> }.any());
        view! {
            <button
                type="button"
                class="menu-act"
                class:separated=entry.separated
                role=role
                aria-checked=entry.chosen.map(|chosen| chosen.to_string())
                tabindex="-1"
                data-term=entry.term
                on:click=press
            >
                {tick}
                <span class="entry-label">{entry.label}</span>
                {key}
            </button>
        }
        .any()
    };
    view! {
        <div role="menu" aria-label=label class="menu-acts" on:keydown=move |event| walk(&event, id)>
            {move || entries.get().into_iter().map(one).collect_view()}
        </div>
    }
    .any()
}

/// Renders a button and its menu.
#[component]
pub(crate) fn MenuButton(
    id: &'static str,
    class: &'static str,
    #[prop(into)] label: Signal<String>,
    #[prop(into)] entries: Signal<Vec<Entry>>,
    face: Children,
) -> impl IntoView {
    let name = label.get_untracked();
    view! { <popover::Popover id class label panel_class="menu" face>{list(id, name.clone(), entries)}</popover::Popover> }.any()
}

/// Renders a menu without a button. [`open_at`] opens it.
#[component]
pub(crate) fn Menu(id: &'static str, label: &'static str, #[prop(into)] entries: Signal<Vec<Entry>>) -> impl IntoView {
    view! {
        <div id=id class="panel menu" popover="auto">
            {list(id, label.to_owned(), entries)}
        </div>
    }
    .any()
}
