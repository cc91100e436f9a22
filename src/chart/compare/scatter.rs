//! This module draws the rows of a comparison as points: the time of A to the right, the time of B upwards, both on logarithmic
//! scales with the same ends. Points on the diagonal take the same time on both sides.

use super::figures::is_noise;
use crate::analysis::compare::{Comparison, RowDot, Verdict};
use crate::chart::plot::frame::{Frame, Margins};
use crate::chart::plot::label;
use crate::chart::plot::label_placement::{Candidate, Obstacle, place_labels};
use crate::chart::plot::paint::{Paint, Tone};
use crate::chart::plot::popover_position::Rect;
use crate::chart::plot::scale::Scale;
use crate::chart::plot::scene::{Anchor, Mark, Scene, SceneTable, Shape, Size};
use crate::chart::plot::ticks::{in_unit, plain, ticks};
use crate::chart::widgets::tip::{Tip, row};
use crate::protocol::CompareDots;
use crate::table::format::{self, TimeUnit, middle_cut, signed_time};
use std::cmp::Reverse;
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

const MARGINS: Margins = Margins { left: 52.0, right: 22.0, top: 10.0, bottom: 34.0 };
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
    let area = MARGINS.area((width, height));
    if area.width < 40.0 || area.height < 40.0 {
        return None;
    }
    let in_unit = |ps: u64| in_unit(Picos(ps), unit);
    let times = || rows.dots.iter().flat_map(|dot| [in_unit(dot.a_ps), in_unit(dot.b_ps)]);
    let high = times().fold(0.0, f64::max);
    let low = times().filter(|time| *time >= high * SMALL).fold(high, f64::min);
    let ends = Scale::log_around(low, high, (0.0, 1.0)).domain();
    let frame = Frame::log(area, ends, ends);
    let mut marks = Vec::new();
    draw_frame(&mut marks, &frame, unit);
    let largest = rows.dots.iter().map(delta).map(i64::unsigned_abs).max().unwrap_or(0).max(1);
    let is_noise = is_noise(comparison.verdict);
    let spot = |dot: &RowDot| frame.point(frame.x.clamp(in_unit(dot.a_ps)), frame.y.clamp(in_unit(dot.b_ps)));
    #[expect(clippy::cast_precision_loss, reason = "sizes on the screen")]
    let radius = |dot: &RowDot| ((delta(dot).unsigned_abs() as f64 / largest as f64).sqrt() * LARGEST).max(SMALLEST);
    let mut order: Vec<usize> = (0..rows.dots.len()).collect();
    // Small points are drawn on top of large ones.
    order.small_sort_by_key(|index| Reverse(delta(&rows.dots[*index]).unsigned_abs()));
    let mut obstacles = vec![Obstacle::Line((area.x, area.bottom()), (area.right(), area.y))];
    for index in &order {
        let dot = &rows.dots[*index];
        let ((x, y), r) = (spot(dot), radius(dot));
        let tone = match dot.verdict {
            Verdict::Regression if !is_noise => Tone::Worse,
            Verdict::Improvement if !is_noise => Tone::Better,
            _ => Tone::Ink3,
        };
        let circle = Shape::Circle { x, y, r };
        marks.push(Mark::for_datum(*index as u32, sentence(dot), circle.clone(), Paint::fill(tone).faded(0.5)));
        marks.push(Mark::new(circle, Paint::stroke(tone, 1.0)));
        obstacles.push(Obstacle::Box(Rect { x: x - r, y: y - r, width: 2.0 * r, height: 2.0 * r }));
    }
    let named: Vec<usize> = order.iter().copied().filter(|index| delta(&rows.dots[*index]) != 0).take(NAMED).collect();
    let text = |index: &usize| middle_cut(&rows.dots[*index].name, LETTERS);
    let candidate = |(rank, index): (usize, &usize)| {
        let (x, y) = spot(&rows.dots[*index]);
        let size = Size::Micro.px();
        let width = label::mono_width(&text(index), size) + 2.0;
        Candidate {
            priority: (NAMED - rank) as u32,
            x,
            y,
            away: radius(&rows.dots[*index]) + 3.0,
            width,
            height: size + 3.0,
        }
    };
    let candidates: Vec<Candidate> = named.iter().enumerate().map(candidate).collect();
    for (index, place) in named.iter().zip(place_labels(&candidates, &obstacles, area)) {
        let Some(place) = place else { continue };
        let shape = Shape::mono_text(place.x + 1.0, place.y + Size::Micro.px(), text(index)).with_halo();
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

/// Draws the ticks of both axes, the axes with their titles, and the diagonal.
fn draw_frame(marks: &mut Vec<Mark>, frame: &Frame, unit: TimeUnit) {
    let Rect { x, y, .. } = frame.area;
    let (right, bottom) = (frame.area.right(), frame.area.bottom());
    frame.x_ticks(marks, ticks(&frame.x, 8, plain), 14.0);
    frame.y_ticks(marks, ticks(&frame.y, 6, plain));
    let diagonal = Mark::new(Shape::line(x, bottom, right, y), Paint::stroke(Tone::Edge, 1.0));
    marks.extend([frame.x_axis(), frame.y_axis(), diagonal]);
    let symbol = unit.symbol();
    let of_a = format!("time in A, {symbol}");
    let of_b = format!("time in B, {symbol}: above the diagonal, B is slower");
    marks.push(frame.text(right, bottom + 29.0, Anchor::End, of_a));
    marks.push(frame.text(x + 6.0, y + 12.0, Anchor::Start, of_b));
}

fn table(rows: &CompareDots, unit: TimeUnit) -> SceneTable {
    let symbol = unit.symbol();
    let [a, b, difference] = ["A", "B", "Difference"].map(|head| format!("{head}, {symbol}"));
    let row = |dot: &RowDot| {
        let time = |ps: u64| format::time(Picos(ps), unit);
        let difference = signed_time(delta(dot), unit);
        [dot.name.clone(), time(dot.a_ps), time(dot.b_ps), difference, dot.verdict.label().to_owned()]
    };
    SceneTable::new(["Op", &a, &b, &difference, "Verdict"], rows.dots.iter().map(row))
}

/// Builds the tooltip of a point.
pub fn dot_tip(dot: &RowDot) -> Tip {
    let time = |ps: u64| format::time_text(Picos(ps));
    let rows = vec![
        row("A", time(dot.a_ps)),
        row("B", time(dot.b_ps)),
        row("Difference", format::signed_time_text(delta(dot))),
        row("Kind", dot.kind.label()),
        row("Verdict", dot.verdict.label()),
    ];
    Tip { title: dot.name.clone(), rows }
}

/// Returns what is not drawn: "the longest 2,000 of 5,432 rows", and ops of one side without a counterpart. `None` if all is drawn.
pub fn left_out(rows: &CompareDots) -> Option<String> {
    let n = rows.dots.len() as u64;
    let longest = (n < rows.n_rows).then(|| {
        format!("the {} with the longest times, of {}", format::counted(n, "row", "rows"), format::count(rows.n_rows))
    });
    let omitted =
        |(name, time): (&str, u64)| (time > 0).then(|| format!("{} only in {name}", format::time_text(Picos(time))));
    let omitted: Vec<String> = ["A", "B"].into_iter().zip(rows.omitted_ps).filter_map(omitted).collect();
    let omitted = (!omitted.is_empty()).then(|| format!("without {}", omitted.join(" and ")));
    let all: Vec<String> = longest.into_iter().chain(omitted).collect();
    (!all.is_empty()).then(|| all.join("; "))
}
