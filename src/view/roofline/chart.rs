//! This module renders the roofline chart and handles its input: selection by click or brush, zoom, hidden groups, and
//! export. Geometry and texts are in `chart::roofline`.

use super::model::RooflineModel;
use super::peaks::chips;
use crate::analysis::roofline::Level;
use crate::chart::empty;
use crate::chart::plot::popover_position::Rect;
use crate::chart::plot::scene::Scene;
use crate::chart::roofline::{AxisWindow, ChartOptions, Dot, Dots, WorkGroup, brushed, labels, peaks, scene, zoomed};
use crate::chart::widgets::tip::Tip;
use crate::protocol::url::roofline::RoofBy;
use crate::table::format;
use crate::view::empty::empty_state;
use crate::view::shared::chart::{self, Model};
use crate::view::state::{PtrEq, SharedMemo, toggle};
use crate::view::type_erasure::{EraseType, If, live};
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::picker::Picker;
use crate::view::widgets::size::{rect, screen, size_of};
use leptos::prelude::*;
use leptos::{ev, html};
use std::collections::BTreeSet;
use xla_profile::units::Picos;

/// The zoom factor of one press of a key or button. [`TURN`] is the factor of one wheel event.
const STEP: f64 = 1.5;
const TURN: f64 = 1.2;
/// A pointer that moves farther than this, in pixels, starts a brush.
const BRUSH: f64 = 5.0;

/// A brush, from the place where it began to its current place, in pixels of the chart.
#[derive(Clone, Copy, PartialEq)]
struct Brush {
    from: (f64, f64),
    to: (f64, f64),
}

impl Brush {
    fn area(self) -> Rect {
        Rect::bounding(&[self.from, self.to])
    }
}

/// Renders the chart. If the capture lacks data for it, the missing data is listed instead.
#[component]
pub(super) fn Picture(model: RooflineModel) -> impl IntoView {
    let state = model.state;
    let none = Memo::new(move |_| {
        let is_all = state.query.with(|query| query.filter.is_empty());
        state.opened.with(|opened| {
            let session = &opened.as_ref()?.session;
            model.head.with(|head| empty::roofline(session, &head.as_ref()?.figures, is_all))
        })
    });
    let offer = move || {
        let words = none.get()?;
        let has_peaks = words.needs.first().is_none_or(|need| need.found.is_some());
        let choose = (!has_peaks).then(|| chips(state, "empty-chip"));
        Some(empty_state(state, words, choose.into_any()))
    };
    view! {
        {live(offer)}
        <If when=move || none.with(Option::is_none)>{move || view! { <Chart model /> }.any()}</If>
    }
    .any()
}

