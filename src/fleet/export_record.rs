//! This module knows how a capture was exported, and whether an export would write the same rows again.

use super::{PROGRAM_VERSION, SCHEMA_VERSION};

/// How a capture was exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportRecord {
    pub schema_version: i64,
    pub program_version: String,
    pub request: String,
    pub status: String,
}

impl ExportRecord {
    /// Returns whether an export with the options `request` would write the same rows. A capture that could not be read is tried
    /// again.
    pub fn is_current(&self, request: &str) -> bool {
        self.schema_version == SCHEMA_VERSION
            && self.program_version == PROGRAM_VERSION
            && self.request == request
            && self.status != "failed"
    }
}
