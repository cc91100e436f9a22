//! This module renders the peaks in use and their editor: peaks of the capture, published peaks, peaks of another chip,
//! or peaks that the user types. A change applies at once.

use super::model::RooflineModel;
use crate::analysis::roofline::{PeakResource, PeakSource, RooflineFigures};
use crate::chart::roofline::numbers;
use crate::chart::roofline::peaks::{self, Line};
use crate::chip::Chip;
use crate::protocol::url::roofline::RooflineViewState;
use crate::view::state::State;
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::picker::Picker;
use crate::view::widgets::popover::Popover;
use leptos::ev;
use leptos::prelude::*;

/// Renders the button with the peaks in use, and the editor that it opens.
#[component]
pub(super) fn Peaks(model: RooflineModel) -> impl IntoView {
    let with_figures = move |read: fn(&RooflineFigures) -> AnyView| {
        model.head.with(|head| head.as_ref().map(|head| read(&head.figures)))
    };
    let face = move || {
        let text = with_figures(|figures| {
            let one = |(value, unit): (String, &'static str)| {
                view! { <span><b>{value}</b> <span class="unit">" " {unit}</span></span> }.any()
            };
            let short = figures.peaks.first().map(peaks::short).unwrap_or_default();
            view! {
                <span class="peaks-source">{peaks::device_text(figures)}</span>
                {short.into_iter().map(one).collect_view()}
                <span class="change">"change"</span>
            }
            .any()
        });
        text.into_any()
    };
    view! {
        <Popover
            id="peaks"
            class="peaks-button"
            panel_class="editor"
            face=Box::new(move || live(face).into_any())
        >
            {move || if model.state.can(|can| can.other_peaks) { view! { <Editor model /> }.any() } else { fixed_peaks() }}
        </Popover>
    }
    .any()
}

fn fixed_peaks() -> AnyView {
    view! { <p>"A summary is computed with the peaks of its capture. Open the capture to compute with other peaks."</p> }.any()
}

#[component]
fn Editor(model: RooflineModel) -> impl IntoView {
    let prefer = move |source: PeakSource, label: &'static str| {
        let pressed = move || model.view_state.with(|view_state| view_state.peaks.prefer == source).to_string();
        view! { <button type="button" aria-pressed=pressed on:click=move |_| model.set_peak_source(source)>{label}</button> }
            .any()
    };
    let chip = move || {
        model
            .head
            .with(|head| head.as_ref()?.figures.peaks.first()?.chip.clone())
            .unwrap_or_else(|| "not known".to_owned())
    };
    let lines = Memo::new(move |_| {
        let lines = model.head.with(|head| head.as_ref()?.figures.peaks.first().map(peaks::lines)).unwrap_or_default();
        lines.into_iter().map(|line| (line.resource, line.label, line.unit, line.can_change)).collect::<Vec<_>>()
    });
    let table = move || lines.get().into_iter().map(|line| peak_row(model, line)).collect_view();
    let plain = move || model.view_state.with(|view_state| view_state.peaks == Default::default());
    view! {
        <h2>"Peaks of one device"</h2>
        <div class="editor-row">
            <div class="segmented" data-roving="" role="group" aria-label="Which come first">
                {prefer(PeakSource::Profile, "Profile")}
                {prefer(PeakSource::Published, "Published")}
            </div>
            {chips(model.state, "peaks-chip")}
            <span class="sub">{chip}</span>
        </div>
        <table class="editor-table">
            <thead><tr><th scope="col">"Of"</th><th scope="col">"Peak"</th><th scope="col">"From"</th></tr></thead>
            <tbody>{live(table)}</tbody>
        </table>
        <div class="editor-foot">
            <button type="button" class="btn line" disabled=plain on:click=move |_| model.change(|view_state| view_state.peaks = Default::default())>
                "Reset"
            </button>
            <span class="sub">"Base 10. Leave empty to use the default."</span>
        </div>
    }
    .any()
}

/// Renders the picker of a chip from the table of chips. `id` is the id of the picker.
pub(crate) fn chips(state: State, id: &'static str) -> AnyView {
    let choices = Memo::new(|_| peaks::chips());
    let chosen = Signal::derive(move || {
        let chip = state.views.with(|views| views.roofline.peaks.chip.as_deref().and_then(Chip::named));
        chip.map(|chip| chip.name)
    });
    let choose = Callback::new(move |name: Option<&'static str>| {
        state.change_views(|views| views.roofline.peaks.chip = name.map(str::to_owned));
    });
    view! { <Picker id=id label="Chip" list="Chips" choices chosen choose /> }.any()
}

/// Renders a button that chooses a proposed chip.
pub(crate) fn chip_button(state: State, chip: String) -> AnyView {
    let label = format!("Use {chip}");
    let choose = move |_| state.change_views(|views| views.roofline.peaks.chip = Some(chip.clone()));
    view! { <button type="button" class="btn line small-text" on:click=choose>{label}</button> " " }.any()
}

fn peak_row(
    model: RooflineModel,
    (resource, label, unit, can_change): (PeakResource, &'static str, &'static str, bool),
) -> AnyView {
    let line = Memo::new(move |_| {
        let lines = model.head.with(|head| head.as_ref()?.figures.peaks.first().map(peaks::lines));
        lines.and_then(|lines| lines.into_iter().find(|line| line.resource == resource))
    });
    let value = move || line.with(|line| line.as_ref()?.value).map(numbers::shown).unwrap_or_default();
    let from = move || {
        line.with(|line| match line {
            Some(Line { source: Some(PeakSource::Yours), .. }) => "yours".to_owned(),
            Some(Line { from, source: Some(_), .. }) => from.clone(),
            _ => "unknown".to_owned(),
        })
    };
    let typed = move |event: ev::Event| {
        let text = event_target_value(&event);
        match numbers::typed(&text).filter(|value| *value > 0.0) {
            Some(value) => model.change(|view_state| give(view_state, resource, Some(value * peaks::scale(resource)))),
            None if text.trim().is_empty() => model.change(|view_state| give(view_state, resource, None)),
            // A text that is no number is not applied: the field shows the value in use again.
            None => event_target::<web_sys::HtmlInputElement>(&event).set_value(&untrack(value)),
        }
    };
    let field = if can_change {
        let name = format!("{label}, {unit}");
        view! { <input type="text" inputmode="decimal" aria-label=name autocomplete="off" prop:value=value on:change=typed /> }.any()
    } else {
        view! { <span>{live(value)}</span> }.any()
    };
    view! {
        <tr>
            <th scope="row">{label}</th>
            <td class="num">{field} <span class="unit">" " {unit}</span></td>
            <td class="editor-from">{live(from)}</td>
        </tr>
    }
    .any()
}

/// Sets a peak of the user; `None` removes it.
fn give(view_state: &mut RooflineViewState, peak: PeakResource, value: Option<f64>) {
    match peak {
        PeakResource::Compute(precision) => {
            view_state.peaks.flops.retain(|(other, _)| *other != precision);
            view_state.peaks.flops.extend(value.map(|value| (precision, value)));
        }
        PeakResource::Memory(_) => view_state.peaks.hbm_bytes = value,
    }
}
