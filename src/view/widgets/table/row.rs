//! This module renders one row of a table, which is empty until it is loaded.

use super::grid::{Grid, GridAction, SharedRow, content};
use crate::table::format::ABSENT;
use crate::table::page::{Cell, Mark, Name};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::swatch::class_swatch;
use leptos::html;
use leptos::prelude::*;
use std::sync::Arc;

/// Renders the row at `index`.
#[component]
pub(super) fn Row(grid: Grid, index: u32) -> impl IntoView {
    let model = grid.model;
    let row = Memo::new(move |_| model.row.run(index).map(Arc::new));
    // The column with the keyboard's place, if it is in this row. Other rows need no update when the place changes, and
    // one effect for each row costs less than one for each cell.
    let node = NodeRef::<html::Div>::new();
    let stop = Memo::new(move |_| {
        let place = model.place.get();
        (place.row == Some(index)).then_some(place.column)
    });
    Effect::new(move |old: Option<Option<usize>>| {
        let (now, node) = (stop.get(), node.get());
        grid.ids.track();
        let cell = |column: usize| node.as_ref()?.children().item(u32::try_from(column).ok()?);
        for (column, to) in
            old.flatten().map(|column| (column, "-1")).into_iter().chain(now.map(|column| (column, "0")))
        {
            if let Some(cell) = cell(column) {
                let _ = cell.set_attribute("tabindex", to);
            }
        }
        now
    });
    // Contents change within the cells: a cell that is rendered again while it has the focus loses it.
    let cells = move || {
        let columns = model.columns.get_untracked();
        let one = |(column_index, id): (usize, String)| {
            let class = match columns.get(column_index) {
                Some(column) if column.numeric => "num",
                Some(column) if column.digits.is_none() => "name",
                _ => "",
            };
            view! {
                <div role="gridcell" class=class data-column=column_index.to_string() data-id=id tabindex="-1">
                    {move || row.with(|row| row.as_ref().and_then(|row| Some(cell(grid, index, row, content(row, column_index)?))))}
                </div>
            }.any()
        };
        grid.ids.get().into_iter().enumerate().map(one).collect_view()
    };
    let top = move || format!("{}px", f64::from(index) * model.measure.get().row);
    let selected = move || row.with(|row| row.as_ref().is_some_and(|row| row.selected));
    let inner = move || row.with(|row| row.as_ref().is_some_and(|row| row.inner));
    view! {
        <div
            node_ref=node
            class="row"
            class:selected=selected
            class:inner=inner
            role="row"
            aria-rowindex=(u64::from(index) + 2).to_string()
            aria-selected=move || selected().to_string()
            data-row=index.to_string()
            style:top=top
        >
            {live(cells)}
        </div>
    }
    .any()
}

