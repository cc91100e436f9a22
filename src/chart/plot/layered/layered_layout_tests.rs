//! This module tests layouts of random graphs.

use super::crossing_reduction::{crossings, order};
use super::layer_graph::{Item, LayerGraph, Link, NodePlace};
use super::layered_layout::{LayeredLayout, compute_layout};
use super::{ranking, x_coordinates};
use proptest::prelude::*;

/// Items of several sizes, and links that lead from an earlier item to a later one.
fn any_graph() -> impl Strategy<Value = (Vec<Item>, Vec<Link>)> {
    let items = prop::collection::vec((0u8..4, 0u8..9), 1..40);
    let links = prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0u8..5), 0..80);
    (items, links).prop_map(|(items, links)| {
        let item = |(size, place): (u8, u8)| {
            let (width, height) = [(208.0, 44.0), (208.0, 44.0), (640.0, 300.0), (2000.0, 100.0)][usize::from(size)];
            Item { width, height, place: if place == 0 { NodePlace::Top } else { NodePlace::Free } }
        };
        let mut items: Vec<Item> = items.into_iter().map(item).collect();
        let mut all: Vec<Link> = Vec::new();
        for (from, to, kind) in links {
            let (from, to) = (from.index(items.len()), to.index(items.len()));
            let (from, to) = (from.min(to), from.max(to));
            // No link leads into a port of the upper rim.
            if from != to && items[to].place == NodePlace::Free && !all.iter().any(|l| (l.from, l.to) == (from, to)) {
                let (out, fixed) = (if kind == 0 { 40.0 } else { 0.0 }, kind == 1);
                all.push(Link {
                    from,
                    to,
                    out,
                    into: if fixed { -30.0 } else { 0.0 },
                    fixed,
                    trunk: u32::from(kind == 0),
                });
            }
        }
        for item in items.iter_mut().filter(|item| item.place == NodePlace::Top) {
            (item.width, item.height) = (0.0, 0.0);
        }
        all.iter_mut().filter(|link| items[link.from].place == NodePlace::Top).for_each(|link| link.out = 0.0);
        (items, all)
    })
}

fn check(items: &[Item], links: &[Link], laid: &LayeredLayout) -> Result<(), TestCaseError> {
    for (i, a) in laid.items.iter().enumerate() {
        prop_assert!(a.x >= 0.0 && a.y >= 0.0 && a.x + a.width <= laid.width && a.y + a.height <= laid.height);
        prop_assert_eq!((a.width, a.height), (items[i].width, items[i].height));
        prop_assert!(laid.items[i + 1..].iter().all(|b| !a.overlaps(*b)));
    }
    for (link, path) in links.iter().zip(&laid.routes) {
        let (from, to) = (laid.items[link.from], laid.items[link.to]);
        prop_assert_eq!(path[0], (from.x + from.width / 2.0 + link.out, from.y + from.height));
        let end = path[path.len() - 1];
        prop_assert!(end.1 == to.y && end.0 >= to.x && end.0 <= to.x + to.width && from.y + from.height < to.y);
        prop_assert!(!link.fixed || end.0 == to.x + to.width / 2.0 + link.into);
        prop_assert!(path.windows(2).all(|pair| pair[0].1 <= pair[1].1), "downward");
        prop_assert!(path.iter().all(|(x, _)| *x >= 0.0 && *x <= laid.width), "within");
        // Vertical pieces do not cross items.
        for pair in path.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            prop_assert!(!laid.items.iter().any(|item| item.is_crossed(pair[0], pair[1])));
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn nothing_overlaps_and_links_lead_down((items, links) in any_graph()) {
        let laid = compute_layout(&items, &links);
        check(&items, &links, &laid)?;
        prop_assert_eq!(&laid, &compute_layout(&items, &links));
    }

    #[test]
    fn no_order_crosses_more_than_the_first((items, links) in any_graph()) {
        let (row, against) = ranking::rows(&items, &links);
        let mut net = LayerGraph::new(&items, &links, &row, &against);
        let (first, spots) = (crossings(&net), net.rows.clone());
        order(&mut net);
        prop_assert!(crossings(&net) <= first);
        let x = x_coordinates::assign_x(&net);
        for (row, before) in net.rows.iter().zip(spots) {
            prop_assert!(row.windows(2).all(|pair| x[pair[0]] < x[pair[1]]));
            let (mut now, mut before) = (row.clone(), before);
            now.sort_unstable();
            before.sort_unstable();
            prop_assert_eq!(now, before);
        }
    }

    #[test]
    fn circles_end(links in prop::collection::vec((0usize..9, 0usize..9), 0..40)) {
        let items = vec![Item { width: 208.0, height: 44.0, place: NodePlace::Free }; 9];
        let links: Vec<_> = links
            .into_iter()
            .filter(|(from, to)| from != to)
            .map(|(from, to)| Link { from, to, out: 0.0, into: 0.0, fixed: false, trunk: 0 })
            .collect();
        let laid = compute_layout(&items, &links);
        for (i, a) in laid.items.iter().enumerate() {
            prop_assert!(laid.items[i + 1..].iter().all(|b| !a.overlaps(*b)));
        }
    }
}

#[test]
fn rows_are_not_too_wide() {
    let items = vec![Item { width: 208.0, height: 44.0, place: NodePlace::Free }; 17];
    let link = |from| Link { from, to: 16, out: 0.0, into: 0.0, fixed: false, trunk: 0 };
    let laid = compute_layout(&items, &(0..16).map(link).collect::<Vec<_>>());
    assert!(laid.width < 1800.0, "{}", laid.width);
    assert!(laid.items[..16].iter().all(|item| item.y < laid.items[16].y));
}
