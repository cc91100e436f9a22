//! This module composes the timeline: figures of the range, the tools, the tracks, the selected event, and the sums of the
//! range. [`model`] holds the state that these parts share.

mod alignment;
mod axis;
mod canvas;
mod events;
mod export;
mod folding;
mod gestures;
mod keys;
mod marks;
mod model;
mod picture;
mod print;
mod requests;
mod rows;
mod search;
mod sheet;
mod tools;
mod tracks;
mod visible_part;

use super::state::State;
use super::type_erasure::{EraseType, If, live};
use crate::analysis::timeline::{EventQuery, Flow};
use crate::chart::timeline::text;
use crate::table::page::row_key;
use leptos::prelude::*;
use model::TimelineModel;

/// Renders the timeline.
#[component]
pub(crate) fn Timeline(state: State) -> impl IntoView {
    let model = TimelineModel::new(state);
    let name = move || state.opened.with(|opened| opened.as_ref().map(|opened| opened.name.clone()));
    let is_empty = Memo::new(move |_| {
        model.timeline.with(|timeline| timeline.as_ref().is_some_and(|timeline| timeline.groups.is_empty()))
    });
    view! {
        <div class="timeline" role="tabpanel" aria-labelledby="tab-timeline">
            <h1 class="visually-hidden">"Timeline of " {live(name)}</h1>
            <If when=move || is_empty.get()>
                <p class="chart-empty">"The capture has no events."</p>
            </If>
            <If when=move || !is_empty.get()>
                <rows::Figures model />
                <tools::Tools model />
                <tracks::Tracks model />
                {live(move || Some(selected(model)))}
                <rows::Rows model />
            </If>
        </div>
    }
    .any()
}

/// Number of links of an event that have a button.
const SHOWN_FLOWS: usize = 2;

/// Renders the button that selects the other event of a link.
fn flow(model: TimelineModel, flow: &Flow) -> AnyView {
    let (query, title) =
        (EventQuery::Index { line: flow.event.line, event: flow.event.event }, flow.event.track.clone());
    view! { <button type="button" class="link" title=title on:click=move |_| model.find_event(query, true)>{text::flow(flow)}</button> }
        .any()
}

/// Renders the selected event.
fn selected(model: TimelineModel) -> AnyView {
    let Some(event) = model.selected.get() else {
        let hint = "Click an event for its details. Drag to select a range. Ctrl + wheel zooms, Shift + drag pans.";
        return view! { <p class="timeline-event sub">{hint}</p> }.any();
    };
    let line = |(label, value): (&'static str, String)| view! { <div><dt>{label}</dt><dd>{value}</dd></div> }.any();
    let key = event.kind.map(|_| row_key(&event.name, event.program));
    let open = key.map(|key| {
        view! { <button type="button" class="btn line" on:click=move |_| model.state.op.set(key.clone())>"Open op"</button> }
            .any()
    });
    view! {
        <div class="timeline-event">
            <b class="mono" title=event.text.clone()>{event.name.clone()}</b>
            <span class="sub">{model.track_name(event.line)}</span>
            <dl>{text::details(&event).into_iter().map(line).collect_view()}</dl>
            {event.flows.iter().take(SHOWN_FLOWS).map(|event_flow| flow(model, event_flow)).collect_view()}
            {(event.flows.len() > SHOWN_FLOWS).then(|| format!("{} more links", event.flows.len() - SHOWN_FLOWS))}
            <span class="grow"></span>
            {open}
            <button type="button" class="btn line" on:click=move |_| model.fit()>"Zoom to event"</button>
        </div>
    }
    .any()
}
