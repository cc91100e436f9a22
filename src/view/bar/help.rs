//! This module renders the help dialog of the `?` key: the list of keys, which begins with
//! those of the current view, and the switch for single-key shortcuts.

use crate::analysis::base::GroupBy;
use crate::protocol::url::View;
use crate::view::keys;
use crate::view::state::State;
use crate::view::type_erasure::{EraseType, live};
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
    let line = |caps: &[&'static str], does: String| {
        let caps = caps.iter().map(|cap| view! { <kbd>{*cap}</kbd> }.any()).collect_view();
        view! { <div><dt>{caps}</dt><dd>{does}</dd></div> }.any()
    };
    let group = move |name: &'static str| {
        let grouping =
            |by: GroupBy| line(&["g", keys::grouping_key(by)], format!("group by {}", by.label().to_lowercase()));
        let groupings = (name == View::Breakdown.label()).then(|| GroupBy::ALL.map(grouping).collect_view());
        let listed = keys::LIST.into_iter().filter(|(view_name, ..)| *view_name == name);
        let lines = listed.map(|(_, caps, does)| line(caps, does.to_owned())).collect_view();
        view! { <section><h3>{name}</h3><dl>{groupings} {lines}</dl></section> }.any()
    };
    let groups = move || {
        let current = state.opened.with(Option::is_some).then(|| state.view.get().label());
        let mut names = keys::GROUPS;
        names.sort_by_key(|name| Some(*name) != current);
        names.map(group).collect_view()
    };
    view! {
        <dialog node_ref=node class="dialog" aria-labelledby="help-title">
            <header>
                <h2 id="help-title">"Keys"</h2>
                <span class="grow"></span>
                <button type="button" class="btn line" data-term="">"Glossary"</button>
                <button type="button" class="btn icon-only" aria-label="Close" on:click=close>{icon(Icon::Close)}</button>
            </header>
            <div class="keys">{live(groups)}</div>
            <p class="sub">"In the table arrows, Page Up, Page Down, Home and End move; Enter on a head sorts."</p>
            <label class="switch">
                <input type="checkbox" prop:checked=move || state.keys_on.get() on:change=switch />
                "Enable single-key shortcuts"
            </label>
            <p class="sub build">"Build " {crate::BUILD}</p>
        </dialog>
    }.any()
}
