//! This module handles files that would take too much memory: the user chooses the planes to read.

use super::State;
use super::open_request::OpenRequest;
use super::ptr_eq::PtrEq;
use super::workers::{Loading, end};
use crate::protocol::{Estimate, SessionSlot, Skip};
use leptos::prelude::*;

impl State {
    /// Handles files that would take too much memory: the user chooses what to read.
    pub(super) fn show_memory_estimate(self, estimate: Estimate) {
        let loading = self.workers.try_update_value(|workers| workers.loading.take()).flatten();
        let Some(Loading { link, request: wanted, .. }) = loading else { return };
        end(link);
        self.cancel();
        self.large.set_value(Some(wanted));
        self.estimate.set(Some(PtrEq::new(estimate)));
    }

    /// Opens large files without the parts in `skips`. `None` means that the user cancelled.
    pub(crate) fn open_chosen(self, skips: Option<Vec<Skip>>) {
        self.estimate.set(None);
        let large = self.large.try_update_value(Option::take).flatten();
        if let (Some(wanted), true) = (large, skips.is_some()) {
            match wanted.slot {
                SessionSlot::First => self.start(OpenRequest { skips, ..wanted }, false),
                SessionSlot::Second => self.start_second(OpenRequest { skips, ..wanted }),
            }
        }
    }
}
