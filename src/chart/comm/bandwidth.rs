//! This module draws the bandwidth of communication against the message size, with the bandwidth of the links as lines.
//! It does not depend on a browser. The id of a mark is the index of its row.
//!
//! ```text
//!  GB/s │ ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄  links, both ways along one axis
//!       │        ●  ▲
//!       │   ●  ■             latency limits small messages, links limit large ones
//!       └──────────────── message
//! ```

use super::steps;
use crate::analysis::comm::{CommRow, Network, Primitive};
use crate::chart::plot::frame::{Frame, Margins};
use crate::chart::plot::label;
use crate::chart::plot::label_placement::{self, Candidate, Obstacle};
use crate::chart::plot::mark_shape::MarkShape;
use crate::chart::plot::paint::{Paint, Tone};
use crate::chart::plot::popover_position::Rect;
use crate::chart::plot::scale::Scale;
use crate::chart::plot::scene::{Anchor, Mark, Scene, SceneTable, Shape, Size};
use crate::chart::plot::ticks::{self, Tick};
use crate::chart::plot::time_part::TimePart;
use crate::chart::widgets::tip::{self, Tip};
use crate::protocol::url::comm::CommRows;
use crate::table::format;
use std::cmp::Reverse;
use xla_profile::small_sort::SmallSort;

const MARGINS: Margins = Margins { left: 44.0, right: 16.0, top: 22.0, bottom: 34.0 };
/// Radius of the row with the most time, and the smallest radius of a mark, in px.
const LARGEST: f64 = 11.0;
const SMALLEST: f64 = 3.5;
/// Rows with less than this fraction of the total time are not drawn. Messages of a few bytes would stretch the axes by
/// many decades.
const TINY: f64 = 2e-3;
/// Number of rows with a name beside their mark.
const NAMED: usize = 6;

/// A row with a known message size and bandwidth.
#[derive(Clone, Copy, Debug)]
struct Spot<'a> {
    id: u32,
    row: &'a CommRow,
    bytes: f64,
    rate: f64,
}

/// Shapes of the marks, each with the primitives that have it, in the order of the legend.
pub const SHAPES: [(MarkShape, &str); 6] = [
    (MarkShape::Circle, "all-reduce"),
    (MarkShape::Triangle, "all-gather"),
    (MarkShape::InvertedTriangle, "reduce-scatter"),
    (MarkShape::Square, "all-to-all"),
    (MarkShape::Cross, "permute, send"),
    (MarkShape::Pentagon, "other"),
];

/// Returns the shape of a row's mark. All copies have the same one.
fn mark_shape(row: &CommRow, comm_rows: CommRows) -> MarkShape {
    if comm_rows == CommRows::Copies {
        return MarkShape::Circle;
    }
    match row.primitive {
        Some(Primitive::AllReduce) => MarkShape::Circle,
        Some(Primitive::AllGather) => MarkShape::Triangle,
        Some(Primitive::ReduceScatter) => MarkShape::InvertedTriangle,
        Some(Primitive::AllToAll | Primitive::RaggedAllToAll) => MarkShape::Square,
        Some(Primitive::Permute | Primitive::Send | Primitive::Recv) => MarkShape::Cross,
        _ => MarkShape::Pentagon,
    }
}

/// Returns the rows that have a message size, a bandwidth, and at least the fraction [`TINY`] of the total time; the
/// longest first.
#[expect(clippy::cast_precision_loss, reason = "a place on the screen")]
fn spots(rows: &[CommRow], comm_rows: CommRows) -> Vec<Spot<'_>> {
    let rate = |row: &CommRow| if comm_rows == CommRows::Copies { row.alg_rate } else { row.bus_rate };
    let mut spots: Vec<Spot<'_>> = (0_u32..)
        .zip(rows)
        .filter_map(|(id, row)| {
            let (bytes, rate) =
                (row.bytes_each.filter(|bytes| *bytes > 0)? as f64, rate(row).filter(|rate| *rate > 0.0)?);
            Some(Spot { id, row, bytes, rate })
        })
        .collect();
    // Large marks come first, so that small marks are drawn on top.
    spots.small_sort_by_key(|spot| Reverse(spot.row.wall));
    let all: f64 = spots.iter().map(|spot| spot.row.wall.as_f64()).sum();
    spots.retain(|spot| spot.row.wall.as_f64() >= all * TINY);
    spots
}

