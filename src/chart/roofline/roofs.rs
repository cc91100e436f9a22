//! This module draws the roofs: the compute peak of each data type, the bandwidth of each memory, and the ridge point
//! of the highest peak and the selected memory. It does not depend on ops.

use super::ceilings::Ceilings;
use super::clip;
use crate::analysis::roofline::Level;
use crate::chart::plot::frame::Frame;
use crate::chart::plot::label;
use crate::chart::plot::label_placement::Obstacle;
use crate::chart::plot::paint::{Paint, Pattern, Tone};
use crate::chart::plot::popover_position::Rect;
use crate::chart::plot::scene::{Anchor, Mark, Shape, Size};
use crate::table::format;

/// Width of the hatched band above the roofs, in px.
const WALL: f64 = 11.0;

/// Draws roofs, hatched band and ridge. Adds the areas that labels must not cover to `obstacles`.
pub(super) fn draw(marks: &mut Vec<Mark>, frame: &Frame, ceilings: &Ceilings, obstacles: &mut Vec<Obstacle>) {
    if let (Some(top), Some((_, bytes))) = (ceilings.top(), ceilings.memory) {
        wall(marks, frame, top, bytes);
    }
    // A slope that leaves the frame at the left is clipped where it crosses the bottom edge.
    let (low, high) = frame.x.domain();
    let (near, far) = (low / 10.0, high.max(ceilings.ridge().unwrap_or(0.0)) * 10.0);
    let mut line = |from: (f64, f64), to: (f64, f64), paint: Paint| {
        let ((x1, y1), (x2, y2)) = clip::line(frame.point(from.0, from.1), frame.point(to.0, to.1), frame.area)?;
        marks.push(Mark::new(Shape::line(x1, y1, x2, y2), paint));
        obstacles.push(Obstacle::Line((x1, y1), (x2, y2)));
        Some(((x1, y1), (x2, y2)))
    };
    let mut texts = Vec::new();
    for (level, bytes) in &ceilings.others {
        let end = ceilings.top().map_or(far, |top| (top / bytes).min(far));
        if let Some((from, to)) =
            line((near, near * bytes), (end, end * bytes), Paint::stroke(Tone::Ink3, 1.0).dashed())
        {
            texts.push((slope_label(frame, from, to, *level, *bytes), Tone::Ink3));
        }
    }
    for (index, (precision, flops)) in ceilings.compute.iter().enumerate() {
        let start = ceilings.memory.map_or(near, |(_, bytes)| flops / bytes);
        let (tone, width) = if index == 0 { (Tone::Ink, 1.75) } else { (Tone::Ink2, 1.25) };
        if let Some((_, to)) = line((start, *flops), (far, *flops), Paint::stroke(tone, width)) {
            let text = format!("{} peak {} TFLOP/s", precision.label(), format::tflops(*flops));
            let above = if index == 0 { WALL + 5.0 } else { 5.0 };
            texts.push((Some((to.0 - 2.0, to.1 - above, text, Anchor::End)), tone));
        }
    }
    if let Some((level, bytes)) = ceilings.memory {
        let end = ceilings.ridge().unwrap_or(far);
        if let Some((from, to)) = line((near, near * bytes), (end, end * bytes), Paint::stroke(Tone::Ink, 1.75)) {
            texts.push((slope_label(frame, from, to, level, bytes), Tone::Ink));
        }
    }
    if let (Some(ridge), Some(top)) = (ceilings.ridge(), ceilings.top()) {
        let foot = frame.y.domain().0;
        if let Some((from, to)) = line((ridge, foot), (ridge, top), Paint::stroke(Tone::Ink3, 1.0).dashed()) {
            let text = format!("ridge {}", format::decimal(ridge, 1));
            let left = from.0 - label::width(&text, Size::Micro.px()) - 6.0 > frame.area.x;
            let (x, anchor) = if left { (from.0 - 6.0, Anchor::End) } else { (from.0 + 6.0, Anchor::Start) };
            texts.push((Some((x, from.1.max(to.1) - 6.0, text, anchor)), Tone::Ink3));
        }
    }
    for (label, tone) in texts {
        let Some((x, y, text, anchor)) = label else { continue };
        let shape = Shape::text(x, y, anchor, text).with_halo();
        let bounds = shape.bounds();
        // If two roofs are close to each other, the first one keeps its label.
        let taken = obstacles.iter().any(|o| matches!(o, Obstacle::Box(other) if other.overlaps(bounds)));
        let room = Rect { y: 0.0, height: frame.area.bottom(), ..frame.area };
        if !taken && room.holds(bounds) {
            obstacles.push(Obstacle::Box(bounds));
            marks.push(Mark::new(shape, Paint::fill(tone)));
        }
    }
}

