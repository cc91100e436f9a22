//! This module draws the chart: axes, roofs, a mark for each row in the shape of its group, sums as hollow diamonds,
//! and labels. The texts are in `labels`.
//!
//! Labels are placed by priority: selected rows, sums, rows with large potential savings, rows above their roof, rows
//! at the edge. The id of a mark is an index in [`Dots::all`].

use super::axes;
use super::ceilings::Ceilings;
use super::dots::{Dot, Dots};
use super::options::ChartOptions;
use super::work_group::WorkGroup;
use super::{labels, roofs};
use crate::analysis::classify::Kind;
use crate::chart::plot::frame::Frame;
use crate::chart::plot::label;
use crate::chart::plot::label_placement::{self, Candidate, Obstacle};
use crate::chart::plot::mark_shape::MarkShape;
use crate::chart::plot::paint::{Paint, Tone};
use crate::chart::plot::popover_position::Rect;
use crate::chart::plot::scene::{Anchor, Mark, Scene, Shape, Size};
use crate::chart::plot::time_part::TimePart;
use std::cmp::Reverse;
use xla_profile::small_sort::SmallSort;

/// Radii in px: of the row with the most time, of that row on narrow charts, and of the smallest mark.
const LARGEST: f64 = 14.0;
const NARROW: f64 = 9.0;
const SMALLEST: f64 = 2.2;
/// Half of the diagonal of a sum's diamond, in px.
const SUM: f64 = 7.0;
/// Largest radius of a row at the edge, and length of its arrow, which points to the actual position. In px.
const PINNED: f64 = 5.0;
const PIN: f64 = 7.0;
/// Rows at the edge with at least this fraction of the time get a label.
const MENTIONED: f64 = 1e-3;
/// Number of rows that get a label for their potential savings.
const NAMED: usize = 8;
const COMPUTE: Tone = Tone::Kind(TimePart::Kind(Kind::Compute));

/// Position and size of a mark, in px.
struct Spot<'a> {
    index: usize,
    dot: &'a Dot,
    x: f64,
    y: f64,
    r: f64,
    /// Direction from the edge to the actual position, if that is outside of the axes; right and down are positive.
    beyond: Option<(f64, f64)>,
}

/// Draws the chart. `subject` names the device and the step: "TPU:0, step 3".
pub fn scene(dots: &Dots, ceilings: &Ceilings, options: &ChartOptions, subject: &str) -> Scene {
    let (width, height) = options.size;
    let frame = axes::frame(options.window, options.size);
    let (mut marks, mut obstacles) = (Vec::new(), Vec::new());
    axes::draw(&mut marks, &frame, options.level.label());
    roofs::draw(&mut marks, &frame, ceilings, &mut obstacles);
    let spots = spots(dots, &frame, options);
    for spot in &spots {
        let is_selected = options.selected.contains(&spot.dot.key);
        draw(&mut marks, spot, is_selected);
        obstacles.push(Obstacle::Box(bounding_box(spot)));
    }
    labels(&mut marks, frame.area, &spots, options, &obstacles);
    Scene {
        width,
        height,
        marks,
        title: labels::title(dots, ceilings, subject),
        table: labels::table(dots, options.level),
    }
}

/// Returns the visible marks, the largest first, so that small marks are drawn on top. Sums come last.
fn spots<'a>(dots: &'a Dots, frame: &Frame, options: &ChartOptions) -> Vec<Spot<'a>> {
    let most = dots.all.iter().filter(|dot| dot.group.is_some()).map(|dot| dot.roof.total.as_f64()).fold(1.0, f64::max);
    let largest = if options.size.0 < 480.0 { NARROW } else { LARGEST };
    let spot = |(index, dot): (usize, &'a Dot)| {
        let place = frame.point(dot.x, dot.y);
        let hidden = dot.group.is_some_and(|group| options.hidden.contains(&group));
        let r = match dot.group {
            Some(_) => (dot.roof.total.as_f64() / most).sqrt() * largest,
            None => SUM,
        };
        if frame.holds(place) {
            return (!hidden).then(|| Spot { index, dot, x: place.0, y: place.1, r: r.max(SMALLEST), beyond: None });
        }
        let is_pinned = options.pinned && dot.group.is_some() && !hidden;
        is_pinned.then(|| {
            let r = r.clamp(SMALLEST, PINNED);
            let (x, y) = nearest_inside(frame.area, place, PIN + r);
            let sign = |to: f64, from: f64| if (to - from).abs() > PIN + r { (to - from).signum() } else { 0.0 };
            Spot { index, dot, x, y, r, beyond: Some((sign(place.0, x), sign(place.1, y))) }
        })
    };
    let mut spots: Vec<Spot<'_>> = dots.all.iter().enumerate().filter_map(spot).collect();
    spots.small_sort_by_key(|spot| (spot.dot.group.is_none(), std::cmp::Reverse(spot.dot.roof.total), spot.index));
    spots
}

