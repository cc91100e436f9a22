//! This module renders the pane beside the steps: lanes, bandwidth, flags, devices or DCN. Figures and texts are in
//! `chart::comm`.

use super::flags::Flags;
use super::lanes::Lanes;
use super::model::CommModel;
use crate::analysis::comm::{CommRow, DcnCollective, Network};
use crate::chart::comm::{bandwidth, key, rows, text};
use crate::chart::plot::mark_shape::MarkShape;
use crate::protocol::url::comm::{CommRows, Pane};
use crate::report::comm::table::{DCN_COLUMNS, DcnColumn};
use crate::view::shared::chart::{self, Model};
use crate::view::state::{PtrEq, SharedMemo};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::size::width_of;
use leptos::html;
use leptos::prelude::*;

/// The height of the bandwidth chart, in pixels.
const HEIGHT: f64 = 214.0;
/// The largest number of collectives that are listed.
const LISTED: usize = 50;

/// Renders the pane with its head line.
#[component]
pub(super) fn CommPane(model: CommModel) -> impl IntoView {
    let which = Memo::new(move |_| shown(model));
    let body = move || match which.get() {
        Pane::Lanes => view! { <Lanes model head=choice(model) /> }.any(),
        Pane::Bandwidth => view! { <Bandwidth model head=choice(model) /> }.any(),
        Pane::Flags => view! { <Flags model head=choice(model) /> }.any(),
        Pane::Devices => view! { {head(model)} {devices(model)} }.any(),
        Pane::Dcn => view! { {head(model)} {dcn(model)} }.any(),
    };
    view! { <section class="comm-pane" aria-label="Details">{live(body)}</section> }.any()
}

/// Returns the part to show. If the intervals are unknown, the lanes are replaced by the bandwidth.
fn shown(model: CommModel) -> Pane {
    match model.view_state.with(|view_state| view_state.pane) {
        Pane::Lanes if !model.state.can(|can| can.comm_intervals) => Pane::Bandwidth,
        Pane::Dcn if !has_dcn(model) => Pane::Bandwidth,
        pane => pane,
    }
}

/// Whether a collective goes between slices.
fn has_dcn(model: CommModel) -> bool {
    model.view.with(|view| view.as_ref().is_some_and(|view| !view.comm.dcn.is_empty()))
}

/// Renders the switch between the parts.
fn choice(model: CommModel) -> AnyView {
    let dcn = Memo::new(move |_| has_dcn(model));
    let one = move |pane: Pane| {
        let pressed = move || (shown(model) == pane).to_string();
        view! { <button type="button" aria-pressed=pressed on:click=move |_| model.change(|view_state| view_state.pane = pane)>{pane.label()}</button> }.any()
    };
    let has_intervals = untrack(|| model.state.can(|can| can.comm_intervals));
    let buttons = move || {
        let is_offered = |pane: &Pane| match pane {
            Pane::Lanes => has_intervals,
            Pane::Dcn => dcn.get(),
            _ => true,
        };
        Pane::ALL.into_iter().filter(is_offered).map(one).collect_view()
    };
    view! { <div class="segmented" data-roving="" role="group" aria-label="Details">{live(buttons)}</div> }.any()
}

fn head(model: CommModel) -> AnyView {
    view! { <div class="picture-head" data-roving="">{choice(model)} <span class="grow"></span></div> }.any()
}

/// Renders the chart of bandwidth against message size.
#[component]
fn Bandwidth(model: CommModel, head: AnyView) -> impl IntoView {
    let state = model.state;
    let node = NodeRef::<html::Div>::new();
    let width = width_of(node);
    let key_of = move |id: u32| {
        model.view.with_untracked(|view| {
            rows(&view.as_ref()?.comm, model.traffic.get_untracked())
                .get(id as usize)
                .map(|row| (key(row), row.op.is_some()))
        })
    };
    let scene = SharedMemo::new(move || {
        let (view, comm_rows, width) = (model.view.get()?, model.traffic.get(), chart::room(width.get()));
        let all = rows(&view.comm, comm_rows);
        let chosen = all.iter().position(|row| model.is_chosen(&key(row))).and_then(|index| u32::try_from(index).ok());
        (width > 0.0).then(|| PtrEq::new(bandwidth::scene(all, comm_rows, chosen, (width, HEIGHT))))
    });
    let chart_model = Model {
        scene,
        tip: Callback::new(move |id: u32| {
            model.view.with(|view| bandwidth::tip(rows(&view.as_ref()?.comm, model.traffic.get_untracked()), id))
        }),
        press: Callback::new(move |(id, enter): (u32, bool)| match key_of(id) {
            Some((key, true)) => model.press(&key, enter),
            Some((key, false)) => model.choose(&key),
            None => {}
        }),
        out: Callback::new(|()| false),
        walk: None,
        key: None,
        focus: RwSignal::new(None),
    };
    let table = RwSignal::new(false);
    let entries = chart::entries(state, chart_model, "bandwidth", table);
    let left_out = move || {
        model
            .view
            .with(|view| bandwidth::left_out(rows(&view.as_ref()?.comm, model.traffic.get()), model.traffic.get()))
    };
    let no_links = move || {
        let is_ici = |row: &CommRow| row.network == Some(Network::Ici);
        let none = model.view_state.with(|view_state| view_state.machine.topology.is_none())
            && model.traffic.get() == CommRows::Collectives
            && model.view.with(|view| view.as_ref().is_some_and(|view| view.comm.rows.iter().any(is_ici)));
        none.then_some(" With a topology, what links carry is drawn too.")
    };
    let legend = move || {
        let one = |(shape, label): (MarkShape, &'static str)| {
            let mark = match shape.outline(5.0, 5.0, 4.0) {
                Some(points) => {
                    view! { <path d=crate::chart::plot::scene::path_data(&points, true) fill="var(--k-comm)"></path> }
                        .any()
                }
                None => view! { <circle cx="5" cy="5" r="4" fill="var(--k-comm)"></circle> }.any(),
            };
            view! { <li><svg width="10" height="10" aria-hidden="true">{mark}</svg> {label}</li> }.any()
        };
        (model.traffic.get() == CommRows::Collectives).then(|| bandwidth::SHAPES.into_iter().map(one).collect_view())
    };
    view! {
        <div class="picture-head" data-roving="">{head} <ul class="classes">{live(legend)}</ul> <span class="grow"></span> {chart::tools("bandwidth-menu", entries)}</div>
        <div class="comm-bandwidth" node_ref=node>
            {chart::chart_or_table(state, chart_model, table)}
            <p class="sub">{live(left_out)} {live(no_links)}</p>
        </div>
    }
    .any()
}

