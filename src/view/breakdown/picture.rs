//! The picture above the table: the tree of scopes, the time of each step, devices side by side, or what computes nothing. Knows which is
//! shown; each picture knows itself.

use super::{scopes, steps};
use crate::engine::BreakdownHead;
use crate::engine::address::Picture;
use crate::view::erase::{Any, live};
use crate::view::parts::part;
use crate::view::state::{Same, State};
use crate::view::widgets::chart::{self, Model};
use leptos::prelude::*;

/// The pictures' common head, and the one that is chosen.
#[component]
pub(crate) fn Pictures(state: State, head: Memo<Option<Same<BreakdownHead>>>) -> impl IntoView {
    let chosen = Memo::new(move |_| state.picture.get());
    let one = move |picture: Picture| {
        let pressed = move || (chosen.get() == picture).to_string();
        view! {
            <button type="button" aria-pressed=pressed on:click=move |_| state.picture.set(picture)>{picture.label()}</button>
        }.any()
    };
    let choice = move || {
        view! {
            <div class="segmented" role="group" aria-label="Picture">{Picture::ALL.map(one).collect_view()}</div>
        }
        .any()
    };
    let body = move || match chosen.get() {
        Picture::Scopes => view! { <scopes::ScopesPicture state head choice=choice() /> }.any(),
        Picture::Steps => view! { <steps::StepsPicture state choice=choice() /> }.any(),
        Picture::Devices => view! { <steps::DevicesPicture state choice=choice() /> }.any(),
        Picture::NonCompute => view! { <div class="picture-head">{choice()}</div> {part(state, |parts| parts.audit)} }.any(),
    };
    view! { <section class="picture-of" aria-label="Picture">{live(body)}</section> }.any()
}

/// A chart with its head line: the choice, what stands beside it, and the chart's own menu.
pub(super) fn framed(state: State, model: Model, name: &'static str, choice: AnyView, beside: AnyView) -> AnyView {
    let table = RwSignal::new(false);
    let entries = chart::entries(state, model, name, table);
    let body = move || {
        if table.get() { chart::as_table(model) } else { view! { <chart::Chart state model /> }.any() }
    };
    view! {
        <div class="picture-head">
            {choice}
            {beside}
            {chart::tools("picture-menu", entries)}
        </div>
        {live(body)}
    }
    .any()
}
