//! This module defines the trait of the three kinds of session: a capture, a list of captures, and a report.

use crate::protocol::{Failure, Reply, Request, ShareQuery};
use crate::share::{Level, Report};
use std::any::Any;

/// An open session, which answers the requests of the page.
pub(crate) trait Session: Any {
    /// Answers a request. Returns [`Reply::Failed`] if the session does not hold the answer.
    fn answer(&mut self, request: &Request) -> Reply;

    /// Returns the report of the session at full detail.
    ///
    /// # Errors
    /// Returns a [`Failure`] if no report can be made.
    fn report(&mut self, query: &ShareQuery) -> Result<Report, Failure> {
        self.report_within(query, Level::FULL)
    }

    /// Returns the report of the session with at most the rows of a level of detail. The others are summed.
    ///
    /// # Errors
    /// Returns a [`Failure`] if no report can be made.
    fn report_within(&mut self, query: &ShareQuery, level: Level) -> Result<Report, Failure>;
}
