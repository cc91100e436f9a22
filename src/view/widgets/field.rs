//! This module renders the fields that filter the rows of a table.

use super::icon::{Icon, icon};
use crate::view::type_erasure::EraseType;
use leptos::prelude::*;
use leptos::{ev, html};

/// Renders a field that filters rows by text. `words` is its placeholder.
pub(crate) fn search(text: RwSignal<String>, words: &'static str) -> AnyView {
    let node = NodeRef::<html::Input>::new();
    let key = move |event: ev::KeyboardEvent| {
        if event.key() == "Escape" {
            leave(&event, node, || text.set(String::new()));
        }
    };
    view! {
        <div class="field" role="search">
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
