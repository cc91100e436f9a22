//! This module copies and saves tables. The clipboard gets the cells as they are shown. Files hold the exact values of
//! all rows, as the command line writes them.

use crate::chart::widgets::table;
use crate::protocol::table_query::ExportQuery;
use crate::protocol::{Export, Failure, requests};
use crate::table::copy::CopyForm;
use crate::table::format;
use crate::view::state::State;
use crate::view::type_erasure::EraseType;
use crate::view::widgets::clipboard;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::menu::{Entry, MenuButton};
use crate::view::widgets::table::GridAction;
use leptos::prelude::*;

/// The id of the menu that copies and saves, which every view with a table has.
pub(crate) const ID: &str = "save";

/// Builds the message after `n` rows were copied, or if nothing could be copied.
pub(crate) fn copy_message(done: bool, n: u32) -> Failure {
    let (title, message) = if done {
        (format!("Copied {}", format::counted(n.into(), "row", "rows")), String::new())
    } else {
        (
            "Nothing was copied".to_owned(),
            "The browser does not let this page use the clipboard. Save the table instead.".to_owned(),
        )
    };
    Failure { title, message }
}

/// Returns a callback that runs `act` on the table on screen.
pub(crate) fn act(state: State, act: GridAction) -> Callback<()> {
    Callback::new(move |()| {
        if let Some(model) = state.table.get_value() {
            model.act.run(act.clone());
        }
    })
}

/// Builds the menu entries that every such view has: copy the rows as they are shown, and save files if the session can
/// export all rows. `text` is appended to the labels of the files, if they hold something other than the table.
pub(crate) fn entries(state: State, text: &str, export: impl Fn(Export) -> Callback<()>) -> Vec<Entry> {
    let mut entries = vec![
        Entry::new("Copy table as TSV", act(state, GridAction::CopyRows { all: true, form: CopyForm::Tsv })).key("Y"),
    ];
    if state.can(|can| can.export) {
        entries.push(Entry::new(format!("Save CSV{text}"), export(Export::Csv)).separated());
        entries.push(Entry::new(format!("Save JSON{text}"), export(Export::Json)));
    }
    entries
}

/// Renders the button with the menu of `entries`.
pub(crate) fn menu(entries: Signal<Vec<Entry>>) -> AnyView {
    view! {
        <MenuButton
            id=ID
            class="btn line icon-only"
            label=Signal::stored("Save or copy".to_owned())
            entries
            face=Box::new(|| icon(Icon::Save))
        />
    }
    .any()
}

/// Requests rows as a file, and saves it. `what` is a part of the file's name.
pub(crate) fn file(state: State, rows: ExportQuery, what: &str, format: Export) {
    let name =
        state.opened.with_untracked(|opened| opened.as_ref().map(|opened| opened.name.clone())).unwrap_or_default();
    let (end, mime) = match format {
        Export::Csv => ("csv", "text/csv"),
        Export::Json => ("json", "application/json"),
    };
    let name = table::file_name(&name, what, end);
    state.request_answer(requests::ExportRows { rows, format }, move |answer| {
        if let Some(text) = state.shown(answer) {
            let message = "The browser refuses to save a file from this page.".to_owned();
            let inform = |_| state.inform(Failure { title: "Nothing was saved".to_owned(), message });
            clipboard::save(&name, mime, &text).unwrap_or_else(inform);
        }
    });
}
