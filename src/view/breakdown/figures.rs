//! This module renders the figures above a view: one main figure, and others beside it, each with its formula.

use crate::chart::breakdown::figures;
use crate::chart::roofline;
use crate::chart::widgets::figure::{Figure, Formula, Readout};
use crate::protocol::BreakdownHead;
use crate::protocol::tables::Utilization;
use crate::view::state::{SharedMemo, SharedSignal};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::popover::Popover;
use leptos::prelude::*;

/// Renders the figures of the breakdown. Those of the hardware follow when `utilization` is there.
#[component]
pub(crate) fn Figures(
    head: SharedMemo<BreakdownHead>,
    utilization: SharedSignal<Utilization>,
    is_waiting: RwSignal<bool>,
) -> impl IntoView {
    let row = move || {
        let utilization = utilization.get();
        let of_hardware = utilization.as_deref().map(|of| (of, roofline::figures::utilization(&of.figures, None)));
        Some(row(figures::readout(&*head.get()?, of_hardware)))
    };
    view! { <dl class="figures" data-roving="" aria-busy=move || is_waiting.get().to_string()>{live(row)}</dl> }.any()
}

/// Renders a row of figures.
pub(crate) fn row(readout: Readout) -> AnyView {
    let all = |figures: Vec<Figure>, at: &'static str, class: &'static str| {
        figures.into_iter().enumerate().map(|(n, one)| figure(one, &format!("{at}-{n}"), class)).collect_view()
    };
    view! {
        {figure(readout.hero, "hero", "hero")}
        {all(readout.main, "main", "")}
        {all(readout.side, "side", "side")}
    }
    .any()
}

fn figure(figure: Figure, place: &str, class: &'static str) -> AnyView {
    let id = format!("how-{place}");
    let label = format!("How “{}” is computed", figure.label);
    let slight = if figure.is_slight() { "slight" } else { "" };
    let scope = figure.scope.map(|scope| view! { <span class="figure-scope">" " {scope}</span> }.any());
    view! {
        <div class=format!("figure {class} {slight}")>
            <dt>
                {figure.label}
                <Popover id class="formula-button" label=Signal::stored(label) panel_class="formula-panel" face=Box::new(|| "=".into_any())>
                    {formula_popover(figure.how.clone())}
                </Popover>
            </dt>
            <dd>{figure.value} <span class="unit">{figure.unit}</span>{scope}</dd>
        </div>
    }.any()
}

/// Renders the formula of a figure. The `=` button beside the figure opens it.
pub(crate) fn formula_popover(how: Formula) -> AnyView {
    let line = |(label, value): (String, String)| view! { <tr><th scope="row">{label}</th><td>{value}</td></tr> }.any();
    view! {
        <b class="formula-title">{how.formula}</b>
        <table><tbody>{how.rows.into_iter().map(line).collect_view()}</tbody></table>
    }
    .any()
}
