//! This module handles the keys, clicks and hovers of a table: it moves the focus between cells, and shows their
//! tooltips.

use super::grid::{Grid, GridAction, GridCell};
use crate::chart::widgets::tip::Tip;
use crate::chart::widgets::virtual_rows::{self, Move};
use crate::view::widgets::clipboard;
use crate::view::widgets::size::rect;
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, EventTarget, FocusOptions, HtmlElement};

/// Handles a key in the table.
pub(super) fn key(grid: Grid, event: &ev::KeyboardEvent) {
    if event.ctrl_key() && !matches!(event.key().as_str(), "Home" | "End") || event.meta_key() || event.alt_key() {
        return;
    }
    let place = grid.model.place.get_untracked();
    let last = grid.ids.with_untracked(Vec::len).saturating_sub(1);
    let by = match event.key().as_str() {
        "ArrowLeft" => return go(grid, event, GridCell { column: place.column.saturating_sub(1), ..place }),
        "ArrowRight" => return go(grid, event, GridCell { column: (place.column + 1).min(last), ..place }),
        "Enter" | " " => return row_key(grid, event, place),
        key => Move::of_key(key),
    };
    let Some(by) = by else { return };
    let height = grid.element().map_or(0.0, |node| node.client_height().into());
    let page = virtual_rows::page_step(height, grid.model.measure.get_untracked().row);
    let row = virtual_rows::moved(place.row, by, page.saturating_sub(2).max(1), grid.model.count.get_untracked());
    go(grid, event, GridCell { row, ..place });
}

/// Handles Space, which selects a row, and Enter, which expands or opens it.
fn row_key(grid: Grid, event: &ev::KeyboardEvent, place: GridCell) {
    // In the head, and on buttons in cells, these keys belong to the browser.
    let Some(row) = place.row.filter(|_| event_target::<Element>(event).matches("[role=gridcell]").unwrap_or(false))
    else {
        return;
    };
    event.prevent_default();
    grid.model.act.run(if event.key() == " " { GridAction::Select(row) } else { GridAction::Fold(row) });
}

/// Returns the row of a click. A click on a control within a row belongs to the control.
fn row_of(event: &ev::MouseEvent) -> Option<u32> {
    let target: Element = event.target()?.dyn_into().ok()?;
    let control = target.closest("button, a, input, .tells").ok().flatten();
    let row = target.closest("[data-row]").ok().flatten().filter(|_| control.is_none())?;
    row.get_attribute("data-row")?.parse().ok()
}

/// Keeps a double click from selecting text.
pub(super) fn pressed(event: &ev::MouseEvent) {
    if event.detail() > 1 && row_of(event).is_some() {
        event.prevent_default();
    }
}

/// Handles a click on a row, which selects the row alone. With Ctrl or Command, the row is added to the selection or
/// removed.
pub(super) fn clicked(grid: Grid, event: &ev::MouseEvent) {
    // The second click of a double click opens the row. A user who selects text to copy it selects no row.
    if event.detail() > 1 || clipboard::has_selection() {
        return;
    }
    if let Some(row) = row_of(event) {
        let adds = event.ctrl_key() || event.meta_key();
        grid.model.act.run(if adds { GridAction::Select(row) } else { GridAction::Pick(row) });
    }
}

/// Handles a double click on a row, which opens the row.
pub(super) fn double_clicked(grid: Grid, event: &ev::MouseEvent) {
    if let Some(row) = row_of(event) {
        grid.model.act.run(GridAction::Open(row));
    }
}

fn go(grid: Grid, event: &ev::KeyboardEvent, place: GridCell) {
    event.prevent_default();
    grid.model.tips.hide();
    grid.model.place.set(place);
    if let Some(row) = place.row {
        reveal(grid, row);
    }
    // If the cell exists, it gets the focus at once, because the next key may come before the next frame. If its row is
    // rendered only now, the cell gets the focus in the next frame.
    focus(grid, place);
    focus_next_frame(grid, place);
}

