//! This module renders the field for the address of a capture on the web. The part below the field (`view::sources`)
//! fetches captures and lists stored ones. That part is rendered once a capture is stored, the field has had the focus,
//! or a fetch was requested.

use crate::view::sources::OtherSources;
use crate::view::state::{KEPT, State, remembered};
use crate::view::type_erasure::If;
use leptos::prelude::*;
use leptos::{ev, html};

/// Renders the field, and the part below it once that part is needed.
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
            <OtherSources state />
        </If>
    }
    .into_any()
}
