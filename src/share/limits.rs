//! The version of the format of reports, and the longest link.

/// The version that is written.
pub const VERSION: u64 = 1;

/// Longer ones are not made: a file is for them.
pub const MOST: usize = 64_000;
