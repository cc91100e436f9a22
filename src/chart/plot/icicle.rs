//! This module lays out the icicle: a tree as rows of cells, with the root on top, where the width of a cell is its
//! share of the root. The caller supplies the nodes. `icicle_scene` draws the cells.
//!
//! ```text
//!   [ root                                        ]
//!   [ a                    ][ b         ][·]            · 3 narrower than a pixel each; then the root's own time
//!   [ a1        ][ a2 ]     [ b1     ]
//! ```
//!
//! Invariants, exact and not only within rounding, because edges are multiples of 1/64 of a pixel: cells of a row do
//! not overlap; children are within their parent, from its left edge, in the given order; every cell below the root is
//! at least one pixel wide, and narrower children are counted in a [`Rest`].

use super::hit_test::Direction;
use super::label;
use super::paint::Tone;
use super::scene::Size;
use crate::table::format::last_segment;
use crate::table::format::middle_cut;

/// Height of a row, in px.
pub const ROW_HEIGHT: f64 = 22.0;
/// Height of the strip of kinds at the foot of a cell, in px.
pub const FOOT: f64 = 4.0;
/// Space between the edge of a cell and its label, and between label and figure, in px.
pub const PADDING: f64 = 6.0;
/// Smallest number of letters of a cut label.
const LEAST_LETTERS: usize = 4;

/// A node of the tree. Parents come before their children.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Index of the parent; `None` for the root.
    pub parent: Option<u32>,
    /// Name, or the joined names of a chain: "a/b/c".
    pub name: String,
    /// The figure beside the name, such as time and share.
    pub figure: String,
    /// Time of the node with its descendants.
    pub total: u64,
    /// `total` by kind.
    pub parts: [u64; 7],
    /// Colour over the face of the cell. `None` for a neutral cell.
    pub tint: Option<Tone>,
}

/// A drawn node. Positions are in px.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Index of the node.
    pub node: u32,
    /// Row, from 0.
    pub depth: u32,
    /// Left edge.
    pub x: f64,
    /// Width, with the gap to the next cell.
    pub w: f64,
    /// Name, or the part of it that fits.
    pub label: Option<String>,
    /// Time and share. `None` if the name is cut, or if the figure does not fit beside it.
    pub figure: Option<String>,
}

/// Children of one node that are narrower than a pixel. Positions are in px.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rest {
    /// Index of the parent.
    pub parent: u32,
    /// Row of the children.
    pub depth: u32,
    /// Left edge: after the children that have cells.
    pub x: f64,
    /// Width of all of these children together.
    pub w: f64,
    pub n: u32,
}

/// A laid out tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Icicle {
    /// Cells, row by row, from the left.
    pub cells: Vec<Cell>,
    /// Groups of children that are too narrow for cells.
    pub small: Vec<Rest>,
    /// Number of cells in the last row with children that are not drawn.
    pub cut: u32,
}

impl Icicle {
    /// Returns the number of rows.
    pub fn rows(&self) -> u32 {
        self.cells.last().map_or(0, |cell| cell.depth + 1)
    }
}