/// Returns the position of a memory roof's label, beyond the hatched band, where there are no ops. `None` if the label
/// does not fit.
fn slope_label(
    frame: &Frame,
    from: (f64, f64),
    to: (f64, f64),
    level: Level,
    bytes: f64,
) -> Option<(f64, f64, String, Anchor)> {
    let name = level.label();
    let text = format!("{name} {} GB/s", format::gbs(bytes));
    let width = label::width(&text, Size::Micro.px());
    // The label ends left of the roof and begins right of the axis: at half of the height, or higher if needed.
    let along = |part: f64| (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
    let room = |(x, _): &(f64, f64)| x - 20.0 - width >= frame.area.x + 2.0;
    let (x, y) = [0.5, 0.6, 0.7, 0.8, 0.9].into_iter().map(along).find(room)?;
    Some((x - 20.0, y, text, Anchor::End))
}

/// Draws the hatched band above the roofs.
fn wall(marks: &mut Vec<Mark>, frame: &Frame, top: f64, bytes: f64) {
    let domain = frame.x.domain();
    let ridge = top / bytes;
    let (low, high) = (domain.0.min(ridge) / 10.0, domain.1.max(ridge) * 10.0);
    let (start, corner, end) = (frame.point(low, low * bytes), frame.point(ridge, top), frame.point(high, top));
    let (dx, dy) = (corner.0 - start.0, corner.1 - start.1);
    let length = dx.hypot(dy);
    if length <= 0.0 {
        return;
    }
    // The normal of the slope, to the left in the upward direction.
    let (nx, ny) = (dy / length * WALL, -dx / length * WALL);
    // The outer edges of the band meet on the outer edge of the slope, at the height of the outer edge of the flat
    // part.
    let height = corner.1 - WALL;
    let part = (height - start.1 - ny) / dy;
    let meet = (start.0 + nx + dx * part, height);
    let band = [start, corner, end, (end.0, height), meet, (start.0 + nx, start.1 + ny)];
    let visible = clip::polygon(&band, frame.area);
    if visible.len() > 2 {
        marks.push(Mark::new(
            Shape::Path(visible, true),
            Paint { pattern: Some(Pattern::Wall), ..Paint::NONE }.faded(0.7),
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::roofline::Precision;
    use crate::chart::roofline::axes::{self, AxisWindow};

    fn ceilings() -> Ceilings {
        Ceilings {
            compute: vec![(Precision::Int8, 394e12), (Precision::Bf16, 197e12)],
            memory: Some((Level::Hbm, 819e9)),
            others: vec![(Level::VmemRead, 9e12)],
        }
    }

    fn drawn(window: AxisWindow) -> Vec<Mark> {
        let (mut marks, mut obstacles) = (Vec::new(), Vec::new());
        draw(&mut marks, &axes::frame(window, (700.0, 500.0)), &ceilings(), &mut obstacles);
        marks
    }

    fn texts(marks: &[Mark]) -> Vec<String> {
        let text = |mark: &Mark| match &mark.shape {
            Shape::Text { text, .. } => Some(text.clone()),
            _ => None,
        };
        marks.iter().filter_map(text).collect()
    }

    #[test]
    fn roofs_have_names_and_meet_at_the_ridge() {
        assert_eq!(ceilings().ridge().map(|ridge| (ridge * 10.0).round()), Some(4811.0));
        let marks = drawn(AxisWindow { x: (0.1, 10_000.0), y: (1e9, 1e15) });
        let texts = texts(&marks);
        for name in ["int8 peak 394.0 TFLOP/s", "bf16 peak 197.0 TFLOP/s", "HBM 819 GB/s", "ridge 481.1"] {
            assert!(texts.iter().any(|text| text == name), "{name}: {texts:?}");
        }
    }

    #[test]
    fn zoomed_in_nothing_leaves_the_frame() {
        for window in [
            AxisWindow { x: (100.0, 200.0), y: (1e13, 1e14) },
            AxisWindow { x: (1.0, 2.0), y: (1e9, 1e10) },
            AxisWindow { x: (1e3, 2e3), y: (3e14, 5e14) },
        ] {
            let area = axes::frame(window, (700.0, 500.0)).area;
            for mark in drawn(window) {
                let bounds = mark.shape.bounds();
                let text = matches!(mark.shape, Shape::Text { .. });
                let inside = bounds.x >= area.x - 0.01 && bounds.right() <= area.right() + 0.01;
                assert!(inside && (text || bounds.y >= area.y - 0.01), "{mark:?}");
            }
        }
    }
}
