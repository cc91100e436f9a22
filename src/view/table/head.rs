//! The table's head: names, units, and the order; a press sorts.

use super::Grid;
use crate::chart::columns::{Cell, Chosen};
use crate::engine::Sort;
use leptos::prelude::*;

/// The order a press on `cell` asks for: its natural one first, then the other way round.
fn next(cell: Cell, now: Sort) -> Option<Sort> {
    let natural = cell.natural()?;
    Some(if now.column == natural.column { Sort { descending: !now.descending, ..now } } else { natural })
}

/// The head.
#[component]
pub(super) fn Head(grid: Grid) -> impl IntoView {
    let cells = move || {
        let all = grid.state.columns.get();
        all.into_iter().enumerate().map(|(column, chosen)| view! { <Column grid column chosen /> }).collect_view()
    };
    view! {
        <div class="grid-head" role="rowgroup">
            <div class="row" role="row" aria-rowindex="1">{cells}</div>
        </div>
    }
    .into_any()
}

#[component]
fn Column(grid: Grid, column: usize, chosen: Chosen) -> impl IntoView {
    let state = grid.state;
    let cell = chosen.cell;
    let shown = state.shown_sort();
    let sorted = Memo::new(move |_| shown.get().filter(|sort| Some(sort.column) == cell.column()));
    let order = move || sorted.get().map(|sort| if sort.descending { "descending" } else { "ascending" });
    let arrow = move || sorted.get().map(|sort| if sort.descending { "↓" } else { "↑" });
    let by = move || grid.head.with(|head| head.as_ref().map(|head| head.query.by)).unwrap_or_default();
    let unit = move || grid.units().map(|units| cell.unit(units)).unwrap_or_default();
    let stop = move || {
        let place = state.place.get();
        if place.row.is_none() && place.column == column { "0" } else { "-1" }
    };
    let press = move |_| state.choose(|_, sort| *sort = next(cell, *sort).unwrap_or(*sort));
    let words = move || {
        view! {
            <span class="arrow" aria-hidden="true">{arrow}</span>
            <span>{move || cell.head(by())}</span>
            <span class="unit">{unit}</span>
        }
    };
    let inner = if cell.column().is_some() {
        view! { <button type="button" class="head" data-column=column.to_string() tabindex=stop on:click=press>{words()}</button> }
            .into_any()
    } else {
        view! { <span class="head" data-column=column.to_string() tabindex=stop>{words()}</span> }.into_any()
    };
    view! {
        <div role="columnheader" class:num=cell.numeric() class:sorted=move || sorted.get().is_some() aria-sort=order>
            {inner}
        </div>
    }
    .into_any()
}
