//! One tile of a tiled layout.

/// One tile: what the most minor dimensions are cut into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Sizes, the most minor last, or [`Tile::COMBINE`].
    pub dims: Vec<u64>,
}

impl Tile {
    /// `*`: this dimension is merged with the next more minor one before tiling.
    pub const COMBINE: u64 = u64::MAX;
}
