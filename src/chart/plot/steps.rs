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
use super::frame::{Frame, Margins};
use super::paint::{Paint, Tone};
use super::popover_position::Rect;
use super::scene::{Anchor, Mark, Scene, SceneTable, Shape, Size};
use super::step::{Step, StepPart};
use super::ticks::{self, Tick, in_unit};
use super::{label, step_text};
use crate::table::format::{self, TimeUnit};
use std::ops::Range;
use xla_profile::units::Picos;

/// Smallest width of a step that has a bar of its own, in px.
pub const BAR: f64 = 6.0;
/// Largest width of a bar, in px; a few very wide bars would be hard to read.
const WIDEST: f64 = 56.0;
/// Margins without the labels at both sides, in px.
const MARGINS: Margins = Margins { left: 0.0, right: 1.0, top: 20.0, bottom: 24.0 };
/// Space between a text and the mark beside it, in px.
const ROOM: f64 = 6.0;

/// The columns in their frame.
struct Columns {
    /// The x axis has one unit per column, and the y axis has times in `unit`.
    frame: Frame,
    unit: TimeUnit,
    /// Width of a column with its gap, in px.
    width: f64,
}

impl Columns {
    fn y(&self, time: Picos) -> f64 {
        self.frame.y.to(in_unit(time, self.unit))
    }

