//! This module draws the rows of a comparison as points: the time of A to the right, the time of B upwards, both on logarithmic
//! scales with the same ends. Points on the diagonal take the same time on both sides.

use super::figures::is_noise;
use crate::analysis::compare::{Comparison, RowDot, Verdict};
use crate::chart::plot::label;
use crate::chart::plot::label_placement::{Candidate, Obstacle, place_labels};
use crate::chart::plot::paint::{Paint, Tone};
use crate::chart::plot::popover_position::Rect;
use crate::chart::plot::scale::Scale;
use crate::chart::plot::scene::{Anchor, Mark, Scene, SceneTable, Shape, Size};
use crate::chart::plot::ticks::{Tick, plain, ticks};
use crate::chart::widgets::tip::Tip;
use crate::protocol::CompareDots;
use crate::table::format::{self, TimeUnit, middle_cut, signed_time};
use crate::units::Picos;
use std::cmp::Reverse;

/// Margins in px: for the labels of the axes.
const LEFT: f64 = 52.0;
const BOTTOM: f64 = 34.0;
const TOP: f64 = 10.0;
const RIGHT: f64 = 22.0;
/// Radii in px: of the row with the largest difference, and of the smallest point.
const LARGEST: f64 = 9.0;
const SMALLEST: f64 = 2.5;
/// Number of points with labels, which are those of the largest differences.
const NAMED: usize = 8;
/// Rows below this share of the longest one set no end of the axes. They are drawn at the edge.
const SMALL: f64 = 1e-5;
/// Largest number of letters of a label.
const LETTERS: usize = 34;

/// Draws the points. The id of a mark is the index of its row. `None` without rows, or without room.
pub fn scatter(comparison: &Comparison, rows: &CompareDots, (width, height): (f64, f64)) -> Option<Scene> {
    let unit = TimeUnit::for_largest(Picos(rows.dots.iter().map(|dot| dot.a_ps.max(dot.b_ps)).max()?));
    let frame = Rect { x: LEFT, y: TOP, width: width - LEFT - RIGHT, height: height - TOP - BOTTOM };
    if frame.width < 40.0 || frame.height < 40.0 {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "places on the screen")]
    let in_unit = |ps: u64| ps as f64 / unit.in_ps() as f64;
    let times = || rows.dots.iter().flat_map(|dot| [in_unit(dot.a_ps), in_unit(dot.b_ps)]);
    let high = times().fold(0.0, f64::max);
    let low = times().filter(|time| *time >= high * SMALL).fold(high, f64::min);
    let ends = Scale::log_around(low, high, (0.0, 1.0)).domain();
    let x = Scale::log(ends, (frame.x, frame.x + frame.width));
    let y = Scale::log(ends, (frame.y + frame.height, frame.y));
    let mut marks = Vec::new();
    grid(&mut marks, &x, &y, frame, unit);
    let largest = rows.dots.iter().map(delta).map(i64::unsigned_abs).max().unwrap_or(0).max(1);
    let is_noise = is_noise(comparison.verdict);
    let spot = |dot: &RowDot| (x.to(x.clamp(in_unit(dot.a_ps))), y.to(y.clamp(in_unit(dot.b_ps))));
    #[expect(clippy::cast_precision_loss, reason = "sizes on the screen")]
    let radius = |dot: &RowDot| ((delta(dot).unsigned_abs() as f64 / largest as f64).sqrt() * LARGEST).max(SMALLEST);
    let mut order: Vec<usize> = (0..rows.dots.len()).collect();
    // Small points are drawn on top of large ones.
    order.sort_by_key(|at| Reverse(delta(&rows.dots[*at]).unsigned_abs()));
    let mut obstacles = vec![Obstacle::Line((frame.x, frame.y + frame.height), (frame.x + frame.width, frame.y))];
    for at in &order {
        let dot = &rows.dots[*at];
        let ((x, y), r) = (spot(dot), radius(dot));
        let tone = match dot.verdict {
            Verdict::Regression if !is_noise => Tone::Worse,
            Verdict::Improvement if !is_noise => Tone::Better,
            _ => Tone::Ink3,
        };
        let circle = Shape::Circle { x, y, r };
        marks.push(Mark::for_datum(*at as u32, sentence(dot), circle.clone(), Paint::fill(tone).faded(0.5)));
        marks.push(Mark::new(circle, Paint::stroke(tone, 1.0)));
        obstacles.push(Obstacle::Box(Rect { x: x - r, y: y - r, width: 2.0 * r, height: 2.0 * r }));
    }
    let named: Vec<usize> = order.iter().copied().filter(|at| delta(&rows.dots[*at]) != 0).take(NAMED).collect();
    let text = |at: &usize| middle_cut(&rows.dots[*at].name, LETTERS);
    let candidate = |(rank, at): (usize, &usize)| {
        let (x, y) = spot(&rows.dots[*at]);
        let size = Size::Micro.px();
        let width = label::mono_width(&text(at), size) + 2.0;
        Candidate {
            priority: (NAMED - rank) as u32,
            x,
            y,
            away: radius(&rows.dots[*at]) + 3.0,
            width,
            height: size + 3.0,
        }
    };
    let candidates: Vec<Candidate> = named.iter().enumerate().map(candidate).collect();
    for (at, place) in named.iter().zip(place_labels(&candidates, &obstacles, frame)) {
        let Some(place) = place else { continue };
        let (anchor, size) = (Anchor::Start, Size::Micro);
        let shape = Shape::Text {
            x: place.x + 1.0,
            y: place.y + size.px(),
            text: text(at),
            anchor,
            size,
            mono: true,
            halo: true,
        };
        marks.push(Mark::new(shape, Paint::fill(Tone::Ink2)));
    }
    Some(Scene {
        width,
        height,
        marks,
        title: format!(
            "Time of {} in A and in B, both on logarithmic scales.",
            format::counted(rows.dots.len() as u64, "row", "rows")
        ),
        table: table(rows, unit),
    })
}

