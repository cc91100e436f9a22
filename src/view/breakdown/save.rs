//! This module renders the menu that copies and saves the breakdown.

use crate::protocol::Export;
use crate::protocol::table_query::ExportQuery;
use crate::table::copy::CopyForm;
use crate::table::format;
use crate::view::shared::save::{ID, act, file};
use crate::view::state::State;
use crate::view::type_erasure::EraseType;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::menu::{Entry, MenuButton};
use crate::view::widgets::table::GridAction;
use leptos::prelude::*;

/// Renders the button with the menu to copy and save the breakdown.
#[component]
pub(crate) fn Save(state: State) -> impl IntoView {
    let copy = move |all, form| act(state, GridAction::CopyRows { all, form });
    let save = move |format| Callback::new(move |()| export(state, format));
    let entries = Signal::derive(move || {
        let selected = state.selected.with(Vec::len);
        let mut entries = Vec::new();
        if selected > 0 {
            let label = format!("Copy {}", format::counted(selected as u64, "selected row", "selected rows"));
            entries.push(Entry::new(label, copy(false, CopyForm::Tsv)).key("y"));
        }
        entries.push(Entry::new("Copy table as TSV", copy(true, CopyForm::Tsv)).key("Y"));
        entries.push(Entry::new("Copy table as Markdown", copy(true, CopyForm::Markdown)));
        if state.can(|can| can.export) {
            entries.push(Entry::new("Save CSV", save(Export::Csv)).separated());
            entries.push(Entry::new("Save JSON", save(Export::Json)));
        }
        entries
    });
    view! {
        <MenuButton
            id=ID
            class="btn line"
            label=Signal::stored("Save or copy".to_owned())
            entries
            face=Box::new(move || view! { {icon(Icon::Save)} <span class="wide">"Save"</span> }.any())
        />
    }
    .any()
}

/// Saves all rows of the breakdown as a file.
fn export(state: State, format: Export) {
    let Some(head) = untrack(|| state.head().get()) else { return };
    let sort = state.sort.get_untracked();
    let what = format!("breakdown by {}", head.query.by.key());
    file(state, ExportQuery::Breakdown { query: head.query.clone(), sort }, &what, format);
}
