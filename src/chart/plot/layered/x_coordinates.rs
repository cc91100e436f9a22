//! How far to the right each spot is: as near to those it is joined to as the order and the room between allow.
//!
//! A row is settled exactly: spots that want to be closer than they may form a block, which stands where its members
//! want to be on average (pool adjacent violators). Sweeps down and up let rows agree.

use super::layer_graph::{Net, room};
use super::straight::{stack, straighten};
use crate::small_sort::SmallSort;

/// What joins two that are each other's only one on that side weighs more: they stand straight above each other.
const ONLY: f64 = 12.0;
/// Sweeps down and up.
const SWEEPS: usize = 24;

/// The middle of each spot; the leftmost edge is at 0.
pub(crate) fn across(net: &Net) -> Vec<f64> {
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
            // The last sweeps look both ways and draw all together.
            let wants: Vec<_> = row.iter().map(|spot| want(net, &x, *spot, up, sweep >= SWEEPS / 2)).collect();
            settle(net, row, &mut x, &wants);
        }
    }
    stack(net, &mut x);
    straighten(net, &mut x);
    let left = net.spots.iter().zip(&x).map(|(spot, x)| x - spot.width / 2.0).fold(f64::INFINITY, f64::min);
    x.iter_mut().for_each(|x| *x = (*x - left).round());
    // Rounding must not take from the room between.
    for row in &net.rows {
        let room = rooms(net, row);
        for i in 1..row.len() {
            x[row[i]] = x[row[i]].max(x[row[i - 1]] + room[i]);
        }
    }
    x
}

/// Where a spot wants to be, and how much: the median of those it is joined to on one side, the mean of all.
fn want(net: &Net, x: &[f64], spot: usize, up: bool, both: bool) -> (f64, f64) {
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
    let mut of: Vec<f64> = net.joined(spot, up).map(|(other, on, own)| x[other] + on - own).collect();
    if of.is_empty() {
        return (x[spot], 0.2);
    }
    of.small_sort_by(f64::total_cmp);
    // A long link is to be straight before anything else is.
    ((of[(of.len() - 1) / 2] + of[of.len() / 2]) / 2.0, if net.spots[spot].is_item { 1.0 } else { 12.0 })
}

/// The same for each of a row; nothing for the first.
fn rooms(net: &Net, row: &[usize]) -> Vec<f64> {
    let before = row.windows(2).map(|pair| room(net, pair[0], pair[1]));
    row.first().map(|_| 0.0).into_iter().chain(before).collect()
}

/// Places a row's spots as near to where they want to be as their order and the room between allow.
fn settle(net: &Net, row: &[usize], x: &mut [f64], wants: &[(f64, f64)]) {
    let room = rooms(net, row);
    // Blocks: the place of their first spot were it at the row's start, weight, and how many.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    let mut start = 0.0;
    for (i, (at, weight)) in wants.iter().enumerate() {
        start += room[i];
        blocks.push((at - start, *weight, 1));
        while let [.., a, b] = blocks[..] {
            if a.0 <= b.0 {
                break;
            }
            blocks.truncate(blocks.len() - 2);
            let weight = a.1 + b.1;
            blocks.push(((a.0 * a.1 + b.0 * b.1) / weight, weight, a.2 + b.2));
        }
    }
    let at = blocks.iter().flat_map(|(at, _, n)| std::iter::repeat_n(*at, *n));
    let mut start = 0.0;
    for ((spot, room), at) in row.iter().zip(room).zip(at) {
        start += room;
        x[*spot] = at + start;
    }
}
