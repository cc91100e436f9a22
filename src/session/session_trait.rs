//! This module defines the trait that every kind of session implements: a capture, and the report of a link or a file.

use super::capture::CaptureSession;
use crate::protocol::{Failure, Reply, Request, ShareQuery};
use crate::share::Report;

/// An open session, which answers the requests of the page.
pub(crate) trait Session {
    /// Answers a request. Returns [`Reply::Failed`] if the session does not hold the answer.
    fn answer(&mut self, request: &Request) -> Reply;

    /// Returns the session as one of a capture. `None` for the report of a link or a file.
    fn capture(&mut self) -> Option<&mut CaptureSession> {
        None
    }

    /// Returns the report of the session at full detail.
    ///
    /// # Errors
    /// Returns a [`Failure`] if no report can be made.
    fn report(&mut self, query: &ShareQuery) -> Result<Report, Failure>;
}
