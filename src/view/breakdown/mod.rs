//! This module composes the breakdown: figures, the bar of kinds, its legend, the picture, the tools and the table.

mod bar;
mod chooser;
pub(crate) mod figures;
pub(crate) mod filter;
mod parts;
pub(crate) mod picture;
mod rows;
mod save;
mod scopes;
mod steps;
mod tools;

use crate::protocol::tables::Utilization;
use crate::protocol::{BreakdownHead, requests};
use crate::view::state::{PtrEq, SharedMemo, SharedSignal, State};
use crate::view::type_erasure::{EraseType, If, effect, live};
use crate::view::widgets::table::{Model, Table};
use leptos::prelude::*;

/// Requests how far the shown window uses the hardware, once the table has its rows and `is_drawn` holds. The peaks are those
/// of the roofline. Returns the newest answer, and whether another one is to come.
fn request_utilization(
    state: State,
    table: Model,
    is_drawn: Memo<bool>,
) -> (SharedSignal<Utilization>, RwSignal<bool>) {
    // The worker answers requests in their order, and this answer takes longer than all others together. It therefore also
    // waits for the rest of the files. Once it is due, it stays due when the table is sorted.
    let is_read =
        move || state.opened.with(|opened| opened.as_ref().is_some_and(|opened| opened.session.reading.is_none()));
    let wanted = Memo::new(move |_| (state.opened.get(), state.window_query()));
    // The requests of the table are sent by effects of the same change, so the table is busy only after them.
    let settled = RwSignal::new(None);
    effect(move || {
        let wanted = wanted.get();
        set_timeout(move || drop(settled.try_set(Some(wanted))), std::time::Duration::ZERO);
    });
    let due = Memo::new(move |before: Option<&Option<_>>| {
        let now = Some(wanted.get());
        let is_due = is_drawn.get() && is_read() && settled.get() == now && !table.busy.get();
        if is_due || before == Some(&now) { now } else { None }
    });
    let (found, is_waiting) = (state.answer_of_session(), RwSignal::new(true));
    state.request_answer_on_change(
        move || {
            // While the rest of the files is read, no answer is to come.
            is_waiting.set(is_read());
            due.with(|due| due.as_ref().map(|(_, query)| requests::Utilization(query.clone())))
        },
        move |answer| {
            is_waiting.set(false);
            if let Some(answer) = state.shown(answer) {
                found.set(Some(PtrEq::new(answer)));
            }
        },
    );
    (found, is_waiting)
}

/// Renders the breakdown.
#[component]
pub(crate) fn Breakdown(state: State, head: SharedMemo<BreakdownHead>) -> impl IntoView {
    // The tools, the table and the picture are rendered one after the other, a millisecond apart. All at once would be
    // one long task.
    let (made, set_made) = signal(0);
    for part in 1..=4u8 {
        let then = move || {
            let _ = set_made.try_set(part);
        };
        set_timeout(then, std::time::Duration::from_millis(part.into()));
    }
    let part = move |rank: u8| Memo::new(move |_| made.get() >= rank);
    let (tools, table, picture, all) = (part(1), part(2), part(3), part(4));
    let model = rows::model(state, head);
    let (utilization, is_waiting) = request_utilization(state, model, all);
    state.table.set_value(Some(model));
    on_cleanup(move || state.table.set_value(None));
    let name = move || state.opened.with(|opened| opened.as_ref().map(|opened| opened.name.clone()));
    view! {
        <div class="breakdown" role="tabpanel" aria-labelledby="tab-breakdown">
            <h1 class="visually-hidden">"Breakdown of " {live(name)}</h1>
            <figures::Figures head utilization is_waiting />
            <bar::StackedBar state head />
            <parts::Parts state head />
            <If when=move || picture.get()>
                <picture::Pictures state head />
            </If>
            <If when=move || tools.get()>
                <tools::Tools state head table=model />
            </If>
            <If when=move || table.get()>
                <Table model />
            </If>
        </div>
    }
    .any()
}
