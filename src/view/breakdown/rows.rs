//! The breakdown as a table: what its columns, rows and totals are, and what is done when they are pressed. Knows the
//! state and the breakdown's columns; not how a table is drawn.

use crate::analysis::Within;
use crate::chart::columns::{self, Basis, Cell};
use crate::chart::rows::{self, Look};
use crate::chart::table::{Measure, Row};
use crate::engine::{BreakdownHead, Sort};
use crate::report::number;
use crate::view::state::{Same, State};
use crate::view::widgets::popover;
use crate::view::widgets::table::{Act, Model};
use leptos::prelude::*;

/// The model of the breakdown's table.
pub(super) fn model(state: State, head: Memo<Option<Same<BreakdownHead>>>) -> Model {
    let measure = RwSignal::new(Measure::START);
    let columns = Memo::new(move |_| {
        let head = head.get()?;
        let wanted = state.columns.get();
        let basis = Basis {
            by: head.query.by,
            largest: &head.largest,
            n_events: head.shown.n_events,
            wanted: wanted.as_deref(),
        };
        Some(columns::choose(basis, measure.get()))
    });
    let columns = Memo::new(move |_| columns.get().unwrap_or_default());
    let groups = move || head.with(|head| head.as_ref().map_or(0, |head| head.n_groups));
    let look = Memo::new(move |_| {
        let head = head.get()?;
        Some(Same::new(columns.with(|columns| Look::new(&head, columns, measure.get()))))
    });
    let row = move |flat: u32| -> Option<Row> {
        let look = *look.get()?;
        let (index, part) = state.folds.with(|folds| folds.find(flat));
        let page = state.page_of(index)?;
        let found = rows::find(&page, index)?;
        columns.with(|columns| match part {
            Some(part) => Some(rows::inner(found.group.parts.get(part as usize)?, columns, look)),
            None => {
                let open = state.folds.with(|folds| folds.is_open(index));
                let name = rows::key(found.group);
                let selected = state.selected.with(|selected| selected.contains(&name));
                Some(rows::row(found, columns, look, open, selected))
            }
        })
    };
    let tip = move |(flat, id): (u32, &'static str)| {
        let (index, part) = state.folds.with(|folds| folds.find(flat));
        let page = state.page_of(index)?;
        let found = rows::find(&page, index)?;
        match part {
            Some(part) => rows::inner_tip(found.group.parts.get(part as usize)?),
            None => rows::tip(Cell::of_key(id)?, found),
        }
    };
    let sort = state.shown_sort();
    Model {
        label: Signal::derive(move || {
            let by = head.with(|head| head.as_ref().map_or("", |head| head.query.by.label()));
            format!("Time by {}", by.to_lowercase())
        }),
        columns,
        count: Memo::new(move |_| state.folds.with(|folds| folds.count(groups()))),
        row: Callback::new(row),
        tip: Callback::new(tip),
        foot: Memo::new(move |_| head.with(|head| head.as_ref().map(|head| rows::foot(head)).unwrap_or_default())),
        sorted: Memo::new(move |_| sort.get().and_then(|s| Some((Cell::of_column(s.column)?.key(), s.descending)))),
        question: state.question(),
        answer: Signal::derive(move || {
            head.track();
            0
        }),
        busy: state.busy.into(),
        none: Callback::new(move |()| nothing(state, head)),
        want: Callback::new(move |seen: std::ops::Range<u32>| {
            let group = |flat| state.folds.with_untracked(|folds| folds.find(flat)).0;
            state.want(&(group(seen.start)..group(seen.end.saturating_sub(1)).saturating_add(1)));
        }),
        act: Callback::new(move |act| done(state, columns, act)),
        place: state.place,
        measure,
        tips: state.tips,
    }
}

fn done(state: State, shown: Memo<Vec<crate::chart::table::Column>>, act: Act) {
    match act {
        Act::Sort(id, descending) => {
            if let Some(column) = Cell::of_key(id).and_then(Cell::column) {
                state.choose(|_, sort| *sort = Sort { column, descending });
            }
        }
        Act::Fold(flat) => fold(state, flat),
        Act::Select(flat) => select(state, flat),
        Act::Hide(id) => change(state, shown, |cells| cells.retain(|cell| cell.key() != id)),
        Act::Move(id, by) => change(state, shown, |cells| {
            let at = cells.iter().position(|cell| cell.key() == id);
            // The name stays first.
            let to = at.and_then(|at| at.checked_add_signed(by)).filter(|to| (1..cells.len()).contains(to));
            if let Some((at, to)) = at.zip(to) {
                cells.swap(at, to);
            }
        }),
        Act::Columns => popover::toggle("columns"),
        Act::Copy(id) => super::save::copy_column(state, id),
    }
}

/// Changes the columns shown, from what is shown now.
fn change(state: State, shown: Memo<Vec<crate::chart::table::Column>>, with: impl FnOnce(&mut Vec<Cell>)) {
    let mut cells: Vec<Cell> =
        shown.with_untracked(|columns| columns.iter().filter_map(|column| Cell::of_key(column.id)).collect());
    with(&mut cells);
    state.columns.set(Some(cells));
}

fn fold(state: State, flat: u32) {
    let (index, part) = state.folds.with_untracked(|folds| folds.find(flat));
    let Some(page) = untrack(|| state.page_of(index)) else { return };
    let parts = rows::find(&page, index).map_or(0, |row| row.group.parts.len());
    let folds = part.is_none() && rows::folds(page.query.query.by) && parts > 1;
    if folds {
        state.folds.update(|folds| folds.toggle(index, u32::try_from(parts).unwrap_or(0)));
    }
}

fn select(state: State, flat: u32) {
    let (index, part) = state.folds.with_untracked(|folds| folds.find(flat));
    let Some(page) = untrack(|| state.page_of(index)).filter(|_| part.is_none()) else { return };
    let Some(name) = rows::find(&page, index).map(|row| rows::key(row.group)) else { return };
    state.selected.update(|selected| match selected.iter().position(|other| *other == name) {
        Some(at) => drop(selected.remove(at)),
        None => selected.push(name),
    });
}

/// No row: what was looked for, and where it would be found.
fn nothing(state: State, head: Memo<Option<Same<BreakdownHead>>>) -> AnyView {
    let Some(head) = head.get() else { return ().into_any() };
    let anywhere = head.shown.anywhere.filter(|n| *n > 0);
    let widen = move |_| state.filter(|filter| filter.within = Within::Anywhere);
    view! {
        <p>
            {rows::none(&head.query)} " "
            {anywhere
                .map(|n| {
                    view! {
                        {number::count(n.into())} " match anywhere in the path. "
                        <button type="button" class="link" on:click=widen>"Search anywhere"</button>
                    }
                })}
        </p>
    }
    .into_any()
}
