//! This module holds the workers of the page and the requests that they have not answered: the worker of the open
//! session, and the worker of the load under way.

use super::clock::now;
use super::open_request::OpenRequest;
use super::pending::{Fetching, Pending, SentRequest};
use crate::analysis::base::{DeviceChoice, Query};
use crate::protocol::{RequestId, SessionInfo};
use crate::worker::client::WorkerHandle;
use gloo::timers::callback::Timeout;

/// The workers, and the requests that they have not answered.
#[derive(Default)]
pub(super) struct Workers {
    pub(super) serial: u32,
    /// The number of loads and fetches started and sessions closed so far.
    pub(super) opens: u32,
    /// The worker of the open session.
    pub(super) open: Option<WorkerHandle>,
    pub(super) open_serial: u32,
    pub(super) opened_by: OpenRequest,
    /// The request that opened the session, while the rest of its files is still being read.
    pub(super) reading: Option<RequestId>,
    /// The capture that is being read for a comparison.
    pub(super) second: Option<SecondLoad>,
    /// What opened the session that is compared with the one that is shown.
    pub(super) other_opened_by: Option<OpenRequest>,
    /// The device that the address names, if it has not been read yet.
    pub(super) awaited_device: Option<DeviceChoice>,
    /// The time at which the worker of the open session last ended, in milliseconds of the page's clock.
    pub(super) died_at: Option<f64>,
    pub(super) loading: Option<Loading>,
    /// The list of captures from which the open session was opened.
    pub(super) folder: Option<Folder>,
    /// The capture that is being fetched.
    pub(super) fetching: Option<Fetching>,
    /// The breakdown that was requested and is not shown yet.
    pub(super) pending: Option<Pending>,
    /// The other requests, with the handlers of their answers.
    pub(super) sent_requests: Vec<SentRequest>,
    /// The requests that were withdrawn. The worker may still compute the first of them.
    pub(super) withdrawn: Vec<RequestId>,
    /// Whether a check for slow requests is scheduled.
    pub(super) is_checking: bool,
}

/// A worker that ends again within this time, in milliseconds, is not started again, because a new one would probably
/// end as well.
const AGAIN_AFTER: f64 = 60_000.0;

impl Workers {
    /// Records that the worker of the open session ended. Returns whether another worker is started in its place.
    pub(super) fn record_exit_and_may_restart(&mut self) -> bool {
        let before = self.died_at.replace(now());
        before.is_none_or(|died_at| now() - died_at > AGAIN_AFTER)
    }

    pub(super) fn is_loading(&self) -> bool {
        self.loading.is_some()
    }

    /// Forgets all requests, and returns those that have a handler.
    pub(super) fn forget_requests(&mut self) -> Vec<SentRequest> {
        self.pending = None;
        self.withdrawn.clear();
        std::mem::take(&mut self.sent_requests)
    }

    /// Returns whether a request is answered, now or after the files have been read again.
    pub(super) fn can_answer(&self) -> bool {
        self.open.is_some() || self.loading.as_ref().is_some_and(|loading| loading.again)
    }
}

/// A list of captures that waits while one of them is open.
pub(super) struct Folder {
    pub(super) link: WorkerHandle,
    pub(super) serial: u32,
    pub(super) request: OpenRequest,
    /// Its name on the page.
    pub(super) name: String,
    pub(super) session: SessionInfo,
    /// The keys of the captures that were chosen for a comparison.
    pub(super) selected: Vec<String>,
}

/// A load under way.
pub(super) struct Loading {
    pub(super) serial: u32,
    pub(super) link: WorkerHandle,
    /// The request that opens the files.
    pub(super) id: RequestId,
    pub(super) request: OpenRequest,
    /// Whether the load only replaces a worker that ended. The page does not show its progress.
    pub(super) again: bool,
    pub(super) session: Option<SessionInfo>,
    /// The first query that is sent.
    pub(super) first_query: Query,
    pub(super) pending: Option<Pending>,
}

impl Loading {
    /// Requests the breakdown that is shown first.
    pub(super) fn send_first(&mut self) {
        self.pending = Some(Pending::send(&self.link, self.first_query.clone()));
    }
}

/// A capture that the worker of the open session reads for a comparison.
pub(super) struct SecondLoad {
    pub(super) id: RequestId,
    pub(super) serial: u32,
    pub(super) request: OpenRequest,
}

/// Ends a worker in a task of its own, because the caller may be a handler of the worker's messages.
pub(crate) fn end<T: 'static>(link: T) {
    Timeout::new(0, move || drop(link)).forget();
}
