//! Links made straight: spots keep their place among their neighbours, and links turn aside only where they have to.

use super::layer_graph::{Net, room};

/// Puts each spot straight below the one above it where neither is joined to another on that side, as far as those
/// beside it allow.
pub(crate) fn stack(net: &Net, x: &mut [f64]) {
    for (place, spot) in net.rows.iter().flat_map(|row| row.iter().enumerate()) {
        if let Some((above, on, own)) = net.joined(*spot, true).find(|(above, ..)| net.is_only(*spot, *above, true)) {
            let (low, high) = free(net, x, place, *spot);
            x[*spot] = (x[above] + on - own).min(high).max(low);
        }
    }
}

/// Moves the points on the way of each link so that it has as few bends as the spots beside it allow.
pub(crate) fn straighten(net: &Net, x: &mut [f64]) {
    let mut place = vec![0; net.spots.len()];
    for row in &net.rows {
        row.iter().enumerate().for_each(|(at, spot)| place[*spot] = at);
    }
    let mut done: Vec<bool> = net.spots.iter().map(|spot| spot.is_item).collect();
    for start in net.rows.iter().flatten() {
        let mut chain = Vec::new();
        let mut at = Some(*start).filter(|at| !done[*at]);
        while let Some(spot) = at {
            done[spot] = true;
            chain.push(spot);
            at = net.joined(spot, false).map(|(to, ..)| to).find(|to| !done[*to]);
        }
        let Some(above) = chain.first().and_then(|first| net.joined(*first, true).next()) else { continue };
        // As far as one line can go, then the next.
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
            // The last line stands above where the link arrives, if it had to turn anyway.
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

/// How far left and right a spot can go.
fn free(net: &Net, x: &[f64], place: usize, spot: usize) -> (f64, f64) {
    let row = &net.rows[net.spots[spot].row];
    let left = place.checked_sub(1).map(|i| x[row[i]] + room(net, row[i], spot));
    let right = row.get(place + 1).map(|other| x[*other] - room(net, spot, *other));
    (left.unwrap_or(f64::NEG_INFINITY), right.unwrap_or(f64::INFINITY))
}
