//! This module renders the curve of a program's memory over its schedule. A click shows the live buffers at a point,
//! and a drag zooms. A line below the curve gives the peak without the buffers that are left out. Geometry and texts
//! are in `chart::memory::curve`.

use super::model::MemoryModel;
use crate::analysis::memory::Points;
use crate::chart::memory::{at_position, curve, text};
use crate::chart::plot::hit_test::Direction;
use crate::chart::plot::scene::Scene;
use crate::table::format;
use crate::view::shared::chart::{self, Model};
use crate::view::state::{PtrEq, SharedMemo};
use crate::view::type_erasure::{EraseType, If, live};
use crate::view::widgets::drag_select::DragSelect;
use crate::view::widgets::size::width_of;
use leptos::prelude::*;
use leptos::{ev, html};

/// The height of the curve in pixels, on wide and on narrow screens.
const HEIGHT: (f64, f64) = (244.0, 204.0);

/// Renders the curve with its head line.
#[component]
pub(super) fn Curve(model: MemoryModel) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let width = width_of(node);
    let size = Memo::new(move |_| (chart::room(width.get()), if model.is_narrow() { HEIGHT.1 } else { HEIGHT.0 }));
    let scene = SharedMemo::new(move || {
        let (memory, columns) = (model.memory.get()?, model.curve.get()?);
        let space = memory.space.as_ref()?;
        let without = model.peak_without.get().map(|(_, found)| found.curve.clone()).unwrap_or_default();
        (size.get().0 > 0.0).then(|| {
            PtrEq::new(curve::program(space, &columns, model.point.get(), &without, model.capacity(), size.get()))
        })
    });
    let chart_model = chart_model(model, scene);
    let drag = DragSelect::new(node, model.state.tips);
    let up = move |_: ev::PointerEvent| {
        let Some((a, b)) = drag.pointer_up() else { return };
        let gutter = chart::gutter(model.width.get_untracked());
        let point = |x: f64| {
            let (memory, columns) = (model.memory.get_untracked()?, model.curve.get_untracked()?);
            let space = memory.space.as_ref()?;
            Some(curve::point_at(space, &columns, untrack(|| model.capacity()), size.get_untracked(), x - gutter))
        };
        let can_zoom = untrack(|| model.state.can(|can| can.memory_replay));
        if let Some((a, b)) = point(a).zip(point(b)).filter(|(a, b)| b > a && can_zoom) {
            model.zoom.set(Some(Points { from: a, to: b + 1 }));
        }
    };
    let table = RwSignal::new(false);
    let entries = chart::entries(model.state, chart_model, "memory", table);
    let head = move || {
        let memory = model.memory.get()?;
        let space = memory.space.as_ref()?;
        let selected_point = model.point.get();
        let here =
            model.alive.with(|alive| alive.as_ref().map(|alive| (alive.point, alive.size, alive.instruction.clone())));
        let words = match here.filter(|(point, ..)| *point == selected_point) {
            _ if selected_point == space.alive.point => {
                let by = space.peak.instruction.as_deref().map_or(String::new(), |by| format!(", {by}"));
                format!("peak {} {}{by}", text(space.peak.peak), at_position(selected_point))
            }
            Some((_, size, name)) => {
                let by = name.map_or(String::new(), |by| format!(", {by}"));
                format!("{}: {}{by}", at_position(selected_point), text(size))
            }
            None => at_position(selected_point),
        };
        Some(words)
    };
    let off_peak = move || {
        model.memory.with(|memory| {
            memory
                .as_ref()
                .and_then(|memory| memory.space.as_ref())
                .is_some_and(|space| space.alive.point != model.point.get())
        })
    };
    let peak_without = move || {
        let (n, found) = model.peak_without.get()?;
        let lower = found.before.saturating_sub(found.peak);
        let position_text =
            found.position.map_or(String::new(), |position| format!(" at {}", format::count(position.into())));
        let by = found.instruction.as_deref().map_or(String::new(), |by| format!(", {by}"));
        let words = format!(
            "Without {} ({}): peak {}{position_text}{by}, {} lower. ",
            format::counted(n as u64, "buffer", "buffers"),
            text(found.without),
            text(found.peak),
            text(lower)
        );
        Some(view! {
            <p class="what-if"><b>{words}</b> <button type="button" class="link" on:click=move |_| model.without.set(Vec::new())>"Reset"</button></p>
        }.any())
    };
    view! {
        <section class="memory-curve" aria-label="Curve">
            <div class="picture-head" data-roving="">
                <h2>"Live memory over program order"</h2>
                <span class="picture-note">{live(head)}</span>
                <If when=off_peak><button type="button" class="link" on:click=move |_| model.change(|view_state| view_state.point = None)>"Go to the peak"</button></If>
                <span class="grow"></span>
                <span class="zooms">
                    <If when=move || model.state.can(|can| can.memory_replay)>{move || zooms(model)}</If>
                    {chart::tools("memory-menu", entries)}
                </span>
            </div>
            <div class="memory-canvas" node_ref=node on:pointerdown=move |event| drag.pointer_down(&event) on:pointermove=move |event| drag.moved(&event) on:pointerup=up>
                <If when=move || !table.get()>{move || view! { <chart::Chart state=model.state model=chart_model /> }.any()}</If>
                <If when=move || table.get()>{move || chart::as_table(chart_model)}</If>
                {drag.band()}
            </div>
            <div role="status">{live(peak_without)}</div>
        </section>
    }
    .any()
}

