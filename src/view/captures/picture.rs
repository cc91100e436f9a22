//! This module renders a figure of all captures over time. Its places and texts are in `chart::captures`.

use super::model::CapturesModel;
use crate::analysis::captures::CaptureFigure;
use crate::chart::captures::{self, CaptureMark, CaptureMarkKind, ChangeLine, Level};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::tree::width;
use leptos::prelude::*;

/// Largest number of captures whose marks are large.
const LARGE_MARKS: usize = 120;

/// Distances of two changes, as fractions of the width, below which their labels have no room beside each other.
const NEAR: f64 = 0.14;
const NEAR_ON_NARROW_PAGE: f64 = 0.4;

/// Renders the picture, with the switch between the figures.
#[component]
pub(super) fn Picture(model: CapturesModel) -> impl IntoView {
    let button = move |figure: CaptureFigure| {
        let pressed = move || (model.figure.get() == figure).to_string();
        view! { <button type="button" aria-pressed=pressed on:click=move |_| model.change(|view_state| view_state.figure = figure)>{figure.label()}</button> }.any()
    };
    let about = move || model.found.with(|found| found.as_ref().map(|list| captures::about(list)));
    view! {
        <section class="captures-picture" aria-label="Captures over time">
            <div class="picture-head">
                <div class="segmented" data-roving="" role="group" aria-label="Figure">{CaptureFigure::ALL.map(button).collect_view()}</div>
                <span class="about">{live(about)}</span>
            </div>
            {live(move || Some(drawn(model)))}
        </section>
    }
    .any()
}

fn drawn(model: CapturesModel) -> AnyView {
    let Some(found) = model.found.get() else { return ().into_any() };
    let Some(picture) = captures::picture(&found) else {
        let words = if found.n_read == 0 {
            "No capture has been read yet."
        } else {
            "No capture that was read has this figure."
        };
        return view! { <p class="captures-none sub">{words}</p> }.any();
    };
    let chosen = model.chosen();
    let tick = |tick: crate::chart::plot::ticks::Tick| {
        let y = width(tick.position);
        view! {
            <line class="grid-line" x1="0" x2="100%" y1=y.clone() y2=y.clone() />
            <text class="tick" x="-8" y=y dy="4" text-anchor="end">{tick.label}</text>
        }
        .any()
    };
    let date = |(x, text): (f64, String)| {
        view! { <text class="tick" x=width(x) y="100%" dy="16" text-anchor="middle">{text}</text> }.any()
    };
    let level = |level: Level| {
        let y = width(level.y);
        view! { <line class="level" x1=width(level.from) x2=width(level.to) y1=y.clone() y2=y /> }.any()
    };
    let is_small = picture.marks.len() > LARGE_MARKS;
    let mark = |capture_mark: CaptureMark| mark(model, capture_mark, &chosen, is_small);
    view! {
        <svg class="captures-series" role="img" aria-label=picture.sentence>
            {picture.ticks.into_iter().map(tick).collect_view()}
            <text class="tick" x="-8" y="8" text-anchor="end">{picture.unit}</text>
            {picture.dates.into_iter().map(date).collect_view()}
            {picture.levels.into_iter().map(level).collect_view()}
            {picture.marks.into_iter().map(mark).collect_view()}
            {picture.changes.into_iter().map(change).collect_view()}
        </svg>
    }
    .any()
}

fn mark(model: CapturesModel, mark: CaptureMark, chosen: &[u32], is_small: bool) -> AnyView {
    let (x, y) = (width(mark.x), width(mark.y));
    let radius = if is_small { "2.5" } else { "4.5" };
    let letter =
        chosen.iter().position(|capture| *capture == mark.capture).map(|index| if index == 0 { "A" } else { "B" });
    let spread = mark.spread.map(|(high, low)| {
        view! { <line class="spread" x1=x.clone() x2=x.clone() y1=width(high) y2=width(low) /> }.any()
    });
    let shape = match mark.kind {
        CaptureMarkKind::Whole => view! { <circle class="whole" cx=x.clone() cy=y.clone() r=radius /> }.any(),
        CaptureMarkKind::Partial => view! { <circle class="partial" cx=x.clone() cy=y.clone() r=radius /> }.any(),
        CaptureMarkKind::Other => {
            let class = if mark.fits_narrow { "tick" } else { "tick wide" };
            // A label near an edge stays within the picture.
            let (anchor, dx) = match mark.x {
                x if x > 0.9 => ("end", "8"),
                x if x < 0.1 => ("start", "-8"),
                _ => ("middle", "0"),
            };
            view! {
                <text class="other" x=x.clone() y=y.clone() text-anchor="middle">"▽"</text>
                <text class=class x=x.clone() y=y.clone() dx=dx dy="-14" text-anchor=anchor>{mark.label}</text>
            }
            .any()
        }
        CaptureMarkKind::Unknown => view! { <circle class="unknown" cx=x.clone() cy=y.clone() r="1.5" /> }.any(),
    };
    let letter = letter.map(|letter| {
        view! {
            <circle class="chosen" cx=x.clone() cy=y.clone() r="8" />
            <text class="letter" x=x.clone() y=y.clone() dy="24" text-anchor="middle">{letter}</text>
        }
        .any()
    });
    let capture = mark.capture;
    let choose = move |_| {
        if let Some(row) = untrack(|| model.row(capture)) {
            model.choose(row.key);
        }
    };
    view! { <g class="capture-mark" on:click=choose><title>{mark.title}</title>{spread}{letter}{shape}</g> }.any()
}

/// Renders a change. Its label is lower if it is so close to the change before that both would cover each other.
fn change(change_line: ChangeLine) -> AnyView {
    let tone = if change_line.is_worse { "worse" } else { "better" };
    let near = match change_line.distance {
        Some(distance) if distance < NEAR => "near",
        Some(distance) if distance < NEAR_ON_NARROW_PAGE => "near-if-narrow",
        _ => "",
    };
    let class = format!("jump {tone} {near}");
    let arrow = if change_line.is_more { "▲ " } else { "▼ " };
    // A label near the right edge ends at its line.
    let (anchor, dx) = if change_line.x > 0.75 { ("end", "-6") } else { ("start", "6") };
    let x = width(change_line.x);
    view! {
        <g class=class>
            <line x1=x.clone() x2=x.clone() y1=width(change_line.y.0) y2=width(change_line.y.1) />
            <text x=x.clone() y="2%" dy="10" dx=dx text-anchor=anchor>{arrow} {change_line.label}</text>
            <text class="cause" x=x y="2%" dy="24" dx=dx text-anchor=anchor>{change_line.cause}</text>
        </g>
    }
    .any()
}