fn delta(dot: &RowDot) -> i64 {
    dot.b_ps.cast_signed().saturating_sub(dot.a_ps.cast_signed())
}

fn sentence(dot: &RowDot) -> String {
    let time = |ps: u64| format::time_text(Picos(ps));
    format!("{}: {} in A, {} in B, {}", dot.name, time(dot.a_ps), time(dot.b_ps), dot.verdict.label())
}

/// Draws the frame, the ticks of both axes, and the diagonal.
fn grid(marks: &mut Vec<Mark>, x: &Scale, y: &Scale, frame: Rect, unit: TimeUnit) {
    let (right, bottom) = (frame.x + frame.width, frame.y + frame.height);
    let line = |x1, y1, x2, y2, tone| Mark::new(Shape::line(x1, y1, x2, y2), Paint::stroke(tone, 1.0));
    let text = |x, y, anchor, text: String| Mark::new(Shape::text(x, y, anchor, text), Paint::fill(Tone::Ink3));
    for Tick { at, label, .. } in ticks(x, 8, plain) {
        marks.push(line(at, frame.y, at, bottom, Tone::Grid));
        marks.push(text(at, bottom + 14.0, Anchor::Middle, label));
    }
    for Tick { at, label, .. } in ticks(y, 6, plain) {
        marks.push(line(frame.x, at, right, at, Tone::Grid));
        marks.push(text(frame.x - 6.0, at + 4.0, Anchor::End, label));
    }
    marks.push(line(frame.x, bottom, right, bottom, Tone::Line2));
    marks.push(line(frame.x, frame.y, frame.x, bottom, Tone::Line2));
    marks.push(line(frame.x, bottom, right, frame.y, Tone::Edge));
    let symbol = unit.symbol();
    marks.push(text(right, bottom + 29.0, Anchor::End, format!("time in A, {symbol}")));
    marks.push(text(
        frame.x + 6.0,
        frame.y + 12.0,
        Anchor::Start,
        format!("time in B, {symbol}: above the diagonal, B is slower"),
    ));
}

fn table(rows: &CompareDots, unit: TimeUnit) -> SceneTable {
    let symbol = unit.symbol();
    let heads = [
        "Op".to_owned(),
        format!("A, {symbol}"),
        format!("B, {symbol}"),
        format!("Difference, {symbol}"),
        "Verdict".to_owned(),
    ];
    let row = |dot: &RowDot| {
        let time = |ps: u64| format::time(Picos(ps), unit);
        vec![
            dot.name.clone(),
            time(dot.a_ps),
            time(dot.b_ps),
            signed_time(delta(dot), unit),
            dot.verdict.label().to_owned(),
        ]
    };
    SceneTable { heads: heads.into(), rows: rows.dots.iter().map(row).collect() }
}

/// Builds the tooltip of a point.
pub fn dot_tip(dot: &RowDot) -> Tip {
    let time = |ps: u64| format::time_text(Picos(ps));
    let rows = [
        ("A", time(dot.a_ps)),
        ("B", time(dot.b_ps)),
        ("Difference", format::signed_time_text(delta(dot))),
        ("Kind", dot.kind.label().to_owned()),
        ("Verdict", dot.verdict.label().to_owned()),
    ];
    Tip { title: dot.name.clone(), rows: rows.map(|(label, value)| (label.to_owned(), value)).into() }
}

/// Returns how many rows are left out: "the longest 2,000 of 5,432 rows". `None` if all are drawn.
pub fn left_out(rows: &CompareDots) -> Option<String> {
    let n = rows.dots.len() as u64;
    (n < rows.n_rows).then(|| {
        format!("the {} with the longest times, of {}", format::counted(n, "row", "rows"), format::count(rows.n_rows))
    })
}
