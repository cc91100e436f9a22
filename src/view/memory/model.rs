//! This module holds the state of the memory view: programs and allocators, the chosen program, the selected point, and
//! the buffers that are left out.

use crate::analysis::memory::{
    AliveAt, AllocatorMemory, BufferId, CrossCheck, Curve, MemoryQuery, Points, RollUpBy, StaticMemory, WhatIf,
};
use crate::chart::empty::{self, Empty};
use crate::chart::memory::picker;
use crate::protocol::url::memory::{MemorySource, MemoryViewState};
use crate::protocol::{Failure, MemorySession, Reply, requests};
use crate::view::state::{PtrEq, SharedMemo, SharedSignal, State, toggle};
use crate::view::type_erasure::effect;
use leptos::prelude::*;

/// Handles on the state of the memory view. They are cheap to copy.
#[derive(Clone, Copy)]
pub(super) struct MemoryModel {
    pub(super) state: State,
    /// The state of the view in the address.
    pub(super) view_state: Memo<MemoryViewState>,
    /// The programs and the allocators of the session.
    pub(super) session: SharedSignal<MemorySession>,
    /// The chosen program and memory space; `None` until a program is known.
    pub(super) query: Memo<Option<MemoryQuery>>,
    /// The report of the chosen program.
    pub(super) memory: SharedSignal<StaticMemory>,
    /// Whether the program uses the chosen memory space.
    pub(super) has_space: Memo<bool>,
    /// The selected point of the curve.
    pub(super) point: Memo<u32>,
    /// The live buffers at the selected point.
    pub(super) alive: SharedSignal<AliveAt>,
    /// The visible part of the curve; `None` means all of it.
    pub(super) zoom: RwSignal<Option<Points>>,
    /// The curve of the visible part.
    pub(super) curve: SharedSignal<Curve>,
    /// The buffers that are left out, to see the peak without them.
    pub(super) without: RwSignal<Vec<BufferId>>,
    /// The number of buffers that the last answer left out, and the peak without them.
    pub(super) peak_without: RwSignal<Option<(usize, PtrEq<WhatIf>)>>,
    /// The comparison of the device's peaks with its capacity.
    pub(super) check: SharedMemo<CrossCheck>,
    /// The index of the chosen allocator.
    pub(super) allocator_at: Memo<u32>,
    pub(super) allocator: SharedMemo<AllocatorMemory>,
    /// The reason why the chosen program has no report.
    failure: RwSignal<Option<Failure>>,
    /// The width of the view, in pixels.
    pub(super) width: Signal<f64>,
}

impl MemoryModel {
    pub(super) fn new(state: State, width: Signal<f64>) -> Self {
        let view_state = state.view_state(|views| &views.memory);
        let session = SharedSignal::<MemorySession>::none();
        state.request_answer_on_change(
            || Some(requests::Memory),
            move |answer| {
                if let Some(memory) = state.shown(answer) {
                    session.set(Some(PtrEq::new(memory)));
                }
            },
        );
        let request: Memo<Option<MemoryQuery>> = Memo::new(move |_| {
            let session = session.get()?;
            let heaviest = session.programs.programs.first().map(|program| program.program);
            let (program, color) = view_state.with(|view_state| (view_state.program, view_state.color));
            Some(MemoryQuery { program: program.or(heaviest)?, color, ..MemoryQuery::default() })
        });
        let (memory, failure) = (SharedSignal::<StaticMemory>::none(), RwSignal::new(None));
        // The program and the memory space of `memory`, or of the pending answer.
        let last_space = StoredValue::new(None::<(u32, i64)>);
        state.request_answer_on_change(
            move || request.get().map(requests::MemoryOf),
            move |answer| match answer {
                Ok(found) => {
                    failure.set(None);
                    memory.set(Some(PtrEq::new(found)));
                }
                Err(Reply::Failed(why)) => {
                    memory.set(None);
                    failure.set(Some(why));
                }
                Err(_) => {}
            },
        );
        let has_space =
            Memo::new(move |_| memory.with(|memory| memory.as_ref().is_some_and(|memory| memory.space.is_some())));
        let peak = Memo::new(move |_| memory.with(|memory| Some(memory.as_ref()?.space.as_ref()?.alive.point)));
        let chosen =
            move || view_state.with(|view_state| view_state.point).filter(|_| state.can(|can| can.memory_replay));
        let point = Memo::new(move |_| chosen().or(peak.get()).unwrap_or(0));
        let (alive, zoom) = (SharedSignal::<AliveAt>::none(), RwSignal::new(None::<Points>));
        // The report of the program holds the live buffers at the peak, so the peak needs no request.
        state.request_answer_on_change(
            move || {
                let here = point.get();
                let known = peak.get()? == here;
                if known {
                    alive.set(memory.with(|memory| Some(PtrEq::new(memory.as_ref()?.space.as_ref()?.alive.clone()))));
                }
                (!known).then(|| Some(requests::MemoryAt { query: request.get()?, point: here }))?
            },
            move |answer| {
                if let Some(Some(found)) = state.shown(answer) {
                    alive.set(Some(PtrEq::new(found)));
                }
            },
        );
        let curve = SharedSignal::<Curve>::none();
        state.request_answer_on_change(
            move || {
                let Some(points) = zoom.get() else {
                    curve.set(memory.with(|memory| Some(PtrEq::new(memory.as_ref()?.space.as_ref()?.curve.clone()))));
                    return None;
                };
                Some(requests::MemoryCurve { query: request.get()?, points })
            },
            move |answer| {
                if let Some(Some(found)) = state.shown(answer) {
                    curve.set(Some(PtrEq::new(found)));
                }
            },
        );
        let (without, peak_without) = (RwSignal::new(Vec::<BufferId>::new()), RwSignal::new(None));
        state.request_answer_on_change(
            move || {
                let without = without.get();
                if without.is_empty() {
                    peak_without.set(None);
                    return None;
                }
                let points = zoom.get().unwrap_or(Points { from: 0, to: u32::MAX });
                Some(requests::MemoryWithout { query: request.get()?, without, points })
            },
            move |answer| {
                if let Some(Some(found)) = state.shown(answer) {
                    // `without` is the one of the request, because answers to earlier requests are dropped.
                    peak_without.set(Some((without.with_untracked(Vec::len), PtrEq::new(found))));
                }
            },
        );
        // Another program has other buffers and points. The screen still shows the former program, so its data is
        // removed before the answer comes.
        effect(move || {
            let now = request.get().map(|request| (request.program, request.color));
            if last_space.get_value() != now {
                last_space.set_value(now);
                memory.set(None);
                alive.set(None);
                curve.set(None);
            }
            without.set(Vec::new());
            zoom.set(None);
        });
        let check = SharedMemo::new(move || {
            let device = state.query.with(|query| query.device.single());
            session.with(|session| {
                let session = session.as_ref()?;
                picker::check_of(&session.checks, &session.runtime, device).cloned().map(PtrEq::new)
            })
        });
        let allocator_at = Memo::new(move |_| {
            let chosen = view_state.with(|view_state| view_state.allocator);
            let device = state.query.with(|query| query.device.single());
            let own = session.with(|session| picker::allocator_of(&session.as_ref()?.runtime, device));
            chosen.or(own).unwrap_or_default()
        });
        let allocator = SharedMemo::new(move || {
            let chosen = allocator_at.get() as usize;
            session.with(|session| {
                let all = &session.as_ref()?.runtime.allocators;
                all.get(chosen).or_else(|| all.first()).cloned().map(PtrEq::new)
            })
        });
        Self {
            state,
            view_state,
            session,
            query: request,
            memory,
            has_space,
            point,
            alive,
            zoom,
            curve,
            without,
            peak_without,
            check,
            allocator_at,
            allocator,
            failure,
            width,
        }
    }

