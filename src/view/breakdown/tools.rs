//! Between picture and table: what rows stand for, and whether the parts sum to the whole.

use crate::analysis::GroupBy;
use crate::chart::readout;
use crate::engine::BreakdownHead;
use crate::view::state::{Same, State};
use crate::view::widgets::icon::{Icon, icon};
use leptos::prelude::*;

/// The tools.
#[component]
pub(crate) fn Tools(state: State, head: Memo<Option<Same<BreakdownHead>>>) -> impl IntoView {
    let one = move |by: GroupBy| {
        let pressed = move || (state.query.get().by == by).to_string();
        view! {
            <button type="button" aria-pressed=pressed on:click=move |_| state.group_by(by)>{by.label()}</button>
        }
    };
    let closes = Memo::new(move |_| head.with(|head| head.as_ref().is_some_and(|head| readout::closes(head))));
    let whole = move || head.with(|head| head.as_ref().map_or("step", |head| readout::whole(&head.header)));
    view! {
        <div class="tools">
            <span class="tools-label" id="group-by">"Group by"</span>
            <div class="segmented" role="group" aria-labelledby="group-by">{GroupBy::ALL.map(one).collect_view()}</div>
            <span class="grow"></span>
            <Show when=move || closes.get()>
                <span class="badge good closes">{icon(Icon::Check)} "Parts sum to the " {whole}</span>
            </Show>
        </div>
    }
    .into_any()
}
