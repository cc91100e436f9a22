//! This module renders each step as a stacked bar of its time. A click chooses the step. Geometry and texts are in
//! `chart::plot::steps` and `chart::comm::steps`.

use super::model::CommModel;
use crate::analysis::base::StepChoice;
use crate::chart::breakdown::step_stats;
use crate::chart::comm::steps;
use crate::chart::plot::steps as chart_steps;
use crate::table::format;
use crate::view::shared::chart::{self, Model, room};
use crate::view::state::{PtrEq, SharedMemo};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::size::width_of;
use leptos::html;
use leptos::prelude::*;

/// The height of the chart, in pixels.
const HEIGHT: f64 = 176.0;

/// Renders the chart with its head line.
#[component]
pub(super) fn Steps(model: CommModel) -> impl IntoView {
    let state = model.state;
    let node = NodeRef::<html::Div>::new();
    let width = width_of(node);
    let bars =
        SharedMemo::new(move || Some(PtrEq::new(steps::bars(&model.view.get()?.comm.steps, model.traffic.get()))));
    let parts = move || {
        let split = model
            .view
            .with(|view| view.as_ref().is_some_and(|view| steps::is_split(&view.comm.steps, model.traffic.get())));
        steps::parts(model.traffic.get(), split)
    };
    let scene = SharedMemo::new(move || {
        let (view, bars, width) = (model.view.get()?, bars.get()?, width.get());
        let selected = steps::step_index(&view.comm.steps, state.step(), &view.comm.header.step);
        let devices = view.comm.header.n_devices;
        let subject = match &view.comm.header.device {
            Some(device) if view.comm.header.n_summed() < 2 => format!("of {device}"),
            _ => format!("of {} devices, summed", format::count(devices.into())),
        };
        let parts = parts();
        let size = (room(width), HEIGHT);
        (width > 0.0 && !bars.is_empty())
            .then(|| PtrEq::new(chart_steps::layout(&bars, &parts, &subject, selected, size)))
    });
    let tip = move |index: u32| bars.with_untracked(|bars| step_stats::tip(bars.as_ref()?, &untrack(parts), index));
    let chart_model = Model {
        scene,
        tip: Callback::new(tip),
        press: Callback::new(move |(index, _): (u32, bool)| {
            let number =
                model.view.with_untracked(|view| view.as_ref()?.comm.steps.get(index as usize).map(|step| step.number));
            if let Some(number) = number {
                state.choose_step(StepChoice::Number(number));
            }
        }),
        out: Callback::new(|()| false),
        walk: None,
        key: None,
        focus: RwSignal::new(None),
    };
    let table = RwSignal::new(false);
    let entries = chart::entries(state, chart_model, "communication by step", table);
    let legend = move || {
        let one = |part: crate::chart::plot::step::StepPart| {
            let (fill, opacity) = (part.paint.fill_css(), part.paint.opacity.to_string());
            view! {
                <li><svg width="10" height="10" aria-hidden="true"><rect width="10" height="10" rx="1.5" fill=fill opacity=opacity></rect></svg> {part.label}</li>
            }
            .any()
        };
        parts().into_iter().map(one).collect_view()
    };
    let none = move || {
        let empty = bars.with(|bars| bars.as_ref().is_some_and(|bars| bars.is_empty()));
        empty.then(|| {
            view! { <p class="chart-empty">"This device has no steps. The figures above are of the whole capture."</p> }.any()
        })
    };
    view! {
        <div class="comm-steps" role="region" aria-label="Steps" node_ref=node>
            <div class="picture-head" data-roving=""><h2>"Per step"</h2> <span class="grow"></span> {chart::tools("steps-menu", entries)}</div>
            {chart::chart_or_table(state, chart_model, table)}
            {live(none)}
            <ul class="classes">{live(legend)}</ul>
        </div>
    }
    .any()
}