/// Renders the collectives between slices.
fn dcn(model: CommModel) -> AnyView {
    let rows = move || {
        let view = model.view.get()?;
        let head = |(head, is_text, _): DcnColumn| view! { <th scope="col" class:num=!is_text>{head}</th> }.any();
        let line = |row: &DcnCollective| {
            let cell = |(_, is_text, cell): DcnColumn| view! { <td class:num=!is_text>{cell(row)}</td> }.any();
            let [(.., name), rest @ ..] = DCN_COLUMNS;
            view! { <tr><th scope="row" class="mono">{name(row)}</th>{rest.map(cell).collect_view()}</tr> }.any()
        };
        Some(
            view! {
                <table class="found-table">
                    <thead><tr>{DCN_COLUMNS.map(head).collect_view()}</tr></thead>
                    <tbody>{view.comm.dcn.iter().take(LISTED).map(line).collect_view()}</tbody>
                </table>
            }
            .any(),
        )
    };
    view! { <div class="found" tabindex="0" role="region" aria-label="Collectives between slices"><h2 class="visually-hidden">"Collectives between slices"</h2>{live(rows)}</div> }.any()
}

/// Renders the devices that the others wait for, and the collectives with arrival skew.
fn devices(model: CommModel) -> AnyView {
    let all = move || {
        let view = model.view.get()?;
        let Some(balance) = &view.comm.balance else {
            return Some(
                view! { <p class="chart-empty">"Only one device is open: waits for peers need several."</p> }.any(),
            );
        };
        let lines = text::balance(&view.comm).into_iter().map(|line| view! { <p>{line}</p> }.any()).collect_view();
        let device = |device| {
            let [name, waited, last, n, late] = text::device(device);
            view! { <tr><th scope="row">{name}</th><td class="num">{waited}</td><td class="num">{last}</td><td class="num">{n}</td><td class="num">{late}</td></tr> }.any()
        };
        let collective = |collective| {
            let [name, n, total, max, straggler] = text::collective(collective);
            view! { <tr><th scope="row" class="mono">{name}</th><td class="num">{n}</td><td class="num">{total}</td><td class="num">{max}</td><td>{straggler}</td></tr> }.any()
        };
        let (devices, collectives) = (&balance.devices, &balance.collectives);
        let first = (!devices.is_empty()).then(|| view! {
            <h3>"Waiting for peers"</h3>
            <table class="found-table">
                <thead><tr><th scope="col">"Device"</th><th scope="col" class="num">"Waits for peers"</th><th scope="col" class="num">"Arrived last"</th><th scope="col" class="num">"Total"</th><th scope="col" class="num">"Delay"</th></tr></thead>
                <tbody>{devices.iter().map(device).collect_view()}</tbody>
            </table>
        }.any());
        let second = (!collectives.is_empty()).then(|| view! {
            <h3>"Collectives with arrival skew"</h3>
            <table class="found-table">
                <thead><tr><th scope="col">"Collective"</th><th scope="col" class="num">"Executions"</th><th scope="col" class="num">"Total skew"</th><th scope="col" class="num">"Max. skew"</th><th scope="col">"Mostly last"</th></tr></thead>
                <tbody>{collectives.iter().take(LISTED).map(collective).collect_view()}</tbody>
            </table>
        }.any());
        Some(view! { {lines} {first} {second} }.any())
    };
    view! { <div class="found" tabindex="0" role="region" aria-label="Devices"><h2 class="visually-hidden">"Devices"</h2>{live(all)}</div> }.any()
}
