//! This module builds the layered graph. A link that passes rows gets a point (dummy node) in each of them, so that
//! every piece of a link leads from a row to the next. `crossing_reduction` and `x_coordinates` find the positions
//! within a row.

use indexmap::IndexMap;

/// Rows of spots, and the pieces between them.
pub(crate) struct LayerGraph {
    /// Spots of each row, from left to right.
    pub(crate) rows: Vec<Vec<usize>>,
    /// Items first, then dummy nodes.
    pub(crate) spots: Vec<LayerNode>,
    /// Each piece once; links from one source share pieces.
    pub(crate) pieces: Vec<Segment>,
    /// Spots of each link, from its source to its target; empty for a link that is not routed.
    pub(crate) routes: Vec<Vec<usize>>,
}

/// An item, or the dummy node of a link.
pub(crate) struct LayerNode {
    pub(crate) width: f64,
    pub(crate) row: usize,
    pub(crate) is_item: bool,
    /// Indices of the pieces from the row above; `below` holds those to the row below.
    pub(crate) above: Vec<usize>,
    pub(crate) below: Vec<usize>,
}

/// A piece of a link, from a spot to a spot in the next row.
pub(crate) struct Segment {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Offset of the start from the middle of its spot, in px; `into` is the offset of the end.
    pub(crate) out: f64,
    pub(crate) into: f64,
}

impl LayerGraph {
    pub(crate) fn new(items: &[Item], links: &[Link], row: &[usize], against: &[bool]) -> Self {
        let spot = |width, row, is_item| LayerNode { width, row, is_item, above: Vec::new(), below: Vec::new() };
        let spots = items.iter().zip(row).map(|(item, row)| spot(item.width, *row, true)).collect();
        let mut net = Self { rows: Vec::new(), spots, pieces: Vec::new(), routes: Vec::new() };
        // Links of one source and trunk share one dummy node per row, so that they part as late as possible.
        let mut passed: IndexMap<(usize, u32, usize), usize> = IndexMap::default();
        let mut pieces: IndexMap<(usize, usize, i64), usize> = IndexMap::default();
        for (link, against) in links.iter().zip(against) {
            let mut path = Vec::new();
            if !against {
                path.push(link.from);
                for row in row[link.from] + 1..row[link.to] {
                    path.push(*passed.entry((link.from, link.trunk, row)).or_insert_with(|| {
                        net.spots.push(spot(0.0, row, false));
                        net.spots.len() - 1
                    }));
                }
                path.push(link.to);
            }
            for (i, pair) in path.windows(2).enumerate() {
                let out = if i == 0 { link.out } else { 0.0 };
                let into = if i + 2 == path.len() { link.into } else { 0.0 };
                #[expect(clippy::cast_possible_truncation, reason = "a place on an edge, to tell two apart")]
                let key = (pair[0], pair[1], (out * 4096.0 + into) as i64);
                pieces.entry(key).or_insert_with(|| {
                    let piece = net.pieces.len();
                    net.spots[pair[0]].below.push(piece);
                    net.spots[pair[1]].above.push(piece);
                    net.pieces.push(Segment { from: pair[0], to: pair[1], out, into });
                    piece
                });
            }
            net.routes.push(path);
        }
        net.rows.resize(net.spots.iter().map(|spot| spot.row + 1).max().unwrap_or(0), Vec::new());
        for (i, spot) in net.spots.iter().enumerate().take(items.len()) {
            net.rows[spot.row].push(i);
        }
        // Dummy nodes start in the middle of their row: of several orders with equally many crossings, this one gives
        // shorter paths.
        for row in (0..net.rows.len()).filter(|_| net.spots.len() > items.len()) {
            let passing = (items.len()..net.spots.len()).filter(|spot| net.spots[*spot].row == row);
            let middle = net.rows[row].len() / 2;
            net.rows[row].splice(middle..middle, passing);
        }
        net
    }

    /// Iterates over the spots in the row above (or below) that are joined to `spot`: the index, the offset on that
    /// spot, and the offset on `spot` itself.
    pub(crate) fn joined(&self, spot: usize, up: bool) -> impl Iterator<Item = (usize, f64, f64)> + '_ {
        let entry = &self.spots[spot];
        let pieces = if up { &entry.above } else { &entry.below };
        pieces.iter().map(move |piece| {
            let piece = &self.pieces[*piece];
            if up { (piece.from, piece.out, piece.into) } else { (piece.to, piece.into, piece.out) }
        })
    }

    /// Returns true if a spot and a spot above (or below) it have no other connections on that side.
    pub(crate) fn is_only(&self, spot: usize, other: usize, up: bool) -> bool {
        let (above, below) = if up { (other, spot) } else { (spot, other) };
        self.spots[above].below.len() == 1 && self.spots[below].above.len() == 1
    }
}

/// A box to be placed, with its size in px.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Item {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) place: NodePlace,
}

/// The rows that an item may be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodePlace {
    /// The first row, for the ports of incoming links.
    Top,
    /// Any row between, as the links require.
    Free,
    /// The last row, for the ports of outgoing links.
    Bottom,
}

/// A connection from one item to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Link {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Offset of the start from the middle of the item, in px.
    pub(crate) out: f64,
    /// Offset of the end from the middle of the item, in px.
    pub(crate) into: f64,
    /// True if the end must be at `into`; otherwise the ends of links are spread along the item.
    pub(crate) fixed: bool,
    /// Links of the same item and trunk share their path as long as possible.
    pub(crate) trunk: u32,
}

/// Returns the distance between the middles of two adjacent spots of a row, in px.
pub(crate) fn room(net: &LayerGraph, left: usize, right: usize) -> f64 {
    let (a, b) = (&net.spots[left], &net.spots[right]);
    ((a.width + b.width) / 2.0 + if a.is_item && b.is_item { GAP } else { LANE }).ceil()
}

/// Gap between two items, and ([`LANE`]) beside a dummy node, in px.
const GAP: f64 = 20.0;

const LANE: f64 = 14.0;
