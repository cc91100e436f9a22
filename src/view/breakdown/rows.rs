//! The breakdown as a table: what its columns, rows and totals are, and what is done when they are pressed. This module knows the
//! state and the breakdown's columns; not how a table is drawn.

use super::loaded_row::with_row;
use super::save::{CopiedRows, Form};
use crate::analysis::base::FilterField;
use crate::chart::breakdown::columns::{self, Basis};
use crate::chart::breakdown::rows::{self, RowOptions};
use crate::chart::breakdown::{Cell, tips};
use crate::chart::widgets::table::{Column, Measure, Row};
use crate::protocol::{BreakdownHead, Sort};
use crate::table::format;
use crate::view::state::{PtrEq, State, toggle};
use crate::view::type_erasure::EraseType;
use crate::view::widgets::popover;
use crate::view::widgets::table::{GridAction, Model};
use leptos::prelude::*;

/// The model of the breakdown's table.
pub(super) fn model(state: State, head: Memo<Option<PtrEq<BreakdownHead>>>) -> Model {
    let measure = RwSignal::new(Measure::START);
    let columns = Memo::new(move |_| {
        let Some(head) = head.get() else { return Vec::new() };
        let wanted = state.columns.get();
        let basis = Basis {
            by: head.query.by,
            largest: &head.largest,
            n_events: head.shown.n_events,
            wanted: wanted.as_deref(),
        };
        columns::choose(basis, measure.get())
    });
    let groups = move || head.with(|head| head.as_ref().map_or(0, |head| head.n_groups));
    let options = Memo::new(move |_| {
        let head = head.get()?;
        Some(PtrEq::new(columns.with(|columns| RowOptions::new(&head, columns, measure.get()))))
    });
    let row = move |flat: u32| -> Option<Row> {
        let options = *options.get()?;
        with_row(state, flat, |index, found, part| {
            columns.with(|columns| match part {
                Some(part) => Some(rows::inner(found.group.parts.get(part as usize)?, columns, options)),
                None => {
                    let open = state.folds.with(|folds| folds.is_open(index));
                    let name = rows::key(found.group);
                    // The op whose panel is open is marked as well.
                    let is_open = state.op.with(|op| *op == name);
                    let selected = is_open || state.selected.with(|selected| selected.contains(&name));
                    Some(rows::row(found, columns, options, open, selected))
                }
            })
        })
    };
    let tip = move |(flat, id): (u32, String)| {
        with_row(state, flat, |_, found, part| match part {
            Some(part) => tips::inner_tip(found.group.parts.get(part as usize)?),
            None => tips::tip(Cell::of_key(&id)?, found),
        })
    };
    let sort = state.shown_sort();
    Model {
        label: Signal::derive(move || {
            let by = head.with(|head| head.as_ref().map_or("", |head| head.query.by.label()));
            format!("Time by {}", by.to_ascii_lowercase())
        }),
        columns,
        count: Memo::new(move |_| state.folds.with(|folds| folds.count(groups()))),
        row: Callback::new(row),
        tip: Callback::new(tip),
        foot: Memo::new(move |_| head.with(|head| head.as_ref().map(|head| rows::foot(head)).unwrap_or_default())),
        // Rows of two lines have the columns they have.
        free: Signal::derive(move || !measure.get().two_lines()),
        sorted: Memo::new(move |_| {
            sort.get().and_then(|s| Some((Cell::of_column(s.column)?.key().to_owned(), s.descending)))
        }),
        question: state.question(),
        answer: Signal::derive(move || head.track()),
        busy: state.busy.into(),
        none: Callback::new(move |()| nothing(state, head)),
        want: Callback::new(move |visible: std::ops::Range<u32>| {
            let group = |flat| state.folds.with_untracked(|folds| folds.find(flat)).0;
            state.want(&(group(visible.start)..group(visible.end.saturating_sub(1)).saturating_add(1)));
        }),
        act: Callback::new(move |act| done(state, act)),
        place: state.place,
        measure,
        tips: state.tips,
    }
}

