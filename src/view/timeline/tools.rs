//! This module renders the tools of the timeline: the search, zoom, and what is done with the range.

use super::export;
use super::model::TimelineModel;
use super::tracks::STEP;
use crate::analysis::timeline::EventQuery;
use crate::chart::timeline::text;
use crate::protocol::url::View;
use crate::view::type_erasure::{EraseType, If, live};
use crate::view::widgets::field;
use crate::view::widgets::icon::{Icon, icon};
use leptos::prelude::*;

/// Renders the tools.
#[component]
pub(super) fn Tools(model: TimelineModel) -> impl IntoView {
    let state = model.state;
    let found = move || Some(text::search_result(&*model.search.get()?));
    let has_hits = Memo::new(move |_| model.search.with(|found| found.as_ref().is_some_and(|found| found.n > 0)));
    let hit = move |label: &'static str, which: Icon, by: isize| {
        view! {
            <button type="button" class="btn line square" aria-label=label title=label disabled=move || !has_hits.get() on:click=move |_| to_hit(model, by)>
                {icon(which)}
            </button>
        }
        .any()
    };
    let zoom = move |label: &'static str, face: &'static str, factor: f64| {
        let click = move |_| {
            let (view, whole) = (model.view.get_untracked(), model.whole.get_untracked());
            model.show(if factor > 0.0 { view.zoom(whole, factor, 0.5) } else { whole });
        };
        view! { <button type="button" class="btn line" aria-label=label title=label on:click=click>{face}</button> }
            .any()
    };
    let has_range = Memo::new(move |_| model.place.with(|place| place.range.is_some()));
    let open = move |_| {
        if let Some(query) = untrack(|| model.sums_query()) {
            state.choose_window(query.device, query.step);
            state.view.set(View::Breakdown);
        }
    };
    view! {
        <div class="table-tools timeline-tools" data-roving="">
            {field::search(model.find, "Search the whole capture")}
            {hit("Previous hit", Icon::Left, -1)}
            {hit("Next hit", Icon::Right, 1)}
            <span class="sub" role="status">{live(found)}</span>
            <span class="grow"></span>
            <If when=move || has_range.get()>
                <button type="button" class="btn line" on:click=open>"Open range in breakdown"</button>
                <button type="button" class="btn line" on:click=move |_| model.fit()>"Zoom to range"</button>
                <button type="button" class="btn line" on:click=move |_| model.select_range(None)>"Clear range"</button>
            </If>
            {zoom("Zoom out", "−", 1.0 / STEP)}
            {zoom("Zoom in", "+", STEP)}
            {zoom("Show the whole capture", "All", 0.0)}
            <button type="button" class="btn line" aria-label="Save as PNG" title="Save as PNG" on:click=move |_| export::save_png(model)>
                {icon(Icon::Save)}
            </button>
        </div>
    }
    .any()
}

/// Selects the hit `by` places after the selected event, or after the left side of the visible part.
fn to_hit(model: TimelineModel, by: isize) {
    let at = model.selected.with_untracked(|event| event.as_ref().map(|event| (event.start, event.line, event.event)));
    let start = model.view.get_untracked().start;
    let hit = model.search.with_untracked(|found| {
        let hits = &found.as_ref()?.hits;
        let key = |hit: &crate::analysis::timeline::EventRow| (hit.start, hit.line, hit.event);
        let index = match at {
            Some(at) if by > 0 => hits.partition_point(|hit| key(hit) <= at),
            Some(at) => hits.partition_point(|hit| key(hit) < at).checked_sub(1)?,
            None => hits.partition_point(|hit| hit.start.0 < start),
        };
        hits.get(index).map(|hit| (hit.line, hit.event))
    });
    if let Some((line, event)) = hit {
        model.find_event(EventQuery::Index { line, event }, true);
    }
}
