//! This module composes the communication view: figures, steps, a pane with lanes, bandwidth, flags or devices, and the
//! table. [`model`] holds the state that these parts share.

mod flags;
mod lanes;
mod mesh;
mod model;
mod pane;
mod rows;
mod steps;
mod tools;

use crate::chart::comm::{figures, traffic};
use crate::protocol::url::comm::{CommRows, Pane};
use crate::table::format;
use crate::view::state::State;
use crate::view::type_erasure::{EraseType, If, live};
use crate::view::widgets::figure::readout;
use crate::view::widgets::table::Table;
use leptos::prelude::*;
use model::CommModel;

/// Renders the communication view.
#[component]
pub(crate) fn Comm(state: State) -> impl IntoView {
    let model = CommModel::new(state);
    let name = move || state.opened.with(|opened| opened.as_ref().map(|opened| opened.name.clone()));
    let readout = move || {
        let view = model.view.get()?;
        Some(readout(figures::readout(&view, model.traffic.get())))
    };
    // If no collective ran, the copies may be the cause of the waiting, so the view offers them.
    let other = move || {
        let (view, comm_rows) = (model.view.get()?, model.traffic.get());
        let there = traffic(&view.comm, CommRows::Copies);
        (comm_rows == CommRows::Collectives && view.comm.rows.is_empty() && there.n > 0).then(|| {
            let words = format!("See copies between memories, {} of stall", format::time_text(there.stall));
            view! { <button type="button" class="link" on:click=move |_| model.change(|view_state| view_state.traffic = Some(CommRows::Copies))>{words}</button> }.any()
        })
    };
    let status = move || model.view.with(|view| view.as_ref().map(|view| figures::sentence(view, model.traffic.get())));
    let is_absent = Memo::new(move |_| model.none().is_some_and(|(_, is_absent)| is_absent));
    // The flags need the whole width.
    let with_flags = move || model.view_state.with(|view_state| view_state.pane == Pane::Flags);
    let table_model = rows::table_model(model);
    state.table.set_value(Some(table_model));
    state.place.set(Default::default());
    on_cleanup(move || state.table.set_value(None));
    view! {
        <div class="comm" role="tabpanel" aria-labelledby="tab-communication">
            <h1 class="visually-hidden">"Communication of " {live(name)}</h1>
            <div class="view-head">
                <dl class="figures" data-roving="">{live(readout)}</dl>
                <tools::Tools model />
            </div>
            <p class="comm-summary" role="status"><b>{live(status)}</b> " " {live(other)}</p>
            <If when=move || is_absent.get()>{move || rows::empty(model)}</If>
            <If when=move || !is_absent.get()>
                <div class="comm-halves" class:with-flags=with_flags>
                    <steps::Steps model />
                    <pane::CommPane model />
                </div>
                <section class="comm-table" aria-label="Rows">
                    <rows::Tools model />
                    <Table model=table_model />
                </section>
            </If>
        </div>
    }
    .any()
}
