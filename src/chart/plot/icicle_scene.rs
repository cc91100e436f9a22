//! This module draws the icicle: neutral cells, an amber selection, and a strip at the foot of each cell for the kinds
//! inside. It does not depend on the layout or a browser.

use super::icicle::{Cell, FOOT, Icicle, Node, PADDING, ROW_HEIGHT, Rest};
use super::label;
use super::paint::{Paint, Tone};
use super::scene::{Anchor, Mark, Scene, SceneTable, Shape, Size};
use super::time_part::TimePart;
use crate::analysis::classify::Kind;
use crate::table::format;

/// Width in px below which a strip shows only the largest kind, because its parts would be too narrow.
const PLAIN: f64 = 4.0;
/// Opacity of the colour over a cell.
const TINT: f64 = 0.28;
/// Distance from the top of a row to the baseline of its label, in px.
const BASELINE: f64 = 12.5;

/// Converts a laid out tree into a chart. The first cell fills `width` px; the id of a mark is the index of a node;
/// `title` names the contents of the tree.
pub fn to_scene(nodes: &[Node], icicle: &Icicle, width: f64, selected: Option<u32>, title: &str) -> Scene {
    let mut marks = Vec::with_capacity(icicle.cells.len() * 4);
    let mut rows = Vec::with_capacity(icicle.cells.len());
    for cell in &icicle.cells {
        let Some(node) = nodes.get(cell.node as usize) else { continue };
        let chosen = selected == Some(cell.node);
        // A root with a parent is the target of a zoom, and is highlighted like the selection.
        let zoomed = cell.depth == 0 && node.parent.is_some();
        marks.push(Mark { label: format!("{}, {}", node.name, node.figure), ..face(cell, chosen, zoomed) });
        marks.extend(node.tint.map(|tint| Mark::new(rectangle(cell), Paint::fill(tint).faded(TINT))));
        foot(&mut marks, node, cell);
        words(&mut marks, cell, node.tint.is_some());
        rows.push([cell.depth.to_string(), node.name.clone(), node.figure.clone()]);
    }
    marks.extend(icicle.small.iter().filter(|rest| rest.w > 0.0).map(rest));
    // The outline is drawn last, so that no neighbour covers it.
    let chosen = icicle.cells.iter().find(|cell| selected == Some(cell.node));
    marks.extend(chosen.map(|cell| Mark::new(outline(cell), Paint::stroke(Tone::AccentLine, 2.0))));
    Scene {
        width,
        height: f64::from(icicle.rows()) * ROW_HEIGHT,
        marks,
        title: sentence(icicle, title),
        table: SceneTable::new(["Level", "Name", "Time"], rows),
    }
}

/// Returns the title with the number of cells, and the number of nodes that are not drawn.
fn sentence(icicle: &Icicle, title: &str) -> String {
    let cells = format::counted(icicle.cells.len() as u64, "cell", "cells");
    let mut text = format!("{title}: {cells} in {}.", format::counted(icicle.rows().into(), "row", "rows"));
    let small: u64 = icicle.small.iter().map(|rest| u64::from(rest.n)).sum();
    if small > 0 {
        text += &format!(" {} narrower than a pixel.", format::counted(small, "more is", "more are"));
    }
    if icicle.cut > 0 {
        text += &format!(" {} below the last row.", format::counted(icicle.cut.into(), "cell goes on", "cells go on"));
    }
    text
}

fn top(depth: u32) -> f64 {
    f64::from(depth) * ROW_HEIGHT
}

/// Returns the drawn width of a cell, which leaves a gap of one pixel to the next cell.
fn drawn(cell: &Cell) -> f64 {
    (cell.w - 1.0).max(0.8)
}

fn face(cell: &Cell, chosen: bool, zoomed: bool) -> Mark {
    let tone = if chosen || zoomed { Tone::Select } else { Tone::Hover };
    Mark::for_datum(cell.node, String::new(), rectangle(cell), Paint::fill(tone))
}

fn rectangle(cell: &Cell) -> Shape {
    Shape::rect(cell.x, top(cell.depth), drawn(cell), ROW_HEIGHT - 1.0)
}

fn outline(cell: &Cell) -> Shape {
    // The outline is inside the cell, so that the edge of the chart does not clip it.
    Shape::rect(cell.x + 1.0, top(cell.depth) + 1.0, (drawn(cell) - 2.0).max(0.5), ROW_HEIGHT - 3.0)
}

/// Draws the kinds inside a cell, in their order and proportion.
#[expect(clippy::cast_precision_loss, reason = "where exact time becomes a pixel")]
fn foot(marks: &mut Vec<Mark>, node: &Node, cell: &Cell) {
    let y = top(cell.depth) + ROW_HEIGHT - 1.0 - FOOT;
    let strip = |kind, x, w| Mark::new(Shape::rect(x, y, w, FOOT), Paint::fill(Tone::Kind(TimePart::Kind(kind))));
    let sum: u128 = node.parts.iter().map(|part| u128::from(*part)).sum();
    let parts = || Kind::ALL.into_iter().zip(node.parts).filter(|(_, part)| *part > 0);
    let width = drawn(cell);
    if width < PLAIN {
        let largest = parts().reduce(|best, part| if part.1 > best.1 { part } else { best });
        marks.extend(largest.map(|(kind, _)| strip(kind, cell.x, width)));
        return;
    }
    let mut before = 0u128;
    for (kind, part) in parts() {
        let x = before as f64 / sum as f64 * width;
        before += u128::from(part);
        let w = before as f64 / sum as f64 * width - x;
        // A part below 0.1 px is invisible and gets no mark.
        if w >= 0.1 {
            marks.push(strip(kind, cell.x + x, w));
        }
    }
}

