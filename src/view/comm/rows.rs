//! This module connects the communication view to its table of collectives or copies, and renders the tools above the
//! table.

use super::model::CommModel;
use crate::analysis::base::StepChoice;
use crate::analysis::comm::CommBy;
use crate::protocol::Export;
use crate::protocol::table_query::{ExportQuery, TableQuery};
use crate::protocol::url::comm::CommRows;
use crate::table::filter::TextFilter;
use crate::table::format;
use crate::table::page::Row;
use crate::view::empty::empty_state;
use crate::view::shared::save;
use crate::view::shared::{RemoteTable, RowPress, remote_model};
use crate::view::type_erasure::{EraseType, If, live};
use crate::view::widgets::field;
use crate::view::widgets::table::Model;
use leptos::prelude::*;

/// Builds the model of the table.
pub(super) fn table_model(model: CommModel) -> Model {
    let state = model.state;
    let table = RemoteTable {
        label: Signal::derive(move || match model.traffic.get() {
            CommRows::Collectives => "Collectives".to_owned(),
            CommRows::Copies => "Copies between memories".to_owned(),
        }),
        // The first answer decides whether collectives or copies are shown.
        table: Signal::derive(move || {
            model
                .view
                .with(Option::is_some)
                .then(|| TableQuery::Comm(model.query.get(), model.traffic.get().transfer_filter()))
        }),
        waits: model.busy.into(),
        filter: Signal::derive(move || state.comm_filter.with(|text| TextFilter::anywhere(text.trim()))),
        sort: model.order.into(),
        set_sort: Callback::new(move |sort| model.order.set(Some(sort))),
        columns: None,
        selected: state.selected.into(),
        is_selected: Callback::new(move |key: String| model.is_chosen(&key) || state.op.with(|op| *op == key)),
        press: Callback::new(move |(press, row): (RowPress, Row)| match press {
            RowPress::Open | RowPress::DoubleClick if row.opens => state.op.set(row.key),
            RowPress::Select => state.selected.set(vec![row.key]),
            RowPress::Open | RowPress::DoubleClick | RowPress::Toggle => model.choose(&row.key),
        }),
        empty: Callback::new(move |()| {
            if state.comm_filter.with(String::is_empty) {
                empty(model)
            } else {
                view! { <p>"No row matches."</p> }.any()
            }
        }),
    };
    remote_model(state, table)
}

/// Renders the text for an empty view: the reason, and buttons that show the whole capture or the copies.
pub(super) fn empty(model: CommModel) -> AnyView {
    let state = model.state;
    let is_step = move || state.step() != StepChoice::All;
    let other = move || {
        let there = model.traffic.get() == CommRows::Collectives;
        (there && model.view.with(|view| view.as_ref().is_some_and(|view| view.comm.copies.n > 0))).then(|| {
            let show = move |_| model.change(|view_state| view_state.traffic = Some(CommRows::Copies));
            view! { <button type="button" class="btn line" on:click=show>"Show copies"</button> }.any()
        })
    };
    let words = move || {
        let (words, _) = model.none()?;
        let acts = view! {
            <If when=is_step>
                <button type="button" class="btn line" on:click=move |_| state.choose_step(StepChoice::All)>"Whole capture"</button>
            </If>
            {live(other)}
        };
        Some(empty_state(state, words, acts.any()))
    };
    live(words).into_any()
}

/// Renders the tools above the table: grouping, filter and save.
#[component]
pub(super) fn Tools(model: CommModel) -> impl IntoView {
    let state = model.state;
    let by = move |by: CommBy| {
        let pressed = move || (model.view_state.with(|view_state| view_state.by) == by).to_string();
        let choose = move |_| {
            state.selected.set(Vec::new());
            model.change(|view_state| view_state.by = by);
        };
        view! { <button type="button" aria-pressed=pressed on:click=choose>{by.label()}</button> }.any()
    };
    let export = move |format: Export| {
        Callback::new(move |()| {
            let query = model.query.get_untracked();
            save::file(state, ExportQuery::Comm(query), "communication", format);
        })
    };
    let entries = Signal::derive(move || save::entries(state, "", export));
    let note = move || {
        let view = model.view.get()?;
        let (n, time) = if model.traffic.get() == CommRows::Copies { view.more_copies } else { view.more };
        // The table of a capture has all rows.
        (n > 0 && !state.can(|can| can.export)).then(|| {
            let rows = format::counted(n.into(), "row", "rows");
            format!("{rows} more, {} exposed: the capture has all.", format::time_text(time))
        })
    };
    view! {
        <div class="table-tools" data-roving="">
            <If when=move || state.can(|can| can.comm_groups)>
                <div class="segmented" data-roving="" role="group" aria-label="Rows">{CommBy::ALL.map(by).collect_view()}</div>
            </If>
            <span class="sub">{live(note)}</span>
            <span class="grow"></span>
            {field::search(state.comm_filter, "Filter rows")}
            {save::menu(entries)}
        </div>
    }
    .any()
}
