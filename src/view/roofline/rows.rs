//! The rows of the roofline's table: asked for as they come into view, in the order chosen; steps are loaded. This module knows the
//! contract; what stands in a cell is `chart::roofline::table`'s.

use super::model::RooflineModel;
use crate::analysis::roofline::RooflineQuery;
use crate::chart::roofline::{dots, table};
use crate::chart::widgets::table::{
    Column, Measure, Row, {self as tables},
};
use crate::chart::widgets::virtual_rows;
use crate::protocol::url::roofline::RoofBy;
use crate::protocol::{Question, RoofPoint, RoofRowsPage, RoofRowsQuery, RoofSort, RooflineHead};
use crate::view::breakdown::save;
use crate::view::state::{PtrEq, State};
use crate::view::type_erasure::{EraseType, effect};
use crate::view::widgets::table::{GridAction, Model};
use leptos::prelude::*;
use std::collections::BTreeMap;

/// Rows on screen: those of one question in one order that have come.
#[derive(Clone, PartialEq)]
struct Shown {
    query: RooflineQuery,
    sort: RoofSort,
    pages: BTreeMap<u32, PtrEq<RoofRowsPage>>,
}

/// Rows that go to the clipboard at most; a file has all of them.
const MOST: u32 = 100_000;
/// Rows that are requested at once, to be copied.
const AT_ONCE: u32 = 1000;

