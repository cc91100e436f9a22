//! This module connects the breakdown to its table: the rows that the table loads, and the actions of clicks on a row.

use crate::analysis::base::FilterField;
use crate::chart::breakdown::filter_text;
use crate::protocol::BreakdownHead;
use crate::protocol::table_query::TableQuery;
use crate::table::filter::TextFilter;
use crate::table::format;
use crate::view::shared::{RemoteTable, RowPress, remote_model};
use crate::view::state::{SharedMemo, State, toggle};
use crate::view::type_erasure::EraseType;
use crate::view::widgets::table::Model;
use leptos::prelude::*;

/// Builds the model of the breakdown's table.
pub(super) fn model(state: State, head: SharedMemo<BreakdownHead>) -> Model {
    let label = move || {
        let by = head.with(|head| head.as_ref().map_or("", |head| head.query.by.label()));
        format!("Time by {}", by.to_ascii_lowercase())
    };
    let table = RemoteTable {
        label: Signal::derive(label),
        table: Signal::derive(move || Some(TableQuery::Breakdown(head.get()?.query.clone()))),
        waits: state.busy.into(),
        // The query itself holds the filter.
        filter: Signal::stored(TextFilter::default()),
        sort: state.sort.into(),
        set_sort: Callback::new(move |sort| state.sort.set(Some(sort))),
        columns: Some(state.columns),
        selected: state.selected.into(),
        // The row of the op whose panel is open is marked as well.
        is_selected: Callback::new(move |key: String| {
            state.op.with(|op| *op == key) || state.selected.with(|selected| selected.contains(&key))
        }),
        press: Callback::new(move |(press, row): (RowPress, crate::table::page::Row)| match press {
            RowPress::Open | RowPress::DoubleClick if row.opens => state.op.set(row.key),
            RowPress::Open | RowPress::DoubleClick => {}
            RowPress::Toggle => state.selected.update(|selected| toggle(selected, row.key)),
            RowPress::Select => state.selected.set(vec![row.key]),
        }),
        empty: Callback::new(move |()| empty(state, head)),
    };
    remote_model(state, table)
}

/// Renders the text for an empty table: the filter that matches nothing, and the offer to search the whole path.
fn empty(state: State, head: SharedMemo<BreakdownHead>) -> AnyView {
    let Some(head) = head.get() else { return ().into_any() };
    let anywhere = head.shown.anywhere.filter(|n| *n > 0);
    let widen = move |_| state.filter(|filter| filter.within = FilterField::Anywhere);
    view! {
        <p>
            {filter_text::none(&head.query)} " "
            {anywhere
                .map(|n| {
                    view! {
                        {format::count(n.into())} " match anywhere in the path. "
                        <button type="button" class="link" on:click=widen>"Search anywhere"</button>
                    }.any()
                })}
        </p>
    }
    .any()
}
