//! This module renders the head of a table: names, units and the order. A click sorts, and a menu holds the other
//! actions.

use super::grid::{Grid, GridAction, GridCell};
use crate::chart::glossary::term_of_label;
use crate::chart::plot::popover_position::Rect;
use crate::chart::widgets::table::Column;
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::menu::{self, Entry};
use crate::view::widgets::size::rect;
use leptos::ev;
use leptos::prelude::*;
use web_sys::Element;

/// The id of the column menu. A page has one menu for all columns.
pub(crate) const MENU: &str = "column-menu";

/// Renders the head.
#[component]
pub(super) fn Head(grid: Grid) -> impl IntoView {
    // The cells are rendered again only if other columns are shown, so that a head keeps the focus while its figures
    // change.
    let cells = move || {
        grid.ids
            .get()
            .into_iter()
            .enumerate()
            .map(|(index, id)| view! { <HeadCell grid index=index id /> }.any())
            .collect_view()
    };
    view! {
        <div class="grid-head" role="rowgroup">
            <div class="row" role="row" aria-rowindex="1">{cells}</div>
        </div>
    }
    .any()
}

/// Renders the menu of the column in question. It stands beside the grid, which holds rows only.
#[component]
pub(super) fn ColumnMenu(grid: Grid) -> impl IntoView {
    let entries = Signal::derive(move || grid.menu_column.get().map(|id| entries(grid, &id)).unwrap_or_default());
    view! { <menu::Menu id=MENU label="Column" entries /> }.any()
}

/// Builds the entries of a column's menu.
fn entries(grid: Grid, id: &str) -> Vec<Entry> {
    let model = grid.model;
    let act = move |act: GridAction| Callback::new(move |()| model.act.run(act.clone()));
    let (column, index, count) = model.columns.with(|columns| {
        let index = columns.iter().position(|column| column.id == id);
        (index.and_then(|index| columns.get(index).cloned()), index.unwrap_or(0), columns.len())
    });
    let Some(Column { head, sort, digits, .. }) = column else { return Vec::new() };
    let mut entries = Vec::new();
    if sort.is_some() {
        entries.push(Entry::new("Sort descending", act(GridAction::Sort(id.to_owned(), true))).key("s"));
        entries.push(Entry::new("Sort ascending", act(GridAction::Sort(id.to_owned(), false))).key("S"));
    }
    let free = model.free.get();
    if digits.is_some() && free {
        entries.push(Entry::new(format!("Hide {head}"), act(GridAction::Hide(id.to_owned()))).separated());
        if index > 1 {
            entries.push(Entry::new("Move left", act(GridAction::Move(id.to_owned(), -1))));
        }
        if index + 1 < count {
            entries.push(Entry::new("Move right", act(GridAction::Move(id.to_owned(), 1))));
        }
    }
    if free {
        entries.push(Entry::new("All columns…", act(GridAction::Columns)).key("c").separated());
    }
    entries.push(Entry::new("Copy column", act(GridAction::Copy(id.to_owned()))));
    entries.extend(term_of_label(&head).map(|term| Entry::definition(term.name()).separated()));
    entries
}

/// Returns the order after a click: the natural order first, then the opposite one.
fn next(natural: bool, now: Option<bool>) -> bool {
    now.map_or(natural, |descending| !descending)
}

#[component]
fn HeadCell(grid: Grid, index: usize, id: String) -> impl IntoView {
    let model = grid.model;
    let column = Memo::new(move |_| model.columns.with(|columns| columns.get(index).cloned()));
    let id = StoredValue::new(id);
    let sorted = Memo::new(move |_| {
        model
            .sorted
            .get()
            .filter(|(sorted_id, _)| id.with_value(|id| sorted_id == id))
            .map(|(_, descending)| descending)
    });
    let order = move || sorted.get().map(|descending| if descending { "descending" } else { "ascending" });
    let arrow = move || sorted.get().map(|descending| if descending { "↓" } else { "↑" });
    let head = move || column.with(|column| column.as_ref().map(|column| column.head.clone()));
    let unit = move || column.with(|column| column.as_ref().map(|column| column.unit.clone()));
    let stop = move || {
        let place = model.place.get();
        if place.row.is_none() && place.column == index { "0" } else { "-1" }
    };
    let natural = column.with_untracked(|column| column.as_ref().and_then(|column| column.sort));
    let numeric = column.with_untracked(|column| column.as_ref().is_some_and(|column| column.numeric));
    let about = column.with_untracked(|column| column.as_ref().map(|column| column.about.clone()));
    let about = about.filter(|about| !about.is_empty());
    let press = move |_| {
        if let Some(natural) = natural {
            model.act.run(GridAction::Sort(id.get_value(), next(natural, sorted.get_untracked())));
        }
    };
    let open_menu = move || {
        grid.menu_column.set(Some(id.get_value()));
        model.place.set(GridCell { row: None, column: index });
    };
    let right = move |event: ev::MouseEvent| {
        event.prevent_default();
        let anchor = Rect { x: event.client_x().into(), y: event.client_y().into(), width: 0.0, height: 0.0 };
        open_menu();
        menu::open_after_press(MENU, anchor, &event);
    };
    let key = move |event: ev::KeyboardEvent| {
        if event.alt_key() && event.key() == "ArrowDown" {
            event.prevent_default();
            event.stop_propagation();
            open_menu();
            menu::open_at(MENU, rect(&event_target::<Element>(&event)));
        }
    };
    let words = view! {
        <span class="arrow" aria-hidden="true">{live(arrow)}</span>
        <span>{live(head)}</span>
        <span class="unit">{live(unit)}</span>
    }
    .any();
    let inner = if natural.is_some() {
        view! { <button type="button" class="head" data-column=index.to_string() tabindex=stop on:click=press>{words}</button> }.any()
    } else {
        view! { <span class="head" data-column=index.to_string() tabindex=stop>{words}</span> }.any()
    };
    view! {
        <div
            role="columnheader"
            class:num=numeric
            class:sorted=move || sorted.get().is_some()
            title=about
            aria-sort=order
            on:contextmenu=right
            on:keydown=key
        >
            {inner}
        </div>
    }
    .any()
}
