//! The picture above the table: the tree of scopes, the time of each step, devices side by side, or what computes nothing. Knows which is
//! shown; each picture knows itself.

use super::scopes;
use super::steps;
use crate::protocol::BreakdownHead;
use crate::protocol::url::Picture;
use crate::view::data_movement::DataMovementPicture;
use crate::view::state::PtrEq;
use crate::view::state::State;
use crate::view::type_erasure::EraseType;
use crate::view::type_erasure::live;
use crate::view::widgets::chart::Model;
use crate::view::widgets::chart::{self};
use leptos::prelude::*;

/// The pictures' common head, and the one that is chosen.
#[component]
pub(crate) fn Pictures(state: State, head: Memo<Option<PtrEq<BreakdownHead>>>) -> impl IntoView {
    let chosen = Memo::new(move |_| shown(state));
    let body = move || match chosen.get() {
        Picture::Scopes => view! { <scopes::ScopesPicture state head choice=choice(state) /> }.any(),
        Picture::Steps => view! { <steps::StepsPicture state choice=choice(state) /> }.any(),
        Picture::Devices => view! { <steps::DevicesPicture state choice=choice(state) /> }.any(),
        Picture::DataMovement => view! { <DataMovementPicture state /> }.any(),
    };
    view! { <section class="picture-of" aria-label="Picture">{live(body)}</section> }.any()
}

/// The picture that is shown: a summary holds steps and none of the others.
fn shown(state: State) -> Picture {
    if state.is_summary() { Picture::Steps } else { state.picture.get() }
}

/// The switch between the pictures.
pub(crate) fn choice(state: State) -> AnyView {
    let one = move |picture: Picture| {
        let pressed = move || (state.picture.get() == picture).to_string();
        view! {
            <button type="button" aria-pressed=pressed on:click=move |_| state.picture.set(picture)>{picture.label()}</button>
        }.any()
    };
    if untrack(|| state.is_summary()) {
        return view! { <h2>{Picture::Steps.label()}</h2> }.any();
    }
    view! {
        <div class="segmented" data-roving="" role="group" aria-label="Picture">{Picture::ALL.map(one).collect_view()}</div>
    }
    .any()
}

/// A chart with its head line: the choice, what stands beside it, and the chart's own menu.
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
