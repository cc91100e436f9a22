//! This module moves a time to the nearest start or end of an event.

/// Returns the one of `edges` that is nearest to `time` and at most `reach` away, else `time`. All values are in ps.
pub fn snap(time: u64, reach: u64, edges: impl Iterator<Item = u64>) -> u64 {
    let near = edges.filter(|edge| edge.abs_diff(time) <= reach);
    near.min_by_key(|edge| (edge.abs_diff(time), *edge)).unwrap_or(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_moves_to_the_nearest_edge() {
        let edges = [100, 200, 204];
        let snapped = |time| snap(time, 10, edges.into_iter());
        assert_eq!(
            (snapped(95), snapped(203), snapped(202), snapped(150), snapped(u64::MAX)),
            (100, 204, 200, 150, u64::MAX)
        );
    }
}
