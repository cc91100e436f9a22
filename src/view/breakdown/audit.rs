//! What computes nothing, and what it changes: categories, their sources, the opcodes that were executed. Knows the state;
//! words and lengths are in `chart::audit`.

use super::figures;
use crate::chart::audit::{self, Audit, CHANGES, Group, Mark, Program, Row};
use crate::engine::{AuditView, Export, Reply, Request};
use crate::view::erase::{Any, live};
use crate::view::state::{Same, State};
use crate::view::widgets::chart::tools;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::menu::Entry;
use crate::view::widgets::popover::Popover;
use crate::view::widgets::swatch::swatch;
use leptos::{ev, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// The categories whose sources are shown.
type Open = RwSignal<Vec<String>>;

/// The audit, where the other pictures are.
#[component]
pub(super) fn AuditPicture(state: State, choice: AnyView) -> impl IntoView {
    let found = RwSignal::new(None::<Same<AuditView>>);
    let asked = Memo::new(move |_| state.query.with(|query| (query.device, query.step)));
    state.keep_asking(
        move || {
            let (device, step) = asked.get();
            Request::NonCompute(crate::analysis::Query { device, step, ..Default::default() })
        },
        move |reply| {
            if let Reply::NonCompute(view) = reply {
                found.set(Some(Same::new(*view)));
            }
        },
    );
    let open: Open = RwSignal::new(Vec::new());
    let shown = Memo::new(move |_| found.with(|found| found.as_ref().map(|view| Same::new(audit::audit(view)))));
    let says = move || shown.with(|shown| shown.as_ref().map(|shown| shown.says.clone()));
    let entry =
        move |label: &'static str, format| Entry::new(label, Callback::new(move |()| save(state, found, format)));
    let entries = Signal::derive(move || vec![entry("Save CSV", Export::Csv), entry("Save JSON", Export::Json)]);
    let how = move || {
        let how = found.with(|found| found.as_ref().map(|view| audit::how(view)))?;
        Some(
            view! {
                <Popover
                    id="how-audit"
                    class="how"
                    label=Signal::stored("How non-compute is computed".to_owned())
                    panel_class="how-panel"
                    face=Box::new(|| "=".into_any())
                >
                    {figures::how(how.clone())}
                </Popover>
            }
            .any(),
        )
    };
    let body = move || shown.get().map(|shown| told(state, open, &shown));
    view! {
        <div class="picture-head">
            {choice}
            <span class="picture-note" title=says>{live(says)}</span>
            {live(how)}
            <span class="grow"></span>
            {tools("audit-menu", entries)}
        </div>
        {live(body)}
    }
    .any()
}

fn told(state: State, open: Open, audit: &Audit) -> AnyView {
    if audit.groups.is_empty() {
        return view! { <p class="chart-empty">"No op here moves data or communicates."</p> }.any();
    }
    let unit = audit.unit;
    let head = |label: &'static str| view! { <th scope="col" class="audit-change">{label}</th> }.any();
    let group = |(at, of): (usize, &Group)| group(state, open, at == 0, of.clone());
    let [own, share, stall, runs] = audit.total.clone();
    view! {
        <div class="audit" on:keydown=walk>
            <table>
                <thead><tr>
                    <th scope="col">"Category, source"</th>
                    <th scope="col" class="num">"Self " <span class="unit">{unit}</span></th>
                    <th scope="col" class="audit-bar-head"><span class="unseen">"Moves, waits"</span></th>
                    <th scope="col" class="num">"Step " <span class="unit">"%"</span></th>
                    <th scope="col" class="num wide-2">"Waits " <span class="unit">{unit}</span></th>
                    <th scope="col" class="num wide-2">"Runs"</th>
                    <th scope="col" class="num wide-2">"Moved"</th>
                    {CHANGES.map(head).collect_view()}
                    <th scope="col" class="wide-3">"Reads"</th>
                    <th scope="col" class="wide-3">"Writes"</th>
                </tr></thead>
                {audit.groups.iter().enumerate().map(group).collect_view()}
                <tfoot><tr>
                    <th scope="row">"All"</th>
                    <td class="num">{own}</td><td></td><td class="num">{share}</td>
                    <td class="num wide-2">{stall}</td><td class="num wide-2">{runs}</td>
                </tr></tfoot>
            </table>
            {audit.programs.iter().map(program).collect_view()}
        </div>
    }
    .any()
}

fn group(state: State, open: Open, first: bool, of: Group) -> AnyView {
    let Group { row: of, sources, rest } = of;
    let name = of.name.clone();
    let is_open = Memo::new({
        let name = name.clone();
        move |_| open.with(|open| open.contains(&name))
    });
    let toggle = move |_| {
        open.update(|open| match open.iter().position(|other| *other == name) {
            Some(at) => drop(open.swap_remove(at)),
            None => open.push(name.clone()),
        });
    };
    let more = of.more.clone();
    let under = move || {
        is_open.get().then(|| {
            let rest =
                rest.clone().map(|rest| view! { <tr class="audit-more"><td colspan="14">{rest}</td></tr> }.any());
            let sources = sources.iter().map(|of| view! { <tr>{source(state, of)} {cells(of)}</tr> }.any());
            view! { {told_below(&more)} {sources.collect_view()} {rest} }.any()
        })
    };
    view! {
        <tbody>
            <tr class="audit-group">
                <th scope="row">
                    <button
                        type="button"
                        class="audit-name"
                        tabindex=if first { "0" } else { "-1" }
                        aria-expanded=move || is_open.get().to_string()
                        on:click=toggle
                    >
                        {icon(Icon::Right)} {swatch(of.slot)} <span>{of.name.clone()}</span>
                    </button>
                </th>
                {cells(&of)}
            </tr>
            {live(under)}
        </tbody>
    }
    .any()
}

fn source(state: State, of: &Row) -> AnyView {
    let name = view! { <span>{of.name.clone()}</span> }.any();
    let title = of.title.clone();
    match of.op.clone() {
        Some(op) => view! {
            <th scope="row">
                <button type="button" class="audit-name mono" tabindex="-1" title=title on:click=move |_| state.op.set(op.clone())>{name}</button>
            </th>
        }
        .any(),
        None => view! { <th scope="row" class="mono" title=title>{name}</th> }.any(),
    }
}

fn told_below(more: &[(&'static str, String)]) -> AnyView {
    let one = |(label, value): &(&'static str, String)| {
        view! { <span><span class="sub">{*label}</span> " " {value.clone()}</span> }.any()
    };
    if more.is_empty() {
        return ().into_any();
    }
    view! { <tr class="audit-more"><td colspan="14">{more.iter().map(one).collect_view()}</td></tr> }.any()
}

fn cells(of: &Row) -> AnyView {
    let (moves, waits) = of.bar;
    let of_bar = |share: f64| format!("{:.2}%", share * 100.0);
    let [reads, writes] = of.shapes.clone();
    view! {
        <td class="num">{of.own.clone()}</td>
        <td class="audit-bar">
            <svg aria-hidden="true">
                <rect class="audit-moves" width=of_bar(moves) height="100%" />
                <rect class="mark-idle" x=of_bar(moves) width=of_bar(waits) height="100%" />
            </svg>
        </td>
        <td class="num">{of.of_step.clone()}</td>
        <td class="num wide-2">{of.stall.clone()}</td>
        <td class="num wide-2">{of.runs.clone()}</td>
        <td class="num wide-2">{of.moved.clone()}</td>
        {of.marks.iter().zip(CHANGES).map(mark).collect_view()}
        <td class="mono wide-3" title=reads.clone()>{reads.clone()}</td>
        <td class="mono wide-3" title=writes.clone()>{writes.clone()}</td>
    }
    .any()
}

fn mark((of, label): (&Mark, &'static str)) -> AnyView {
    let class = match &*of.word {
        "no" => "audit-change none",
        "?" => "audit-change unknown",
        _ => "audit-change",
    };
    let width = |share: f64| format!("{:.1}%", share * 100.0);
    view! {
        <td class=class title=of.full.clone()>
            <span class="audit-label">{label}</span> " " <span>{of.word.clone()}</span>
            <svg aria-hidden="true">
                <rect class="audit-yes" width=width(of.yes) height="100%" />
                <rect class="mark-idle" x=width(of.yes) width=width(of.unknown) height="100%" />
            </svg>
        </td>
    }
    .any()
}

fn program(of: &Program) -> AnyView {
    let one = |(opcode, n): &(String, String)| {
        view! { <span><span class="mono">{opcode.clone()}</span> " " {n.clone()}</span> }.any()
    };
    view! {
        <details class="audit-program">
            <summary>"Opcodes of " <span class="mono">{of.name.clone()}</span> <span class="sub">" " {of.says.clone()}</span></summary>
            <p class="audit-more">{of.opcodes.iter().map(one).collect_view()}</p>
        </details>
    }
    .any()
}

/// Arrows walk names; right and left open and close a category.
#[expect(clippy::needless_pass_by_value, reason = "what a listener is")]
fn walk(event: ev::KeyboardEvent) {
    let Some(at) = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok()) else { return };
    let within = event.current_target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
    let Some(names) = within.and_then(|within| within.query_selector_all(".audit-name").ok()) else { return };
    let names: Vec<HtmlElement> = (0..names.length()).filter_map(|i| names.item(i)?.dyn_into().ok()).collect();
    let Some(place) = names.iter().position(|name| *name == at) else { return };
    let expanded = at.get_attribute("aria-expanded");
    let to = match &*event.key() {
        "ArrowDown" => names.get(place + 1),
        "ArrowUp" => place.checked_sub(1).and_then(|place| names.get(place)),
        "Home" => names.first(),
        "End" => names.last(),
        "ArrowRight" if expanded.as_deref() == Some("false") => {
            at.click();
            None
        }
        "ArrowLeft" if expanded.as_deref() == Some("true") => {
            at.click();
            None
        }
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    if let Some(to) = to {
        let _ = at.set_attribute("tabindex", "-1");
        let _ = to.set_attribute("tabindex", "0");
        let _ = to.focus();
    }
}

fn save(state: State, found: RwSignal<Option<Same<AuditView>>>, format: Export) {
    if found.with_untracked(Option::is_none) {
        return;
    }
    let query = state.query.get_untracked();
    super::save::file(state, &Request::ExportNonCompute { query, format }, "non-compute", format);
}
