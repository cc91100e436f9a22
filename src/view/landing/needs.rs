//! This module renders the request for the capture that the address needs, while this capture is not open.

use crate::view::state::State;
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::icon::{Icon, icon};
use leptos::prelude::*;

/// Renders the request. Nothing is rendered if the address needs no capture, or if a failure is shown.
pub(super) fn view(state: State) -> AnyView {
    let sentence = move || {
        state.needs.get().filter(|_| state.failure.with(Option::is_none)).map(|name| {
            let what = if name.is_empty() { "the capture that it was made from".to_owned() } else { name };
            view! {
                <section class="needs" role="status">
                    {icon(Icon::Info)}
                    <div>
                        <b>"This link needs " {what} ": drop it here."</b>
                        <p>"A reload of the page closes its files. “Keep on this device”, in the menu of the file, stores a copy."</p>
                    </div>
                </section>
            }
            .any()
        })
    };
    live(sentence).into_any()
}
