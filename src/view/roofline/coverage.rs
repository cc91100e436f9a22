//! This module renders the share of the time that the roofline model covers, as one bar, and beside it the peaks in use
//! and the editors of kernel costs and useful FLOPs.

use super::model::RooflineModel;
use super::{editors, peaks};
use crate::analysis::roofline::SkipReason;
use crate::chart::roofline::coverage::{self, CoveragePart};
use crate::chart::widgets::tip::Tip;
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::size::rect;
use crate::view::widgets::tree::width;
use leptos::ev;
use leptos::prelude::*;
use web_sys::Element;

/// Renders the bar, and the buttons beside it.
#[component]
pub(super) fn Coverage(model: RooflineModel) -> impl IntoView {
    let parts = Memo::new(move |_| {
        model.head.with(|head| head.as_ref().map(|head| coverage::parts(&head.figures))).unwrap_or_default()
    });
    let bar = move || {
        let mut end = 0.0;
        let one = |part: &CoveragePart| {
            let x = end;
            end += part.share;
            let class = if part.reason.is_none() { "covered" } else { "uncovered" };
            view! { <rect class=class x=width(x) width=width(part.share) height="100%" /> }.any()
        };
        parts.with(|parts| parts.iter().map(one).collect_view())
    };
    let items = move || {
        let one = |part: &CoveragePart| {
            let text = format!("{} {}", crate::table::format::percent_text(part.share), part.label);
            let class = if part.reason.is_none() { "covered-part" } else { "uncovered-part" };
            let (title, detail) = (part.label.clone(), part.amount.clone());
            let hover = move |event: ev::PointerEvent| {
                let tip = Tip { title: title.clone(), rows: vec![("Time".to_owned(), detail.clone())] };
                model.state.tips.point(&event, tip, rect(&event_target::<Element>(&event)));
            };
            let opaque = part.reason == Some(SkipReason::OpaqueCall);
            view! {
                <li class=class on:pointerenter=hover on:pointerleave=move |_| model.state.tips.leave()>
                    {text} <span class="visually-hidden">" (" {part.amount.clone()} ")"</span>
                    {opaque.then(editors::hint)}
                </li>
            }
            .any()
        };
        parts.with(|parts| parts.iter().map(one).collect_view())
    };
    let sentence = move || parts.with(|parts| coverage::sentence(parts));
    view! {
        <div class="coverage">
            <div class="coverage-bar">
                <svg role="img" aria-label=sentence>{live(bar)}</svg>
                <ul>{live(items)}</ul>
            </div>
            <div class="coverage-tools" data-roving="">
                <peaks::Peaks model />
                <editors::Kernels model />
                <editors::Useful state=model.state />
            </div>
        </div>
    }
    .any()
}
