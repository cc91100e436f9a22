//! This module defines the query for an excerpt.

/// Selects the content of an excerpt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExcerptQuery {
    /// The range of time. `None` keeps all events.
    pub range: Option<EpochRange>,
    /// Whether the programs are left out: the event metadata of the plane `/host:metadata`.
    pub without_programs: bool,
    /// Indices of planes that are left out. Planes are counted from 0 in the order of the file.
    pub without_planes: Vec<u32>,
    /// The text that is added to the warnings of the XSpace.
    pub warning: String,
}

/// A range `[start, end)` in ps on the clock on which the timestamps of lines are in ns. Only the difference between two
/// times matters if a profiler does not count from the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EpochRange {
    pub start: i128,
    pub end: i128,
}

impl EpochRange {
    /// Returns whether an event touches the range. An event without a duration touches the range in which it starts.
    pub(super) const fn is_touched_by(self, start: i128, end: i128) -> bool {
        start < self.end && (end > self.start || start >= self.start)
    }
}
