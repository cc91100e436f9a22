//! This module draws memory in use as a step line: over the points of a program's schedule, with the persistent memory,
//! the peak and the selected point; or over time, from an allocator. It does not depend on a browser.
//!
//! ```text
//!  MiB │        ┌──────┐ peak
//!      │   ┌────┘  │   └──┐
//!      │───┘ temporaries  └───
//!      │▒▒▒▒ persistent ▒▒▒▒▒▒
//!      └──────────┴──────────── point
//!                 at
//! ```
//! The id of a mark is the index of its column.

use super::position::{at_position, position, position_ticks};
use super::size::{UNIT, in_unit, on_axis, text};
use crate::analysis::memory::{AllocatorMemory, CurveColumn, SpaceMemory, WhatIfColumn};
use crate::chart::plot::frame::{Frame, Margins};
use crate::chart::plot::paint::{Paint, Tone};
use crate::chart::plot::popover_position::Rect;
use crate::chart::plot::scene::{Anchor, Mark, Scene, SceneTable, Shape, Size};
use crate::chart::plot::{label, ticks};
use crate::chart::widgets::tip::{Tip, row};
use crate::table::format;
use xla_profile::units::Picos;

const MARGINS: Margins = Margins { left: 56.0, right: 12.0, top: 22.0, bottom: 48.0 };
/// Right margin of a chart with labels at the right end, in px.
const SIDE: f64 = 116.0;
/// Smallest width of a chart with labels at the right end, in px.
const WIDE: f64 = 640.0;
/// The capacity is drawn if the peak is more than this fraction of it.
const NEAR: f64 = 0.5;

/// A column of either curve: neighbouring points, or a span of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Column {
    /// Start: a point of the schedule, or milliseconds.
    from: f64,
    least: u64,
    most: u64,
    most_at: f64,
}

/// Data of a chart, from a program or an allocator.
struct Shown<'a> {
    columns: Vec<Column>,
    to: f64,
    /// Bytes that are in use at all points; drawn at the bottom.
    fixed: u64,
    fixed_name: &'a str,
    peak: (f64, u64),
    capacity: Option<u64>,
    selected: Option<f64>,
    across: String,
    title: String,
    words: &'a dyn Fn(usize) -> String,
    /// The curve without some buffers; empty if no buffer is left out.
    without: Vec<Column>,
    /// True if the x axis has points of a program, and its ticks are positions. False for an axis in ms.
    is_program: bool,
    /// Intervals along the x axis: start, end, name.
    strip: Vec<(f64, f64, String)>,
}

/// Returns the frame of a chart, which also finds the point under the pointer. `top` is the highest value in bytes.
fn frame(columns: &[Column], to: f64, top: u64, size: (f64, f64)) -> Frame {
    let right = if size.0 >= WIDE { SIDE } else { MARGINS.right };
    let from = columns.first().map_or(0.0, |column| column.from);
    let area = Margins { right, ..MARGINS }.area(size);
    let high = (on_axis(top) * 1.06).max(1e-6);
    Frame { has_halo: true, ..Frame::linear(area, (from, to.max(from + 1.0)), (0.0, high)) }
}

/// Draws the memory of a program. `curve` can be a zoomed part; `here` is the selected point; `without` is the curve
/// without the buffers that are left out; `size` is the width and height in px.
pub fn program(
    space: &SpaceMemory,
    curve: &crate::analysis::memory::Curve,
    here: u32,
    without: &[WhatIfColumn],
    capacity: Option<u64>,
    size: (f64, f64),
) -> Scene {
    let column = |column: &CurveColumn| Column {
        from: column.first.into(),
        least: column.least,
        most: column.most,
        most_at: column.most_at.into(),
    };
    let name = |i: usize| curve.instructions.get(i).map(String::as_str).unwrap_or_default();
    let words = |i: usize| {
        let Some(column) = curve.columns.get(i) else { return String::new() };
        let name = if name(i).is_empty() { "the start" } else { name(i) };
        format!("{} {}, {name}", text(column.most), at_position(column.most_at))
    };
    let peak = space.alive.point;
    let by = space.peak.instruction.as_deref().map_or(String::new(), |by| format!(", {by}"));
    let last_position = format::count(curve.n_points.saturating_sub(1).into());
    let shown = Shown {
        columns: curve.columns.iter().map(column).collect(),
        to: curve.to.into(),
        fixed: space.peak.indefinite,
        fixed_name: "persistent: parameters, constants, outputs",
        peak: (peak.into(), space.peak.peak),
        capacity,
        selected: Some(here.into()),
        across: if curve.from == 0 && curve.to == curve.n_points {
            format!("Program position (allocation event), of {last_position}")
        } else {
            format!(
                "Program position (allocation event), {} to {} of {last_position}",
                format::count(curve.from.saturating_sub(1).into()),
                format::count(curve.to.saturating_sub(2).into())
            )
        },
        title: format!(
            "{} in use over program positions: peak {} {} of {last_position}{by}; {} of it persistent.",
            space.peak.space,
            text(space.peak.peak),
            at_position(peak),
            text(space.peak.indefinite)
        ),
        words: &words,
        without: without.iter().map(what_if_column).collect(),
        is_program: true,
        strip: phases(curve),
    };
    draw(&shown, size)
}

