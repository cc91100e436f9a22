//! This module renders idle gaps: the classes by what the device waited for, and the longest gaps of each class. Texts
//! and lengths of bars are in `chart::gaps`.

use super::shared::picture_frame::{TablePicture, table_picture};
use super::shared::save;
use super::state::{PtrEq, SharedSignal, State};
use super::type_erasure::{EraseType, effect, live};
use super::widgets::tree::{self, Branch, Open, width};
use crate::analysis::base::{DeviceChoice, Query, StepChoice};
use crate::analysis::gaps::Gaps;
use crate::chart::gaps::{self, Group, Row};
use crate::chart::timeline::DeviceTime;
use crate::protocol::requests;
use crate::protocol::table_query::ExportQuery;
use crate::protocol::url::timeline::TimelineRows;
use leptos::prelude::*;
use std::sync::Arc;

/// Requests the gaps of a device and a step, and again when they change. Returns the newest answer.
fn request_gaps(state: State, request: Memo<Option<(DeviceChoice, StepChoice)>>) -> SharedSignal<Gaps> {
    let found = SharedSignal::<Gaps>::none();
    state.request_answer_on_change(
        move || {
            let (device, step) = request.get()?;
            Some(requests::Gaps(Query { device, step, ..Query::default() }))
        },
        move |answer| {
            if let Some(gaps) = state.shown(answer) {
                found.set(Some(PtrEq::new(gaps)));
            }
        },
    );
    found
}

/// Shows a gap on the timeline.
pub(crate) type ShowGap = Callback<DeviceTime>;

/// Renders the idle gaps of a device and a step as a table. The name of a gap is a button that calls `show`.
#[component]
pub(crate) fn IdleTable(
    state: State,
    request: Memo<Option<(DeviceChoice, StepChoice)>>,
    show: ShowGap,
) -> impl IntoView {
    let found = request_gaps(state, request);
    let open: Open = RwSignal::new(Vec::new());
    // A range that is one gap shows its cause at once.
    effect(move || {
        let first = found.with(|found| {
            let found = found.as_ref().filter(|found| found.n_all == 1)?;
            Some(found.classes.first()?.class.label().to_owned())
        });
        if let Some(first) = first.filter(|first| open.with_untracked(|open| !open.contains(first))) {
            open.update(|open| open.push(first));
        }
    });
    live(move || found.with(|found| found.as_ref().map(|found| table(open, show, &gaps::idle(found)))))
}

/// Renders idle gaps as one of the pictures of the breakdown.
#[component]
pub(crate) fn IdlePicture(state: State) -> impl IntoView {
    let found = request_gaps(state, Memo::new(move |_| Some(state.query.with(|query| (query.device, query.step)))));
    let open: Open = RwSignal::new(Vec::new());
    let show = ShowGap::new(move |gap: DeviceTime| state.show_in_timeline(gap, None, TimelineRows::Idle));
    let picture = TablePicture {
        menu: "idle-menu",
        panel: ("how-idle", "How idle time is computed"),
        summary: Arc::new(move || found.with(|found| found.as_ref().map(|found| gaps::summary(found)))),
        formula: Arc::new(move || found.with(|found| found.as_ref().map(|found| gaps::formula(found)))),
        save: |state, format| {
            let query = state.query.get_untracked();
            save::file(state, ExportQuery::Gaps(query), "idle-gaps", format);
        },
        table: Arc::new(move || found.with(|found| found.as_ref().map(|found| table(open, show, &gaps::idle(found))))),
    };
    table_picture(state, picture)
}

fn table(open: Open, show: ShowGap, idle: &gaps::IdleTable) -> AnyView {
    if idle.groups.is_empty() {
        return view! { <p class="chart-empty">"The device is never idle here."</p> }.any();
    }
    let unit = idle.unit;
    let [time, share, n] = idle.total.clone();
    view! {
        <div class="tree picture-tree" on:keydown=tree::walk>
            <table>
                <thead><tr>
                    <th scope="col">"Waited for, gap"</th>
                    <th scope="col" class="num">"Time " <span class="unit">{unit}</span></th>
                    <th scope="col" class="tree-bar"><span class="visually-hidden">"Share of the largest"</span></th>
                    <th scope="col" class="num">"Window " <span class="unit">"%"</span></th>
                    <th scope="col" class="num wide-2">"Gaps"</th>
                    <th scope="col" class="wide-2">"Op before"</th>
                    <th scope="col" class="wide-2">"Op after"</th>
                    <th scope="col" class="wide-2">"Program"</th>
                </tr></thead>
                {idle.groups.iter().enumerate().map(|(index, one_group)| group(open, show, index == 0, one_group)).collect_view()}
                <tfoot><tr>
                    <th scope="row">"Idle"</th>
                    <td class="num">{time}</td><td></td><td class="num">{share}</td><td class="num wide-2">{n}</td>
                    <td colspan="3" class="wide-2"></td>
                </tr></tfoot>
            </table>
        </div>
    }
    .any()
}

fn group(open: Open, show: ShowGap, first: bool, group: &Group) -> AnyView {
    let name = group.row.name.clone();
    let Group { gaps, rest, .. } = group.clone();
    let below = move || {
        let gap = |row: &Row| {
            let (name, time) = (row.name.clone(), row.gap_time.clone());
            let name = time.map(|time| {
                view! { <button type="button" class="link" title="Show in timeline" on:click=move |_| show.run(time.clone())>{name}</button> }.any()
            });
            view! {
                <tr><th scope="row" class="leaf">{name}</th> {cells(row)}</tr>
                {tree::detail_row("8", row.more.clone())}
            }
            .any()
        };
        view! { {gaps.iter().map(gap).collect_view()} {tree::note_row("8", rest.clone())} }.any()
    };
    let face = view! { <span>{name}</span> }.any();
    let (key, cells) = (&*group.row.name, cells(&group.row));
    tree::branch(open, Branch { key, first, class: "rest", face, cells, below: Box::new(below) })
}

fn cells(row: &Row) -> AnyView {
    let text = |text: &String| view! { <td class="mono wide-2" title=text.clone()>{text.clone()}</td> }.any();
    view! {
        <td class="num">{row.time.clone()}</td>
        <td class="tree-bar"><svg aria-hidden="true"><rect class="mark-idle" width=width(row.bar) height="100%" /></svg></td>
        <td class="num">{row.of_window.clone()}</td>
        <td class="num wide-2">{row.n.clone()}</td>
        {row.around.iter().map(text).collect_view()}
    }
    .any()
}
