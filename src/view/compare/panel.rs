//! This module renders the panel of a row of the comparison: the ops of both sides beside each other.

use super::model::{CompareModel, close_panel};
use crate::analysis::compare::RowDelta;
use crate::analysis::compare::matching::Tier;
use crate::chart::compare::{self, DiffToken, Fact, UnpairedOp};
use crate::protocol::url::View;
use crate::protocol::{ComparedOps, Failure, Reply, SessionSlot, requests};
use crate::view::state::PtrEq;
use crate::view::type_erasure::{EraseType, effect, live};
use crate::view::widgets::icon::{Icon, icon};
use leptos::html;
use leptos::prelude::*;

/// The content of the panel: the ops, or the reason why they cannot be shown. `None` stands for no answer yet.
type OpsSignal = RwSignal<Option<Result<PtrEq<ComparedOps>, PtrEq<Failure>>>>;

/// Renders the panel of the open row.
#[component]
pub(super) fn Panel(model: CompareModel) -> impl IntoView {
    let state = model.state;
    let found: OpsSignal = RwSignal::new(None);
    state.request_answer_on_change(
        move || {
            let (query, key) = (model.query.get(), state.compared_row.get());
            (!key.is_empty()).then_some(requests::CompareOps { query, key })
        },
        move |answer| match answer {
            Ok(ops) => found.set(Some(Ok(PtrEq::new(ops)))),
            Err(Reply::Failed(failure)) => found.set(Some(Err(PtrEq::new(failure)))),
            Err(_) => {}
        },
    );
    let heading = NodeRef::<html::H2>::new();
    effect(move || {
        state.compared_row.track();
        if let Some(heading) = heading.get() {
            let _ = heading.focus();
        }
    });
    let name = move || {
        let ops = found.get()?.ok()?;
        Some(compare::heading(&ops))
    };
    let body = move || {
        found.get().map(|found| match found {
            Ok(ops) => both(model, &ops),
            Err(failure) => view! { <p class="panel-none">{failure.message.clone()}</p> }.any(),
        })
    };
    view! {
        <aside class="side-panel compare-panel" aria-labelledby="compared-name">
            <header>
                <h2 id="compared-name" class="mono" tabindex="-1" node_ref=heading>{live(name)}</h2>
                <button type="button" class="btn icon-only" aria-label="Close" title="Close (Esc)" on:click=move |_| close_panel(state)>
                    {icon(Icon::Close)}
                </button>
            </header>
            {live(body)}
        </aside>
    }
    .any()
}

fn both(model: CompareModel, ops: &ComparedOps) -> AnyView {
    let fact = |fact: Fact| {
        let class = if fact.mono { "mono" } else { "" };
        view! {
            <tr class:differs=fact.differs>
                <th scope="row">{fact.label}</th>
                <td class=class>{fact.a}</td>
                <td class=class>{fact.b}</td>
            </tr>
        }
        .any()
    };
    let key =
        |side: &Option<crate::analysis::compare::RowSide>| side.as_ref().map(crate::analysis::compare::RowSide::key);
    view! {
        <p class="panel-words">{compare::pair_sentence(ops)}</p>
        {pairing(model, &ops.row)}
        <table class="compare-facts">
            <thead>
                <tr>
                    <td></td>
                    <th scope="col"><span class="side-letter side-a">"A"</span> " " {open(model, false, key(&ops.row.a))}</th>
                    <th scope="col"><span class="side-letter side-b">"B"</span> " " {open(model, true, key(&ops.row.b))}</th>
                </tr>
            </thead>
            <tbody>{compare::facts(ops).into_iter().map(fact).collect_view()}</tbody>
        </table>
        {texts(ops)}
    }
    .any()
}

/// Renders the buttons that pair the op of a row with another one, or undo this.
fn pairing(model: CompareModel, row: &RowDelta) -> AnyView {
    if untrack(|| model.state.is_shared_comparison()) {
        return ().into_any();
    }
    let button = |label: String, class: &'static str, press: Box<dyn Fn()>| {
        view! { <button type="button" class=class on:click=move |_| press()>{label}</button> }.any()
    };
    let pair = model.unpaired.get().and_then(|unpaired| unpaired.with(row)).map(|(label, pair)| {
        button(label, "btn solid", Box::new(move || model.change_pairs(|pairs| pairs.push(pair.clone()))))
    });
    let undo = (row.tier == Some(Tier::ByHand)).then(|| {
        let row = row.clone();
        let undo = move || model.change_pairs(|pairs| compare::remove_pairs(pairs, &row));
        button(compare::UNDO.to_owned(), "btn line small-text", Box::new(undo))
    });
    let choose = UnpairedOp::of_row(row).filter(|_| pair.is_none()).map(|unpaired| {
        let label = unpaired.button(row);
        button(label, "btn line small-text", Box::new(move || model.choose_partner(unpaired.clone())))
    });
    view! { <p class="acts">{pair} {undo} {choose}</p> }.any()
}

/// Renders the button that shows the op of one side in the breakdown of its capture.
fn open(model: CompareModel, is_b: bool, key: Option<String>) -> Option<AnyView> {
    let state = model.state;
    let key = key.filter(|_| !untrack(|| state.is_shared_comparison()))?;
    let show = move |_| {
        let is_swapped = model.query.get_untracked().is_swapped;
        let slot = if is_b == is_swapped { SessionSlot::First } else { SessionSlot::Second };
        state.show_op_in(slot, View::Breakdown, key.clone());
    };
    Some(view! { <button type="button" class="link" on:click=show>"Open in breakdown"</button> }.any())
}

/// Renders the instructions of both sides, with marks where they differ.
fn texts(ops: &ComparedOps) -> AnyView {
    let text = |op: &Option<crate::analysis::op::OpDetail>| op.as_ref().and_then(|op| op.text.clone());
    let (Some(a), Some(b)) = (text(&ops.a), text(&ops.b)) else { return ().into_any() };
    let token = |token: DiffToken| {
        if token.differs { view! { <mark>{token.text}</mark> }.any() } else { token.text.into_any() }
    };
    let [a, b] = compare::diff(&a, &b).map(|tokens| tokens.into_iter().map(token).collect_view());
    view! {
        <section class="panel-part">
            <h3>"HLO " <span class="about">"marked where the instructions differ; numbers of ops do not count"</span></h3>
            <p class="sub">"A"</p>
            <pre class="panel-hlo" tabindex="0" role="region" aria-label="HLO of A">{a}</pre>
            <p class="sub">"B"</p>
            <pre class="panel-hlo" tabindex="0" role="region" aria-label="HLO of B">{b}</pre>
        </section>
    }
    .any()
}
