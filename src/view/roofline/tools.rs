//! This module renders the tools above the table of the roofline: the kind of the rows, the filter, and save.

use super::model::RooflineModel;
use crate::protocol::Export;
use crate::protocol::table_query::ExportQuery;
use crate::protocol::url::roofline::RoofBy;
use crate::table::copy::CopyForm;
use crate::table::format;
use crate::view::breakdown::filter::{FilterBox, ops_chip};
use crate::view::shared::save;
use crate::view::type_erasure::{EraseType, If, live};
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::menu::Entry;
use crate::view::widgets::table::GridAction;
use leptos::prelude::*;

/// Renders the tools.
#[component]
pub(super) fn Tools(model: RooflineModel) -> impl IntoView {
    let state = model.state;
    let export = move |format: Export| {
        Callback::new(move |()| {
            let (query, sort) =
                (model.query.get_untracked(), model.view_state.with_untracked(|view_state| view_state.sort.clone()));
            let what = format!("roofline by {}", query.query.by.key());
            save::file(state, ExportQuery::Roofline { query, sort }, &what, format);
        })
    };
    let entries = Signal::derive(move || {
        let mut entries = Vec::new();
        let selected = state.selected.with(Vec::len);
        if selected > 0 {
            let label = format!("Copy {}", format::counted(selected as u64, "selected row", "selected rows"));
            entries.push(
                Entry::new(label, save::act(state, GridAction::CopyRows { all: false, form: CopyForm::Tsv })).key("y"),
            );
        }
        entries.extend(save::entries(state, "", export));
        entries
    });
    let one = move |by: RoofBy| {
        let pressed = move || model.view_state.with(|view_state| view_state.by == by).to_string();
        view! { <button type="button" aria-pressed=pressed on:click=move |_| model.set_grouping(by)>{by.label()}</button> }.any()
    };
    let is_offered = |by: &RoofBy| untrack(|| state.can(|can| can.roofline_rows.contains(by)));
    let offered = RoofBy::ALL.into_iter().filter(is_offered);
    let status = move || {
        if let Some(error) = state.filter_error.get() {
            let words = format!("{} at column {}. The last good filter still applies.", error.message, error.column);
            return Some(view! { <span class="bad">{icon(Icon::Warn)} {words}</span> }.any());
        }
        let filter = state.query.with(|query| query.filter.clone());
        let n = model.head.with(|head| head.as_ref().map_or(0, |head| head.n_rows));
        let clear = move |_| state.filter(|filter| *filter = Default::default());
        (!filter.is_empty()).then(|| {
            let kind = filter.kind.map_or(String::new(), |kind| format!(" of kind {}", kind.label().to_lowercase()));
            let module = filter.module.map_or(String::new(), |module| format!(" of module {}", module.label()));
            let words = format!("{}{kind}{module} match. ", format::counted(n.into(), "row", "rows"));
            view! { <span>{words} <button type="button" class="link" on:click=clear>"Show all"</button></span> }.any()
        })
    };
    view! {
        <div class="table-tools" data-roving="">
            <h2 id="roofline-gaps" class="visually-hidden">"Gap to the roof"</h2>
            <div class="segmented" data-roving="" role="group" aria-label="Rows">{offered.map(one).collect_view()}</div>
            {ops_chip(state)}
            <If when=move || state.can(|can| can.roofline_filter)><FilterBox state /></If>
            {save::menu(entries)}
        </div>
        <p class="filter-status table-status" id="filter-status" role="status">{live(status)}</p>
    }
    .any()
}
