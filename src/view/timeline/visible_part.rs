//! This module keeps the visible part of the timeline, the address, and the step of the page in agreement.

use super::model::TimelineModel;
use crate::analysis::timeline::EventQuery;
use crate::chart::timeline::Viewport;
use crate::view::type_erasure::effect;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;

/// The time after the last move for which the address and the sums keep the part before it, in milliseconds.
const ADDRESS_DELAY: u32 = 250;

impl TimelineModel {
    /// Shows the part and the event of the address.
    pub(super) fn follow_address(self) {
        let part = Memo::new(move |_| self.address_part());
        effect(move || {
            let view = part.get();
            if self.view.get_untracked() != view {
                self.view.set(view);
            }
        });
        let event = Memo::new(move |_| self.view_state.with(|view_state| view_state.event));
        effect(move || {
            if self.timeline.with(Option::is_none) {
                return;
            }
            let now = self.selected.with_untracked(|event| event.as_ref().map(|event| (event.line, event.event)));
            match event.get() {
                Some((line, event)) if now != Some((line, event)) => {
                    self.find_event(EventQuery::Index { line, event }, false);
                }
                None if now.is_some() => self.selected.set(None),
                _ => {}
            }
        });
    }

    /// Returns the part of the address.
    pub(super) fn address_part(self) -> Viewport {
        let (part, shows_all) = self.view_state.with(|view_state| (view_state.part, view_state.shows_all));
        match part {
            Some((start, end)) => Viewport::within(self.whole.get(), start, end),
            None if shows_all => self.whole.get(),
            None => self.usual.get(),
        }
    }

    /// Shows another step when the user chooses it.
    pub(super) fn follow_step(self) {
        let chosen = Memo::new(move |_| self.state.query.with(|query| query.step));
        let before = StoredValue::new(None);
        effect(move || {
            let step = chosen.get();
            if before.get_value().is_some_and(|before| before != step) {
                self.cancel_address_update();
                self.change(|view_state| (view_state.part, view_state.shows_all) = (None, false));
            }
            before.set_value(Some(step));
        });
    }

    /// Shows another part. The address follows when the part rests.
    pub(super) fn show(self, view: Viewport) {
        if self.view.get_untracked() == view {
            return;
        }
        self.view.set(view);
        self.address_timer.set_value(Some(Timeout::new(ADDRESS_DELAY, move || {
            let shows_all = view == self.whole.get_untracked();
            let is_usual = view == self.usual.get_untracked();
            let part = (!shows_all && !is_usual).then_some((view.start, view.end));
            self.change(|view_state| (view_state.part, view_state.shows_all) = (part, shows_all && !is_usual));
        })));
    }

    /// Forgets that the address is to follow the visible part.
    pub(super) fn cancel_address_update(self) {
        self.address_timer.set_value(None);
    }
}