/// Returns the point nearest to the given one that is at least `inset` px inside an area.
fn nearest_inside(area: Rect, (x, y): (f64, f64), inset: f64) -> (f64, f64) {
    let (across, down) = (inset.min(area.width / 2.0), inset.min(area.height / 2.0));
    (x.clamp(area.x + across, area.right() - across), y.clamp(area.y + down, area.bottom() - down))
}

fn bounding_box(spot: &Spot<'_>) -> Rect {
    Rect { x: spot.x - spot.r, y: spot.y - spot.r, width: spot.r * 2.0, height: spot.r * 2.0 }
}

fn shape(spot: &Spot<'_>) -> Shape {
    let Spot { x, y, r, .. } = *spot;
    spot.dot.group.map_or(MarkShape::Diamond, WorkGroup::mark_shape).to_shape(x, y, r)
}

/// Returns the arrow of a row at the edge. `None` for other marks.
fn arrow(spot: &Spot<'_>) -> Option<Shape> {
    let (dx, dy) = spot.beyond?;
    let length = dx.hypot(dy);
    if length <= 0.0 {
        return None;
    }
    let (dx, dy) = (dx / length, dy / length);
    let point = |along: f64, across: f64| (spot.x + dx * along - dy * across, spot.y + dy * along + dx * across);
    let (near, far) = (spot.r + 2.0, spot.r + PIN);
    Some(Shape::Path(vec![point(far, 0.0), point(near, 3.5), point(near, -3.5)], true))
}

fn draw(marks: &mut Vec<Mark>, spot: &Spot<'_>, is_selected: bool) {
    let id = u32::try_from(spot.index).unwrap_or(u32::MAX);
    let words = labels::sentence(spot.dot);
    let drawn = shape(spot);
    if let Some(arrow) = arrow(spot) {
        marks.push(Mark::new(arrow, Paint::fill(Tone::Ink2)));
    }
    if is_selected {
        let ring = Shape::Circle { x: spot.x, y: spot.y, r: spot.r + 4.0 };
        marks.push(Mark::new(ring.clone(), Paint::fill(Tone::Accent).faded(0.35)));
        marks.push(Mark::new(ring, Paint::stroke(Tone::AccentLine, 2.5)));
    }
    match spot.dot.group {
        None => {
            marks.push(Mark::for_datum(id, words, drawn.clone(), Paint::fill(Tone::Ground)));
            marks.push(Mark::new(drawn, Paint::stroke(Tone::Ink, 1.75)));
        }
        // A row above its roof has a wrong cost estimate; it is hollow and dashed.
        Some(_) if spot.dot.roof.is_above() => {
            marks.push(Mark::for_datum(id, words, drawn.clone(), Paint::fill(Tone::Ground).faded(0.5)));
            marks.push(Mark::new(drawn, Paint::stroke(COMPUTE, 1.5).dashed()));
        }
        Some(_) => {
            marks.push(Mark::for_datum(id, words, drawn.clone(), Paint::fill(COMPUTE).faded(0.45)));
            marks.push(Mark::new(drawn, Paint::stroke(COMPUTE, 1.0)));
        }
    }
}

