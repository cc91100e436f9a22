//! This module renders the frame around the picture above the table, and the switch between pictures.

use crate::protocol::url::Picture;
use crate::view::state::State;
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::chart;
use crate::view::widgets::chart::Model;

use leptos::prelude::*;
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

/// Renders a chart with its head line, which holds `choice`, `beside` and the chart's menu. `name` is a part of the
/// names of saved files.
pub(super) fn framed(state: State, model: Model, name: &'static str, choice: AnyView, beside: AnyView) -> AnyView {
    let table = RwSignal::new(false);
    let entries = chart::entries(state, model, name, table);
    let body = move || {
        if table.get() { chart::as_table(model) } else { view! { <chart::Chart state model /> }.any() }
    };
    view! {
        <div class="picture-head" data-roving="">
            {choice}
            {beside}
            {chart::tools("picture-menu", entries)}
        </div>
        {live(body)}
    }
    .any()
}
