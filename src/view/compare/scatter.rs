//! This module renders the ops of both sides as points. A click opens the ops of a point. Geometry and texts are in
//! `chart::compare`.

use super::model::CompareModel;
use crate::chart::compare;
use crate::protocol::url::compare::ComparePane;
use crate::protocol::{CompareDots, requests};
use crate::view::shared::chart::{Model, room};
use crate::view::shared::picture_frame::framed;
use crate::view::state::{PtrEq, SharedMemo, SharedSignal};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::size::width_of;
use leptos::html;
use leptos::prelude::*;

/// Height of the picture, in px.
const HEIGHT: f64 = 380.0;

/// Renders the points.
#[component]
pub(super) fn Scatter(model: CompareModel, choice: AnyView) -> impl IntoView {
    let state = model.state;
    let node = NodeRef::<html::Div>::new();
    let width = width_of(node);
    let rows = SharedSignal::<CompareDots>::none();
    state.request_answer_on_change(
        // The points of a new comparison are requested after it has come.
        move || model.found.get().map(|_| requests::CompareDots(model.query.get())),
        move |answer| rows.set(state.shown(answer).map(PtrEq::new)),
    );
    let scene = SharedMemo::new(move || {
        let (comparison, rows) = (model.found.get()?, rows.get()?);
        compare::scatter(&comparison, &rows, (room(width.get()), HEIGHT)).map(PtrEq::new)
    });
    let chart_model = Model {
        scene,
        tip: Callback::new(move |id: u32| rows.get_untracked()?.dots.get(id as usize).map(compare::dot_tip)),
        press: Callback::new(move |(id, _): (u32, bool)| {
            let key = rows.get_untracked().and_then(|rows| Some(rows.dots.get(id as usize)?.key.clone()));
            if let Some(key) = key {
                model.open_row(&key);
            }
        }),
        out: Callback::new(|()| false),
        key: None,
        walk: None,
        focus: RwSignal::new(None),
    };
    let left_out = move || rows.get().and_then(|rows| compare::left_out(&rows));
    let caption = view! {
        <span class="about">{live(move || Some(compare::picture_text(&*model.found.get()?, ComparePane::Scatter)))}</span>
        <span class="grow"></span>
        <span class="picture-note">{live(left_out)}</span>
    }
    .any();
    let none = move || {
        let is_empty = rows.with(|rows| rows.as_ref().is_some_and(|rows| rows.dots.is_empty()));
        is_empty.then(|| view! { <p class="chart-empty">"No op has time on both sides."</p> }.any())
    };
    view! {
        <div class="compare-picture" node_ref=node>
            {framed(state, chart_model, "scatter", choice, caption)}
            {live(none)}
        </div>
    }
    .any()
}