    /// Changes the state of the view in the address.
    pub(super) fn change(self, with: impl FnOnce(&mut MemoryViewState)) {
        self.state.change_views(|views| with(&mut views.memory));
    }

    /// Leaves a buffer out of the peak, or includes it again. A summary ignores the call.
    pub(super) fn toggle(self, id: BufferId) {
        if !untrack(|| self.state.can(|can| can.memory_replay)) {
            return;
        }
        self.without.update(|without| toggle(without, id));
    }

    /// Returns the side that is shown. Without a choice, this is the allocator if there are allocators and no program
    /// has a buffer assignment, else static memory.
    pub(super) fn side(self) -> MemorySource {
        let usual = || {
            self.session.with(|session| {
                let Some(session) = session else { return MemorySource::Static };
                let any_program = session.programs.programs.iter().any(|program| !program.spaces.is_empty());
                let any_allocator = !session.runtime.allocators.is_empty();
                if any_allocator && !any_program { MemorySource::Allocator } else { MemorySource::Static }
            })
        };
        self.view_state.with(|view_state| view_state.side).unwrap_or_else(usual)
    }

    /// Returns the grouping of the treemap.
    pub(super) fn grouping(self) -> RollUpBy {
        self.view_state.with(|view_state| view_state.by).unwrap_or(RollUpBy::Class)
    }

    /// Returns the device's capacity in bytes. `None` if it is unknown, or if the memory space is not HBM.
    pub(super) fn capacity(self) -> Option<u64> {
        let hbm = self.view_state.with(|view_state| view_state.color) == 0;
        self.check.get().filter(|_| hbm).and_then(|check| Some(check.capacity.as_ref()?.size))
    }

    /// Returns whether the view is narrow. A narrow view shows its parts below each other.
    pub(super) fn is_narrow(self) -> bool {
        self.width.get() < crate::chart::widgets::table::TWO_LINES
    }

    /// Returns the reason why `side` has nothing to show. `None` if it has data, or if the answer is pending.
    pub(super) fn empty_reason(self, side: MemorySource) -> Option<Empty> {
        let memory = self.session.get()?;
        self.state.opened.with(|opened| {
            let session = &opened.as_ref()?.session;
            match side {
                MemorySource::Static => empty::programs(session, &memory),
                MemorySource::Allocator => empty::allocator(session, &memory),
            }
        })
    }

    /// Returns the reason why the side on screen has nothing to show.
    pub(super) fn none(self) -> Option<Empty> {
        self.empty_reason(self.side())
    }

    /// Returns a sentence why the chosen program has nothing to show. `None` if it has data, or if [`Self::none`] gives
    /// a reason.
    pub(super) fn missing_text(self) -> Option<String> {
        if self.side() == MemorySource::Allocator || self.none().is_some() {
            return None;
        }
        if let Some(failure) = self.failure.get() {
            return Some(failure.message);
        }
        let memory = self.memory.get()?;
        memory.space.is_none().then(|| format!("{} has nothing in this memory.", memory.program.name))
    }
}
