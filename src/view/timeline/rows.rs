//! This module renders the figures of the range above the tracks, and the rows below them. The sums are those of the breakdown
//! of the same range.

use super::model::TimelineModel;
use crate::analysis::base::GroupBy;
use crate::analysis::timeline::{EventQuery, parse_event_key};
use crate::chart::breakdown::figures;
use crate::chart::timeline::DeviceTime;
use crate::chart::timeline::Viewport;
use crate::protocol::table_query::TableQuery;
use crate::protocol::url::timeline::TimelineRows;
use crate::protocol::{BreakdownHead, requests};
use crate::table::filter::TextFilter;
use crate::table::page::{Row, SortBy};
use crate::view::gaps::IdleTable;
use crate::view::shared::{RemoteTable, RowPress, remote_model};
use crate::view::state::{PtrEq, SharedSignal};
use crate::view::type_erasure::{EraseType, If, live};
use crate::view::widgets::figure::readout;
use crate::view::widgets::table::Table;
use leptos::prelude::*;

/// The groupings of the rows.
const GROUPS: [GroupBy; 5] = [GroupBy::Kind, GroupBy::OpGroup, GroupBy::Op, GroupBy::Scope, GroupBy::Source];

/// Renders the figures of the range, or of the visible part.
#[component]
pub(super) fn Figures(model: TimelineModel) -> impl IntoView {
    let head: SharedSignal<BreakdownHead> = model.state.answer_of_session();
    let is_waiting = RwSignal::new(true);
    let request = Memo::new(move |_| model.sums_query());
    model.state.request_answer_on_change(
        move || {
            let request = request.get().map(requests::Breakdown);
            is_waiting.set(request.is_some());
            request
        },
        move |answer| {
            is_waiting.set(false);
            if let Ok(found) = answer {
                head.set(Some(PtrEq::new(found)));
            }
        },
    );
    let row = move || {
        let mut figures = figures::readout(&*head.get()?, None);
        if model.view_state.with(|view_state| view_state.range.is_none()) {
            "In view".clone_into(&mut figures.hero.label);
        }
        // The header may name several devices, and the selected event may be of another one.
        let device = request.with(|query| query.as_ref().and_then(|query| query.device.single()));
        if let Some(device) =
            device.filter(|device| model.state.query.with(|query| query.device.single() != Some(*device)))
        {
            let name = model.device_name(device);
            figures.hero.scope = Some(figures.hero.scope.map_or(name.clone(), |scope| format!("{name}, {scope}")));
        }
        Some(readout(figures))
    };
    view! { <dl class="figures" data-roving="" aria-busy=move || is_waiting.get().to_string()>{live(row)}</dl> }.any()
}

