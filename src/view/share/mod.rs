//! This module renders the share dialog: a link, one HTML file, or a report file; the level of detail, the data to
//! remove, and a preview. `session::share` makes the report, and `file` and `single` build the files.

mod cut;
mod file;
mod link;
mod model;
mod preview;
mod single;

use crate::view::state::State;
use crate::view::type_erasure::{EraseType, effect, live};
use crate::view::widgets::icon::{Icon, icon};
use leptos::prelude::*;
use leptos::{ev, html};
use model::{ShareModel, Tab};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// Renders the share dialog.
#[component]
pub(crate) fn Share(state: State) -> impl IntoView {
    let model = ShareModel::new(state);
    let dialog = NodeRef::<html::Dialog>::new();
    effect(move || {
        if let Some(dialog) = dialog.get() {
            let _ = dialog.show_modal();
        }
    });
    let close = move |_: ev::MouseEvent| {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    };
    let body = move || match model.tab.get() {
        Tab::Link => link::view(model),
        tab => file::view(model, tab),
    };
    let done = move || model.done.get();
    view! {
        <dialog node_ref=dialog class="dialog sharing" aria-labelledby="share-title" on:close=move |_| state.sharing.set(false)>
            <header>
                <h2 id="share-title">{if model.is_comparison { "Share this comparison" } else { "Share this profile" }}</h2>
                <span class="grow"></span>
                <button type="button" class="btn icon-only" aria-label="Close" on:click=close>{icon(Icon::Close)}</button>
            </header>
            <div class="share-tabs" role="tablist" aria-label="Share as" on:keydown=move |event| walk(model, &event)>
                {Tab::ALL.map(|tab| head(model, tab)).collect_view()}
            </div>
            <div class="share-body" id="share-body" role="tabpanel" aria-label=move || model.tab.get().label()>
                {live(body)}
                <div class="share-two">{preview::tables(model)} {cut::view(model)}</div>
                {preview::rows(model)}
                <p class="share-done" role="status">{live(done)}</p>
            </div>
        </dialog>
    }
    .any()
}

fn head(model: ShareModel, tab: Tab) -> AnyView {
    let chosen = move || model.tab.get() == tab;
    let size = move || model.size(tab);
    view! {
        <button
            type="button"
            class="tab"
            role="tab"
            id=tab.id()
            aria-selected=move || chosen().to_string()
            tabindex=move || if chosen() { "0" } else { "-1" }
            aria-controls="share-body"
            on:click=move |_| model.choose(tab)
        >
            {icon(tab.icon())}
            {tab.label()}
            <span class="share-size">{live(size)}</span>
        </button>
    }
    .any()
}

/// Moves to another tab by the left and right arrow keys.
fn walk(model: ShareModel, event: &ev::KeyboardEvent) {
    let n = Tab::ALL.len();
    let now = Tab::ALL.into_iter().position(|tab| tab == model.tab.get_untracked()).unwrap_or(0);
    let to = match &*event.key() {
        "ArrowRight" => (now + 1) % n,
        "ArrowLeft" => (now + n - 1) % n,
        _ => return,
    };
    event.prevent_default();
    model.choose(Tab::ALL[to]);
    if let Some(tab) = document().get_element_by_id(Tab::ALL[to].id()) {
        let _ = tab.unchecked_into::<HtmlElement>().focus();
    }
}