/// Draws labels near the marks that matter. Labels do not cover marks, roofs or other labels.
fn labels(marks: &mut Vec<Mark>, area: Rect, spots: &[Spot<'_>], options: &ChartOptions, obstacles: &[Obstacle]) {
    let mut by_gap: Vec<&Spot<'_>> = spots.iter().filter(|spot| spot.dot.group.is_some()).collect();
    by_gap.small_sort_by_key(|spot| Reverse(spot.dot.roof.recoverable));
    let named = by_gap.into_iter().filter(|spot| spot.dot.roof.recoverable.0 > 0).take(NAMED).map(|spot| spot.index);
    let named: Vec<usize> = named.collect();
    let all: f64 = spots.iter().filter(|spot| spot.dot.group.is_some()).map(|spot| spot.dot.roof.total.as_f64()).sum();
    let mut wanted: Vec<(&Spot<'_>, u32, String)> = Vec::new();
    for spot in spots {
        let is_selected = options.selected.len() <= NAMED && options.selected.contains(&spot.dot.key);
        let rank = named.iter().position(|index| *index == spot.index);
        let priority = match (is_selected, spot.dot.group, rank) {
            (true, ..) => 100,
            (_, None, _) => 60,
            (_, Some(_), Some(rank)) => 50 - u32::try_from(rank).unwrap_or(0),
            // Many rows with little time can be above their roofs or side by side at the edge. Only those with some time get a
            // label.
            _ if spot.dot.roof.total.as_f64() < all * MENTIONED => continue,
            _ if spot.dot.roof.is_above() => 40,
            _ if spot.beyond.is_some() => 30,
            _ => continue,
        };
        wanted.push((spot, priority, labels::label(spot.dot)));
    }
    // A label is beside its mark, or farther away with a line to the mark.
    let mut taken = obstacles.to_vec();
    for away in AWAY {
        let candidates: Vec<Candidate> = wanted.iter().map(|wish| candidate(wish, away)).collect();
        let places = label_placement::place_labels(&candidates, &taken, area);
        let mut rest = Vec::new();
        for (wish, place) in wanted.into_iter().zip(places) {
            let line = place.filter(|_| away > AWAY[0]).map(|place| leader(wish.0, place));
            let crosses = line.is_some_and(|line| obstacles.iter().any(|other| crosses(line, other)));
            let Some(place) = place.filter(|_| !crosses) else {
                rest.push(wish);
                continue;
            };
            taken.push(Obstacle::Box(place));
            if let Some(((x1, y1), (x2, y2))) = line {
                marks.push(Mark::new(Shape::line(x1, y1, x2, y2), Paint::stroke(Tone::Ink3, 1.0)));
            }
            let tone = if wish.0.dot.group.is_none() { Tone::Ink } else { Tone::Ink2 };
            marks.push(label_mark(wish.2, place, tone));
        }
        wanted = rest;
    }
    // Labels of sums may cover marks of rows, but no roof and no other label.
    let placed = taken.split_off(obstacles.len());
    let roofs = obstacles.iter().filter(|obstacle| matches!(obstacle, Obstacle::Line(..)));
    let taken: Vec<Obstacle> = roofs.copied().chain(placed).collect();
    label_sums(marks, area, wanted, taken);
}

/// Draws short labels of the sums that have no room for the whole label.
fn label_sums(marks: &mut Vec<Mark>, area: Rect, left: Vec<(&Spot<'_>, u32, String)>, mut taken: Vec<Obstacle>) {
    for (spot, priority, _) in left.into_iter().filter(|(spot, ..)| spot.dot.group.is_none()) {
        let label = (spot, priority, labels::short_label(spot.dot));
        let place = AWAY.into_iter().find_map(|away| {
            label_placement::place_labels(&[candidate(&label, away)], &taken, area).into_iter().next().flatten()
        });
        let Some(place) = place else { continue };
        taken.push(Obstacle::Box(place));
        marks.push(label_mark(label.2, place, Tone::Ink));
    }
}

/// Returns the text of a label at its place.
fn label_mark(text: String, place: Rect, tone: Tone) -> Mark {
    let shape = Shape::text(place.x, place.y + Size::Micro.px(), Anchor::Start, text);
    Mark::new(shape.with_halo(), Paint::fill(tone))
}

/// Distances of labels from the edges of their marks in px, in the order in which they are tried.
const AWAY: [f64; 6] = [5.0, 22.0, 44.0, 72.0, 104.0, 140.0];

fn candidate((spot, priority, text): &(&Spot<'_>, u32, String), away: f64) -> Candidate {
    let size = Size::Micro.px();
    let (width, height) = (label::width(text, size), size + 3.0);
    Candidate { priority: *priority, x: spot.x, y: spot.y, away: spot.r + away, width, height }
}

type Line = ((f64, f64), (f64, f64));

/// Returns the line from the edge of a mark to the nearest point of its label.
fn leader(spot: &Spot<'_>, label: Rect) -> Line {
    let (x, y) = (spot.x.clamp(label.x, label.x + label.width), spot.y.clamp(label.y, label.y + label.height));
    let (dx, dy) = (x - spot.x, y - spot.y);
    let part = spot.r / dx.hypot(dy).max(spot.r);
    ((spot.x + dx * part, spot.y + dy * part), (x, y))
}

/// Returns true if a line crosses a roof.
fn crosses((a, b): Line, other: &Obstacle) -> bool {
    let Obstacle::Line(c, d) = other else { return false };
    let side = |(px, py): (f64, f64), (qx, qy): (f64, f64), (rx, ry): (f64, f64)| {
        (qx - px) * (ry - py) - (qy - py) * (rx - px)
    };
    (side(a, b, *c) > 0.0) != (side(a, b, *d) > 0.0) && (side(*c, *d, a) > 0.0) != (side(*c, *d, b) > 0.0)
}

/// Returns the keys of the rows whose marks have their centre inside a rectangle.
pub fn brushed(dots: &Dots, options: &ChartOptions, area: Rect) -> Vec<String> {
    let spots = spots(dots, &axes::frame(options.window, options.size), options);
    let inside = spots.iter().filter(|spot| spot.dot.group.is_some() && area.distance(spot.x, spot.y) <= 0.0);
    inside.map(|spot| spot.dot.key.clone()).collect()
}
