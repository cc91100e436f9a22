//! This module renders the hint of the first visit: three sentences about the page, one after the other, above the
//! overview. The hint goes away for good after the last sentence, with its close button, and with Esc.

use super::state::State;
use super::type_erasure::{EraseType, live};
use super::widgets::icon::{Icon, icon};
use crate::protocol::url::View;
use leptos::prelude::*;

/// The sentences.
const STEPS: [&str; 3] = [
    "Overview lists what limits a step, sorted by the time that it costs. Keys 1 to 8 switch between the views.",
    "Press “=” beside a figure: how it is computed, what it means, and what is usual.",
    "Press / to filter ops. Press ? for all keys, and h for the glossary.",
];

/// Renders the hint, if it has not been seen.
pub(crate) fn hint(state: State) -> AnyView {
    let strip = move || {
        let step = state.hint.get().filter(|_| state.view.get() == View::Overview)?;
        let text = STEPS.get(step)?;
        let is_last = step + 1 == STEPS.len();
        let next = move |_| if is_last { state.dismiss_hint() } else { state.hint.set(Some(step + 1)) };
        Some(
            view! {
                <aside class="device-strip hint-strip" aria-label="First steps">
                    {icon(Icon::Info)}
                    <span role="status">{format!("{} of {}: {text}", step + 1, STEPS.len())}</span>
                    <button type="button" class="link" on:click=next>{if is_last { "Done" } else { "Next" }}</button>
                    <span class="grow"></span>
                    <button type="button" class="btn icon-only" aria-label="Close the hint" title="Close (Esc)" on:click=move |_| state.dismiss_hint()>
                        {icon(Icon::Close)}
                    </button>
                </aside>
            }
            .any(),
        )
    };
    live(strip).into_any()
}