/// Lays out the tree below `root`, at most `rows_max` rows, over `width` px. Nodes without time are left out. Empty if the
/// root has no time or the width is not positive.
pub fn layout(nodes: &[Node], root: u32, width: f64, rows_max: u32) -> Icicle {
    let mut drawn = Icicle::default();
    let whole = nodes.get(root as usize).map_or(0, |node| node.total);
    if whole == 0 || rows_max == 0 || width.is_nan() || width <= 0.0 {
        return drawn;
    }
    let children = children(nodes);
    let edge = |time: u64| edge(time, whole, width);
    let cell = |node: u32, depth: u32, from: u64, to: u64| {
        let (x, w) = (edge(from), edge(to) - edge(from));
        let (label, figure) = nodes.get(node as usize).map_or((None, None), |node| words(node, w));
        Cell { node, depth, x, w, label, figure }
    };
    // Start and end of each cell in the time of the root. Conversion to pixels comes last, so that errors do not add
    // up.
    let mut spans = vec![(0u64, whole)];
    drawn.cells.push(cell(root, 0, 0, whole));
    let mut next = 0;
    while let (Some(outer), Some(&(start, end))) = (drawn.cells.get(next), spans.get(next)) {
        let (parent, depth) = (outer.node, outer.depth + 1);
        next += 1;
        let below = children.get(parent as usize).map_or(&[][..], Vec::as_slice);
        if depth == rows_max {
            drawn.cut += u32::from(!below.is_empty());
            continue;
        }
        let (mut position, mut left_out, mut n) = (start, 0u64, 0);
        for child in below {
            let total = nodes.get(*child as usize).map_or(0, |node| node.total);
            if total == 0 {
                continue;
            }
            // If the children of a damaged tree exceed their parent, they are cut at the end of the parent.
            let to = position.saturating_add(total).min(end);
            if edge(to) - edge(position) >= 1.0 {
                drawn.cells.push(cell(*child, depth, position, to));
                spans.push((position, to));
                position = to;
            } else {
                left_out = left_out.saturating_add(total);
                n += 1;
            }
        }
        if n > 0 {
            let (x, to) = (edge(position), edge(position.saturating_add(left_out).min(end)));
            drawn.small.push(Rest { parent, depth, x, w: to - x, n });
        }
    }
    drawn
}

/// Returns the pixel of time `time` of `whole`, as a multiple of 1/64 of a pixel, so that sums and differences are exact.
#[expect(clippy::cast_precision_loss, reason = "where exact time becomes a pixel")]
fn edge(time: u64, whole: u64, width: f64) -> f64 {
    (time as f64 / whole as f64 * width * 64.0).floor() / 64.0
}

/// Returns the children of each node, in the given order. A parent that does not come before its child is ignored, so
/// that there are no cycles.
fn children(nodes: &[Node]) -> Vec<Vec<u32>> {
    let mut children = vec![Vec::new(); nodes.len()];
    for (index, node) in (0u32..).zip(nodes) {
        let Some(parent) = node.parent.filter(|parent| *parent < index) else { continue };
        if let Some(list) = children.get_mut(parent as usize) {
            list.push(index);
        }
    }
    children
}

/// Returns the label and the figure that fit into a cell. The label is the whole name, its last segment, or the last
/// segment without its middle. Only a label that is not cut has a figure.
fn words(node: &Node, width: f64) -> (Option<String>, Option<String>) {
    let size = Size::Micro.px();
    let room = width - 1.0 - PADDING * 2.0;
    let letters = label::mono_room(room, size);
    let fits = |name: &&str| name.chars().count() <= letters;
    let last = last_segment(&node.name);
    let Some(name) = [node.name.as_str(), last].into_iter().find(fits) else {
        return ((letters >= LEAST_LETTERS).then(|| middle_cut(last, letters)), None);
    };
    let left = room - label::mono_width(name, size) - PADDING;
    let fits = !node.figure.is_empty() && label::width(&node.figure, size) <= left;
    (Some(name.to_owned()).filter(|name| !name.is_empty()), fits.then(|| node.figure.clone()))
}

