//! This module judges the XLA flags that the user gives, by the communication of the session.

use super::capture::CaptureSession;
use super::comm::comm_within;
use super::programs::Programs;
use crate::analysis::base::Analysis;
use crate::analysis::flags::{FlagsQuery, FlagsReport, evaluate_flags};
use crate::profile::Profile;

/// Returns the verdicts about the flags of the query.
pub fn flags(analysis: &Analysis, profile: &Profile, programs: &mut Programs, query: &FlagsQuery) -> FlagsReport {
    let comm = comm_within(analysis, profile, programs, &query.comm, 0);
    evaluate_flags(&query.text, analysis.devices.first().map(|device| device.platform), &comm)
}

impl CaptureSession {
    /// Answers [`ViewRequest::Flags`](crate::protocol::ViewRequest::Flags).
    pub(crate) fn flags(&mut self, query: &FlagsQuery) -> FlagsReport {
        let platform = self.analysis.devices.first().map(|device| device.platform);
        evaluate_flags(&query.text, platform, self.comm_answer(&query.comm))
    }
}
