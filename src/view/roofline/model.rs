//! This module holds the state of the roofline view: the worker's answer, and the part of the address that belongs to
//! the view.

use crate::analysis::base::Query;
use crate::analysis::roofline::{PeakSource, Precision, RooflineQuery};
use crate::chart::roofline::{AxisWindow, Ceilings, Dots, WorkGroup, dots, full_window, initial_window};
use crate::protocol::url::roofline::{RoofBy, RooflineViewState};
use crate::protocol::{RooflineHead, requests};
use crate::view::state::{PtrEq, SharedMemo, SharedSignal, State};
use crate::view::type_erasure::effect;
use leptos::prelude::*;

/// Handles on the state of the roofline view. They are cheap to copy.
#[derive(Clone, Copy)]
pub(super) struct RooflineModel {
    pub(super) state: State,
    /// The state of the view in the address.
    pub(super) view_state: Memo<RooflineViewState>,
    pub(super) query: Memo<RooflineQuery>,
    /// The last answer; `None` before the first one.
    pub(super) head: SharedSignal<RooflineHead>,
    /// Whether an answer is pending.
    pub(super) busy: RwSignal<bool>,
    /// The points of the chart.
    pub(super) dots: SharedMemo<Dots>,
    /// The roofs of the chart.
    pub(super) ceilings: Memo<Ceilings>,
    /// The axes around all points.
    pub(super) whole: Memo<AxisWindow>,
    /// The axes without the few distant points that have little time.
    pub(super) usual: Memo<AxisWindow>,
    /// The visible axes; `None` means `usual`.
    pub(super) window: RwSignal<Option<AxisWindow>>,
    /// The groups that are not drawn.
    pub(super) hidden: RwSignal<Vec<WorkGroup>>,
}

impl RooflineModel {
    pub(super) fn new(state: State) -> Self {
        let view_state = state.view_state(|views| &views.roofline);
        let request = Memo::new(move |_| {
            let query = state.query.get();
            let view_state = view_state.get();
            let by = view_state.by.group_by();
            view_state.to_query(Query { by, ..query })
        });
        let (head, busy) = (SharedSignal::<RooflineHead>::none(), RwSignal::new(true));
        // The answer about the previous session is removed.
        effect(move || {
            state.opened.track();
            head.set(None);
        });
        state.request_answer_on_change(
            move || {
                busy.set(true);
                Some(requests::Roofline(request.get()))
            },
            move |answer| {
                busy.set(false);
                // The request of the breakdown has the same filter, and reports its error.
                if let Some(found) = state.shown(answer) {
                    head.set(Some(PtrEq::new(found)));
                }
            },
        );
        let dots = SharedMemo::new(move || {
            let (by, level) = view_state.with(|view_state| (view_state.by, view_state.x));
            // The answer may belong to the previous grouping, and its points would have other keys.
            let head = head.get().filter(|head| head.query.query.by == by.group_by())?;
            Some(PtrEq::new(dots(&head, by, level)))
        });
        let ceilings = Memo::new(move |_| {
            let level = view_state.with(|view_state| view_state.x);
            let used: Vec<Precision> = dots.with(|dots| {
                dots.iter().flat_map(|dots| dots.all.iter()).filter_map(|dot| dot.roof.precision).collect()
            });
            head.with(|head| head.as_ref().map(|head| Ceilings::from_figures(&head.figures, &used, level)))
                .unwrap_or_default()
        });
        let around = move |window_of: fn(&Dots, &Ceilings) -> AxisWindow| {
            ceilings
                .with(|ceilings| dots.with(|dots| dots.as_ref().map(|dots| window_of(dots, ceilings))))
                .unwrap_or(START)
        };
        let (whole, usual) = (Memo::new(move |_| around(full_window)), Memo::new(move |_| around(initial_window)));
        let (window, hidden) = (RwSignal::new(None), RwSignal::new(Vec::new()));
        // Another device or memory has other axes, so the zoom is removed.
        effect(move || {
            usual.track();
            window.set(None);
        });
        Self { state, view_state, query: request, head, busy, dots, ceilings, whole, usual, window, hidden }
    }

    /// Changes the state of the view in the address.
    pub(super) fn change(self, with: impl FnOnce(&mut RooflineViewState)) {
        self.state.change_views(|views| with(&mut views.roofline));
    }

    /// Changes what the rows stand for, and clears the selection.
    pub(super) fn set_grouping(self, by: RoofBy) {
        if self.view_state.with_untracked(|view_state| view_state.by) != by {
            self.state.selected.set(Vec::new());
            self.change(|view_state| view_state.by = by);
        }
    }

    /// Sets which peaks come first: those of the capture, or the published ones.
    pub(super) fn set_peak_source(self, source: PeakSource) {
        self.change(|view_state| view_state.peaks.prefer = source);
    }

    /// Returns the device and the step of the answer, such as "TPU:0, step 3" or "the mean of 98 steps of 4 devices".
    pub(super) fn device_text(self) -> String {
        self.head.with(|head| {
            let Some(head) = head else { return String::new() };
            let header = &head.figures.header;
            let device = header.device.as_deref().unwrap_or("no device");
            match header.devices_text() {
                Some(_) => header.window_text(),
                None if header.step == "all" => device.to_owned(),
                None => format!("{device}, {}", header.step_text()),
            }
        })
    }

    /// Opens a row: the panel of an op, the ops of a source, or a step. A program opens nothing.
    pub(super) fn open(self, key: &str, name: &str) {
        let state = self.state;
        match self.view_state.with_untracked(|view_state| view_state.by) {
            RoofBy::Op => state.op.set(key.to_owned()),
            RoofBy::Step => {
                if let Ok(number) = key.parse() {
                    state.choose_step(crate::analysis::base::StepChoice::Number(number));
                }
            }
            RoofBy::Source => {
                let text = name.to_owned();
                self.set_grouping(RoofBy::Op);
                state.filter(|filter| {
                    filter.within = crate::analysis::base::FilterField::Source;
                    filter.regex = false;
                    filter.text = text;
                });
            }
            RoofBy::Program => {}
        }
    }
}

/// The axes before the first answer, in FLOP per byte and in FLOP/s.
const START: AxisWindow = AxisWindow { x: (0.1, 1000.0), y: (1e10, 1e15) };
