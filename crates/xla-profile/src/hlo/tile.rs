//! This module defines one tile of a tiled layout.

/// A tile, into which the most minor dimensions of an array are divided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Size along each dimension, or [`Tile::COMBINE`]; the most minor dimension is the last.
    pub dims: Vec<u64>,
}

impl Tile {
    /// The size `*`: this dimension is merged with the next more minor one before tiling.
    pub const COMBINE: u64 = u64::MAX;
}