fn what_if_column(column: &WhatIfColumn) -> Column {
    Column { from: column.first.into(), least: column.least, most: column.most, most_at: column.first.into() }
}

/// A phase that is narrower than this fraction of the curve is merged into the phase before it.
const NARROW: f64 = 0.02;

/// Returns the phases as intervals of neighbouring columns. A column without a known phase belongs to the interval
/// before it.
fn phases(curve: &crate::analysis::memory::Curve) -> Vec<(f64, f64, String)> {
    let mut strip: Vec<(f64, f64, String)> = Vec::new();
    let narrow = f64::from(curve.to - curve.from) * NARROW;
    for (i, (column, phase)) in curve.columns.iter().zip(&curve.phases).enumerate() {
        let to = curve.columns.get(i + 1).map_or(curve.to, |next| next.first);
        match strip.last_mut() {
            Some(last) if last.2 == *phase || phase.is_empty() => last.1 = to.into(),
            _ if phase.is_empty() => {}
            _ => strip.push((column.first.into(), to.into(), phase.clone())),
        }
    }
    let mut merged: Vec<(f64, f64, String)> = Vec::new();
    for (from, to, phase) in strip {
        match merged.last_mut() {
            Some(last) if to - from < narrow || last.2 == phase => last.1 = to,
            _ => merged.push((from, to, phase)),
        }
    }
    merged
}

/// Returns the point of the schedule at `x` px, within the visible part of the curve.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
pub fn point_at(
    space: &SpaceMemory,
    curve: &crate::analysis::memory::Curve,
    capacity: Option<u64>,
    size: (f64, f64),
    x: f64,
) -> u32 {
    let column = |column: &CurveColumn| Column { from: column.first.into(), ..Column::default() };
    let columns: Vec<Column> = curve.columns.iter().map(column).collect();
    let frame = frame(&columns, curve.to.into(), top(space.peak.peak, capacity), size);
    (frame.x.invert(x).floor() as u32).clamp(curve.from, curve.to.saturating_sub(1).max(curve.from))
}

/// Draws the memory in use of an allocator over time.
pub fn allocator(allocator: &AllocatorMemory, size: (f64, f64)) -> Scene {
    let ms = |time: Picos| time.as_f64() / 1e9;
    let column = |column: &crate::analysis::memory::UseColumn| Column {
        from: ms(column.time),
        least: column.least,
        most: column.most,
        most_at: ms(column.most_at),
    };
    let words = |i: usize| {
        let Some(allocator) = allocator.timeline.get(i) else { return String::new() };
        format!(
            "{} in use at {}, {} reserved",
            text(allocator.most),
            format::time_text(allocator.most_at),
            text(allocator.reserved)
        )
    };
    let columns: Vec<Column> = allocator.timeline.iter().map(column).collect();
    let last = columns.last().map_or(1.0, |column| column.from);
    let first = columns.first().map_or(0.0, |column| column.from);
    let step = allocator.peak.step.map_or(String::new(), |step| format!(", in step {step}"));
    let shown = Shown {
        columns,
        to: last + (last - first).max(1e-3) * 0.02,
        fixed: allocator.persistent,
        fixed_name: "minimum in use",
        peak: (ms(allocator.peak.time), allocator.peak.in_use()),
        capacity: allocator.capacity,
        selected: None,
        across: "Time, ms".to_owned(),
        title: format!(
            "{} in use over time: peak {} at {}{step}.",
            allocator.label,
            text(allocator.peak.in_use()),
            format::time_text(allocator.peak.time)
        ),
        words: &words,
        without: Vec::new(),
        is_program: false,
        strip: allocator
            .steps
            .iter()
            .map(|step| (ms(step.from), ms(step.to), format!("step {}", step.number)))
            .collect(),
    };
    draw(&shown, size)
}

