//! The order within rows: sweeps that put each spot amid those it is joined to, and swaps of neighbours; the order with
//! the fewest crossings is kept. This module knows who is joined; no place.

use super::layer_graph::Net;
use crate::small_sort::SmallSort;

/// Sweeps down and up. Real ones are at rest after a handful.
const SWEEPS: usize = 12;

/// Orders all rows. Never crosses more than the order it was given.
pub(crate) fn order(net: &mut Net) {
    let mut best = (crossings(net), net.rows.clone());
    for sweep in 0..SWEEPS {
        if best.0 == 0 {
            break;
        }
        let up = sweep % 2 == 1;
        let n = net.rows.len();
        for i in 0..n {
            amid(net, if up { n - 1 - i } else { i }, !up);
        }
        swap(net);
        let now = crossings(net);
        if now < best.0 {
            best = (now, net.rows.clone());
        }
    }
    net.rows = best.1;
}

/// Places in their rows, with the place on a wide spot as a fraction of it.
fn places(net: &Net) -> Vec<f64> {
    let mut places = vec![0.0; net.spots.len()];
    for row in &net.rows {
        #[expect(clippy::cast_precision_loss, reason = "few spots in a row")]
        row.iter().enumerate().for_each(|(at, spot)| places[*spot] = at as f64);
    }
    places
}

/// A place on a spot as a fraction of it.
fn part(net: &Net, spot: usize, offset: f64) -> f64 {
    let width = net.spots[spot].width;
    if width > 0.0 { (offset / width).clamp(-0.49, 0.49) } else { 0.0 }
}

/// Puts each spot of a row amid those above (or below) that it is joined to; others stay.
fn amid(net: &mut Net, row: usize, up: bool) {
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

/// Swaps neighbours in a row as long as that saves crossings.
fn swap(net: &mut Net) {
    for _ in 0..8 {
        let mut better = false;
        for row in 0..net.rows.len() {
            let places = places(net);
            for i in 1..net.rows[row].len() {
                let (a, b) = (net.rows[row][i - 1], net.rows[row][i]);
                if between(net, &places, a, b) > between(net, &places, b, a) {
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

/// Crossings of the pieces of two neighbours, the first on the left.
fn between(net: &Net, places: &[f64], left: usize, right: usize) -> usize {
    let mut n = 0;
    for up in [true, false] {
        for (a, on_a, _) in net.joined(left, up) {
            let at = places[a] + part(net, a, on_a);
            n += net.joined(right, up).filter(|(b, on_b, _)| places[*b] + part(net, *b, *on_b) < at).count();
        }
    }
    n
}

/// How many pairs of pieces cross.
pub(crate) fn crossings(net: &Net) -> usize {
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
