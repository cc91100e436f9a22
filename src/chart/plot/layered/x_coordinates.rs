//! This module assigns x coordinates: each spot is as close to its neighbours in other rows as the order and the
//! distances in its row allow.
//!
//! The solution for a row is exact: spots whose preferred positions are too close form a block, which is placed at the
//! weighted mean of its members' preferences (pool adjacent violators). Sweeps down and up make rows consistent with
//! each other.

use super::layer_graph::{LayerGraph, room};
use super::straight::{stack, straighten};
use xla_profile::small_sort::SmallSort;

/// Weight of a connection between two spots with no other connections on that side. A large weight puts them straight
/// above each other.
const ONLY: f64 = 12.0;
/// Number of sweeps, alternately down and up.
const SWEEPS: usize = 24;

/// Returns the x coordinate of the middle of each spot, in px. The leftmost edge is at 0.
pub(crate) fn assign_x(net: &LayerGraph) -> Vec<f64> {
    let mut x = vec![0.0; net.spots.len()];
    for row in &net.rows {
        let total: f64 = rooms(net, row).iter().sum();
        settle(net, row, &mut x, &vec![(-total / 2.0, 1.0); row.len()]);
    }
    for sweep in 0..SWEEPS {
        let up = sweep % 2 == 0;
        let n = net.rows.len();
        for i in 0..n {
            let row = &net.rows[if up { i } else { n - 1 - i }];
            // The second half of the sweeps uses the neighbours on both sides.
            let wants: Vec<_> = row.iter().map(|spot| want(net, &x, *spot, up, sweep >= SWEEPS / 2)).collect();
            settle(net, row, &mut x, &wants);
        }
    }
    stack(net, &mut x);
    straighten(net, &mut x);
    let left = net.spots.iter().zip(&x).map(|(spot, x)| x - spot.width / 2.0).fold(f64::INFINITY, f64::min);
    x.iter_mut().for_each(|x| *x = (*x - left).round());
    // Rounding must not reduce the distances between spots.
    for row in &net.rows {
        let room = rooms(net, row);
        for i in 1..row.len() {
            x[row[i]] = x[row[i]].max(x[row[i - 1]] + room[i]);
        }
    }
    x
}

/// Returns the preferred x and the weight of a spot: the median of its neighbours on one side, or with `both` the
/// weighted mean of all neighbours.
fn want(net: &LayerGraph, x: &[f64], spot: usize, up: bool, both: bool) -> (f64, f64) {
    if both {
        let (mut sum, mut weight) = (0.0, 0.0);
        for up in [true, false] {
            for (other, on, own) in net.joined(spot, up) {
                let w = if net.is_only(spot, other, up) { ONLY } else { 1.0 };
                (sum, weight) = (sum + (x[other] + on - own) * w, weight + w);
            }
        }
        return if weight > 0.0 { (sum / weight, weight) } else { (x[spot], 0.2) };
    }
    let mut wanted: Vec<f64> = net.joined(spot, up).map(|(other, on, own)| x[other] + on - own).collect();
    if wanted.is_empty() {
        return (x[spot], 0.2);
    }
    wanted.small_sort_by(f64::total_cmp);
    // Dummy nodes have a large weight, because straight long links have priority.
    (
        (wanted[(wanted.len() - 1) / 2] + wanted[wanted.len() / 2]) / 2.0,
        if net.spots[spot].is_item { 1.0 } else { 12.0 },
    )
}

/// Returns the distance of each spot in a row from the spot before it; 0 for the first spot.
fn rooms(net: &LayerGraph, row: &[usize]) -> Vec<f64> {
    let before = row.windows(2).map(|pair| room(net, pair[0], pair[1]));
    row.first().map(|_| 0.0).into_iter().chain(before).collect()
}

/// Places the spots of a row as close to their preferred positions as their order and distances allow.
fn settle(net: &LayerGraph, row: &[usize], x: &mut [f64], wants: &[(f64, f64)]) {
    let room = rooms(net, row);
    // Blocks: preferred start of the row for the block, weight, number of spots.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    let mut start = 0.0;
    for (i, (want, weight)) in wants.iter().enumerate() {
        start += room[i];
        blocks.push((want - start, *weight, 1));
        while let [.., a, b] = blocks[..] {
            if a.0 <= b.0 {
                break;
            }
            blocks.truncate(blocks.len() - 2);
            let weight = a.1 + b.1;
            blocks.push(((a.0 * a.1 + b.0 * b.1) / weight, weight, a.2 + b.2));
        }
    }
    let positions = blocks.iter().flat_map(|(position, _, n)| std::iter::repeat_n(*position, *n));
    let mut start = 0.0;
    for ((spot, room), position) in row.iter().zip(room).zip(positions) {
        start += room;
        x[*spot] = position + start;
    }
}
