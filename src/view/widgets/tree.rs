//! This module renders the parts of a table with rows that can be expanded, and handles its keys.

use super::icon::{Icon, icon};
use crate::view::type_erasure::{EraseType, live};
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// The names of the expanded rows.
pub(crate) type Open = RwSignal<Vec<String>>;

/// A row that can be expanded, with the rows below it.
pub(crate) struct Branch<'a> {
    /// Distinguishes the row from the others.
    pub(crate) key: &'a str,
    /// Whether the row is the tab stop.
    pub(crate) first: bool,
    /// Class of the cell with the name.
    pub(crate) class: &'static str,
    /// The name.
    pub(crate) face: AnyView,
    pub(crate) cells: AnyView,
    /// Renders the rows below, when the row is expanded.
    pub(crate) below: Box<dyn Fn() -> AnyView + Send>,
}

/// Renders a row that can be expanded.
pub(crate) fn branch(open: Open, branch: Branch<'_>) -> AnyView {
    let Branch { key, first, class, face, cells, below } = branch;
    let key = key.to_owned();
    let known = key.clone();
    let is_open = Memo::new(move |_| open.with(|open| open.contains(&known)));
    let toggle = move |_| {
        open.update(|open| match open.iter().position(|other| *other == key) {
            Some(index) => drop(open.swap_remove(index)),
            None => open.push(key.clone()),
        });
    };
    view! {
        <tbody>
            <tr class="tree-group">
                <th scope="row" class=class>
                    <button
                        type="button"
                        class="tree-name"
                        tabindex=if first { "0" } else { "-1" }
                        aria-expanded=move || is_open.get().to_string()
                        on:click=toggle
                    >
                        {icon(Icon::Right)} {face}
                    </button>
                </th>
                {cells}
            </tr>
            {live(move || is_open.get().then(&below))}
        </tbody>
    }
    .any()
}

/// Renders a row with one text.
pub(crate) fn note_row(columns: &'static str, text: Option<String>) -> AnyView {
    text.map(|text| view! { <tr class="tree-more"><td colspan=columns>{text}</td></tr> }.any()).into_any()
}

/// Renders a row with more details, as names and values.
pub(crate) fn detail_row(columns: &'static str, items: Vec<(String, String)>) -> AnyView {
    if items.is_empty() {
        return ().into_any();
    }
    let one = |(label, value)| view! { <span><span class="sub">{label}</span> " " {value}</span> }.any();
    view! { <tr class="tree-more"><td colspan=columns>{items.into_iter().map(one).collect_view()}</td></tr> }.any()
}

/// Returns a share of a bar as a length in CSS.
pub(crate) fn width(share: f64) -> String {
    format!("{:.2}%", share * 100.0)
}

/// Moves the focus between names by the arrows up and down, Home and End. The arrows right and left expand and collapse
/// a row.
#[expect(clippy::needless_pass_by_value, reason = "what a listener is")]
pub(crate) fn walk(event: ev::KeyboardEvent) {
    let Some(target) = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok()) else { return };
    let within = event.current_target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
    let Some(names) = within.and_then(|within| within.query_selector_all(".tree-name").ok()) else { return };
    let names: Vec<HtmlElement> = (0..names.length()).filter_map(|i| names.item(i)?.dyn_into().ok()).collect();
    let Some(place) = names.iter().position(|name| *name == target) else { return };
    let expanded = target.get_attribute("aria-expanded");
    let to = match &*event.key() {
        "ArrowDown" => names.get(place + 1),
        "ArrowUp" => place.checked_sub(1).and_then(|place| names.get(place)),
        "Home" => names.first(),
        "End" => names.last(),
        "ArrowRight" if expanded.as_deref() == Some("false") => {
            target.click();
            None
        }
        "ArrowLeft" if expanded.as_deref() == Some("true") => {
            target.click();
            None
        }
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    if let Some(to) = to {
        for name in &names {
            let _ = name.set_attribute("tabindex", "-1");
        }
        let _ = to.set_attribute("tabindex", "0");
        let _ = to.focus();
    }
}
