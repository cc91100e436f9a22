//! The table of what is alive: loaded, sorted and filtered here. A row that is chosen is left out of the peak. This module knows the state;
//! what stands in a cell is `chart::memory::table`'s.

use super::model::MemoryModel;
use crate::chart::memory::table::{self, Order};
use crate::chart::widgets::table::{
    Measure, Row, {self as tables},
};
use crate::protocol::{Export, Question};
use crate::view::breakdown::save;
use crate::view::state::PtrEq;
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::field;
use crate::view::widgets::table::{GridAction, Model};
use leptos::prelude::*;

/// The model of the table.
pub(super) fn table_model(model: MemoryModel) -> Model {
    let state = model.state;
    let order = RwSignal::new(table::USUAL);
    let measure = RwSignal::new(Measure::START);
    let places = Memo::new(move |_| {
        let alive = model.alive.get()?;
        Some(PtrEq::new(state.memory_filter.with(|filter| table::order(&alive, order.get(), filter))))
    });
    let columns = Memo::new(move |_| table::columns(model.narrow(), measure.get()));
    let buffer = move |row: u32| {
        let at = places.with(|places| places.as_ref()?.get(row as usize).copied())?;
        model.alive.with(|alive| alive.as_ref()?.buffers.get(at).cloned())
    };
    let row = move |at: u32| -> Option<Row> {
        let of = buffer(at)?;
        let points = model.memory.with(|memory| memory.as_ref()?.space.as_ref().map(|space| space.curve.n_points))?;
        let out = model.without.with(|without| without.contains(&of.id));
        Some(columns.with(|columns| {
            table::row(&of, columns, tables::name_room(columns, measure.get()), points, model.narrow(), out)
        }))
    };
    let act = move |act: GridAction| match act {
        GridAction::Sort(id, descending) => {
            if let Some(column) = table::column_id(&id) {
                order.set(Order { column, descending });
            }
        }
        GridAction::Fold(at) | GridAction::Select(at) | GridAction::Pick(at) => {
            if let Some(of) = untrack(|| buffer(at)) {
                model.toggle(of.id);
            }
        }
        GridAction::Copy(_) | GridAction::CopyRows(_) => {
            let only = if let GridAction::Copy(id) = &act { Some(id) } else { None };
            let columns: Vec<_> =
                columns.get_untracked().into_iter().filter(|column| only.is_none_or(|id| *id == column.id)).collect();
            let chosen = model.without.get_untracked();
            let some = matches!(act, GridAction::CopyRows(false)) && !chosen.is_empty();
            let lines: Vec<Vec<String>> = (0..places
                .with_untracked(|places| places.as_ref().map_or(0, |places| places.len())))
                .filter_map(|at| untrack(|| buffer(u32::try_from(at).ok()?)))
                .filter(|of| !some || chosen.contains(&of.id))
                .map(|of| columns.iter().map(|column| table::text(&of, &column.id)).collect())
                .collect();
            save::lines(state, &columns, &lines, u32::try_from(lines.len()).unwrap_or(u32::MAX));
        }
        // A buffer holds nothing that could be opened.
        GridAction::Open(_) | GridAction::Hide(_) | GridAction::Move(..) | GridAction::Columns => {}
    };
    let question = Memo::new(move |_| {
        use std::hash::BuildHasher;
        let inputs = model.query.with(|query| query.as_ref().map(|query| (query.program, query.color)));
        let order = order.get();
        rustc_hash::FxBuildHasher.hash_one((inputs, model.at.get(), order.column, order.descending))
    });
    Model {
        label: Signal::stored("Live buffers".to_owned()),
        columns,
        count: Memo::new(move |_| {
            places.with(|places| places.as_ref().map_or(0, |places| u32::try_from(places.len()).unwrap_or(0)))
        }),
        row: Callback::new(row),
        tip: Callback::new(move |(at, _): (u32, String)| table::tip(&buffer(at)?)),
        foot: Memo::new(move |_| {
            let (alive, places) = (model.alive.get(), places.get());
            alive.zip(places).map(|(alive, places)| table::foot(&alive, &places)).unwrap_or_default()
        }),
        free: Signal::stored(false),
        sorted: Memo::new(move |_| Some((order.get().column.to_owned(), order.get().descending))),
        question,
        answer: Signal::derive(move || model.alive.track()),
        busy: Signal::derive(move || model.alive.with(Option::is_none)),
        none: Callback::new(move |()| view! { <p>"No buffer matches."</p> }.any()),
        want: Callback::new(|_| {}),
        act: Callback::new(act),
        place: state.place,
        measure,
        tips: state.tips,
    }
}

/// Above the table: the filter, and what can be taken away.
#[component]
pub(super) fn Tools(model: MemoryModel) -> impl IntoView {
    let state = model.state;
    let export = move |format: Export| {
        Callback::new(move |()| save::file(state, &Question::ExportMemory(format).into(), "memory", format))
    };
    let entries = Signal::derive(move || save::entries(state, ", all programs", export));
    let hint = move || state.can(|can| can.memory_replay).then_some("Click a buffer to see the peak without it.");
    let rest = move || model.alive.with(|alive| table::rest(alive.as_ref()?));
    view! {
        <div class="table-tools" data-roving="">
            {field::search(state.memory_filter, "Filter buffers")}
            {save::menu(entries)}
        </div>
        <p class="table-status sub">{live(hint)} " " {live(rest)}</p>
    }
    .any()
}