/// The model of the table.
pub(super) fn table_model(model: RooflineModel) -> Model {
    let state = model.state;
    let shown = RwSignal::new(None::<Shown>);
    let flight = StoredValue::new(Vec::<u32>::new());
    let by = Memo::new(move |_| model.place.with(|place| place.by));
    let sort = Memo::new(move |_| model.place.with(|place| place.sort));
    let measure = RwSignal::new(Measure::START);
    // The first rows of each question and order; those on screen stay until they have come.
    state.keep_asking(
        move || {
            let (request, sort) = (model.query.get(), sort.get());
            let query = RoofRowsQuery { query: request, sort, first: 0, count: virtual_rows::PAGE };
            (by.get() != RoofBy::Step).then(|| Question::RooflineRows(query).into())
        },
        move |reply| {
            if let Ok(page) = reply.decode::<RoofRowsPage>() {
                let (request, sort) = (model.query.get_untracked(), sort.get_untracked());
                flight.update_value(Vec::clear);
                shown.set(Some(Shown { query: request, sort, pages: BTreeMap::from([(0, PtrEq::new(page))]) }));
            }
        },
    );
    let steps = Memo::new(move |_| {
        let head = model.head.get().filter(|_| by.get() == RoofBy::Step)?;
        Some(PtrEq::new(table::steps(&head.steps, sort.get())))
    });
    let with = move |row: u32, read: &dyn Fn(&RoofPoint)| {
        if by.get() == RoofBy::Step {
            steps.with(|steps| steps.as_ref().and_then(|steps| steps.get(row as usize)).map(read));
        } else {
            shown.with(|shown| {
                let page = shown.as_ref()?.pages.get(&(row / virtual_rows::PAGE * virtual_rows::PAGE))?;
                page.rows.get((row - page.first) as usize).map(read)
            });
        }
    };
    let point = move |row: u32| {
        let found = std::cell::RefCell::new(None);
        with(row, &|point| *found.borrow_mut() = Some(point.clone()));
        found.into_inner()
    };
    let units = Memo::new(move |_| {
        let of = |head: &RooflineHead| match by.get() {
            RoofBy::Step => table::Units::of_steps(&head.steps),
            _ => table::Units::from_largest(&head.largest, &head.figures),
        };
        model.head.with(|head| head.as_ref().map(|head| of(head)))
    });
    let columns = Memo::new(move |_| {
        units.get().map(|units| table::columns(by.get(), units, model.narrow(), measure.get())).unwrap_or_default()
    });
    let count = Memo::new(move |_| match by.get() {
        RoofBy::Step => steps.with(|steps| steps.as_ref().map_or(0, |steps| u32::try_from(steps.len()).unwrap_or(0))),
        _ => model.head.with(|head| head.as_ref().map_or(0, |head| head.n_rows)),
    });
    let row = move |row: u32| -> Option<Row> {
        let (point, units, by) = (point(row)?, units.get()?, by.get());
        let key = key(&point, by);
        let is_open = state.op.with(|op| by == RoofBy::Op && *op == key);
        let chosen = by == RoofBy::Step
            && model.state.step() == crate::analysis::base::StepChoice::Number(point.key.parse().ok()?);
        let selected = is_open || chosen || state.selected.with(|selected| selected.contains(&key));
        Some(shown.with(|shown| {
            let page =
                shown.as_ref().and_then(|shown| shown.pages.get(&(row / virtual_rows::PAGE * virtual_rows::PAGE)));
            let beside = page.filter(|_| by == RoofBy::Op).map_or(&[][..], |page| &page.rows);
            columns.with(|columns| {
                let room = tables::name_room(columns, measure.get());
                let options = table::TableOptions { by, units, room, two_lines: model.narrow() };
                table::row((&point, beside), columns, options, selected)
            })
        }))
    };
    let want = move |rows: std::ops::Range<u32>| {
        let Some((request, sort, missing)) = shown.with_untracked(|shown| {
            let shown = shown.as_ref()?;
            let missing: Vec<u32> =
                virtual_rows::pages(rows.clone()).filter(|page| !shown.pages.contains_key(page)).collect();
            Some((shown.query.clone(), shown.sort, missing))
        }) else {
            return;
        };
        for first in missing {
            if by.get_untracked() == RoofBy::Step || flight.with_value(|flight| flight.contains(&first)) {
                continue;
            }
            flight.update_value(|flight| flight.push(first));
            let query = RoofRowsQuery { query: request.clone(), sort, first, count: virtual_rows::PAGE };
            let (inputs, rows) = ((request.clone(), sort), rows.clone());
            state.request(&Question::RooflineRows(query).into(), move |reply| {
                let _ = flight.try_update_value(|flight| flight.retain(|other| *other != first));
                let Ok(page) = reply.decode::<RoofRowsPage>() else { return };
                let _ = shown.try_update(|shown| {
                    let Some(shown) =
                        shown.as_mut().filter(|shown| (&shown.query, shown.sort) == (&inputs.0, inputs.1))
                    else {
                        return;
                    };
                    shown.pages.insert(first, PtrEq::new(page));
                    let keys: Vec<u32> = shown.pages.keys().copied().collect();
                    if let Some(far) = virtual_rows::farthest(keys.into_iter(), &rows) {
                        shown.pages.remove(&far);
                    }
                });
            });
        }
    };
    let foot = Memo::new(move |_| {
        let units = units.get()?;
        model.head.with(|head| head.as_ref().map(|head| table::foot(&head.figures, count.get(), by.get(), units)))
    });
    let question = Memo::new(move |_| {
        use std::hash::BuildHasher;
        shown.with(|shown| {
            let text = shown.as_ref().map(|shown| format!("{:?}{:?}", shown.query, shown.sort));
            rustc_hash::FxBuildHasher.hash_one((text, by.get() == RoofBy::Step))
        })
    });
    let act = move |act: GridAction| match act {
        GridAction::Sort(id, descending) => {
            if let Some(column) = table::column(&id) {
                model.change(|place| place.sort = RoofSort { column, descending });
            }
        }
        GridAction::Fold(row) | GridAction::Open(row) => {
            if let Some(point) = untrack(|| point(row)) {
                let by = by.get_untracked();
                model.open(&key(&point, by), &crate::chart::roofline::dots::name(&point, by));
            }
        }
        GridAction::Pick(row) => {
            if let Some(point) = untrack(|| point(row)) {
                state.selected.set(vec![key(&point, by.get_untracked())]);
            }
        }
        GridAction::Select(row) => {
            if let Some(point) = untrack(|| point(row)) {
                let key = key(&point, by.get_untracked());
                state.selected.update(|selected| match selected.iter().position(|other| *other == key) {
                    Some(at) => drop(selected.remove(at)),
                    None => selected.push(key),
                });
            }
        }
        GridAction::Copy(id) => {
            let only = columns.get_untracked().into_iter().filter(|column| column.id == id).collect();
            copy(model, true, only, units.get_untracked());
        }
        GridAction::CopyRows(all) => copy(model, all, columns.get_untracked(), units.get_untracked()),
        // Its columns are those that fit.
        GridAction::Hide(_) | GridAction::Move(..) | GridAction::Columns => {}
    };
    effect(move || {
        model.query.track();
        by.track();
        state.tips.hide();
    });
    Model {
        label: Signal::derive(move || format!("Gap to the roof by {}", by.get().key())),
        columns,
        count,
        row: Callback::new(row),
        tip: Callback::new(move |(row, id): (u32, String)| table::tip(&point(row)?, &id)),
        foot: Memo::new(move |_| foot.get().unwrap_or_default()),
        free: Signal::stored(false),
        sorted: Memo::new(move |_| Some((sort.get().column.key().to_owned(), sort.get().descending))),
        question,
        answer: Signal::derive(move || model.head.track()),
        busy: model.busy.into(),
        none: Callback::new(move |()| view! { <p>"No compute ops in this selection."</p> }.any()),
        want: Callback::new(want),
        act: Callback::new(act),
        place: state.place,
        measure,
        tips: state.tips,
    }
}

