//! The workers of the page, and what is asked of them: of what is open, and of what is being read. This module knows handles and requests; not what
//! becomes of answers.

use super::clock::now;
use super::open_request::Wanted;
use super::pending::{Fetching, Pending, SentRequest};
use crate::analysis::base::Query;
use crate::protocol::{RequestId, SessionInfo};
use crate::worker::client::Link;
use gloo::timers::callback::Timeout;

/// The workers, and what is under way in them.
#[derive(Default)]
pub(super) struct Engines {
    pub(super) serial: u32,
    /// How often something was to be opened or fetched.
    pub(super) opens: u32,
    /// The worker of what is open.
    pub(super) open: Option<Link>,
    pub(super) open_serial: u32,
    pub(super) of: Wanted,
    /// When its worker ended last, milliseconds of the page's clock.
    pub(super) died_at: Option<f64>,
    pub(super) loading: Option<Loading>,
    /// A capture that is being fetched.
    pub(super) fetching: Option<Fetching>,
    /// The breakdown asked for and not shown yet.
    pub(super) pending: Option<Pending>,
    /// Other questions, and what is done with their answers.
    pub(super) further: Vec<SentRequest>,
    /// Questions that were withdrawn: the worker may be at the first of them all the same.
    pub(super) withdrawn: Vec<RequestId>,
    /// A check is scheduled whether questions wait for long.
    pub(super) is_checking: bool,
}

/// A worker that ends again sooner than this is not started anew, milliseconds: it would end again.
const AGAIN_AFTER: f64 = 60_000.0;

impl Engines {
    /// Takes note that the worker of what is open ended; whether another is started in its place.
    pub(super) fn may_start_again(&mut self) -> bool {
        let before = self.died_at.replace(now());
        before.is_none_or(|at| now() - at > AGAIN_AFTER)
    }

    pub(super) fn is_loading(&self) -> bool {
        self.loading.is_some()
    }

    /// Lets go of all that was asked of a worker.
    pub(super) fn forget_questions(&mut self) -> Vec<SentRequest> {
        self.pending = None;
        self.withdrawn.clear();
        std::mem::take(&mut self.further)
    }

    /// Whether a question is answered, now or once the files are read again.
    pub(super) fn can_answer(&self) -> bool {
        self.open.is_some() || self.loading.as_ref().is_some_and(|loading| loading.again)
    }
}

/// A load under way.
pub(super) struct Loading {
    pub(super) serial: u32,
    pub(super) link: Link,
    pub(super) of: Wanted,
    /// Opened again after its worker died: out of sight.
    pub(super) again: bool,
    pub(super) session: Option<SessionInfo>,
    /// What is asked of it first.
    pub(super) question: Query,
    pub(super) pending: Option<Pending>,
}

impl Loading {
    /// Asks for what is shown first.
    pub(super) fn send_first(&mut self) {
        self.pending = Some(Pending::send(&self.link, self.question.clone()));
    }
}

/// Ends workers, but not from within their own messages.
pub(super) fn end<T: 'static>(link: T) {
    Timeout::new(0, move || drop(link)).forget();
}
