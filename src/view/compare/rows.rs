//! This module connects the comparison to its table of ops, and renders the tools above the table.

use super::model::CompareModel;
use crate::analysis::compare::CompareRows;
use crate::chart::compare;
use crate::protocol::table_query::TableOf;
use crate::protocol::{Export, ViewRequest};
use crate::table::filter::TextFilter;
use crate::table::page::{Row, SortBy};
use crate::view::breakdown::save;
use crate::view::state::toggle;
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::field;
use crate::view::widgets::table::{Model, RemoteTable, RowPress, remote_model};
use leptos::prelude::*;

/// Builds the model of the table.
pub(super) fn table_model(model: CompareModel) -> Model {
    let state = model.state;
    let table = RemoteTable {
        label: Signal::stored("Ops of both sides".to_owned()),
        of: Signal::derive(move || {
            let rows = model.view_state.with(|view_state| view_state.rows);
            model.found.with(Option::is_some).then(|| TableOf::Compare(model.query.get(), rows))
        }),
        waits: model.busy.into(),
        filter: Signal::derive(move || state.compare_filter.with(|text| TextFilter::anywhere(text.trim()))),
        sort: model.order.into(),
        set_sort: Callback::new(move |sort: SortBy| model.order.set(Some(sort))),
        columns: None,
        selected: state.selected.into(),
        is_selected: Callback::new(move |key: String| {
            state.compared_row.with(|row| *row == key) || state.selected.with(|selected| selected.contains(&key))
        }),
        press: Callback::new(move |(press, row): (RowPress, Row)| match press {
            RowPress::Open | RowPress::DoubleClick => model.open_row(&row.key),
            RowPress::Select => state.selected.set(vec![row.key]),
            RowPress::Toggle => state.selected.update(|selected| toggle(selected, row.key)),
        }),
        empty: Callback::new(move |()| {
            let words = if state.compare_filter.with(String::is_empty) { "No such ops." } else { "No op matches." };
            view! { <p>{words}</p> }.any()
        }),
    };
    remote_model(state, table)
}

/// Renders the tools above the table: which rows, filter and save.
#[component]
pub(super) fn Tools(model: CompareModel) -> impl IntoView {
    let state = model.state;
    let which = move |rows: CompareRows| {
        let pressed = move || (model.view_state.with(|view_state| view_state.rows) == rows).to_string();
        let choose = move |_| {
            state.selected.set(Vec::new());
            model.change(|view_state| view_state.rows = rows);
        };
        view! { <button type="button" aria-pressed=pressed on:click=choose>{rows.label()}</button> }.any()
    };
    let export = move |format: Export| {
        Callback::new(move |()| {
            let query = model.query.get_untracked();
            save::file(state, &ViewRequest::ExportCompare { query, format }.into(), "comparison", format);
        })
    };
    let question = move || {
        model.unpaired.get().map(|of| {
            let cancel = move |_| model.change_pairs(|_| ());
            view! {
                <p class="compare-question" role="status">
                    {of.question()} " "
                    <button type="button" class="btn line small-text" on:click=cancel>{compare::CANCEL}</button>
                </p>
            }
            .any()
        })
    };
    let has_pairs = Memo::new(move |_| model.view_state.with(|view_state| !view_state.pairs.is_empty()));
    let undo_all = move || {
        let undo = move |_| model.change_pairs(Vec::clear);
        has_pairs.get().then(|| {
            view! { <button type="button" class="btn line small-text" on:click=undo>{compare::UNDO_ALL}</button> }.any()
        })
    };
    let entries = Signal::derive(move || save::entries(state, "", export));
    view! {
        {live(question)}
        <div class="table-tools" data-roving="">
            <div class="segmented" data-roving="" role="group" aria-label="Rows">{CompareRows::ALL.map(which).collect_view()}</div>
            {live(undo_all)}
            <span class="grow"></span>
            {field::search(state.compare_filter, "Filter ops")}
            {save::menu(entries)}
        </div>
    }
    .any()
}
