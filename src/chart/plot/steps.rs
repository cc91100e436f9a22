//! This module draws the chart per step: the duration of each step and its parts. The caller supplies the parts and the
//! steps, of one device or as means over several devices.
//!
//! ```text
//!   ms │ ▨   ▨       ▨      the last part on top, such as idle
//!   100│ █ ┆ █ ┆ ▨ ┆ █ ┆ -- mean
//!      │ █ ┆ █ ┆ █ ┆ █ ┆    parts from the bottom, in their order
//!     0└──────────────────
//!        0   1   2   3
//!            ▔                the selected step
//! ```
//!
//! With at least [`BAR`] pixels per step, each step is a bar. With fewer pixels, bars touch, and each part is one
//! outline over all steps. Below one pixel per step, several steps share a column from the shortest to the longest; the
//! text alternative states this.

pub use super::devices::{Device, devices_scene};
use super::paint::{Paint, Tone};
use super::scale::Scale;
use super::scene::{Anchor, Mark, Scene, SceneTable, Shape, Size};
use super::step::{Step, StepPart};
use super::ticks::{self, Tick};
use super::{label, step_text};
use crate::table::format::{self, TimeUnit};
use crate::units::Picos;

/// Smallest width of a step that has a bar of its own, in px.
pub const BAR: f64 = 6.0;
/// Largest width of a bar, in px; a few very wide bars would be hard to read.
const WIDEST: f64 = 56.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 24.0;
/// Space between a text and the mark beside it, in px.
const ROOM: f64 = 6.0;

/// Positions of the axes and the columns.
struct Frame {
    left: f64,
    right: f64,
    bottom: f64,
    /// Scale from times in `unit` to y coordinates.
    y: Scale,
    unit: TimeUnit,
    /// Width of a column with its gap, in px.
    column_width: f64,
}

impl Frame {
    #[expect(clippy::cast_precision_loss, reason = "units are powers of ten")]
    fn y(&self, time: Picos) -> f64 {
        self.y.to(time.as_f64() / self.unit.in_ps() as f64)
    }

    #[expect(clippy::cast_precision_loss, reason = "as many as fit on a screen")]
    fn x(&self, index: usize) -> f64 {
        self.left + self.column_width * index as f64
    }
}

/// Draws the chart. `subject` names the device: "of TPU:0". The id of a mark is an index in `steps`; a column of several
/// steps has the id of its longest step.
pub fn layout(
    steps: &[Step],
    parts: &[StepPart],
    subject: &str,
    selected: Option<u32>,
    (width, height): (f64, f64),
) -> Scene {
    let facts = step_text::facts(steps);
    let largest = steps.iter().map(Step::top).max().unwrap_or_default();
    let unit = TimeUnit::for_largest(largest);
    let mut marks = Vec::new();
    let (mut frame, ticks) = frame(largest, unit, width, height);
    // Mean and median are shown only for several steps, and only if the chart is wide enough.
    let sides = facts.as_ref().filter(|_| steps.len() > 1 && width >= 320.0).map(|facts| {
        [("mean", facts.mean), ("median", facts.median)]
            .map(|(name, time)| (format!("{name} {}", format::time(time, unit)), time))
    });
    if let Some(sides) = &sides {
        let widest = sides.iter().map(|(text, _)| label::width(text, Size::Micro.px())).fold(0.0, f64::max);
        // The factor allows for errors in the estimated widths of letters.
        frame.right -= widest * 1.08 + ROOM;
    }
    let room = (frame.right - frame.left).max(1.0);
    let columns = columns(steps.len(), room);
    frame.column_width = room / count(columns.len().max(1));
    axes(&mut marks, &frame, &ticks);
    if columns.len() < steps.len() {
        merged(&mut marks, &frame, steps, &columns);
    } else if frame.column_width >= BAR {
        for (at, step) in steps.iter().enumerate() {
            bar(&mut marks, &frame, at, step, parts);
        }
    } else {
        areas(&mut marks, &frame, steps, parts);
    }
    names(&mut marks, &frame, steps);
    if let Some(sides) = sides {
        means(&mut marks, &frame, sides);
    }
    for (at, column) in columns.iter().enumerate() {
        let Some(of) = steps.get(column.clone()) else { continue };
        let is_here = selected.is_some_and(|step| column.contains(&(step as usize)));
        let w = frame.column_width.clamp(3.0, WIDEST);
        let x = frame.x(at) + (frame.column_width - w) / 2.0;
        marks.extend(
            is_here.then(|| Mark::new(Shape::rect(x, frame.bottom + 1.0, w, 3.0), Paint::fill(Tone::AccentLine))),
        );
        // A column stands for its longest step, because readers look for slow steps.
        let longest = (0..of.len()).rev().max_by_key(|at| of.get(*at).map(|step| step.ends().1)).unwrap_or(0);
        let Ok(id) = u32::try_from(column.start + longest) else { continue };
        let target = Shape::rect(frame.x(at), TOP, frame.column_width, frame.bottom - TOP);
        marks.push(Mark::for_datum(id, step_text::column(of), target, Paint::NONE));
    }
    let title = step_text::sentence(steps, subject, facts.as_ref(), columns.len());
    Scene { width, height, marks, title, table: table(steps, parts, unit) }
}

