//! What is told in the corner: errors stay until they are dismissed.

use crate::view::state::{State, Toast};
use crate::view::widgets::icon::{Icon, icon};
use leptos::prelude::*;

/// All that is told, the newest last.
#[component]
pub(crate) fn Toasts(state: State) -> impl IntoView {
    let one = move |toast: Toast| {
        view! {
            <section class="toast" role="alert">
                <span class="bad">{icon(Icon::Warn)}</span>
                <div>
                    <b class="toast-title">{toast.failure.title}</b>
                    <p>{toast.failure.message}</p>
                    <button type="button" class="btn line" on:click=move |_| state.dismiss(toast.id)>
                        "Dismiss" <kbd>"Esc"</kbd>
                    </button>
                </div>
            </section>
        }
    };
    view! {
        <div class="toasts">
            <For each=move || state.toasts.get() key=|toast| toast.id children=one />
        </div>
    }
    .into_any()
}
