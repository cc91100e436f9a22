//! This module caches the live buffers of the last request, while the user scrolls, sorts and filters their table.

use crate::analysis::memory::{AliveAt, MemoryQuery};
use crate::table::answer::CachedOrder;

/// The live buffers at a point of a program's memory curve.
pub(crate) struct LiveBuffers {
    /// Query and point that the buffers answer.
    pub(crate) key: (MemoryQuery, u32),
    pub(crate) alive: AliveAt,
    /// Number of points of the curve.
    pub(crate) n_points: u32,
    /// Order of the rows in the last request.
    pub(crate) order: CachedOrder,
}
