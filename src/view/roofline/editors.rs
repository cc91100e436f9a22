//! This module renders the editors of values that the capture lacks: the costs of kernels, and the useful FLOPs of a
//! step. The address holds these values, so that a reload and a link keep them.

use super::model::RooflineModel;
use crate::analysis::roofline::{KernelCost, OpaqueKernel, UsefulFlops};
use crate::chart::roofline::numbers;
use crate::table::format;
use crate::view::state::State;
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::popover::{self, Popover};
use leptos::prelude::*;
use leptos::{ev, html};

/// The largest number of kernels that are listed.
const LISTED: usize = 12;

/// Renders the button that opens the editor of kernel costs, beside the time of kernels without a cost.
pub(super) fn hint() -> AnyView {
    view! { " " <button type="button" class="link" on:click=move |_| popover::toggle("kernels")>"Set their cost"</button> }.any()
}

/// Renders the button and the editor of kernel costs.
#[component]
pub(super) fn Kernels(model: RooflineModel) -> impl IntoView {
    let n = move || model.view_state.with(|view_state| view_state.costs.len());
    let face = move || {
        let text = match n() {
            0 => "Kernel costs".to_owned(),
            n => format::counted(n as u64, "kernel cost", "kernel costs"),
        };
        view! { <span>{text}</span> }.any()
    };
    view! {
        <Popover
            id="kernels"
            class="btn line small-text"
            panel_class="editor"
            face=Box::new(move || live(face).into_any())
        >
            <h2>"Cost of a kernel per call"</h2>
            <p class="sub">"Cost override by kernel name (* is any text). First matching pattern wins and overrides the capture. “1.2T” is 1.2 × 10¹²."</p>
            <Costs model />
        </Popover>
    }
    .any()
}

#[component]
fn Costs(model: RooflineModel) -> impl IntoView {
    let given = move || {
        let one = |(index, cost): (usize, &KernelCost)| {
            let remove = move |_| model.change(|view_state| drop(view_state.costs.remove(index)));
            let label = format!("Remove the cost of {}", cost.pattern);
            view! {
                <tr>
                    <th scope="row" class="mono">{cost.pattern.clone()}</th>
                    <td class="num">{format::quantity(cost.flops)} "FLOP"</td>
                    <td class="num">{format::quantity(cost.bytes)} "B"</td>
                    <td><button type="button" class="btn icon-only small" aria-label=label title="Remove" on:click=remove>{icon(Icon::Close)}</button></td>
                </tr>
            }
            .any()
        };
        model.view_state.with(|view_state| view_state.costs.iter().enumerate().map(one).collect_view())
    };
    let pattern = RwSignal::new(String::new());
    let opaque = move || {
        let one = |kernel: &OpaqueKernel| {
            let name = kernel.op.clone();
            // The trailing number is removed, so that the pattern matches the kernel and not one of its calls.
            let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').to_owned();
            let status =
                format!("{}, {}", format::counted_executions(kernel.n, "run", "runs"), format::time_text(kernel.total));
            let take = move |_| pattern.set(format!("{stem}*"));
            view! {
                <li><button type="button" class="link mono" on:click=take>{format::middle_cut(&name, 40)}</button> <span class="sub">" " {status}</span></li>
            }
            .any()
        };
        let all = model.head.with(|head| {
            let opaque = &head.as_ref()?.figures.opaque;
            let listed = opaque.iter().take(LISTED).map(one).collect_view();
            (!opaque.is_empty()).then(|| {
                view! { <h2>"Kernels without a cost estimate"</h2> <ul class="editor-list">{listed}</ul> }.any()
            })
        });
        all.into_any()
    };
    let (flops, bytes) = (NodeRef::<html::Input>::new(), NodeRef::<html::Input>::new());
    let wrong = RwSignal::new(false);
    let add = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let number =
            |field: NodeRef<html::Input>| field.get_untracked().and_then(|field| numbers::typed(&field.value()));
        let name = pattern.get_untracked().trim().to_owned();
        let cost = number(flops).zip(number(bytes)).filter(|_| !name.is_empty());
        wrong.set(cost.is_none());
        if let Some((cost_flops, cost_bytes)) = cost {
            model.change(|view_state| {
                view_state.costs.retain(|cost| cost.pattern != name);
                view_state.costs.push(KernelCost { pattern: name, flops: cost_flops, bytes: cost_bytes });
            });
            pattern.set(String::new());
            for field in [flops, bytes].into_iter().filter_map(|field| field.get_untracked()) {
                field.set_value("");
            }
        }
    };
    let status = move || {
        wrong
            .get()
            .then(|| view! { <span class="bad">{icon(Icon::Warn)} " A name and two numbers are needed."</span> }.any())
    };
    view! {
        <table class="editor-table"><tbody>{live(given)}</tbody></table>
        <form class="editor-row" on:submit=add>
            <label>
                <span class="sub">"Kernel"</span>
                <input type="text" class="mono" autocomplete="off" spellcheck="false" prop:value=move || pattern.get() on:input=move |event| pattern.set(event_target_value(&event)) />
            </label>
            <label><span class="sub">"FLOPs per call"</span> <input type="text" inputmode="decimal" autocomplete="off" node_ref=flops /></label>
            <label><span class="sub">"Bytes per call"</span> <input type="text" inputmode="decimal" autocomplete="off" node_ref=bytes /></label>
            <button type="submit" class="btn line">"Add"</button>
        </form>
        <p role="status">{live(status)}</p>
        {live(opaque)}
    }
    .any()
}

