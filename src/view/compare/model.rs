//! This module holds the state of the comparison: the worker's answer, and the part of the address that belongs to the view.

use crate::analysis::compare::{CompareBy, CompareQuery, CompareRows, Comparison, OpPair};
use crate::chart::compare::UnpairedOp;
use crate::protocol::url::compare::CompareViewState;
use crate::protocol::{Failure, Reply, requests};
use crate::table::page::SortBy;
use crate::view::op::focus_table;
use crate::view::state::{PtrEq, SharedSignal, State};
use crate::view::type_erasure::effect;
use leptos::prelude::*;

/// Handles on the state of the comparison. They are cheap to copy.
#[derive(Clone, Copy)]
pub(super) struct CompareModel {
    pub(super) state: State,
    /// The state of the view in the address.
    pub(super) view_state: Memo<CompareViewState>,
    pub(super) query: Memo<CompareQuery>,
    /// The last answer; `None` before the first one.
    pub(super) found: SharedSignal<Comparison>,
    /// Why the captures cannot be compared.
    pub(super) failure: RwSignal<Option<Failure>>,
    /// Whether an answer is pending.
    pub(super) busy: RwSignal<bool>,
    /// The order of the rows; `None` means the table's own order.
    pub(super) order: RwSignal<Option<SortBy>>,
    /// The op for which the user chooses a partner. `None` if the user does not.
    pub(super) unpaired: RwSignal<Option<UnpairedOp>>,
}

impl CompareModel {
    pub(super) fn new(state: State) -> Self {
        let view_state = state.view_state(|views| &views.compare);
        let query = Memo::new(move |_| view_state.with(CompareViewState::query));
        let (found, busy, failure) = (SharedSignal::<Comparison>::none(), RwSignal::new(true), RwSignal::new(None));
        state.request_answer_on_change(
            move || {
                busy.set(true);
                state.is_compared().then(|| requests::Compare(query.get()))
            },
            move |answer| {
                busy.set(false);
                match answer {
                    Ok(answer) => {
                        failure.set(None);
                        found.set(Some(PtrEq::new(answer)));
                    }
                    Err(Reply::Failed(why)) => {
                        found.set(None);
                        failure.set(Some(why));
                    }
                    Err(_) => {}
                }
            },
        );
        let unpaired = RwSignal::new(None);
        // When the sides are exchanged, an op that waits for a partner would be of the other side.
        let is_swapped = Memo::new(move |_| view_state.with(|view_state| view_state.is_swapped));
        effect(move || {
            // A memo that nobody reads does not follow its signals.
            let _ = is_swapped.get();
            unpaired.set(None);
        });
        Self { state, view_state, query, found, failure, busy, order: RwSignal::new(None), unpaired }
    }

    /// Changes the state of the view in the address.
    pub(super) fn change(self, with: impl FnOnce(&mut CompareViewState)) {
        self.state.change_views(|views| with(&mut views.compare));
    }

    /// Lets the user choose a partner for an op. The table shows the ops that have none.
    pub(super) fn choose_partner(self, op: UnpairedOp) {
        self.filter_rows(op.rows(), "");
        self.unpaired.set(Some(op));
        close_panel(self.state);
    }

    /// Changes the pairs of the user, and shows all rows.
    pub(super) fn change_pairs(self, with: impl FnOnce(&mut Vec<OpPair>)) {
        self.unpaired.set(None);
        self.select_rows(|view_state| {
            show_all(view_state);
            with(&mut view_state.pairs);
        });
        close_panel(self.state);
    }

    /// Shows only ops of some sides whose texts hold `text`.
    pub(super) fn filter_rows(self, rows: CompareRows, text: &str) {
        self.state.compare_filter.set(text.to_owned());
        self.select_rows(|view_state| {
            show_all(view_state);
            view_state.rows = rows;
        });
    }

    /// Shows the ops of a group. The filter was about names of groups, and ends.
    pub(super) fn open_group(self, name: String) {
        self.state.compare_filter.set(String::new());
        self.select_rows(|view_state| view_state.group = Some(name));
    }

    /// Shows other rows in the table. Nothing is selected then.
    pub(super) fn select_rows(self, with: impl FnOnce(&mut CompareViewState)) {
        self.state.selected.set(Vec::new());
        self.change(with);
    }

    /// Opens the row with the key: the ops of both sides beside each other.
    pub(super) fn open_row(self, key: &str) {
        self.state.compared_row.set(key.to_owned());
    }
}

/// Shows all ops in the table, each as a row.
fn show_all(view_state: &mut CompareViewState) {
    (view_state.rows, view_state.by) = (CompareRows::All, CompareBy::Op);
    view_state.group = None;
    view_state.scope.clear();
}

/// Closes the panel of a row, and moves the focus to the table.
pub(crate) fn close_panel(state: State) {
    state.compared_row.set(String::new());
    focus_table();
}