/// Renders the chart with its legend, tools and summary.
#[component]
fn Chart(model: RooflineModel) -> impl IntoView {
    let state = model.state;
    let node = NodeRef::<html::Div>::new();
    let size = size_of(node);
    let options = Memo::new(move |_| ChartOptions {
        window: model.window.get().unwrap_or(model.usual.get()),
        level: model.view_state.with(|view_state| view_state.x),
        hidden: model.hidden.get(),
        selected: ringed(model),
        size: size.get(),
        pinned: model.window.with(Option::is_none),
    });
    let scene = SharedMemo::new(move || {
        let dots = model.dots.get()?;
        let shown = options.with(|options| {
            let drawn = options.size.0 > 0.0;
            drawn.then(|| model.ceilings.with(|ceilings| scene(&dots, ceilings, options, &model.device_text())))
        });
        Some(PtrEq::new(shown?))
    });
    let zoom = move |factor: f64, pointer: Option<(f64, f64)>| zoom(model, size.get_untracked(), factor, pointer);
    let chart_model = chart_model(model, scene, size.into());
    let brush = RwSignal::new(None::<Brush>);
    let from = StoredValue::new(None::<(f64, f64)>);
    let place = move |event: &ev::PointerEvent| {
        let frame = node.get_untracked().map(|node| rect(&node)).unwrap_or_default();
        (f64::from(event.client_x()) - frame.x, f64::from(event.client_y()) - frame.y)
    };
    let down = move |event: ev::PointerEvent| {
        if event.button() == 0 && event.pointer_type() != "touch" {
            from.set_value(Some(place(&event)));
        }
    };
    let moved = move |event: ev::PointerEvent| {
        let (Some(start), to) = (from.get_value(), place(&event)) else { return };
        if event.buttons() == 0 {
            from.set_value(None);
            brush.set(None);
        } else if brush.with_untracked(Option::is_some) || (to.0 - start.0).hypot(to.1 - start.1) > BRUSH {
            if let Some(node) = node.get_untracked() {
                let _ = node.set_pointer_capture(event.pointer_id());
            }
            state.tips.hide();
            brush.set(Some(Brush { from: start, to }));
        }
    };
    let up = move |event: ev::PointerEvent| {
        from.set_value(None);
        let Some(done) = brush.get_untracked() else { return };
        brush.set(None);
        let found = model.dots.with_untracked(|dots| {
            options.with_untracked(|options| dots.as_ref().map(|dots| brushed(dots, options, done.area())))
        });
        state.selected.update(|selected| {
            if !event.shift_key() {
                selected.clear();
            }
            for key in found.unwrap_or_default() {
                if !selected.contains(&key) {
                    selected.push(key);
                }
            }
        });
    };
    let wheel = move |event: ev::WheelEvent| {
        // If the page itself scrolls, the wheel scrolls the page.
        let scrolls =
            document().document_element().is_some_and(|root| f64::from(root.scroll_height()) > screen().1 + 1.0);
        if scrolls && !event.ctrl_key() {
            return;
        }
        event.prevent_default();
        let frame = node.get_untracked().map(|node| rect(&node)).unwrap_or_default();
        let pointer = (f64::from(event.client_x()) - frame.x, f64::from(event.client_y()) - frame.y);
        zoom(if event.delta_y() < 0.0 { TURN } else { 1.0 / TURN }, Some(pointer));
    };
    let table = RwSignal::new(false);
    let entries = chart::entries(state, chart_model, "roofline", table);
    let band = move || {
        brush.get().map(|brush| {
            let Rect { x, y, width, height } = brush.area();
            let px = |n: f64| format!("{n}px");
            view! { <div class="brush" style:left=px(x) style:top=px(y) style:width=px(width) style:height=px(height)></div> }.any()
        })
    };
    let none = move || {
        let empty = model.dots.with(|dots| dots.as_ref().is_some_and(|dots| dots.all.is_empty()));
        let why = empty
            .then(|| model.head.with(|head| head.as_ref().map(|head| labels::empty_reason(&head.figures))))
            .flatten();
        why.map(|why| view! { <p class="chart-empty">{why}</p> }.any())
    };
    let is_usual = Memo::new(move |_| model.window.get().is_none());
    let is_whole = Memo::new(move |_| is_same(model.window.get().unwrap_or(model.usual.get()), model.whole.get()));
    view! {
        <div class="picture-head" data-roving="">
            <Legend model />
            <span class="grow"></span>
            <Memory model />
            <span class="zooms">
                <button type="button" class="btn icon-only small" aria-label="Zoom in" title="Zoom in (+)" on:click=move |_| zoom(STEP, None)>"+"</button>
            <button type="button" class="btn icon-only small" aria-label="Zoom out" title="Zoom out (−)" disabled=move || is_whole.get() on:click=move |_| zoom(1.0 / STEP, None)>"−"</button>
            <button type="button" class="btn small-text" title="Reset zoom (0)" disabled=move || is_usual.get() on:click=move |_| model.window.set(None)>"Fit"</button>
                {chart::tools("roofline-menu", entries)}
            </span>
        </div>
        <div
            class="roofline-canvas"
            class:as-table=move || table.get()
            node_ref=node
            on:pointerdown=down
            on:pointermove=moved
            on:pointerup=up
            on:pointercancel=move |_| { from.set_value(None); brush.set(None); }
            on:wheel=wheel
        >
            <If when=move || !table.get()>{move || view! { <chart::Chart state model=chart_model /> }.any()}</If>
            <If when=move || table.get()>{move || chart::as_table(chart_model)}</If>
            {live(band)}
            {live(none)}
        </div>
        <ChartSummary model options />
    }
    .any()
}

/// Returns the keys of the rows with a ring: the selected ones, and the op in the panel.
fn ringed(model: RooflineModel) -> Vec<String> {
    let mut keys = model.state.selected.get();
    if model.view_state.with(|view_state| view_state.by) == RoofBy::Op {
        let op = model.state.op.get();
        if !op.is_empty() && !keys.contains(&op) {
            keys.push(op);
        }
    }
    keys
}

