//! This module draws the picture of the landing page: the mean step of the sample by kind, and the longest ops of the sample
//! against the roofs of the chip. The figures come from the sample and are rounded to three or four digits;
//! `tests/native/landing.rs` compares them with an analysis of the sample.
//!
//! ```text
//!   [compute              ][communication ][data movement]   the mean step, by kind
//!   TFLOP/s        ______________ peak
//!       |        /    o O o                                  ops: position = figures, area = time
//!       |      / o  O
//!       |____/________________ FLOP/byte
//! ```

use super::plot::frame::{Frame, Margins};
use super::plot::label;
use super::plot::mark_shape::MarkShape;
use super::plot::paint::{Paint, Pattern, Tone};
use super::plot::scene::{Anchor, Mark, Scene, Shape, Size};
use super::plot::ticks::{short, ticks};
use super::plot::time_part::TimePart;
use crate::analysis::classify::Kind;

/// Peak of the matrix units of the sample's chip (TPU v5p) for bf16, in TFLOP/s.
pub const PEAK: f64 = 459.0;
/// HBM bandwidth of the sample's chip, in GB/s.
pub const BANDWIDTH: f64 = 2765.0;
/// The device of the picture, which is that of the overview.
pub const DEVICE: &str = "TPU:5";
/// Time by kind in the mean step of the device, in ms. The list leaves out kinds below 0.01 ms.
pub const KINDS: [(Kind, f64); 3] =
    [(Kind::Compute, 105.74), (Kind::Communication, 25.07), (Kind::DataMovement, 36.55)];
/// The whole step with its communication, copies and idle time: FLOP per byte of HBM, and TFLOP/s. The share of the peak
/// is the HFU.
pub const STEP: Op = op(273.0, 120.7, 167.4, true);

/// Position and duration of an op of the sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Op {
    /// FLOP per byte of HBM.
    pub intensity: f64,
    /// TFLOP/s.
    pub rate: f64,
    /// Time in the step, in ms.
    pub ms: f64,
    /// True for a matrix multiplication, false for an elementwise op.
    pub is_matmul: bool,
}

const fn op(intensity: f64, rate: f64, ms: f64, is_matmul: bool) -> Op {
    Op { intensity, rate, ms, is_matmul }
}

/// The longest ops of the step, the longest first. These ops take about four fifths of the time of all ops that have a
/// roof.
pub const OPS: [Op; 48] = [
    op(0.375, 0.346, 3.2, false),
    op(0.375, 0.346, 3.2, false),
    op(41.4, 32.3, 2.96, true),
    op(0.625, 0.718, 2.57, false),
    op(0.625, 0.718, 2.57, false),
    op(1850.0, 290.0, 2.55, true),
    op(42.3, 39.2, 2.44, true),
    op(138.0, 95.6, 2.36, true),
    op(582.0, 243.0, 2.15, true),
    op(0.167, 0.174, 2.13, false),
    op(0.167, 0.174, 2.13, false),
    op(61.1, 45.5, 2.12, true),
    op(1860.0, 350.0, 2.11, true),
    op(1850.0, 359.0, 2.06, true),
    op(1200.0, 277.0, 1.88, true),
    op(146.0, 124.0, 1.82, true),
    op(991.0, 293.0, 1.78, true),
    op(1050.0, 296.0, 1.76, true),
    op(1050.0, 297.0, 1.75, true),
    op(1200.0, 297.0, 1.75, true),
    op(61.4, 55.4, 1.74, true),
    op(1530.0, 318.0, 1.63, true),
    op(1050.0, 329.0, 1.58, true),
    op(1530.0, 333.0, 1.56, true),
    op(1530.0, 333.0, 1.56, true),
    op(940.0, 346.0, 1.5, true),
    op(609.0, 254.0, 1.49, true),
    op(1050.0, 356.0, 1.46, true),
    op(1410.0, 364.0, 1.43, true),
    op(1200.0, 370.0, 1.41, true),
    op(2100.0, 374.0, 1.39, true),
    op(2100.0, 375.0, 1.39, true),
    op(843.0, 376.0, 1.38, true),
    op(1410.0, 377.0, 1.38, true),
    op(1200.0, 379.0, 1.37, true),
    op(2100.0, 380.0, 1.37, true),
    op(60.5, 70.0, 1.36, true),
    op(60.5, 70.0, 1.36, true),
    op(683.0, 288.0, 1.31, true),
    op(114.0, 99.9, 0.946, true),
    op(114.0, 99.9, 0.946, true),
    op(114.0, 99.9, 0.945, true),
    op(114.0, 122.0, 0.774, true),
    op(114.0, 122.0, 0.774, true),
    op(114.0, 122.0, 0.774, true),
    op(114.0, 122.0, 0.774, true),
    op(120.0, 132.0, 0.718, true),
    op(527.0, 220.0, 0.59, true),
];

