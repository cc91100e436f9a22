//! The read-out row: one figure to read first, the others beside it, each with how it is computed.

use crate::chart::readout::{self, Figure, How};
use crate::engine::BreakdownHead;
use crate::view::erase::{Any, live};
use crate::view::state::Same;
use crate::view::widgets::popover::Popover;
use leptos::prelude::*;

/// The row.
#[component]
pub(crate) fn Figures(head: Memo<Option<Same<BreakdownHead>>>) -> impl IntoView {
    let row = move || {
        let readout = readout::readout(&*head.get()?);
        let main =
            readout.main.into_iter().enumerate().map(|(at, one)| figure(one, &format!("main-{at}"), "")).collect_view();
        let side = readout
            .side
            .into_iter()
            .enumerate()
            .map(|(at, one)| figure(one, &format!("side-{at}"), "side"))
            .collect_view();
        Some(
            view! {
                {figure(readout.hero, "hero", "hero")}
                {main}
                {side}
            }
            .any(),
        )
    };
    view! { <dl class="figures">{live(row)}</dl> }.any()
}

fn figure(figure: Figure, at: &str, class: &'static str) -> AnyView {
    let id = format!("how-{at}");
    let label = format!("How “{}” is computed", figure.label);
    view! {
        <div class=format!("figure {class}")>
            <dt>
                {figure.label}
                <Popover id class="how" label=Signal::stored(label) panel_class="how-panel" face=Box::new(|| "=".into_any())>
                    {how(figure.how.clone())}
                </Popover>
            </dt>
            <dd>{figure.value} <span class="unit">{figure.unit}</span></dd>
        </div>
    }.any()
}

/// What the ⊜ beside a figure opens.
pub(crate) fn how(how: How) -> AnyView {
    let line = |(label, value): (String, String)| view! { <tr><th scope="row">{label}</th><td>{value}</td></tr> }.any();
    view! {
        <b class="how-title">{how.formula}</b>
        <table><tbody>{how.rows.into_iter().map(line).collect_view()}</tbody></table>
    }
    .any()
}
