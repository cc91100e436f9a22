//! The field for an address on the web, and below it what is fetched or kept on this device, once there is something. This module knows the
//! state; fetching and keeping is `view::sources`'.

use crate::view::sources::Ways;
use crate::view::state::{KEPT, State, remembered};
use crate::view::type_erasure::If;
use leptos::prelude::*;
use leptos::{ev, html};

/// The field, and below it what is fetched or kept.
#[component]
pub(super) fn FromWeb(state: State) -> impl IntoView {
    let node = NodeRef::<html::Input>::new();
    let has_kept = remembered(KEPT).is_some();
    let is_near = RwSignal::new(false);
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let text = node.get_untracked().map(|field| field.value()).unwrap_or_default();
        if !text.trim().is_empty() {
            state.src.set(text.trim().to_owned());
            state.to_fetch.update(|n| *n += 1);
        }
    };
    view! {
        <form class="from-web" on:submit=submit>
            <label for="from-web">"From the web"</label>
            <span class="field">
                <input
                    node_ref=node
                    id="from-web"
                    type="text"
                    inputmode="url"
                    placeholder="https://…/host.xplane.pb"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    prop:value=move || state.src.get()
                    on:focus=move |_| is_near.set(true)
                />
            </span>
            <button type="submit" class="btn line">"Fetch"</button>
        </form>
        <If when=move || has_kept || is_near.get() || state.to_fetch.get() != 0>
            <Ways state />
        </If>
    }
    .into_any()
}