/// Returns the frame and the ticks of the y axis. `right` and `column_width` are not final.
#[expect(clippy::cast_precision_loss, reason = "units are powers of ten")]
fn frame(largest: Picos, unit: TimeUnit, width: f64, height: f64) -> (Frame, Vec<Tick>) {
    let bottom = (height - BOTTOM).max(TOP + 1.0);
    let y = Scale::linear((0.0, largest.as_f64() / unit.in_ps() as f64), (bottom, TOP));
    let target = if bottom - TOP > 120.0 { 5 } else { 3 };
    let ticks = ticks::ticks(&y, target, ticks::plain);
    let widest = ticks.iter().map(|tick| label::width(&tick.label, Size::Micro.px())).fold(16.0, f64::max);
    (Frame { left: widest + ROOM, right: width - 1.0, bottom, y, unit, column_width: 1.0 }, ticks)
}

/// Returns the steps of each column: one step each, or as many columns as there are pixels.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels of a screen")]
fn columns(n: usize, room: f64) -> Vec<std::ops::Range<usize>> {
    let columns = n.min(room.max(1.0) as usize);
    // The first columns take the remainder of the division. `at * n / columns` would overflow 32 bits.
    let (each, more) = (n.checked_div(columns).unwrap_or(0), n.checked_rem(columns).unwrap_or(0));
    let start = |at: usize| at * each + at.min(more);
    (0..columns).map(|at| start(at)..start(at + 1)).collect()
}

fn axes(marks: &mut Vec<Mark>, frame: &Frame, ticks: &[Tick]) {
    let (left, right, bottom) = (frame.left, frame.right, frame.bottom);
    let text = |y, text| Mark::new(Shape::text(left - ROOM, y, Anchor::End, text), Paint::fill(Tone::Ink3));
    for tick in ticks {
        if tick.value > 0.0 {
            let line = Shape::line(left, tick.at, right, tick.at);
            marks.push(Mark::new(line, Paint::stroke(Tone::Grid, 1.0)));
        }
        marks.push(text(tick.at + 4.0, tick.label.clone()));
    }
    marks.push(text(TOP - 9.0, frame.unit.symbol().to_owned()));
    let axis = Shape::Path(vec![(left, TOP), (left, bottom), (right, bottom)], false);
    marks.push(Mark::new(axis, Paint::stroke(Tone::Line2, 1.0)));
}

fn bar(marks: &mut Vec<Mark>, frame: &Frame, index: usize, step: &Step, parts: &[StepPart]) {
    let w = (frame.column_width - (frame.column_width * 0.25).max(1.0)).min(WIDEST);
    let x = frame.x(index) + (frame.column_width - w) / 2.0;
    for (part, (from, to)) in parts.iter().zip(step.stacked()).filter(|(_, (from, to))| from < to) {
        let (y, foot) = (frame.y(to), frame.y(from));
        marks.push(Mark::new(Shape::rect(x, y, w, foot - y), part.paint));
    }
    if let Some((min, max)) = step.spread {
        let (middle, cap) = (x + w / 2.0, (w / 4.0).min(5.0));
        let (low, high) = (frame.y(min), frame.y(max));
        for (x1, y1, x2, y2) in [
            (middle, low, middle, high),
            (middle - cap, low, middle + cap, low),
            (middle - cap, high, middle + cap, high),
        ] {
            marks.push(Mark::new(Shape::line(x1, y1, x2, y2), Paint::stroke(Tone::Ink, 1.5)));
        }
    }
}

/// Draws bars that touch: one outline per part.
fn areas(marks: &mut Vec<Mark>, frame: &Frame, steps: &[Step], parts: &[StepPart]) {
    for (index, of) in parts.iter().enumerate() {
        let part = |step: &Step| step.stacked().nth(index).unwrap_or_default();
        if steps.iter().map(part).any(|(from, to)| from < to) {
            let paint = Paint { stroke: None, ..of.paint };
            marks.push(Mark::new(stairs(frame, steps.iter().map(part)), paint));
        }
    }
    if steps.iter().any(|step| step.spread.is_some()) {
        marks.push(Mark::new(stairs(frame, steps.iter().map(Step::ends)), Paint::fill(Tone::Ink).faded(0.4)));
    }
}

