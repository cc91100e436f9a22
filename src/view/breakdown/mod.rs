//! This module composes the breakdown: figures, the bar of kinds, its legend, the picture, the tools and the table.

mod bar;
mod chooser;
pub(crate) mod figures;
pub(crate) mod filter;
mod parts;
pub(crate) mod picture;
pub(crate) mod picture_frame;
mod rows;
pub(crate) mod save;
mod scopes;
mod steps;
mod tools;

pub(crate) use figures::{formula_popover, row as readout};

use crate::protocol::tables::Utilization;
use crate::protocol::{BreakdownHead, Question};
use crate::view::state::{PtrEq, SharedMemo, SharedSignal, State};
use crate::view::type_erasure::{EraseType, If, live};
use crate::view::widgets::table::Table;
use leptos::prelude::*;

/// Requests how far the shown window uses the hardware, once `is_due` holds. The peaks are those of the roofline. Returns
/// the newest answer, and whether another one is to come.
fn request_utilization(state: State, is_due: Memo<bool>) -> (SharedSignal<Utilization>, RwSignal<bool>) {
    let request = Memo::new(move |_| state.window_query());
    let (found, is_waiting) = (state.answer_of_session(), RwSignal::new(true));
    state.request_on_change(
        move || {
            is_waiting.set(true);
            is_due.get().then(|| Question::Utilization(request.get()).into())
        },
        move |reply| {
            is_waiting.set(false);
            if let Ok(answer) = reply.decode::<Utilization>() {
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
    // one long task. The utilization is requested last, because the worker answers requests in their order.
    let (made, set_made) = signal(0);
    for part in 1..=4u8 {
        let then = move || {
            let _ = set_made.try_set(part);
        };
        set_timeout(then, std::time::Duration::from_millis(part.into()));
    }
    let part = move |at: u8| Memo::new(move |_| made.get() >= at);
    let (tools, table, picture, all) = (part(1), part(2), part(3), part(4));
    let (utilization, is_waiting) = request_utilization(state, all);
    let model = rows::model(state, head);
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