/// Labelled ops: index in [`OPS`], text, and the offset of the text in px, to the right and down.
const LABELS: [(usize, &str, f64, f64); 2] =
    [(2, "fusion.877, matmul", 24.0, 30.0), (0, "fusion.953, elementwise", 22.0, -4.0)];

impl Op {
    /// Returns the achieved rate divided by the roof at this intensity, a fraction.
    pub fn of_roof(&self) -> f64 {
        self.rate / PEAK.min(self.intensity * BANDWIDTH / 1e3)
    }
}

const AXES: ((f64, f64), (f64, f64)) = ((0.1, 1e4), (0.1, 1e3));
const MARGINS: Margins = Margins { left: 44.0, right: 10.0, top: 84.0, bottom: 40.0 };
/// Height of the bar of kinds, in px.
const BAR: f64 = 30.0;
/// Extent of the hatched area above the flat roof, in px.
const WALL: f64 = 11.0;

/// Draws the picture with a width in px. The height follows from the width, between 340 and 720 px.
pub fn scene(width: f64) -> Scene {
    let height = (width * 0.84).clamp(340.0, 720.0);
    let frame = Frame { has_halo: true, ..Frame::log(MARGINS.area((width, height)), AXES.0, AXES.1) };
    let mut marks = Vec::new();
    bar(&mut marks, width);
    draw_frame(&mut marks, &frame);
    roofs(&mut marks, &frame);
    marks.extend(OPS.iter().map(|op| mark(op, &frame, width)));
    labels(&mut marks, &frame);
    let title = format!(
        "The sample, a training step on TPU v5p: {:.2} ms, {} by kind; below, its ops by FLOP per byte and TFLOP/s, and the roofs.",
        KINDS.iter().map(|(_, ms)| ms).sum::<f64>(),
        KINDS.map(|(kind, ms)| format!("{} {ms:.1} ms", TimePart::Kind(kind).label())).join(", ")
    );
    Scene { width, height, marks, title, ..Scene::default() }
}

fn text(x: f64, y: f64, anchor: Anchor, words: String, tone: Tone) -> Mark {
    Mark::new(Shape::text(x, y, anchor, words).with_halo(), Paint::fill(tone))
}

/// Draws one step by kind; the width of a segment is proportional to its time.
fn bar(marks: &mut Vec<Mark>, width: f64) {
    let all: f64 = KINDS.iter().map(|(_, ms)| ms).sum();
    let long = format!("The mean step of {DEVICE} in the sample, {all:.2} ms, by kind");
    let short = format!("Mean step of {DEVICE}, {all:.2} ms, by kind");
    let title = if label::width(&long, Size::Micro.px()) <= width { long } else { short };
    marks.push(text(0.0, 11.0, Anchor::Start, title, Tone::Ink2));
    let mut x = 0.0;
    for (kind, ms) in KINDS {
        let (time_part, wide) = (TimePart::Kind(kind), ms / all * width);
        marks.push(Mark::new(Shape::rect(x, 20.0, (wide - 1.0).max(1.0), BAR), Paint::time_part(time_part)));
        let share = format!("{:.1} %", ms / all * 100.0);
        let wordings = label::wordings(kind.label(), kind.short(), &share);
        if let Some(words) = label::fit(&wordings, Size::Dense.px(), wide - 14.0) {
            let shape = Shape::Text {
                x: x + 8.0,
                y: 39.0,
                text: words.to_owned(),
                anchor: Anchor::Start,
                size: Size::Dense,
                mono: false,
                halo: false,
            };
            marks.push(Mark::new(shape, Paint::fill(Tone::On(time_part))));
        }
        x += wide;
    }
}

/// Draws the axes, the grid at powers of ten, and the titles of the axes.
fn draw_frame(marks: &mut Vec<Mark>, frame: &Frame) {
    frame.x_ticks(marks, ticks(&frame.x, 6, short), 15.0);
    // The last label ends at the edge of the plot. Around its tick, it would leave the picture.
    if let Some(Mark { shape: Shape::Text { anchor, .. }, .. }) = marks.last_mut() {
        *anchor = Anchor::End;
    }
    frame.y_ticks(marks, ticks(&frame.y, 6, short));
    marks.extend([
        frame.axes(),
        frame.y_title(10.0, "TFLOP/s of each op"),
        frame.x_title(31.0, "FLOP per byte of HBM"),
    ]);
}