/// Renders the zoom buttons. A summary has only one curve and no buttons.
fn zooms(model: MemoryModel) -> AnyView {
    let whole = move || model.zoom.with(Option::is_none);
    view! {
        <button type="button" class="btn icon-only small" aria-label="Zoom in" title="Zoom in (+)" on:click=move |_| zoom(model, 0.5)>"+"</button>
        <button type="button" class="btn icon-only small" aria-label="Zoom out" title="Zoom out (−)" disabled=whole on:click=move |_| zoom(model, 2.0)>"−"</button>
        <button type="button" class="btn small-text" title="Reset zoom (0)" disabled=whole on:click=move |_| model.zoom.set(None)>"All"</button>
    }
    .into_any()
}

/// Builds the chart's model: the tooltips, clicks and keys of its columns.
fn chart_model(model: MemoryModel, scene: SharedMemo<Scene>) -> Model {
    let go = move |point: u32| model.change(|view_state| view_state.point = Some(point));
    Model {
        scene,
        tip: Callback::new(move |id: u32| model.curve.with(|columns| curve::tip(columns.as_ref()?, id as usize))),
        press: Callback::new(move |(id, _): (u32, bool)| {
            let most = model
                .curve
                .with_untracked(|columns| columns.as_ref()?.columns.get(id as usize).map(|column| column.most_at));
            if let Some(point) = most {
                go(point);
            }
        }),
        out: Callback::new(move |()| {
            let zoomed = model.zoom.with_untracked(Option::is_some);
            model.zoom.set(None);
            zoomed
        }),
        walk: Some(Callback::new(move |(from, direction): (u32, Direction)| {
            let n = model.curve.with(|columns| columns.as_ref().map_or(0, |columns| columns.columns.len()));
            let last = u32::try_from(n).unwrap_or(u32::MAX).checked_sub(1)?;
            match direction {
                Direction::Left | Direction::Prev => from.checked_sub(1),
                Direction::Right | Direction::Next => Some(from + 1).filter(|to| *to <= last),
                Direction::Up | Direction::Down => None,
            }
        })),
        key: Some(Callback::new(move |key: String| match &*key {
            "0" => {
                model.zoom.set(None);
                true
            }
            "+" | "=" | "-" => {
                zoom(model, if key == "-" { 2.0 } else { 0.5 });
                true
            }
            _ => false,
        })),
        focus: RwSignal::new(None),
    }
}

/// Multiplies the length of the visible part by `factor`, around the selected point. At least 8 points stay visible.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "points")]
fn zoom(model: MemoryModel, factor: f64) {
    if !untrack(|| model.state.can(|can| can.memory_replay)) {
        return;
    }
    let Some(whole) = model.memory.with_untracked(|memory| Some(memory.as_ref()?.space.as_ref()?.curve.n_points))
    else {
        return;
    };
    let now = model.zoom.get_untracked().unwrap_or(Points { from: 0, to: whole });
    let wide = (f64::from(now.to - now.from) * factor).max(8.0);
    if wide >= f64::from(whole) {
        return model.zoom.set(None);
    }
    let middle = f64::from(model.point.get_untracked()).clamp(now.from.into(), now.to.into());
    let from = (middle - wide / 2.0).clamp(0.0, f64::from(whole) - wide);
    model.zoom.set(Some(Points { from: from as u32, to: ((from + wide).ceil() as u32).min(whole) }));
}
