//! This module defines the version of the report format, and the length of the longest link.

/// The version of the format that is written.
pub const VERSION: u64 = 7;

/// Length of the longest link, in characters. A longer report needs a file.
pub const MAX_LINK_LENGTH: usize = 64_000;
