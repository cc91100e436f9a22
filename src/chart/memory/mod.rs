//! Memory as pictures and words: the curve of what is alive, the map of what is alive at a point, lives beside each other,
//! what allocators gave. This module knows reports; no browser, and no formula of a figure (`analysis::memory`).

pub mod curve;
pub mod figures;
pub mod findings;
pub mod live_ranges;
pub mod picker;
mod position;
mod size;
pub mod treemap;

pub use position::{at_position, position};
pub use size::{SizeUnit, text};
