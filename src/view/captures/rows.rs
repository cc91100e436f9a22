//! This module connects the list of captures to its table, and renders the tools above and below it.

use super::model::CapturesModel;
use crate::chart::captures;
use crate::protocol::Export;
use crate::protocol::table_query::{ExportQuery, TableQuery};
use crate::table::page::{Row, SortBy};
use crate::view::shared::save;
use crate::view::shared::{RemoteTable, RowPress, remote_model};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::field;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::table::Model;
use leptos::prelude::*;

/// Builds the model of the table.
pub(super) fn table_model(model: CapturesModel) -> Model {
    let state = model.state;
    let table = RemoteTable {
        label: Signal::stored("Captures".to_owned()),
        table: Signal::derive(move || Some(TableQuery::Captures { revision: model.revision.get() })),
        waits: Signal::stored(false),
        filter: Signal::derive(move || model.text_filter()),
        sort: model.order.into(),
        set_sort: Callback::new(move |sort: SortBy| model.change(|view_state| view_state.sort = Some(sort))),
        columns: None,
        selected: state.selected.into(),
        is_selected: Callback::new(move |key: String| state.selected.with(|selected| selected.contains(&key))),
        press: Callback::new(move |(press, row): (RowPress, Row)| match press {
            RowPress::Open | RowPress::DoubleClick => {
                if let Some(capture) = untrack(|| model.capture_of_key(&row.key)) {
                    open(model, capture);
                }
            }
            RowPress::Select | RowPress::Toggle => model.choose(row.key),
        }),
        empty: Callback::new(move |()| view! { <p>"No capture matches."</p> }.any()),
    };
    remote_model(state, table)
}

/// Opens a capture. If it is a row of a table alone, a message says why it cannot be opened.
fn open(model: CapturesModel, capture: u32) {
    let Some(row) = untrack(|| model.row(capture)) else { return };
    if row.has_files() {
        return model.state.open_capture(capture, None);
    }
    model.state.inform(captures::not_opened(&row.name));
}

/// Renders the tools above the table: filter, progress and save.
#[component]
pub(super) fn Tools(model: CapturesModel) -> impl IntoView {
    let state = model.state;
    let export = move |format: Export| {
        Callback::new(move |()| {
            save::file(state, ExportQuery::Captures, "captures", format);
        })
    };
    let entries = Signal::derive(move || save::entries(state, "", export));
    view! {
        <div class="table-tools" data-roving="">
            {field::search(model.filter, "Filter captures")}
            <span class="grow"></span>
            {live(move || Some(progress(model)))}
            {save::menu(entries)}
        </div>
    }
    .any()
}

/// Renders what is being read, with a button that stops or goes on.
fn progress(model: CapturesModel) -> AnyView {
    let workers = model.workers;
    let n_left = move || {
        model.found.with(|found| found.as_ref().map_or(0, |list| list.n_captures - list.n_read - list.n_failed))
    };
    if workers.is_stopped.get() && n_left() > 0 {
        let resume = move |_| workers.resume();
        return view! { <button type="button" class="btn line" on:click=resume>"Read the other captures"</button> }
            .any();
    }
    let is_busy = Memo::new(move |_| workers.now.with(|now| now.iter().any(Option::is_some)));
    let text = move || {
        let now = workers.now.get();
        let first = now.iter().flatten().next()?;
        let name = model.row(first.capture).map(|row| row.name).unwrap_or_default();
        Some(captures::progress(&name, first.bytes))
    };
    let body = move || {
        let stop = move |_| workers.stop();
        is_busy.get().then(|| {
            view! {
                <span class="sub captures-progress">{live(text)}</span>
                <button type="button" class="btn line" on:click=stop>"Stop reading"</button>
            }
            .any()
        })
    };
    live(body).into_any()
}

/// The id of the text that says why the chosen captures cannot be compared.
const WHY: &str = "captures-not-compared";

/// Renders the captures that are chosen for a comparison.
#[component]
pub(super) fn Foot(model: CapturesModel) -> impl IntoView {
    let state = model.state;
    let side = move |letter: &'static str, capture: u32| {
        let row = model.row(capture)?;
        let class = format!("side-letter side-{}", letter.to_ascii_lowercase());
        let time = captures::step_time(&row).unwrap_or_default();
        Some(view! { <span class=class>{letter}</span> <span class="mono">{row.name}</span> <span class="sub">{time}</span> }.any())
    };
    let body = move || {
        let chosen = model.chosen();
        let Some(&a) = chosen.first() else {
            let words = model.found.with(|found| found.as_ref().map(|found| captures::invitation(found)));
            return Some(view! { <span class="sub">{words}</span> }.any());
        };
        let clear = move |_| state.selected.set(Vec::new());
        let clear = view! { <button type="button" class="btn line" on:click=clear>"Clear"</button> }.any();
        let Some(&b) = chosen.get(1) else {
            return Some(view! { {side("A", a)} <span class="sub">"Choose another row as B."</span> <span class="grow"></span> {clear} }.any());
        };
        let rows = model.row(a).zip(model.row(b));
        let without_files = rows.as_ref().and_then(|(a, b)| captures::not_compared(a, b));
        let is_disabled = without_files.is_some();
        let why = without_files.map(|why| view! { <span class="sub" id=WHY>{why}</span> }.any());
        let difference = rows.and_then(|(a, b)| captures::difference(&a, &b));
        let difference = difference.map(|(text, delta)| {
            let class = if delta > 0 { "more" } else { "less" };
            view! { <b class=class>{text}</b> }.any()
        });
        let swap = move |_| state.selected.update(|selected| selected.reverse());
        let compare = move |_| {
            if !is_disabled {
                state.open_capture(a, Some(b));
            }
        };
        Some(
            view! {
                {side("A", a)} {side("B", b)} {difference} {why}
                <span class="grow"></span>
                {clear}
                <button type="button" class="btn line" on:click=swap>{icon(Icon::Swap)} "Swap"</button>
                <button type="button" class="btn solid" aria-disabled=is_disabled.to_string() aria-describedby=is_disabled.then_some(WHY) on:click=compare>"Compare A with B"</button>
            }
            .any(),
        )
    };
    view! { <div class="captures-foot" role="group" aria-label="Comparison">{live(body)}</div> }.any()
}
