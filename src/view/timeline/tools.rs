//! This module renders the tools of the timeline: the search, zoom, and what is done with the range.

use super::alignment;
use super::export;
use super::keys::STEP;
use super::model::{TimelineModel, Tool};
use super::search::search;
use crate::chart::timeline::text;
use crate::protocol::url::View;
use crate::view::type_erasure::{EraseType, If, live};
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::menu::{Entry, MenuButton};
use leptos::prelude::*;

/// What a drag does: the label of the button, and its title.
const TOOLS: [(Tool, &str, &str); 3] = [
    (Tool::Range, "Range", "A drag selects a range (r)"),
    (Tool::Pan, "Pan", "A drag moves the visible part (v)"),
    (Tool::Measure, "Measure", "A drag measures a time (m)"),
];

/// Renders the tools.
#[component]
pub(super) fn Tools(model: TimelineModel) -> impl IntoView {
    let state = model.state;
    let zoom = move |label: &'static str, face: &'static str, factor: f64| {
        let click = move |_| {
            let (view, whole) = (model.view.get_untracked(), model.whole.get_untracked());
            model.show(if factor > 0.0 { view.zoom(whole, factor, 0.5) } else { whole });
        };
        view! { <button type="button" class="btn line" aria-label=label title=label on:click=click>{face}</button> }
            .any()
    };
    let has_range = Memo::new(move |_| model.view_state.with(|view_state| view_state.range.is_some()));
    let has_measure = Memo::new(move |_| model.view_state.with(|view_state| view_state.measure.is_some()));
    let has_flows = Memo::new(move |_| model.view_state.with(|view_state| view_state.has_flows));
    let tool = move |(tool, label, title): (Tool, &'static str, &'static str)| {
        let pressed = move || (model.tool.get() == tool).to_string();
        view! { <button type="button" title=title aria-pressed=pressed on:click=move |_| model.tool.set(tool)>{label}</button> }.any()
    };
    let open = move |_| {
        if let Some(query) = untrack(|| model.sums_query()) {
            state.choose_window(query.device, query.step);
            state.view.set(View::Breakdown);
        }
    };
    let picture = move |is_png: bool| Callback::new(move |()| export::save_picture(model, is_png));
    let entries = Signal::derive(move || {
        let mut entries =
            vec![Entry::new("Save picture as SVG", picture(false)), Entry::new("Save picture as PNG", picture(true))];
        if state.can(|can| can.export) {
            let part = if has_range.get() { "range" } else { "visible part" };
            let capture = Callback::new(move |()| export::save_capture(model));
            let trace = Callback::new(move |()| export::save_trace(model));
            entries.push(Entry::new(format!("Save {part} as a capture (XSpace)"), capture).separated());
            entries.push(Entry::new(format!("Save {part} as trace JSON for Perfetto"), trace));
        }
        entries
    });
    view! {
        <div class="table-tools timeline-tools" data-roving="">
            {search(model)}
            <span class="grow"></span>
            <div class="timeline-buttons">
                <If when=move || has_range.get()>
                    <button type="button" class="btn line" on:click=open>"Open range in breakdown"</button>
                    <button type="button" class="btn line" on:click=move |_| model.fit_range()>"Zoom to range"</button>
                    <button type="button" class="btn line" on:click=move |_| model.select_range(None)>"Clear range"</button>
                </If>
                <If when=move || has_measure.get()>
                    <button type="button" class="btn line" on:click=move |_| model.change(|view_state| view_state.measure = None)>"Clear measure"</button>
                </If>
                <div class="segmented" data-roving="" role="group" aria-label="A drag">{TOOLS.map(tool).collect_view()}</div>
                <button type="button" class="btn line" aria-pressed=move || has_flows.get().to_string() title="Draws the links of all events in the range" on:click=move |_| model.change(|view_state| view_state.has_flows = !view_state.has_flows)>"Links"</button>
                <If when=move || has_flows.get()><span class="sub" role="status">{live(move || Some(text::flows_note(&*model.flows.get()?)))}</span></If>
                {alignment::switch(model)}
                {zoom("Zoom out", "−", 1.0 / STEP)}
                {zoom("Zoom in", "+", STEP)}
                {zoom("All: show the whole capture", "All", 0.0)}
                <MenuButton
                    id="save"
                    class="btn line"
                    label=Signal::stored("Save".to_owned())
                    entries
                    face=Box::new(move || icon(Icon::Save))
                />
            </div>
        </div>
    }
    .any()
}