/// Scrolls the table, or the page if the page is what scrolls, until `row` is clear of the head and the foot.
fn reveal(grid: Grid, row: u32) {
    let (Some(node), Some(body)) = (grid.element(), grid.body.try_get_untracked().flatten()) else { return };
    let height = grid.model.measure.get_untracked().row;
    let edge = |class: &str| node.query_selector(class).ok().flatten().map_or(0.0, |part| rect(&part).height);
    let (head, foot) = (edge(".grid-head"), edge(".grid-foot"));
    let frame = rect(&node);
    let screen = crate::view::widgets::size::screen();
    let (top, bottom) = (frame.y.max(0.0) + head, (frame.y + frame.height).min(screen.1) - foot);
    let y = rect(&body).y + f64::from(row) * height - top;
    let by = virtual_rows::reveal(y, y + height, bottom - top);
    let within = node.scroll_height() > node.client_height();
    if within {
        node.scroll_by_with_x_and_y(0.0, by);
    } else {
        leptos::prelude::window().scroll_by_with_x_and_y(0.0, by);
    }
    grid.find_visible();
}

/// Moves the focus to `place` if a cell of the rows has it, because that cell may be gone in the next frame.
pub(super) fn follow(grid: Grid, place: GridCell) {
    let active = document().active_element();
    let within = active.and_then(|cell| cell.closest(".grid-body").ok().flatten());
    if within.is_some()
        && grid.body.try_get_untracked().flatten().is_some_and(|body| within.as_ref() == Some(body.as_ref()))
    {
        focus_next_frame(grid, place);
    }
}

/// Focuses a cell in the next frame, unless the user has moved the focus out of the table until then.
fn focus_next_frame(grid: Grid, place: GridCell) {
    request_animation_frame(move || {
        // A cell that is gone leaves the focus to the body of the page.
        let active = document().active_element().filter(|active| active.matches("body *").unwrap_or(false));
        let is_elsewhere = active.zip(grid.element()).is_some_and(|(active, table)| !table.contains(Some(&active)));
        if !is_elsewhere {
            focus(grid, place);
        }
    });
}

fn cell_at(grid: Grid, place: GridCell) -> Option<HtmlElement> {
    let column = place.column;
    let selector = match place.row {
        Some(row) => format!("[data-row='{row}'] > [data-column='{column}']"),
        None => format!(".grid-head [data-column='{column}']"),
    };
    grid.element()?.query_selector(&selector).ok().flatten()?.dyn_into().ok()
}

fn focus(grid: Grid, place: GridCell) {
    if let Some(cell) = cell_at(grid, place) {
        let options = FocusOptions::new();
        options.set_prevent_scroll(true);
        let _ = cell.focus_with_options(&options);
    }
}

/// Returns the cell of an event, and its place.
fn place_of(target: Option<EventTarget>) -> Option<(Element, GridCell)> {
    let target: Element = target?.dyn_into().ok()?;
    let cell = target.closest("[data-column]").ok().flatten()?;
    let column = cell.get_attribute("data-column")?.parse().ok()?;
    let row = cell.closest("[data-row]").ok().flatten().and_then(|row| row.get_attribute("data-row")?.parse().ok());
    Some((cell, GridCell { row, column }))
}

/// Returns the tooltip of a cell.
fn tip(grid: Grid, place: GridCell) -> Option<Tip> {
    let id = grid.ids.with_untracked(|ids| ids.get(place.column).cloned())?;
    untrack(|| grid.model.tip.run((place.row?, id)))
}

/// Handles a cell that gets the focus by a key or a click: the cell becomes the keyboard's place.
pub(super) fn focused(grid: Grid, event: &ev::FocusEvent) {
    let Some((cell, place)) = place_of(event.target()) else { return };
    if grid.model.place.get_untracked() != place {
        grid.model.place.set(place);
    }
    let by_key = cell.matches(":focus-visible").unwrap_or(false);
    if let Some(tip) = tip(grid, place).filter(|_| by_key) {
        grid.model.tips.hover(tip, rect(&cell));
    }
}

/// Handles the pointer over a cell: shows the tooltip of the cell.
pub(super) fn hovered(grid: Grid, event: &ev::PointerEvent) {
    if event.pointer_type() == "touch" {
        return;
    }
    match place_of(event.target()).and_then(|(cell, place)| Some((tip(grid, place)?, rect(&cell)))) {
        Some((tip, anchor)) => grid.model.tips.hover(tip, anchor),
        None => grid.model.tips.leave(),
    }
}
