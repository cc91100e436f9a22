//! Requests on their way to a worker. Plain state: knows no worker.

use super::clock::now;
use super::ptr_eq::PtrEq;
use crate::analysis::base::{FilterError, Query};
use crate::protocol::{Answer, BreakdownHead, Failure, Reply, Request, RequestId};
use crate::worker::client::Link;
use web_sys::AbortController;

/// A breakdown that was requested and is not on screen yet.
pub(super) struct Pending {
    pub(super) id: RequestId,
    /// When it was asked, milliseconds of the page's clock.
    pub(super) since: f64,
}

/// What an answer meant to a pending breakdown.
pub(super) enum PendingState {
    NotMine,
    Done(PtrEq<BreakdownHead>),
    Failed(Failure),
    /// Its filter is no expression.
    Refused(FilterError),
}

impl Pending {
    /// Asks for a query's figures.
    pub(super) fn send(link: &Link, query: Query) -> Self {
        Self { id: link.send(&Request::Breakdown(query)), since: now() }
    }

    /// Withdraws it: which request that was.
    pub(super) fn withdraw(&self, link: &Link) -> RequestId {
        link.send(&Request::Cancel(self.id));
        self.id
    }

    pub(super) fn receive(&self, answer: Answer) -> PendingState {
        match answer.reply {
            _ if answer.id != self.id => PendingState::NotMine,
            Reply::Breakdown(head) => PendingState::Done(PtrEq::new(*head)),
            Reply::Failed(failure) => PendingState::Failed(failure),
            Reply::BadFilter(error) => PendingState::Refused(error),
            _ => PendingState::NotMine,
        }
    }
}

/// What is done with an answer.
pub(super) type OnReply = Box<dyn FnOnce(Reply)>;

/// A question that waits for its answer.
pub(super) struct SentRequest {
    pub(super) id: RequestId,
    pub(super) then: OnReply,
    /// Nobody asks it again by itself.
    pub(super) once: bool,
    /// When it was asked, milliseconds of the page's clock.
    pub(super) since: f64,
}

impl SentRequest {
    /// What is reported in place of an answer: there will be none.
    pub(super) fn cancelled(self) {
        (self.then)(Reply::Cancelled);
    }
}

/// One that is under way.
#[derive(Clone)]
pub(crate) struct Fetching {
    pub(super) serial: u32,
    pub(super) abort: AbortController,
}
