//! The session behind the contract: opens files, keeps the profile, answers requests. Knows no browser.

use super::{Failure, Progress, Reply, Request, Session};
use crate::source::Source;

/// One file to open.
pub struct Input {
    /// Its name, with folders.
    pub name: String,
    /// Its bytes.
    pub source: Box<dyn Source>,
}

/// An open session.
pub struct Engine {}

impl Engine {
    /// Opens files as one session.
    ///
    /// # Errors
    /// A [`Failure`] where nothing could be read.
    pub fn open(inputs: Vec<Input>, progress: &mut dyn FnMut(Progress)) -> Result<(Self, Session), Failure> {
        let _ = (inputs, progress);
        Err(Failure { title: String::new(), message: String::new() })
    }

    /// Answers a request about the open session.
    pub fn answer(&mut self, request: &Request) -> Reply {
        let _ = request;
        Reply::Cancelled
    }
}
