//! This module renders the tools between the picture and the table: grouping, filter, columns and save.

use super::chooser::Chooser;
use super::filter::{FilterBox, FilterStatus};
use super::save::Save;
use crate::analysis::base::GroupBy;
use crate::protocol::BreakdownHead;
use crate::view::state::{SharedMemo, State};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::menu::{Entry, MenuButton};
use crate::view::widgets::table::Model;
use leptos::prelude::*;

/// Renders the tools of the breakdown.
#[component]
pub(crate) fn Tools(state: State, head: SharedMemo<BreakdownHead>, table: Model) -> impl IntoView {
    let by = Memo::new(move |_| state.query.with(|query| query.by));
    let one = move |group: GroupBy| {
        let pressed = move || (by.get() == group).to_string();
        view! {
            <button type="button" aria-pressed=pressed on:click=move |_| state.group_by(group)>{group.label()}</button>
        }
        .any()
    };
    let entry = move |group: GroupBy| {
        Entry::new(group.label(), Callback::new(move |()| state.group_by(group))).chosen(by.get() == group)
    };
    let offered = move || GroupBy::ALL.into_iter().filter(move |by| state.can(|can| can.groups_breakdown_by(*by)));
    let entries = Signal::derive(move || offered().map(entry).collect());
    let all = move || offered().map(one).collect_view();
    view! {
        <div class="tools" data-roving="">
            <span class="tools-label wide-by" id="group-by">"Group by"</span>
            <div class="segmented wide-by" data-roving="" role="group" aria-labelledby="group-by">{live(all)}</div>
            <span class="narrow-by">
                <MenuButton
                    id="by"
                    class="btn line"
                    label=Signal::derive(move || format!("Group by {}", by.get().label()))
                    entries
                    face=Box::new(move || {
                        view! { <span class="pick-of">"By"</span>" "<b>{move || by.get().label()}</b> {icon(Icon::Down)} }.any()
                    })
                />
            </span>
            <span class="grow"></span>
            <FilterBox state />
            <Chooser state table />
            <Save state />
        </div>
        <FilterStatus state head />
    }.any()
}
