//! This module makes the whole page a drop target, and hands dropped files to the state.

use super::state::{self, State};
use super::type_erasure::{EraseType, live};
use leptos::ev;
use leptos::prelude::*;
use web_sys::DragEvent;

fn has_files(event: &DragEvent) -> bool {
    event.data_transfer().is_some_and(|transfer| transfer.types().includes(&"Files".into(), 0))
}

/// Renders the frame that is shown while files are dragged over the page.
#[component]
pub(crate) fn DropTarget(state: State) -> impl IntoView {
    let (over, set_over) = signal(false);
    let enter = move |event: DragEvent| {
        if has_files(&event) {
            event.prevent_default();
            if let Some(transfer) = event.data_transfer() {
                transfer.set_drop_effect("copy");
            }
            set_over.set(true);
        }
    };
    let leave = move |event: DragEvent| {
        if event.related_target().is_none() {
            set_over.set(false);
        }
    };
    let dropped = move |event: DragEvent| {
        set_over.set(false);
        if !has_files(&event) {
            return;
        }
        event.prevent_default();
        if let Some(transfer) = event.data_transfer() {
            state::from_drop(state, &transfer);
        }
    };
    let listeners = [
        window_event_listener(ev::dragenter, enter),
        window_event_listener(ev::dragover, enter),
        window_event_listener(ev::dragleave, leave),
        window_event_listener(ev::drop, dropped),
    ];
    on_cleanup(move || listeners.into_iter().for_each(WindowListenerHandle::remove));
    let sentence = move || {
        state.opened.with(|opened| match opened {
            Some(opened) => format!("Drop to replace {}", opened.name),
            None => "Drop to open".to_owned(),
        })
    };
    view! {
        <div class="drop-frame" hidden=move || !over.get()>
            <p>{live(sentence)}</p>
        </div>
    }
    .any()
}
