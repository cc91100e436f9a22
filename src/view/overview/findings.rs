//! This module renders the findings: a row each, which opens to its reason, to what to try, and to its evidence.

use crate::analysis::overview::{Overview, OverviewQuery};
use crate::chart::overview::{self, Drawing, EvidenceGroup, EvidenceLine, EvidenceTarget, FindingRow, Mark, Section};
use crate::protocol::requests;
use crate::protocol::url::timeline::TimelineRows;
use crate::view::state::State;
use crate::view::type_erasure::EraseType;
use crate::view::widgets::clipboard;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::tree::width;
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// Copies a text, and says so.
fn copy(state: State, text: &str, what: &'static str) {
    clipboard::copy(text, move |done| {
        let title = if done { format!("{what} copied") } else { format!("{what} could not be copied") };
        state.inform(crate::protocol::Failure { title, message: String::new() });
    });
}

/// Copies the overview as Markdown.
pub(super) fn copy_markdown(state: State, query: OverviewQuery) {
    state.request_answer(requests::OverviewMarkdown(query), move |answer| {
        if let Some(text) = state.shown(answer) {
            copy(state, &text, "Markdown");
        }
    });
}

/// Renders all groups of findings.
pub(super) fn findings(state: State, request: Memo<OverviewQuery>, overview: &Overview) -> AnyView {
    let copy_button = move || {
        let markdown = move |_| copy_markdown(state, request.get_untracked());
        view! {
            <button type="button" class="btn" aria-label="Copy Markdown" title="Copy Markdown (y)" on:click=markdown>
                {icon(Icon::Copy)} <span class="wide">"Copy Markdown"</span>
            </button>
        }
        .any()
    };
    let sections = overview::sections(overview).into_iter();
    let section = |section: Section| {
        let rows = section.rows.into_iter().enumerate();
        let rows = rows.map(|(n, row)| finding(state, row, section.open == Some(n))).collect_view();
        view! {
            <section class="findings">
                <header class="findings-head">
                    <h2>{section.title} " " <span class="about">{section.about}</span></h2>
                    {section.open.is_some().then(copy_button)}
                </header>
                {rows}
            </section>
        }
        .any()
    };
    view! {
        <div class="overview-main" on:keydown=move_focus>
            {sections.map(section).collect_view()}
        </div>
    }
    .any()
}

fn finding(state: State, row: FindingRow, open: bool) -> AnyView {
    let dots = (0..3).map(|index| {
        let full = index < row.dots;
        view! { <circle class="dot" class:full=full cx=(5 + 10 * index).to_string() cy="5" r="3.4" /> }.any()
    });
    let tried = move |(text, code): (String, Option<String>)| {
        let code = code.map(|code| {
            let shown = code.clone();
            view! {
                <code>{shown}</code>
                <button type="button" class="btn icon-only small" aria-label="Copy" title="Copy" on:click=move |_| copy(state, &code, "Text")>
                    {icon(Icon::Copy)}
                </button>
            }
            .any()
        });
        view! { <li>{text} " " {code}</li> }.any()
    };
    let bar = (row.bar > 0.0).then(|| {
        view! { <svg class="finding-bar" aria-hidden="true"><rect class="mark-lost" width=width(row.bar) height="100%" /></svg> }
            .any()
    });
    let picture = row.drawing.map(picture);
    let (see, see_by_key) = (row.see.clone(), row.see);
    let see_label = see.view.label();
    let flags = row.has_flags.then(|| {
        view! { ", " <button type="button" class="link" on:click=move |_| state.show_flags()>"the flags of your run"</button> }.any()
    });
    let part =
        |name: &'static str, text: String| (!text.is_empty()).then(|| view! { <dt>{name}</dt> <dd>{text}</dd> }.any());
    let evidence = row.evidence.into_iter().map(|group| evidence(state, group)).collect_view();
    view! {
        <details class="finding" open=open>
            <summary on:keydown=move |event| if event.key() == "ArrowRight" { state.show_finding(&see_by_key) }>
                <span class="finding-cost">
                    <b>{row.cost}</b> <span class="sub">{row.share}</span>
                    {bar}
                </span>
                <span class="finding-text">
                    <b>{row.title}</b>
                    <span class="sub">{row.detail}</span>
                </span>
                {picture}
                <span class="finding-confidence">
                    <svg viewBox="0 0 30 10" aria-hidden="true">{dots.collect_view()}</svg> " " {row.confidence}
                    <span class="sub">{row.reason}</span>
                </span>
            </summary>
            <dl class="finding-body">
                {part("Why", row.why)}
                <dt>"Try"</dt> <dd><ul>{row.tries.into_iter().map(tried).collect_view()}</ul></dd>
                {part("Done when", row.worked_if)}
                {evidence}
                {part("Computed", row.formula)}
                <dt>"See"</dt>
                <dd>
                    <button type="button" class="link" on:click=move |_| state.show_finding(&see)>{see_label}</button>
                    {flags}
                </dd>
            </dl>
        </details>
    }
    .any()
}

