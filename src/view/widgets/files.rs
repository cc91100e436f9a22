//! The two ways to choose: files, or a folder. The inputs are out of sight and always there; buttons press them.

use crate::view::state::{self, State};
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

/// Asks for files.
pub(crate) fn choose_files() {
    click_input(FILES);
}

/// Asks for a folder.
pub(crate) fn choose_folder() {
    click_input(FOLDER);
}

/// The inputs.
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