    fn x(&self, index: usize) -> f64 {
        self.frame.x.to(count(index))
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
    // Mean and median are shown only for several steps, and only if the chart is wide enough.
    let sides = facts.as_ref().filter(|_| steps.len() > 1 && width >= 320.0).map(|facts| {
        [("mean", facts.mean), ("median", facts.median)]
            .map(|(name, time)| (format!("{name} {}", format::time(time, unit)), time))
    });
    let highest = in_unit(largest, unit);
    let y_ticks = y_ticks(highest, (width, height));
    let text_width = |text: &str| label::width(text, Size::Micro.px());
    let left = y_ticks.iter().map(|tick| text_width(&tick.label)).fold(16.0, f64::max) + ROOM;
    let side = sides.iter().flatten().map(|(text, _)| text_width(text)).reduce(f64::max);
    // The factor allows for errors in the estimated widths of letters.
    let right = MARGINS.right + side.map_or(0.0, |width| width * 1.08 + ROOM);
    let area = Margins { left, right, ..MARGINS }.area((width, height));
    let ranges = ranges(steps.len(), area.width);
    let n_columns = count(ranges.len().max(1));
    let frame = Frame::linear(area, (0.0, n_columns), (0.0, highest));
    let columns = Columns { frame, unit, width: area.width / n_columns };
    let mut marks = Vec::new();
    axes(&mut marks, &frame, y_ticks, unit);
    if ranges.len() < steps.len() {
        merged(&mut marks, &columns, steps, &ranges);
    } else if columns.width >= BAR {
        for (index, step) in steps.iter().enumerate() {
            bar(&mut marks, &columns, index, step, parts);
        }
    } else {
        areas(&mut marks, &columns, steps, parts);
    }
    names(&mut marks, area, steps);
    if let Some(sides) = sides {
        means(&mut marks, &columns, sides);
    }
    for (index, range) in ranges.iter().enumerate() {
        let Some(steps) = steps.get(range.clone()) else { continue };
        let w = columns.width.clamp(3.0, WIDEST);
        let x = columns.x(index) + (columns.width - w) / 2.0;
        if selected.is_some_and(|step| range.contains(&(step as usize))) {
            marks.push(Mark::new(Shape::rect(x, area.bottom() + 1.0, w, 3.0), Paint::fill(Tone::AccentLine)));
        }
        // A column stands for its longest step, because readers look for slow steps.
        let longest = (0..steps.len()).rev().max_by_key(|index| steps[*index].ends().1).unwrap_or(0);
        let Ok(id) = u32::try_from(range.start + longest) else { continue };
        let target = Shape::rect(columns.x(index), area.y, columns.width, area.height);
        marks.push(Mark::for_datum(id, step_text::column(steps), target, Paint::NONE));
    }
    let title = step_text::sentence(steps, subject, facts.as_ref(), ranges.len());
    Scene { width, height, marks, title, table: table(steps, parts, unit) }
}

/// Returns the ticks of the y axis, which are at the same places for all margins at the sides.
fn y_ticks(highest: f64, size: (f64, f64)) -> Vec<Tick> {
    let Frame { area, y, .. } = Frame::linear(MARGINS.area(size), (0.0, 1.0), (0.0, highest));
    ticks::ticks(&y, if area.height > 120.0 { 5 } else { 3 }, ticks::plain)
}

/// Returns the steps of each column: one step each, or as many columns as there are pixels.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels of a screen")]
fn ranges(n: usize, room: f64) -> Vec<Range<usize>> {
    let columns = n.min(room.max(1.0) as usize);
    // The first columns take the remainder of the division. `index * n / columns` would overflow 32 bits.
    let (each, more) = (n.checked_div(columns).unwrap_or(0), n.checked_rem(columns).unwrap_or(0));
    let start = |index: usize| index * each + index.min(more);
    (0..columns).map(|index| start(index)..start(index + 1)).collect()
}

fn axes(marks: &mut Vec<Mark>, frame: &Frame, y_ticks: Vec<Tick>, unit: TimeUnit) {
    // The axis is the line of 0.
    frame.y_grid(marks, y_ticks.iter().filter(|tick| tick.value > 0.0));
    frame.y_labels(marks, y_ticks);
    marks.extend([frame.y_unit(9.0, unit.symbol()), frame.axes()]);
}

fn bar(marks: &mut Vec<Mark>, columns: &Columns, index: usize, step: &Step, parts: &[StepPart]) {
    let w = (columns.width - (columns.width * 0.25).max(1.0)).min(WIDEST);
    let x = columns.x(index) + (columns.width - w) / 2.0;
    for (part, (from, to)) in parts.iter().zip(step.stacked()).filter(|(_, (from, to))| from < to) {
        let (y, foot) = (columns.y(to), columns.y(from));
        marks.push(Mark::new(Shape::rect(x, y, w, foot - y), part.paint));
    }
    if let Some((min, max)) = step.spread {
        let (middle, cap) = (x + w / 2.0, (w / 4.0).min(5.0));
        let (low, high) = (columns.y(min), columns.y(max));
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
fn areas(marks: &mut Vec<Mark>, columns: &Columns, steps: &[Step], parts: &[StepPart]) {
    for (index, kind) in parts.iter().enumerate() {
        let part = |step: &Step| step.stacked().nth(index).unwrap_or_default();
        if steps.iter().map(part).any(|(from, to)| from < to) {
            let paint = Paint { stroke: None, ..kind.paint };
            marks.push(Mark::new(stairs(columns, steps.iter().map(part)), paint));
        }
    }
    if steps.iter().any(|step| step.spread.is_some()) {
        marks.push(Mark::new(stairs(columns, steps.iter().map(Step::ends)), Paint::fill(Tone::Ink).faded(0.4)));
    }
}

/// Draws columns of several steps: one area up to the shortest step, and one from there to the longest. The parts are
/// not shown.
fn merged(marks: &mut Vec<Mark>, columns: &Columns, steps: &[Step], ranges: &[Range<usize>]) {
    let ends = |range: &Range<usize>| {
        let ends = || steps.get(range.clone()).into_iter().flatten().map(Step::ends);
        let shortest = ends().map(|(min, _)| min).min().unwrap_or_default();
        (shortest, ends().map(|(_, max)| max).max().unwrap_or_default())
    };
    let below = ranges.iter().map(|range| (Picos::ZERO, ends(range).0));
    marks.push(Mark::new(stairs(columns, below), Paint::fill(Tone::Line2)));
    marks.push(Mark::new(stairs(columns, ranges.iter().map(ends)), Paint::fill(Tone::Ink3)));
}

/// Returns the outline of adjacent columns, each from one time to another.
fn stairs(columns: &Columns, ends: impl Iterator<Item = (Picos, Picos)>) -> Shape {
    let (mut there, mut back) = (Vec::new(), Vec::new());
    for (index, (from, to)) in ends.enumerate() {
        let (x, right) = (columns.x(index), columns.x(index + 1));
        there.extend([(x, columns.y(to)), (right, columns.y(to))]);
        back.extend([(x, columns.y(from)), (right, columns.y(from))]);
    }
    there.extend(back.into_iter().rev());
    Shape::Path(there, true)
}

/// Writes the names below the bars, at regular intervals if they would touch.
fn names(marks: &mut Vec<Mark>, area: Rect, steps: &[Step]) {
    let name = |step: &Step| format::middle_cut(&step.name, 12);
    let widest = steps.iter().map(|step| label::width(&name(step), Size::Micro.px())).fold(0.0, f64::max) + 8.0;
    let each = area.width / count(steps.len().max(1));
    let strides = (0..9).flat_map(|decade| [1, 2, 5].map(|lead| lead * 10usize.pow(decade)));
    let every = strides.into_iter().find(|every| count(*every) * each >= widest).unwrap_or(usize::MAX);
    for (index, step) in steps.iter().enumerate().step_by(every) {
        let x = area.x + each * (count(index) + 0.5);
        let text = Shape::text(x, area.bottom() + 16.0, Anchor::Middle, name(step));
        marks.push(Mark::new(text, Paint::fill(Tone::Ink3)));
    }
}

/// Draws a line at the mean, with labels for mean and median at its end.
fn means(marks: &mut Vec<Mark>, columns: &Columns, [mean, median]: [(String, Picos); 2]) {
    let Rect { x: left, y: top, .. } = columns.frame.area;
    let (right, bottom) = (columns.frame.area.right(), columns.frame.area.bottom());
    let y = columns.y(mean.1);
    marks.push(Mark::new(Shape::line(left, y, right, y), Paint::stroke(Tone::Ink2, 1.0).dashed()));
    // The larger value is above; if the labels would overlap, the lower label moves down.
    let lowest = (bottom - 13.0).max(top);
    let (mut upper, mut lower) = (mean, median);
    if lower.1 > upper.1 {
        std::mem::swap(&mut upper, &mut lower);
    }
    let upper_y = columns.y(upper.1).clamp(top, lowest);
    let lower_y = columns.y(lower.1).max(upper_y + 13.0);
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
        [step.name.clone()].into_iter().chain(times.map(|time| format::time(time, unit))).collect::<Vec<_>>()
    };
    SceneTable::new(heads, steps.iter().map(row))
}

#[expect(clippy::cast_precision_loss, reason = "steps of a capture")]
const fn count(n: usize) -> f64 {
    n as f64
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[path = "steps_tests.rs"]
mod tests;
