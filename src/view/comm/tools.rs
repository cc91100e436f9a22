//! This module renders the tools of the communication view: the editor of mesh and topology, and the switch between
//! collectives and copies.

use super::mesh::MeshAndTopology;
use super::model::CommModel;
use crate::protocol::url::comm::CommRows;
use crate::view::type_erasure::{EraseType, If};
use leptos::prelude::*;

/// Renders the tools.
#[component]
pub(super) fn Tools(model: CommModel) -> impl IntoView {
    let choice = move |comm_rows: CommRows, label: &'static str| {
        let pressed = move || (model.traffic.get() == comm_rows).to_string();
        let choose = move |_| {
            model.state.selected.set(Vec::new());
            model.change(|view_state| view_state.traffic = Some(comm_rows));
        };
        view! { <button type="button" aria-pressed=pressed on:click=choose>{label}</button> }.any()
    };
    view! {
        <div class="view-tools" data-roving="">
            <If when=move || model.state.can(|can| can.comm_groups)><MeshAndTopology model /></If>
            <div class="segmented" data-roving="" role="group" aria-label="Kind of communication">
                {choice(CommRows::Collectives, "Collectives")}
                {choice(CommRows::Copies, "Copies")}
            </div>
        </div>
    }
    .any()
}
