//! This module renders the operations in flight in a step, in lanes below the compute time. A drag zooms, and a click
//! selects an op. Geometry and texts are in `chart::comm::lanes`.

use super::model::CommModel;
use crate::analysis::comm::CommLanes;
use crate::chart::comm::lanes::{self, LaneOptions};
use crate::chart::comm::steps::kind;
use crate::chart::plot::scene::Scene;
use crate::protocol::url::comm::CommRows;
use crate::table::page::{row_key, split_row_key};
use crate::units::Picos;
use crate::view::state::{PtrEq, SharedMemo};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::chart::{self, Model};
use crate::view::widgets::drag_select::DragSelect;
use crate::view::widgets::size::width_of;
use leptos::prelude::*;
use leptos::{ev, html};

/// The shortest part of a step that the chart shows, in ps.
const SHORTEST: u64 = 1000;
/// The zoom factor of one press of a key or button. [`TURN`] is the factor of one wheel event, and [`ASIDE`] is the
/// fraction of the visible part by which the keys `a` and `d` move.
const STEP: f64 = 2.0;
const TURN: f64 = 1.25;
const ASIDE: f64 = 0.25;

/// Returns the visible part of the step, as times from the start of the step. Without a zoom, the whole step is
/// visible.
fn part(model: CommModel, lanes: &CommLanes) -> (Picos, Picos) {
    let whole = lanes.duration;
    let part =
        model.view_state.with(|view_state| view_state.part).map(|(from, to)| (Picos(from), Picos(to).min(whole)));
    part.filter(|(from, to)| from < to).unwrap_or((Picos::ZERO, whole))
}

/// Renders the chart with its tools. `head` stands before the tools.
#[component]
pub(super) fn Lanes(model: CommModel, head: AnyView) -> impl IntoView {
    let state = model.state;
    let node = NodeRef::<html::Div>::new();
    let width = width_of(node);
    let scene = SharedMemo::new(move || {
        let (intervals, width) = (model.lanes.get()?, chart::room(width.get()));
        let selected = state.selected.get();
        let chosen = selected.first().map(|key| split_row_key(key));
        let options = LaneOptions { part: part(model, &intervals), kind: kind(model.of.get()), chosen, width };
        (width > 0.0).then(|| PtrEq::new(lanes::scene(&intervals, &options)))
    });
    let chart_model = chart_model(model, scene);
    let drag = DragSelect::new(node, state.tips);
    let time = move |x: f64| {
        let intervals = model.lanes.get_untracked()?;
        let part = untrack(|| part(model, &intervals));
        let options = LaneOptions {
            part,
            kind: kind(model.of.get_untracked()),
            chosen: None,
            width: chart::room(width.get_untracked()),
        };
        Some(lanes::time_at(&options, x - chart::gutter(width.get_untracked())))
    };
    let up = move |_: ev::PointerEvent| {
        if let Some((from, to)) = drag.pointer_up().and_then(|(a, b)| time(a).zip(time(b))) {
            show(model, from, to);
        }
    };
    let wheel = move |event: ev::WheelEvent| {
        // Without Ctrl or Command, the wheel scrolls the lanes or the page.
        if !event.ctrl_key() && !event.meta_key() {
            return;
        }
        event.prevent_default();
        let x = f64::from(event.client_x())
            - node.get_untracked().map_or(0.0, |node| crate::view::widgets::size::rect(&node).x);
        zoom(model, if event.delta_y() < 0.0 { 1.0 / TURN } else { TURN }, time(x));
    };
    let table = RwSignal::new(false);
    let entries = chart::entries(state, chart_model, "in flight", table);
    let whole = move || model.view_state.with(|view_state| view_state.part.is_none());
    let body = move || {
        if table.get() {
            chart::as_table(chart_model)
        } else {
            view! { <chart::Chart state model=chart_model /> }.any()
        }
    };
    let caption = move || model.lanes.with(|lanes| Some(lanes::caption(lanes.as_ref()?)));
    let left_out = move || model.lanes.with(|lanes| lanes::left_out(lanes.as_ref()?));
    let none = move || {
        let empty = model.lanes.with(|lanes| lanes.as_ref().is_some_and(|lanes| lanes.spans.is_empty()));
        empty.then(|| view! { <p class="chart-empty">{move || if model.of.get() == CommRows::Copies { "No copies in flight here." } else { "No collectives in flight here." }}</p> }.any())
    };
    view! {
        <div class="picture-head" data-roving="">
            {head}
            <span class="picture-note">{live(caption)}</span>
            <span class="grow"></span>
            <span class="zooms">
                <button type="button" class="btn icon-only small" aria-label="Zoom in" title="Zoom in (+)" on:click=move |_| zoom(model, 1.0 / STEP, None)>"+"</button>
                <button type="button" class="btn icon-only small" aria-label="Zoom out" title="Zoom out (−)" disabled=whole on:click=move |_| zoom(model, STEP, None)>"−"</button>
                <button type="button" class="btn small-text" title="Reset zoom (0)" disabled=whole on:click=move |_| model.change(|view_state| view_state.part = None)>"All"</button>
            </span>
            {chart::tools("lanes-menu", entries)}
        </div>
        <div
            class="comm-lanes"
            node_ref=node
            on:pointerdown=move |event| drag.pointer_down(&event)
            on:pointermove=move |event| drag.moved(&event)
            on:pointerup=up
            on:wheel=wheel
        >
            {live(body)}
            {live(none)}
            {drag.band()}
            <p class="sub">{live(left_out)}</p>
        </div>
    }
    .any()
}

