//! Layouts: how the elements of an array lie in memory, and what tiles add to it.
//!
//! ```text
//! {1,0:T(8,128)(2,1)E(4)S(1)}
//!  │   │       │    │   └ memory space 1
//!  │   │       │    └ 4 bits per element
//!  │   │       └ each tile of 8 × 128 is cut again, into 2 × 1
//!  │   └ the two most minor dimensions are cut into tiles of 8 × 128
//!  └ dimension 1 is the most minor one
//! ```
//! `L(128)`: the array is padded at its end to a multiple of 128 elements. Other tails (`D`, `#`, `*`, `SC`, `P`, `M`)
//! are kept as they are written.

use super::Text;
use super::tile::Tile;

/// How the elements of an array lie in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Dimensions from the most minor to the most major.
    pub minor_to_major: Vec<u32>,
    /// Tiles, the outermost first.
    pub tiles: Vec<Tile>,
    /// `E(n)`: bits of one element; 0 where nothing is reported.
    pub element_bits: u32,
    /// `L(n)`: the number of elements is rounded up to a multiple of this; 0 and 1 change nothing.
    pub tail_alignment: u64,
    /// `S(n)`: 0 is the device's main memory (HBM), 1 a TPU's VMEM.
    pub memory_space: i64,
    /// Tails of other kinds, in the order in which compilers write them.
    pub others: Vec<Tail>,
}

/// A part of a layout that has no meaning here, such as `#(u32)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tail {
    /// What stands before the parenthesis.
    pub key: Text,
    /// What stands in it.
    pub value: Text,
}

impl Tail {
    /// Where compilers write it: before the tiles, after them, at the end.
    pub(super) fn rank(&self) -> u8 {
        match &*self.key {
            "D" => 0,
            "#" | "*" => 1,
            _ => 2,
        }
    }
}

impl Layout {
    /// `dims` rounded up to whole tiles, in logical order; see
    /// [`ArrayShape::padded_dims`](super::ArrayShape::padded_dims).
    pub fn padded_dims(&self, dims: &[u64]) -> Option<Vec<u64>> {
        super::padding::padded_dims(dims, &self.minor_to_major, &self.tiles)
    }
}