fn cell(grid: Grid, index: u32, row: &SharedRow, content: &Cell) -> AnyView {
    match content {
        Cell::Absent => view! { <span class="absent">{ABSENT}</span> }.any(),
        Cell::Text(text) => view! { <span>{text.clone()}</span> }.any(),
        Cell::Soft(text) => view! { <span class="soft">{text.clone()}</span> }.any(),
        Cell::Above(text) => view! {
            <span class="above"><span class="above" title="Cost estimate above peak">"▲ "</span> {text.clone()}</span>
        }
        .any(),
        Cell::Bar(share, text) => view! {
            <span class="share"><span style:width=format!("{:.1}%", share * 100.0)></span></span>
            <span>{text.clone()}</span>
        }
        .any(),
        Cell::Gap(share, gap, text) => {
            let (left, gap) = (format!("{:.1}%", share * 100.0), format!("{:.1}%", gap * 100.0));
            view! {
                <span class="gap"><span class="gap-at" style:width=left></span><span class="gap-lost" style:width=gap></span></span>
                <span class="visually-hidden">{text.clone()}</span>
            }
            .any()
        }
        Cell::Kinds(parts, text) => {
            let mut end = 0.0;
            let part = |(class, share): &(String, f64)| {
                let start = end;
                end += share;
                let (x, width) = (format!("{:.2}%", start * 100.0), format!("{:.2}%", share * 100.0));
                view! { <rect class=format!("mark-{class}") x=x width=width height="100%" /> }.any()
            };
            let parts = parts.iter().map(part).collect_view();
            view! {
                <svg class="kinds" aria-hidden="true">{parts}</svg>
                <span class="visually-hidden">{text.clone()}</span>
            }
            .any()
        }
        Cell::Range(from, to, text) => {
            let (left, wide) = (format!("{:.1}%", from * 100.0), format!("{:.1}%", (to - from) * 100.0));
            view! {
                <span class="life"><span style:margin-left=left style:width=wide></span></span>
                <span class="visually-hidden">{text.clone()}</span>
            }
            .any()
        }
        Cell::Difference { text, is_real } => view! {
            <span class=tone(text, *is_real)>{text.clone()}</span>
        }
        .any(),
        Cell::DifferenceBar { share, text, is_real } => {
            let (left, wide) = (format!("{:.1}%", 50.0 + 50.0 * share.min(0.0)), format!("{:.1}%", 50.0 * share.abs()));
            view! {
                <span class=format!("difference {}", tone(text, *is_real))><span style:left=left style:width=wide></span></span>
                <span class="visually-hidden">{text.clone()}</span>
            }
            .any()
        }
        Cell::Mono(text) => view! { <span class="mono">{text.clone()}</span> }.any(),
        Cell::Marked(mark, text) => view! { {mark_view(mark)} <span>{text.clone()}</span> }.any(),
        Cell::Name(name) => called(grid, index, row, name),
    }
}

/// Returns the class of a difference. One that may be chance has no colour.
fn tone(text: &str, is_real: bool) -> &'static str {
    match text.starts_with('+') {
        _ if !is_real => "noise",
        true => "more",
        false => "less",
    }
}

/// Renders a swatch by its class.
fn mark_view(mark: &Mark) -> AnyView {
    match mark {
        Mark::Time(class) => class_swatch(class),
        Mark::Memory(class) => view! { <span class=format!("class-swatch {class}")></span> }.any(),
    }
}

/// Renders the name of a row, after the button that expands the row.
fn called(grid: Grid, index: u32, row: &SharedRow, name: &Name) -> AnyView {
    let mono = if name.mono { "mono" } else { "" };
    let chevron = row.open.map(|open| {
        let press = move |_| grid.model.act.run(GridAction::Fold(index));
        view! {
            <button type="button" class="fold" class:open=open tabindex="-1" aria-label="Expand" aria-expanded=open.to_string() on:click=press>
                <svg viewBox="0 0 10 10" aria-hidden="true"><path d="M3 1.5L7 5L3 8.5" /></svg>
            </button>
        }.any()
    });
    let room = (chevron.is_none() && row.has_toggle_space).then(|| view! { <span class="fold-room"></span> }.any());
    let text = name.text.clone();
    let text = if row.opens_details {
        // The name is a link for the pointer; a key on the cell does the same.
        let press = move |_| grid.model.act.run(GridAction::Fold(index));
        view! { <span class=format!("tells {mono}") on:click=press>{text}</span> }.any()
    } else {
        view! { <span class=mono>{text}</span> }.any()
    };
    let first = view! {
        {chevron}
        {room}
        {name.mark.as_ref().map(mark_view)}
        {text}
        {name.beside.clone().map(|beside| view! { <span class="beside">{beside}</span> }.any())}
    }
    .any();
    match &name.second {
        None => first.into_any(),
        Some((mark, text)) => view! {
            <span class="line-1">{first}</span>
            <span class="line-2">{mark.as_ref().map(mark_view)} <span>{text.clone()}</span></span>
        }
        .any(),
    }
}
