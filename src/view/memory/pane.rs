//! This module renders the pane beside the table of live buffers: the treemap, the live ranges, the padding or the
//! findings.

use super::model::MemoryModel;
use crate::analysis::memory::{LiveRangeRows, MemoryClass, Points, RollUpBy};
use crate::chart::memory::findings::{self, Finding, PaddingRow};
use crate::chart::memory::{live_ranges, picker, text, treemap};
use crate::protocol::requests;
use crate::protocol::url::memory::Pane;
use crate::table::format;
use crate::view::shared::chart::{self, Model};
use crate::view::state::{PtrEq, SharedMemo, SharedSignal};
use crate::view::type_erasure::{EraseType, If, live};
use crate::view::widgets::picker::Picker;
use crate::view::widgets::size::{size_of, width_of};
use leptos::html;
use leptos::prelude::*;

/// Live ranges are shown around the selected point: on each side 1/`AROUND` of the curve, and at least 20 points.
const AROUND: u32 = 10;

/// Renders the pane with its head line.
#[component]
pub(super) fn MemoryPane(model: MemoryModel) -> impl IntoView {
    let has_replay = move || model.state.can(|can| can.memory_replay);
    let which =
        Memo::new(move |_| if has_replay() { model.view_state.with(|view_state| view_state.pane) } else { Pane::Map });
    let choice = move |pane: Pane| {
        let pressed = move || (which.get() == pane).to_string();
        view! { <button type="button" aria-pressed=pressed on:click=move |_| model.change(|view_state| view_state.pane = pane)>{pane.label()}</button> }.any()
    };
    let body = move || match which.get() {
        Pane::Map => view! { <Map model /> }.any(),
        Pane::LiveRanges => view! { <LiveRanges model /> }.any(),
        Pane::Padding => padding(model),
        Pane::Findings => findings(model),
        Pane::Fit => view! { <super::fit::FitPane model /> }.any(),
    };
    view! {
        <If when=has_replay>
            <div class="picture-head" data-roving="">
                <div class="segmented" data-roving="" role="group" aria-label="Show live buffers as">{Pane::ALL.map(choice).collect_view()}</div>
                <span class="grow"></span>
            </div>
        </If>
        {live(body)}
    }
    .any()
}

/// Renders the treemap of the live buffers.
#[component]
fn Map(model: MemoryModel) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let size = size_of(node);
    let scene = SharedMemo::new(move || {
        let (alive, size) = (model.alive.get()?, size.get());
        (size.0 > 0.0)
            .then(|| PtrEq::new(model.without.with(|without| treemap::scene(&alive, model.grouping(), without, size))))
    });
    let buffer = move |id: u32| model.alive.with_untracked(|alive| alive.as_ref()?.buffers.get(id as usize).cloned());
    let chart_model = Model {
        scene,
        tip: Callback::new(move |id: u32| buffer(id).map(|live_buffer| treemap::tip(&live_buffer))),
        press: Callback::new(move |(id, _): (u32, bool)| {
            if let Some(live_buffer) = buffer(id) {
                model.toggle(live_buffer.id);
            }
        }),
        out: Callback::new(|()| false),
        walk: None,
        key: None,
        focus: RwSignal::new(None),
    };
    let table = RwSignal::new(false);
    let entries = chart::entries(model.state, chart_model, "alive", table);
    let choose = Callback::new(move |by: RollUpBy| {
        model.change(|view_state| view_state.by = Some(by).filter(|by| *by != RollUpBy::Class));
    });
    let by = Signal::derive(move || model.grouping());
    let groupings = Memo::new(|_| picker::groupings());
    let legend = move || {
        let classes: Vec<(MemoryClass, u64)> = model.alive.with(|alive| {
            let Some(alive) = alive else { return Vec::new() };
            let size = |class: MemoryClass| {
                alive
                    .buffers
                    .iter()
                    .filter(|live_buffer| live_buffer.class == class)
                    .fold(0, |sum: u64, live_buffer| sum.saturating_add(live_buffer.size))
            };
            MemoryClass::ALL.iter().map(|class| (*class, size(*class))).filter(|(_, size)| *size > 0).collect()
        });
        let one = |(class, size): (MemoryClass, u64)| {
            view! { <li><span class=format!("class-swatch {}", class.key())></span> {class.label()} <span class="sub">" " {text(size)}</span></li> }.any()
        };
        classes.into_iter().map(one).collect_view()
    };
    view! {
        <div class="map-head" data-roving="">
            <Picker id="memory-group" label="Group by" list="Groupings" choices=groupings chosen=by choose />
            <span class="grow"></span>
            {chart::tools("alive-menu", entries)}
        </div>
        <div class="map-canvas" node_ref=node>
            {chart::chart_or_table(model.state, chart_model, table)}
        </div>
        <ul class="classes">{live(legend)}</ul>
    }
    .any()
}

