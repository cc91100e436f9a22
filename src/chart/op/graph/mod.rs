//! An op's neighbourhood as a drawing: operands above, users below, opened ones as boxes around what is in them.
//!
//! ```text
//!  OpGraph ─► compound: boxes in boxes, innermost first; each is laid out by itself (layered_layout):
//!               ranking ─► layer_graph ─► crossing_reduction ─► x_coordinates ─► ways
//!               rows       points between few crossings          x               from row
//!                          rows                                                  to row
//!          ─► Drawing (node, edge) ─► scene (the saved file), table, pan and zoom, arrow keys
//! ```
//!
//! Knows a graph and sizes in pixels; no element, no browser. The same graph gives the same drawing.

mod edge;
mod node;
mod pan;
mod scene;
mod table;
mod walk;

pub use pan::Pan;
pub use scene::{paint, scene};
pub use table::rows;
pub use walk::{Direction, next};

use crate::analysis::classify::Kind;
use crate::analysis::op::graph::OpGraph;
use crate::chart::breakdown::Tip;
use crate::chart::plot::popover_position::Rect;
use crate::chart::plot::scene::Mark;
use crate::report::format;

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
    /// It is the op that was asked about.
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
    /// Its way: points, between which it is a line where one is above the other, else a curve that leaves and arrives
    /// upright.
    pub way: Vec<(f64, f64)>,
    /// The way as SVG writes it, up to the arrow's head.
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
pub fn draw(graph: &OpGraph) -> Drawing {
    let nested = crate::chart::plot::layered::compound::nest(graph);
    let is_opened = |(i, _): &(usize, &Rect)| graph.nodes[*i].is_opened();
    let boxes = nested.rects.iter().enumerate().filter(is_opened).map(|(i, rect)| DrawnBox {
        id: i as u32,
        rect: *rect,
        mark: node::frame(*rect, graph.centre as usize == i),
    });
    let mut edges: Vec<DrawnEdge> =
        nested.ways.into_iter().enumerate().map(|(i, way)| edge::edge(graph, i, way)).collect();
    edges.sort_by_key(|edge| edge.strong);
    Drawing {
        width: nested.width,
        height: nested.height,
        boxes: boxes.collect(),
        nodes: nested.rects.iter().enumerate().map(|(i, rect)| node::node(graph, i, *rect)).collect(),
        edges,
        title: title(graph),
    }
}

/// "Around fusion.1: 12 instructions, operands above, users below; 40 left out".
fn title(graph: &OpGraph) -> String {
    let Some(centre) = graph.nodes.get(graph.centre as usize) else { return String::new() };
    let shown = graph.nodes.iter().filter(|node| node.is_instruction()).count();
    let left = |node: &crate::analysis::op::graph::GraphNode| match node.role {
        crate::analysis::op::graph::NodeRole::More(n) => u64::from(n),
        crate::analysis::op::graph::NodeRole::Instruction => 0,
    };
    let left: u64 = graph.nodes.iter().map(left).sum();
    let shown = format::counted(shown as u64, "instruction", "instructions");
    let mut title = ["Around ", &centre.name, ": ", &shown, ", operands above, users below"].concat();
    if left > 0 {
        title += &["; ", &format::count(left), " left out"].concat();
    }
    title
}
