//! This module renders the fields that filter the rows of a table.

use super::icon::{Icon, icon};
use crate::table::filter::FilterField;
use crate::view::type_erasure::EraseType;
use leptos::prelude::*;
use leptos::{ev, html};

/// Where a text is searched, and whether it is a regular expression.
#[derive(Clone, Copy)]
pub(crate) struct FilterChips {
    pub(crate) within: Signal<FilterField>,
    pub(crate) choose: Callback<FilterField>,
    pub(crate) regex: Signal<bool>,
    pub(crate) switch: Callback<()>,
}

/// Renders the buttons inside a field that choose where its text is searched, and the switch for regular expressions.
pub(crate) fn filter_chips(chips: FilterChips) -> AnyView {
    let FilterChips { within, choose, regex, switch } = chips;
    let chip = move |filter_field: FilterField| {
        let words = if filter_field == FilterField::Source { "source" } else { filter_field.key() };
        let pressed = move || (within.get() == filter_field).to_string();
        view! {
            <button type="button" class="chip" aria-pressed=pressed title=format!("Look in {}", filter_field.label()) on:click=move |_| choose.run(filter_field)>
                {words}
            </button>
        }
        .any()
    };
    view! {
        <span class="chips" data-roving="" role="group" aria-label="Search in">
            {FilterField::ALL.map(chip).collect_view()}
            <button
                type="button"
                class="chip mono"
                aria-label="Regular expression"
                title="Regular expression"
                aria-pressed=move || regex.get().to_string()
                on:click=move |_| switch.run(())
            >
                ".*"
            </button>
        </span>
    }
    .any()
}

/// What a field that filters by text shows and does.
#[derive(Clone, Copy)]
pub(crate) struct SearchField {
    pub(crate) text: RwSignal<String>,
    /// The placeholder, which is also the label.
    pub(crate) words: &'static str,
    /// The buttons inside the field, if any.
    pub(crate) chips: Option<FilterChips>,
    /// Whether the field is marked because its text is not valid.
    pub(crate) is_bad: Signal<bool>,
    /// Handles Enter; the value tells whether Shift is held.
    pub(crate) enter: Option<Callback<bool>>,
}

/// Renders a field that filters rows by text. `words` is its placeholder.
pub(crate) fn search(text: RwSignal<String>, words: &'static str) -> AnyView {
    search_with(SearchField { text, words, chips: None, is_bad: Signal::stored(false), enter: None })
}

/// Renders a field that filters by text.
pub(crate) fn search_with(field: SearchField) -> AnyView {
    let SearchField { text, words, chips, is_bad, enter } = field;
    let node = NodeRef::<html::Input>::new();
    let key = move |event: ev::KeyboardEvent| match (&*event.key(), enter) {
        ("Escape", _) => leave(&event, node, || text.set(String::new())),
        ("Enter", Some(enter)) => enter.run(event.shift_key()),
        _ => {}
    };
    view! {
        <div class="field" class:bad=is_bad role="search">
            {icon(Icon::Search)}
            <input
                node_ref=node
                id="filter"
                type="text"
                placeholder=words
                aria-label=words
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                prop:value=move || text.get()
                on:input=move |event| text.set(event_target_value(&event))
                on:keydown=key
            />
            {chips.map(filter_chips)}
        </div>
    }
    .any()
}

/// Handles Esc in a field: a field with text is cleared, and `cleared` is called; an empty field loses the focus.
pub(crate) fn leave(event: &ev::KeyboardEvent, node: NodeRef<html::Input>, cleared: impl FnOnce()) {
    event.stop_propagation();
    let Some(field) = node.get_untracked() else { return };
    if field.value().is_empty() {
        let _ = field.blur();
    } else {
        field.set_value("");
        cleared();
    }
}