/// Draws the roofs: HBM bandwidth on the left, the peak of the matrix units on the right.
fn roofs(marks: &mut Vec<Mark>, frame: &Frame) {
    let (low, ridge) = (frame.x.domain().0, PEAK * 1e3 / BANDWIDTH);
    let slope = [frame.point(low, low * BANDWIDTH / 1e3), frame.point(ridge, PEAK)];
    let flat = (frame.area.right(), slope[1].1);
    let wall = vec![
        slope[0],
        slope[1],
        flat,
        (flat.0, flat.1 - WALL),
        (slope[1].0 - WALL / 2.0, slope[1].1 - WALL),
        (slope[0].0, slope[0].1 - WALL * 1.6),
    ];
    marks.push(Mark::new(Shape::Path(wall, true), Paint { pattern: Some(Pattern::Wall), ..Paint::NONE }.faded(0.7)));
    marks.push(Mark::new(Shape::Path(vec![slope[0], slope[1], flat], false), Paint::stroke(Tone::Ink, 1.75)));
    marks.push(text(flat.0, flat.1 - WALL - 5.0, Anchor::End, format!("bf16 peak {PEAK:.1} TFLOP/s"), Tone::Ink));
    let middle = (slope[0].0.midpoint(slope[1].0), slope[0].1.midpoint(slope[1].1));
    marks.push(text(middle.0 - 18.0, middle.1 - 12.0, Anchor::End, "HBM 2,765 GB/s".to_owned(), Tone::Ink));
}

/// Returns the mark of an op. Its area is proportional to its time. A circle is a matrix multiplication, a square is an
/// elementwise op; 1.77 ≈ √π gives both shapes the same area.
fn mark(op: &Op, frame: &Frame, width: f64) -> Mark {
    let (x, y) = frame.point(op.intensity, op.rate);
    let r = (op.ms / OPS[0].ms).sqrt() * (width / 60.0).clamp(6.0, 13.0);
    let tone = Tone::Kind(TimePart::Kind(Kind::Compute));
    let paint = Paint { fill: Some(tone), stroke: Some(tone), ..Paint::NONE }.faded(0.6);
    let side = r * 1.77;
    let shape =
        if op.is_matmul { Shape::Circle { x, y, r } } else { Shape::rect(x - side / 2.0, y - side / 2.0, side, side) };
    Mark::new(shape, paint)
}

/// Draws the diamond of the whole step, and labels one op of each shape.
fn labels(marks: &mut Vec<Mark>, frame: &Frame) {
    let words = |op: &Op| format!("{:.0} % of the roof", op.of_roof() * 100.0);
    let ((x, y), right) = (frame.point(STEP.intensity, STEP.rate), frame.area.right());
    let paint = Paint { fill: Some(Tone::Ground), stroke: Some(Tone::Ink), width: 1.75, ..Paint::NONE };
    marks.push(Mark::new(MarkShape::Diamond.to_shape(x, y, 7.0), paint));
    let share = format!("{:.0} %", STEP.rate / PEAK * 100.0);
    let wordings = [format!("whole step: {share} of peak (HFU)"), format!("step: {share} of peak"), share];
    if let Some(words) = label::fit(&wordings, Size::Micro.px(), right - x - 13.0) {
        marks.push(text(x + 13.0, y + 16.0, Anchor::Start, words.to_owned(), Tone::Ink));
    }
    for (n, name, across, down) in LABELS {
        let Some(op) = OPS.get(n) else { continue };
        let from = frame.point(op.intensity, op.rate);
        let to = (from.0 + across, from.1 + down);
        // A label that does not fit into the width is left out.
        if label::width(name, Size::Micro.px()) > right - to.0 - 3.0 {
            continue;
        }
        marks.push(Mark::new(Shape::line(from.0, from.1, to.0, to.1), Paint::stroke(Tone::Ink3, 1.0)));
        marks.push(text(to.0 + 3.0, to.1 + 4.0, Anchor::Start, name.to_owned(), Tone::Ink));
        marks.push(text(to.0 + 3.0, to.1 + 18.0, Anchor::Start, words(op), Tone::Ink3));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_within_the_picture() {
        for width in [300.0, 520.0, 1000.0] {
            let scene = scene(width);
            assert!(scene.marks.len() > OPS.len());
            for mark in &scene.marks {
                let Shape::Text { text, .. } = &mark.shape else { continue };
                let bounds = mark.shape.bounds();
                assert!(bounds.x >= -1.0 && bounds.x + bounds.width <= width + 1.0, "{text} at {width}: {bounds:?}");
            }
        }
    }

    #[test]
    fn no_op_of_the_picture_is_above_its_roof() {
        assert!(OPS.iter().all(|op| op.of_roof() < 1.0 && op.of_roof() > 0.05));
        assert!(OPS.windows(2).all(|pair| pair[0].ms >= pair[1].ms), "the longest come first");
    }
}
