//! This module draws a node of an op graph: its name, operation, result and time, and a strip at its foot for the kind.
//! A node with time of its own has a filled face, a node without has a thin outline, and a node that stands for omitted
//! instructions has a dashed outline.

use super::DrawnNode;
use crate::analysis::op::graph::{GraphNode, OpGraph};
use crate::chart::plot::label;
use crate::chart::plot::layered::compound::HEAD;
use crate::chart::plot::paint::{Paint, Tone};
use crate::chart::plot::popover_position::Rect;
use crate::chart::plot::scene::{Anchor, Mark, Shape, Size};
use crate::chart::plot::time_part::TimePart;
use crate::chart::widgets::tip::Tip;
use crate::table::format;

/// Space beside texts, in px.
const PADDING: f64 = 8.0;
/// Height of the kind strip, in px.
const FOOT: f64 = 4.0;
/// Side of the button that opens a node, in px.
const TOGGLE: f64 = 24.0;
/// Fraction of the second line that is reserved for the shape of the result.
const LEAST: f64 = 0.34;
/// Smallest number of letters that a name keeps beside a time.
const LETTERS: usize = 12;

/// Draws node `id` in `rect`. An opened node is the header line of its box.
pub(crate) fn node(graph: &OpGraph, id: usize, rect: Rect) -> DrawnNode {
    let graph_node = &graph.nodes[id];
    let (is_centre, opened) = (graph.centre as usize == id, graph_node.is_opened());
    let rect = if opened { Rect { height: HEAD, ..rect } } else { rect };
    let toggle =
        graph_node.body.map(|_| Rect { x: rect.x + rect.width - TOGGLE, y: rect.y, width: TOGGLE, height: TOGGLE });
    let label = sentence(graph_node);
    let mut marks = vec![Mark::for_datum(id as u32, label.clone(), shape(rect), face(graph_node, is_centre))];
    let right = rect.x + rect.width - if toggle.is_some() { TOGGLE } else { PADDING };
    if graph_node.is_instruction() {
        foot(&mut marks, graph_node, rect);
        words(&mut marks, graph_node, rect, right);
    } else {
        let y = rect.y + rect.height / 2.0 + 4.0;
        let shape = Shape::text(rect.x + rect.width / 2.0, y, Anchor::Middle, graph_node.words.clone());
        marks.push(Mark::new(shape, Paint::fill(Tone::Ink3)));
    }
    toggle.iter().for_each(|switch| sign(&mut marks, *switch, opened));
    if is_centre {
        // The outline is inside the node, so that edges end at the node and not on the outline.
        let inner = Rect { x: rect.x + 1.0, y: rect.y + 1.0, width: rect.width - 2.0, height: rect.height - 2.0 };
        marks.push(Mark::new(shape(inner), Paint::stroke(Tone::AccentLine, 2.0)));
    }
    DrawnNode {
        id: id as u32,
        name: graph_node.name.clone(),
        rect,
        marks,
        kind: graph_node.kind,
        is_centre,
        toggle,
        opened,
        is_op: graph_node.is_instruction(),
        label,
        tip: tip(graph_node),
    }
}

/// Draws the frame around the contents of an opened node.
pub(crate) fn frame(rect: Rect, is_centre: bool) -> Mark {
    let line = if is_centre { Paint::stroke(Tone::AccentLine, 2.0) } else { Paint::stroke(Tone::Line2, 1.0) };
    Mark::new(shape(rect), Paint { fill: Some(Tone::Ground), ..line })
}

fn shape(rect: Rect) -> Shape {
    Shape::Rect { x: rect.x, y: rect.y, w: rect.width, h: rect.height, r: 2.0 }
}

fn face(node: &GraphNode, is_centre: bool) -> Paint {
    let quiet = Paint { fill: Some(Tone::Ground), ..Paint::stroke(Tone::Line2, 1.0) };
    match node.kind {
        _ if is_centre => Paint::fill(Tone::Select),
        _ if !node.is_instruction() => Paint { stroke: Some(Tone::Edge), ..quiet }.dashed(),
        _ if node.is_opened() => Paint { fill: Some(Tone::Hover), ..quiet },
        Some(_) => Paint::fill(Tone::Hover),
        None => quiet,
    }
}

fn foot(marks: &mut Vec<Mark>, node: &GraphNode, rect: Rect) {
    let strip = Shape::rect(rect.x, rect.y + rect.height - FOOT, rect.width, FOOT);
    marks.extend(node.kind.map(|kind| Mark::new(strip, Paint::time_part(TimePart::Kind(kind)))));
}