fn micro(x: f64, y: f64, text: String, anchor: Anchor, tone: Tone) -> Mark {
    Mark::new(Shape::text(x, y, anchor, text).with_halo(), Paint::fill(tone))
}

/// Returns the highest value on the y axis, in bytes: the capacity if it is drawn, else the peak.
fn top(peak: u64, capacity: Option<u64>) -> u64 {
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let near = capacity.filter(|capacity| peak as f64 > *capacity as f64 * NEAR);
    near.unwrap_or(peak).max(peak)
}

fn draw(shown: &Shown<'_>, size: (f64, f64)) -> Scene {
    let frame = frame(&shown.columns, shown.to, top(shown.peak.1, shown.capacity), size);
    let Rect { x: left, y: ceiling, .. } = frame.area;
    let (right, bottom) = (frame.area.right(), frame.area.bottom());
    let wide = size.0 >= WIDE;
    let mut marks = Vec::new();
    frame.y_ticks(&mut marks, ticks::ticks(&frame.y, 5, ticks::plain));
    marks.push(frame.y_unit(8.0, UNIT));
    let y = |size: u64| frame.y.to(on_axis(size));
    let fixed = y(shown.fixed);
    marks.push(Mark::new(Shape::rect(left, fixed, right - left, bottom - fixed), Paint::fill(Tone::Sunken)));
    let outline = steps(&shown.columns, shown.to, &frame);
    let mut area = outline.clone();
    area.push((right, fixed));
    area.insert(0, (left, fixed));
    marks.push(Mark::new(Shape::Path(area, true), Paint::fill(Tone::Seq(3)).faded(0.6)));
    marks.push(Mark::new(Shape::Path(outline, false), Paint::stroke(Tone::Ink, 1.25)));
    if !shown.without.is_empty() {
        let line = steps(&shown.without, shown.to, &frame);
        marks.push(Mark::new(Shape::Path(line, false), Paint::stroke(Tone::AccentLine, 1.5).dashed()));
    }
    marks.push(Mark::new(Shape::line(left, fixed, right, fixed), Paint::stroke(Tone::Ink3, 1.0).dashed()));
    if bottom - fixed > 20.0 && label::width(shown.fixed_name, Size::Micro.px()) + 90.0 < right - left {
        let words = format!("{}, {}", shown.fixed_name, text(shown.fixed));
        marks.push(micro(left + 6.0, fixed + 14.0, words, Anchor::Start, Tone::Ink2));
    }
    marks.push(frame.x_axis());
    let n_ticks = if wide { 8 } else { 4 };
    let marked = if shown.is_program {
        position_ticks(&frame.x, n_ticks)
    } else {
        ticks::ticks(&frame.x, n_ticks, ticks::plain)
    };
    // The strip is between the axis and the labels.
    let strip_height = if shown.strip.is_empty() { 0.0 } else { 14.0 };
    frame.x_labels(&mut marks, marked, strip_height + 15.0);
    marks.push(frame.x_title(strip_height + 29.0, shown.across.as_str()));
    if let Some(capacity) = shown.capacity.filter(|capacity| top(shown.peak.1, Some(*capacity)) == *capacity) {
        let (y, words) = (y(capacity), format!("capacity {}", format::bytes_text(capacity)));
        marks.push(Mark::new(Shape::line(left, y, right, y), Paint::stroke(Tone::Ink, 1.5)));
        marks.push(micro(left + 6.0, y - 4.0, words, Anchor::Start, Tone::Ink));
    }
    for (a, b, name) in &shown.strip {
        let (a, b) = (frame.x.to(*a).max(left), frame.x.to(*b).min(right));
        if b > a {
            marks.push(Mark::new(Shape::rect(a, bottom + 2.0, (b - a - 1.0).max(1.0), 3.0), Paint::fill(Tone::Line2)));
            if b - a > label::width(name, Size::Micro.px()) + 4.0 {
                marks.push(micro(f64::midpoint(a, b), bottom + 15.0, name.clone(), Anchor::Middle, Tone::Ink2));
            }
        }
    }
    peak(&mut marks, shown, &frame, wide);
    // Each column gets a transparent hit target over the full height, above all other marks.
    for (i, column) in shown.columns.iter().enumerate() {
        let end = shown.columns.get(i + 1).map_or(shown.to, |next| next.from);
        let (a, b) = (frame.x.to(column.from), frame.x.to(end));
        let target = Shape::rect(a, ceiling, (b - a).max(0.5), bottom - ceiling);
        marks.push(Mark::for_datum(u32::try_from(i).unwrap_or(u32::MAX), (shown.words)(i), target, Paint::NONE));
    }
    Scene { width: size.0, height: size.1, marks, title: shown.title.clone(), table: table(shown) }
}