/// Renders evidence of one sort. In a report, which has one device and one step and no events, only ops lead to somewhere.
fn evidence(state: State, group: EvidenceGroup) -> AnyView {
    let has_events = state.can(|can| can.timeline);
    let line = move |line: EvidenceLine| {
        let name = match line.target {
            Some(target) if has_events || matches!(target, EvidenceTarget::Op(_)) => {
                let is_op = matches!(target, EvidenceTarget::Op(_));
                let show = move |_| show(state, target.clone());
                view! { <button type="button" class="link" class:mono=is_op on:click=show>{line.name}</button> }.any()
            }
            Some(EvidenceTarget::Op(_)) | None => view! { <code>{line.name}</code> }.any(),
            Some(_) => view! { <span>{line.name}</span> }.any(),
        };
        view! { <li>{name} " " {line.text}</li> }.any()
    };
    let rest = (!group.rest.is_empty()).then(|| view! { <li class="sub">{group.rest}</li> }.any());
    view! {
        <dt>{group.label}</dt>
        <dd><ul class="evidence-lines">{group.lines.into_iter().map(line).collect_view()} {rest}</ul></dd>
    }
    .any()
}

/// Shows what a line of evidence leads to.
fn show(state: State, target: EvidenceTarget) {
    match target {
        EvidenceTarget::Op(key) => state.op.set(key),
        EvidenceTarget::Time { time, step, is_idle } => {
            let rows = if is_idle { TimelineRows::Idle } else { TimelineRows::Sums };
            state.show_in_timeline(time, Some(step), rows);
        }
        EvidenceTarget::Step(device, number) => state.show_step(&device, number),
        EvidenceTarget::Device(label) => state.show_device(&label),
    }
}

/// Renders the small picture of a finding.
fn picture(drawing: Drawing) -> AnyView {
    let mark = |mark: Mark| match mark {
        Mark::Rect { class, across: (x, length), down: (y, height) } => {
            view! { <rect class=class x=width(x) width=width(length) y=width(y) height=width(height) /> }.any()
        }
        Mark::Dot { is_marked, x, y, radius } => {
            let radius = format!("{radius:.1}");
            view! { <circle class="device-dot" class:critical=is_marked cx=width(x) cy=width(y) r=radius /> }.any()
        }
    };
    view! {
        <span class="finding-picture" title=drawing.title>
            <svg aria-hidden="true">{drawing.marks.into_iter().map(mark).collect_view()}</svg>
            <span class="sub">{drawing.caption}</span>
        </span>
    }
    .any()
}

/// Moves the focus between findings by the arrows up and down.
#[expect(clippy::needless_pass_by_value, reason = "what a listener is")]
fn move_focus(event: ev::KeyboardEvent) {
    let step = match &*event.key() {
        "ArrowDown" => 1,
        "ArrowUp" => -1,
        _ => return,
    };
    let Some(target) = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok()) else { return };
    let within = event.current_target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
    let Some(all) = within.and_then(|within| within.query_selector_all("summary").ok()) else { return };
    let all: Vec<HtmlElement> = (0..all.length()).filter_map(|i| all.item(i)?.dyn_into().ok()).collect();
    let place = all.iter().position(|summary| *summary == target).and_then(|place| place.checked_add_signed(step));
    if let Some(to) = place.and_then(|place| all.get(place)) {
        event.prevent_default();
        event.stop_propagation();
        let _ = to.focus();
    }
}
