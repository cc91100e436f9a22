//! This module composes the roofline view: figures, coverage, the chart and the table. [`model`] holds the state that
//! these parts share.

mod chart;
mod coverage;
mod editors;
mod model;
mod peaks;
mod rows;
mod tools;

pub(crate) use editors::Useful;
pub(crate) use peaks::{chip_button, chips};

use crate::chart::roofline::figures;
use crate::view::state::State;
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::figure::readout;
use crate::view::widgets::table::Table;
use leptos::prelude::*;
use model::RooflineModel;

/// Renders the roofline view.
#[component]
pub(crate) fn Roofline(state: State) -> impl IntoView {
    let model = RooflineModel::new(state);
    let table_model = rows::table_model(model);
    state.table.set_value(Some(table_model));
    state.place.set(Default::default());
    on_cleanup(move || state.table.set_value(None));
    let name = move || state.opened.with(|opened| opened.as_ref().map(|opened| opened.name.clone()));
    let readout = move || {
        let useful = model.view_state.with(|view_state| view_state.useful);
        model.head.with(|head| head.as_ref().map(|head| readout(figures::readout(&head.figures, useful))))
    };
    view! {
        <div class="roofline" role="tabpanel" aria-labelledby="tab-roofline">
            <h1 class="visually-hidden">"Roofline of " {live(name)}</h1>
            <dl class="figures" data-roving="">{live(readout)}</dl>
            <coverage::Coverage model />
            <div class="roofline-halves">
                <section class="roofline-chart" aria-label="Chart">
                    <chart::Picture model />
                </section>
                <section class="roofline-table" aria-labelledby="roofline-gaps">
                    <tools::Tools model />
                    <Table model=table_model />
                </section>
            </div>
        </div>
    }
    .any()
}
