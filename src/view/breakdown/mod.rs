//! Where the time goes: figures, the bar of kinds, its read-out, the table. Knows the order of the parts; each
//! part knows itself.

mod bar;
mod figures;
mod parts;
mod tools;

use crate::engine::BreakdownHead;
use crate::view::state::{Same, State};
use crate::view::table::Table;
use leptos::prelude::*;

/// The view of a breakdown.
#[component]
pub(crate) fn Breakdown(state: State, head: Memo<Option<Same<BreakdownHead>>>) -> impl IntoView {
    // The table comes a moment later: making everything at once would be one long task.
    let (later, set_later) = signal(false);
    set_timeout(move || set_later.set(true), std::time::Duration::ZERO);
    let name = move || state.opened.with(|opened| opened.as_ref().map(|opened| opened.name.clone()));
    view! {
        <div class="breakdown" role="tabpanel" aria-labelledby="tab-breakdown">
            <h1 class="unseen">"Breakdown of " {name}</h1>
            <figures::Figures head />
            <bar::StackedBar state head />
            <parts::Parts state head />
            <tools::Tools state head />
            <Show when=move || later.get()>
                <Table state head />
            </Show>
        </div>
    }
    .into_any()
}
