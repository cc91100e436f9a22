//! This module renders the kinds of steps as a table.

use super::state::{PtrEq, SharedSignal, State};
use super::type_erasure::EraseType;
use crate::analysis::step_kinds::StepKindRow;
use crate::protocol::requests;
use crate::table::format::{count, time_text};
use leptos::prelude::*;

/// Renders the kinds of steps with the lengths of their steps.
#[component]
pub(crate) fn StepKinds(state: State) -> impl IntoView {
    let found = SharedSignal::<Vec<StepKindRow>>::none();
    state.request_answer_on_change(
        || Some(requests::StepKinds),
        move |answer| {
            if let Some(rows) = state.shown(answer) {
                found.set(Some(PtrEq::new(rows)));
            }
        },
    );
    move || found.with(|found| found.as_ref().map(|rows| table(rows)))
}

fn table(rows: &[StepKindRow]) -> AnyView {
    let row = |row: &StepKindRow| {
        let times = [row.total, row.shortest, row.median, row.longest]
            .map(|time| view! { <td class="num">{time_text(time)}</td> }.any());
        view! { <tr><th scope="row">{row.name.clone()}</th><td class="num">{count(row.n_steps)}</td>{times.collect_view()}</tr> }.any()
    };
    view! {
        <table class="picture-table">
            <thead><tr>
                <th scope="col">"Kind of steps"</th><th scope="col" class="num">"Steps"</th><th scope="col" class="num">"Total"</th>
                <th scope="col" class="num">"Shortest"</th><th scope="col" class="num">"Median"</th><th scope="col" class="num">"Longest"</th>
            </tr></thead>
            <tbody>{rows.iter().map(row).collect_view()}</tbody>
        </table>
    }
    .any()
}
