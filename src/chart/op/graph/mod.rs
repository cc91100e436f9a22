//! This module draws the neighbourhood of an op: operands above, users below, opened nodes as boxes around their
//! contents.
//!
//! ```text
//!  OpGraph ─► compound: nested boxes, innermost first; each box has its own layered_layout:
//!               ranking ─► layer_graph ─► crossing_reduction ─► x_coordinates ─► paths
//!               rows       dummy nodes of  few crossings         x               from row
//!                          long links                                            to row
//!          ─► Drawing (node, edge) ─► scene (the saved file), table, pan and zoom, arrow keys
//! ```
//!
//! This module does not depend on page elements or a browser. The same graph always gives the same drawing.

mod drawing;
mod edge;
mod node;
mod pan;
mod scene;
mod table;
mod walk;

pub use drawing::{Drawing, DrawnBox, DrawnEdge, DrawnNode};
pub use pan::Pan;
pub use scene::{paint, scene};
pub use table::rows;
pub use walk::{Direction, next};

use crate::analysis::op::graph::OpGraph;
use crate::chart::plot::popover_position::Rect;
use crate::table::format;
use xla_profile::small_sort::SmallSort;

/// Lays out a graph and draws its boxes, edges and nodes.
pub fn draw(graph: &OpGraph) -> Drawing {
    let nested = crate::chart::plot::layered::compound::nest(graph);
    let is_opened = |(i, _): &(usize, &Rect)| graph.nodes[*i].is_opened();
    let boxes = nested.rects.iter().enumerate().filter(is_opened).map(|(i, rect)| DrawnBox {
        id: i as u32,
        rect: *rect,
        mark: node::frame(*rect, graph.centre as usize == i),
    });
    let mut edges: Vec<DrawnEdge> =
        nested.routes.into_iter().enumerate().map(|(i, path)| edge::edge(graph, i, path)).collect();
    edges.small_sort_by_key(|edge| edge.strong);
    Drawing {
        width: nested.width,
        height: nested.height,
        boxes: boxes.collect(),
        nodes: nested.rects.iter().enumerate().map(|(i, rect)| node::node(graph, i, *rect)).collect(),
        edges,
        title: title(graph),
    }
}

/// Returns the text alternative: "Around fusion.1: 12 instructions, operands above, users below; 40 left out".
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
