//! This module connects the roofline view to its table of ops, sources, programs or steps.

use super::model::RooflineModel;
use crate::analysis::base::StepChoice;
use crate::protocol::table_query::TableQuery;
use crate::protocol::url::roofline::RoofBy;
use crate::table::filter::TextFilter;
use crate::table::page::{Row, SortBy};
use crate::view::shared::{RemoteTable, RowPress, remote_model};
use crate::view::state::toggle;
use crate::view::type_erasure::{EraseType, effect};
use crate::view::widgets::table::Model;
use leptos::prelude::*;

/// Builds the model of the table.
pub(super) fn table_model(model: RooflineModel) -> Model {
    let state = model.state;
    let by = Memo::new(move |_| model.view_state.with(|view_state| view_state.by));
    let is_chosen_step = move |key: &str| {
        by.get() == RoofBy::Step && key.parse().is_ok_and(|number| state.step() == StepChoice::Number(number))
    };
    effect(move || {
        model.query.track();
        by.track();
        state.tips.hide();
    });
    let table = RemoteTable {
        label: Signal::derive(move || format!("Gap to the roof by {}", by.get().key())),
        table: Signal::derive(move || Some(TableQuery::Roofline(model.query.get(), by.get()))),
        waits: model.busy.into(),
        // The query itself holds the filter.
        filter: Signal::stored(TextFilter::default()),
        sort: Signal::derive(move || model.view_state.with(|view_state| view_state.sort.clone())),
        set_sort: Callback::new(move |sort: SortBy| model.change(|view_state| view_state.sort = Some(sort))),
        columns: None,
        selected: state.selected.into(),
        is_selected: Callback::new(move |key: String| {
            let is_open = state.op.with(|op| by.get() == RoofBy::Op && *op == key);
            is_open || is_chosen_step(&key) || state.selected.with(|selected| selected.contains(&key))
        }),
        press: Callback::new(move |(press, row): (RowPress, Row)| match press {
            RowPress::Open | RowPress::DoubleClick => model.open(&row.key, &row.title),
            RowPress::Select => state.selected.set(vec![row.key]),
            RowPress::Toggle => state.selected.update(|selected| toggle(selected, row.key)),
        }),
        empty: Callback::new(move |()| view! { <p>"No compute ops in this selection."</p> }.any()),
    };
    remote_model(state, table)
}
