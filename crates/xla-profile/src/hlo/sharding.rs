//! This module reads how the devices of a program divide an array.

use crate::wire::proto::hlo::OpShardingProto;

/// The kinds of shardings that are read: `OpSharding.Type` in XLA's `xla_data.proto`.
const REPLICATED: i32 = 0;
const MAXIMAL: i32 = 1;
const OTHER: i32 = 3;

/// Returns into how many parts the devices divide each dimension of an array. Empty if every device, or one device, has
/// the whole array. `None` for other shardings: tuples, and shardings that the program leaves open.
pub(super) fn tiles(from: &OpShardingProto) -> Option<Vec<u64>> {
    match from.r#type {
        REPLICATED | MAXIMAL => Some(Vec::new()),
        OTHER => {
            let dims = &from.tile_assignment_dimensions;
            // The last dimensions count devices that have the same part.
            let n_same = if from.last_tile_dims.is_empty() {
                usize::from(from.replicate_on_last_tile_dim)
            } else {
                from.last_tile_dims.len()
            };
            let dims = dims.get(..dims.len().checked_sub(n_same)?).filter(|dims| !dims.is_empty())?;
            dims.iter().map(|n| u64::try_from(*n).ok().filter(|n| *n > 0)).collect()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sharding(kind: i32, dims: &[i64], is_replicated: bool, last: &[i32]) -> OpShardingProto {
        OpShardingProto {
            r#type: kind,
            tile_assignment_dimensions: dims.to_vec(),
            replicate_on_last_tile_dim: is_replicated,
            last_tile_dims: last.to_vec(),
        }
    }

    #[test]
    fn the_last_dimension_may_count_devices_with_the_same_part() {
        assert_eq!(tiles(&sharding(OTHER, &[1, 4, 2], false, &[])), Some(vec![1, 4, 2]));
        assert_eq!(tiles(&sharding(OTHER, &[4, 1, 2], true, &[])), Some(vec![4, 1]));
        assert_eq!(tiles(&sharding(OTHER, &[4, 1, 2, 3], false, &[4, 0])), Some(vec![4, 1]));
        assert_eq!(tiles(&sharding(REPLICATED, &[], false, &[])), Some(Vec::new()));
        for bad in [sharding(OTHER, &[], false, &[]), sharding(OTHER, &[-1], false, &[]), sharding(2, &[], false, &[])]
        {
            assert_eq!(tiles(&bad), None, "{bad:?}");
        }
        assert_eq!(tiles(&sharding(OTHER, &[2], false, &[0, 0])), None);
    }
}
