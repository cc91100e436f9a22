//! This module renders the pictures of a comparison: the waterfall of the difference, and the steps of both sides.

use super::model::CompareModel;
use super::{scatter, scopes, timeline};
use crate::analysis::compare::Comparison;
use crate::chart::compare::{self, StepDot, WaterfallLink, WaterfallRow, WaterfallRowKind};
use crate::protocol::url::compare::ComparePane;
use crate::report;
use crate::table::text::Table;
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::swatch::swatch;
use crate::view::widgets::tree::width;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// Largest number of changes and of collectives that are listed.
const SHOWN: usize = 30;

/// Renders the chosen picture with the switch between all of them, and beside it steps and matches.
pub(super) fn pictures(model: CompareModel) -> AnyView {
    let pane = Memo::new(move |_| model.view_state.with(|view_state| view_state.pane));
    let main = move || match pane.get() {
        ComparePane::Scopes => Some(view! { <scopes::Scopes model choice=choice(model) /> }.any()),
        ComparePane::Timeline => Some(view! { <timeline::Timeline model choice=choice(model) /> }.any()),
        ComparePane::Scatter => Some(view! { <scatter::Scatter model choice=choice(model) /> }.any()),
        pane => {
            let picture = move || Some(chosen_picture(model, &*model.found.get()?, pane));
            Some(
                view! {
                    <div class="picture-head">{choice(model)} <span class="about">{live(move || Some(compare::picture_text(&*model.found.get()?, pane)))}</span></div>
                    {live(picture)}
                }
                .any(),
            )
        }
    };
    let beside = move || {
        let comparison = model.found.get().filter(|_| !pane.get().is_wide())?;
        Some(view! { <aside class="compare-side-column" aria-label="Steps and matches">{steps(&comparison)} {matched(&comparison)}</aside> }.any())
    };
    view! {
        <div class="compare-main">
            {live(main)}
        </div>
        {live(beside)}
    }
    .any()
}

fn chosen_picture(model: CompareModel, comparison: &Comparison, pane: ComparePane) -> AnyView {
    let (memory, changes) = (&comparison.memory, &comparison.program_changes);
    let (sentences, table, same) = match pane {
        ComparePane::Waterfall | ComparePane::Scopes | ComparePane::Timeline | ComparePane::Scatter => {
            return waterfall(model, comparison);
        }
        ComparePane::Programs => (
            report::compare::program::sentences(changes),
            report::compare::program::table(comparison, SHOWN),
            "The programs are the same, apart from names, ids and sources.",
        ),
        ComparePane::Memory => (
            report::compare::sections::memory_sentences(memory),
            report::compare::sections::memory_table(memory),
            "Neither side tells its memory.",
        ),
        ComparePane::Communication => (
            comparison.comm.absent.iter().map(|absent| report::compare::sections::no_comm(absent)).collect(),
            report::compare::sections::comm(&comparison.comm, SHOWN),
            "No collective differs.",
        ),
    };
    section(pane, sentences, table, same)
}

/// Moves the focus to the switch of the chosen picture, which is another element than that of the picture before.
fn focus_choice() {
    let button = document().query_selector(".compare .picture-head [aria-pressed=true]").ok().flatten();
    if let Some(button) = button.and_then(|button| button.dyn_into::<web_sys::HtmlElement>().ok()) {
        let _ = button.focus();
    }
}

/// Renders the switch between the pictures.
fn choice(model: CompareModel) -> AnyView {
    let button = move |pane: ComparePane| {
        let pressed = move || (model.view_state.with(|view_state| view_state.pane) == pane).to_string();
        let choose = move |_| {
            model.change(|view_state| view_state.pane = pane);
            request_animation_frame(focus_choice);
        };
        view! { <button type="button" aria-pressed=pressed on:click=choose>{pane.label()}</button> }.any()
    };
    view! {
        <div class="segmented" data-roving="" role="group" aria-label="Picture">{ComparePane::ALL.map(button).collect_view()}</div>
    }
    .any()
}

