//! This module renders the preview of the report: the number of rows of each table, the first rows as their reader sees
//! them, and every text.

use super::model::ShareModel;
use crate::chart::share;
use crate::protocol::ShareAnswer;
use crate::share::{Section, Table};
use crate::view::state::PtrEq;
use crate::view::type_erasure::{EraseType, live};
use leptos::prelude::*;

/// Renders how many rows of each table are shared.
pub(super) fn tables(model: ShareModel) -> AnyView {
    let row = |table: &Table| {
        view! { <tr><th scope="row">{table.title.clone()}</th><td class="num">{share::count(table)}</td></tr> }.any()
    };
    let rows = move || {
        model.shared.with(|shared| {
            let shown = |shared: &PtrEq<ShareAnswer>| {
                shared.preview.tables.iter().filter(|table| table.total > 0).map(row).collect_view().into_any()
            };
            shared.as_ref().map(shown)
        })
    };
    view! {
        <div class="share-tables">
            <h3>"Included"</h3>
            <table>
                <caption class="visually-hidden">"Included"</caption>
                <tbody>{live(rows)}</tbody>
            </table>
        </div>
    }
    .any()
}

/// Renders the first rows, and every text.
pub(super) fn rows(model: ShareModel) -> AnyView {
    let first = move || model.shared.with(|shared| shared.as_ref().map(|shared| share::rows(&shared.first)));
    let n = move || {
        model.shared.with(|shared| shared.as_ref().map_or_else(String::new, |shared| share::texts(&shared.preview)))
    };
    let is_open = RwSignal::new(false);
    let all = move || {
        let sections = || {
            model.shared.with(|shared| {
                let shown =
                    |shared: &PtrEq<ShareAnswer>| shared.preview.texts.iter().map(section).collect_view().into_any();
                shared.as_ref().map(shown)
            })
        };
        is_open.get().then(sections)
    };
    view! {
        <div class="share-preview">
            <h3>"Preview for the reader"</h3>
            <pre class="share-rows" tabindex="0">{live(first)}</pre>
            <details on:toggle=move |event| is_open.set(event_target::<web_sys::Element>(&event).has_attribute("open"))>
                <summary>{live(n)}</summary>
                {live(all)}
            </details>
        </div>
    }
    .any()
}

fn section(section: &Section) -> AnyView {
    let title = format!("{} ({})", section.title, section.texts.len());
    view! { <section><h4 class:telling=section.is_telling>{title}</h4><pre tabindex="0">{section.texts.join("\n")}</pre></section> }
        .any()
}
