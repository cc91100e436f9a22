//! This module renders the comparison while only one capture is open: what it does, and the buttons that open a second one.

use crate::view::shared::files::choose_files;
use crate::view::state::{OpenAs, State};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::icon::{Icon, icon};
use leptos::prelude::*;

/// Renders what a comparison needs.
pub(super) fn one_capture(state: State) -> AnyView {
    let is_report = move || state.summary().is_some();
    let body = move || {
        // A report that is open is one of the sides, and holds less.
        let limits = is_report().then(|| {
            view! {
                <p>"The open session is a report. Its steps, its owners of time, its ops, its memory and its collectives are compared as far as it holds them; programs are not. The page says what is left out."</p>
            }
            .any()
        });
        let choose = move |_| choose_files(state, OpenAs::Compare);
        Some(
            view! {
                <p>
                    "Drop another capture or a report on the middle of this page, or choose its files. The capture or report that is open stays as baseline A. The page shows whether a step became slower or faster by more than chance, and what the difference is made of, op by op."
                </p>
                {limits}
                <p class="acts">
                    <button type="button" class="btn solid" on:click=choose>{icon(Icon::File)} "Choose the capture to compare with"</button>
                </p>
                <p class="sub"><code>"rooflight compare A B"</code> " gives the same numbers in a terminal; with " <code>"--fail-over 3%"</code> " it fails in CI if B is slower."</p>
            }
            .any(),
        )
    };
    view! {
        <section class="empty">
            <h1>"Compare with another capture"</h1>
            {live(body)}
        </section>
    }
    .any()
}