/// Renders sentences and a table of differences. `same` says that there are none.
fn section(pane: ComparePane, sentences: Vec<String>, table: Option<Table>, same: &'static str) -> AnyView {
    let none = (sentences.is_empty() && table.is_none()).then(|| view! { <p>{same}</p> }.any());
    let table = table.map(|Table { heads, text, rows }| {
        let class = move |column: usize| if text.get(column).copied().unwrap_or(true) { "" } else { "num" };
        let head = heads
            .into_iter()
            .enumerate()
            .map(|(index, head)| view! { <th scope="col" class=class(index)>{head}</th> }.any());
        let head = head.collect_view();
        let row = |row: Vec<String>| {
            let cell = |(index, cell): (usize, String)| view! { <td class=class(index)>{cell}</td> }.any();
            view! { <tr>{row.into_iter().enumerate().map(cell).collect_view()}</tr> }.any()
        };
        view! {
            <table class="found-table">
                <thead><tr>{head}</tr></thead>
                <tbody>{rows.into_iter().map(row).collect_view()}</tbody>
            </table>
        }
        .any()
    });
    let sentence = |text: String| view! { <p>{text}</p> }.any();
    view! {
        <div class="compare-found" tabindex="0" role="region" aria-label=format!("{}: what differs", pane.label())>
            {sentences.into_iter().map(sentence).collect_view()} {none} {table}
        </div>
    }
    .any()
}

/// Renders the waterfall as a table with a bar in each row.
fn waterfall(model: CompareModel, comparison: &Comparison) -> AnyView {
    let waterfall = compare::waterfall(comparison);
    let zero = width(waterfall.zero);
    let row = |row: WaterfallRow| waterfall_row(model, row, &zero);
    let tick = |tick: crate::chart::plot::ticks::Tick| {
        view! { <span style:left=width(tick.position)>{tick.label}</span> }.any()
    };
    view! {
        <section class=format!("waterfall {}", compare::verdict_class(comparison.verdict)) aria-label="What the difference is made of">
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
        WaterfallRowKind::Part | WaterfallRowKind::Rest => "difference-part",
        WaterfallRowKind::Op => "difference-op",
    };
    // A part with a bracket stands above the bars of its ops.
    let (y, height) = if row.kind == WaterfallRowKind::Total { ("32%", "36%") } else { ("18%", "64%") };
    let label = match row.opens {
        Some(link) => {
            let open = move |_| match &link {
                WaterfallLink::Row(key) => model.open_row(key),
                WaterfallLink::Rows(rows, name) => model.filter_rows(*rows, name),
            };
            view! { <button type="button" class="link mono" on:click=open>{row.label.clone()}</button> }.any()
        }
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
fn steps(comparison: &Comparison) -> AnyView {
    let Some(picture) = compare::steps(comparison) else {
        let is_cut = comparison.a.has_no_samples() || comparison.b.has_no_samples();
        let why = if is_cut {
            "A report leaves out lengths of steps, so only the means are compared."
        } else {
            "A side has no steps, so only the whole captures are compared."
        };
        return view! {
            <section>
                <h2>"Steps"</h2>
                <p class="sub">{why}</p>
            </section>
        }
        .any();
    };
    let place = |side: usize, x: f64| width(0.14 + 0.43 * side as f64 + 0.40 * x);
    let tick = |tick: crate::chart::plot::ticks::Tick| {
        let y = width(tick.position);
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
fn matched(comparison: &Comparison) -> AnyView {
    let row = |(label, a, b): (String, String, String)| {
        view! { <tr><th scope="row">{label}</th><td class="num">{a}</td><td class="num">{b}</td></tr> }.any()
    };
    view! {
        <section>
            <h2>"Matched by"</h2>
            <table class="matched-table">
                <thead><tr><th scope="col">"Ops have the same"</th><th scope="col" class="num">"of A"</th><th scope="col" class="num">"of B"</th></tr></thead>
                <tbody>{compare::matched(comparison).into_iter().map(row).collect_view()}</tbody>
            </table>
        </section>
    }
    .any()
}
