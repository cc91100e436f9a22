//! Which row of a layered drawing each item is in: below all that lead to it, rows not too wide. This module knows links and widths;
//! no place.

use super::layer_graph::{Item, Link, NodePlace};
use crate::small_sort::SmallSort;

/// Rows are not wider than this where that can be helped: about seven nodes.
const WIDE: f64 = 1600.0;

/// The row of each item, and which links run against the order (only damaged programs go round in circles): those play
/// no part.
pub(crate) fn rows(items: &[Item], links: &[Link]) -> (Vec<usize>, Vec<bool>) {
    let order = downward(items.len(), links);
    let mut at = vec![0; items.len()];
    order.iter().enumerate().for_each(|(i, item)| at[*item] = i);
    let against: Vec<bool> = links.iter().map(|link| at[link.from] >= at[link.to]).collect();
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
    // As near to what takes them as they can be, where that does not lengthen more links than it shortens.
    // What comes in from outside stays where it comes in.
    let is_inlet = |item: usize| above[item].iter().any(|from| items[*from].place == NodePlace::Top);
    let moves = |item: usize| below[item].len() >= above[item].len() && !is_inlet(item);
    for item in order.iter().rev().filter(|item| moves(**item)) {
        row[*item] = below[*item].iter().map(|to| row[*to] - 1).min().unwrap_or(row[*item]);
    }
    // Ports have rows of their own at the ends.
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

/// Items in an order in which links lead forth, but for those of circles.
fn downward(n: usize, links: &[Link]) -> Vec<usize> {
    let mut from_it = vec![Vec::new(); n];
    for link in links {
        from_it[link.from].push(link.to);
    }
    // Depth first without recursion: an item is done when all it leads to are.
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

/// Cuts rows that are too wide into several, and closes up rows that are empty.
fn split(items: &[Item], row: &mut [usize], last: usize, above: &[Vec<usize>], below: &[Vec<usize>]) {
    let mut next = 1;
    for old in 1..=last {
        let mut of: Vec<usize> =
            (0..items.len()).filter(|i| row[*i] == old && items[*i].place == NodePlace::Free).collect();
        // What ends here stands above what goes on, and what starts here below what comes from above.
        of.small_sort_by_key(|i| if above[*i].is_empty() { 2 } else { u8::from(!below[*i].is_empty()) });
        let total: f64 = of.iter().map(|i| items[*i].width).sum();
        let each = total / (total / WIDE).ceil().max(1.0);
        let mut filled = 0.0;
        for item in &of {
            if filled > 0.0 && filled + items[*item].width / 2.0 > each {
                (next, filled) = (next + 1, 0.0);
            }
            // Rows not yet cut are reported from those that are by lying beyond.
            row[*item] = last + 2 + next;
            filled += items[*item].width;
        }
        next += usize::from(!of.is_empty());
    }
    for (i, item) in items.iter().enumerate() {
        row[i] = match item.place {
            NodePlace::Top => 0,
            NodePlace::Free => row[i] - last - 2,
            NodePlace::Bottom => next,
        };
    }
    // Without ports there is nothing in the first row.
    if !items.iter().any(|item| item.place == NodePlace::Top) {
        row.iter_mut().for_each(|row| *row -= 1);
    }
}
