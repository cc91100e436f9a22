//! This module defines the report about an excerpt that was written, and the errors of writing it.

use crate::source::SourceError;
use crate::wire::WireError;
use thiserror::Error;

/// The content of an excerpt that was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExcerptReport {
    /// Number of events in the excerpt.
    pub n_events: u64,
    /// Number of events in the planes of the source that are not left out.
    pub n_source_events: u64,
    /// Size of the excerpt in bytes.
    pub bytes: u64,
    /// Whether the source is damaged. The parts that can be read are in the excerpt.
    pub is_damaged: bool,
}

/// The error of writing an excerpt.
#[derive(Debug, Error)]
pub enum ExcerptError {
    /// The source cannot be read.
    #[error(transparent)]
    Read(#[from] SourceError),
    /// The excerpt cannot be written.
    #[error(transparent)]
    Write(#[from] std::io::Error),
}

/// Returns a value, or notes the damage and returns `None`.
///
/// # Errors
/// Returns the error of the source itself.
pub(super) fn undamaged<T>(result: Result<T, WireError>, report: &mut ExcerptReport) -> Result<Option<T>, SourceError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(WireError::Source(error)) => Err(error),
        Err(_) => {
            report.is_damaged = true;
            Ok(None)
        }
    }
}
