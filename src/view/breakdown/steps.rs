//! This module renders the pictures of steps: the time of each step, and the devices side by side. A click chooses the
//! step or the device. Geometry and texts are in `chart::plot::steps` and `chart::breakdown::step_stats`.

use crate::analysis::base::DeviceChoice;
use crate::analysis::breakdown::StepStats;
use crate::chart::breakdown::{spread_text, step_stats};
use crate::chart::plot::scene::Scene;
use crate::chart::plot::{step, steps};
use crate::chart::widgets::table::TWO_LINES;
use crate::protocol::requests;
use crate::table::format;
use crate::view::shared::chart::{Model, room};
use crate::view::shared::picture_frame::framed;
use crate::view::state::{PtrEq, SharedMemo, SharedSignal, State};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::popover::Popover;
use crate::view::widgets::size::width_of;
use leptos::html;
use leptos::prelude::*;

/// The height of the chart in pixels, on wide and on narrow screens.
const HEIGHT: (f64, f64) = (168.0, 140.0);

/// Requests the statistics of the steps of the open session.
fn request_step_stats(state: State) -> SharedSignal<StepStats> {
    let found = SharedSignal::<StepStats>::none();
    state.request_answer_on_change(
        || Some(requests::StepStats),
        move |answer| {
            if let Ok(stats) = answer {
                found.set(Some(PtrEq::new(stats)));
            }
        },
    );
    found
}

/// Renders the time of each step.
#[component]
pub(super) fn StepsPicture(state: State, choice: AnyView) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let width = width_of(node);
    let found = request_step_stats(state);
    let device = Memo::new(move |_| state.query.with(|query| query.device));
    let bars = SharedMemo::new(move || Some(PtrEq::new(step_stats::steps(&*found.get()?, device.get()))));
    let scene = SharedMemo::new(move || {
        let (stats, bars) = (found.get()?, bars.get()?);
        let selected = step_stats::step_index(&stats, device.get(), state.step());
        let height = if width.get() < TWO_LINES { HEIGHT.1 } else { HEIGHT.0 };
        let subject = format!("of {}", step_stats::device_text(&stats, device.get()));
        Some(PtrEq::new(steps::layout(&bars, &step::kinds(), &subject, selected, (room(width.get()), height))))
    });
    let model = model(
        scene,
        move |index| bars.with_untracked(|bars| step_stats::tip(bars.as_ref()?, &step::kinds(), index)),
        move |index| {
            let stats = found.get_untracked();
            if let Some(step) = stats.and_then(|stats| step_stats::number(&stats, device.get_untracked(), index)) {
                state.choose_step(step);
            }
        },
    );
    let figures = move || {
        let figures = found.with(|found| step_stats::figures(found.as_ref()?, device.get()))?;
        let one = |(label, value): (&'static str, String)| view! { <div><dt>{label}</dt><dd>{value}</dd></div> }.any();
        let formula = found.with(|found| step_stats::formula(found.as_ref()?, device.get()))?;
        Some(
            view! {
                <div class="spread" data-roving="">
                    <dl>{figures.into_iter().map(one).collect_view()}</dl>
                    <Popover
                        id="how-steps"
                        class="formula-button"
                        label=Signal::stored("How step statistics are computed".to_owned())
                        panel_class="formula-panel"
                        face=Box::new(|| "=".into_any())
                    >
                        {crate::view::widgets::figure::formula_popover(formula.clone())}
                    </Popover>
                </div>
            }
            .any(),
        )
    };
    let none = move || bars.with(|bars| bars.as_ref().is_some_and(|bars| bars.is_empty()));
    let caption = view! {
        <span class="picture-note">{move || found.with(|found| found.as_ref().map(|stats| step_stats::device_text(stats, device.get())))}</span>
        <span class="grow"></span>
    }.any();
    view! {
        <div node_ref=node>
            {framed(state, model, "steps", choice, caption.into_any())}
            {live(figures)}
            {move || none().then(|| view! {
                <p class="chart-empty">"This device has no steps: neither a Steps line nor runs of a program. The whole capture is shown."</p>
            }.any())}
        </div>
    }.any()
}

/// Renders the devices side by side.
#[component]
pub(super) fn DevicesPicture(state: State, choice: AnyView) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let width = width_of(node);
    let found = request_step_stats(state);
    let scene = SharedMemo::new(move || {
        let stats = found.get()?;
        let selected = state.query.with(|query| query.device.single());
        let spread = step_stats::widest(&stats).map(|across| across.spread);
        Some(PtrEq::new(steps::devices_scene(&step_stats::devices(&stats), spread, selected, room(width.get()))))
    });
    let tip = move |index: u32| {
        let stats = found.get_untracked()?;
        let device = stats.devices.get(index as usize)?;
        let rows =
            spread_text::spread_text(device.all.as_ref()?).into_iter().map(|(label, value)| (label.to_owned(), value));
        Some(crate::chart::widgets::tip::Tip { title: device.label.clone(), rows: rows.collect() })
    };
    let model = model(scene, tip, move |index| state.choose_device(DeviceChoice::One(index)));
    let note = move || {
        found.with(|found| {
            let across = step_stats::widest(found.as_ref()?)?;
            let apart = format::percent_text(across.spread);
            Some(format!("largest skew in step {}: {apart} of its mean, {} slowest", across.number, across.slowest))
        })
    };
    let caption = view! { <span class="picture-note">{live(note)}</span> <span class="grow"></span> }.any();
    view! { <div node_ref=node>{framed(state, model, "devices", choice, caption.into_any())}</div> }.any()
}

fn model(
    scene: SharedMemo<Scene>,
    tip: impl Fn(u32) -> Option<crate::chart::widgets::tip::Tip> + Send + Sync + 'static,
    press: impl Fn(u32) + Send + Sync + 'static,
) -> Model {
    Model {
        scene,
        tip: Callback::new(tip),
        press: Callback::new(move |(index, _)| press(index)),
        out: Callback::new(|()| false),
        walk: None,
        key: None,
        focus: RwSignal::new(None),
    }
}
