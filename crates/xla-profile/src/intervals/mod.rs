//! This module computes with time intervals `[start, end)` in ps: the self time of events, and unions, intersections and
//! lengths. It is in this crate because it runs over all events, and this crate is optimized for speed in a browser too.

mod merged;
mod self_time;

pub use merged::{ALL, Cursor, Merged, add_to_union};
pub use self_time::self_time;

/// An interval `[start, end)` in picoseconds.
pub type Interval = (u64, u64);
