//! This module renders the sums of the range: its figures above the tracks, and its rows below them. They are those of the
//! breakdown of the same range.

use super::model::TimelineModel;
use crate::analysis::base::GroupBy;
use crate::chart::breakdown::figures;
use crate::protocol::table_query::TableOf;
use crate::protocol::{BreakdownHead, Reply, Request};
use crate::table::filter::TextFilter;
use crate::table::page::{Row, SortBy};
use crate::view::breakdown::readout;
use crate::view::state::{PtrEq, SharedSignal};
use crate::view::type_erasure::{EraseType, If, live};
use crate::view::widgets::table::{RemoteTable, RowPress, Table, remote_model};
use leptos::prelude::*;

/// The groupings of the rows.
const GROUPS: [GroupBy; 5] = [GroupBy::Kind, GroupBy::OpGroup, GroupBy::Op, GroupBy::Scope, GroupBy::Source];

/// Renders the figures of the range, or of the visible part.
#[component]
pub(super) fn Figures(model: TimelineModel) -> impl IntoView {
    let head: SharedSignal<BreakdownHead> = model.state.answer_of_session();
    let is_waiting = RwSignal::new(true);
    let request = Memo::new(move |_| model.sums_query());
    model.state.request_on_change(
        move || {
            let request = request.get().map(Request::Breakdown);
            is_waiting.set(request.is_some());
            request
        },
        move |reply| {
            is_waiting.set(false);
            if let Reply::Breakdown(found) = reply {
                head.set(Some(PtrEq::new(*found)));
            }
        },
    );
    let row = move || {
        let mut figures = figures::readout(&*head.get()?, None);
        if model.place.with(|place| place.range.is_none()) {
            "In view".clone_into(&mut figures.hero.label);
        }
        Some(readout(figures))
    };
    view! { <dl class="figures" data-roving="" aria-busy=move || is_waiting.get().to_string()>{live(row)}</dl> }.any()
}

/// Renders the rows of the range, or of the visible part.
#[component]
pub(super) fn Sums(model: TimelineModel) -> impl IntoView {
    let state = model.state;
    let request = Memo::new(move |_| model.sums_query());
    let sort = RwSignal::new(None::<SortBy>);
    let by = Memo::new(move |_| model.place.with(|place| place.by));
    let table = remote_model(
        state,
        RemoteTable {
            label: Signal::derive(move || format!("Time in the range by {}", by.get().label().to_ascii_lowercase())),
            of: Signal::derive(move || request.get().map(TableOf::Breakdown)),
            waits: Signal::stored(false),
            filter: Signal::stored(TextFilter::default()),
            sort: sort.into(),
            set_sort: Callback::new(move |by| sort.set(Some(by))),
            columns: None,
            selected: state.selected.into(),
            is_selected: Callback::new(move |key: String| state.op.with(|op| *op == key)),
            press: Callback::new(move |(press, row): (RowPress, Row)| {
                if matches!(press, RowPress::Open | RowPress::DoubleClick) && row.opens {
                    state.op.set(row.key);
                }
            }),
            empty: Callback::new(|()| view! { <p>"No op runs here."</p> }.any()),
        },
    );
    state.table.set_value(Some(table));
    state.place.set(Default::default());
    on_cleanup(move || state.table.set_value(None));
    let group = move |of: GroupBy| {
        let choose = move |_| {
            sort.set(None);
            model.change(|place| place.by = of);
        };
        view! { <button type="button" aria-pressed=move || (by.get() == of).to_string() on:click=choose>{of.label()}</button> }
            .any()
    };
    let about = move || {
        let is_range = model.place.with(|place| place.range.is_some());
        let name = request.with(|query| query.as_ref().and_then(|query| query.device.single()));
        let device = model.timeline.with(|timeline| {
            let groups = &timeline.as_ref()?.groups;
            groups.iter().find(|group| group.device == name).map(|group| group.name.clone())
        })?;
        let part = if is_range { "the selected range" } else { "the visible part" };
        Some(format!("{device}, {part}; events at its ends are cut"))
    };
    let has_device = Memo::new(move |_| request.with(Option::is_some));
    view! {
        <If when=move || has_device.get()>
            <section class="timeline-sums" aria-label="Sums">
                <div class="table-tools" data-roving="">
                    <div class="segmented" data-roving="" role="group" aria-label="Rows">{GROUPS.map(group).collect_view()}</div>
                    <span class="sub">{live(about)}</span>
                </div>
                <Table model=table />
            </section>
        </If>
    }
    .any()
}
