//! The read-out under the bar: every kind and idle, with time and share, also where there is none.

use super::bar::tip;
use crate::chart::readout::{self, Part};
use crate::engine::BreakdownHead;
use crate::report::number::ABSENT;
use crate::view::state::{Same, State};
use crate::view::widgets::size::rect;
use crate::view::widgets::swatch::swatch;
use leptos::{ev, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::Element;

/// The row of parts.
#[component]
pub(crate) fn Parts(state: State, head: Memo<Option<Same<BreakdownHead>>>) -> impl IntoView {
    let row = move || {
        let head = head.get()?;
        let whole = readout::whole(&head.header);
        Some(readout::parts(&head).into_iter().map(|part| one(state, &part, whole)).collect_view())
    };
    let units = move || {
        let head = head.get()?;
        let unit = readout::parts(&head).first().map(|part| part.unit)?;
        Some(format!("{unit}, % of {}", readout::whole(&head.header)))
    };
    view! {
        <p class="parts-units" aria-hidden="true">{units}</p>
        <dl class="parts">{row}</dl>
    }
    .into_any()
}

fn one(state: State, part: &Part, whole: &'static str) -> AnyView {
    let tips = state.tips;
    let said = tip(part, whole);
    let hover = move |event: ev::PointerEvent| {
        if let Some(target) = event.current_target() {
            tips.hover(said.clone(), rect(target.unchecked_ref::<Element>()));
        }
    };
    let share =
        part.share.as_ref().map_or_else(|| format!("none in this {whole}"), |share| format!("{share} of {whole}"));
    let short = part.share.as_deref().map(|share| share.trim_end_matches(" %").to_owned()).unwrap_or_default();
    view! {
        <div class="part" class:zero=part.time.is_none() on:pointerenter=hover on:pointerleave=move |_| tips.leave()>
            <dt>
                {swatch(part.slot)}
                <span class="wide">{part.slot.label()}</span>
                <span class="narrow">{part.slot.short()}</span>
            </dt>
            <dd class="part-time">
                {part.time.clone().unwrap_or_else(|| ABSENT.to_owned())}
                {part.time.is_some().then(|| view! { <span class="unit wide">{format!(" {}", part.unit)}</span> })}
            </dd>
            <dd class="part-share"><span class="wide">{share}</span> <span class="narrow">{short}</span></dd>
        </div>
    }
    .into_any()
}
