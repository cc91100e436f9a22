//! An op's neighbourhood as a drawing: operands above, users below, opened ones as boxes around what is in them.
//!
//! ```text
//!  OpGraph ─► nest: boxes in boxes, innermost first; in each
//!               layers ─► order (few crossings) ─► across (x) ─► route (edges)
//!          ─► Drawing ─► scene (the saved file), table, pan and zoom, arrow keys
//! ```
//!
//! Knows a graph and sizes in pixels; no element, no browser. The same graph gives the same drawing.

mod pan;
mod scene;
mod table;
mod walk;

pub use pan::Pan;
pub use scene::scene;
pub use table::rows;
pub use walk::{Direction, next};

use super::place::Rect;
use super::scene::Mark;
use super::tips::Tip;
use crate::analysis::{Kind, OpGraph};

/// A graph, ready to be drawn: boxes first, then edges, then nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// Pixels across.
    pub width: f64,
    /// Pixels down.
    pub height: f64,
    /// Opened nodes, the outer before the inner.
    pub boxes: Vec<DrawnNode>,
    /// All other nodes, in the order of the graph.
    pub nodes: Vec<DrawnNode>,
    /// What flows, that of the centre last.
    pub edges: Vec<DrawnEdge>,
    /// What it shows, in a sentence.
    pub title: String,
}

/// A node and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnNode {
    /// Its place among the graph's nodes.
    pub id: u32,
    /// The instruction's name; empty for what stands for others.
    pub name: String,
    /// All of it; of an opened one the whole box.
    pub rect: Rect,
    /// Its face, words and foot: drawn in this order, in the drawing's coordinates. The first is the face.
    pub marks: Vec<Mark>,
    /// The kind of its time.
    pub kind: Option<Kind>,
    /// It is the op that was asked about.
    pub is_centre: bool,
    /// Where to press to open or close it; `None` where there is nothing inside.
    pub toggle: Option<Rect>,
    /// It is opened: a box.
    pub opened: bool,
    /// It can be gone to: an instruction, not what stands for others.
    pub is_op: bool,
    /// All of it in one sentence, for those who do not see it.
    pub label: String,
    /// What its tooltip says.
    pub tip: Tip,
}

/// An edge and its way.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnEdge {
    /// Its place among the graph's edges.
    pub id: u32,
    /// The node it comes from.
    pub from: u32,
    /// The node it goes to.
    pub to: u32,
    /// Its way: points, between which it is a line where one is above the other, else a curve that leaves and arrives
    /// upright.
    pub way: Vec<(f64, f64)>,
    /// The way as SVG writes it.
    pub path: String,
    /// The head of its arrow, three corners.
    pub head: [(f64, f64); 3],
    /// It is a control edge.
    pub dashed: bool,
    /// It is one of the centre's.
    pub strong: bool,
    /// What flows, in words.
    pub tip: String,
}

/// Where everything goes.
pub fn draw(_graph: &OpGraph) -> Drawing {
    Drawing::default()
}
