//! This module searches the whole capture, and steps through the events that were found.

use super::model::TimelineModel;
use crate::analysis::timeline::{EventQuery, EventRow, SearchQuery};
use crate::chart::timeline::text;
use crate::protocol::{Reply, requests};
use crate::table::filter::TextFilter;
use crate::view::state::PtrEq;
use crate::view::type_erasure::{EraseType, effect, live};
use crate::view::widgets::field::{self, FilterChips, SearchField};
use crate::view::widgets::icon::{Icon, icon};
use leptos::prelude::*;

/// Number of columns in which hits are marked.
const HIT_COLUMNS: u32 = 2000;

impl TimelineModel {
    /// Keeps the text of the field and the one of the address equal, and requests the events that match.
    pub(super) fn request_search(self) {
        let text = Memo::new(move |_| self.find.get().trim().to_owned());
        effect(move || {
            let text = text.get();
            self.change(|view_state| view_state.find.text = text);
        });
        // Another view or another address may search as well.
        let wanted = Memo::new(move |_| self.view_state.with(|view_state| view_state.find.text.clone()));
        effect(move || {
            let wanted = wanted.get();
            if self.find.with_untracked(|text| text.trim() != wanted) {
                self.find.set(wanted);
            }
        });
        self.state.request_answer_on_change(
            move || self.search_query().map(requests::Search),
            move |answer| {
                if let Err(Reply::BadFilter(error)) = answer {
                    self.search_error.set(Some(error));
                } else if let Some(found) = self.state.shown(answer) {
                    self.search_error.set(None);
                    let query = found.query.clone();
                    self.search.set(Some(PtrEq::new(found)));
                    self.to_awaited_hit(&query);
                }
            },
        );
    }

    /// Returns the query of the search. `None` until the tracks of the chosen alignment have come.
    pub(super) fn search_query(self) -> Option<SearchQuery> {
        let text = self.find.with(|text| text.trim().to_owned());
        let filter = self.view_state.with(|view_state| TextFilter { text, ..view_state.find.clone() });
        self.has_chosen_alignment().then_some(SearchQuery { filter, n_columns: HIT_COLUMNS })
    }

    /// Selects the hit `by` places after the selected event, or after the left side of the visible part.
    ///
    /// While the search is under way, the hits are those of the text before. The hit is then selected when the answer
    /// has come.
    pub(super) fn to_hit(self, by: isize) {
        let query = untrack(|| self.search_query());
        let is_current = self.search.with_untracked(|found| found.as_ref().map(|found| &found.query) == query.as_ref());
        match query {
            Some(query) if !is_current => self.awaited_hit.set_value(Some((query, by))),
            _ => self.select_hit(by),
        }
    }

    /// Selects the hit that [`TimelineModel::to_hit`] left until the answer to `query`.
    fn to_awaited_hit(self, query: &SearchQuery) {
        if let Some((_, by)) =
            self.awaited_hit.try_update_value(Option::take).flatten().filter(|(searched, _)| searched == query)
        {
            self.select_hit(by);
        }
    }

    fn select_hit(self, by: isize) {
        let selected =
            self.selected.with_untracked(|event| event.as_ref().map(|event| (event.start, event.line, event.event)));
        let start = self.view.get_untracked().start;
        let hit = self.search.with_untracked(|found| {
            let hits = &found.as_ref()?.hits;
            let key = |hit: &EventRow| (hit.start, hit.line, hit.event);
            let index = match selected {
                Some(selected) if by > 0 => hits.partition_point(|hit| key(hit) <= selected),
                Some(selected) => hits.partition_point(|hit| key(hit) < selected).checked_sub(1)?,
                None => hits.partition_point(|hit| hit.start.0 < start),
            };
            hits.get(index).map(|hit| (hit.line, hit.event))
        });
        if let Some((line, event)) = hit {
            self.find_event(EventQuery::Index { line, event }, true);
        }
    }
}

/// Renders the search field, the buttons that step through the hits, and the result.
pub(super) fn search(model: TimelineModel) -> AnyView {
    let has_hits = Memo::new(move |_| model.search.with(|found| found.as_ref().is_some_and(|found| found.n > 0)));
    let hit = move |label: &'static str, which: Icon, by: isize| {
        view! {
            <button type="button" class="btn line square" aria-label=label title=label disabled=move || !has_hits.get() on:click=move |_| model.to_hit(by)>
                {icon(which)}
            </button>
        }
        .any()
    };
    let found = move || match model.search_error.get() {
        Some(error) => Some(format!("{} at column {}", error.message, error.column)),
        None => Some(text::search_result(&*model.search.get()?)),
    };
    let chips = FilterChips {
        within: Signal::derive(move || model.view_state.with(|view_state| view_state.find.within)),
        choose: Callback::new(move |within| model.change(|view_state| view_state.find.within = within)),
        regex: Signal::derive(move || model.view_state.with(|view_state| view_state.find.regex)),
        switch: Callback::new(move |()| model.change(|view_state| view_state.find.regex = !view_state.find.regex)),
    };
    let enter = Some(Callback::new(move |is_back: bool| model.to_hit(if is_back { -1 } else { 1 })));
    let is_bad = Signal::derive(move || model.search_error.with(Option::is_some));
    view! {
        {field::search_with(SearchField { text: model.find, words: "Search the whole capture", chips: Some(chips), is_bad, enter })}
        {hit("Previous hit", Icon::Left, -1)}
        {hit("Next hit", Icon::Right, 1)}
        <span class="sub" role="status">{live(found)}</span>
    }
    .any()
}
