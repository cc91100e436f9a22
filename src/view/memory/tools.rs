//! This module renders the pickers of the program, the memory space and the allocator.

use super::model::MemoryModel;
use crate::chart::memory::picker;
use crate::protocol::url::memory::MemorySource;
use crate::view::type_erasure::{EraseType, If};
use crate::view::widgets::picker::Picker;
use leptos::prelude::*;

/// Renders the pickers, and the switch between static memory and the allocator.
#[component]
pub(super) fn Tools(model: MemoryModel) -> impl IntoView {
    let side = move |side: MemorySource, label: &'static str| {
        let pressed = move || (model.side() == side).to_string();
        view! { <button type="button" aria-pressed=pressed on:click=move |_| model.change(|view_state| view_state.side = Some(side))>{label}</button> }.any()
    };
    let is = move |side: MemorySource| move || model.side() == side;
    view! {
        <div class="view-tools" data-roving="">
            <If when=is(MemorySource::Allocator)>{move || allocators(model)}</If>
            <If when=is(MemorySource::Static)>{move || view! { {programs(model)} {memories(model)} }.any()}</If>
            <div class="segmented" data-roving="" role="group" aria-label="Curve">
                {side(MemorySource::Static, "Static")}
                {side(MemorySource::Allocator, "Allocator")}
            </div>
        </div>
    }
    .any()
}

/// Renders the picker of programs, the heaviest first, each with its peak.
fn programs(model: MemoryModel) -> AnyView {
    let choices = Memo::new(move |_| {
        model
            .session
            .with(|session| session.as_ref().map(|session| picker::programs(&session.programs)))
            .unwrap_or_default()
    });
    let chosen =
        Signal::derive(move || model.query.with(|query| query.as_ref().map_or(u32::MAX, |query| query.program)));
    let choose = Callback::new(move |program: u32| {
        model.change(|view_state| (view_state.program, view_state.point, view_state.color) = (Some(program), None, 0));
    });
    let any = move || choices.with(|all| !all.is_empty());
    view! { <If when=any>{move || view! { <Picker id="memory-program" label="Program" list="Programs" detailed=true none="choose" choices chosen choose /> }.any()}</If> }.into_any()
}

/// Renders the picker of memory spaces, if the program has several.
fn memories(model: MemoryModel) -> AnyView {
    let choices = Memo::new(move |_| {
        model.memory.with(|memory| memory.as_ref().map(|memory| picker::spaces(&memory.program))).unwrap_or_default()
    });
    let chosen = Signal::derive(move || model.view_state.with(|view_state| view_state.color));
    let choose = Callback::new(move |color: i64| {
        model.change(|view_state| (view_state.color, view_state.point) = (color, None));
    });
    let several = move || choices.with(|all| all.len() > 1);
    view! { <If when=several>{move || view! { <Picker id="memory-space" label="Memory" list="Memories" detailed=true none="choose" choices chosen choose /> }.any()}</If> }.into_any()
}

/// Renders the picker of allocators, by device.
fn allocators(model: MemoryModel) -> AnyView {
    let choices = Memo::new(move |_| {
        model
            .session
            .with(|session| session.as_ref().map(|session| picker::allocators(&session.runtime)))
            .unwrap_or_default()
    });
    let chosen = Signal::derive(move || model.allocator_at.get());
    let choose = Callback::new(move |index: u32| model.change(|view_state| view_state.allocator = Some(index)));
    let any = move || choices.with(|all| !all.is_empty());
    view! { <If when=any>{move || view! { <Picker id="memory-allocator" label="Allocator" list="Allocators" detailed=true none="choose" choices chosen choose /> }.any()}</If> }.into_any()
}
