//! This module defines the drawing of an op graph as data: boxes, nodes and edges with their positions.
use crate::analysis::classify::Kind;
use crate::chart::plot::popover_position::Rect;
use crate::chart::plot::scene::Mark;
use crate::chart::widgets::tip::Tip;

/// A laid out op graph. Boxes are drawn first, then edges, then nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// Width, in px.
    pub width: f64,
    /// Height, in px.
    pub height: f64,
    /// Frames of opened nodes, outer frames before inner ones.
    pub boxes: Vec<DrawnBox>,
    /// All nodes, in the order of the graph. An opened node is the header line of its frame.
    pub nodes: Vec<DrawnNode>,
    /// Edges; those of the centre come last, so that they are drawn on top.
    pub edges: Vec<DrawnEdge>,
    /// Text alternative of the drawing.
    pub title: String,
}

/// The frame of an opened node.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnBox {
    /// Index of the node.
    pub id: u32,
    pub rect: Rect,
    pub mark: Mark,
}

/// A node with its position.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnNode {
    /// Index among the nodes of the graph.
    pub id: u32,
    /// Name of the instruction; empty for a node that stands for omitted instructions.
    pub name: String,
    /// Bounds of the node; of an opened node, bounds of the header line.
    pub rect: Rect,
    /// Face, kind strip and texts, in the order in which they are drawn, in the coordinates of the drawing. The first
    /// mark is the face; it carries the id and the label of the node.
    pub marks: Vec<Mark>,
    /// Kind of the node's time.
    pub kind: Option<Kind>,
    /// True for the requested op.
    pub is_centre: bool,
    /// Bounds of the button that opens or closes the node. `None` if the node has no body.
    pub toggle: Option<Rect>,
    pub opened: bool,
    /// True for an instruction, which can become the new centre; false for a node that stands for omitted instructions.
    pub is_op: bool,
    /// All facts of the node in one sentence, for screen readers.
    pub label: String,
    pub tip: Tip,
}

/// An edge with its path.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnEdge {
    /// Index among the edges of the graph.
    pub id: u32,
    /// Index of the node at the start.
    pub from: u32,
    /// Index of the node at the end.
    pub to: u32,
    /// Points of the path. Two points with the same x are joined by a line, others by a curve that starts and ends
    /// vertically.
    pub points: Vec<(f64, f64)>,
    /// Path in SVG syntax, up to the arrow head.
    pub path: String,
    /// Corners of the arrow head.
    pub head: [(f64, f64); 3],
    /// True for a control edge.
    pub dashed: bool,
    /// True if the edge leads into or out of the centre.
    pub strong: bool,
    /// Text of the tooltip: both ends and the data.
    pub tip: String,
}