/// Zooms about the place `range` of the chart. `None` zooms about its middle.
fn zoom(model: RooflineModel, size: (f64, f64), factor: f64, range: Option<(f64, f64)>) {
    let (whole, usual) = (model.whole.get_untracked(), model.usual.get_untracked());
    let range = range.unwrap_or((size.0 / 2.0, size.1 / 2.0));
    let next = zoomed(model.window.get_untracked().unwrap_or(usual), whole, size, range, factor);
    model.window.set(Some(next).filter(|next| !is_same(*next, usual)));
}

/// Builds the chart's model: the tooltips, clicks and keys of its points.
fn chart_model(model: RooflineModel, scene: SharedMemo<Scene>, size: Signal<(f64, f64)>) -> Model {
    let state = model.state;
    Model {
        scene,
        tip: Callback::new(move |id: u32| {
            let level = model.view_state.with(|view_state| view_state.x);
            let opens = enter_action(model.view_state.with(|view_state| view_state.by));
            with_dot(model, id, |dot| Tip {
                rows: labels::tip(dot, level).rows.into_iter().chain(hint(dot, opens)).collect(),
                title: dot.name.clone(),
            })
        }),
        press: Callback::new(move |(id, enter): (u32, bool)| press(model, id, enter)),
        // The selection is cleared first. Without a selection, the zoom is removed.
        out: Callback::new(move |()| {
            let chosen = state.selected.with_untracked(|selected| !selected.is_empty());
            let zoomed = model.window.with_untracked(Option::is_some);
            if chosen {
                state.selected.set(Vec::new());
            } else if zoomed {
                model.window.set(None);
            }
            chosen || zoomed
        }),
        walk: None,
        key: Some(Callback::new(move |key: String| {
            match &*key {
                "+" | "=" => zoom(model, size.get_untracked(), STEP, None),
                "-" => zoom(model, size.get_untracked(), 1.0 / STEP, None),
                "0" => model.window.set(None),
                _ => return false,
            }
            true
        })),
        focus: RwSignal::new(None),
    }
}

fn is_same(window: AxisWindow, other: AxisWindow) -> bool {
    let same = |a: (f64, f64), b: (f64, f64)| (a.0 / b.0 - 1.0).abs() < 1e-6 && (a.1 / b.1 - 1.0).abs() < 1e-6;
    same(window.x, other.x) && same(window.y, other.y)
}

fn with_dot<T>(model: RooflineModel, id: u32, read: impl FnOnce(&Dot) -> T) -> Option<T> {
    model.dots.with(|dots| dots.as_ref()?.all.get(id as usize).map(read))
}

/// Returns the text for the action of Enter on a point.
const fn enter_action(by: RoofBy) -> &'static str {
    match by {
        RoofBy::Op => "opens the op",
        RoofBy::Source => "shows its ops",
        RoofBy::Step => "goes to the step",
        RoofBy::Program => "selects it",
    }
}

fn hint(dot: &Dot, opens: &str) -> Option<(String, String)> {
    dot.group.map(|_| ("Enter".to_owned(), opens.to_owned()))
}

/// Selects a point. Enter, or a click on a point that is selected alone, opens it.
fn press(model: RooflineModel, id: u32, enter: bool) {
    let state = model.state;
    let found = untrack(|| with_dot(model, id, |dot| (dot.key.clone(), dot.name.clone(), dot.group.is_some())));
    let Some((key, name, true)) = found else { return };
    let alone = state.selected.with_untracked(|selected| selected.as_slice() == [key.clone()]);
    let opens = enter || alone;
    state.selected.set(vec![key.clone()]);
    if opens {
        model.open(&key, &name);
    }
}

/// Renders the legend of the groups. A click hides or shows the points of a group.
#[component]
fn Legend(model: RooflineModel) -> impl IntoView {
    let groups = Memo::new(move |_| {
        let used = |dots: &PtrEq<Dots>| dots.all.iter().filter_map(|dot| dot.group).collect::<BTreeSet<_>>();
        if model.view_state.with(|view_state| view_state.by) == RoofBy::Step {
            return Vec::new();
        }
        model.dots.with(|dots| dots.as_ref().map(used)).unwrap_or_default().into_iter().collect::<Vec<_>>()
    });
    let one = move |group: WorkGroup| {
        let shown = move || !model.hidden.with(|hidden| hidden.contains(&group));
        let toggle = move |_| {
            model.hidden.update(|hidden| toggle(hidden, group));
        };
        let mark = match group.mark_shape().outline(7.0, 7.0, 4.5) {
            Some(points) => view! { <path d=crate::chart::plot::scene::path_data(&points, true) /> }.any(),
            None => view! { <circle cx="7" cy="7" r="4.5" /> }.any(),
        };
        view! {
            <button type="button" class="form-key" aria-pressed=move || shown().to_string() on:click=toggle>
                <svg viewBox="0 0 14 14" aria-hidden="true">{mark}</svg>
                {group.label()}
            </button>
        }
        .any()
    };
    let all = move || groups.get().into_iter().map(one).collect_view();
    view! { <div class="forms" role="group" aria-label="Groups of work">{live(all)}</div> }.any()
}

