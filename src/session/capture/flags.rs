//! This module judges the XLA flags that the user gives, by the communication of the session.

use super::CaptureSession;
use super::comm::comm_within;
use crate::analysis::base::Analysis;
use crate::analysis::flags::{Compiler, FlagsQuery, FlagsReport, evaluate_flags};
use crate::session::programs::Programs;
use xla_profile::profile::Profile;

/// Returns the verdicts about the flags of the query.
pub fn flags(analysis: &Analysis, profile: &Profile, programs: &mut Programs, query: &FlagsQuery) -> FlagsReport {
    let comm = comm_within(analysis, profile, programs, &query.comm, 0);
    evaluate_flags(&query.text, Compiler::of_session(profile, analysis), &comm)
}

impl CaptureSession {
    /// Answers [`ViewRequest::Flags`](crate::protocol::ViewRequest::Flags).
    pub(crate) fn flags(&mut self, query: &FlagsQuery) -> FlagsReport {
        let compiler = Compiler::of_session(&self.profile, &self.analysis);
        evaluate_flags(&query.text, compiler, self.comm_answer(&query.comm))
    }
}
