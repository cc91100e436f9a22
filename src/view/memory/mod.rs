//! This module composes the memory view: figures, and either the curve of a program with its live buffers, or the curve
//! of an allocator. [`model`] holds the state that these parts share.

mod allocator;
mod curve;
mod fit;
mod model;
mod pane;
mod rows;
mod tools;

use crate::chart::memory::figures;
use crate::protocol::url::memory::MemorySource;
use crate::view::empty::empty_state;
use crate::view::state::State;
use crate::view::type_erasure::{EraseType, If, live};
use crate::view::widgets::figure::readout;
use crate::view::widgets::size::width_of;
use crate::view::widgets::table::Table;
use leptos::html;
use leptos::prelude::*;
use model::MemoryModel;

/// Renders the memory view.
#[component]
pub(crate) fn Memory(state: State) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let model = MemoryModel::new(state, width_of(node).into());
    let name = move || state.opened.with(|opened| opened.as_ref().map(|opened| opened.name.clone()));
    let readout = move || {
        if model.side() == MemorySource::Allocator {
            return model.allocator.get().map(|allocator| readout(figures::allocator(&allocator)));
        }
        let check = model.check.get();
        model.memory.with(|memory| {
            let space = memory.as_ref()?.space.as_ref()?;
            Some(readout(figures::program(space, check.as_deref())))
        })
    };
    let is_static = move || model.side() == MemorySource::Static;
    let has_allocators = Memo::new(move |_| {
        model.session.with(|session| session.as_ref().is_some_and(|session| !session.runtime.allocators.is_empty()))
    });
    view! {
        <div class="memory" role="tabpanel" aria-labelledby="tab-memory" node_ref=node>
            <h1 class="visually-hidden">"Memory of " {live(name)}</h1>
            <div class="view-head">
                <dl class="figures" data-roving="">{live(readout)}</dl>
                <tools::Tools model />
            </div>
            {move || model.none().map(|words| empty_state(state, words, other_side(model)))}
            {move || model.missing_text().map(|words| view! { <p class="memory-none">{words}</p> }.any())}
            <If when=move || !is_static() && has_allocators.get()><allocator::Allocator model /></If>
            <If when=move || is_static() && model.has_space.get()><Static model /></If>
        </div>
    }
    .any()
}

/// Renders the button that shows the other side, static memory or the allocator, if that side has data.
fn other_side(model: MemoryModel) -> AnyView {
    let (side, words) = match untrack(|| model.side()) {
        MemorySource::Static => (MemorySource::Allocator, "Show the allocator"),
        MemorySource::Allocator => (MemorySource::Static, "Show static memory"),
    };
    let show = move |_| model.change(|view_state| view_state.side = Some(side));
    let has = move || model.empty_reason(side).is_none();
    view! { <If when=has><button type="button" class="btn line" on:click=show>{words}</button></If> }.any()
}

/// Renders a program: the curve, and the live buffers at the selected point.
#[component]
fn Static(model: MemoryModel) -> impl IntoView {
    let state = model.state;
    let table_model = rows::table_model(model);
    state.table.set_value(Some(table_model));
    state.place.set(Default::default());
    on_cleanup(move || state.table.set_value(None));
    view! {
        <curve::Curve model />
        <div class="memory-halves">
            <section class="memory-pane" aria-label="Live buffers">
                <pane::MemoryPane model />
            </section>
            <section class="memory-table" aria-label="Buffers">
                <rows::Tools model />
                <Table model=table_model />
            </section>
        </div>
    }
    .any()
}