/// Renders the rows below the tracks: the sums of the range, its events, or the hits of the search.
#[component]
pub(super) fn Rows(model: TimelineModel) -> impl IntoView {
    let state = model.state;
    let sums = Memo::new(move |_| model.sums_query());
    // Without a device there are no sums.
    let shown_rows = Memo::new(move |_| {
        let chosen = model.view_state.with(|view_state| view_state.rows);
        let needs_device = matches!(chosen, TimelineRows::Sums | TimelineRows::Idle);
        if needs_device && sums.with(Option::is_none) { TimelineRows::Events } else { chosen }
    });
    let (by_sums, by_start) = (RwSignal::new(None::<SortBy>), RwSignal::new(Some(SortBy::new("start_ps", false))));
    let sort = move || if shown_rows.get() == TimelineRows::Sums { by_sums } else { by_start };
    let by = Memo::new(move |_| model.view_state.with(|view_state| view_state.by));
    let table = remote_model(
        state,
        RemoteTable {
            label: Signal::derive(move || match shown_rows.get() {
                TimelineRows::Sums => format!("Time in the range by {}", by.get().label().to_ascii_lowercase()),
                TimelineRows::Events => "Events in the range".to_owned(),
                TimelineRows::Hits => "Events that the search found".to_owned(),
                TimelineRows::Idle => String::new(),
            }),
            table: Signal::derive(move || match shown_rows.get() {
                TimelineRows::Sums => sums.get().map(TableQuery::Breakdown),
                TimelineRows::Events => model.events_query().map(TableQuery::Events),
                TimelineRows::Hits => model.search_query().map(TableQuery::Hits),
                TimelineRows::Idle => None,
            }),
            waits: Signal::stored(false),
            filter: Signal::stored(TextFilter::default()),
            sort: Signal::derive(move || sort().get()),
            set_sort: Callback::new(move |by| untrack(sort).set(Some(by))),
            columns: None,
            selected: state.selected.into(),
            is_selected: Callback::new(move |key: String| {
                let is_event = model
                    .view_state
                    .with(|view_state| view_state.event.is_some() && parse_event_key(&key) == view_state.event);
                is_event || state.op.with(|op| *op == key)
            }),
            press: Callback::new(move |(press, row): (RowPress, Row)| {
                let opens = matches!(press, RowPress::Open | RowPress::DoubleClick);
                match parse_event_key(&row.key).filter(|_| shown_rows.get_untracked() != TimelineRows::Sums) {
                    Some((line, event)) => model.find_event(EventQuery::Index { line, event }, true),
                    None if opens && row.opens => state.op.set(row.key),
                    None => {}
                }
            }),
            empty: Callback::new(move |()| {
                let words = match shown_rows.get() {
                    TimelineRows::Sums | TimelineRows::Idle => {
                        let show_idle = move |_| model.change(|view_state| view_state.rows = TimelineRows::Idle);
                        return view! {
                            <p>
                                "The device is idle here. "
                                <button type="button" class="link" on:click=show_idle>"Show what it waits for"</button>
                            </p>
                        }
                        .any();
                    }
                    TimelineRows::Events => "No event is here.",
                    TimelineRows::Hits => "Search for a name to list its events.",
                };
                view! { <p>{words}</p> }.any()
            }),
        },
    );
    state.table.set_value(Some(table));
    state.place.set(Default::default());
    on_cleanup(move || state.table.set_value(None));
    let rows = move |rows: TimelineRows| {
        let pressed = move || (shown_rows.get() == rows).to_string();
        view! { <button type="button" aria-pressed=pressed on:click=move |_| model.change(|view_state| view_state.rows = rows)>{rows.label()}</button> }.any()
    };
    let group = move |grouping: GroupBy| {
        let choose = move |_| {
            by_sums.set(None);
            model.change(|view_state| view_state.by = grouping);
        };
        view! { <button type="button" aria-pressed=move || (by.get() == grouping).to_string() on:click=choose>{grouping.label()}</button> }
            .any()
    };
    let device = move || {
        let device = sums.with(|query| query.as_ref().and_then(|query| query.device.single()));
        model.timeline.with(|timeline| {
            let groups = &timeline.as_ref()?.groups;
            groups.iter().find(|group| group.device == device).map(|group| group.name.clone())
        })
    };
    let idle = Memo::new(move |_| {
        let query = sums.with(|query| query.as_ref().map(|query| (query.device, query.step)));
        query.filter(|_| shown_rows.get() == TimelineRows::Idle)
    });
    let show_gap = Callback::new(move |DeviceTime { range, .. }: DeviceTime| {
        let device = sums.with_untracked(|query| query.as_ref().and_then(|query| query.device.single()));
        if let Some((start, end)) = model.displayed_range(device, (range.start.0, range.end.0)) {
            model.show(Viewport::with_margin(model.whole.get_untracked(), start, end));
        }
    });
    let about = move || {
        let part = if model.view_state.with(|view_state| view_state.range.is_some()) {
            "the selected range"
        } else {
            "the visible part"
        };
        match shown_rows.get() {
            TimelineRows::Sums => Some(format!("{}, {part}; events at its ends are cut", device()?)),
            TimelineRows::Events => Some(format!("the unfolded lines, {part}")),
            TimelineRows::Hits => Some("the whole capture".to_owned()),
            TimelineRows::Idle => Some(format!("{}, {part}; what the device waited for", device()?)),
        }
    };
    view! {
        <section class="timeline-sums" aria-label="Rows">
            <div class="table-tools" data-roving="">
                <div class="segmented" data-roving="" role="group" aria-label="Rows">{TimelineRows::ALL.map(rows).collect_view()}</div>
                <If when=move || shown_rows.get() == TimelineRows::Sums>
                    <div class="segmented" data-roving="" role="group" aria-label="Group by">{GROUPS.map(group).collect_view()}</div>
                </If>
                <span class="sub">{live(about)}</span>
            </div>
            <If when=move || shown_rows.get() == TimelineRows::Idle><IdleTable state request=idle show=show_gap /></If>
            <If when=move || shown_rows.get() != TimelineRows::Idle><Table model=table /></If>
        </section>
    }
    .any()
}
