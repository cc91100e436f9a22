//! This module renders the pane “Will it fit?”: the memory of the program with another size of the model or of the batch.

use super::model::MemoryModel;
use crate::analysis::memory::{
    FIT_METHOD, FIT_UNKNOWN, Fit, FitVerdict, JobSize, MemoryClass, SizeField, fit_verdict, largest_sizes, parse_size,
};
use crate::chart::memory::UNIT;
use crate::chart::memory::fit::{self, Row};
use crate::table::format;
use crate::view::roofline::{self, chip_button};
use crate::view::state::State;
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::icon::{Icon, icon};
use leptos::ev;
use leptos::prelude::*;

/// Renders the fields, the verdict and the table. The sizes stay in this tab.
#[component]
pub(super) fn FitPane(model: MemoryModel) -> impl IntoView {
    let measured =
        Memo::new(move |_| model.memory.with(|memory| Some(memory.as_ref()?.space.as_ref()?.fit.as_ref()?.size)));
    let chosen = RwSignal::new(None::<JobSize>);
    let size = Memo::new(move |_| chosen.get().or(measured.get()));
    let known = Memo::new(move |_| model.check.with(|check| Some(check.as_ref()?.capacity.as_ref()?.size)));
    let chip = move || {
        let name = model.state.views.with(|views| views.roofline.peaks.chip.clone())?;
        fit::memory_of_chip(&name)
    };
    let found = Memo::new(move |_| {
        let capacity = known.get().or_else(chip);
        model.memory.with(|memory| Fit::new(memory.as_ref()?.space.as_ref()?, size.get()?, capacity))
    });
    let body = move || match found.get() {
        Some(found) => estimate(&found),
        None => view! { <p class="memory-none">{FIT_UNKNOWN}</p> }.any(),
    };
    let has_size = move || measured.get().is_some();
    let fields =
        move || has_size().then(|| SizeField::ALL.map(|size_field| field(size_field, size, chosen)).collect_view());
    let reset = move || {
        let is_changed = chosen.get().is_some() && chosen.get() != measured.get();
        is_changed.then(|| view! { <button type="button" class="link" on:click=move |_| chosen.set(None)>"Sizes of this program"</button> }.any())
    };
    view! {
        <div class="found fit" tabindex="0" role="region" aria-label="Will it fit?">
            <div class="fit-fields">{live(fields)} {live(reset)}</div>
            {live(move || (known.get().is_none() && found.with(Option::is_some)).then(|| chips(model.state)))}
            {live(body)}
        </div>
    }
    .any()
}

/// Renders the picker of the chip whose memory the program should fit, and a button with the chip that the name of a file mentions.
fn chips(state: State) -> AnyView {
    let is_chosen = move || state.views.with(|views| views.roofline.peaks.chip.is_some());
    let named = move || {
        let chip = state.opened.with(|opened| fit::chip_of_files(&opened.as_ref()?.name))?;
        (!is_chosen()).then(|| view! { <span class="sub">"The name of the file suggests it: "</span> {chip_button(state, chip.to_owned())} }.any())
    };
    view! {
        <p class="fit-chip">
            <span class="sub">"Fit the memory of"</span> {roofline::chips(state, "fit-chip")} " " {live(named)}
        </p>
    }
    .any()
}

/// Renders a field of the sizes.
fn field(field: SizeField, size: Memo<Option<JobSize>>, chosen: RwSignal<Option<JobSize>>) -> AnyView {
    let is_wrong = RwSignal::new(false);
    let typed = move |event: ev::Event| {
        let value = parse_size(&event_target_value(&event));
        is_wrong.set(value.is_none());
        if let (Some(size), Some(value)) = (size.get_untracked(), value) {
            chosen.set(Some(field.with_value(size, value)));
        }
    };
    let value = move || size.get().map_or_else(String::new, |size| format::count(field.value(&size)));
    let invalid = move || is_wrong.get().then_some("true");
    let advice = move || {
        is_wrong
            .get()
            .then(|| view! { <span class="bad" role="status">"A number from 1 on: 8.03B, 2,048"</span> }.any())
    };
    view! {
        <label class="fit-field">
            <span class="sub">{field.label()}</span>
            <input type="text" inputmode="decimal" autocomplete="off" spellcheck="false" aria-invalid=invalid prop:value=value on:change=typed />
            {live(advice)}
        </label>
    }
    .any()
}

/// Renders the verdict, the bar and the table of an estimate.
fn estimate(found: &Fit) -> AnyView {
    let (verdict, sentence) = fit_verdict(found);
    let (class, mark) = match verdict {
        FitVerdict::Fits => ("good", Some(Icon::Check)),
        FitVerdict::Tight => ("caution", Some(Icon::Warn)),
        FitVerdict::DoesNotFit => ("bad", Some(Icon::Warn)),
        FitVerdict::Unknown => ("", None),
    };
    let (parts, limit) = fit::bar(found);
    let part = |(class, share): (MemoryClass, f64)| {
        let width = format!("{:.3}%", share * 100.0);
        view! { <span class=format!("class-swatch {}", class.key()) style:width=width></span> }.any()
    };
    let limit = limit.map(|place| {
        let left = format!("{:.3}%", place.min(1.0) * 100.0);
        view! { <span class="fit-limit" style:left=left></span> }.any()
    });
    let (rows, [measured, total]) = fit::rows(found);
    let row = |row: Row| {
        let [rule, measured, estimate] = row.sizes;
        view! {
            <tr>
                <th scope="row"><span class=format!("class-swatch {}", row.class.key())></span> {row.class.label()}</th>
                <td class="sub">{row.grows_with}</td>
                <td class="num">{rule}</td><td class="num">{measured}</td><td class="num">{estimate}</td>
            </tr>
        }
        .any()
    };
    let unit = view! { <span class="sub">" " {UNIT}</span> };
    view! {
        <p class="fit-verdict" role="status"><strong class=class>{mark.map(icon)} " " {sentence}</strong> " " {largest_sizes(found)}</p>
        <div class="fit-bar" aria-hidden="true">{parts.into_iter().map(part).collect_view()}{limit}</div>
        <table class="found-table">
            <thead><tr>
                <th scope="col">"Class"</th><th scope="col">"Grows with"</th><th scope="col" class="num">"Rule of thumb"</th>
                <th scope="col" class="num">"Measured"</th><th scope="col" class="num">"With these sizes" {unit}</th>
            </tr></thead>
            <tbody>{rows.into_iter().map(row).collect_view()}</tbody>
            <tfoot><tr><th scope="row">"Peak"</th><td></td><td></td><td class="num">{measured}</td><td class="num">{total}</td></tr></tfoot>
        </table>
        <p class="sub">{FIT_METHOD}</p>
    }
    .any()
}
