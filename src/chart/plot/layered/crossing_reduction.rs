//! This module orders the spots within rows. Sweeps move each spot to the mean position of its neighbours in the
//! adjacent row (barycentre method), then adjacent spots are swapped; the order with the fewest crossings is kept. It
//! does not depend on coordinates.

use super::layer_graph::LayerGraph;
use xla_profile::small_sort::SmallSort;

/// Largest number of sweeps, alternately down and up. Real graphs settle after a few.
const SWEEPS: usize = 12;

/// Orders all rows. The result never has more crossings than the initial order.
pub(crate) fn order(net: &mut LayerGraph) {
    let mut best = (crossings(net), net.rows.clone());
    for sweep in 0..SWEEPS {
        if best.0 == 0 {
            break;
        }
        let up = sweep % 2 == 1;
        let n = net.rows.len();
        for i in 0..n {
            sort_by_barycentre(net, if up { n - 1 - i } else { i }, !up);
        }
        swap(net);
        let now = crossings(net);
        if now < best.0 {
            best = (now, net.rows.clone());
        }
    }
    net.rows = best.1;
}

/// Returns the index of each spot in its row.
fn places(net: &LayerGraph) -> Vec<f64> {
    let mut places = vec![0.0; net.spots.len()];
    for row in &net.rows {
        #[expect(clippy::cast_precision_loss, reason = "few spots in a row")]
        row.iter().enumerate().for_each(|(index, spot)| places[*spot] = index as f64);
    }
    places
}

/// Returns the offset of a link's end as a fraction of the width of the spot.
fn part(net: &LayerGraph, spot: usize, offset: f64) -> f64 {
    let width = net.spots[spot].width;
    if width > 0.0 { (offset / width).clamp(-0.49, 0.49) } else { 0.0 }
}

/// Sorts a row by the mean position of each spot's neighbours above (or below). A spot without such neighbours keeps
/// its position as its key.
fn sort_by_barycentre(net: &mut LayerGraph, row: usize, up: bool) {
    let places = places(net);
    let mean = |spot: usize| {
        let (mut sum, mut n) = (0.0, 0.0);
        for (other, on, own) in net.joined(spot, up) {
            sum += places[other] + part(net, other, on) - part(net, spot, own);
            n += 1.0;
        }
        if n > 0.0 { sum / n } else { places[spot] }
    };
    let keys: Vec<f64> = net.rows[row].iter().map(|spot| mean(*spot)).collect();
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.small_sort_by(|a, b| keys[*a].total_cmp(&keys[*b]));
    net.rows[row] = order.into_iter().map(|i| net.rows[row][i]).collect();
}

/// Swaps adjacent spots in a row as long as a swap saves crossings.
fn swap(net: &mut LayerGraph) {
    for _ in 0..8 {
        let mut better = false;
        for row in 0..net.rows.len() {
            let places = places(net);
            for i in 1..net.rows[row].len() {
                let (a, b) = (net.rows[row][i - 1], net.rows[row][i]);
                if crossings_between(net, &places, a, b) > crossings_between(net, &places, b, a) {
                    net.rows[row].swap(i - 1, i);
                    better = true;
                }
            }
        }
        if !better {
            return;
        }
    }
}

/// Counts the crossings between the pieces of two adjacent spots, with `left` on the left.
fn crossings_between(net: &LayerGraph, places: &[f64], left: usize, right: usize) -> usize {
    let mut n = 0;
    for up in [true, false] {
        for (a, on_a, _) in net.joined(left, up) {
            let own_place = places[a] + part(net, a, on_a);
            n += net.joined(right, up).filter(|(b, on_b, _)| places[*b] + part(net, *b, *on_b) < own_place).count();
        }
    }
    n
}

/// Counts the pairs of pieces that cross.
pub(crate) fn crossings(net: &LayerGraph) -> usize {
    let places = places(net);
    let ends: Vec<(usize, f64, f64)> = net
        .pieces
        .iter()
        .map(|p| {
            let (from, to) = (places[p.from] + part(net, p.from, p.out), places[p.to] + part(net, p.to, p.into));
            (net.spots[p.from].row, from, to)
        })
        .collect();
    let mut n = 0;
    for (i, a) in ends.iter().enumerate() {
        n += ends[i + 1..].iter().filter(|b| a.0 == b.0 && (a.1 - b.1) * (a.2 - b.2) < 0.0).count();
    }
    n
}
