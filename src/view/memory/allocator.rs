//! This module renders the memory that an allocator had in use over time.

use super::model::MemoryModel;
use crate::chart::memory::{UNIT, curve, figures};
use crate::view::shared::chart::{self, Model};
use crate::view::state::{PtrEq, SharedMemo};
use crate::view::type_erasure::{EraseType, If, live};
use crate::view::widgets::size::width_of;
use leptos::html;
use leptos::prelude::*;

/// The height of the curve in pixels, and that of a curve without a change.
const HEIGHT: f64 = 320.0;
const FLAT_HEIGHT: f64 = 120.0;

/// Renders the curve with its head line, and the table that compares the peaks of each device.
#[component]
pub(super) fn Allocator(model: MemoryModel) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let width = width_of(node);
    let scene = SharedMemo::new(move || {
        let (allocator, width) = (model.allocator.get()?, width.get());
        let height = if allocator.transient == 0 { FLAT_HEIGHT } else { HEIGHT };
        (width > 0.0).then(|| PtrEq::new(curve::allocator(&allocator, (chart::room(width), height))))
    });
    let chart_model = Model {
        scene,
        tip: Callback::new(move |id: u32| {
            model.allocator.with(|allocator| curve::allocator_tip(allocator.as_ref()?, id as usize))
        }),
        press: Callback::new(|_: (u32, bool)| {}),
        out: Callback::new(|()| false),
        walk: None,
        key: None,
        focus: RwSignal::new(None),
    };
    let table = RwSignal::new(false);
    let entries = chart::entries(model.state, chart_model, "allocator", table);
    let checks = move || {
        let session = model.session.get()?;
        let rows = figures::checks(&session.checks);
        let row = |[label, program, planned, used, capacity, share, headroom, act]: [String; 8]| {
            view! {
                <tr>
                    <th scope="row">{label}</th><td class="mono">{program}</td><td class="num">{planned}</td><td class="num">{used}</td>
                    <td class="num">{capacity}</td><td class="num">{share}</td><td class="num">{headroom}</td><td>{act}</td>
                </tr>
            }
            .any()
        };
        let heads =
            ["Device", "Heaviest program", "Program peak", "Allocator peak", "Capacity", "Used", "Headroom", "Status"];
        let head = |(index, head): (usize, &'static str)| {
            let unit = matches!(index, 2..=4 | 6).then(|| view! { " " <span class="unit">{UNIT}</span> });
            view! { <th scope="col" class:num=(2..7).contains(&index)>{head} {unit}</th> }.any()
        };
        (!session.checks.is_empty()).then(|| {
            view! {
                <h2>"Peak by device"</h2>
                <table>
                    <thead><tr>{heads.into_iter().enumerate().map(head).collect_view()}</tr></thead>
                    <tbody>{rows.into_iter().map(row).collect_view()}</tbody>
                </table>
            }
            .any()
        })
    };
    let flat = move || {
        let is_flat =
            model.allocator.with(|allocator| allocator.as_ref().is_some_and(|allocator| allocator.transient == 0));
        is_flat.then_some("the same at all times of the capture")
    };
    view! {
        <section class="memory-curve" aria-label="Allocator">
            <div class="picture-head" data-roving="">
                <h2>"In use over time"</h2>
                <span class="picture-note">{live(flat)}</span>
                <span class="grow"></span>
                {chart::tools("memory-menu", entries)}
            </div>
            <div class="memory-canvas" node_ref=node>
                <If when=move || !table.get()>{move || view! { <chart::Chart state=model.state model=chart_model /> }.any()}</If>
                <If when=move || table.get()>{move || chart::as_table(chart_model)}</If>
            </div>
        </section>
        <div class="checks" tabindex="0" role="region" aria-label="Peak by device">{live(checks)}</div>
    }
    .any()
}
