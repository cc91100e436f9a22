//! This module renders figures with the formulas that explain them.

use crate::chart::widgets::figure::{Figure, Formula, Readout};
use crate::view::type_erasure::EraseType;
use crate::view::widgets::popover::Popover;
use leptos::prelude::*;

/// Renders a row of figures.
pub(crate) fn readout(readout: Readout) -> AnyView {
    let all = |figures: Vec<Figure>, id: &'static str, class: &'static str| {
        figures.into_iter().enumerate().map(|(n, one)| figure(one, &format!("{id}-{n}"), class)).collect_view()
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
