//! This module renders the choice of data to remove before sharing.

use super::model::{ShareModel, Tab};
use crate::table::format;
use crate::view::type_erasure::{EraseType, live};
use leptos::prelude::*;

/// Renders the switches for source paths and names.
pub(super) fn view(model: ShareModel) -> AnyView {
    let summary = model.summary();
    let (no_sources, is_anonymous) =
        summary.map_or((false, false), |summary| (!summary.has_sources, summary.is_anonymous));
    // A capture is shared unchanged.
    let is_whole = move || model.tab.get() != Tab::Link && model.with_capture.get();
    let lines = move || {
        let n = model.shared.with(|shared| shared.as_ref().map_or(0, |shared| shared.n_sources));
        if no_sources || is_anonymous {
            "not in this summary".to_owned()
        } else {
            format::counted(n.into(), "line", "lines")
        }
    };
    let names = move || if is_anonymous { "done in this summary" } else { "become op-1, program-1, file-1 …" };
    let text = move || {
        if is_whole() {
            "The capture is included unchanged, with names, paths, hosts and HLO text."
        } else {
            "A report never contains HLO text or events. Times, counts, sizes and FLOPs stay."
        }
    };
    view! {
        <fieldset class="share-cut">
            <legend>"Remove before sharing"</legend>
            <label>
                <input
                    type="checkbox"
                    prop:checked=move || (model.without_sources.get() || model.anonymise.get() || no_sources) && !is_whole()
                    prop:disabled=move || no_sources || is_anonymous || model.anonymise.get() || is_whole()
                    on:change=move |event| model.without_sources.set(event_target_checked(&event))
                />
                <span>"Source paths " <span class="sub">{live(lines)}</span></span>
            </label>
            <label>
                <input
                    type="checkbox"
                    prop:checked=move || (model.anonymise.get() || is_anonymous) && !is_whole()
                    prop:disabled=move || is_anonymous || is_whole()
                    on:change=move |event| model.anonymise.set(event_target_checked(&event))
                />
                <span>"Names " <span class="sub">{live(names)}</span></span>
            </label>
            <p class="sub">{live(text)}</p>
        </fieldset>
    }
    .any()
}
