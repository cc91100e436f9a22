//! The trait that every kind of session implements: a capture, and the report of a link or a file.

use crate::protocol::{Failure, Reply, Request, ShareQuery};
use crate::share::Report;

/// An open session. It answers the requests of the page from what was read.
pub(crate) trait Session {
    /// Answers a request; [`Reply::Failed`] where the session does not hold the answer.
    fn answer(&mut self, request: &Request) -> Reply;

    /// The report of the session at full detail.
    ///
    /// # Errors
    /// A [`Failure`] where no report can be made.
    fn report(&mut self, query: &ShareQuery) -> Result<Report, Failure>;
}
