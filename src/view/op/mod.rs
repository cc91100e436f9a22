//! This module renders the panel of one op: its figures, its shapes, its source, its neighbours and its HLO. Texts are
//! in `chart::op::panel`.

mod graph;
mod history;
mod parts;

use super::op::history::OpHistory;
use crate::analysis::op::OpDetail;
use crate::chart::op::{panel, roofline};
use crate::protocol::url::View;
use crate::protocol::{Failure, Reply, requests};
use crate::table::filter::TextFilter;
use crate::view::state::{PtrEq, State};
use crate::view::type_erasure::{EraseType, If, effect, live};
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::swatch::swatch;
use graph::Graph;
pub(crate) use graph::close as close_graph;
use history::copied;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// The content of the panel: the op, or the reason why it cannot be shown. `None` stands for no answer yet.
type DetailSignal = RwSignal<Option<Result<PtrEq<OpDetail>, PtrEq<Failure>>>>;

/// Renders the panel of the open op, and the graph around this op.
#[component]
pub(crate) fn Op(state: State) -> impl IntoView {
    view! {
        <Graph state />
        <Panel state />
    }
    .any()
}

#[component]
fn Panel(state: State) -> impl IntoView {
    let found = request_detail(state);
    let walk = OpHistory { state };
    state.walked.set(Vec::new());
    let heading = NodeRef::<html::H2>::new();
    // The name of the op gets the focus, so that the keyboard continues from there. A focus in the graph stays there.
    effect(move || {
        state.op.track();
        if let Some(heading) = heading.get().filter(|_| !graph::has_focus()) {
            let _ = heading.focus();
        }
    });
    let name = move || state.op.with(|op| panel::op_ref(op).name);
    let copy = move |_| {
        let name = untrack(name);
        copied(state, name);
    };
    let can_go_back = Memo::new(move |_| state.walked.with(|before| !before.is_empty()));
    let body = move || {
        found.get().map(|found| match found {
            Ok(op) => detail(walk, &op),
            Err(failure) => view! { <p class="panel-none">{failure.message.clone()}</p> }.any(),
        })
    };
    view! {
        <aside class="side-panel" aria-labelledby="op-name">
            <header>
                <If when=can_go_back>
                    <button type="button" class="btn icon-only" aria-label="Back to the previous op" title="Back" on:click=move |_| walk.back()>
                        {icon(Icon::Left)}
                    </button>
                </If>
                <h2 id="op-name" class="mono" tabindex="-1" node_ref=heading>{name}</h2>
                <button type="button" class="btn icon-only" aria-label="Copy the name" title="Copy the name" on:click=copy>{icon(Icon::Copy)}</button>
                <button type="button" class="btn icon-only" aria-label="Close" title="Close (Esc)" on:click=move |_| close(state)>{icon(Icon::Close)}</button>
            </header>
            {live(body)}
        </aside>
    }
    .any()
}

fn detail(walk: OpHistory, op: &OpDetail) -> AnyView {
    let place = panel::place_text(op);
    view! {
        <p class="op-place">
            {op.kind.map(|kind| swatch(crate::chart::plot::time_part::TimePart::Kind(kind)))} " " {place} " "
            {walk.state.can(|can| can.timeline).then(|| to_timeline(walk.state, op.name.clone()))}
        </p>
        <p class="panel-words">{op.words.clone()}</p>
        {op.kernel.clone().map(|kernel| view! { <p class="panel-words">"Kernel: " <span class="mono">{kernel}</span></p> }.any())}
        {op.figures.as_ref().map(|figures| parts::figures(figures, roofline::roof(op)))}
        {parts::values(op)}
        {parts::source(op)}
        {parts::neighbours(walk, op)}
        {parts::hlo(walk, op)}
        {parts::notes(op)}
    }
    .any()
}

/// Renders the button that searches the timeline for the executions of an op.
fn to_timeline(state: State, name: String) -> AnyView {
    let find = move |_| {
        let find = TextFilter { text: name.clone(), ..TextFilter::default() };
        state.change_views(|views| views.timeline.find = find);
        state.open_view(View::Timeline);
    };
    view! { <button type="button" class="link" on:click=find>"Find in timeline"</button> }.any()
}

/// Requests the op whenever another op is opened, or another device or step is chosen. The last answer stays until the
/// next one has come.
fn request_detail(state: State) -> DetailSignal {
    let found: DetailSignal = RwSignal::new(None);
    // The op is compared with the peaks of the roofline view.
    let roofs = state.view_state(|views| &views.roofline);
    let request = Memo::new(move |_| (roofs.get().to_query(state.header_query()), state.op.get()));
    state.request_answer_on_change(
        move || {
            let (query, op) = request.get();
            Some(requests::Op { query, op: panel::op_ref(&op) })
        },
        move |answer| match answer {
            Ok(op) => found.set(Some(Ok(PtrEq::new(op)))),
            Err(Reply::Failed(failure)) => found.set(Some(Err(PtrEq::new(failure)))),
            _ => {}
        },
    );
    found
}

/// Closes the panel, and moves the focus to the table or to the text of the program.
pub(crate) fn close(state: State) {
    state.graph.set(false);
    state.op.set(String::new());
    focus_table();
}

/// Moves the focus to the table or to the text of the program.
pub(crate) fn focus_table() {
    let cell = document().query_selector(".grid-body [tabindex='0'], .code").ok().flatten();
    if let Some(cell) = cell.and_then(|cell| cell.dyn_into::<HtmlElement>().ok()) {
        let _ = cell.focus();
    }
}
