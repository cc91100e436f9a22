//! This module computes the padding that tiles add to an array.

use super::Tile;

/// Returns `dims` rounded up to whole tiles, in logical order. The first tile divides the most minor dimensions of the
/// array, and each further tile divides the tile before it, so an inner tile may round up the size of an outer one:
///
/// ```text
/// f32[3,5]{1,0:T(2,2)}           3 × 5  →  2·2 × 3·2: [4,6]
/// bf16[3,5]{1,0:T(8,128)(2,1)}   3 × 5  →  1·8 × 1·128; the 8 × 128 is divided into 4·2 × 128·1: [8,128]
/// bf16[3,5]{1,0:T(1,128)(2,1)}   3 × 5  →  3·1 × 1·128; the 1 × 128 is divided into 1·2 × 128·1: [6,128]
/// s32[]{:T(128)}                        →  1·128: [128], a dimension in front
/// ```
///
/// Returns `None` if the layout does not fit the dimensions, if a tile has a zero, or if the result does not fit.
pub(super) fn padded_dims(dims: &[u64], minor_to_major: &[u32], tiles: &[Tile]) -> Option<Vec<u64>> {
    if tiles.is_empty() {
        return Some(dims.to_vec());
    }
    let rank = dims.len();
    let mut extra = 0_usize;
    // The sizes of parts of dimensions from major to minor, each with its logical dimension.
    let mut parts: Vec<(usize, u64)> = Vec::with_capacity(rank);
    let mut covered = vec![false; rank];
    for dim in minor_to_major.iter().rev() {
        let dim = *dim as usize;
        if std::mem::replace(covered.get_mut(dim)?, true) {
            return None;
        }
        parts.push((dim, *dims.get(dim)?));
    }
    if parts.len() != rank {
        return None;
    }
    for Tile { dims: tile } in tiles {
        let missing = tile.len().saturating_sub(parts.len());
        parts.splice(0..0, (0..missing).map(|i| (rank.saturating_add(extra).saturating_add(i), 1)));
        extra = extra.checked_add(missing)?;
        let cut = parts.split_off(parts.len().saturating_sub(tile.len()));
        let mut inner = Vec::with_capacity(tile.len());
        let mut merged = 1_u64;
        for ((dim, size), step) in cut.into_iter().zip(tile) {
            let size = size.checked_mul(merged)?;
            if *step == Tile::COMBINE {
                merged = size;
                continue;
            }
            merged = 1;
            parts.push((dim, size.checked_add(step.checked_sub(1)?)?.checked_div(*step)?));
            inner.push((dim, *step));
        }
        if merged != 1 {
            return None;
        }
        parts.append(&mut inner);
    }
    // The padded size of a dimension is the product of its parts. A dimension that is merged into a more minor one has
    // size 1, and the more minor one has the size of both.
    let mut padded = vec![1_u64; rank.checked_add(extra)?];
    for (dim, size) in parts {
        let dim = padded.get_mut(dim)?;
        *dim = dim.checked_mul(size)?;
    }
    padded.rotate_right(extra);
    Some(padded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn padded(dims: &[u64], minor_to_major: &[u32], tiles: &[&[u64]]) -> Option<Vec<u64>> {
        let tiles: Vec<Tile> = tiles.iter().map(|t| Tile { dims: t.to_vec() }).collect();
        padded_dims(dims, minor_to_major, &tiles)
    }

    #[test]
    fn known_layouts() {
        assert_eq!(padded(&[3, 5], &[1, 0], &[]), Some(vec![3, 5]));
        assert_eq!(padded(&[3, 5], &[1, 0], &[&[2, 2]]), Some(vec![4, 6]));
        assert_eq!(padded(&[3, 5], &[1, 0], &[&[8, 128], &[2, 1]]), Some(vec![8, 128]));
        assert_eq!(padded(&[3, 5], &[0, 1], &[&[8, 128]]), Some(vec![128, 8]));
        assert_eq!(padded(&[7, 3, 5], &[2, 1, 0], &[&[8, 128]]), Some(vec![7, 8, 128]));
        assert_eq!(padded(&[513], &[0], &[&[512], &[128], &[2, 1]]), Some(vec![1024]));
        assert_eq!(padded(&[3, 5], &[1, 0], &[&[1, 128], &[2, 1]]), Some(vec![6, 128]));
    }

    #[test]
    fn tiles_of_higher_rank_put_dimensions_in_front() {
        assert_eq!(padded(&[], &[], &[&[128]]), Some(vec![128]));
        assert_eq!(padded(&[5], &[0], &[&[8, 128]]), Some(vec![8, 128]));
    }

    #[test]
    fn combined_dimensions() {
        // 3 × 5 as one dimension of 15, in tiles of 4.
        assert_eq!(padded(&[3, 5], &[1, 0], &[&[Tile::COMBINE, 4]]), Some(vec![1, 16]));
        assert_eq!(padded(&[3, 5], &[1, 0], &[&[4, Tile::COMBINE]]), None);
    }

    #[test]
    fn invalid_layouts_are_none() {
        assert_eq!(padded(&[3, 5], &[1], &[&[8]]), None);
        assert_eq!(padded(&[3, 5], &[1, 1], &[&[8]]), None);
        assert_eq!(padded(&[3, 5], &[1, 7], &[&[8]]), None);
        assert_eq!(padded(&[3, 5], &[1, 0], &[&[0, 8]]), None);
        assert_eq!(padded(&[u64::MAX, 5], &[1, 0], &[&[2, 2]]), None);
        assert_eq!(padded(&[1 << 40, 1 << 40], &[1, 0], &[&[8, 128]]), Some(vec![1 << 40, 1 << 40]));
        assert_eq!(padded(&[0, 5], &[1, 0], &[&[8, 128]]), Some(vec![0, 128]));
    }
}
