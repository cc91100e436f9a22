//! This module renders data movement: the categories of ops that move data or communicate, what they change, their
//! sources, and the opcodes that ran. Texts and lengths of bars are in `chart::data_movement`.

use super::shared::picture_frame::{TablePicture, table_picture};
use super::shared::save;
use super::state::{PtrEq, SharedMemo, SharedSignal, State};
use super::type_erasure::EraseType;
use super::widgets::swatch::swatch;
use super::widgets::tree::{self, Branch, Open, width};
use crate::chart::data_movement::{self, CHANGES, DataMovementTable, Group, Mark, Program, Row};
use crate::protocol::table_query::ExportQuery;
use crate::protocol::{DataMovementView, requests};
use leptos::prelude::*;
use std::sync::Arc;

/// Renders data movement as one of the pictures of the breakdown.
#[component]
pub(crate) fn DataMovementPicture(state: State) -> impl IntoView {
    let found = SharedSignal::<DataMovementView>::none();
    let request = Memo::new(move |_| state.query.with(|query| (query.device, query.step)));
    state.request_answer_on_change(
        move || {
            let (device, step) = request.get();
            Some(requests::DataMovement(crate::analysis::base::Query { device, step, ..Default::default() }))
        },
        move |answer| {
            if let Some(view) = state.shown(answer) {
                found.set(Some(PtrEq::new(view)));
            }
        },
    );
    let open: Open = RwSignal::new(Vec::new());
    let shown = SharedMemo::new(move || {
        found.with(|found| found.as_ref().map(|view| PtrEq::new(data_movement::data_movement(view))))
    });
    let picture = TablePicture {
        menu: "data-movement-menu",
        panel: ("how-data-movement", "How data movement is computed"),
        summary: Arc::new(move || shown.with(|shown| shown.as_ref().map(|shown| shown.summary.clone()))),
        formula: Arc::new(move || found.with(|found| found.as_ref().map(|view| data_movement::formula(view)))),
        save: |state, format| {
            let query = state.query.get_untracked();
            save::file(state, ExportQuery::DataMovement(query), "non-compute", format);
        },
        table: Arc::new(move || shown.get().map(|shown| rows_view(state, open, &shown))),
    };
    table_picture(state, picture)
}

fn rows_view(state: State, open: Open, data_movement: &DataMovementTable) -> AnyView {
    if data_movement.groups.is_empty() {
        return view! { <p class="chart-empty">"No op here moves data or communicates."</p> }.any();
    }
    let unit = data_movement.unit;
    let head = |label: &'static str| view! { <th scope="col" class="data-movement-change">{label}</th> }.any();
    let group = |(index, one_group): (usize, &Group)| group(state, open, index == 0, one_group.clone());
    let [self_time, share, stall, runs] = data_movement.total.clone();
    view! {
        <div class="tree picture-tree data-movement" on:keydown=tree::walk>
            <table>
                <thead><tr class="data-movement-over">
                    <td colspan="4"></td><td colspan="3" class="wide-2"></td>
                    <th scope="colgroup" colspan="5">"Changes"</th>
                    <td colspan="2" class="wide-3"></td>
                </tr><tr>
                    <th scope="col">"Category, source"</th>
                    <th scope="col" class="num">"Self " <span class="unit">{unit}</span></th>
                    <th scope="col" class="tree-bar"><span class="visually-hidden">"Moves, waits"</span></th>
                    <th scope="col" class="num">"Step " <span class="unit">"%"</span></th>
                    <th scope="col" class="num wide-2">"Stall " <span class="unit">{unit}</span></th>
                    <th scope="col" class="num wide-2">"Executions"</th>
                    <th scope="col" class="num wide-2">"Moved"</th>
                    {CHANGES.map(head).collect_view()}
                    <th scope="col" class="wide-3">"Reads"</th>
                    <th scope="col" class="wide-3">"Writes"</th>
                </tr></thead>
                {data_movement.groups.iter().enumerate().map(group).collect_view()}
                <tfoot><tr>
                    <th scope="row">"All"</th>
                    <td class="num">{self_time}</td><td></td><td class="num">{share}</td>
                    <td class="num wide-2">{stall}</td><td class="num wide-2">{runs}</td>
                    <td colspan="8"></td>
                </tr></tfoot>
            </table>
            {data_movement.programs.iter().map(program).collect_view()}
        </div>
    }
    .any()
}

