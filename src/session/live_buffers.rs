//! The live buffers that were asked for last, kept while their table is scrolled, sorted and filtered.

use crate::analysis::memory::{AliveAt, MemoryQuery};
use crate::table::answer::KeptOrder;

/// The live buffers at a point of the curve of a program.
pub(crate) struct LiveBuffers {
    /// The program, and the point.
    pub(super) of: (MemoryQuery, u32),
    /// The buffers.
    pub(super) alive: AliveAt,
    /// How many points the curve has.
    pub(super) n_points: u32,
    /// The order of the rows that was asked for last.
    pub(super) order: KeptOrder,
}
