//! Items in rows, with points on the way where links pass rows: every piece of a link leads from a row to the next.
//! Knows rows and links; places within a row are found by `crossing_reduction` and `x_coordinates`.

use indexmap::IndexMap;

/// Rows of spots with the pieces between them.
pub(crate) struct Net {
    /// Spots of each row from left to right.
    pub(crate) rows: Vec<Vec<usize>>,
    /// Items first, points on the way behind them.
    pub(crate) spots: Vec<Spot>,
    /// Each piece once: links from the same source share them.
    pub(crate) pieces: Vec<Piece>,
    /// The spots of each link, from its source to its target; empty for one that is not routed.
    pub(crate) ways: Vec<Vec<usize>>,
}

/// An item, or a point on the way.
pub(crate) struct Spot {
    pub(crate) width: f64,
    pub(crate) row: usize,
    pub(crate) is_item: bool,
    /// Pieces that lead here, and from here.
    pub(crate) above: Vec<usize>,
    pub(crate) below: Vec<usize>,
}

/// From a spot to one in the next row.
pub(crate) struct Piece {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Where it leaves and arrives, from the middle of either.
    pub(crate) out: f64,
    pub(crate) into: f64,
}

impl Net {
    pub(crate) fn new(items: &[Item], links: &[Link], row: &[usize], against: &[bool]) -> Self {
        let spot = |width, row, is_item| Spot { width, row, is_item, above: Vec::new(), below: Vec::new() };
        let spots = items.iter().zip(row).map(|(item, row)| spot(item.width, *row, true)).collect();
        let mut net = Self { rows: Vec::new(), spots, pieces: Vec::new(), ways: Vec::new() };
        // Of one source, what passes the same row passes at the same point: links part as late as they can.
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
                    net.pieces.push(Piece { from: pair[0], to: pair[1], out, into });
                    piece
                });
            }
            net.ways.push(path);
        }
        net.rows.resize(net.spots.iter().map(|spot| spot.row + 1).max().unwrap_or(0), Vec::new());
        for (i, spot) in net.spots.iter().enumerate().take(items.len()) {
            net.rows[spot.row].push(i);
        }
        // What passes starts in the middle: of equal orders that is the one with the shorter ways.
        for row in (0..net.rows.len()).filter(|_| net.spots.len() > items.len()) {
            let passing = (items.len()..net.spots.len()).filter(|spot| net.spots[*spot].row == row);
            let middle = net.rows[row].len() / 2;
            net.rows[row].splice(middle..middle, passing);
        }
        net
    }

    /// The spots a row above (or below) that one is joined to: which, where on it, and where on the spot itself.
    pub(crate) fn joined(&self, spot: usize, up: bool) -> impl Iterator<Item = (usize, f64, f64)> + '_ {
        let of = &self.spots[spot];
        let pieces = if up { &of.above } else { &of.below };
        pieces.iter().map(move |piece| {
            let piece = &self.pieces[*piece];
            if up { (piece.from, piece.out, piece.into) } else { (piece.to, piece.into, piece.out) }
        })
    }

    /// Whether a spot and one above (or below) it are joined to nothing else on that side.
    pub(crate) fn is_only(&self, spot: usize, other: usize, up: bool) -> bool {
        let (above, below) = if up { (other, spot) } else { (spot, other) };
        self.spots[above].below.len() == 1 && self.spots[below].above.len() == 1
    }
}

/// Something to be placed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Item {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) place: NodePlace,
}

/// In which row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodePlace {
    /// Above all others: where links come in.
    Top,
    /// As its links want.
    Free,
    /// Below all others: where links go out.
    Bottom,
}

/// From one item to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Link {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Where it leaves, from the middle of the item.
    pub(crate) out: f64,
    /// Where it arrives, from the middle of the item.
    pub(crate) into: f64,
    /// `into` says where it arrives; otherwise links are spread.
    pub(crate) fixed: bool,
    /// Links of the same item and trunk share their way as long as they can.
    pub(crate) trunk: u32,
}

/// Room from the middle of a spot to that of the next in its row.
pub(crate) fn room(net: &Net, left: usize, right: usize) -> f64 {
    let (a, b) = (&net.spots[left], &net.spots[right]);
    ((a.width + b.width) / 2.0 + if a.is_item && b.is_item { GAP } else { LANE }).ceil()
}

/// Room between two items, and beside a point on the way.
const GAP: f64 = 20.0;

const LANE: f64 = 14.0;
