//! This module draws an edge of an op graph: its smooth path, its arrow head, and a text for its data.

use super::DrawnEdge;
use crate::analysis::op::graph::{GraphEdge, OpGraph};
use crate::chart::plot::scene::px;
use crate::table::format;

/// Length of the arrow head, and half of its width, in px.
const LENGTH: f64 = 6.0;
const HALF: f64 = 3.0;
/// Length of the vertical piece before the arrow head, in px.
const STUB: f64 = 10.0;
/// Number of straight pieces that replace a curve in formats without curves.
const PIECES: u32 = 12;

/// Builds the drawing of edge `id` along `points`.
pub(crate) fn edge(graph: &OpGraph, id: usize, mut points: Vec<(f64, f64)>) -> DrawnEdge {
    let graph_edge = &graph.edges[id];
    let (x, y) = points.last().copied().unwrap_or_default();
    // A vertical piece before the head makes the arrow point straight down, also if the edge comes from far aside.
    if let [.., before, _] = points[..]
        && y - before.1 > STUB * 2.0
    {
        points.insert(points.len() - 1, (x, y - STUB));
    }
    let head = [(x, y), (x - HALF, y - LENGTH), (x + HALF, y - LENGTH)];
    DrawnEdge {
        id: id as u32,
        from: graph_edge.from,
        to: graph_edge.to,
        path: path(&shortened(&points)),
        points,
        head,
        dashed: graph_edge.control,
        strong: belongs(graph, graph_edge.from) != belongs(graph, graph_edge.to),
        tip: tip(graph, graph_edge),
    }
}

/// Returns the path without its last pixels. The path ends where the head is wide enough to cover the end of the line.
fn shortened(path: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut path = path.to_vec();
    if let Some(last) = path.last_mut() {
        last.1 -= LENGTH - 1.0;
    }
    path
}

/// Returns true if a node is the centre, or inside the opened centre.
fn belongs(graph: &OpGraph, node: u32) -> bool {
    let parent = |node: &u32| graph.nodes[*node as usize].parent;
    std::iter::successors(Some(node), parent).any(|ancestor| ancestor == graph.centre)
}

/// Returns the path in SVG syntax.
fn path(path: &[(f64, f64)]) -> String {
    let mut data = String::with_capacity(path.len() * 24);
    let mut add = |letter: char, points: &[(f64, f64)]| {
        data.push(letter);
        for (i, (x, y)) in points.iter().enumerate() {
            if i > 0 {
                data.push(' ');
            }
            data.push_str(&px(*x));
            data.push(' ');
            data.push_str(&px(*y));
        }
    };
    for (i, to) in path.iter().enumerate() {
        match i.checked_sub(1).map(|i| path[i]) {
            None => add('M', &[*to]),
            Some(from) if is_upright(from, *to) => add('L', &[*to]),
            Some(from) => {
                let middle = (from.1 + to.1) / 2.0;
                add('C', &[(from.0, middle), (to.0, middle), *to]);
            }
        }
    }
    data
}

/// Returns the same path in straight pieces.
pub(crate) fn pieces(path: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let path = shortened(path);
    let mut points: Vec<(f64, f64)> = path.first().copied().into_iter().collect();
    for pair in path.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let n = if is_upright(from, to) { 1 } else { PIECES };
        points.extend((1..=n).map(|i| {
            let t = f64::from(i) / f64::from(n);
            // A cubic curve with vertical ends; its control points are at half of the height.
            let across = t * t * (3.0 - 2.0 * t);
            let down = t * (1.5 + t * (t - 1.5));
            (from.0 + (to.0 - from.0) * across, from.1 + (to.1 - from.1) * down)
        }));
    }
    points
}

fn is_upright(from: (f64, f64), to: (f64, f64)) -> bool {
    (from.0 - to.0).abs() < 0.01
}

/// Returns the tooltip: `fusion.1 to add.2: operand 0, f32[8,128], 4.0 KiB`.
fn tip(graph: &OpGraph, edge: &GraphEdge) -> String {
    [&name(graph, edge.from), " to ", &name(graph, edge.to), ": ", &flows(edge)].concat()
}

/// Returns the name of a node, or the description of the omitted instructions.
pub(crate) fn name(graph: &OpGraph, node: u32) -> String {
    let node = &graph.nodes[node as usize];
    if node.is_instruction() { node.name.clone() } else { node.words.clone() }
}

/// Returns the operand numbers, the shape and the size of the data, or "runs before it" for a control edge.
pub(crate) fn flows(edge: &GraphEdge) -> String {
    if edge.control {
        return "runs before it".to_owned();
    }
    let mut parts: Vec<String> = Vec::new();
    let operands = edge.operands.iter().map(u32::to_string).collect::<Vec<_>>().join(" and ");
    match edge.operands.len() {
        0 => {}
        1 => parts.push(["operand ", &operands].concat()),
        _ => parts.push(["operands ", &operands].concat()),
    }
    parts.extend(Some(edge.shape.clone()).filter(|shape| !shape.is_empty()));
    parts.extend(edge.bytes.map(format::bytes_text));
    if parts.is_empty() { "data".to_owned() } else { parts.join(", ") }
}
