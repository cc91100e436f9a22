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
use crate::chart::plot::label_placement::{self, Candidate, Obstacle};
use crate::chart::plot::paint::{Paint, Tone};
use crate::chart::plot::popover_position::Rect;
use crate::chart::plot::scale::Scale;
use crate::chart::plot::scene::{Anchor, Mark, Scene, SceneTable, Shape, Size};
use crate::chart::plot::time_part::TimePart;
use crate::chart::plot::{label, ticks};
use crate::chart::roofline::Form;
use crate::chart::widgets::tip::Tip;
use crate::protocol::url::comm::CommRows;
use crate::small_sort::SmallSort;
use crate::table::format;
use std::cmp::Reverse;

const LEFT: f64 = 44.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 34.0;
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

/// Forms of the marks, each with the primitives that have it, in the order of the legend.
pub const FORMS: [(Form, &str); 6] = [
    (Form::Matmul, "all-reduce"),
    (Form::Attention, "all-gather"),
    (Form::Kernel, "reduce-scatter"),
    (Form::Elementwise, "all-to-all"),
    (Form::CustomFusion, "permute, send"),
    (Form::Other, "other"),
];

fn form(row: &CommRow) -> Form {
    match row.primitive {
        Some(Primitive::AllReduce) => Form::Matmul,
        Some(Primitive::AllGather) => Form::Attention,
        Some(Primitive::ReduceScatter) => Form::Kernel,
        Some(Primitive::AllToAll | Primitive::RaggedAllToAll) => Form::Elementwise,
        Some(Primitive::Permute | Primitive::Send | Primitive::Recv) => Form::CustomFusion,
        _ => Form::Other,
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

struct Axes {
    x: Scale,
    y: Scale,
    frame: Rect,
}

impl Axes {
    fn new(spots: &[Spot<'_>], roofs: &[(f64, String)], (width, height): (f64, f64)) -> Self {
        let frame =
            Rect { x: LEFT, y: TOP, width: (width - LEFT - RIGHT).max(1.0), height: (height - TOP - BOTTOM).max(1.0) };
        let ends = |values: &mut dyn Iterator<Item = f64>, usual: (f64, f64)| {
            let ends = values.fold((f64::INFINITY, 0.0), |(lo, hi): (f64, f64), value| (lo.min(value), hi.max(value)));
            if ends.0 <= ends.1 { ends } else { usual }
        };
        // The axes are logarithmic, so the room around the outermost marks is a factor.
        let (lo, hi) = ends(&mut spots.iter().map(|spot| spot.bytes), (1024.0, 1e9));
        let x = Scale::log((lo / 2.0, hi * 2.0), (frame.x, frame.x + frame.width));
        let rates = &mut spots.iter().map(|spot| spot.rate).chain(roofs.iter().map(|(rate, _)| *rate));
        let (lo, hi) = ends(rates, (1e9, 1e11));
        let y = Scale::log((lo / 1.6, hi * 2.2), (frame.y + frame.height, frame.y));
        Self { x, y, frame }
    }

    fn draw(&self, marks: &mut Vec<Mark>, what: &str) {
        let Rect { x, y, width, height } = self.frame;
        let (right, bottom) = (x + width, y + height);
        let text = |x, y, anchor, text| Mark::new(Shape::text(x, y, anchor, text), Paint::fill(Tone::Ink3));
        for (at, label) in sizes(&self.x, if width < 360.0 { 4 } else { 8 }) {
            marks.push(Mark::new(Shape::line(at, y, at, bottom), Paint::stroke(Tone::Grid, 1.0)));
            marks.push(text(at, bottom + 15.0, Anchor::Middle, label));
        }
        for tick in ticks::ticks(&self.y, 6, |rate| ticks::plain(rate / 1e9)) {
            marks.push(Mark::new(Shape::line(x, tick.at, right, tick.at), Paint::stroke(Tone::Grid, 1.0)));
            marks.push(text(x - 6.0, tick.at + 4.0, Anchor::End, tick.label));
        }
        let axis = Shape::Path(vec![(x, y), (x, bottom), (right, bottom)], false);
        marks.push(Mark::new(axis, Paint::stroke(Tone::Line2, 1.0)));
        marks.push(text(x, y - 8.0, Anchor::Start, what.to_owned()));
        marks.push(text(x + width / 2.0, bottom + 31.0, Anchor::Middle, "Message of one execution".to_owned()));
    }
}

/// Returns ticks at powers of four bytes, at most `limit` of them.
#[expect(clippy::cast_precision_loss, reason = "powers of two")]
fn sizes(x: &Scale, limit: usize) -> Vec<(f64, String)> {
    let (lo, hi) = x.domain();
    let all: Vec<u64> = (0..30).map(|n| 1_u64 << (2 * n)).filter(|n| (lo..=hi).contains(&(*n as f64))).collect();
    let every = all.len().div_ceil(limit).max(1);
    let tick = |n: &u64| {
        let (value, unit) = format::bytes(*n);
        (x.to(*n as f64), format!("{} {unit}", value.trim_end_matches(".0")))
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
        let of = match row.network {
            Some(Network::Ici) | None => format!("links along {}", format::counted(axes.into(), "axis", "axes")),
            Some(network) => network.key().to_owned(),
        };
        roofs.push((peak, format!("{of}: {} GB/s", format::gbs(peak))));
    }
    roofs.small_sort_by(|(a, _), (b, _)| b.total_cmp(a));
    roofs
}

/// Draws the chart. `chosen` is the index of the selected row; `size` is the width and height in px.
pub fn scene(rows: &[CommRow], comm_rows: CommRows, chosen: Option<u32>, size: (f64, f64)) -> Scene {
    let (spots, roofs) = (spots(rows, comm_rows), roofs(rows));
    let axes = Axes::new(&spots, &roofs, size);
    let mut marks = Vec::new();
    axes.draw(&mut marks, if comm_rows == CommRows::Copies { "GB/s" } else { "GB/s of the bus" });
    let mut obstacles = Vec::new();
    let right = axes.frame.x + axes.frame.width;
    for (at, (peak, words)) in roofs.iter().enumerate() {
        let y = axes.y.to(*peak);
        marks.push(Mark::new(Shape::line(axes.frame.x, y, right, y), Paint::stroke(Tone::Ink, 1.75)));
        // The highest line has its label above, the other lines have their labels below. Labels are at the left, where
        // messages are small and slow.
        let (x, y) = (axes.frame.x + 6.0, if at == 0 { y - 5.0 } else { y + 13.0 });
        marks.push(Mark::new(Shape::text(x, y, Anchor::Start, words.clone()), Paint::fill(Tone::Ink2)));
        obstacles.push(Obstacle::Line((axes.frame.x, y), (right, y)));
    }
    let most = spots.iter().map(|spot| spot.row.wall.as_f64()).fold(1.0, f64::max);
    let tone = Tone::Kind(TimePart::Kind(steps::kind(comm_rows)));
    let radius = |spot: &Spot<'_>| ((spot.row.wall.as_f64() / most).sqrt() * LARGEST).max(SMALLEST);
    for spot in &spots {
        let (x, y, r) = (axes.x.to(spot.bytes), axes.y.to(spot.rate), radius(spot));
        let form = if comm_rows == CommRows::Copies { None } else { form(spot.row).outline(x, y, r) };
        let shape = form.map_or(Shape::Circle { x, y, r }, |points| Shape::Path(points, true));
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
        Candidate {
            priority: 100 - rank,
            x: axes.x.to(spot.bytes),
            y: axes.y.to(spot.rate),
            away: radius(spot) + 5.0,
            width: label::width(&text, size),
            height: size + 3.0,
        }
    };
    let candidates: Vec<Candidate> = (0_u32..).zip(&named).map(candidate).collect();
    for (spot, place) in named.iter().zip(label_placement::place_labels(&candidates, &obstacles, axes.frame)) {
        let Some(place) = place else { continue };
        let (x, y, text) = (place.x, place.y + Size::Micro.px(), format::middle_cut(&spot.row.key, 28));
        let (anchor, size) = (Anchor::Start, Size::Micro);
        let shape = Shape::Text { x, y, text, anchor, size, mono: false, halo: true };
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
    let line = |(label, value): (&str, Option<String>)| Some((label.to_owned(), value?));
    Some(Tip { title: row.key.clone(), rows: lines.into_iter().filter_map(line).collect() })
}

fn message(row: &CommRow) -> String {
    row.bytes_each.map_or_else(|| format::ABSENT.to_owned(), format::mib)
}

fn table_of(spots: &[Spot<'_>]) -> SceneTable {
    let row = |spot: &Spot<'_>| {
        let primitive = spot.row.primitive.map_or(format::ABSENT, Primitive::key).to_owned();
        let peak = spot.row.util.map_or_else(|| format::ABSENT.to_owned(), format::percent);
        vec![spot.row.key.clone(), primitive, message(spot.row), format::gbs(spot.rate), peak]
    };
    let heads = ["Row", "Primitive", "Message, MiB", "GB/s", "% of peak"].map(str::to_owned).to_vec();
    SceneTable { heads, rows: spots.iter().map(row).collect() }
}
