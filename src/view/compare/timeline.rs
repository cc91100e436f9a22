//! This module renders a step of A above a step of B, on one time axis. A drag zooms, and a click opens the ops of an event.
//! Geometry and texts are in `chart::compare`.

use super::model::CompareModel;
use crate::chart::compare;
use crate::chart::timeline::Viewport;
use crate::protocol::url::compare::ComparePane;
use crate::protocol::{CompareTimeline, CompareTimelineQuery, requests};
use crate::view::shared::chart::{self, Model};
use crate::view::shared::zoom::Zoom;
use crate::view::state::{PtrEq, SharedMemo, SharedSignal};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::size::width_of;
use leptos::html;
use leptos::prelude::*;
use xla_profile::units::Picos;

/// Width of a column of narrow events, in px.
const COLUMN: f64 = 2.0;

/// The visible part of the steps. It is cheap to copy.
#[derive(Clone, Copy)]
struct Part {
    model: CompareModel,
    steps: SharedSignal<CompareTimeline>,
    /// The mark with the keyboard focus. Ids of marks change with the part.
    focus: RwSignal<Option<u32>>,
}

impl Part {
    /// Returns all of the longer step.
    fn whole(self) -> Viewport {
        Viewport { start: 0, end: self.steps.with(|steps| steps.as_ref().map_or(1, |steps| steps.duration.0.max(1))) }
    }

    fn get(self) -> Viewport {
        let whole = self.whole();
        let part = self.model.view_state.with(|view_state| view_state.part);
        part.map_or(whole, |(from, to)| Viewport::within(whole, from, to))
    }

    fn is_zoomed(self) -> bool {
        self.model.view_state.with(|view_state| view_state.part.is_some())
    }

    /// Shows another part. Before the steps are known, nothing changes.
    fn set(self, view: Viewport) {
        if self.steps.with_untracked(|steps| steps.as_ref().is_none_or(|steps| steps.duration == Picos::ZERO)) {
            return;
        }
        self.focus.set(None);
        let is_whole = untrack(|| self.whole()) == view;
        self.model.change(|view_state| view_state.part = (!is_whole).then_some((view.start, view.end)));
    }

    /// Returns how the timelines zoom. `fraction` converts a place of the pointer to a fraction of the width.
    fn zoom(self, fraction: impl Fn(f64) -> f64 + Copy + Send + Sync + 'static) -> Zoom {
        Zoom {
            by: Callback::new(move |(factor, x): (f64, Option<f64>)| {
                let center = x.map_or(0.5, fraction);
                self.set(untrack(|| self.get().zoom(self.whole(), factor, center)));
            }),
            between: Callback::new(move |(from, to): (f64, f64)| {
                let view = untrack(|| self.get());
                let time = |x: f64| view.time(fraction(x), 1.0);
                self.set(Viewport::within(untrack(|| self.whole()), time(from), time(to)));
            }),
            aside: Callback::new(move |by: f64| self.set(untrack(|| self.get().pan(self.whole(), by)))),
            all: Callback::new(move |()| self.set(untrack(|| self.whole()))),
            is_whole: Signal::derive(move || !self.is_zoomed()),
        }
    }
}

/// Renders both steps with the tools for zooming.
#[component]
pub(super) fn Timeline(model: CompareModel, choice: AnyView) -> impl IntoView {
    let state = model.state;
    let node = NodeRef::<html::Div>::new();
    let width = width_of(node);
    let steps = SharedSignal::<CompareTimeline>::none();
    let part = Part { model, steps, focus: RwSignal::new(None) };
    let room = move || (chart::room(width.get()) - compare::LEFT).max(0.0);
    state.request_answer_on_change(
        move || {
            let n_columns = (room() / COLUMN).ceil() as u32;
            let part = model.view_state.with(|view_state| view_state.part).map(|(from, to)| (Picos(from), Picos(to)));
            // The steps of a new comparison are requested after it has come.
            let is_ready = model.found.with(Option::is_some) && n_columns > 0;
            let query = CompareTimelineQuery { compare: model.query.get(), part, n_columns };
            is_ready.then_some(requests::CompareTimeline(query))
        },
        move |answer| steps.set(state.shown(answer).map(PtrEq::new)),
    );
    let scene = SharedMemo::new(move || {
        let (comparison, steps) = (model.found.get()?, steps.get()?);
        compare::timeline(&comparison, &steps, part.get(), chart::room(width.get())).map(PtrEq::new)
    });
    // The fraction of the width of the picture.
    let time_at = move |x: f64| {
        let left = chart::gutter(width.get_untracked()) + compare::LEFT;
        ((x - left) / untrack(room).max(1.0)).clamp(0.0, 1.0)
    };
    let zoom = part.zoom(time_at);
    let chart_model = Model {
        scene,
        tip: Callback::new(move |id: u32| {
            compare::timeline_tip(&*model.found.get_untracked()?, &*steps.get_untracked()?, id)
        }),
        press: Callback::new(move |(id, _): (u32, bool)| {
            if let Some(key) = steps.get_untracked().and_then(|steps| compare::timeline_row(&steps, id)) {
                model.open_row(&key);
            }
        }),
        out: Callback::new(move |()| zoom.reset()),
        walk: None,
        key: Some(Callback::new(move |key: String| zoom.key(&key))),
        focus: part.focus,
    };
    let table = RwSignal::new(false);
    let entries = chart::entries(state, chart_model, "timelines", table);
    view! {
        <div class="picture-head" data-roving="">
            {choice}
            <span class="about">{live(move || Some(compare::picture_text(&*model.found.get()?, ComparePane::Timeline)))}</span>
            <span class="grow"></span>
            {zoom.buttons()}
            {chart::tools("picture-menu", entries)}
        </div>
        {zoom.element(state, node, "compare-timeline", chart::chart_or_table(state, chart_model, table))}
    }
    .any()
}
