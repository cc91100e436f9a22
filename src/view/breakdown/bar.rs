//! This module renders the stacked bar of kinds. The bar is one tab stop, and arrow keys walk its segments. Hover and
//! focus show the same tooltip. A click filters the ops by the kind of the segment.

use crate::chart::breakdown::figures::{self, WindowPart};
use crate::chart::plot::label;
use crate::chart::plot::popover_position::Rect;
use crate::chart::plot::stack::{self, Segment};
use crate::chart::plot::time_part::TimePart;
use crate::chart::widgets::tip::Tip;
use crate::protocol::BreakdownHead;
use crate::view::state::{SharedMemo, State};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::size::{rect, width_of};
use crate::view::widgets::swatch::fill;
use leptos::prelude::*;
use leptos::{ev, html};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, SvgElement};

const HEIGHT: f64 = 30.0;
const TYPE: f64 = 12.0;

/// Builds the tooltip of a segment: its share of the step or of the capture (`whole`), and its exact time.
pub(super) fn tip(part: &WindowPart, whole: &str) -> Tip {
    let share = part.share.clone().unwrap_or_else(|| crate::table::format::ABSENT.to_owned());
    Tip {
        title: part.time_part.label().to_owned(),
        rows: vec![(format!("Of {whole}"), share), ("Time".to_owned(), part.exact.clone())],
    }
}

/// Renders the bar of kinds.
#[component]
pub(crate) fn StackedBar(state: State, head: SharedMemo<BreakdownHead>) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let width = width_of(node);
    let position = RwSignal::new(0usize);
    let drawing = move || {
        let head = head.get()?;
        let parts = figures::parts(&head);
        let times: Vec<_> = TimePart::all().map(|time_part| time_part.time(&head.totals)).collect();
        let segments = stack::segments(&times, width.get());
        let count = segments.len();
        position.set(position.get_untracked().min(count.saturating_sub(1)));
        let whole = head.header.window_word();
        let one = |(index, segment): (usize, Segment)| {
            parts.get(segment.index).map(|part| {
                view! { <Drawn state position=position index count part=part.clone() segment whole /> }.any()
            })
        };
        Some(view! {
            <svg width=width.get().to_string() height=HEIGHT.to_string() viewBox=format!("0 0 {} {HEIGHT}", width.get().max(1.0)) role="group" aria-label=figures::sentence(&parts)>
                {segments.into_iter().enumerate().filter_map(one).collect_view()}
            </svg>
        }.any())
    };
    view! { <div class="stack" node_ref=node>{live(drawing)}</div> }.any()
}

/// Filters the ops by the kind of `time_part`, or removes this filter if it is set. Idle time has no ops, so nothing
/// happens.
pub(super) fn toggle(state: State, time_part: TimePart) {
    if let TimePart::Kind(kind) = time_part {
        state.filter(|filter| filter.kind = (filter.kind != Some(kind)).then_some(kind));
    }
}

/// Returns whether the ops are filtered by the kind of `time_part`, as a value of `aria-pressed`. `None` stands for
/// idle time, which cannot be filtered.
pub(super) fn pressed(state: State, time_part: TimePart) -> Option<String> {
    let TimePart::Kind(kind) = time_part else { return None };
    Some((state.query.with(|query| query.filter.kind) == Some(kind)).to_string())
}

/// Renders one segment, with the longest label that fits.
#[component]
fn Drawn(
    state: State,
    position: RwSignal<usize>,
    index: usize,
    count: usize,
    part: WindowPart,
    segment: Segment,
    whole: &'static str,
) -> impl IntoView {
    let (tips, time_part) = (state.tips, part.time_part);
    let tooltip = tip(&part, whole);
    let hovered = tooltip.clone();
    let hover = move |event: ev::PointerEvent| {
        let place = event.current_target().map(|target| rect(target.unchecked_ref::<Element>())).unwrap_or_default();
        tips.point(&event, hovered.clone(), Rect { x: f64::from(event.client_x()) + 12.0, width: 0.0, ..place });
    };
    let focused = tooltip;
    let focus = move |event: ev::FocusEvent| {
        position.set(index);
        tips.focus(focused.clone(), rect(&event_target::<Element>(&event)));
    };
    let share = part.share.clone().unwrap_or_default();
    let wordings = label::wordings(part.time_part.label(), part.time_part.short(), &share);
    let text = label::fit(&wordings, TYPE, segment.width - 14.0).map(str::to_owned);
    let on = format!("segment-label on-{}", part.time_part.class());
    let name = format!("{} {share}, {} {}", part.time_part.label(), part.time.unwrap_or_default(), part.unit);
    // Speech control looks for the text that is seen, which may be the short name.
    let name =
        text.as_ref().filter(|text| !name.contains(*text)).map_or(name.clone(), |text| format!("{text}: {name}"));
    view! {
        <g
            class="segment"
            class:off=move || state.query.with(|query| query.filter.kind).is_some_and(|kind| TimePart::Kind(kind) != time_part)
            role=if time_part == TimePart::Idle { "img" } else { "button" }
            aria-pressed=move || pressed(state, time_part)
            aria-label=name
            tabindex=move || if position.get() == index { "0" } else { "-1" }
            on:pointermove=hover
            on:pointerleave=move |_| tips.leave()
            on:focus=focus
            on:blur=move |_| tips.hide()
            on:click=move |_| toggle(state, time_part)
            on:keydown=move |event: ev::KeyboardEvent| {
                if matches!(event.key().as_str(), "Enter" | " ") {
                    event.prevent_default();
                    toggle(state, time_part);
                } else {
                    walk(&event, index, count);
                }
            }
        >
            <rect class=fill(part.time_part) x=segment.x.to_string() y="0" width=segment.width.to_string() height=HEIGHT.to_string() />
            {text.map(|text| view! { <text class=on x=(segment.x + 8.0).to_string() y="19">{text}</text> }.any())}
        </g>
    }.any()
}

/// Moves the focus to another segment by the arrow keys, Home and End.
fn walk(event: &ev::KeyboardEvent, index: usize, count: usize) {
    let to = match event.key().as_str() {
        "ArrowLeft" => index.checked_sub(1),
        "ArrowRight" => Some(index + 1).filter(|to| *to < count),
        "Home" => Some(0),
        "End" => count.checked_sub(1),
        _ => return,
    };
    event.prevent_default();
    let parent = event.current_target().and_then(|target| target.unchecked_into::<Element>().parent_element());
    let to = to.and_then(|to| u32::try_from(to).ok());
    if let Some(segment) = to.and_then(|to| parent?.children().item(to)) {
        // An SVG element has the same `focus` function as an HTML element.
        let _ = segment.unchecked_into::<SvgElement>().unchecked_into::<HtmlElement>().focus();
    }
}