/// Renders the picker of the memory whose bytes the axis counts, if ops use several memories.
#[component]
fn Memory(model: RooflineModel) -> impl IntoView {
    let levels = Memo::new(move |_| {
        let has = |level: &Level| {
            model
                .head
                .with(|head| head.as_ref().and_then(|head| head.figures.step.as_ref()?.intensity_of(*level)).is_some())
        };
        Level::ALL.into_iter().filter(has).collect::<Vec<_>>()
    });
    let choices = Memo::new(move |_| levels.with(|levels| peaks::levels(levels)));
    let chosen = Signal::derive(move || model.view_state.with(|view_state| view_state.x));
    let choose = Callback::new(move |level: Level| model.change(|view_state| view_state.x = level));
    let several = move || levels.with(|levels| levels.len() > 1);
    view! { <If when=several>{move || view! { <Picker id="roofline-level" label="Bytes of" list="Memories" choices chosen choose /> }.any()}</If> }.any()
}

/// Renders the lines below the chart: the selection, the points above the roof, and the rows that are not drawn.
#[component]
fn ChartSummary(model: RooflineModel, options: Memo<ChartOptions>) -> impl IntoView {
    let state = model.state;
    let selection = move || {
        let selected = state.selected.get();
        let (n, self_time, gap, first) = model.dots.with(|dots| {
            let mut sums = (0_u64, Picos::ZERO, Picos::ZERO, None);
            for dot in dots
                .iter()
                .flat_map(|dots| dots.all.iter())
                .filter(|dot| dot.group.is_some() && selected.contains(&dot.key))
            {
                sums = (
                    sums.0 + 1,
                    sums.1 + dot.roof.total,
                    sums.2 + dot.roof.recoverable,
                    sums.3.or_else(|| Some((dot.key.clone(), dot.name.clone()))),
                );
            }
            sums
        });
        let Some((key, name)) = first else {
            // The line is always there, so that the chart above does not move when a point is selected.
            let words = "Click a point to select it, click again for details; drag to select several.";
            return view! { <p class="roofline-selection sub">{words}</p> }.any();
        };
        let all = model.head.with(|head| head.as_ref()?.figures.step.as_ref().map(|roof| roof.recoverable));
        let share = all
            .and_then(|all| gap.fraction_of(all))
            .map_or_else(String::new, |share| format!(", {} of all", format::percent_text(share)));
        let what = if n == 1 { format::middle_cut(&name, 48) } else { format::counted(n, "row", "rows") };
        let open = (n == 1).then(|| {
            let open = move |_| model.open(&key, &name);
            view! { <button type="button" class="link" on:click=open>"Open"</button> " " }.any()
        });
        view! {
            <p class="roofline-selection">
                <b>{what}</b>
                {format!(": self {}, gap {}{share}. ", format::time_text(self_time), format::time_text(gap))}
                {open}
                <button type="button" class="link" on:click=move |_| state.selected.set(Vec::new())>"Clear"</button>
            </p>
        }
        .any()
    };
    let above = move || {
        let text = model.head.with(|head| {
            let roof = head.as_ref()?.figures.step.clone()?;
            model.dots.with(|dots| labels::above_roof_text(dots.as_ref()?, &roof))
        });
        text.map(|(what, why)| {
            view! { <p class="roofline-above">{icon(Icon::Warn)} <span><b>{what}</b> ": " {why}</span></p> }.any()
        })
    };
    let elsewhere = move || {
        let text = model.dots.with(|dots| options.with(|options| labels::hidden_rows_text(dots.as_ref()?, options)));
        text.map(|text| view! { <p class="sub">{text}</p> }.any())
    };
    view! {
        <div class="roofline-summary">
            <div role="status">{live(selection)}</div>
            {live(above)}
            {live(elsewhere)}
        </div>
    }
    .any()
}
