//! This module holds the charts and texts of the memory view: the curve of live memory, the treemap of live buffers at
//! a point, live ranges, and the memory of allocators. It does not depend on a browser. The formulas of the figures are
//! in `analysis::memory`.

pub mod curve;
pub mod figures;
pub mod findings;
pub mod fit;
pub mod live_ranges;
pub mod picker;
mod position;
mod size;
pub mod treemap;

pub use position::{at_position, position};
pub use size::{UNIT, text};
