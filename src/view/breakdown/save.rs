//! Copying and saving the table: what is seen goes to the clipboard as it is seen, files hold exact figures of all
//! rows, as the command line writes them.

use crate::chart::widgets::table;
use crate::protocol::{Export, Failure, Reply, Request};
use crate::table::copy::CopyForm;
use crate::table::format;
use crate::view::state::State;
use crate::view::type_erasure::EraseType;
use crate::view::widgets::clipboard;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::menu::{Entry, MenuButton};
use crate::view::widgets::table::GridAction;
use leptos::prelude::*;

/// The menu's id.
pub(crate) const ID: &str = "save";
/// The button and its menu.
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
            entries.push(Entry::new("Save CSV", save(Export::Csv)).apart());
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

/// What is said once rows were copied, or not.
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

/// Saves all rows as a file.
fn export(state: State, format: Export) {
    let Some(head) = untrack(|| state.head().get()) else { return };
    let sort = state.sort.get_untracked();
    let what = format!("breakdown by {}", head.query.by.key());
    file(state, &Request::Export { query: head.query.clone(), sort, format }, &what, format);
}

/// What a view with a table of its own can take away: does something to that table.
pub(crate) fn act(state: State, act: GridAction) -> Callback<()> {
    Callback::new(move |()| {
        if let Some(model) = state.table.get_value() {
            model.act.run(act.clone());
        }
    })
}

/// The entries that every such view has: the table as it is seen, and files where all rows are there. `of`: what the files are of, if not
/// of the table.
pub(crate) fn entries(state: State, of: &str, export: impl Fn(Export) -> Callback<()>) -> Vec<Entry> {
    let mut entries = vec![
        Entry::new("Copy table as TSV", act(state, GridAction::CopyRows { all: true, form: CopyForm::Tsv })).key("Y"),
    ];
    if state.can(|can| can.export) {
        entries.push(Entry::new(format!("Save CSV{of}"), export(Export::Csv)).apart());
        entries.push(Entry::new(format!("Save JSON{of}"), export(Export::Json)));
    }
    entries
}

/// The button with the menu of such a view.
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

/// Saves what a request exports as a file of `what`.
pub(crate) fn file(state: State, request: &Request, what: &str, format: Export) {
    let name =
        state.opened.with_untracked(|opened| opened.as_ref().map(|opened| opened.name.clone())).unwrap_or_default();
    let (end, mime) = match format {
        Export::Csv => ("csv", "text/csv"),
        Export::Json => ("json", "application/json"),
    };
    let name = table::file_name(&name, what, end);
    state.request(request, move |reply| match reply {
        Reply::Exported(text) => {
            let message = "The browser refuses to save a file from this page.".to_owned();
            let inform = |_| state.inform(Failure { title: "Nothing was saved".to_owned(), message });
            clipboard::save(&name, mime, &text).unwrap_or_else(inform);
        }
        Reply::Failed(failure) => state.fail(failure),
        _ => {}
    });
}
