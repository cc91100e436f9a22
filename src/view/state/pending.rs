//! This module holds the requests that a worker has not answered yet.

use super::clock::now;
use super::ptr_eq::PtrEq;
use crate::analysis::base::{FilterError, Query};
use crate::protocol::{Answer, BreakdownHead, Failure, Reply, Request, RequestId, ViewRequest, requests};
use crate::worker::client::WorkerHandle;
use web_sys::AbortController;

/// A breakdown that was requested and is not shown yet.
pub(super) struct Pending {
    pub(super) id: RequestId,
    /// The time of the request, in milliseconds of the page's clock.
    pub(super) since: f64,
}

/// The meaning of an answer for a pending breakdown.
pub(super) enum PendingState {
    NotMine,
    Done(PtrEq<BreakdownHead>),
    Failed(Failure),
    /// The filter is not a valid regular expression.
    Refused(FilterError),
}

impl Pending {
    /// Requests the breakdown of a query.
    pub(super) fn send(link: &WorkerHandle, query: Query) -> Self {
        Self { id: link.send(&ViewRequest::Breakdown(query).into()), since: now() }
    }

    /// Withdraws the request, and returns its id.
    pub(super) fn withdraw(&self, link: &WorkerHandle) -> RequestId {
        link.send(&Request::Cancel(self.id));
        self.id
    }

    pub(super) fn receive(&self, answer: Answer) -> PendingState {
        if answer.id != self.id {
            return PendingState::NotMine;
        }
        match answer.reply.answer::<requests::Breakdown>() {
            Ok(head) => PendingState::Done(PtrEq::new(head)),
            Err(Reply::Failed(failure)) => PendingState::Failed(failure),
            Err(Reply::BadFilter(error)) => PendingState::Refused(error),
            Err(_) => PendingState::NotMine,
        }
    }
}

/// The handler of an answer.
pub(super) type OnReply = Box<dyn FnOnce(Reply)>;

/// A request that waits for its answer.
pub(super) struct SentRequest {
    pub(super) id: RequestId,
    pub(super) then: OnReply,
    /// Whether the request is never sent again by itself.
    pub(super) once: bool,
    /// The time of the request, in milliseconds of the page's clock.
    pub(super) since: f64,
}

impl SentRequest {
    /// Calls the handler with [`Reply::Cancelled`], because no answer will come.
    pub(super) fn cancelled(self) {
        (self.then)(Reply::Cancelled);
    }
}

/// A fetch under way.
#[derive(Clone)]
pub(crate) struct Fetching {
    pub(super) serial: u32,
    pub(super) abort: AbortController,
}