fn words(marks: &mut Vec<Mark>, cell: &Cell, is_tinted: bool) {
    let (mut x, y) = (cell.x + PADDING, top(cell.depth) + BASELINE);
    if let Some(name) = &cell.label {
        marks.push(Mark::new(Shape::mono_text(x, y, name.clone()), Paint::fill(Tone::Ink)));
        x += label::mono_width(name, Size::Micro.px()) + PADDING;
    }
    if let Some(figure) = &cell.figure {
        marks.push(Mark::new(
            Shape::text(x, y, Anchor::Start, figure.clone()),
            Paint::fill(if is_tinted { Tone::Ink } else { Tone::Ink3 }),
        ));
    }
}

fn rest(rest: &Rest) -> Mark {
    Mark::new(Shape::rect(rest.x, top(rest.depth), rest.w, ROW_HEIGHT - 1.0), Paint::fill(Tone::Sunken))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::chart::plot::icicle::layout;
    use crate::chart::plot::{hit_test, svg};

    fn node(parent: Option<u32>, name: &str, parts: [u64; 7]) -> Node {
        let total: u64 = parts.iter().sum();
        Node { parent, name: name.to_owned(), figure: format!("{total} ms"), total, parts, tint: None }
    }

    fn tree() -> Vec<Node> {
        vec![
            node(None, "step", [600, 0, 300, 100, 0, 0, 0]),
            node(Some(0), "model/attention", [500, 0, 0, 100, 0, 0, 0]),
            node(Some(0), "<optimizer>", [100, 0, 299, 0, 0, 0, 0]),
            node(Some(0), "tiny", [0, 0, 1, 0, 0, 0, 0]),
            node(Some(1), "softmax", [10, 0, 0, 0, 0, 0, 0]),
        ]
    }

    fn scene(root: u32, rows_max: u32, selected: Option<u32>) -> Scene {
        let nodes = tree();
        let icicle = layout(&nodes, root, 500.0, rows_max);
        to_scene(&nodes, &icicle, 500.0, selected, "Scopes by self time")
    }

    fn tones(scene: &Scene, tone: Tone) -> usize {
        scene.marks.iter().filter(|mark| mark.paint.fill == Some(tone) || mark.paint.stroke == Some(tone)).count()
    }

    #[test]
    fn feet_show_the_kinds_in_proportion() {
        let scene = scene(0, 9, None);
        let width = |kind| -> f64 {
            let tone = Tone::Kind(TimePart::Kind(kind));
            let of_root = |mark: &&Mark| mark.paint.fill == Some(tone) && mark.shape.bounds().y < ROW_HEIGHT;
            scene.marks.iter().filter(of_root).map(|mark| mark.shape.bounds().width).sum()
        };
        let (compute, comm, moved) = (width(Kind::Compute), width(Kind::Communication), width(Kind::DataMovement));
        assert!((compute + comm + moved - 499.0).abs() < 1e-6);
        assert!((compute / comm - 2.0).abs() < 1e-6 && (compute / moved - 6.0).abs() < 1e-6);
    }

    #[test]
    fn the_sentence_says_what_is_not_drawn() {
        assert_eq!(
            scene(0, 2, None).title,
            "Scopes by self time: 3 cells in 2 rows. 1 more is narrower than a pixel. 1 cell goes on below the last row."
        );
        assert_eq!(scene(1, 9, None).title, "Scopes by self time: 2 cells in 2 rows.");
    }

    #[test]
    fn amber_is_where_one_is() {
        let plain = scene(0, 9, None);
        assert_eq!([tones(&plain, Tone::Select), tones(&plain, Tone::AccentLine)], [0, 0]);
        let chosen = scene(0, 9, Some(2));
        assert_eq!([tones(&chosen, Tone::Select), tones(&chosen, Tone::AccentLine)], [1, 1]);
        assert_eq!(tones(&scene(1, 9, None), Tone::Select), 1, "zoomed in");
    }

    #[test]
    fn cells_are_hit_and_told() {
        let scene = scene(0, 9, None);
        assert_eq!(
            [hit_test::mark_at(&scene.marks, 10.0, 5.0), hit_test::mark_at(&scene.marks, 400.0, 30.0)],
            [Some(0), Some(2)]
        );
        assert_eq!((scene.height, scene.table.rows.len()), (66.0, 4));
        assert_eq!(scene.table.rows[1], ["1", "model/attention", "600 ms"]);
        assert!(scene.marks.iter().any(|mark| mark.label == "<optimizer>, 399 ms"));
        assert!(svg::write(&scene, &|_| "#000".to_owned()).contains("&lt;optimizer&gt;"));
    }
}