/// Draws columns of several steps: one area up to the shortest step, and one from there to the longest. The parts are
/// not shown.
fn merged(marks: &mut Vec<Mark>, frame: &Frame, steps: &[Step], columns: &[std::ops::Range<usize>]) {
    let ends = |column: &std::ops::Range<usize>| {
        let ends = || steps.get(column.clone()).into_iter().flatten().map(Step::ends);
        let shortest = ends().map(|(min, _)| min).min().unwrap_or_default();
        (shortest, ends().map(|(_, max)| max).max().unwrap_or_default())
    };
    let below = columns.iter().map(|column| (Picos::ZERO, ends(column).0));
    marks.push(Mark::new(stairs(frame, below), Paint::fill(Tone::Line2)));
    marks.push(Mark::new(stairs(frame, columns.iter().map(ends)), Paint::fill(Tone::Ink3)));
}

/// Returns the outline of adjacent columns, each from one time to another.
fn stairs(frame: &Frame, columns: impl Iterator<Item = (Picos, Picos)>) -> Shape {
    let (mut there, mut back) = (Vec::new(), Vec::new());
    for (at, (from, to)) in columns.enumerate() {
        let (x, right) = (frame.x(at), frame.x(at + 1));
        there.extend([(x, frame.y(to)), (right, frame.y(to))]);
        back.extend([(x, frame.y(from)), (right, frame.y(from))]);
    }
    there.extend(back.into_iter().rev());
    Shape::Path(there, true)
}

/// Writes the names below the bars, at regular intervals if they would touch.
fn names(marks: &mut Vec<Mark>, frame: &Frame, steps: &[Step]) {
    let name = |step: &Step| format::middle_cut(&step.name, 12);
    let widest = steps.iter().map(|step| label::width(&name(step), Size::Micro.px())).fold(0.0, f64::max) + 8.0;
    let each = (frame.right - frame.left) / count(steps.len().max(1));
    let strides = (0..9).flat_map(|decade| [1, 2, 5].map(|lead| lead * 10usize.pow(decade)));
    let every = strides.into_iter().find(|every| count(*every) * each >= widest).unwrap_or(usize::MAX);
    for (at, step) in steps.iter().enumerate().step_by(every) {
        let x = frame.left + each * (count(at) + 0.5);
        let text = Shape::text(x, frame.bottom + 16.0, Anchor::Middle, name(step));
        marks.push(Mark::new(text, Paint::fill(Tone::Ink3)));
    }
}

/// Draws a line at the mean, with labels for mean and median at its end.
fn means(marks: &mut Vec<Mark>, frame: &Frame, [mean, median]: [(String, Picos); 2]) {
    let (right, at) = (frame.right, frame.y(mean.1));
    marks.push(Mark::new(Shape::line(frame.left, at, right, at), Paint::stroke(Tone::Ink2, 1.0).dashed()));
    // The larger value is above; if the labels would overlap, the lower label moves down.
    let lowest = (frame.bottom - 13.0).max(TOP);
    let (mut upper, mut lower) = (mean, median);
    if lower.1 > upper.1 {
        std::mem::swap(&mut upper, &mut lower);
    }
    let upper_y = frame.y(upper.1).clamp(TOP, lowest);
    let lower_y = frame.y(lower.1).max(upper_y + 13.0);
    for (text, y) in [(upper.0, upper_y), (lower.0, lower_y)] {
        marks.push(Mark::new(Shape::text(right + ROOM, y + 4.0, Anchor::Start, text), Paint::fill(Tone::Ink2)));
    }
}

fn table(steps: &[Step], parts: &[StepPart], unit: TimeUnit) -> SceneTable {
    let spread = steps.iter().any(|step| step.spread.is_some());
    let head = |name: &str| format!("{name}, {}", unit.symbol());
    let mut heads = vec!["Step".to_owned(), head("Duration")];
    heads.extend(parts.iter().map(|part| head(part.label)));
    heads.extend(["Shortest", "Longest"].into_iter().filter(|_| spread).map(head));
    let row = |step: &Step| {
        let ends = [step.ends().0, step.ends().1].into_iter().filter(|_| spread);
        let times = [step.duration].into_iter().chain(step.parts.iter().copied()).chain(ends);
        [step.name.clone()].into_iter().chain(times.map(|time| format::time(time, unit))).collect()
    };
    SceneTable { heads, rows: steps.iter().map(row).collect() }
}

#[expect(clippy::cast_precision_loss, reason = "steps of a capture")]
const fn count(n: usize) -> f64 {
    n as f64
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[path = "steps_tests.rs"]
mod tests;
