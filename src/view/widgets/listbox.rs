//! This module renders a list from which one entry is chosen by arrows, Home, End and Enter. Only the entries in view
//! exist, so that a list of a thousand steps is as fast as a list of three.

use super::icon::{Icon, icon};
use crate::chart::widgets::picker_options::Choice;
use crate::chart::widgets::virtual_rows::{self, Move};
use crate::view::type_erasure::EraseType;
use leptos::prelude::*;
use leptos::{ev, html};

/// The height of an entry in pixels, as in the style sheet.
const ENTRY: f64 = 28.0;
/// The largest height of the list in pixels, as in the style sheet.
const HEIGHT: f64 = 336.0;

fn rows(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// The options of a listbox. An option is made when it comes into view.
#[derive(Clone, Copy)]
pub(crate) struct ListboxOptions<T: 'static> {
    pub(crate) count: Signal<u32>,
    /// Returns the option at an index.
    pub(crate) get: Callback<u32, Option<Choice<T>>>,
    /// Returns the index of a value.
    pub(crate) position: Callback<T, Option<u32>>,
}

impl<T: Clone + PartialEq + Send + Sync> From<Memo<Vec<Choice<T>>>> for ListboxOptions<T> {
    fn from(all: Memo<Vec<Choice<T>>>) -> Self {
        Self {
            count: Signal::derive(move || rows(all.with(Vec::len))),
            get: Callback::new(move |index: u32| all.with(|all| all.get(index as usize).cloned())),
            position: Callback::new(move |value: T| {
                all.with(|all| all.iter().position(|choice| choice.value == value)).map(rows)
            }),
        }
    }
}

/// Renders the list of `choices` with a tick at `chosen`. `choose` is called with the value that the user chooses.
#[component]
pub(crate) fn Listbox<T>(
    #[prop(into)] id: String,
    label: &'static str,
    #[prop(into)] choices: ListboxOptions<T>,
    #[prop(into)] chosen: Signal<T>,
    choose: Callback<T>,
) -> impl IntoView
where
    T: Copy + PartialEq + Send + Sync + 'static,
{
    let list = NodeRef::<html::Ul>::new();
    let top = RwSignal::new(0.0);
    let current = RwSignal::new(0u32);
    let count = Memo::new(move |_| choices.count.get());
    let visible = Memo::new(move |_| virtual_rows::rendered(count.get(), ENTRY, top.get(), top.get() + HEIGHT));
    let go = move |to: u32| {
        current.set(to);
        if let Some(list) = list.get_untracked() {
            let y = f64::from(to) * ENTRY - f64::from(list.scroll_top());
            let by = virtual_rows::reveal(y, y + ENTRY, f64::from(list.client_height()).max(ENTRY));
            list.scroll_by_with_x_and_y(0.0, by);
        }
    };
    let opened = move |_| {
        let chosen = chosen.get_untracked();
        go(untrack(|| choices.position.run(chosen)).unwrap_or(0));
    };
    let take = move |index: u32| {
        if let Some(value) = untrack(|| choices.get.run(index)).map(|choice| choice.value) {
            choose.run(value);
        }
    };
    let pressed = move |event: ev::KeyboardEvent| {
        let page = virtual_rows::page_step(HEIGHT, ENTRY);
        let key = event.key();
        if matches!(key.as_str(), "Enter" | " ") {
            event.prevent_default();
            return take(current.get_untracked());
        }
        let Some(by) = Move::of_key(&key) else { return };
        event.prevent_default();
        event.stop_propagation();
        go(virtual_rows::moved(Some(current.get_untracked()), by, page, count.get_untracked()).unwrap_or(0));
    };
    let prefix = id.clone();
    let entry = move |index: u32| {
        let choice = Memo::new(move |_| choices.get.run(index));
        let selected = move || choice.with(|choice| choice.as_ref().is_some_and(|c| c.value == chosen.get()));
        view! {
            <li
                id=format!("{prefix}-{index}")
                class="entry"
                class:at=move || current.get() == index
                role="option"
                aria-selected=move || selected().to_string()
                aria-setsize=move || count.get().to_string()
                aria-posinset=(index + 1).to_string()
                style:top=format!("{}px", f64::from(index) * ENTRY)
                on:click=move |_| take(index)
                on:pointermove=move |_| current.set(index)
            >
                <span class="tick">{move || selected().then(|| icon(Icon::Check))}</span>
                <span class="entry-label">{move || choice.get().map(|c| c.label)}</span>
                <span class="entry-detail">{move || choice.get().map(|c| c.detail)}</span>
            </li>
        }
        .any()
    };
    view! {
        <ul
            node_ref=list
            class="listbox"
            role="listbox"
            tabindex="0"
            aria-label=label
            aria-activedescendant=move || format!("{id}-{}", current.get())
            on:keydown=pressed
            on:focus=opened
            on:scroll=move |_| top.set(list.get_untracked().map_or(0.0, |list| list.scroll_top().into()))
        >
            <li class="listbox-size" role="presentation" style:height=move || format!("{}px", f64::from(count.get()) * ENTRY)></li>
            <For each=move || visible.get() key=|index| *index children=entry />
        </ul>
    }.any()
}
