//! This module renders the legend below the bar: the time and the share of every kind and of idle time, including kinds
//! that do not occur.

use super::bar::{pressed, tip, toggle};
use crate::chart::breakdown::figures::{self, WindowPart};
use crate::chart::plot::time_part::TimePart;
use crate::protocol::BreakdownHead;
use crate::table::format::ABSENT;
use crate::view::state::{SharedMemo, State};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::size::rect;
use crate::view::widgets::swatch::swatch;
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// Renders the legend of the bar.
#[component]
pub(crate) fn Parts(state: State, head: SharedMemo<BreakdownHead>) -> impl IntoView {
    let row = move || {
        let head = head.get()?;
        let whole = head.header.window_word();
        Some(figures::parts(&head).into_iter().map(|part| part_item(state, &part, whole)).collect_view())
    };
    let units = move || {
        let head = head.get()?;
        let unit = figures::parts(&head).first().map(|part| part.unit)?;
        Some(format!("{unit}, % of {}", head.header.window_word()))
    };
    view! {
        <p class="parts-units" aria-hidden="true">{live(units)}</p>
        <dl class="parts" data-roving="">{live(row)}</dl>
    }
    .any()
}

fn part_item(state: State, part: &WindowPart, whole: &'static str) -> AnyView {
    let tips = state.tips;
    let tooltip = tip(part, whole);
    let hover = move |event: ev::PointerEvent| {
        if let Some(target) = event.current_target() {
            tips.point(&event, tooltip.clone(), rect(target.unchecked_ref::<Element>()));
        }
    };
    let share =
        part.share.as_ref().map_or_else(|| format!("none in this {whole}"), |share| format!("{share} of {whole}"));
    let short = part.share.as_deref().map(|share| share.trim_end_matches(" %").to_owned()).unwrap_or_default();
    view! {
        <div class="part" class:zero=part.time.is_none() on:pointerenter=hover on:pointerleave=move |_| tips.leave()>
            <dt>{name(state, part.time_part, part.time.is_some())}</dt>
            <dd class="part-time">
                {part.time.clone().unwrap_or_else(|| ABSENT.to_owned())}
                {part.time.is_some().then(|| view! { <span class="unit wide">{format!(" {}", part.unit)}</span> }.any())}
            </dd>
            <dd class="part-share"><span class="wide">{share}</span> <span class="narrow">{short}</span></dd>
        </div>
    }.any()
}

/// Renders the name of a part. If the part has ops, the name is a button that filters by its kind.
fn name(state: State, time_part: TimePart, any: bool) -> AnyView {
    let words = view! {
        {swatch(time_part)}
        <span class="wide">{time_part.label()}</span>
        <span class="narrow">{time_part.short()}</span>
    }
    .any();
    if time_part == TimePart::Idle || !any {
        return words.into_any();
    }
    view! {
        <button
            type="button"
            class="part-name"
            title="Show only these ops"
            aria-pressed=move || pressed(state, time_part)
            on:click=move |_| toggle(state, time_part)
        >
            {words}
        </button>
    }
    .any()
}