fn group(state: State, open: Open, first: bool, group: Group) -> AnyView {
    let Group { row: group, sources, rest } = group;
    let face = view! { {swatch(group.time_part)} <span>{group.name.clone()}</span> }.any();
    let more = group.more.clone();
    let below = move || {
        let sources = sources.iter().map(|part| view! { <tr>{source(state, part)} {cells(part)}</tr> }.any());
        let more = more.iter().map(|(label, value)| ((*label).to_owned(), value.clone())).collect();
        view! { {tree::detail_row("14", more)} {sources.collect_view()} {tree::note_row("14", rest.clone())} }.any()
    };
    let cells = cells(&group);
    tree::branch(open, Branch { key: &group.name, first, class: "rest", face, cells, below: Box::new(below) })
}

fn source(state: State, row: &Row) -> AnyView {
    let name = view! { <span>{row.name.clone()}</span> }.any();
    let title = row.title.clone();
    match row.op.clone() {
        Some(op) => view! {
            <th scope="row" class="rest">
                <button type="button" class="tree-name mono" tabindex="-1" title=title on:click=move |_| state.op.set(op.clone())>{name}</button>
            </th>
        }
        .any(),
        None => view! { <th scope="row" class="leaf rest mono" title=title>{name}</th> }.any(),
    }
}

fn cells(row: &Row) -> AnyView {
    let (moves, waits) = row.bar;
    let [reads, writes] = row.shapes.clone();
    view! {
        <td class="num">{row.self_time.clone()}</td>
        <td class="tree-bar">
            <svg aria-hidden="true">
                <rect class="tree-part" width=width(moves) height="100%" />
                <rect class="mark-idle" x=width(moves) width=width(waits) height="100%" />
            </svg>
        </td>
        <td class="num">{row.of_step.clone()}</td>
        <td class="num wide-2">{row.stall.clone()}</td>
        <td class="num wide-2">{row.runs.clone()}</td>
        <td class="num wide-2">{row.moved.clone()}</td>
        {row.marks.iter().zip(CHANGES).map(mark).collect_view()}
        <td class="mono wide-3" title=reads.clone()>{reads.clone()}</td>
        <td class="mono wide-3" title=writes.clone()>{writes.clone()}</td>
    }
    .any()
}

fn mark((changes, label): (&Mark, &'static str)) -> AnyView {
    let class = match &*changes.word {
        "no" => "data-movement-change none",
        "?" => "data-movement-change unknown",
        _ => "data-movement-change",
    };
    view! {
        <td class=class title=changes.full.clone()>
            <span class="data-movement-label">{label}</span> " " <span>{changes.word.clone()}</span>
            <svg aria-hidden="true">
                <rect class="data-movement-yes" width=width(changes.yes) height="100%" />
                <rect class="mark-idle" x=width(changes.yes) width=width(changes.unknown) height="100%" />
            </svg>
        </td>
    }
    .any()
}

fn program(program: &Program) -> AnyView {
    let one = |(opcode, n): &(String, String)| {
        view! { <span><span class="mono">{opcode.clone()}</span> " " {n.clone()}</span> }.any()
    };
    view! {
        <details class="data-movement-program">
            <summary>"Opcodes of " <span class="mono">{program.name.clone()}</span> <span class="sub">" " {program.summary.clone()}</span></summary>
            <p class="tree-more">{program.opcodes.iter().map(one).collect_view()}</p>
        </details>
    }
    .any()
}
