//! Views that are fetched when they are first needed. Knows how one is waited for, and what stands in its place while it is
//! on its way or could not be fetched; knows neither how parts are cut (`bin/app.rs`) nor what is in them.

use crate::engine::{Fetch, not_fetched};
use crate::view::erase::{Any, effect, live};
use crate::view::state::State;
use leptos::prelude::*;
use leptos::task::spawn_local;

/// What a part brings: a view.
#[derive(Clone, Copy)]
pub struct Draw(pub(super) fn(State) -> AnyView);

/// What a part brings: something that is done.
#[derive(Clone, Copy)]
pub struct Act(pub(super) fn(State));

/// The parts of the page.
#[derive(Clone, Copy)]
pub struct Parts {
    /// An op's panel and its graph.
    pub op: Fetch<Draw>,
    /// Ops against their roofs.
    pub roofline: Fetch<Draw>,
    /// What fills memory.
    pub memory: Fetch<Draw>,
    /// What the compute waits for.
    pub comm: Fetch<Draw>,
    /// What is in the files.
    pub file: Fetch<Draw>,
    /// The audit of what computes nothing.
    pub audit: Fetch<Draw>,
    /// Other ways in than files at hand.
    pub ways: Fetch<Draw>,
    /// Choosing of files that are too large to be read whole.
    pub choice: Fetch<Draw>,
    /// What leaves, and as what.
    pub share: Fetch<Draw>,
    /// Keeping what is open on this device.
    pub keep: Fetch<Act>,
}

/// How much there is of a part.
#[derive(Clone, Copy)]
enum Got {
    Nothing,
    Failed,
    All(Draw),
}

/// Does what a part brings, once it is there.
pub(crate) fn act(state: State, of: fn(&Parts) -> Fetch<Act>) {
    let fetch = state.parts.with_value(of);
    spawn_local(async move {
        match fetch().await {
            Some(Act(act)) => act(state),
            None => state.fail(not_fetched()),
        }
    });
}

/// A part that is a dialog, for as long as it is `open`. Where it did not come, or what the worker answers it with, that is
/// told in the corner and nothing is open: whoever asks for it again has it tried again.
pub(crate) fn dialog(state: State, of: fn(&Parts) -> Fetch<Draw>, open: RwSignal<bool>) -> AnyView {
    let got = RwSignal::new(None::<Draw>);
    let failed = move || {
        open.set(false);
        state.fail(not_fetched());
    };
    let fetch = state.parts.with_value(of);
    state.unanswered.set(false);
    spawn_local(async move {
        match fetch().await {
            Some(draw) => drop(got.try_set(Some(draw))),
            None => failed(),
        }
    });
    effect(move || {
        if state.unanswered.get() {
            state.unanswered.set(false);
            failed();
        }
    });
    let body = move || got.get().map(|Draw(draw)| draw(state));
    view! { {live(body)} }.into_any()
}

/// A part's view once it is there; until then, a word within `frame`. What the worker answers it with is a part as well:
/// where that did not come, it is said and tried again here.
pub(crate) fn part(state: State, of: fn(&Parts) -> Fetch<Draw>, frame: fn(State, AnyView) -> AnyView) -> AnyView {
    let got = RwSignal::new(Got::Nothing);
    let fetch = state.parts.with_value(of);
    let get = move || {
        got.set(Got::Nothing);
        spawn_local(async move {
            let draw = fetch().await;
            let _ = got.try_set(draw.map_or(Got::Failed, Got::All));
        });
    };
    get();
    let again = move |_| {
        state.unanswered.set(false);
        if matches!(got.get_untracked(), Got::Failed) {
            get();
        }
    };
    let body = move || match (got.get(), state.unanswered.get()) {
        (Got::All(Draw(draw)), false) => draw(state),
        (Got::Nothing, _) => frame(state, view! { <p class="fetching" role="status">"Fetching this part …"</p> }.any()),
        _ => {
            let said = not_fetched();
            let words = view! {
                <div class="not-fetched" role="alert">
                    <p><b>{said.title} "."</b> " " {said.message}</p>
                    <button type="button" class="btn line" on:click=again>"Try again"</button>
                </div>
            };
            frame(state, words.any())
        }
    };
    view! { {live(body)} }.into_any()
}
