//! What the parts of the view look at: programs and allocators, the program chosen, the point, the buffers left out. This module knows the
//! state; no element.

use crate::analysis::memory::{
    AliveAt, AllocatorMemory, BufferId, CrossCheck, Curve, MemoryQuery, Points, RollUpBy, StaticMemory, WhatIf,
};
use crate::chart::empty::{self, Empty};
use crate::chart::memory::picker;
use crate::protocol::url::memory::{MemoryPlace, Side};
use crate::protocol::{Failure, MemorySession, Question, Reply};
use crate::view::state::{PtrEq, State, toggle};
use crate::view::type_erasure::effect;
use leptos::prelude::*;

/// Signals of the view's state. Copied freely.
#[derive(Clone, Copy)]
pub(super) struct MemoryModel {
    pub(super) state: State,
    /// What the address says.
    pub(super) place: Memo<MemoryPlace>,
    /// Programs and allocators.
    pub(super) session: RwSignal<Option<PtrEq<MemorySession>>>,
    /// The program chosen, and the memory.
    pub(super) query: Memo<Option<MemoryQuery>>,
    /// The report of it.
    pub(super) memory: RwSignal<Option<PtrEq<StaticMemory>>>,
    /// Whether it has anything in the memory chosen.
    pub(super) has_space: Memo<bool>,
    /// The selected point.
    pub(super) at: Memo<u32>,
    /// What is alive there.
    pub(super) alive: RwSignal<Option<PtrEq<AliveAt>>>,
    /// A piece of the curve, where it is zoomed.
    pub(super) zoom: RwSignal<Option<Points>>,
    /// The curve of what is seen.
    pub(super) curve: RwSignal<Option<PtrEq<Curve>>>,
    /// Buffers that are left out, to see the peak without them.
    pub(super) without: RwSignal<Vec<BufferId>>,
    /// How many were left out in the last answer, and the peak without them.
    pub(super) peak_without: RwSignal<Option<(usize, PtrEq<WhatIf>)>>,
    /// The device's peaks beside each other.
    pub(super) check: Memo<Option<PtrEq<CrossCheck>>>,
    /// The place of the allocator chosen.
    pub(super) allocator_at: Memo<u32>,
    /// The allocator chosen.
    pub(super) allocator: Memo<Option<PtrEq<AllocatorMemory>>>,
    /// Why nothing is known of the program chosen.
    failure: RwSignal<Option<Failure>>,
    /// The view's width.
    pub(super) width: Signal<f64>,
}

