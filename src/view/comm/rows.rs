//! The table of collectives or copies: loaded, sorted and filtered here. This module knows the state; what stands in a cell is
//! `chart::comm::table`'s.

use super::model::CommModel;
use crate::analysis::base::StepChoice;
use crate::analysis::comm::{CommBy, CommRow};
use crate::chart::comm::table::{self, Units};
use crate::chart::comm::{key, rows};
use crate::chart::widgets::table::{
    Measure, Order, Row, {self as tables},
};
use crate::protocol::url::comm::CommRows;
use crate::protocol::{Export, Question};
use crate::table::format;
use crate::view::breakdown::save;
use crate::view::empty::empty_state;
use crate::view::state::PtrEq;
use crate::view::type_erasure::{EraseType, If, live};
use crate::view::widgets::field;
use crate::view::widgets::table::{GridAction, Model};
use leptos::prelude::*;

/// The model of the table.
pub(super) fn table_model(model: CommModel) -> Model {
    let state = model.state;
    let measure = RwSignal::new(Measure::START);
    let places = Memo::new(move |_| {
        let view = model.view.get()?;
        let all = rows(&view.comm, model.of.get());
        Some(PtrEq::new(state.comm_filter.with(|filter| table::order(all, model.order.get(), filter))))
    });
    let units = Memo::new(move |_| model.view.with(|view| Some(Units::from_view(view.as_ref()?, model.of.get()))));
    let columns = Memo::new(move |_| {
        let by = model.place.with(|place| place.by);
        units.get().map_or_else(Vec::new, |units| {
            table::columns((model.of.get(), by), model.order.get(), units, model.narrow(), measure.get())
        })
    });
    let of = move |row: u32| -> Option<CommRow> {
        let at = places.with(|places| places.as_ref()?.get(row as usize).copied())?;
        model.view.with(|view| rows(&view.as_ref()?.comm, model.of.get()).get(at).cloned())
    };
    let row = move |at: u32| -> Option<Row> {
        let (of, units) = (of(at)?, units.get()?);
        let chosen = model.is_chosen(&key(&of)) || state.op.with(|op| *op == key(&of));
        Some(columns.with(|columns| {
            let room = tables::name_room(columns, measure.get());
            table::row(&of, columns, (room, units), model.narrow(), chosen)
        }))
    };
    let act = move |act: GridAction| match act {
        GridAction::Sort(id, descending) => {
            let known = columns.with_untracked(|columns| columns.iter().find(|column| column.id == id).map(|of| of.id));
            if let Some(column) = known {
                model.order.set(Order { column, descending });
            }
        }
        GridAction::Fold(at) | GridAction::Open(at) => {
            if let Some(of) = untrack(|| of(at)) {
                if of.op.is_some() { state.op.set(key(&of)) } else { model.choose(&key(&of)) }
            }
        }
        GridAction::Pick(at) => {
            if let Some(of) = untrack(|| of(at)) {
                state.selected.set(vec![key(&of)]);
            }
        }
        GridAction::Select(at) => {
            if let Some(of) = untrack(|| of(at)) {
                model.choose(&key(&of));
            }
        }
        GridAction::Copy(_) | GridAction::CopyRows(_) => {
            let only = if let GridAction::Copy(id) = act { Some(id) } else { None };
            let columns: Vec<_> =
                columns.get_untracked().into_iter().filter(|column| only.is_none_or(|id| id == column.id)).collect();
            let n = places.with_untracked(|places| places.as_ref().map_or(0, |places| places.len()));
            let some = matches!(act, GridAction::CopyRows(false)) && !state.selected.with_untracked(Vec::is_empty);
            let units = units.get_untracked();
            let lines: Vec<Vec<String>> = (0..n)
                .filter_map(|at| untrack(|| of(u32::try_from(at).ok()?)))
                .filter(|of| !some || untrack(|| model.is_chosen(&key(of))))
                .map(|of| columns.iter().map(|column| table::text(&of, column.id, units)).collect())
                .collect();
            save::lines(state, &columns, &lines, u32::try_from(lines.len()).unwrap_or(u32::MAX));
        }
        GridAction::Hide(_) | GridAction::Move(..) | GridAction::Columns => {}
    };
    let question = Memo::new(move |_| {
        use std::hash::BuildHasher;
        let request = format!("{:?}{:?}{:?}", model.query.get(), model.of.get(), model.order.get());
        rustc_hash::FxBuildHasher.hash_one(request)
    });
    Model {
        label: Signal::derive(move || match model.of.get() {
            CommRows::Collectives => "Collectives".to_owned(),
            CommRows::Copies => "Copies between memories".to_owned(),
        }),
        columns,
        count: Memo::new(move |_| {
            places.with(|places| places.as_ref().map_or(0, |places| u32::try_from(places.len()).unwrap_or(0)))
        }),
        row: Callback::new(row),
        tip: Callback::new(move |(at, _): (u32, &'static str)| Some(table::tip(&of(at)?))),
        foot: Memo::new(move |_| {
            let (view, places, units) = (model.view.get(), places.get(), units.get());
            view.zip(places)
                .zip(units)
                .map(|((view, places), units)| table::foot(&view, model.of.get(), &places, units))
                .unwrap_or_default()
        }),
        free: Signal::stored(false),
        sorted: Memo::new(move |_| Some((model.order.get().column, model.order.get().descending))),
        question,
        answer: Signal::derive(move || model.view.track()),
        busy: model.busy.into(),
        none: Callback::new(move |()| {
            if state.comm_filter.with(String::is_empty) {
                empty(model)
            } else {
                view! { <p>"No row matches."</p> }.any()
            }
        }),
        want: Callback::new(|_| {}),
        act: Callback::new(act),
        place: state.place,
        measure,
        tips: state.tips,
    }
}

/// That there is nothing, why, and where there may be something.
pub(super) fn empty(model: CommModel) -> AnyView {
    let state = model.state;
    let is_step = move || state.step() != StepChoice::All;
    let other = move || {
        let there = model.of.get() == CommRows::Collectives;
        (there && model.view.with(|view| view.as_ref().is_some_and(|view| view.comm.copies.n > 0))).then(|| {
            let show = move |_| model.change(|place| place.of = Some(CommRows::Copies));
            view! { <button type="button" class="btn line" on:click=show>"Show copies"</button> }.any()
        })
    };
    let words = move || {
        let (words, _) = model.none()?;
        let acts = view! {
            <If when=is_step>
                <button type="button" class="btn line" on:click=move |_| state.choose_step(StepChoice::All)>"Whole capture"</button>
            </If>
            {live(other)}
        };
        Some(empty_state(state, words, acts.any()))
    };
    live(words).into_any()
}

/// Above the table: the grouping of rows, the filter, what can be taken away.
#[component]
pub(super) fn Tools(model: CommModel) -> impl IntoView {
    let state = model.state;
    let by = move |by: CommBy| {
        let pressed = move || (model.place.with(|place| place.by) == by).to_string();
        let choose = move |_| {
            state.selected.set(Vec::new());
            model.change(|place| place.by = by);
        };
        view! { <button type="button" aria-pressed=pressed on:click=choose>{by.label()}</button> }.any()
    };
    let export = move |format: Export| {
        Callback::new(move |()| {
            let query = model.query.get_untracked();
            save::file(state, &Question::ExportComm { query, format }.into(), "communication", format);
        })
    };
    let entries = Signal::derive(move || save::entries(state, "", export));
    let note = move || {
        let view = model.view.get()?;
        let (n, time) = if model.of.get() == CommRows::Copies { view.more_copies } else { view.more };
        (n > 0).then(|| {
            let rows = format::counted(n.into(), "row", "rows");
            let where_all = if state.can(|can| can.export) { "the saved file" } else { "the capture" };
            format!("{rows} more, {} exposed: {where_all} has all.", format::time_text(time))
        })
    };
    view! {
        <div class="table-tools" data-roving="">
            <If when=move || state.can(|can| can.comm_groups)>
                <div class="segmented" data-roving="" role="group" aria-label="Rows">{CommBy::ALL.map(by).collect_view()}</div>
            </If>
            <span class="sub">{live(note)}</span>
            <span class="grow"></span>
            {field::search(state.comm_filter, "Filter rows")}
            {save::menu(entries)}
        </div>
    }
    .any()
}
