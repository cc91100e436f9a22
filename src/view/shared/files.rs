//! This module opens the browser's dialogs for files and for a folder. The inputs are hidden and always in the
//! document; buttons click them.

use crate::view::state::{self, OpenAs, State};
use crate::view::type_erasure::{EraseType, effect};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlElement, HtmlInputElement};

const FILES: &str = "choose-files";
const FOLDER: &str = "choose-folder";

fn click_input(id: &str) {
    if let Some(input) = document().get_element_by_id(id) {
        input.unchecked_into::<HtmlElement>().click();
    }
}

/// Opens the dialog for files. They are opened as `how` says.
pub(crate) fn choose_files(state: State, how: OpenAs) {
    state.choose_as.set_value(how);
    click_input(FILES);
}

/// Opens the dialog for a folder. Its files replace the open session.
pub(crate) fn choose_folder(state: State) {
    state.choose_as.set_value(OpenAs::Replace);
    click_input(FOLDER);
}

/// Renders the hidden inputs.
#[component]
pub(crate) fn FileInputs(state: State) -> impl IntoView {
    let chosen = move |event: Event| state::from_input(state, &event_target::<HtmlInputElement>(&event));
    let folder = NodeRef::<html::Input>::new();
    effect(move || {
        if let Some(input) = folder.get() {
            input.set_webkitdirectory(true);
        }
    });
    view! {
        <input id=FILES type="file" multiple=true hidden=true tabindex="-1" aria-label="Files" on:change=chosen />
        <input
            node_ref=folder
            id=FOLDER
            type="file"
            multiple=true
            hidden=true
            tabindex="-1"
            aria-label="Folder"
            on:change=chosen
        />
    }
    .any()
}
