//! Views that are fetched when they are first needed. Knows how a part of the page is waited for, and what is there while
//! it is on its way or could not be fetched; knows neither how parts are cut nor what is in them.

use crate::engine::Fetch;
use crate::view::erase::{Any, live};
use crate::view::state::State;
use leptos::prelude::*;
use leptos::task::spawn_local;

/// A view of a part.
#[derive(Clone, Copy)]
pub struct Draw(pub(super) fn(State) -> AnyView);

/// The parts of the page.
#[derive(Clone, Copy)]
pub struct Parts {
    /// An op's panel and its graph.
    pub op: Fetch<Draw>,
    /// What is in the files.
    pub file: Fetch<Draw>,
    /// The audit of what computes nothing.
    pub audit: Fetch<Draw>,
}

/// What is there of a part.
#[derive(Clone, Copy)]
enum Got {
    Nothing,
    Failed,
    Draw(Draw),
}

/// A part's view, once it is there.
pub(crate) fn part(state: State, of: fn(&Parts) -> Fetch<Draw>) -> AnyView {
    let got = RwSignal::new(Got::Nothing);
    let fetch = state.parts.with_value(of);
    let get = move || {
        got.set(Got::Nothing);
        spawn_local(async move {
            let draw = fetch().await;
            let _ = got.try_set(draw.map_or(Got::Failed, Got::Draw));
        });
    };
    get();
    let body = move || match got.get() {
        Got::Nothing => view! { <p class="part-waits" role="status">"Loading …"</p> }.any(),
        Got::Draw(Draw(draw)) => draw(state),
        Got::Failed => view! {
            <p class="part-waits" role="alert">
                "This part of the page could not be fetched. "
                <button type="button" class="link" on:click=move |_| get()>"Try again"</button>
            </p>
        }
        .any(),
    };
    view! { {live(body)} }.into_any()
}
