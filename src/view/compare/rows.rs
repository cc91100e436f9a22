//! This module connects the comparison to its table of ops, and renders the tools above the table.

use super::model::CompareModel;
use crate::analysis::compare::{CompareBy, CompareRows};
use crate::chart::compare;
use crate::protocol::Export;
use crate::protocol::table_query::{ExportQuery, TableQuery};
use crate::protocol::url::compare::CompareViewState;
use crate::table::filter::TextFilter;
use crate::table::format::middle_cut;
use crate::table::page::{Row, SortBy};
use crate::view::shared::save;
use crate::view::shared::{RemoteTable, RowPress, remote_model};
use crate::view::state::toggle;
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::field;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::menu::{Entry, MenuButton};
use crate::view::widgets::table::Model;
use leptos::prelude::*;

/// Builds the model of the table.
pub(super) fn table_model(model: CompareModel) -> Model {
    let state = model.state;
    let table = RemoteTable {
        label: Signal::stored("Ops of both sides".to_owned()),
        table: Signal::derive(move || {
            let selection = model.view_state.with(CompareViewState::selection);
            model.found.with(Option::is_some).then(|| TableQuery::Compare(model.query.get(), selection))
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
            RowPress::Open | RowPress::DoubleClick if is_grouped(model) => model.open_group(row.key),
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

/// Returns whether the rows are groups of ops.
fn is_grouped(model: CompareModel) -> bool {
    model.view_state.with_untracked(|view_state| view_state.selection().is_grouped())
}

/// Returns the groups of a saved table. The ops of one group are saved with all others.
fn saved_by(model: CompareModel) -> CompareBy {
    let by = model.view_state.with_untracked(|view_state| view_state.by);
    if is_grouped(model) { by } else { CompareBy::Op }
}

/// Renders the tools above the table: which rows, filter and save.
#[component]
pub(super) fn Tools(model: CompareModel) -> impl IntoView {
    let state = model.state;
    let which = move |rows: CompareRows| {
        let pressed = move || (model.view_state.with(|view_state| view_state.rows) == rows).to_string();
        let choose = move |_| model.select_rows(|view_state| view_state.rows = rows);
        view! { <button type="button" aria-pressed=pressed on:click=choose>{rows.label()}</button> }.any()
    };
    let export = move |format: Export| {
        Callback::new(move |()| {
            let (query, by) = (model.query.get_untracked(), saved_by(model));
            save::file(state, ExportQuery::Compare { query, by }, "comparison", format);
        })
    };
    let question = move || {
        model.unpaired.get().map(|unpaired| {
            let cancel = move |_| model.change_pairs(|_| ());
            view! {
                <p class="compare-question" role="status">
                    {unpaired.question()} " "
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
    let by = Memo::new(move |_| model.view_state.with(|view_state| view_state.by));
    let grouping = move |by_entry: CompareBy| {
        let choose = move |()| model.select_rows(|view_state| (view_state.by, view_state.group) = (by_entry, None));
        Entry::new(by_entry.label(), Callback::new(choose)).chosen(by.get() == by_entry)
    };
    let groupings = Signal::derive(move || CompareBy::ALL.map(grouping).to_vec());
    let group = move || {
        let group = model.view_state.with(|view_state| view_state.group.clone())?;
        let all = move |_| model.select_rows(|view_state| view_state.group = None);
        let by = by.get();
        let text = format!("{}: {}", by.label(), middle_cut(by.text(&group), 48));
        Some(
            view! {
                <button type="button" class="btn line small-text" title=format!("Show all groups, not only {group}") on:click=all>
                    {icon(Icon::Close)} {text}
                </button>
            }
            .any(),
        )
    };
    view! {
        {live(question)}
        <div class="table-tools" data-roving="">
            <div class="segmented" data-roving="" role="group" aria-label="Rows">{CompareRows::ALL.map(which).collect_view()}</div>
            <MenuButton
                id="compare-by"
                class="btn line"
                label=Signal::derive(move || format!("Group by {}", by.get().label()))
                entries=groupings
                face=Box::new(move || {
                    view! { <span class="pick-of">"Group by"</span>" "<b>{move || by.get().label()}</b> {icon(Icon::Down)} }.any()
                })
            />
            {live(group)}
            {live(undo_all)}
            <span class="grow"></span>
            {field::search(state.compare_filter, "Filter ops")}
            {save::menu(entries)}
        </div>
    }
    .any()
}
