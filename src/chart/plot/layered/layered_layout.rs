//! This module lays out a layered drawing of items of any size: rows from top to bottom, few crossings, and paths of
//! links from row to row. It does not depend on the meaning of an item.

use super::layer_graph::{Item, LayerGraph, Link};
use super::{crossing_reduction, ranking, x_coordinates};
use crate::chart::plot::popover_position::Rect;
use xla_profile::small_sort::SmallSort;

/// Distance between rows in px: at least [`BETWEEN`], plus [`STEEP`] times the horizontal distance of a link beyond 120
/// px, at most [`MAX_ROW_GAP`].
const BETWEEN: f64 = 36.0;
const STEEP: f64 = 0.05;
const MAX_ROW_GAP: f64 = 96.0;
/// Largest distance between the ends of links at an item, in px.
const APART: f64 = 24.0;

/// Positions of items and links, in px. The top left corner of the drawing is the origin.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LayeredLayout {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) items: Vec<Rect>,
    /// Points of each link, from the lower edge of its source to the upper edge of its target.
    pub(crate) routes: Vec<Vec<(f64, f64)>>,
}

/// Lays out items and links.
pub(crate) fn compute_layout(items: &[Item], links: &[Link]) -> LayeredLayout {
    let (row, against) = ranking::rows(items, links);
    let mut net = LayerGraph::new(items, links, &row, &against);
    crossing_reduction::order(&mut net);
    let x = x_coordinates::assign_x(&net);
    let into = arrivals(items, links, &net, &x);
    // Top and bottom of each row.
    let mut spans: Vec<(f64, f64)> = Vec::with_capacity(net.rows.len());
    let mut y = 0.0;
    for (index, row) in net.rows.iter().enumerate() {
        if index > 0 {
            let pieces = net.pieces.iter().filter(|piece| net.spots[piece.to].row == index);
            let far = pieces.map(|p| (x[p.from] + p.out - x[p.to] - p.into).abs()).fold(0.0, f64::max);
            y += (BETWEEN + (far - 120.0).max(0.0) * STEEP).min(MAX_ROW_GAP).round();
        }
        let height = row.iter().filter_map(|spot| items.get(*spot)).map(|item| item.height).fold(0.0, f64::max);
        spans.push((y, y + height));
        y += height;
    }
    let mut laid = LayeredLayout { height: y, ..LayeredLayout::default() };
    for (i, item) in items.iter().enumerate() {
        let (top, bottom) = spans[row[i]];
        // An item is in the vertical middle of its row, beside taller items.
        let y = top + ((bottom - top - item.height) / 2.0).floor();
        let rect = Rect { x: x[i] - item.width / 2.0, y, width: item.width, height: item.height };
        laid.width = laid.width.max(rect.x + rect.width);
        laid.items.push(rect);
    }
    for spot in net.spots.iter().zip(&x).skip(items.len()) {
        laid.width = laid.width.max(*spot.1);
    }
    // The width is even, so that the middle of the drawing is on a whole pixel.
    laid.width = (laid.width / 2.0).ceil() * 2.0;
    for (i, link) in links.iter().enumerate() {
        let (from, to) = (laid.items[link.from], laid.items[link.to]);
        let mut path = vec![(x[link.from] + link.out, from.y + from.height)];
        let spots = &net.routes[i];
        for (step, spot) in spots.iter().enumerate() {
            let (top, bottom) = spans[net.spots[*spot].row];
            if step > 0 {
                let link_x = if step + 1 == spots.len() { x[*spot] + into[i] } else { x[*spot] };
                path.push((link_x, top));
            }
            if step + 1 < spots.len() {
                let link_x = if step == 0 { x[*spot] + link.out } else { x[*spot] };
                path.push((link_x, bottom));
            }
        }
        path.push((x[link.to] + into[i], to.y));
        path.dedup();
        laid.routes.push(path);
    }
    laid
}

/// Returns the ends of links as offsets from the middle of their targets: side by side, in the order of their sources.
fn arrivals(items: &[Item], links: &[Link], net: &LayerGraph, x: &[f64]) -> Vec<f64> {
    let mut into: Vec<f64> = links.iter().map(|link| link.into).collect();
    let from = |link: usize| {
        let path = &net.routes[link];
        let before = path.len().checked_sub(2).map_or(links[link].from, |i| path[i]);
        x[before] + if before == links[link].from { links[link].out } else { 0.0 }
    };
    for (i, item) in items.iter().enumerate() {
        let mut incoming: Vec<usize> =
            (0..links.len()).filter(|link| links[*link].to == i && !links[*link].fixed).collect();
        incoming.small_sort_by(|a, b| from(*a).total_cmp(&from(*b)));
        #[expect(clippy::cast_precision_loss, reason = "a handful of links")]
        for (index, link) in incoming.iter().enumerate() {
            let apart = (item.width / (incoming.len() as f64 + 1.0)).min(APART);
            into[*link] = (index as f64 - (incoming.len() as f64 - 1.0) / 2.0) * apart;
        }
    }
    into
}
