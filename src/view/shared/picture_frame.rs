//! This module renders the frame around the picture above the table, and the switch between pictures.

use crate::chart::widgets::figure::Formula;
use crate::protocol::Export;
use crate::protocol::url::Picture;
use crate::view::shared::chart;
use crate::view::shared::chart::Model;
use crate::view::state::State;
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::figure::formula_popover;
use crate::view::widgets::menu::Entry;
use crate::view::widgets::popover::Popover;
use leptos::prelude::*;
use std::sync::Arc;

/// Renders the switch between the pictures. A session that has only the steps gets a heading instead.
pub(crate) fn choice(state: State) -> AnyView {
    let one = move |picture: Picture| {
        let pressed = move || (state.picture.get() == picture).to_string();
        view! {
            <button type="button" aria-pressed=pressed on:click=move |_| state.picture.set(picture)>{picture.label()}</button>
        }.any()
    };
    if !untrack(|| state.can(|can| can.all_pictures)) {
        return view! { <h2>{Picture::Steps.label()}</h2> }.any();
    }
    view! {
        <div class="segmented" data-roving="" role="group" aria-label="Picture">{Picture::ALL.map(one).collect_view()}</div>
    }
    .any()
}

/// Renders a chart with its head line, which holds `choice`, `caption` and the chart's menu. `name` is a part of the
/// names of saved files.
pub(crate) fn framed(state: State, model: Model, name: &'static str, choice: AnyView, caption: AnyView) -> AnyView {
    let table = RwSignal::new(false);
    let entries = chart::entries(state, model, name, table);
    view! {
        <div class="picture-head" data-roving="">
            {choice}
            {caption}
            {chart::tools("picture-menu", entries)}
        </div>
        {chart::chart_or_table(state, model, table)}
    }
    .any()
}

/// A part of a picture that changes with its answer. Unlike a callback, it needs no storage type of its own.
type ReactivePart<T> = Arc<dyn Fn() -> T + Send + Sync>;

/// A picture that is a table, with a sentence, an explanation and a menu for saving above it.
pub(crate) struct TablePicture {
    pub(crate) menu: &'static str,
    /// Id and name of the panel that explains the figures.
    pub(crate) panel: (&'static str, &'static str),
    pub(crate) summary: ReactivePart<Option<String>>,
    pub(crate) formula: ReactivePart<Option<Formula>>,
    /// Saves the table in a format.
    pub(crate) save: fn(State, Export),
    pub(crate) table: ReactivePart<Option<AnyView>>,
}

/// Renders a picture that is a table.
pub(crate) fn table_picture(state: State, picture: TablePicture) -> AnyView {
    let TablePicture { menu, panel: (id, label), summary, formula, save, table } = picture;
    let entry = move |label: &'static str, format| Entry::new(label, Callback::new(move |()| save(state, format)));
    let entries = Signal::derive(move || vec![entry("Save CSV", Export::Csv), entry("Save JSON", Export::Json)]);
    let formula_button = move || {
        let formula = formula()?;
        Some(
            view! {
                <Popover
                    id
                    class="formula-button"
                    label=Signal::stored(label.to_owned())
                    panel_class="formula-panel"
                    face=Box::new(|| "=".into_any())
                >
                    {formula_popover(formula.clone())}
                </Popover>
            }
            .any(),
        )
    };
    let note = move || {
        let summary = summary();
        view! { <span class="picture-note" title=summary.clone()>{summary.clone()}</span> }.any()
    };
    view! {
        <div class="picture-head" data-roving="">
            {choice(state)}
            {live(note)}
            {live(formula_button)}
            <span class="grow"></span>
            {chart::tools(menu, entries)}
        </div>
        {live(move || table())}
    }
    .any()
}
