//! A graph as a table, for those who do not see it: from, to, what flows.

use super::edge::{flows, name};
use crate::analysis::op::graph::OpGraph;
use crate::chart::plot::scene::SceneTable;

/// One row per edge, from the operands down to the users; a node without edges has one to nothing.
pub fn rows(graph: &OpGraph) -> SceneTable {
    let row = |edge| {
        let edge: &crate::analysis::op::graph::GraphEdge = edge;
        vec![name(graph, edge.from), name(graph, edge.to), flows(edge)]
    };
    let mut rows: Vec<Vec<String>> = graph.edges.iter().map(row).collect();
    if rows.is_empty() && !graph.nodes.is_empty() {
        rows.push(vec![name(graph, graph.centre), String::new(), String::new()]);
    }
    SceneTable { heads: ["From", "To", "Data"].map(str::to_owned).into(), rows }
}
