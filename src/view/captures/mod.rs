//! This module renders a list of captures: their figures, a picture of one figure over time, and a table. Captures are read one
//! after the other while the list is on screen.

mod model;
mod picture;
mod rows;
mod summary_workers;

use crate::chart::captures;
use crate::view::state::State;
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::figure::readout;
use crate::view::widgets::table::Table;
use leptos::prelude::*;
use model::CapturesModel;

/// Renders the open list of captures.
#[component]
pub(crate) fn Captures(state: State) -> impl IntoView {
    let model = CapturesModel::new(state);
    let table_model = rows::table_model(model);
    state.table.set_value(Some(table_model));
    state.place.set(Default::default());
    on_cleanup(move || state.table.set_value(None));
    let figures = move || model.found.get().map(|found| readout(captures::readout(&found)));
    view! {
        <div class="captures" role="region" aria-label="Captures">
            <dl class="figures" data-roving="">{live(figures)}</dl>
            <picture::Picture model />
            <section class="captures-table" aria-label="All captures">
                <rows::Tools model />
                <Table model=table_model />
            </section>
            <rows::Foot model />
        </div>
    }
    .any()
}
