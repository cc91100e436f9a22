//! This module renders the notes badge and its list of notes: assumptions, skipped data and missing data.

use crate::table::format;
use crate::view::state::State;
use crate::view::type_erasure::{EraseType, If, live};
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::popover::Popover;
use leptos::prelude::*;
use xla_profile::profile::{Note, Severity};

/// Renders the badge. Without notes, nothing is rendered.
#[component]
pub(crate) fn Notes(state: State) -> impl IntoView {
    let head = state.head();
    let notes = Memo::new(move |_| {
        let of_head = head.with(|head| head.as_ref().map(|head| head.notes.clone()));
        of_head.unwrap_or_else(|| {
            state.opened.with(|opened| opened.as_ref().map(|o| o.session.notes.clone()).unwrap_or_default())
        })
    });
    let grave = move || notes.with(|notes| notes.iter().any(|note| note.severity > Severity::Info));
    let label = move || format::counted(notes.with(Vec::len) as u64, "note", "notes");
    view! {
        <If when=move || notes.with(|notes| !notes.is_empty())>
            <Popover
                id="notes"
                class="badge-button"
                label=Signal::derive(label)
                panel_class="notes"
                eager=true
                face=Box::new(move || {
                    view! {
                        <span class="badge" class:caution=grave>
                            {move || icon(if grave() { Icon::Warn } else { Icon::Info })} {live(label)}
                        </span>
                    }.any()
                })
            >
                <ul>{move || notes.get().into_iter().map(note_item).collect_view()}</ul>
            </Popover>
        </If>
    }
    .any()
}

fn note_item(note: Note) -> impl IntoView {
    let caution = note.severity > Severity::Info;
    view! {
        <li class="note" class:caution=caution>
            {icon(if caution { Icon::Warn } else { Icon::Info })}
            <span>{format::with_grouped_count(&note.message)} {note.place.map(|place| view! { " " <span class="mono">{place}</span> }.any())}</span>
        </li>
    }
    .any()
}
