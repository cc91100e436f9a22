//! The drawing of a graph, as data: boxes, nodes and edges with their places.
use crate::analysis::classify::Kind;
use crate::chart::plot::popover_position::Rect;
use crate::chart::plot::scene::Mark;
use crate::chart::widgets::tip::Tip;

/// A graph, ready to be drawn: frames first, then edges, then nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// Pixels across.
    pub width: f64,
    /// Pixels down.
    pub height: f64,
    /// Frames of opened nodes, the outer before the inner.
    pub boxes: Vec<DrawnBox>,
    /// All nodes, in the order of the graph; an opened one is the line at the top of its frame.
    pub nodes: Vec<DrawnNode>,
    /// What flows, that of the centre last.
    pub edges: Vec<DrawnEdge>,
    /// What it shows, in a sentence.
    pub title: String,
}

/// The frame of an opened node.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnBox {
    /// Which node of the graph is opened.
    pub id: u32,
    /// All of it.
    pub rect: Rect,
    /// How it looks.
    pub mark: Mark,
}

/// A node and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnNode {
    /// Its place among the graph's nodes.
    pub id: u32,
    /// The instruction's name; empty for what stands for others.
    pub name: String,
    /// All of it; of an opened one the line at the top of its frame.
    pub rect: Rect,
    /// Face, foot and words, drawn in this order, in the drawing's coordinates. The first is the face: its id is the
    /// node's, its label the node's.
    pub marks: Vec<Mark>,
    /// The kind of its time.
    pub kind: Option<Kind>,
    /// It is the op that was requested.
    pub is_centre: bool,
    /// Where to press to open or close it; `None` where there is nothing inside.
    pub toggle: Option<Rect>,
    /// It is opened.
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
    /// Its points. Two points one above the other are joined by a line, others by a curve that leaves and arrives
    /// upright.
    pub points: Vec<(f64, f64)>,
    /// The path in the syntax of SVG, up to the arrow's head.
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