/// How a row is named where rows are selected.
fn key(point: &RoofPoint, by: RoofBy) -> String {
    if by == RoofBy::Step { point.key.clone() } else { dots::key(point) }
}

/// Copies rows with these columns: all, or those selected.
fn copy(model: RooflineModel, all: bool, columns: Vec<Column>, units: Option<table::Units>) {
    let Some(units) = units else { return };
    let (request, place) = (model.query.get_untracked(), model.place.get_untracked());
    let selected = Some(model.state.selected.get_untracked()).filter(|selected| !all && !selected.is_empty());
    let n_rows = model.head.with_untracked(|head| head.as_ref().map_or(0, |head| head.n_rows));
    let of = selected.as_ref().map_or(n_rows, |selected| u32::try_from(selected.len()).unwrap_or(u32::MAX));
    let state = model.state;
    let put = move |points: &[RoofPoint]| {
        let is_meant = |point: &&RoofPoint| selected.as_ref().is_none_or(|keys| keys.contains(&key(point, place.by)));
        let line = |point: &RoofPoint| columns.iter().map(|column| table::text(point, &column.id, units)).collect();
        let lines: Vec<Vec<String>> = points.iter().filter(is_meant).map(line).collect();
        save::lines(state, &columns, &lines, of);
    };
    if place.by == RoofBy::Step {
        let steps = model.head.with_untracked(|head| head.as_ref().map(|head| table::steps(&head.steps, place.sort)));
        return put(&steps.unwrap_or_default());
    }
    let query = RoofRowsQuery { query: request, sort: place.sort, first: 0, count: AT_ONCE.min(n_rows) };
    gather(state, query, n_rows.min(MOST), Vec::new(), Box::new(move |points| put(&points)));
}

/// Asks for rows, some at a time, and hands them over once all are there.
fn gather(
    state: State,
    mut query: RoofRowsQuery,
    end: u32,
    mut points: Vec<RoofPoint>,
    then: Box<dyn FnOnce(Vec<RoofPoint>)>,
) {
    if query.count == 0 {
        return then(points);
    }
    state.request(&Question::RooflineRows(query.clone()).into(), move |reply| {
        let Ok(page) = reply.decode::<RoofRowsPage>() else { return };
        // A page without rows is behind the last one.
        query.first = if page.rows.is_empty() { end } else { query.first + query.count };
        query.count = end.saturating_sub(query.first).min(AT_ONCE);
        points.extend(page.rows);
        gather(state, query, end, points, then);
    });
}
