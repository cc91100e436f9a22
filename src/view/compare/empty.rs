//! This module renders the comparison while only one capture is open: what it does, and the buttons that open a second one.

use crate::view::state::{OpenAs, State};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::files::choose_files;
use crate::view::widgets::icon::{Icon, icon};
use leptos::prelude::*;

/// Renders what a comparison needs.
pub(super) fn one_capture(state: State) -> AnyView {
    let is_report = move || state.summary().is_some();
    let body = move || {
        if is_report() {
            return Some(
                view! {
                    <p>"The open session is a report, which holds no single steps and ops. Open the capture itself to compare it."</p>
                }
                .any(),
            );
        }
        let choose = move |_| choose_files(state, OpenAs::Compare);
        Some(
            view! {
                <p>
                    "Drop another capture on the right half of this page, or choose its files. The open capture stays, and becomes the baseline A. Both are compared by step: what the difference is made of, op by op, and whether it is more than chance."
                </p>
                <p class="acts">
                    <button type="button" class="btn solid" on:click=choose>{icon(Icon::File)} "Choose the capture to compare with"</button>
                </p>
                <p class="sub">"In a terminal and in CI, rooflight compare A B gives the same numbers, and fails if B is slower."</p>
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
