//! This module renders the planes as a table, with the lines and the stats of each plane below it. Texts and lengths of
//! bars are in `chart::files`.

use crate::analysis::files::FileView;
use crate::chart::files::{self, LineRow, PlaneRow};
use crate::view::type_erasure::EraseType;
use crate::view::widgets::tree::{self, Branch, Open, width};
use leptos::prelude::*;

/// Renders the table of planes.
pub(crate) fn planes(file: &FileView) -> AnyView {
    let open: Open = RwSignal::new(Vec::new());
    let rows = files::planes(file);
    if rows.is_empty() {
        return view! { <p class="chart-empty">"No planes: these files hold only compiled programs."</p> }.any();
    }
    view! {
        <div class="tree" on:keydown=tree::walk>
            <table>
                <thead><tr>
                    <th scope="col">"Plane, line"</th>
                    <th scope="col">"Type"</th>
                    <th scope="col" class="num">"Events"</th>
                    <th scope="col" class="num">"Size"</th>
                    <th scope="col" class="tree-bar"><span class="visually-hidden">"Size as a bar"</span></th>
                </tr></thead>
                {rows.into_iter().enumerate().map(|(index, row)| plane(open, index, row)).collect_view()}
            </table>
        </div>
    }
    .any()
}

fn plane(open: Open, index: usize, row: PlaneRow) -> AnyView {
    // The key holds the index, because planes of several hosts may have the same name.
    let key = format!("{index} {}", row.name);
    let face = view! { <span class="mono" title=row.name.clone()>{row.name.clone()}</span> }.any();
    let (lines, more) = (row.lines, row.more);
    let below = move || view! { {lines.iter().map(line).collect_view()} {tree::detail_row("5", more.clone())} }.any();
    let cells = view! {
        <td class="rest" title=row.words.clone()>{row.words.clone()}</td>
        <td class="num events">{row.events}</td>
        <td class="num">{row.bytes}</td>
        <td class="tree-bar">
            <svg aria-hidden="true">
                <rect class="tree-part faint" width=width(row.share) height="100%" />
                <rect class="tree-part" width=width(row.share - row.metadata) height="100%" />
            </svg>
        </td>
    }
    .any();
    tree::branch(open, Branch { key: &key, first: index == 0, class: "", face, cells, below: Box::new(below) })
}

fn line(row: &LineRow) -> AnyView {
    view! {
        <tr>
            <th scope="row" class="leaf mono" title=row.name.clone()>{row.name.clone()}</th>
            <td class=if row.is_used { "rest" } else { "rest sub" }>{row.used} " " <span class="sub">{row.when.clone()}</span></td>
            <td class="num events">{row.events.clone()}</td>
            <td class="num">{row.bytes.clone()}</td>
            <td class="tree-bar"><svg aria-hidden="true"><rect class="tree-part" width=width(row.share) height="100%" /></svg></td>
        </tr>
    }
    .any()
}
