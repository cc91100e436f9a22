//! This module renders the pictures of a comparison: the waterfall of the difference, and the steps of both sides.

use super::model::CompareModel;
use crate::analysis::compare::Comparison;
use crate::chart::compare::{self, StepDot, WaterfallRow, WaterfallRowKind};
use crate::view::type_erasure::EraseType;
use crate::view::widgets::swatch::swatch;
use crate::view::widgets::tree::width;
use leptos::prelude::*;

/// Renders both pictures.
pub(super) fn pictures(model: CompareModel, of: &Comparison) -> AnyView {
    view! {
        {waterfall(model, of)}
        <aside class="compare-side-column" aria-label="Steps and matches">{steps(of)} {matched(of)}</aside>
    }
    .any()
}

/// Renders the waterfall as a table with a bar in each row.
fn waterfall(model: CompareModel, of: &Comparison) -> AnyView {
    let waterfall = compare::waterfall(of);
    let zero = width(waterfall.zero);
    let row = |row: WaterfallRow| waterfall_row(model, row, &zero);
    let tick =
        |tick: crate::chart::plot::ticks::Tick| view! { <span style:left=width(tick.at)>{tick.label}</span> }.any();
    view! {
        <section class=format!("waterfall {}", compare::verdict_class(of.verdict)) aria-labelledby="waterfall-title">
            <h2 id="waterfall-title">
                "What the difference is made of "
                <span class="about">{waterfall.unit} "; each bar starts where the one above ends"</span>
            </h2>
            <table>
                <colgroup>
                    <col class="waterfall-label" /><col class="waterfall-detail" /><col /><col class="waterfall-value" /><col class="waterfall-change" />
                </colgroup>
                <thead class="visually-hidden">
                    <tr><th scope="col">"Part"</th><th scope="col">"A and B"</th><th scope="col">"Bar"</th><th scope="col">"Difference"</th><th scope="col">"Change"</th></tr>
                </thead>
                <tbody>{waterfall.rows.into_iter().map(row).collect_view()}</tbody>
            </table>
            <div class="waterfall-axis" aria-hidden="true"><div>{waterfall.ticks.into_iter().map(tick).collect_view()}</div></div>
        </section>
    }
    .any()
}

fn waterfall_row(model: CompareModel, row: WaterfallRow, zero: &str) -> AnyView {
    let (start, end) = row.bar;
    let (left, wide) = (start.min(end), (end - start).abs());
    let tone = if row.difference_ps < 0 { "less" } else { "more" };
    let kind = match row.kind {
        WaterfallRowKind::Total => "difference-total",
        WaterfallRowKind::Part => "difference-part",
        WaterfallRowKind::Op => "difference-op",
        WaterfallRowKind::Rest => "difference-part",
    };
    // A part with a bracket stands above the bars of its ops.
    let (y, height) = if row.kind == WaterfallRowKind::Total { ("32%", "36%") } else { ("18%", "64%") };
    let label = match row.key {
        Some(key) => view! {
            <button type="button" class="link mono" on:click=move |_| model.open_row(&key)>{row.label.clone()}</button>
        }
        .any(),
        None => view! { {row.time_part.map(swatch)} " " <span>{row.label.clone()}</span> }.any(),
    };
    view! {
        <tr class=kind>
            <th scope="row" title=row.label>{label}</th>
            <td class="num sub">{row.detail}</td>
            <td class="waterfall-bar">
                <svg aria-hidden="true">
                    <line class="waterfall-zero" x1=zero.to_owned() x2=zero.to_owned() y1="0" y2="100%" />
                    <rect class=tone x=width(left) width=width(wide) y=y height=height />
                </svg>
            </td>
            <td class=format!("num {tone}")>{row.value}</td>
            <td class="num sub">{row.change}</td>
        </tr>
    }
    .any()
}

/// Renders the steps of both sides as dots, with a line for each mean.
fn steps(of: &Comparison) -> AnyView {
    let Some(picture) = compare::steps(of) else {
        return view! {
            <section>
                <h2>"Steps"</h2>
                <p class="sub">"A side has no steps, so only the whole captures are compared."</p>
            </section>
        }
        .any();
    };
    let place = |side: usize, x: f64| width(0.14 + 0.43 * side as f64 + 0.40 * x);
    let tick = |tick: crate::chart::plot::ticks::Tick| {
        let y = width(tick.at);
        view! {
            <line class="grid-line" x1="13%" x2="100%" y1=y.clone() y2=y.clone() />
            <text class="tick" x="11%" y=y dy="4" text-anchor="end">{tick.label}</text>
        }
        .any()
    };
    let side = |(side, (dots, mean)): (usize, (Vec<StepDot>, f64))| {
        let dot = |dot: StepDot| {
            view! { <circle class="step-dot" cx=place(side, dot.x) cy=width(dot.y) r="4"><title>{dot.time}</title></circle> }.any()
        };
        let y = width(mean);
        view! {
            <line class="step-mean" x1=place(side, 0.0) x2=place(side, 1.0) y1=y.clone() y2=y />
            {dots.into_iter().map(dot).collect_view()}
        }
        .any()
    };
    view! {
        <section>
            <h2>"Steps " <span class="about">{picture.unit} "; a dot each, a line for the mean"</span></h2>
            <svg class="compare-steps" role="img" aria-label=picture.sentence>
                {picture.ticks.into_iter().map(tick).collect_view()}
                {picture.sides.into_iter().enumerate().map(side).collect_view()}
            </svg>
            <p class="compare-steps-names" aria-hidden="true"><span>"A"</span><span>"B"</span></p>
        </section>
    }
    .any()
}

/// Renders how the time of both sides was matched.
fn matched(of: &Comparison) -> AnyView {
    let row = |(label, a, b): (String, String, String)| {
        view! { <tr><th scope="row">{label}</th><td class="num">{a}</td><td class="num">{b}</td></tr> }.any()
    };
    view! {
        <section>
            <h2>"Matched by"</h2>
            <table class="matched-table">
                <thead><tr><th scope="col">"Ops have the same"</th><th scope="col" class="num">"of A"</th><th scope="col" class="num">"of B"</th></tr></thead>
                <tbody>{compare::matched(of).into_iter().map(row).collect_view()}</tbody>
            </table>
        </section>
    }
    .any()
}
