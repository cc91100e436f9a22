//! This module holds the state of the list of captures: what is known of them, the chosen figure, and the two captures to compare.

use super::summary_workers::SummaryWorkers;
use crate::analysis::captures::{CaptureFigure, CaptureRow, CapturesView};
use crate::protocol::requests;
use crate::protocol::url::captures::CapturesViewState;
use crate::table::filter::TextFilter;
use crate::table::page::SortBy;
use crate::view::state::{PtrEq, SharedSignal, State, toggle};
use crate::view::type_erasure::effect;
use leptos::prelude::*;

/// Handles on the state of the list of captures. They are cheap to copy.
#[derive(Clone, Copy)]
pub(super) struct CapturesModel {
    pub(super) state: State,
    /// The figure in the picture.
    pub(super) figure: Memo<CaptureFigure>,
    /// The last answer; `None` before the first one.
    pub(super) found: SharedSignal<CapturesView>,
    /// Increases when a capture has been read.
    pub(super) revision: RwSignal<u32>,
    pub(super) filter: RwSignal<String>,
    /// The order of the rows; `None` means the table's own order.
    pub(super) order: Memo<Option<SortBy>>,
    pub(super) workers: SummaryWorkers,
}

impl CapturesModel {
    pub(super) fn new(state: State) -> Self {
        let view_state = state.view_state(|views| &views.captures);
        let (figure, revision) = (Memo::new(move |_| view_state.get().figure), RwSignal::new(0));
        let found = SharedSignal::<CapturesView>::none();
        state.request_answer_on_change(
            move || {
                revision.track();
                Some(requests::Captures(figure.get()))
            },
            move |answer| {
                if let Some(answer) = state.shown(answer) {
                    found.set(Some(PtrEq::new(answer)));
                }
            },
        );
        let workers = SummaryWorkers::start(state, found, revision);
        let filter = RwSignal::new(view_state.get_untracked().filter);
        let order = Memo::new(move |_| view_state.get().sort);
        let model = Self { state, figure, found, revision, filter, order, workers };
        // The address follows the field of the filter, and the field follows the address.
        effect(move || {
            let text = filter.get();
            if untrack(|| view_state.with(|view_state| view_state.filter != text)) {
                model.change(|view_state| view_state.filter = text);
            }
        });
        effect(move || {
            let text = view_state.get().filter;
            if filter.with_untracked(|now| *now != text) {
                filter.set(text);
            }
        });
        model
    }

    /// Changes the state in the address.
    pub(super) fn change(self, with: impl FnOnce(&mut CapturesViewState)) {
        self.state.change_views(|views| with(&mut views.captures));
    }

    /// Returns the filter of the table.
    pub(super) fn text_filter(self) -> TextFilter {
        self.filter.with(|text| TextFilter::anywhere(text.trim()))
    }

    /// Returns the capture of a row's key.
    pub(super) fn capture_of_key(self, key: &str) -> Option<u32> {
        self.found.with(|found| {
            let is_same = |row: &CaptureRow| row.key == key;
            found.as_ref()?.captures.iter().position(is_same).map(|index| index as u32)
        })
    }

    pub(super) fn row(self, capture: u32) -> Option<CaptureRow> {
        self.found.with(|found| found.as_ref()?.captures.get(capture as usize).cloned())
    }

    /// Returns the captures that are chosen for a comparison: none, A, or A and B.
    pub(super) fn chosen(self) -> Vec<u32> {
        let keys = self.state.selected.get();
        keys.iter().filter_map(|key| self.capture_of_key(key)).collect()
    }

    /// Chooses a capture for a comparison, or no longer. The first one is A, the second one B; a third one takes the place of B.
    pub(super) fn choose(self, key: String) {
        let is_listed = |key: &String| untrack(|| self.capture_of_key(key)).is_some();
        self.state.selected.update(|selected| {
            // An address may name captures that are not among the files.
            selected.retain(is_listed);
            if selected.len() == 2 && !selected.contains(&key) {
                selected.pop();
            }
            toggle(selected, key);
        });
    }
}
