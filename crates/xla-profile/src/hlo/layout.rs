//! This module defines the layout of an array: the order of its elements in memory, and its tiles.
//!
//! ```text
//! {1,0:T(8,128)(2,1)E(4)S(1)}
//!  │   │       │    │   └ memory space 1
//!  │   │       │    └ 4 bits per element
//!  │   │       └ each tile of 8 × 128 is divided again, into tiles of 2 × 1
//!  │   └ the two most minor dimensions are divided into tiles of 8 × 128
//!  └ dimension 1 is the most minor one
//! ```
//! `L(128)` pads the array at its end to a multiple of 128 elements. Other tails (`D`, `#`, `*`, `SC`, `P`, `M`) are
//! kept as texts.

use super::Text;
use super::tile::Tile;

/// The layout of an array in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Dimensions from the most minor to the most major.
    pub minor_to_major: Vec<u32>,
    /// Tiles, the outermost first.
    pub tiles: Vec<Tile>,
    /// `E(n)`: bits of one element; 0 if the layout does not give them.
    pub element_bits: u32,
    /// `L(n)`: the number of elements is rounded up to a multiple of `n`; 0 and 1 change nothing.
    pub tail_alignment: u64,
    /// `S(n)`: 0 is the main memory of the device (HBM), 1 is the VMEM of a TPU.
    pub memory_space: i64,
    /// Tails of other kinds, in the order in which compilers write them.
    pub others: Vec<Tail>,
}

/// A part of a layout that is kept as text, such as `#(u32)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tail {
    /// The text before the parenthesis.
    pub key: Text,
    /// The text in the parentheses.
    pub value: Text,
}

impl Tail {
    /// Returns the position at which compilers write the tail: 0 before the tiles, 1 after them, 2 at the end.
    pub(super) fn rank(&self) -> u8 {
        match &*self.key {
            "D" => 0,
            "#" | "*" => 1,
            _ => 2,
        }
    }
}

impl Layout {
    /// Returns `dims` rounded up to whole tiles, in logical order; see
    /// [`ArrayShape::padded_dims`](super::ArrayShape::padded_dims).
    pub fn padded_dims(&self, dims: &[u64]) -> Option<Vec<u64>> {
        super::padding::padded_dims(dims, &self.minor_to_major, &self.tiles)
    }
}
