//! This module renders a step of A above a step of B, on one time axis. A drag zooms, and a click opens the ops of an event.
//! Geometry and texts are in `chart::compare`.

use super::model::CompareModel;
use crate::chart::compare;
use crate::chart::timeline::Viewport;
use crate::protocol::url::compare::ComparePane;
use crate::protocol::{CompareTimeline, CompareTimelineQuery, ViewRequest};
use crate::units::Picos;
use crate::view::state::{PtrEq, SharedMemo, SharedSignal};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::chart::{self, Model};
use crate::view::widgets::drag_select::DragSelect;
use crate::view::widgets::size::{rect, width_of};
use leptos::prelude::*;
use leptos::{ev, html};

/// The zoom factor of one press of a key or button. [`TURN`] is the factor of one wheel event, and [`ASIDE`] is the fraction of the
/// visible part by which the keys `a` and `d` move.
const STEP: f64 = 2.0;
const TURN: f64 = 1.25;
const ASIDE: f64 = 0.25;

/// Width of a column of narrow events, in px.
const COLUMN: f64 = 2.0;

/// The visible part of the steps. It is cheap to copy.
#[derive(Clone, Copy)]
struct Part {
    model: CompareModel,
    steps: SharedSignal<CompareTimeline>,
    /// The mark with the keyboard focus. Ids of marks change with the part.
    at: RwSignal<Option<u32>>,
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
        self.at.set(None);
        let is_whole = untrack(|| self.whole()) == view;
        self.model.change(|view_state| view_state.part = (!is_whole).then_some((view.start, view.end)));
    }

    /// Multiplies the length by `factor`, with the same time at `at`, a fraction of the width.
    fn zoom(self, factor: f64, at: f64) {
        self.set(untrack(|| self.get().zoom(self.whole(), factor, at)));
    }

    fn all(self) {
        self.set(untrack(|| self.whole()));
    }
}

/// Renders both steps with the tools for zooming.
#[component]
pub(super) fn Timeline(model: CompareModel, choice: AnyView) -> impl IntoView {
    let state = model.state;
    let node = NodeRef::<html::Div>::new();
    let width = width_of(node);
    let steps = SharedSignal::<CompareTimeline>::none();
    let part = Part { model, steps, at: RwSignal::new(None) };
    let room = move || (chart::room(width.get()) - compare::LEFT).max(0.0);
    state.request_on_change(
        move || {
            let n_columns = (room() / COLUMN).ceil() as u32;
            let part = model.view_state.with(|view_state| view_state.part).map(|(from, to)| (Picos(from), Picos(to)));
            // The steps of a new comparison are requested after it has come.
            let is_ready = model.found.with(Option::is_some) && n_columns > 0;
            let query = CompareTimelineQuery { compare: model.query.get(), part, n_columns };
            is_ready.then(|| ViewRequest::CompareTimeline(query).into())
        },
        move |reply| steps.set(reply.decode::<CompareTimeline>().ok().map(PtrEq::new)),
    );
    let scene = SharedMemo::new(move || {
        let (of, steps) = (model.found.get()?, steps.get()?);
        compare::timeline(&of, &steps, part.get(), chart::room(width.get())).map(PtrEq::new)
    });
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
        out: Callback::new(move |()| {
            let is_zoomed = untrack(|| part.is_zoomed());
            part.all();
            is_zoomed
        }),
        walk: None,
        key: Some(Callback::new(move |key: String| {
            match &*key {
                "0" => part.all(),
                "+" | "=" | "w" => part.zoom(1.0 / STEP, 0.5),
                "-" | "s" => part.zoom(STEP, 0.5),
                "a" | "d" => {
                    let by = if key == "a" { -ASIDE } else { ASIDE };
                    part.set(untrack(|| part.get().pan(part.whole(), by)));
                }
                _ => return false,
            }
            true
        })),
        at: part.at,
    };
    let drag = DragSelect::new(node, state.tips);
    // The fraction of the width of the picture.
    let at = move |x: f64| {
        let left = chart::gutter(width.get_untracked()) + compare::LEFT;
        ((x - left) / untrack(room).max(1.0)).clamp(0.0, 1.0)
    };
    let up = move |_: ev::PointerEvent| {
        let Some((from, to)) = drag.pointer_up() else { return };
        let view = untrack(|| part.get());
        let time = |x: f64| view.time(at(x), 1.0);
        part.set(Viewport::within(untrack(|| part.whole()), time(from), time(to)));
    };
    let wheel = move |event: ev::WheelEvent| {
        // Without Ctrl or Command, the wheel scrolls the page.
        if !event.ctrl_key() && !event.meta_key() {
            return;
        }
        event.prevent_default();
        let x = f64::from(event.client_x()) - node.get_untracked().map_or(0.0, |node| rect(&node).x);
        part.zoom(if event.delta_y() < 0.0 { 1.0 / TURN } else { TURN }, at(x));
    };
    let is_whole = move || !part.is_zoomed();
    let table = RwSignal::new(false);
    let entries = chart::entries(state, chart_model, "timelines", table);
    let body = move || {
        if table.get() {
            chart::as_table(chart_model)
        } else {
            view! { <chart::Chart state model=chart_model /> }.any()
        }
    };
    view! {
        <div class="picture-head" data-roving="">
            {choice}
            <span class="about">{live(move || Some(compare::picture_text(&*model.found.get()?, ComparePane::Timeline)))}</span>
            <span class="grow"></span>
            <span class="zooms">
            <button type="button" class="btn icon-only small" aria-label="Zoom in" title="Zoom in (+)" on:click=move |_| part.zoom(1.0 / STEP, 0.5)>"+"</button>
            <button type="button" class="btn icon-only small" aria-label="Zoom out" title="Zoom out (−)" disabled=is_whole on:click=move |_| part.zoom(STEP, 0.5)>"−"</button>
            <button type="button" class="btn small-text" title="Reset zoom (0)" disabled=is_whole on:click=move |_| part.all()>"All"</button>
            </span>
            {chart::tools("picture-menu", entries)}
        </div>
        <div
            class="compare-picture compare-timeline"
            node_ref=node
            on:pointerdown=move |event| drag.pointer_down(&event)
            on:pointermove=move |event| drag.moved(&event)
            on:pointerup=up
            on:wheel=wheel
        >
            {live(body)}
            {drag.band()}
        </div>
    }
    .any()
}