impl MemoryModel {
    pub(super) fn new(state: State, width: Signal<f64>) -> Self {
        let place = state.view_state::<MemoryPlace>(state.memory, "memory");
        let session = RwSignal::new(None::<PtrEq<MemorySession>>);
        state.keep_asking(
            || Some(Question::Memory.into()),
            move |reply| match reply.decode::<MemorySession>() {
                Ok(memory) => session.set(Some(PtrEq::new(memory))),
                Err(Reply::Failed(failure)) => state.fail(failure),
                Err(_) => {}
            },
        );
        let request: Memo<Option<MemoryQuery>> = Memo::new(move |_| {
            let session = session.get()?;
            let heaviest = session.programs.programs.first().map(|program| program.program);
            let (program, color) = place.with(|place| (place.program, place.color));
            Some(MemoryQuery { program: program.or(heaviest)?, color, ..MemoryQuery::default() })
        });
        let (memory, failure) = (RwSignal::new(None::<PtrEq<StaticMemory>>), RwSignal::new(None));
        // The program and memory of `memory`, or of the answer that is awaited.
        let last_space = StoredValue::new(None::<(u32, i64)>);
        state.keep_asking(
            move || request.get().map(|request| Question::MemoryOf(request).into()),
            move |reply| match reply.decode::<StaticMemory>() {
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
        let chosen = move || place.with(|place| place.at).filter(|_| state.can(|can| can.memory_replay));
        let at = Memo::new(move |_| chosen().or(peak.get()).unwrap_or(0));
        let (alive, zoom) = (RwSignal::new(None::<PtrEq<AliveAt>>), RwSignal::new(None::<Points>));
        // What is alive at the peak comes with the program.
        state.keep_asking(
            move || {
                let here = at.get();
                let known = peak.get()? == here;
                if known {
                    alive.set(memory.with(|memory| Some(PtrEq::new(memory.as_ref()?.space.as_ref()?.alive.clone()))));
                }
                (!known).then(|| Some(Question::MemoryAt { query: request.get()?, point: here }.into()))?
            },
            move |reply| {
                if let Ok(Some(found)) = reply.decode::<Option<AliveAt>>() {
                    alive.set(Some(PtrEq::new(found)));
                }
            },
        );
        let curve = RwSignal::new(None::<PtrEq<Curve>>);
        state.keep_asking(
            move || {
                let Some(points) = zoom.get() else {
                    curve.set(memory.with(|memory| Some(PtrEq::new(memory.as_ref()?.space.as_ref()?.curve.clone()))));
                    return None;
                };
                Some(Question::MemoryCurve { query: request.get()?, points }.into())
            },
            move |reply| {
                if let Ok(Some(found)) = reply.decode::<Option<Curve>>() {
                    curve.set(Some(PtrEq::new(found)));
                }
            },
        );
        let (without, peak_without) = (RwSignal::new(Vec::<BufferId>::new()), RwSignal::new(None));
        state.keep_asking(
            move || {
                let without = without.get();
                if without.is_empty() {
                    peak_without.set(None);
                    return None;
                }
                let points = zoom.get().unwrap_or(Points { from: 0, to: u32::MAX });
                Some(Question::MemoryWithout { query: request.get()?, without, points }.into())
            },
            move |reply| {
                if let Ok(Some(found)) = reply.decode::<Option<WhatIf>>() {
                    // An answer to an earlier choice does not arrive here.
                    peak_without.set(Some((without.with_untracked(Vec::len), PtrEq::new(found))));
                }
            },
        );
        // Another program has other buffers and other points. What is on the screen is of the former program, so it goes before
        // the answer comes.
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
        let check = Memo::new(move |_| {
            let device = state.query.with(|query| match query.device {
                crate::analysis::base::DeviceChoice::One(n) => Some(n),
                crate::analysis::base::DeviceChoice::All => None,
            });
            session.with(|session| {
                let session = session.as_ref()?;
                picker::check_of(&session.checks, &session.runtime, device).cloned().map(PtrEq::new)
            })
        });
        let allocator_at = Memo::new(move |_| {
            let chosen = place.with(|place| place.allocator);
            let device = state.query.with(|query| match query.device {
                crate::analysis::base::DeviceChoice::One(n) => Some(n),
                crate::analysis::base::DeviceChoice::All => None,
            });
            let own = session.with(|session| picker::allocator_of(&session.as_ref()?.runtime, device));
            chosen.or(own).unwrap_or_default()
        });
        let allocator = Memo::new(move |_| {
            let chosen = allocator_at.get() as usize;
            session.with(|session| {
                let all = &session.as_ref()?.runtime.allocators;
                all.get(chosen).or_else(|| all.first()).cloned().map(PtrEq::new)
            })
        });
        Self {
            state,
            place,
            session,
            query: request,
            memory,
            has_space,
            at,
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

    /// Changes what the address says.
    pub(super) fn change(self, with: impl FnOnce(&mut MemoryPlace)) {
        let mut place = self.place.get_untracked();
        with(&mut place);
        self.state.memory.set(place.to_string());
    }

    /// Leaves a buffer out, or no longer.
    pub(super) fn toggle(self, id: BufferId) {
        if !untrack(|| self.state.can(|can| can.memory_replay)) {
            return;
        }
        self.without.update(|without| toggle(without, id));
    }

    /// What the curve is of: as chosen, else programs where any has a buffer assignment, else allocators where there are any.
    pub(super) fn side(self) -> Side {
        let usual = || {
            self.session.with(|session| {
                let Some(session) = session else { return Side::Static };
                let any_program = session.programs.programs.iter().any(|program| !program.spaces.is_empty());
                let any_allocator = !session.runtime.allocators.is_empty();
                if any_allocator && !any_program { Side::Allocator } else { Side::Static }
            })
        };
        self.place.with(|place| place.side).unwrap_or_else(usual)
    }

    /// By what the map groups.
    pub(super) fn by(self) -> RollUpBy {
        self.place.with(|place| place.by).unwrap_or(RollUpBy::Class)
    }

    /// How much there is, where that is known.
    pub(super) fn capacity(self) -> Option<u64> {
        let hbm = self.place.with(|place| place.color) == 0;
        self.check.get().filter(|_| hbm).and_then(|check| Some(check.capacity.as_ref()?.size))
    }

    /// Narrow screens have one thing below the other.
    pub(super) fn narrow(self) -> bool {
        self.width.get() < crate::chart::widgets::table::TWO_LINES
    }

    /// Why a side has nothing to show of this capture.
    pub(super) fn none_of(self, side: Side) -> Option<Empty> {
        let memory = self.session.get()?;
        self.state.opened.with(|opened| {
            let session = &opened.as_ref()?.session;
            match side {
                Side::Static => empty::programs(session, &memory),
                Side::Allocator => empty::allocator(session, &memory),
            }
        })
    }

    /// The same of the side that is shown.
    pub(super) fn none(self) -> Option<Empty> {
        self.none_of(self.side())
    }

    /// Why there is nothing to see of the program that is chosen, in a sentence.
    pub(super) fn missing_text(self) -> Option<String> {
        if self.side() == Side::Allocator || self.none().is_some() {
            return None;
        }
        if let Some(failure) = self.failure.get() {
            return Some(failure.message);
        }
        let memory = self.memory.get()?;
        memory.space.is_none().then(|| format!("{} has nothing in this memory.", memory.program.name))
    }
}
