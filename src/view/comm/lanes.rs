//! This module renders the operations in flight in a step, in lanes below the compute time. A drag zooms, and a click
//! selects an op. Geometry and texts are in `chart::comm::lanes`.

use super::model::CommModel;
use crate::analysis::comm::CommLanes;
use crate::chart::comm::lanes::{self, LaneOptions};
use crate::chart::comm::steps::kind;
use crate::chart::plot::scene::Scene;
use crate::protocol::url::comm::CommRows;
use crate::table::page::{row_key, split_row_key};
use crate::view::shared::chart::{self, Model};
use crate::view::shared::zoom::Zoom;
use crate::view::state::{PtrEq, SharedMemo};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::size::width_of;
use leptos::html;
use leptos::prelude::*;
use xla_profile::units::Picos;

/// The shortest part of a step that the chart shows, in ps.
const SHORTEST: u64 = 1000;

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
        let options = LaneOptions { part: part(model, &intervals), kind: kind(model.traffic.get()), chosen, width };
        (width > 0.0).then(|| PtrEq::new(lanes::scene(&intervals, &options)))
    });
    let time = move |x: f64| {
        let intervals = model.lanes.get_untracked()?;
        let part = untrack(|| part(model, &intervals));
        let options = LaneOptions {
            part,
            kind: kind(model.traffic.get_untracked()),
            chosen: None,
            width: chart::room(width.get_untracked()),
        };
        Some(lanes::time_at(&options, x - chart::gutter(width.get_untracked())))
    };
    let zoom = zoom(model, time);
    let chart_model = chart_model(model, scene, zoom);
    let table = RwSignal::new(false);
    let entries = chart::entries(state, chart_model, "in flight", table);
    let caption = move || model.lanes.with(|lanes| Some(lanes::caption(lanes.as_ref()?)));
    let left_out = move || model.lanes.with(|lanes| lanes::left_out(lanes.as_ref()?));
    let none = move || {
        let empty = model.lanes.with(|lanes| lanes.as_ref().is_some_and(|lanes| lanes.spans.is_empty()));
        empty.then(|| view! { <p class="chart-empty">{move || if model.traffic.get() == CommRows::Copies { "No copies in flight here." } else { "No collectives in flight here." }}</p> }.any())
    };
    let content = view! {
        {chart::chart_or_table(state, chart_model, table)}
        {live(none)}
        <p class="sub">{live(left_out)}</p>
    }
    .any();
    view! {
        <div class="picture-head" data-roving="">
            {head}
            <span class="picture-note">{live(caption)}</span>
            <span class="grow"></span>
            {zoom.buttons()}
            {chart::tools("lanes-menu", entries)}
        </div>
        {zoom.element(state, node, "comm-lanes", content)}
    }
    .any()
}

fn chart_model(model: CommModel, scene: SharedMemo<Scene>, zoom: Zoom) -> Model {
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
        out: Callback::new(move |()| zoom.reset()),
        walk: None,
        key: Some(Callback::new(move |key: String| zoom.key(&key))),
        focus: RwSignal::new(None),
    }
}

/// Returns how the lanes zoom. `time` converts a place of the pointer to a time.
fn zoom(model: CommModel, time: impl Fn(f64) -> Option<Picos> + Copy + Send + Sync + 'static) -> Zoom {
    Zoom {
        by: Callback::new(move |(factor, x): (f64, Option<f64>)| scale(model, factor, x.and_then(time))),
        between: Callback::new(move |(from, to): (f64, f64)| {
            if let Some((from, to)) = time(from).zip(time(to)) {
                show(model, from, to);
            }
        }),
        aside: Callback::new(move |by: f64| aside(model, by)),
        all: Callback::new(move |()| {
            // Without a zoom, the address keeps its entry of the history.
            if model.view_state.with_untracked(|view_state| view_state.part.is_some()) {
                model.change(|view_state| view_state.part = None);
            }
        }),
        is_whole: Signal::derive(move || model.view_state.with(|view_state| view_state.part.is_none())),
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
fn scale(model: CommModel, factor: f64, about: Option<Picos>) {
    let Some(lanes) = model.lanes.get_untracked() else { return };
    let (from, to) = untrack(|| part(model, &lanes));
    let (from, to, whole) = (from.as_f64(), to.as_f64(), lanes.duration.as_f64());
    let fixed = about.map_or((from + to) / 2.0, Picos::as_f64).clamp(from, to);
    let (a, b) = (fixed - (fixed - from) * factor, fixed + (to - fixed) * factor);
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