fn chart_model(model: CommModel, scene: SharedMemo<Scene>) -> Model {
    let key_of = move |id: u32| {
        model.lanes.with_untracked(|lanes| {
            let span = lanes.as_ref()?.spans.get(id as usize)?;
            Some(row_key(&span.name, span.program_id))
        })
    };
    Model {
        scene,
        tip: Callback::new(move |id: u32| {
            let (intervals, scene) = (model.lanes.get_untracked()?, scene.get_untracked()?);
            lanes::tip(&intervals, &scene, id)
        }),
        press: Callback::new(move |(id, enter): (u32, bool)| {
            if let Some(key) = key_of(id) {
                model.press(&key, enter);
            }
        }),
        out: Callback::new(move |()| {
            let zoomed = model.view_state.with_untracked(|view_state| view_state.part.is_some());
            if zoomed {
                model.change(|view_state| view_state.part = None);
            }
            zoomed
        }),
        walk: None,
        key: Some(Callback::new(move |key: String| {
            match &*key {
                "0" => model.change(|view_state| view_state.part = None),
                "+" | "=" | "w" => zoom(model, 1.0 / STEP, None),
                "-" => zoom(model, STEP, None),
                "a" => aside(model, -ASIDE),
                "d" => aside(model, ASIDE),
                _ => return false,
            }
            true
        })),
        at: RwSignal::new(None),
    }
}

/// Shows a part of the step. A part that covers the step removes the zoom, and a part that is too short is ignored.
fn show(model: CommModel, from: Picos, to: Picos) {
    let Some(whole) = model.lanes.with_untracked(|lanes| Some(lanes.as_ref()?.duration)) else { return };
    let (from, to) = (from.0, to.0.min(whole.0));
    if to.saturating_sub(from) >= SHORTEST {
        model.change(|view_state| view_state.part = (from > 0 || to < whole.0).then_some((from, to)));
    }
}

/// Multiplies the length of the visible part by `factor`, and keeps the time `about` in its place. `None` keeps the
/// middle.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the step")]
fn zoom(model: CommModel, factor: f64, about: Option<Picos>) {
    let Some(lanes) = model.lanes.get_untracked() else { return };
    let (from, to) = untrack(|| part(model, &lanes));
    let (from, to, whole) = (from.as_f64(), to.as_f64(), lanes.duration.as_f64());
    let at = about.map_or((from + to) / 2.0, Picos::as_f64).clamp(from, to);
    let (a, b) = (at - (at - from) * factor, at + (to - at) * factor);
    show(model, Picos(a.clamp(0.0, whole) as u64), Picos(b.clamp(0.0, whole).ceil() as u64));
}

/// Moves the visible part by the fraction `by` of its length.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the step")]
fn aside(model: CommModel, by: f64) {
    let Some(lanes) = model.lanes.get_untracked() else { return };
    let (from, to) = untrack(|| part(model, &lanes));
    let wide = to.as_f64() - from.as_f64();
    let start = (from.as_f64() + wide * by).clamp(0.0, (lanes.duration.as_f64() - wide).max(0.0));
    show(model, Picos(start as u64), Picos((start + wide).ceil() as u64));
}
