//! This module connects the memory view to its table of live buffers, and renders the tools above the table. A selected
//! buffer is left out of the peak.

use super::model::MemoryModel;
use crate::analysis::memory::BufferId;
use crate::chart::memory::figures;
use crate::protocol::Export;
use crate::protocol::table_query::{ExportQuery, TableQuery};
use crate::table::filter::TextFilter;
use crate::table::page::Row;
use crate::view::shared::save;
use crate::view::shared::{RemoteTable, RowPress, remote_model};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::field;
use crate::view::widgets::table::Model;
use leptos::prelude::*;

/// Builds the model of the table.
pub(super) fn table_model(model: MemoryModel) -> Model {
    let state = model.state;
    let id = |key: &str| key.parse().ok().map(BufferId);
    let sort = RwSignal::new(None);
    let table = RemoteTable {
        label: Signal::stored("Live buffers".to_owned()),
        table: Signal::derive(move || {
            let query = model.query.get().filter(|_| model.has_space.get())?;
            Some(TableQuery::Buffers(query, model.point.get()))
        }),
        waits: Signal::derive(move || model.alive.with(Option::is_none)),
        filter: Signal::derive(move || state.memory_filter.with(|text| TextFilter::anywhere(text.trim()))),
        sort: sort.into(),
        set_sort: Callback::new(move |by| sort.set(Some(by))),
        columns: None,
        selected: Signal::derive(move || {
            model.without.with(|without| without.iter().map(|id| id.0.to_string()).collect())
        }),
        is_selected: Callback::new(move |key: String| {
            id(&key).is_some_and(|id| model.without.with(|without| without.contains(&id)))
        }),
        press: Callback::new(move |(press, row): (RowPress, Row)| {
            if let Some(id) = id(&row.key).filter(|_| press != RowPress::DoubleClick) {
                model.toggle(id);
            }
        }),
        empty: Callback::new(move |()| view! { <p>"No buffer matches."</p> }.any()),
    };
    remote_model(state, table)
}

/// Renders the tools above the table: filter and save.
#[component]
pub(super) fn Tools(model: MemoryModel) -> impl IntoView {
    let state = model.state;
    let export =
        move |format: Export| Callback::new(move |()| save::file(state, ExportQuery::Memory, "memory", format));
    let entries = Signal::derive(move || save::entries(state, ", all programs", export));
    let hint = move || state.can(|can| can.memory_replay).then_some("Click a buffer to see the peak without it.");
    // The table of a capture has all buffers.
    let rest = move || {
        let is_summary = state.can(|can| !can.memory_replay);
        model.alive.with(|alive| figures::left_out(alive.as_ref().filter(|_| is_summary)?))
    };
    view! {
        <div class="table-tools" data-roving="">
            {field::search(state.memory_filter, "Filter buffers")}
            {save::menu(entries)}
        </div>
        <p class="table-status sub"><span class="hint">{live(hint)}</span> " " {live(rest)}</p>
    }
    .any()
}
