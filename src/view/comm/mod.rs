//! What the compute waits for: figures, steps, what is in flight, bandwidth, flags, devices, rows. Knows the order of the parts;
//! each part knows itself, and [`model`] what all of them show.

mod lanes;
mod mesh;
mod model;
mod pane;
mod rows;
mod steps;
mod tools;

use crate::chart::comm::{figures, traffic};
use crate::engine::comm_place::Of;
use crate::report::format;
use crate::view::breakdown;
use crate::view::state::State;
use crate::view::type_erasure::{EraseType, If, live};
use crate::view::widgets::size::width_of;
use crate::view::widgets::table::Table;
use leptos::{html, prelude::*};
use model::CommModel;

/// The view.
#[component]
pub(crate) fn Comm(state: State) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let sight = CommModel::new(state, width_of(node).into());
    let name = move || state.opened.with(|opened| opened.as_ref().map(|opened| opened.name.clone()));
    let readout = move || {
        let view = sight.view.get()?;
        Some(breakdown::readout(figures::readout(&view, sight.of.get())))
    };
    // Where nothing of the one is there, the other may be what is waited for.
    let other = move || {
        let (view, of) = (sight.view.get()?, sight.of.get());
        let there = traffic(&view.comm, Of::Copies);
        (of == Of::Collectives && view.comm.rows.is_empty() && there.n > 0).then(|| {
            let words = format!("See copies between memories, {} of stall", format::time_text(there.stall));
            view! { <button type="button" class="link" on:click=move |_| sight.change(|place| place.of = Some(Of::Copies))>{words}</button> }.any()
        })
    };
    let says = move || sight.view.with(|view| view.as_ref().map(|view| figures::sentence(view, sight.of.get())));
    let is_absent = Memo::new(move |_| sight.none().is_some_and(|(_, is_absent)| is_absent));
    let model = rows::model(sight);
    state.table.set_value(Some(model));
    state.place.set(Default::default());
    on_cleanup(move || state.table.set_value(None));
    view! {
        <div class="comm" role="tabpanel" aria-labelledby="tab-communication" node_ref=node>
            <h1 class="unseen">"Communication of " {live(name)}</h1>
            <div class="memory-top">
                <dl class="figures" data-roving="">{live(readout)}</dl>
                <tools::Tools sight />
            </div>
            <p class="comm-says" role="status"><b>{live(says)}</b> " " {live(other)}</p>
            <If when=move || is_absent.get()>{move || rows::empty(sight)}</If>
            <If when=move || !is_absent.get()>
                <div class="comm-halves">
                    <steps::Steps sight />
                    <pane::Pane sight />
                </div>
                <section class="comm-table" aria-label="Rows">
                    <rows::Tools sight />
                    <Table model />
                </section>
            </If>
        </div>
    }
    .any()
}
