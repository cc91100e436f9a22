//! This module renders the messages in the corner. Errors stay until they are dismissed, and information disappears by
//! itself.

use crate::view::state::{State, Toast};
use crate::view::type_erasure::EraseType;
use crate::view::widgets::icon::{Icon, icon};
use leptos::prelude::*;

/// Renders all messages, the newest one last.
#[component]
pub(crate) fn Toasts(state: State) -> impl IntoView {
    let one = move |toast: Toast| {
        if toast.passing {
            return view! {
                <section class="toast passing" role="status">
                    {icon(Icon::Check)}
                    <div>
                        <b class="toast-title">{toast.failure.title}</b>
                        {(!toast.failure.message.is_empty()).then(|| view! { <p>{toast.failure.message.clone()}</p> }.any())}
                    </div>
                </section>
            }.any();
        }
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
        .any()
    };
    view! {
        <div class="toasts">
            <For each=move || state.toasts.get() key=|toast| toast.id children=one />
        </div>
    }
    .any()
}
