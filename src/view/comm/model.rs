//! This module holds the state of the communication view: the worker's answer, the lanes of a step, and the part of the
//! address that belongs to the view.

use crate::analysis::base::{DeviceChoice, Filter, GroupBy, Query};
use crate::analysis::comm::{CommLanes, CommQuery, LaneQuery};
use crate::chart::comm;
use crate::chart::empty::{self, Empty};
use crate::protocol::url::comm::{CommRows, CommViewState, Pane};
use crate::protocol::{CommView, requests};
use crate::table::page::SortBy;
use crate::view::state::{PtrEq, SharedMemo, SharedSignal, State};
use crate::view::type_erasure::effect;
use leptos::prelude::*;
use xla_profile::units::Picos;

/// Handles on the state of the communication view. They are cheap to copy.
#[derive(Clone, Copy)]
pub(super) struct CommModel {
    pub(super) state: State,
    /// The state of the view in the address.
    pub(super) view_state: Memo<CommViewState>,
    /// The rows of the view: collectives or copies.
    pub(super) traffic: Memo<CommRows>,
    pub(super) query: Memo<CommQuery>,
    /// The last answer; `None` before the first one.
    pub(super) view: SharedSignal<CommView>,
    /// Whether an answer is pending.
    pub(super) busy: RwSignal<bool>,
    /// The lanes of the step, or only of its visible part if the step has too many spans.
    pub(super) lanes: SharedMemo<CommLanes>,
    /// The order of the rows; `None` means the table's own order.
    pub(super) order: RwSignal<Option<SortBy>>,
}

impl CommModel {
    pub(super) fn new(state: State) -> Self {
        let view_state = state.view_state(|views| &views.comm);
        // The grouping and the filter of the breakdown do not affect this view, so a change of them sends no request.
        let query = Memo::new(move |_| {
            let (device, step) = state.query.with(|query| (query.device, query.step));
            Query { device, step, by: GroupBy::Op, filter: Filter::default() }
        });
        let request = Memo::new(move |_| {
            view_state.with(|view_state| CommQuery {
                query: query.get(),
                by: view_state.by,
                machine: view_state.machine.clone(),
            })
        });
        let (view, busy) = (SharedSignal::<CommView>::none(), RwSignal::new(true));
        let traffic = Memo::new(move |_| {
            let chosen = view_state.with(|view_state| view_state.traffic);
            chosen.or_else(|| view.with(|view| Some(comm::usual(&view.as_ref()?.comm)))).unwrap_or_default()
        });
        // The answer about the previous session is removed.
        effect(move || {
            state.opened.track();
            view.set(None);
        });
        state.request_answer_on_change(
            move || {
                busy.set(true);
                Some(requests::Comm(request.get()))
            },
            move |answer| {
                busy.set(false);
                if let Some(found) = state.shown(answer) {
                    view.set(Some(PtrEq::new(found)));
                }
            },
        );
        // Another step or device has other times, so the zoom is removed.
        let before = StoredValue::new(None::<(DeviceChoice, crate::analysis::base::StepChoice)>);
        effect(move || {
            let now = query.with(|query| (query.device, query.step));
            if before.get_value().is_some_and(|before| before != now)
                && view_state.with_untracked(|view_state| view_state.part.is_some())
            {
                state.change_views(|views| views.comm.part = None);
            }
            before.set_value(Some(now));
        });
        Self {
            state,
            view_state,
            traffic,
            query: request,
            view,
            busy,
            lanes: lanes(state, (view_state, traffic), query),
            order: RwSignal::new(None),
        }
    }

    /// Changes the state of the view in the address.
    pub(super) fn change(self, with: impl FnOnce(&mut CommViewState)) {
        self.state.change_views(|views| with(&mut views.comm));
    }

    /// Returns the reason why nothing is shown, and whether the reason holds for every step. `None` if there are rows.
    pub(super) fn none(self) -> Option<(Empty, bool)> {
        self.view.with(|view| {
            let comm = &view.as_ref()?.comm;
            self.state.opened.with(|opened| empty::communication(&opened.as_ref()?.session, comm, self.traffic.get()))
        })
    }

    /// Selects the row `key` alone, or clears the selection if the row is selected.
    pub(super) fn choose(self, key: &str) {
        self.state.selected.update(|selected| {
            let is_chosen = selected.iter().any(|other| other == key);
            selected.clear();
            if !is_chosen {
                selected.push(key.to_owned());
            }
        });
    }

    /// Returns whether the row `key` is selected.
    pub(super) fn is_chosen(self, key: &str) -> bool {
        self.state.selected.with(|selected| selected.iter().any(|other| other == key))
    }

    /// Handles a click on an op, which selects the op. A click on a selected op, or Enter, opens the panel of the op.
    pub(super) fn press(self, key: &str, enter: bool) {
        if enter || untrack(|| self.is_chosen(key)) {
            self.state.op.set(key.to_owned());
        } else {
            self.choose(key);
        }
    }
}

/// Requests the lanes of the step. If spans of the step are left out, also requests the lanes of its visible part.
fn lanes(
    state: State,
    (view_state, traffic): (Memo<CommViewState>, Memo<CommRows>),
    query: Memo<Query>,
) -> SharedMemo<CommLanes> {
    let (whole, detail) = (SharedSignal::<CommLanes>::none(), SharedSignal::<CommLanes>::none());
    let is_visible = Memo::new(move |_| {
        let is_pane = view_state.with(|view_state| view_state.pane == Pane::Lanes);
        (is_pane && state.can(|can| can.comm_intervals), traffic.get())
    });
    let request = move |part| {
        let (is_seen, traffic) = is_visible.get();
        is_seen.then(|| {
            requests::CommLanes(LaneQuery {
                query: query.get(),
                transfers: traffic.transfer_filter(),
                part,
                max_spans: 0,
            })
        })
    };
    state.request_answer_on_change(
        move || request(None),
        move |answer| {
            if let Some(found) = state.shown(answer) {
                whole.set(Some(PtrEq::new(found)));
            }
        },
    );
    let is_cut = Memo::new(move |_| {
        whole.with(|whole| whole.as_ref().is_some_and(|whole| whole.left_out.0 + whole.stretches_left_out.0 > 0))
    });
    state.request_answer_on_change(
        move || {
            let part = view_state.with(|view_state| view_state.part).filter(|_| is_cut.get());
            if part.is_none() {
                detail.set(None);
            }
            request(Some(part.map(|(from, to)| (Picos(from), Picos(to)))?))
        },
        move |answer| {
            if let Some(found) = state.shown(answer) {
                detail.set(Some(PtrEq::new(found)));
            }
        },
    );
    SharedMemo::new(move || detail.get().or_else(|| whole.get()))
}
