//! Requests on their way to a worker, and the rows that have come. Plain state: knows no worker.

use super::clock::now;
use super::ptr_eq::PtrEq;
use crate::analysis::base::{FilterError, Query};
use crate::chart::widgets::virtual_rows;
use crate::protocol::{Answer, BreakdownHead, Failure, Reply, Request, RequestId, RowsPage, RowsQuery, Sort};
use crate::worker::client::Link;
use std::collections::BTreeMap;
use web_sys::AbortController;

/// A breakdown on screen: its figures, and those rows that have come.
#[derive(Clone)]
pub(super) struct Shown {
    pub(super) head: PtrEq<BreakdownHead>,
    pub(super) sort: Sort,
    pub(super) pages: BTreeMap<u32, PtrEq<RowsPage>>,
}

impl Shown {
    pub(super) fn page_of(&self, index: u32) -> Option<PtrEq<RowsPage>> {
        self.pages.get(&(index / virtual_rows::PAGE * virtual_rows::PAGE)).cloned()
    }

    /// A number that is another one for another question.
    pub(super) fn mark(&self) -> u64 {
        use std::hash::BuildHasher;
        rustc_hash::FxBuildHasher.hash_one((&self.head.query, self.sort))
    }

    /// What was asked.
    pub(super) fn question(&self) -> (Query, Sort) {
        (self.head.query.clone(), self.sort)
    }
}

/// A breakdown that was requested and is not on screen yet.
pub(super) struct Pending {
    pub(super) sort: Sort,
    pub(super) head: Option<PtrEq<BreakdownHead>>,
    pub(super) rows: Option<PtrEq<RowsPage>>,
    pub(super) head_id: Option<RequestId>,
    pub(super) rows_id: RequestId,
    /// When it was asked, milliseconds of the page's clock.
    pub(super) since: f64,
}

/// A page of rows that was requested.
pub(super) struct InFlight {
    pub(super) id: RequestId,
    pub(super) page: u32,
    pub(super) since: f64,
}

/// What an answer meant to a pending breakdown.
pub(super) enum PendingState {
    NotMine,
    Waiting,
    Done(Shown),
    Failed(Failure),
    /// Its filter is no expression.
    Refused(FilterError),
}

impl Pending {
    /// Asks for a query's figures (unless they are loaded) and its first rows.
    pub(super) fn send(link: &Link, query: Query, sort: Sort, head: Option<PtrEq<BreakdownHead>>) -> Self {
        let head_id = head.is_none().then(|| link.send(&Request::Breakdown(query.clone())));
        let rows_id = link.send(&Request::Rows(RowsQuery { query, sort, first: 0, count: virtual_rows::PAGE }));
        Self { sort, head, rows: None, head_id, rows_id, since: now() }
    }

    /// Withdraws it: which requests that were.
    pub(super) fn withdraw(&self, link: &Link) -> impl Iterator<Item = RequestId> {
        let ids = self.head_id.into_iter().chain([self.rows_id]);
        for id in ids.clone() {
            link.send(&Request::Cancel(id));
        }
        ids
    }

    /// Its first request that may be unanswered.
    pub(super) fn first(&self) -> RequestId {
        self.head_id.filter(|_| self.head.is_none()).unwrap_or(self.rows_id)
    }

    pub(super) fn receive(&mut self, answer: Answer) -> PendingState {
        if Some(answer.id) != self.head_id && answer.id != self.rows_id {
            return PendingState::NotMine;
        }
        match answer.reply {
            Reply::Breakdown(head) => self.head = Some(PtrEq::new(*head)),
            Reply::Rows(page) => self.rows = Some(PtrEq::new(*page)),
            Reply::Failed(failure) => return PendingState::Failed(failure),
            Reply::BadFilter(error) => return PendingState::Refused(error),
            _ => {}
        }
        match (&self.head, &self.rows) {
            (Some(head), Some(rows)) => PendingState::Done(Shown {
                head: head.clone(),
                sort: self.sort,
                pages: BTreeMap::from([(0, rows.clone())]),
            }),
            _ => PendingState::Waiting,
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