/// Returns the frame around all marks and roofs.
fn frame(spots: &[Spot<'_>], roofs: &[(f64, String)], size: (f64, f64)) -> Frame {
    let ends = |values: &mut dyn Iterator<Item = f64>, usual: (f64, f64)| {
        let ends = values.fold((f64::INFINITY, 0.0), |(lo, hi): (f64, f64), value| (lo.min(value), hi.max(value)));
        if ends.0 <= ends.1 { ends } else { usual }
    };
    let bytes = ends(&mut spots.iter().map(|spot| spot.bytes), (1024.0, 1e9));
    let rates = &mut spots.iter().map(|spot| spot.rate).chain(roofs.iter().map(|(rate, _)| *rate));
    let rates = ends(rates, (1e9, 1e11));
    // The axes are logarithmic, so the room around the outermost marks is a factor.
    Frame::log(MARGINS.area(size), (bytes.0 / 2.0, bytes.1 * 2.0), (rates.0 / 1.6, rates.1 * 2.2))
}

fn draw_frame(marks: &mut Vec<Mark>, frame: &Frame, unit: &str) {
    frame.x_ticks(marks, sizes(&frame.x, if frame.area.width < 360.0 { 4 } else { 8 }), 15.0);
    frame.y_ticks(marks, ticks::ticks(&frame.y, 6, |rate| ticks::plain(rate / 1e9)));
    marks.extend([frame.axes(), frame.y_title(8.0, unit), frame.x_title(31.0, "Message of one execution")]);
}

/// Returns ticks at powers of four bytes, at most `limit` of them.
#[expect(clippy::cast_precision_loss, reason = "powers of two")]
fn sizes(x: &Scale, limit: usize) -> Vec<Tick> {
    let (lo, hi) = x.domain();
    let all: Vec<u64> = (0..30).map(|n| 1_u64 << (2 * n)).filter(|n| (lo..=hi).contains(&(*n as f64))).collect();
    let every = all.len().div_ceil(limit).max(1);
    let tick = |n: &u64| {
        let (size, unit) = format::bytes(*n);
        let label = format!("{} {unit}", size.trim_end_matches(".0"));
        Tick { value: *n as f64, label, position: x.to(*n as f64) }
    };
    all.iter().step_by(every).map(tick).collect()
}

/// Returns each distinct link bandwidth of the rows in bytes per second, with its label, the highest first. The label
/// names the number of topology axes.
fn roofs(rows: &[CommRow]) -> Vec<(f64, String)> {
    let mut roofs: Vec<(f64, String)> = Vec::new();
    for row in rows {
        let Some(peak) = row.peak.filter(|peak| roofs.iter().all(|(other, _)| other != peak)) else { continue };
        let axes = row.group.as_ref().and_then(|group| group.n_axes).unwrap_or(1);
        let links = match row.network {
            Some(Network::Ici) | None => format!("links along {}", format::counted(axes.into(), "axis", "axes")),
            Some(network) => network.key().to_owned(),
        };
        roofs.push((peak, format!("{links}: {} GB/s", format::gbs(peak))));
    }
    roofs.small_sort_by(|(a, _), (b, _)| b.total_cmp(a));
    roofs
}

/// Draws the chart. `chosen` is the index of the selected row; `size` is the width and height in px.
pub fn scene(rows: &[CommRow], comm_rows: CommRows, chosen: Option<u32>, size: (f64, f64)) -> Scene {
    let (spots, roofs) = (spots(rows, comm_rows), roofs(rows));
    let frame = frame(&spots, &roofs, size);
    let mut marks = Vec::new();
    draw_frame(&mut marks, &frame, if comm_rows == CommRows::Copies { "GB/s" } else { "GB/s of the bus" });
    let mut obstacles = Vec::new();
    let (left, right) = (frame.area.x, frame.area.right());
    for (index, (peak, words)) in roofs.iter().enumerate() {
        let y = frame.y.to(*peak);
        marks.push(Mark::new(Shape::line(left, y, right, y), Paint::stroke(Tone::Ink, 1.75)));
        // The highest line has its label above, the other lines have their labels below. Labels are at the left, where
        // messages are small and slow.
        let y = if index == 0 { y - 5.0 } else { y + 13.0 };
        marks.push(Mark::new(Shape::text(left + 6.0, y, Anchor::Start, words.clone()), Paint::fill(Tone::Ink2)));
        obstacles.push(Obstacle::Line((left, y), (right, y)));
    }
    let most = spots.iter().map(|spot| spot.row.wall.as_f64()).fold(1.0, f64::max);
    let tone = Tone::Kind(TimePart::Kind(steps::kind(comm_rows)));
    let radius = |spot: &Spot<'_>| ((spot.row.wall.as_f64() / most).sqrt() * LARGEST).max(SMALLEST);
    for spot in &spots {
        let ((x, y), r) = (frame.point(spot.bytes, spot.rate), radius(spot));
        let shape = mark_shape(spot.row, comm_rows).to_shape(x, y, r);
        if chosen == Some(spot.id) {
            marks.push(Mark::new(Shape::Circle { x, y, r: r + 4.0 }, Paint::fill(Tone::Accent).faded(0.35)));
            marks.push(Mark::new(Shape::Circle { x, y, r: r + 4.0 }, Paint::stroke(Tone::AccentLine, 2.5)));
        }
        marks.push(Mark::for_datum(spot.id, words(spot), shape.clone(), Paint::fill(tone).faded(0.45)));
        marks.push(Mark::new(shape, Paint::stroke(tone, 1.0)));
        obstacles.push(Obstacle::Box(Rect { x: x - r, y: y - r, width: 2.0 * r, height: 2.0 * r }));
    }
    // The rows with the most time get their names.
    let named: Vec<&Spot<'_>> = spots.iter().take(NAMED).collect();
    let candidate = |(rank, spot): (u32, &&Spot<'_>)| {
        let (text, size) = (format::middle_cut(&spot.row.key, 28), Size::Micro.px());
        let ((x, y), away) = (frame.point(spot.bytes, spot.rate), radius(spot) + 5.0);
        Candidate { priority: 100 - rank, x, y, away, width: label::width(&text, size), height: size + 3.0 }
    };
    let candidates: Vec<Candidate> = (0_u32..).zip(&named).map(candidate).collect();
    for (spot, place) in named.iter().zip(label_placement::place_labels(&candidates, &obstacles, frame.area)) {
        let Some(place) = place else { continue };
        let text = format::middle_cut(&spot.row.key, 28);
        let shape = Shape::text(place.x, place.y + Size::Micro.px(), Anchor::Start, text).with_halo();
        marks.push(Mark::new(shape, Paint::fill(Tone::Ink2)));
    }
    Scene { width: size.0, height: size.1, marks, title: title(rows, &spots, &roofs), table: table_of(&spots) }
}

fn words(spot: &Spot<'_>) -> String {
    let (message, rate) = (message(spot.row), format::gbs(spot.rate));
    format!("{}: {message} MiB at {rate} GB/s, {}.", spot.row.key, format::time_text(spot.row.wall))
}

fn title(rows: &[CommRow], spots: &[Spot<'_>], roofs: &[(f64, String)]) -> String {
    let n = format::counted(spots.len() as u64, "row", "rows");
    let without = match rows.len().saturating_sub(spots.len()) {
        0 => String::new(),
        n => format!(" {} without a size or a rate, or of next to no time, are not drawn.", format::count(n as u64)),
    };
    let links: Vec<&str> = roofs.iter().map(|(_, words)| words.as_str()).collect();
    let links = if links.is_empty() { String::new() } else { format!(" {}.", links.join("; ")) };
    format!("Bandwidth by message size: {n}.{links}{without}")
}

/// Returns a sentence about the rows that are not drawn. `None` if all rows are drawn.
pub fn left_out(rows: &[CommRow], comm_rows: CommRows) -> Option<String> {
    let n = rows.len().saturating_sub(spots(rows, comm_rows).len()) as u64;
    (n > 0).then(|| {
        format!(
            "{} not drawn: size or groups are not known, or they take less than 0.2 % of the time.",
            format::counted(n, "row is", "rows are")
        )
    })
}

/// Builds the tooltip of a mark. It has only the figures behind the position and the size of the mark; the tooltip of
/// the table row has all figures.
pub fn tip(rows: &[CommRow], id: u32) -> Option<Tip> {
    let row = rows.get(id as usize)?;
    let rate = |rate: f64| format!("{} GB/s", format::gbs(rate));
    let lines = [
        ("Message", row.message_text()),
        ("Algorithm bandwidth", row.alg_rate.map(rate)),
        ("Bus bandwidth", row.bus_rate.map(rate)),
        ("Network", row.network.map(|network| network.key().to_owned())),
        ("Bandwidth of the network", row.peak.map(rate)),
        ("Time", Some(format::exact_time(row.wall))),
        ("Executions", Some(format::executions(row.n))),
        ("Groups", row.group.as_ref().map(|group| group.text.clone()).filter(|text| !text.is_empty())),
    ];
    let line = |(label, value): (&str, Option<String>)| Some(tip::row(label, value?));
    Some(Tip { title: row.key.clone(), rows: lines.into_iter().filter_map(line).collect() })
}

fn message(row: &CommRow) -> String {
    row.bytes_each.map_or_else(|| format::ABSENT.to_owned(), format::mib)
}

fn table_of(spots: &[Spot<'_>]) -> SceneTable {
    let row = |spot: &Spot<'_>| {
        let primitive = spot.row.primitive.map_or(format::ABSENT, Primitive::key).to_owned();
        let peak = spot.row.util.map_or_else(|| format::ABSENT.to_owned(), format::percent);
        [spot.row.key.clone(), primitive, message(spot.row), format::gbs(spot.rate), peak]
    };
    SceneTable::new(["Row", "Primitive", "Message, MiB", "GB/s", "% of peak"], spots.iter().map(row))
}
