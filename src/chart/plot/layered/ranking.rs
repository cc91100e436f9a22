//! This module assigns items to rows: each item is below its predecessors, and rows are not too wide. It does not
//! depend on positions.

use super::layer_graph::{Item, Link, NodePlace};
use xla_profile::small_sort::SmallSort;

/// Preferred largest width of a row, in px: about seven nodes.
const WIDE: f64 = 1600.0;

/// Returns the row of each item, and for each link whether it runs against the order. Only damaged programs have
/// cycles. Links against the order are ignored.
pub(crate) fn rows(items: &[Item], links: &[Link]) -> (Vec<usize>, Vec<bool>) {
    let order = downward(items.len(), links);
    let mut position = vec![0; items.len()];
    order.iter().enumerate().for_each(|(i, item)| position[*item] = i);
    let against: Vec<bool> = links.iter().map(|link| position[link.from] >= position[link.to]).collect();
    let forth = || links.iter().zip(&against).filter(|(_, against)| !**against).map(|(link, _)| link);
    let (mut above, mut below) = (vec![Vec::new(); items.len()], vec![Vec::new(); items.len()]);
    for link in forth() {
        below[link.from].push(link.to);
        above[link.to].push(link.from);
    }
    let mut row = vec![0_usize; items.len()];
    for item in &order {
        row[*item] = above[*item].iter().map(|from| row[*from] + 1).max().unwrap_or(0);
    }
    // An item moves down to its users if this does not lengthen more links than it shortens. An item with a link from a
    // port of the upper rim stays near that port.
    let is_inlet = |item: usize| above[item].iter().any(|from| items[*from].place == NodePlace::Top);
    let moves = |item: usize| below[item].len() >= above[item].len() && !is_inlet(item);
    for item in order.iter().rev().filter(|item| moves(**item)) {
        row[*item] = below[*item].iter().map(|to| row[*to] - 1).min().unwrap_or(row[*item]);
    }
    // Ports have rows of their own, at both ends.
    let last = (0..items.len()).map(|i| row[i]).max().unwrap_or(0) + 1;
    for (i, item) in items.iter().enumerate() {
        row[i] = match item.place {
            NodePlace::Top => 0,
            NodePlace::Free => row[i] + 1,
            NodePlace::Bottom => last + 1,
        };
    }
    split(items, &mut row, last, &above, &below);
    (row, against)
}

/// Returns the items in topological order, except for cycles.
fn downward(n: usize, links: &[Link]) -> Vec<usize> {
    let mut from_it = vec![Vec::new(); n];
    for link in links {
        from_it[link.from].push(link.to);
    }
    // Depth-first search without recursion: an item is done when all its successors are done.
    let (mut known, mut done) = (vec![false; n], Vec::with_capacity(n));
    for start in (0..n).rev() {
        let mut open = vec![(start, 0)];
        while let Some((item, next)) = open.pop() {
            if next == 0 && std::mem::replace(&mut known[item], true) {
                continue;
            }
            match from_it[item].get(next) {
                Some(to) => {
                    open.push((item, next + 1));
                    if !known[*to] {
                        open.push((*to, 0));
                    }
                }
                None => done.push(item),
            }
        }
    }
    done.reverse();
    done
}

/// Divides rows that are too wide, and removes empty rows.
fn split(items: &[Item], row: &mut [usize], last: usize, above: &[Vec<usize>], below: &[Vec<usize>]) {
    let mut next = 1;
    for old in 1..=last {
        let mut movable: Vec<usize> =
            (0..items.len()).filter(|i| row[*i] == old && items[*i].place == NodePlace::Free).collect();
        // Items without successors come first, and items without predecessors come last.
        movable.small_sort_by_key(|i| if above[*i].is_empty() { 2 } else { u8::from(!below[*i].is_empty()) });
        let total: f64 = movable.iter().map(|i| items[*i].width).sum();
        let each = total / (total / WIDE).ceil().max(1.0);
        let mut filled = 0.0;
        for item in &movable {
            if filled > 0.0 && filled + items[*item].width / 2.0 > each {
                (next, filled) = (next + 1, 0.0);
            }
            // The new numbers lie beyond all old ones, so that rows already divided are not confused with rows still to
            // be divided.
            row[*item] = last + 2 + next;
            filled += items[*item].width;
        }
        next += usize::from(!movable.is_empty());
    }
    for (i, item) in items.iter().enumerate() {
        row[i] = match item.place {
            NodePlace::Top => 0,
            NodePlace::Free => row[i] - last - 2,
            NodePlace::Bottom => next,
        };
    }
    // Without upper ports, the first row is empty.
    if !items.iter().any(|item| item.place == NodePlace::Top) {
        row.iter_mut().for_each(|row| *row -= 1);
    }
}
