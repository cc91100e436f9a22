//! This module renders the filter box: the text, the place to search, and the switch for regular expressions. The line
//! below the box shows how much matches. The query is sent a moment after typing. An expression that is not valid
//! leaves the last result on screen.

use crate::analysis::base::FilterField;
use crate::chart::breakdown::filter_text;
use crate::protocol::BreakdownHead;
use crate::table::format;
use crate::view::state::{SharedMemo, State};
use crate::view::type_erasure::{EraseType, effect, live};
use crate::view::widgets::field::{self, FilterChips, filter_chips};
use crate::view::widgets::icon::{Icon, icon};
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use leptos::{ev, html};
use web_sys::HtmlElement;

/// The delay between typing and the query, in milliseconds.
const AFTER: u32 = 120;
const FIELD: &str = "filter";

/// Focuses the filter field. If the field has the focus already, switches to the next place to search.
pub(crate) fn focus(state: State) {
    let field = document().get_element_by_id(FIELD);
    if field.is_some() && document().active_element() == field {
        let now = state.query.with_untracked(|query| query.filter.within);
        let index = FilterField::ALL.into_iter().position(|within| within == now).unwrap_or(0);
        let next = FilterField::ALL.into_iter().cycle().nth(index + 1).unwrap_or_default();
        state.filter(|filter| filter.within = next);
    } else if let Some(field) = field {
        use wasm_bindgen::JsCast;
        let _ = field.unchecked_into::<HtmlElement>().focus();
    }
}

/// Renders the filter box.
#[component]
pub(crate) fn FilterBox(state: State) -> impl IntoView {
    let node = NodeRef::<html::Input>::new();
    let current = Memo::new(move |_| state.query.with(|query| query.filter.text.clone()));
    effect(move || {
        // The filter can also change elsewhere (in the address, by "clear"). The text is not replaced while the user
        // types.
        let text = current.get();
        let typing = |field: &web_sys::HtmlInputElement| document().active_element().as_ref() == Some(field.as_ref());
        if let Some(field) = node.get().filter(|field| !typing(field) && state.filter_error.get_untracked().is_none()) {
            field.set_value(&text);
        }
    });
    let timer = StoredValue::new_local(None::<Timeout>);
    let apply = move |text: String| {
        timer.set_value(None);
        state.filter_error.set(None);
        state.filter(|filter| filter.text = text);
    };
    let typed = move |event: ev::Event| {
        let text = event_target_value(&event);
        timer.set_value(Some(Timeout::new(AFTER, move || apply(text))));
    };
    let key = move |event: ev::KeyboardEvent| match event.key().as_str() {
        "Enter" => apply(event_target_value(&event)),
        "Escape" => field::leave(&event, node, || apply(String::new())),
        "/" if event_target_value(&event).is_empty() => {
            event.prevent_default();
            focus(state);
        }
        _ => {}
    };
    let bad = move || state.filter_error.with(Option::is_some);
    let switch = Callback::new(move |()| {
        let text = node.get_untracked().map(|field| field.value()).unwrap_or_default();
        state.filter_error.set(None);
        state.filter(|filter| {
            filter.regex = !filter.regex;
            filter.text = text;
        });
    });
    let chips = FilterChips {
        within: Signal::derive(move || state.query.with(|query| query.filter.within)),
        choose: Callback::new(move |within| state.filter(|filter| filter.within = within)),
        regex: Signal::derive(move || state.query.with(|query| query.filter.regex)),
        switch,
    };
    view! {
        <div class="field" class:bad=bad role="search">
            {icon(Icon::Search)}
            <input
                node_ref=node
                id=FIELD
                type="text"
                placeholder="Filter ops"
                aria-label="Filter ops"
                aria-invalid=move || bad().to_string()
                aria-describedby="filter-status"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                on:input=typed
                on:keydown=key
            />
            {filter_chips(chips)}
        </div>
    }
    .any()
}

/// Renders the button that removes the filter by single ops, which a finding sets.
pub(crate) fn ops_chip(state: State) -> AnyView {
    let n = Memo::new(move |_| state.query.with(|query| query.filter.ops.len()));
    let chip = move || {
        let ops = (n.get() > 0).then(|| format::counted(n.get() as u64, "op", "ops"))?;
        let label = format!("{ops} of a finding: show all again");
        let clear = move |_| state.filter(|filter| filter.ops.clear());
        Some(
            view! {
                <button type="button" class="only" aria-label=label on:click=clear>
                    <span class="sub">"finding"</span>
                    <span class="only-what">{ops}</span>
                    {icon(Icon::Close)}
                </button>
            }
            .any(),
        )
    };
    live(chip).into_any()
}

/// Renders the line below the filter box: the matches or the error, and buttons that remove the filters by kind and
/// scope.
#[component]
pub(crate) fn FilterStatus(state: State, head: SharedMemo<BreakdownHead>) -> impl IntoView {
    let status = move || {
        if let Some(error) = state.filter_error.get() {
            let words = format!("{} at column {}. The last good filter still applies.", error.message, error.column);
            return view! { <span class="bad">{icon(Icon::Warn)} {words}</span> }.any();
        }
        let words = head.with(|head| head.as_ref().and_then(|head| filter_text::filtered(head)));
        words.map(|words| view! { <span>{words}</span> }.any()).into_any()
    };
    // The sum of all rows stands where that of the filtered rows will be.
    let unfiltered = move || {
        let is_valid = state.filter_error.with(Option::is_none);
        head.with(|head| head.as_ref().filter(|_| is_valid).and_then(|head| filter_text::unfiltered(head)))
    };
    let kind = move || state.query.with(|query| query.filter.kind).map(|kind| kind.label().to_owned());
    let module = move || state.query.with(|query| query.filter.module).map(|module| module.label().to_owned());
    let phase = move || state.query.with(|query| query.filter.phase).map(|phase| phase.label().to_owned());
    let scope = move || Some(state.query.with(|query| query.filter.scope.clone())).filter(|scope| !scope.is_empty());
    let only = move |what: &'static str, value: String, clear: Callback<()>| {
        let label = format!("{what} {value}: show all again");
        view! {
            <button type="button" class="only" aria-label=label on:click=move |_| clear.run(())>
                <span class="sub">{what}</span>
                " "
                <span class="only-what">{value}</span>
                {icon(Icon::Close)}
            </button>
        }
        .any()
    };
    let any_kind = Callback::new(move |()| state.filter(|filter| filter.kind = None));
    let any_module = Callback::new(move |()| state.filter(|filter| filter.module = None));
    let any_phase = Callback::new(move |()| state.filter(|filter| filter.phase = None));
    let any_scope = Callback::new(move |()| state.filter(|filter| filter.scope = String::new()));
    let shown = move || state.filter_error.with(Option::is_some) || state.query.with(|query| !query.filter.is_empty());
    view! {
        <div class="filter-line" data-roving="" class:idle=move || !shown()>
            {move || kind().map(|kind| only("kind", kind, any_kind))}
            {move || module().map(|module| only("module", module, any_module))}
            {move || phase().map(|phase| only("phase", phase, any_phase))}
            {move || scope().map(|scope| only("scope", scope, any_scope))}
            <p class="filter-status sub">{live(unfiltered)}</p>
            {ops_chip(state)}
            <p class="filter-status" id="filter-status" role="status">{live(status)}</p>
        </div>
    }
    .any()
}