/// Renders the live ranges around the selected point.
#[component]
fn LiveRanges(model: MemoryModel) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let width = width_of(node);
    let lanes = SharedSignal::<LiveRangeRows>::none();
    model.state.request_answer_on_change(
        move || {
            let n = model.memory.with(|memory| Some(memory.as_ref()?.space.as_ref()?.curve.n_points))?;
            let point = model.point.get();
            let around = (n / AROUND).max(20);
            let points = Points { from: point.saturating_sub(around), to: point.saturating_add(around + 1).min(n) };
            Some(requests::MemoryLiveRanges { query: model.query.get()?, points })
        },
        move |answer| {
            if let Some(Some(found)) = model.state.shown(answer) {
                lanes.set(Some(PtrEq::new(found)));
            }
        },
    );
    let scene = SharedMemo::new(move || {
        let (lanes, width) = (lanes.get()?, width.get());
        (width > 0.0).then(|| PtrEq::new(live_ranges::scene(&lanes, model.point.get(), chart::room(width))))
    });
    let chart_model = Model {
        scene,
        tip: Callback::new(move |id: u32| lanes.with(|lanes| live_ranges::tip(lanes.as_ref()?, id))),
        press: Callback::new(move |(id, _): (u32, bool)| {
            let id = lanes
                .with_untracked(|lanes| live_ranges::buffer(lanes.as_ref()?, id).map(|live_buffer| live_buffer.id));
            if let Some(id) = id {
                model.toggle(id);
            }
        }),
        out: Callback::new(|()| false),
        walk: None,
        key: None,
        focus: RwSignal::new(None),
    };
    let left_out = move || lanes.with(|lanes| live_ranges::left_out(lanes.as_ref()?));
    view! {
        <div class="live-ranges" node_ref=node>
            <chart::Chart state=model.state model=chart_model />
            <p class="sub">{live(left_out)}</p>
        </div>
    }
    .any()
}

/// Renders the bytes that padding wastes at the peak.
fn padding(model: MemoryModel) -> AnyView {
    let rows = move || {
        let memory = model.memory.get()?;
        let space = memory.space.as_ref()?;
        let rows = findings::padding(space);
        if rows.is_empty() {
            return Some(view! { <p class="memory-none">"No live buffer at the peak has padding."</p> }.any());
        }
        let one = |row: PaddingRow| {
            let [size, wasted, overhead] = row.figures;
            view! {
                <tr><th scope="row" class="mono">{format::middle_cut(&row.name, 36)}</th><td class="num">{wasted}</td><td class="num">{overhead}</td><td class="num">{size}</td><td class="mono shape">{row.shape}</td></tr>
            }
            .any()
        };
        Some(view! {
            <table class="found-table">
                <thead><tr><th scope="col">"Buffer"</th><th scope="col" class="num">"Wasted"</th><th scope="col" class="num">"Overhead"</th><th scope="col" class="num">"Size"</th><th scope="col">"Shape and tiling"</th></tr></thead>
                <tbody>{rows.into_iter().map(one).collect_view()}</tbody>
            </table>
        }.any())
    };
    view! { <div class="found" tabindex="0" role="region" aria-label="Padding">{live(rows)}</div> }.any()
}

/// Renders the findings: changes that would lower the peak.
fn findings(model: MemoryModel) -> AnyView {
    let all = move || {
        let memory = model.memory.get()?;
        let one = |finding: Finding| {
            let row = |[name, size, what]: [String; 3]| {
                view! { <tr><th scope="row" class="mono">{format::middle_cut(&name, 36)}</th><td class="num">{size}</td><td class="shape">{what}</td></tr> }.any()
            };
            let ids = finding.buffers;
            let leave = (!ids.is_empty()).then(|| {
                let leave = move |_| model.without.set(ids.clone());
                view! { <button type="button" class="link" on:click=leave>"See the peak without them"</button> }.any()
            });
            view! {
                <section class="finding">
                    <h3>{finding.head}</h3>
                    <p>{finding.message} " " {leave}</p>
                    <table class="found-table"><tbody>{finding.rows.into_iter().map(row).collect_view()}</tbody></table>
                </section>
            }
            .any()
        };
        Some(findings::findings(memory.space.as_ref()?).into_iter().map(one).collect_view())
    };
    view! { <div class="found" tabindex="0" role="region" aria-label="Findings"><h2 class="visually-hidden">"Findings"</h2>{live(all)}</div> }.any()
}
