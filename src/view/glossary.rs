//! This module renders the glossary dialog, with a field to search in it. Any button with the attribute `data-term`
//! opens it at the term that the attribute names, so that a component with such a button needs no state.

use super::state::State;
use super::type_erasure::{EraseType, effect, live};
use super::widgets::icon::{Icon, icon};
use crate::chart::glossary::{TERMS, Term, Topic, search};
use leptos::prelude::*;
use leptos::{ev, html};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlDialogElement, HtmlElement};

/// Opens the glossary for buttons with the attribute `data-term`, as long as the page lives.
pub(crate) fn listen(state: State) {
    window_event_listener(ev::click, move |event| {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let Some(button) = target.and_then(|target| target.closest("[data-term]").ok().flatten()) else { return };
        // The panel or the dialog of the button closes first, so that the focus returns to where it was before that.
        if let Ok(Some(panel)) = button.closest("[popover]") {
            let _ = panel.unchecked_into::<HtmlElement>().hide_popover();
        }
        if let Ok(Some(dialog)) = button.closest("dialog") {
            dialog.unchecked_into::<HtmlDialogElement>().close();
        }
        state.glossary.set(button.get_attribute("data-term"));
    });
}

/// Renders the glossary, which is open as long as it exists.
#[component]
pub(crate) fn Glossary(state: State) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    let text = RwSignal::new(String::new());
    let chosen = state.glossary.get_untracked().unwrap_or_default();
    effect(move || {
        if let Some(dialog) = dialog.get() {
            let _ = dialog.show_modal();
            focus_chosen(&dialog);
        }
    });
    let close = move |_| {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    };
    let found = Memo::new(move |_| text.with(|text| search(text)));
    let topics = move || {
        let found = found.get();
        let terms = |topic: Topic| found.iter().copied().filter(move |term| term.topic == topic);
        let topics = Topic::ALL.into_iter().filter(|topic| terms(*topic).next().is_some());
        topics
            .map(|topic| {
                let terms = terms(topic).map(|term| definition(term, term.name() == chosen)).collect_view();
                view! { <section><h3>{topic.label()}</h3><dl>{terms}</dl></section> }.any()
            })
            .collect_view()
    };
    let count = move || match found.with(Vec::len) {
        0 => "No term has this text.".to_owned(),
        n if n == TERMS.len() => format!("{n} terms"),
        n => format!("{n} of {} terms", TERMS.len()),
    };
    view! {
        <dialog node_ref=dialog class="dialog glossary" aria-labelledby="glossary-title" on:close=move |_| state.glossary.set(None)>
            <header>
                <h2 id="glossary-title">"Glossary"</h2>
                <span class="grow"></span>
                <button type="button" class="btn icon-only" aria-label="Close" on:click=close>{icon(Icon::Close)}</button>
            </header>
            <div class="glossary-search">
                <div class="field" role="search">
                    {icon(Icon::Search)}
                    <input
                        id="glossary-search"
                        type="text"
                        placeholder="Search terms"
                        aria-label="Search terms"
                        autocomplete="off"
                        autocapitalize="off"
                        spellcheck="false"
                        on:input=move |event| text.set(event_target_value(&event))
                    />
                </div>
                <span class="sub" role="status">{live(count)}</span>
            </div>
            <div class="glossary-terms" tabindex="0" role="region" aria-label="Terms">{live(topics)}</div>
        </dialog>
    }
    .any()
}

/// Moves the focus to the term that the glossary was opened for, or to the field if there is none.
fn focus_chosen(dialog: &HtmlDialogElement) {
    let found = [".chosen", "input"].into_iter().find_map(|selector| dialog.query_selector(selector).ok().flatten());
    if let Some(element) = found.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

fn definition(term: &'static Term, is_chosen: bool) -> AnyView {
    let line =
        |class: &'static str, text: &'static str| (!text.is_empty()).then(|| view! { <p class=class>{text}</p> }.any());
    view! {
        <div class:chosen=is_chosen tabindex=is_chosen.then_some("-1")>
            <dt>{term.names.join(" · ")}</dt>
            <dd>
                {line("", term.meaning)}
                {line("mono", term.formula)}
                {line("sub", term.usual)}
            </dd>
        </div>
    }
    .any()
}