/// Writes name and time in the first line, operation and result shape in the second line. An opened node has all of
/// them in one line.
fn words(marks: &mut Vec<Mark>, node: &GraphNode, rect: Rect, right: f64) {
    let mut row = |x, y, anchor, text: String, tone, mono, size| {
        let shape = Shape::Text { x, y, text, anchor, size, mono, halo: false };
        marks.push(Mark::new(shape, Paint::fill(tone)));
    };
    let (left, y, micro) = (rect.x + PADDING, rect.y + 17.0, Size::Micro.px());
    let mut end = right;
    if let Some(total) = node.total {
        let text = format::time_text(total);
        let width = label::width(&text, micro);
        row(right, y, Anchor::End, text, Tone::Ink2, false, Size::Micro);
        end -= width + PADDING;
    }
    let room = label::mono_room(end - left, Size::Dense.px()).max(LETTERS);
    let name = format::middle_cut(&node.name, room);
    let after = left + label::mono_width(&name, Size::Dense.px()) + PADDING;
    row(left, y, Anchor::Start, name, Tone::Ink, true, Size::Dense);
    let (left, y, end) =
        if node.is_opened() { (after, y, end) } else { (left, rect.y + 33.0, rect.x + rect.width - PADDING) };
    // If both do not fit, the operation has priority, because the edges also carry the shape.
    let (room, gap) = (end - left, if node.is_opened() { PADDING * 2.0 } else { PADDING });
    let shape_text =
        node.shape.split_once(" parts, ").map_or_else(|| node.shape.clone(), |(n, _)| [n, " parts"].concat());
    let least = label::mono_width(&shape_text, micro).min(room * LEAST);
    let what = cut(&node.words, room - least - gap, &|text| label::width(text, micro));
    let what_width = if what.is_empty() { 0.0 } else { label::width(&what, micro) + gap };
    let shape_text = cut(&shape_text, room - what_width, &|text| label::mono_width(text, micro));
    if !what.is_empty() {
        row(left, y, Anchor::Start, what, Tone::Ink2, false, Size::Micro);
    }
    if !shape_text.is_empty() {
        let (x, anchor) = if node.is_opened() { (left + what_width, Anchor::Start) } else { (end, Anchor::End) };
        row(x, y, anchor, shape_text, Tone::Ink3, true, Size::Micro);
    }
}

/// Shortens a text to `room` px, at the end of a word if that keeps two thirds of the letters that fit. Empty if fewer
/// than four letters fit.
fn cut(words: &str, room: f64, width: &dyn Fn(&str) -> f64) -> String {
    if width(words) <= room {
        return words.to_owned();
    }
    let room = room - width("…");
    let fits = words.char_indices().map(|(end, _)| end).take_while(|end| width(&words[..*end]) <= room).last();
    let fitting = &words[..fits.unwrap_or(0)];
    // Fewer than four letters are not readable as a word.
    if fitting.chars().count() < 4 {
        return String::new();
    }
    let end = fitting.rfind(' ').filter(|end| *end * 3 > fitting.len() * 2).unwrap_or(fitting.len());
    [fitting[..end].trim_end_matches([' ', ',', ':']), "…"].concat()
}

/// Draws a minus for an opened node, else a plus.
fn sign(marks: &mut Vec<Mark>, rect: Rect, opened: bool) {
    let (x, y) = (rect.x + rect.width / 2.0, rect.y + 13.0);
    let line = |shape| Mark::new(shape, Paint::stroke(Tone::Ink2, 1.5));
    marks.push(line(Shape::line(x - 4.0, y, x + 4.0, y)));
    if !opened {
        marks.push(line(Shape::line(x, y - 4.0, x, y + 4.0)));
    }
}

/// Returns all facts of a node in one sentence.
fn sentence(node: &GraphNode) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend([&node.name, &node.words, &node.shape].into_iter().filter(|part| !part.is_empty()).cloned());
    parts.extend(node.total.map(format::time_text));
    parts.extend(node.kind.map(|kind| kind.label().to_owned()));
    parts.extend(node.body.map(|body| inside(body.instructions, body.opened)));
    parts.join(", ")
}

fn inside(n: u32, opened: bool) -> String {
    let n = format::counted(n.into(), "instruction", "instructions");
    if opened { n + ", opened" } else { n + " inside" }
}

fn tip(node: &GraphNode) -> Tip {
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut row = |label: &str, value: Option<String>| rows.extend(value.map(|value| (label.to_owned(), value)));
    let some = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    if !node.is_instruction() {
        return Tip { title: node.words.clone(), rows };
    }
    row("Operation", some(&node.words));
    row("Result", some(&node.shape));
    row("Self", node.total.map(format::exact_time));
    row("Executions", node.n.map(format::executions));
    row("Kind", node.kind.map(|kind| kind.label().to_owned()));
    row("Inside", node.body.map(|body| format::counted(body.instructions.into(), "instruction", "instructions")));
    Tip { title: node.name.clone(), rows }
}
