//! This module renders the editor of mesh and topology: the axes of the program's device mesh, the chips of the
//! machine, the bandwidth of networks between hosts, and the axis of each replica group.

use super::model::CommModel;
use crate::analysis::comm::{CommRow, Machine, NamedMesh, Network, NetworkRates, Topology};
use crate::table::format::{self, ABSENT};
use crate::view::type_erasure::{EraseType, If, effect, live};
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::popover::Popover;
use leptos::ev;
use leptos::prelude::*;

/// The largest number of groups that are listed.
const LISTED: usize = 12;

/// Renders the button with the current mesh and topology, and the editor that it opens.
#[component]
pub(super) fn MeshAndTopology(model: CommModel) -> impl IntoView {
    let face = move || {
        let text = model.view_state.with(|view_state| {
            let wrap =
                |topology: &Topology| if topology.wrap { format!("{topology} torus") } else { topology.to_string() };
            let Machine { topology, mesh, .. } = &view_state.machine;
            let parts: Vec<String> = mesh.iter().map(ToString::to_string).chain(topology.iter().map(wrap)).collect();
            if parts.is_empty() { "not set".to_owned() } else { parts.join(" · ") }
        });
        view! { <span class="sub">"Mesh, topology "</span> <b>{format::middle_cut(&text, 40)}</b> }.any()
    };
    view! {
        <Popover
            id="wiring"
            class="btn line small-text"
            panel_class="editor"
            face=Box::new(move || live(face).into_any())
        >
            <Mesh model />
            <Links model />
            <Networks model />
            <Groups model />
        </Popover>
    }
    .any()
}

/// Renders the axes of the mesh with their names and sizes, one line each, and one empty line.
#[component]
fn Mesh(model: CommModel) -> impl IntoView {
    let axes = move || {
        model
            .view_state
            .with(|view_state| view_state.machine.mesh.as_ref().map(|mesh| mesh.axes.clone()).unwrap_or_default())
    };
    let draft = RwSignal::new(Vec::<(String, String)>::new());
    let wrong = RwSignal::new(false);
    // The lines show the mesh of the address.
    effect(move || {
        let mut lines: Vec<(String, String)> =
            axes().into_iter().map(|(name, size)| (name, size.to_string())).collect();
        lines.push(Default::default());
        draft.set(lines);
    });
    let take = move || {
        let lines: Vec<(String, String)> = draft.get_untracked();
        let non_empty_lines = lines.iter().filter(|(name, size)| !name.trim().is_empty() || !size.trim().is_empty());
        let text = non_empty_lines.map(|(name, size)| format!("{name}={size}")).collect::<Vec<_>>().join(",");
        let mesh = text.parse::<NamedMesh>().ok();
        wrong.set(mesh.is_none() && !text.is_empty());
        if !wrong.get_untracked() {
            model.change(|view_state| view_state.machine.mesh = mesh);
        }
    };
    let field = move |index: usize, is_size: bool| {
        let value = move || {
            draft.with(|lines| {
                lines
                    .get(index)
                    .map(|(name, size)| if is_size { size.clone() } else { name.clone() })
                    .unwrap_or_default()
            })
        };
        let typed = move |event: ev::Event| {
            let text = event_target_value(&event);
            draft.update(|lines| {
                if let Some(line) = lines.get_mut(index) {
                    *if is_size { &mut line.1 } else { &mut line.0 } = text;
                }
            });
            // A line with only a name or only a size is not complete yet.
            let whole = |(name, size): &(String, String)| name.trim().is_empty() == size.trim().is_empty();
            if draft.with_untracked(|lines| lines.iter().all(whole)) {
                take();
            }
        };
        let label = format!("Axis {}, {}", index + 1, if is_size { "devices" } else { "name" });
        let mode = if is_size { "numeric" } else { "text" };
        view! { <input type="text" inputmode=mode aria-label=label autocomplete="off" spellcheck="false" class:mono=!is_size class:short=is_size prop:value=value on:change=typed /> }.any()
    };
    let n = Memo::new(move |_| draft.with(Vec::len));
    let lines = move || {
        let one = |index: usize| {
            let remove = move |_| {
                draft.update(|lines| drop(lines.remove(index)));
                take();
            };
            let last = index + 1 == n.get_untracked();
            let button = (!last).then(|| {
                view! { <button type="button" class="btn icon-only small" aria-label=format!("Remove axis {}", index + 1) title="Remove" on:click=remove>{icon(Icon::Close)}</button> }.any()
            });
            view! { <div class="mesh-axis">{field(index, false)} <span>"="</span> {field(index, true)} {button}</div> }
                .any()
        };
        (0..n.get()).map(one).collect_view()
    };
    let status = move || {
        let words = "Letters, digits, _ - and . for a name; a number above zero; at most 8 axes.";
        wrong.get().then(|| view! { <span class="bad">{icon(Icon::Warn)} " " {words}</span> }.any())
    };
    let devices = move || model.view_state.with(|view_state| view_state.machine.mesh.as_ref().map(NamedMesh::devices));
    let total = move || devices().map(|n| format::counted(n, "device", "devices"));
    view! {
        <h2>"Mesh of the program"</h2>
        <p class="sub">"Axes in the order of the program’s mesh, the last one fastest: names which axis a group is. " {live(total)}</p>
        {live(lines)}
        <p role="status">{live(status)}</p>
    }
    .any()
}

