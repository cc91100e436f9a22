//! This module converts a drawing into a chart for the saved file. It does not write the file.

use super::edge::pieces;
use super::table::rows;
use super::{Drawing, DrawnEdge};
use crate::analysis::op::graph::OpGraph;
use crate::chart::plot::paint::{Paint, Tone};
use crate::chart::plot::scene::{Mark, Scene, Shape};

/// Converts the whole drawing, in drawing order, and adds its table.
pub fn scene(graph: &OpGraph, drawing: &Drawing) -> Scene {
    let mut marks: Vec<Mark> = drawing.boxes.iter().map(|node_box| node_box.mark.clone()).collect();
    for edge in &drawing.edges {
        let (line, head) = paint(edge);
        marks.push(Mark::new(Shape::Path(pieces(&edge.points), false), line));
        marks.push(Mark::new(Shape::Path(edge.head.to_vec(), true), head));
    }
    marks.extend(drawing.nodes.iter().flat_map(|node| node.marks.iter().cloned()));
    Scene { width: drawing.width, height: drawing.height, marks, title: drawing.title.clone(), table: rows(graph) }
}

/// Returns the paint of an edge's line and of its arrow head.
pub fn paint(edge: &DrawnEdge) -> (Paint, Paint) {
    let (tone, width) = if edge.strong { (Tone::Ink2, 1.5) } else { (Tone::Edge, 1.0) };
    let line = Paint::stroke(tone, width);
    (if edge.dashed { line.dashed() } else { line }, Paint::fill(tone))
}
