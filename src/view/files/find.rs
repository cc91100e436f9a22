//! This module renders the search in a program's text: the field, the number of matches, and the buttons to the
//! previous and the next match. The worker finds the matches.

use crate::chart::files;
use crate::protocol::{ProgramFound, ProgramQuery, ProgramRef, Reply, requests};
use crate::view::state::{PtrEq, SharedSignal, State};
use crate::view::type_erasure::{EraseType, effect, live};
use crate::view::widgets::field;
use crate::view::widgets::icon::{Icon, icon};
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use leptos::{ev, html};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// The delay between typing and the search, in milliseconds.
const AFTER: u32 = 150;
const FIELD: &str = "find";

/// Focuses the search field.
pub(crate) fn focus() {
    if let Some(field) = document().get_element_by_id(FIELD) {
        let _ = field.unchecked_into::<HtmlElement>().focus();
    }
}

/// The result of the last search, in any program.
pub(crate) type FoundLines = SharedSignal<ProgramFound>;

/// Returns the index of the current line among the matches, or as an error the index at which the line would stand.
fn match_index(found: &ProgramFound, line: Option<u32>) -> Result<usize, usize> {
    found.lines.binary_search(&line.unwrap_or(0).saturating_sub(1))
}

/// Renders the search field with its buttons.
#[component]
pub(crate) fn Find(state: State, chosen: Memo<Option<ProgramRef>>, found: FoundLines) -> impl IntoView {
    let bad = RwSignal::new(None::<String>);
    let node = NodeRef::<html::Input>::new();
    let request = Memo::new(move |_| {
        let program = chosen.get()?;
        let (text, regex) = state.file.with(|place| (place.find.clone(), place.regex));
        (!text.is_empty()).then_some(ProgramQuery { program, text, regex })
    });
    state.request_answer_on_change(
        move || request.get().map(requests::ProgramSearch),
        move |answer| match answer {
            Ok(matches) => {
                bad.set(None);
                // If the current line is no match, the view jumps to the next match below it, else to the first match.
                let line = state.file.with_untracked(|place| place.line);
                let to = match match_index(&matches, line) {
                    Ok(_) => None,
                    Err(index) => matches.lines.get(index).or_else(|| matches.lines.first()).copied(),
                };
                found.set(Some(PtrEq::new(matches)));
                if let Some(to) = to {
                    state.go_to_line(to + 1);
                }
            }
            Err(Reply::BadFilter(error)) => {
                found.set(None);
                bad.set(Some(files::filter_error(&error)));
            }
            _ => {}
        },
    );
    effect(move || {
        if request.with(Option::is_none) {
            found.set(None);
            bad.set(None);
        }
    });
    let text = Memo::new(move |_| state.file.with(|place| place.find.clone()));
    effect(move || {
        let text = text.get();
        let typing = |field: &web_sys::HtmlInputElement| document().active_element().as_ref() == Some(field.as_ref());
        if let Some(field) = node.get().filter(|field| !typing(field)) {
            field.set_value(&text);
        }
    });
    let go = move |by: isize| {
        let Some(found) = found.get_untracked().filter(|found| !found.lines.is_empty()) else { return };
        let n = found.lines.len();
        let index = match (match_index(&found, state.file.with_untracked(|place| place.line)), by) {
            (Ok(index), 1) => (index + 1) % n,
            (Ok(index) | Err(index), -1) => (index + n - 1) % n,
            (Err(index), _) => index % n,
            (Ok(index), _) => index,
        };
        let line = found.lines[index];
        state.go_to_line(line + 1);
    };
    let timer = StoredValue::new_local(None::<Timeout>);
    let apply = move |text: String| {
        timer.set_value(None);
        state.file.update(|place| place.find = text);
    };
    let typed = move |event: ev::Event| {
        let text = event_target_value(&event);
        timer.set_value(Some(Timeout::new(AFTER, move || apply(text))));
    };
    let key = move |event: ev::KeyboardEvent| match event.key().as_str() {
        "Enter" => {
            let text = event_target_value(&event);
            if state.file.with_untracked(|place| place.find != text) {
                apply(text);
            } else {
                go(if event.shift_key() { -1 } else { 1 });
            }
        }
        "Escape" => field::leave(&event, node, || apply(String::new())),
        _ => {}
    };
    let status = move || match bad.get() {
        Some(why) => Some(why),
        None => found.with(|found| {
            let found = found.as_ref()?;
            let index = match_index(found, state.file.with(|place| place.line)).ok();
            Some(files::found_text(index, found.n))
        }),
    };
    let regex = move || state.file.with(|place| place.regex).to_string();
    view! {
        <span class="find-status" role="status">{live(status)}</span>
        <button type="button" class="btn icon-only small" aria-label="Previous match" title="Previous match (Shift Enter)" on:click=move |_| go(-1)>{icon(Icon::Left)}</button>
        <button type="button" class="btn icon-only small" aria-label="Next match" title="Next match (Enter)" on:click=move |_| go(1)>{icon(Icon::Right)}</button>
        <div class="field" class:bad=move || bad.with(Option::is_some) role="search">
            {icon(Icon::Search)}
            <input node_ref=node id=FIELD type="text" placeholder="Find in the text" aria-label="Find in the text"
                autocomplete="off" spellcheck="false" on:input=typed on:keydown=key />
            <button type="button" class="chip" aria-pressed=regex title="Regular expression"
                on:click=move |_| state.file.update(|place| place.regex = !place.regex)>".*"</button>
        </div>
    }
    .any()
}