/// A field of the form: its label, its element, and the function that reads its value.
type Field = (&'static str, NodeRef<html::Input>, fn(&UsefulFlops) -> Option<f64>);

/// Renders the button and the editor of the useful FLOPs of a step.
#[component]
pub(crate) fn Useful(state: State) -> impl IntoView {
    let view_state = state.view_state(|views| &views.roofline);
    let change = move |useful: Option<UsefulFlops>| state.change_views(|views| views.roofline.useful = useful);
    let verb = move || if view_state.with(|view_state| view_state.useful.is_some()) { "Edit" } else { "Enter" };
    let face = move || view! { <span>{verb()} " FLOPs"</span> }.any();
    let fields: [Field; 4] = [
        ("Global batch size", NodeRef::new(), |useful| Some(useful.batch)),
        ("Sequence length", NodeRef::new(), |useful| Some(useful.sequence)),
        ("FLOPs per token (training: about 6 × parameters)", NodeRef::new(), |useful| Some(useful.flops_per_token)),
        ("Number of devices (empty: by the program or the capture)", NodeRef::new(), |useful| {
            useful.devices.map(f64::from)
        }),
    ];
    let wrong = RwSignal::new(false);
    let apply =
        move |event: ev::SubmitEvent| {
            event.prevent_default();
            let text = |index: usize| fields[index].1.get_untracked().map(|field| field.value()).unwrap_or_default();
            let number = |index: usize| numbers::typed(&text(index)).filter(|number| *number > 0.0);
            let devices = text(3).trim().parse::<u32>().ok().filter(|n| *n > 0);
            let useful = number(0)
                .zip(number(1))
                .zip(number(2))
                .map(|((batch, sequence), flops_per_token)| UsefulFlops { batch, sequence, flops_per_token, devices });
            wrong.set(useful.is_none() || (devices.is_none() && !text(3).trim().is_empty()));
            if !wrong.get_untracked() {
                change(useful);
            }
        };
    let clear = move |_| change(None);
    let form = move || {
        let one = |(label, node, read): Field| {
            let value = move || {
                view_state
                    .with(|view_state| view_state.useful.as_ref().and_then(read))
                    .map(numbers::shown)
                    .unwrap_or_default()
            };
            view! {
                <label class="editor-line"><span>{label}</span> <input type="text" inputmode="decimal" autocomplete="off" node_ref=node prop:value=value /></label>
            }
            .any()
        };
        fields.map(one).collect_view()
    };
    let status = move || {
        wrong
            .get()
            .then(|| view! { <span class="bad">{icon(Icon::Warn)} " Numbers above zero are needed."</span> }.any())
    };
    view! {
        <Popover
            id="useful"
            class="btn line small-text"
            label=Signal::derive(move || format!("{} FLOPs: useful FLOPs of a step", verb()))
            panel_class="editor"
            face=Box::new(move || live(face).into_any())
        >
            <h2>"MFU from tokens"</h2>
            <p class="sub">"Batch × sequence × FLOPs per token ÷ (number of devices × peak × time). The number of devices is the whole job’s."</p>
            <form on:submit=apply>
                {form()}
                <div class="editor-foot">
                    <button type="submit" class="btn line">"Apply"</button>
                    <button type="button" class="btn" on:click=clear>"Reset"</button>
                    <span role="status">{live(status)}</span>
                </div>
            </form>
        </Popover>
    }
    .any()
}