/// Returns the node that a key moves to: the parent, the widest child, or a neighbour in the row. `None` if that node
/// does not exist. Without a valid `from`, returns the root.
pub fn walk(cells: &[Cell], from: Option<u32>, to: Direction) -> Option<u32> {
    let Some(index) = from.and_then(|node| cells.iter().position(|cell| cell.node == node)) else {
        return cells.first().map(|cell| cell.node);
    };
    let now = cells.get(index)?;
    let row = |depth: u32| cells.iter().filter(move |cell| cell.depth == depth);
    let found = match to {
        Direction::Up => row(now.depth.checked_sub(1)?).rfind(|cell| cell.x <= now.x),
        Direction::Down => row(now.depth + 1)
            .filter(|cell| cell.x >= now.x && cell.x < now.x + now.w)
            .reduce(|best, cell| if cell.w > best.w { cell } else { best }),
        Direction::Left => cells.get(index.checked_sub(1)?).filter(|cell| cell.depth == now.depth),
        Direction::Right => cells.get(index + 1).filter(|cell| cell.depth == now.depth),
        Direction::Next => cells.get(index + 1),
        Direction::Prev => cells.get(index.checked_sub(1)?),
    };
    found.map(|cell| cell.node)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn node(parent: Option<u32>, name: &str, total: u64) -> Node {
        Node { parent, name: name.to_owned(), figure: format!("{total} ms"), total, ..Node::default() }
    }

    fn tree() -> Vec<Node> {
        vec![
            node(None, "step", 1000),
            node(Some(0), "jit(train_step)/transformer", 600),
            node(Some(0), "optimizer", 300),
            node(Some(0), "tiny", 1),
            node(Some(1), "attention", 200),
            node(Some(1), "mlp", 350),
            node(Some(0), "small", 1),
        ]
    }

    #[test]
    fn widths_are_shares() {
        let drawn = layout(&tree(), 0, 500.0, 9);
        let places: Vec<_> = drawn.cells.iter().map(|cell| (cell.node, cell.depth, cell.x, cell.w)).collect();
        let expected =
            [(0, 0, 0.0, 500.0), (1, 1, 0.0, 300.0), (2, 1, 300.0, 150.0), (4, 2, 0.0, 100.0), (5, 2, 100.0, 175.0)];
        assert_eq!(places, expected);
        assert_eq!(drawn.small, [Rest { parent: 0, depth: 1, x: 450.0, w: 1.0, n: 2 }]);
        assert_eq!((drawn.rows(), drawn.cut), (3, 0));
    }

    #[test]
    fn zooming_and_cutting() {
        let zoomed = layout(&tree(), 1, 550.0, 9);
        assert_eq!(zoomed.cells.iter().map(|cell| cell.node).collect::<Vec<_>>(), [1, 4, 5]);
        let cut = layout(&tree(), 0, 500.0, 2);
        assert_eq!((cut.cells.len(), cut.rows(), cut.cut), (3, 2, 1));
        for empty in [
            layout(&tree(), 99, 500.0, 9),
            layout(&tree(), 0, 0.0, 9),
            layout(&tree(), 0, f64::NAN, 9),
            layout(&[node(None, "idle", 0)], 0, 500.0, 9),
        ] {
            assert_eq!((empty.cells.len(), empty.rows()), (0, 0));
        }
    }

    #[test]
    fn labels_yield() {
        let words = |name: &str, width: f64| words(&node(None, name, 7), width);
        let path = "jit(train)/attention";
        assert_eq!(words(path, 300.0), (Some(path.to_owned()), Some("7 ms".to_owned())));
        assert_eq!(words(path, 150.0).0.as_deref(), Some(path));
        assert_eq!(words(path, 150.0).1, None);
        assert_eq!(words(path, 80.0).0.as_deref(), Some("attention"));
        assert_eq!(words(path, 54.0).0.as_deref(), Some("att…on"));
        assert_eq!([words(path, 33.0).0, words(path, 2.0).0], [None, None]);
        assert_eq!(words("jvp", 36.0).0.as_deref(), Some("jvp"), "a short name is not a cut one");
    }

    #[test]
    fn arrows_walk_the_tree() {
        let cells = layout(&tree(), 0, 500.0, 9).cells;
        let go = |from, to| walk(&cells, Some(from), to);
        assert_eq!([go(0, Direction::Down), go(1, Direction::Down), go(5, Direction::Down)], [Some(1), Some(5), None]);
        assert_eq!([go(5, Direction::Up), go(2, Direction::Up), go(0, Direction::Up)], [Some(1), Some(0), None]);
        assert_eq!(
            [go(1, Direction::Right), go(2, Direction::Right), go(5, Direction::Left)],
            [Some(2), None, Some(4)]
        );
        assert_eq!([go(2, Direction::Next), go(4, Direction::Prev), go(4, Direction::Left)], [Some(4), Some(2), None]);
        assert_eq!([walk(&cells, None, Direction::Left), walk(&[], Some(3), Direction::Up)], [Some(0), None]);
    }

    /// A tree whose children never exceed their parent; each child takes a share of the remaining time.
    fn any_tree() -> impl Strategy<Value = Vec<Node>> {
        (1u64..u64::MAX, prop::collection::vec((any::<prop::sample::Index>(), 0.0f64..1.0), 0..120)).prop_map(
            |(total, rest)| {
                let mut nodes = vec![node(None, "root", total)];
                let mut left = vec![total];
                for (parent, share) in rest {
                    let parent = parent.index(nodes.len());
                    let total = ((left[parent] as f64 * share) as u64).min(left[parent]);
                    left[parent] -= total;
                    nodes.push(node(u32::try_from(parent).ok(), "a/b", total));
                    left.push(total);
                }
                nodes
            },
        )
    }

    proptest! {
        #[test]
        fn cells_nest_exactly(nodes in any_tree(), width in 1.0f64..3000.0, rows_max in 1u32..9) {
            let drawn = layout(&nodes, 0, width, rows_max);
            prop_assert!(drawn.rows() <= rows_max);
            let cell_of = |node: u32| drawn.cells.iter().find(|cell| cell.node == node);
            for cell in &drawn.cells {
                prop_assert!(cell.w >= 1.0 || cell.depth == 0);
                let share = nodes[cell.node as usize].total as f64 / nodes[0].total as f64 * width;
                prop_assert!((cell.w - share).abs() <= 1.0 / 32.0, "{} for {share}", cell.w);
                let below: Vec<_> =
                    drawn.cells.iter().filter(|other| nodes[other.node as usize].parent == Some(cell.node)).collect();
                let rest: Vec<_> = drawn.small.iter().filter(|rest| rest.parent == cell.node).collect();
                let sum: f64 = below.iter().map(|child| child.w).sum::<f64>() + rest.iter().map(|rest| rest.w).sum::<f64>();
                prop_assert!(sum <= cell.w, "exactly: {sum} in {}", cell.w);
                let mut x = cell.x;
                for child in &below {
                    prop_assert!(child.x == x && child.depth == cell.depth + 1);
                    x += child.w;
                }
                prop_assert!(rest.iter().all(|rest| rest.x == x && rest.x + rest.w <= cell.x + cell.w));
                let n = nodes.iter().filter(|node| node.parent == Some(cell.node) && node.total > 0).count();
                let counted = below.len() + rest.iter().map(|rest| rest.n as usize).sum::<usize>();
                prop_assert!(counted == n || cell.depth + 1 == rows_max);
                if let Some(parent) = nodes[cell.node as usize].parent {
                    prop_assert_eq!(walk(&drawn.cells, Some(cell.node), Direction::Up), Some(parent));
                    prop_assert!(cell_of(parent).is_some());
                }
            }
        }

        #[test]
        fn any_nodes_can_be_laid_out(
            nodes in prop::collection::vec((any::<Option<u8>>(), any::<u64>(), ".{0,9}"), 0..40), root in 0u32..50,
        ) {
            let nodes: Vec<_> =
                nodes.into_iter().map(|(parent, total, name)| node(parent.map(u32::from), &name, total)).collect();
            let drawn = layout(&nodes, root, 300.0, 5);
            for (index, cell) in drawn.cells.iter().enumerate() {
                prop_assert!(cell.x >= 0.0 && cell.x + cell.w <= 300.0);
                let right = drawn.cells.get(index + 1).filter(|next| next.depth == cell.depth);
                prop_assert!(right.is_none_or(|next| next.x >= cell.x + cell.w));
            }
        }
    }
}