/// Returns the step line. A column with several values has its maximum in the first half and its minimum in the second
/// half.
fn steps(columns: &[Column], to: f64, frame: &Frame) -> Vec<(f64, f64)> {
    let mut line = Vec::new();
    for (i, column) in columns.iter().enumerate() {
        let end = columns.get(i + 1).map_or(to, |next| next.from);
        let (a, b) = (frame.x.to(column.from), frame.x.to(end));
        let [most, least] = [column.most, column.least].map(|size| frame.y.to(on_axis(size)));
        line.push((a, most));
        if column.least < column.most {
            let middle = f64::midpoint(a, b);
            line.extend([(middle, most), (middle, least), (b, least)]);
        } else {
            line.push((b, most));
        }
    }
    line
}

/// Draws the peak and the line of the selected point.
fn peak(marks: &mut Vec<Mark>, shown: &Shown<'_>, frame: &Frame, wide: bool) {
    let Rect { x: left, y: ceiling, .. } = frame.area;
    let (right, bottom) = (frame.area.right(), frame.area.bottom());
    // For a program, the peak is in the middle of its point, like the line of the selected point.
    let middle = if shown.is_program { 0.5 } else { 0.0 };
    let (x, y) = frame.point(shown.peak.0 + middle, on_axis(shown.peak.1));
    if (left - 0.5..=right + 0.5).contains(&x) {
        marks.push(Mark::new(Shape::line(x, y, right, y), Paint::stroke(Tone::Ink3, 1.0).dashed()));
        marks.push(Mark::new(Shape::Circle { x, y, r: 4.0 }, Paint::fill(Tone::Accent)));
        marks.push(Mark::new(Shape::Circle { x, y, r: 4.0 }, Paint::stroke(Tone::AccentLine, 1.5)));
    }
    if wide {
        marks.push(micro(right + 6.0, y + 4.0, format!("peak {}", text(shown.peak.1)), Anchor::Start, Tone::Ink2));
        let fixed = frame.y.to(on_axis(shown.fixed));
        if (fixed - y).abs() > 14.0 {
            let words = format!("persistent {}", in_unit(Some(shown.fixed)));
            marks.push(micro(right + 6.0, fixed + 4.0, words, Anchor::Start, Tone::Ink3));
        }
    }
    let selected = shown.selected.map(|point| frame.x.to(point + 0.5));
    let line = |x: f64| Mark::new(Shape::line(x, ceiling - 6.0, x, bottom), Paint::stroke(Tone::AccentLine, 1.75));
    marks.extend(selected.filter(|x| (left..=right).contains(x)).map(line));
}

fn table(shown: &Shown<'_>) -> SceneTable {
    let row = |(i, column): (usize, &Column)| {
        // A point is a whole number below 2³².
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number below 2³²")]
        let point = column.most_at as u32;
        let here = if shown.is_program { position(point) } else { ticks::plain(column.most_at) };
        [here, format::mib(column.most), format::mib(column.least), (shown.words)(i)]
    };
    let heads = ["At", "Maximum, MiB", "Minimum, MiB", "Instruction"];
    SceneTable::new(heads, shown.columns.iter().enumerate().map(row))
}

/// Builds the tooltip of a column of a program's curve.
pub fn tip(curve: &crate::analysis::memory::Curve, i: usize) -> Option<Tip> {
    let column = curve.columns.get(i)?;
    let name = curve.instructions.get(i).filter(|name| !name.is_empty()).map_or("the start", String::as_str);
    let mut rows = vec![
        row("Live memory", text(column.most)),
        row("Without padding", text(column.unpadded_most)),
        row("Position", super::position(column.most_at)),
    ];
    if column.least < column.most {
        rows.push(row("Minimum nearby", text(column.least)));
    }
    rows.push(row("Click", "shows what is alive here"));
    Some(Tip { title: name.to_owned(), rows })
}

/// Builds the tooltip of a column of an allocator's curve.
pub fn allocator_tip(allocator: &AllocatorMemory, i: usize) -> Option<Tip> {
    let column = allocator.timeline.get(i)?;
    let rows = vec![
        row("Maximum in use", text(column.most)),
        row("Reserved", text(column.reserved)),
        row("Minimum in use", text(column.least)),
        row("At", format::exact_time(column.most_at)),
    ];
    Some(Tip { title: allocator.label.clone(), rows })
}
