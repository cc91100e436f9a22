//! This module renders the help dialog of the `?` key: the list of keys, and the switch for single-key shortcuts.

use crate::view::keys;
use crate::view::state::State;
use crate::view::type_erasure::EraseType;
use crate::view::widgets::icon::{Icon, icon};
use leptos::prelude::*;
use leptos::{ev, html};
use web_sys::HtmlInputElement;

/// Renders the help dialog, which is closed at first. Other modules open the dialog by `node`.
#[component]
pub(crate) fn Help(state: State, node: NodeRef<html::Dialog>) -> impl IntoView {
    let close = move |_| {
        if let Some(dialog) = node.get_untracked() {
            dialog.close();
        }
    };
    let switch = move |event: ev::Event| state.switch_keys(event_target::<HtmlInputElement>(&event).checked());
    let group = |name: &'static str| {
        let line = |(_, caps, does): (&str, &'static [&'static str], &'static str)| {
            let caps = caps.iter().map(|cap| view! { <kbd>{*cap}</kbd> }.any()).collect_view();
            view! { <div><dt>{caps}</dt><dd>{does}</dd></div> }.any()
        };
        let lines = keys::LIST.into_iter().filter(|(of, _, _)| *of == name).map(line).collect_view();
        view! { <section><h3>{name}</h3><dl>{lines}</dl></section> }.any()
    };
    view! {
        <dialog node_ref=node class="dialog" aria-labelledby="help-title">
            <header>
                <h2 id="help-title">"Keys"</h2>
                <span class="grow"></span>
                <button type="button" class="btn icon-only" aria-label="Close" on:click=close>{icon(Icon::Close)}</button>
            </header>
            <div class="keys">
                {group("Rows")}
                <div>{group("Page")} {group("Capture")} {group("Graph and text")}</div>
            </div>
            <p class="sub">"In the table arrows, Page Up, Page Down, Home and End move; Enter on a head sorts."</p>
            <label class="switch">
                <input type="checkbox" prop:checked=move || state.keys_on.get() on:change=switch />
                "Enable single-key shortcuts"
            </label>
            <p class="sub build">"Build " {crate::BUILD}</p>
        </dialog>
    }.any()
}