fn done(state: State, act: GridAction) {
    match act {
        GridAction::Sort(id, descending) => {
            if let Some(column) = Cell::of_key(&id).and_then(Cell::column) {
                state.choose(|_, sort| *sort = Sort { column, descending });
            }
        }
        GridAction::Fold(flat) | GridAction::Open(flat) => fold(state, flat),
        GridAction::Select(flat) => select(state, flat),
        GridAction::Pick(flat) => {
            if let Some(name) = name_of(state, flat) {
                state.selected.set(vec![name]);
            }
        }
        GridAction::Hide(id) => change(state, |cells| cells.retain(|cell| cell.key() != id)),
        GridAction::Move(id, by) => change(state, |cells| {
            let at = cells.iter().position(|cell| cell.key() == id);
            // The name stays first.
            let to = at.and_then(|at| at.checked_add_signed(by)).filter(|to| (1..cells.len()).contains(to));
            if let Some((at, to)) = at.zip(to) {
                cells.swap(at, to);
            }
        }),
        GridAction::Columns => popover::toggle("columns"),
        GridAction::Copy(id) => super::save::copy_column(state, &id),
        GridAction::CopyRows(all) => {
            let which = if all { CopiedRows::All } else { CopiedRows::Chosen };
            super::save::copy(state, which, Form::Tsv);
        }
    }
}

/// The columns shown now.
pub(super) fn shown(state: State) -> Vec<Cell> {
    let cells = |columns: &Vec<Column>| columns.iter().filter_map(|column| Cell::of_key(&column.id)).collect();
    state.table.get_value().map(|model| model.columns.with(cells)).unwrap_or_default()
}

/// Changes the columns shown, from what is shown now.
pub(super) fn change(state: State, with: impl FnOnce(&mut Vec<Cell>)) {
    let mut cells = untrack(|| shown(state));
    with(&mut cells);
    state.columns.set(Some(cells));
}

/// Opens what a row is made of; an op's panel where rows are ops.
fn fold(state: State, flat: u32) {
    let by = state.head().with_untracked(|head| head.as_ref().map(|head| head.query.by));
    if by.is_some_and(|by| !rows::folds(by)) {
        if let Some(name) = untrack(|| with_row(state, flat, |_, row, _| Some(rows::key(row.group)))) {
            state.op.set(name);
        }
        return;
    }
    let parts = |index, row: rows::Row<'_>, part: Option<u32>| {
        let folds = part.is_none() && by.is_some_and(rows::folds) && row.group.parts.len() > 1;
        folds.then_some((index, u32::try_from(row.group.parts.len()).unwrap_or(0)))
    };
    if let Some((index, parts)) = untrack(|| with_row(state, flat, parts)) {
        state.folds.update(|folds| folds.toggle(index, parts));
    }
}

/// How a row is named where rows are selected.
fn name_of(state: State, flat: u32) -> Option<String> {
    let name = |_, row: rows::Row<'_>, part: Option<u32>| part.is_none().then(|| rows::key(row.group));
    untrack(|| with_row(state, flat, name))
}

fn select(state: State, flat: u32) {
    let Some(name) = name_of(state, flat) else { return };
    state.selected.update(|selected| toggle(selected, name));
}

/// No row: what was looked for, and where it would be found.
fn nothing(state: State, head: Memo<Option<PtrEq<BreakdownHead>>>) -> AnyView {
    let Some(head) = head.get() else { return ().into_any() };
    let anywhere = head.shown.anywhere.filter(|n| *n > 0);
    let widen = move |_| state.filter(|filter| filter.within = FilterField::Anywhere);
    view! {
        <p>
            {rows::none(&head.query)} " "
            {anywhere
                .map(|n| {
                    view! {
                        {format::count(n.into())} " match anywhere in the path. "
                        <button type="button" class="link" on:click=widen>"Search anywhere"</button>
                    }.any()
                })}
        </p>
    }
    .any()
}
