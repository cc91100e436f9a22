//! Copying and saving the table: what is seen goes to the clipboard as it is seen, files hold exact figures of all
//! rows, as the command line writes them. This module knows the state; formats are in `chart::table` and `report`.

use super::loaded_row::with_row;
use crate::chart::breakdown::{Cell, Units, rows};
use crate::chart::widgets::table::{self, Column};
use crate::protocol::{BreakdownHead, Export, Failure, Reply, Request, RowsPage, RowsQuery, Sort};
use crate::table::{copy, format};
use crate::view::state::{PtrEq, State};
use crate::view::type_erasure::EraseType;
use crate::view::widgets::clipboard;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::menu::{Entry, MenuButton};
use crate::view::widgets::table::GridAction;
use leptos::prelude::*;
use std::ops::Range;

/// The menu's id.
pub(crate) const ID: &str = "save";
/// Rows that go to the clipboard at most; a file has all of them.
const MOST: u32 = 100_000;
/// Rows that are requested at once.
const AT_ONCE: u32 = 1000;

/// How rows go to the clipboard.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Tsv,
    Markdown,
}

/// Which rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CopiedRows {
    All,
    /// Those selected; without any, the one with the keyboard's place.
    Chosen,
}

/// The button and its menu.
#[component]
pub(crate) fn Save(state: State) -> impl IntoView {
    let run = move |act: fn(State)| Callback::new(move |()| act(state));
    let entries = Signal::derive(move || {
        let selected = state.selected.with(Vec::len);
        let mut entries = Vec::new();
        if selected > 0 {
            let label = format!("Copy {}", format::counted(selected as u64, "selected row", "selected rows"));
            entries.push(Entry::new(label, run(|state| copy(state, CopiedRows::Chosen, Form::Tsv))).key("y"));
        }
        entries.push(Entry::new("Copy table as TSV", run(|state| copy(state, CopiedRows::All, Form::Tsv))).key("Y"));
        entries.push(Entry::new("Copy table as Markdown", run(|state| copy(state, CopiedRows::All, Form::Markdown))));
        if state.can(|can| can.export) {
            entries.push(Entry::new("Save CSV", run(|state| export(state, Export::Csv))).apart());
            entries.push(Entry::new("Save JSON", run(|state| export(state, Export::Json))));
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

/// What the state's table shows now.
fn columns(state: State) -> Vec<Column> {
    state.table.get_value().map(|model| model.columns.get_untracked()).unwrap_or_default()
}

/// Copies rows with the columns shown.
pub(crate) fn copy(state: State, which: CopiedRows, form: Form) {
    copy_columns(state, which, form, columns(state));
}

/// Copies one column of all rows.
pub(super) fn copy_column(state: State, id: &str) {
    let only = columns(state).into_iter().filter(|column| column.id == id).collect();
    copy_columns(state, CopiedRows::All, Form::Tsv, only);
}

fn copy_columns(state: State, which: CopiedRows, form: Form, columns: Vec<Column>) {
    let Some(head) = untrack(|| state.head().get()) else { return };
    let Some(sort) = untrack(|| state.shown_sort().get()) else { return };
    let selected =
        Some(state.selected.get_untracked()).filter(|selected| which == CopiedRows::Chosen && !selected.is_empty());
    // Those that are selected may lie anywhere.
    let rows = if which == CopiedRows::Chosen && selected.is_none() {
        let at = || with_row(state, state.place.get().row?, |index, _, _| Some(index));
        let Some(at) = untrack(at) else { return };
        at..at + 1
    } else {
        0..head.n_groups
    };
    let of =
        selected.as_ref().map_or(rows.end - rows.start, |selected| u32::try_from(selected.len()).unwrap_or(u32::MAX));
    gather(state, Gathered { head, sort, form, columns, selected, of, rows, lines: Vec::new() });
}

/// Rows on their way to the clipboard.
struct Gathered {
    head: PtrEq<BreakdownHead>,
    sort: Sort,
    form: Form,
    columns: Vec<Column>,
    /// Only rows of these names are meant.
    selected: Option<Vec<String>>,
    /// How many rows are meant.
    of: u32,
    /// The rows that have not been requested.
    rows: Range<u32>,
    lines: Vec<Vec<String>>,
}

/// Asks for rows, some at a time, and copies them once all that are meant are there.
fn gather(state: State, mut job: Gathered) {
    let count = (job.rows.end - job.rows.start).min(AT_ONCE);
    if count == 0 || job.lines.len() >= job.of.min(MOST) as usize {
        let text = match job.form {
            Form::Tsv => copy::tsv(&job.columns, &job.lines),
            Form::Markdown => copy::markdown(&job.columns, &job.lines),
        };
        let (n, of) = (job.lines.len(), job.of);
        return clipboard::copy(&text, move |done| state.inform(copy_message(done, n, of)));
    }
    let query = RowsQuery { query: job.head.query.clone(), sort: job.sort, first: job.rows.start, count };
    state.request(&Request::Rows(query), move |reply| {
        let Reply::Rows(page) = reply else { return };
        let units = Units::from_largest(&job.head.largest);
        let line = |at: u32| -> Option<Vec<String>> {
            let row = rows::find(&page, at)?;
            if job.selected.as_ref().is_some_and(|selected| !selected.contains(&rows::key(row.group))) {
                return None;
            }
            let text = |column: &Column| {
                Cell::of_key(&column.id)
                    .map(|cell| rows::text(cell, row, job.head.header.step_duration, units))
                    .unwrap_or_default()
            };
            Some(job.columns.iter().map(text).collect())
        };
        let lines: Vec<_> = indices(&page).filter_map(line).collect();
        job.lines.extend(lines);
        // A page without rows is behind the last one.
        job.rows.start = if page.rows.is_empty() { job.rows.end } else { job.rows.start + count };
        gather(state, job);
    });
}

fn indices(page: &RowsPage) -> std::ops::Range<u32> {
    page.query.first..page.query.first.saturating_add(u32::try_from(page.rows.len()).unwrap_or(u32::MAX))
}

pub(crate) fn copy_message(done: bool, n: usize, of: u32) -> Failure {
    let rows = format::counted(n as u64, "row", "rows");
    let (title, message) = if !done {
        (
            "Nothing was copied".to_owned(),
            "The browser does not let this page use the clipboard. Save the table instead.".to_owned(),
        )
    } else if n < of as usize {
        let all = format::count(of.into());
        (format!("Copied the first {rows} of {all}"), "Save CSV has all of them.".to_owned())
    } else {
        (format!("Copied {rows}"), String::new())
    };
    Failure { title, message }
}

/// Saves all rows as a file.
fn export(state: State, format: Export) {
    let Some(head) = untrack(|| state.head().get()) else { return };
    let Some(sort) = untrack(|| state.shown_sort().get()) else { return };
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
    let mut entries = vec![Entry::new("Copy table as TSV", act(state, GridAction::CopyRows(true))).key("Y")];
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