/// Renders the number of chips along each dimension, and whether they have wrap-around links.
#[component]
fn Links(model: CommModel) -> impl IntoView {
    let wrong = RwSignal::new(None::<&'static str>);
    let typed = move |event: ev::Event| {
        let text = event_target_value(&event);
        let wrap = model
            .view_state
            .with_untracked(|view_state| view_state.machine.topology.as_ref().is_some_and(|topology| topology.wrap));
        let read = text.parse::<Topology>().map(|topology| Topology { wrap, ..topology });
        wrong.set(read.as_ref().err().copied().filter(|_| !text.trim().is_empty()));
        if wrong.get_untracked().is_none() {
            model.change(|view_state| view_state.machine.topology = read.ok());
        }
    };
    let value = move || {
        model
            .view_state
            .with(|view_state| view_state.machine.topology.as_ref().map(ToString::to_string))
            .unwrap_or_default()
    };
    let closed = move || {
        model.view_state.with(|view_state| view_state.machine.topology.as_ref().is_some_and(|topology| topology.wrap))
    };
    let close = move |event: ev::Event| {
        let wrap = event_target_checked(&event);
        model.change(|view_state| view_state.machine.topology.iter_mut().for_each(|topology| topology.wrap = wrap));
    };
    let none = move || model.view_state.with(|view_state| view_state.machine.topology.is_none());
    let link = move || {
        model.view.with(|view| {
            let link = view.as_ref()?.comm.link.as_ref()?;
            Some(format!("{}: {} GB/s each way of a link ({}).", link.chip, format::gbs(link.one_way), link.source))
        })
    };
    let status =
        move || wrong.get().map(|words| view! { <span class="bad">{icon(Icon::Warn)} " " {words}</span> }.any());
    view! {
        <h2>"Topology of the machine"</h2>
        <p class="sub">"Chips along each side, x first. Gives what links carry, and how far they are used. " {live(link)}</p>
        <div class="editor-row">
            <label>
                <span class="sub">"Chips"</span>
                <input type="text" placeholder="4x4x4" autocomplete="off" spellcheck="false" prop:value=value on:change=typed />
            </label>
            <label class="check">
                <input type="checkbox" prop:checked=closed disabled=none on:change=close />
                " Wrap-around links (torus)"
            </label>
        </div>
        <p role="status">{live(status)}</p>
    }
    .any()
}

/// Renders the bandwidths of the networks between hosts that the rows use. The capture does not hold them.
#[component]
fn Networks(model: CommModel) -> impl IntoView {
    let one = move |(network, label): (Network, &'static str)| {
        let used = move || {
            model.view.with(|view| {
                view.as_ref().is_some_and(|view| view.comm.rows.iter().any(|row| row.network == Some(network)))
            })
        };
        view! { <If when=used>{move || bandwidth_input(model, network, label)}</If> }.any()
    };
    [(Network::Dcn, "Data center network between slices"), (Network::Hosts, "Network between hosts")]
        .map(one)
        .collect_view()
}

/// Renders the input for the bandwidth of a network.
fn bandwidth_input(model: CommModel, network: Network, label: &'static str) -> AnyView {
    let wrong = RwSignal::new(None::<&'static str>);
    let typed = move |event: ev::Event| {
        let text = event_target_value(&event);
        let read = if text.trim().is_empty() { Ok(None) } else { NetworkRates::parse(&text).map(Some) };
        wrong.set(read.err());
        if let Ok(read) = read {
            model.change(|view_state| view_state.machine.rates.set(network, read));
        }
    };
    #[expect(clippy::cast_precision_loss, reason = "a bandwidth")]
    let value = move || {
        let rate = model.view_state.with(|view_state| view_state.machine.rates.get(network));
        rate.map(|rate| (rate as f64 / 1e9).to_string()).unwrap_or_default()
    };
    // Without an input, this is the published bandwidth.
    let usual = move || {
        model.view.with(|view| {
            let is_on_network = |row: &&CommRow| row.network == Some(network);
            let peak = view.as_ref()?.comm.rows.iter().find(is_on_network)?.peak?;
            Some(format::gbs(peak))
        })
    };
    let status =
        move || wrong.get().map(|words| view! { <span class="bad">{icon(Icon::Warn)} " " {words}</span> }.any());
    view! {
        <h2>{label}</h2>
        <p class="sub">"Bandwidth of one device in one direction. Gives how far the network is used."</p>
        <div class="editor-row">
            <label>
                <span class="sub">"GB/s"</span>
                <input type="text" inputmode="decimal" placeholder=move || usual().unwrap_or_else(|| "12.5".to_owned()) autocomplete="off" spellcheck="false" prop:value=value on:change=typed />
            </label>
        </div>
        <p role="status">{live(status)}</p>
    }
    .any()
}

/// Renders the replica groups with the axis that each group spans.
#[component]
fn Groups(model: CommModel) -> impl IntoView {
    let lines = move || {
        let view = model.view.get()?;
        let mut seen: Vec<(&CommRow, usize)> = Vec::new();
        for row in view.comm.rows.iter().filter(|row| row.group.is_some()) {
            match seen.iter_mut().find(|(other, _)| other.group == row.group) {
                Some((_, n)) => *n += 1,
                None => seen.push((row, 1)),
            }
        }
        let more = seen.len().saturating_sub(LISTED);
        let one = |(row, n): &(&CommRow, usize)| {
            let group = row.group.as_ref()?;
            let axis = group.axis.clone().unwrap_or_else(|| ABSENT.to_owned());
            let size = group.size.map_or_else(|| ABSENT.to_owned(), format::count);
            let text = format::middle_cut(&group.text, 34);
            Some(view! { <tr><th scope="row" class="mono">{text}</th><td class="num">{size}</td><td>{axis}</td><td class="num">{*n}</td></tr> }.any())
        };
        let listed = seen.iter().take(LISTED).filter_map(one).collect_view();
        let rest = (more > 0).then(|| {
            view! { <p class="sub">{format::counted(more as u64, "more form", "more forms")} " of groups."</p> }.any()
        });
        (!seen.is_empty()).then(|| {
            view! {
                <h2>"Groups"</h2>
                <table class="editor-table">
                    <thead><tr><th scope="col">"Groups"</th><th scope="col">"Devices"</th><th scope="col">"Axis"</th><th scope="col">"Rows"</th></tr></thead>
                    <tbody>{listed}</tbody>
                </table>
                {rest}
            }
            .any()
        })
    };
    live(lines).into_any()
}
