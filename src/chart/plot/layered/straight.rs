//! This module straightens links. Spots keep their order within rows, and links bend only if other spots require it.

use super::layer_graph::{LayerGraph, room};

/// Moves each spot straight below the spot above it, if the two have no other connections on that side, as far as the
/// neighbours in the row allow.
pub(crate) fn stack(net: &LayerGraph, x: &mut [f64]) {
    for (place, spot) in net.rows.iter().flat_map(|row| row.iter().enumerate()) {
        if let Some((above, on, own)) = net.joined(*spot, true).find(|(above, ..)| net.is_only(*spot, *above, true)) {
            let (low, high) = free(net, x, place, *spot);
            x[*spot] = (x[above] + on - own).min(high).max(low);
        }
    }
}

/// Moves the dummy nodes of each link, so that the link has as few bends as the neighbours in the rows allow.
pub(crate) fn straighten(net: &LayerGraph, x: &mut [f64]) {
    let mut place = vec![0; net.spots.len()];
    for row in &net.rows {
        row.iter().enumerate().for_each(|(index, spot)| place[*spot] = index);
    }
    let mut done: Vec<bool> = net.spots.iter().map(|spot| spot.is_item).collect();
    for start in net.rows.iter().flatten() {
        let mut chain = Vec::new();
        let mut current = Some(*start).filter(|spot| !done[*spot]);
        while let Some(spot) = current {
            done[spot] = true;
            chain.push(spot);
            current = net.joined(spot, false).map(|(to, ..)| to).find(|to| !done[*to]);
        }
        let Some(above) = chain.first().and_then(|first| net.joined(*first, true).next()) else { continue };
        // Each straight line extends over as many rows as possible.
        let (mut aim, mut from) = (x[above.0] + above.1, 0);
        while from < chain.len() {
            let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
            let mut to = from;
            while let Some((l, h)) = chain.get(to).map(|spot| free(net, x, place[*spot], *spot)) {
                if to > from && low.max(l) > high.min(h) {
                    break;
                }
                (low, high, to) = (low.max(l), high.min(h), to + 1);
            }
            // If the link had to bend, its last line is straight above its end.
            let end = chain.last().and_then(|last| net.joined(*last, false).next());
            if let Some((end, on, _)) = end.filter(|_| to == chain.len() && from > 0) {
                aim = x[end] + on;
            }
            aim = aim.min(high).max(low);
            chain[from..to].iter().for_each(|spot| x[*spot] = aim);
            from = to;
        }
    }
}

/// Returns the smallest and the largest x that a spot can have between its neighbours.
fn free(net: &LayerGraph, x: &[f64], place: usize, spot: usize) -> (f64, f64) {
    let row = &net.rows[net.spots[spot].row];
    let left = place.checked_sub(1).map(|i| x[row[i]] + room(net, row[i], spot));
    let right = row.get(place + 1).map(|other| x[*other] - room(net, spot, *other));
    (left.unwrap_or(f64::NEG_INFINITY), right.unwrap_or(f64::INFINITY))
}
