//! This module renders the missing data of the session as a table: each gap, its impact and its fix. Texts are in
//! `chart::files`.

use crate::analysis::files::FileView;
use crate::chart::files::{self, FindingRow};
use crate::view::type_erasure::EraseType;
use crate::view::widgets::icon::{Icon, icon};
use leptos::prelude::*;

/// Renders the table of missing data, or a sentence if nothing is missing.
pub(crate) fn quality(file: &FileView) -> AnyView {
    let rows = files::findings(file);
    if rows.is_empty() {
        return view! { <p class="file-origin">"Complete: no file is cut, every event is resolved, and every line is present."</p> }
            .any();
    }
    let n = rows.len();
    view! {
        <details class="file-quality" open=true>
            <summary><h2>"Missing data"</h2> <span class="sub">{n}</span></summary>
            <div class="quality-rows" tabindex="0">
                <table>
                    <thead><tr>
                        <th scope="col">"Gap"</th>
                        <th scope="col">"Location"</th>
                        <th scope="col">"Impact"</th>
                        <th scope="col">"How to fix"</th>
                    </tr></thead>
                    <tbody>{rows.into_iter().map(row).collect_view()}</tbody>
                </table>
            </div>
        </details>
    }
    .any()
}

fn row(row: FindingRow) -> AnyView {
    let FindingRow { kind, is_grave, place, consequence, remedy } = row;
    let (class, sign) = if is_grave { ("grave", Icon::Warn) } else { ("", Icon::Info) };
    view! {
        <tr>
            <th scope="row" class=class>{icon(sign)} {kind}</th>
            <td>{place}</td>
            <td>{consequence}</td>
            <td>{if remedy.is_empty() { "–".to_owned() } else { remedy }}</td>
        </tr>
    }
    .any()
}
