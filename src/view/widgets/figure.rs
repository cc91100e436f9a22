//! This module renders figures with the formulas that explain them.

use crate::chart::glossary::{Term, term_of_label};
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
    let explained = explanation(&figure.label, figure.how);
    let scope = figure.scope.map(|scope| view! { <span class="figure-scope">" " {scope}</span> }.any());
    let note = figure.note.map(|note| view! { <dd class="figure-note">{note}</dd> }.any());
    view! {
        <div class=format!("figure {class} {slight}")>
            <dt>
                {figure.label}
                <Popover id class="formula-button" label=Signal::stored(label) panel_class="formula-panel" face=Box::new(|| "=".into_any())>
                    {explained()}
                </Popover>
            </dt>
            <dd>{figure.value} <span class="unit">{figure.unit}</span>{scope}</dd>
            {note}
        </div>
    }.any()
}

/// Renders figures that are next to nothing in one line. Each is a button, which opens its formula.
pub(crate) fn slight_figures(figures: Vec<Figure>) -> AnyView {
    if figures.is_empty() {
        return ().into_any();
    }
    let one = |(n, figure): (usize, Figure)| {
        let face = format!("{} {} {}", figure.label, figure.value, figure.unit);
        let explained = explanation(&figure.label, figure.how);
        view! {
            <Popover id=format!("how-slight-{n}") class="link" panel_class="formula-panel" face=Box::new(|| face.into_any())>
                {explained()}
            </Popover>
        }
        .any()
    };
    view! {
        <div class="slight-figures">
            "Also measured, next to nothing: " {figures.into_iter().enumerate().map(one).collect_view()}
        </div>
    }
    .any()
}

/// Renders what a figure means, how it is computed, and what is usual, each time that its button is pressed.
fn explanation(label: &str, how: Formula) -> impl Fn() -> AnyView + Send + Sync + 'static {
    let term = term_of_label(label);
    move || {
        let meaning = term.map(|term| view! { <p class="formula-term">{term.meaning}</p> }.any());
        view! { {meaning} {formula_popover(how.clone())} {term.map(more)} }.any()
    }
}

/// Renders the usual values of a figure, and the way to the glossary.
fn more(term: &'static Term) -> AnyView {
    let usual = (!term.usual.is_empty()).then_some(term.usual);
    view! {
        <p class="formula-more">{usual} " " <button type="button" class="link" data-term=term.name()>"What is this?"</button></p>
    }
    .any()
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
