//! This module handles requests with slow answers: the page shows that they are computed, and the user can cancel them.
//! A worker receives no message while it computes, so a cancel ends the worker, and the files are read again by another
//! one.

use super::State;
use super::clock::now;
use super::pending::SentRequest;
use super::workers::{Workers, end};
use crate::chart::loading::SHOWN_AFTER_MS;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;

impl Workers {
    /// Returns the time of the request that has waited longest, in milliseconds of the page's clock.
    fn waits_since(&self) -> Option<f64> {
        let sent_requests = self.sent_requests.iter().map(|sent| sent.since);
        sent_requests.chain(self.pending.as_ref().map(|pending| pending.since)).min_by(f64::total_cmp)
    }

    /// Returns whether the worker computes a request that was withdrawn. A worker handles requests in the order of
    /// their ids.
    fn is_at_withdrawn(&self) -> bool {
        let sent_requests = self.sent_requests.iter().map(|sent| sent.id);
        let wanted = sent_requests.chain(self.pending.as_ref().map(|pending| pending.id)).min();
        let withdrawn = self.withdrawn.iter().copied().min();
        withdrawn.is_some_and(|withdrawn| wanted.is_none_or(|wanted| withdrawn < wanted))
    }
}

impl State {
    /// Checks whether a request waits for long. Every function that sends, answers or withdraws a request calls this
    /// one.
    pub(super) fn update_slow_state(self) {
        let since = self.workers.try_with_value(Workers::waits_since).flatten();
        let Some(since) = since else {
            if self.slow.with_untracked(Option::is_some) {
                self.slow.set(None);
            }
            return;
        };
        if self.slow.with_untracked(Option::is_some) {
            return;
        }
        if now() - since >= f64::from(SHOWN_AFTER_MS) {
            self.slow.set(Some(since));
            return;
        }
        let was_checking = self.workers.try_update_value(|workers| std::mem::replace(&mut workers.is_checking, true));
        if was_checking == Some(false) {
            let options = move || {
                self.workers.update_value(|workers| workers.is_checking = false);
                self.update_slow_state();
            };
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 200")]
            let left = (since + f64::from(SHOWN_AFTER_MS) - now()).ceil().max(1.0) as u32;
            Timeout::new(left, options).forget();
        }
    }

    /// Cancels the requests that are pending. The page stays as it is, and a new worker is started.
    pub(crate) fn cancel_requests(self) {
        let ended = self.workers.try_update_value(|workers| {
            // The worker of the load under way replaces this one soon.
            if workers.is_loading() {
                return None;
            }
            let link = workers.open.take()?;
            // A withdrawn request took so long, so the requests that are still current are sent again.
            let asked_again = workers.is_at_withdrawn();
            end(link);
            Some((workers.forget_requests(), asked_again, workers.opened_by.clone()))
        });
        let Some((sent_requests, asked_again, origin)) = ended.flatten() else { return };
        sent_requests.into_iter().filter(|sent| sent.once || !asked_again).for_each(SentRequest::cancelled);
        if !asked_again {
            self.restore_query();
        }
        self.update_slow_state();
        self.start(origin, true);
    }

    /// Sends the cancelled requests again.
    pub(crate) fn resend_cancelled(self) {
        self.tries.update(|tries| *tries += 1);
    }

    /// Adds `by` to the number of cancelled requests.
    pub(super) fn count_stopped(self, by: i32) {
        self.stopped.update(|stopped| *stopped = stopped.saturating_add_signed(by));
    }
}
