//! This module writes an op graph as a table for screen readers: from, to, data.

use super::edge::{flows, name};
use crate::analysis::op::graph::{GraphEdge, OpGraph};
use crate::chart::plot::scene::SceneTable;

/// Returns one row per edge, in the order of the graph. A graph without edges has one row, for the centre.
pub fn rows(graph: &OpGraph) -> SceneTable {
    let row = |edge: &GraphEdge| [name(graph, edge.from), name(graph, edge.to), flows(edge)];
    let mut rows: Vec<[String; 3]> = graph.edges.iter().map(row).collect();
    if rows.is_empty() && !graph.nodes.is_empty() {
        rows.push([name(graph, graph.centre), String::new(), String::new()]);
    }
    SceneTable::new(["From", "To", "Data"], rows)
}
