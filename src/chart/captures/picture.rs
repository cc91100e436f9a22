//! This module places a figure of many captures on one axis: a mark for each capture in the order of time, a line for the level
//! between changes, and a line at each change.

use super::texts::brief_time;
use crate::analysis::captures::{CaptureFigure, CapturesView, SeriesChange, SeriesMark};
use crate::analysis::compare::statistics::median;
use crate::analysis::overview::Unit;
use crate::chart::plot::scale::Scale;
use crate::chart::plot::ticks::{Tick, plain, ticks};
use crate::report::overview::text::number;
use crate::table::format::{TimeUnit, middle_cut, signed_time_text};
use xla_profile::units::Picos;

/// Largest number of labels below the axis.
const MAX_LABELS: usize = 8;
/// The range of the axis is at least this share of the largest value.
const LEAST_RANGE: f64 = 0.1;
/// Room for a label above a mark, as a fraction of the width.
const LABEL: f64 = 0.06;
const LABEL_ON_NARROW_PAGE: f64 = 0.22;
/// Longest label of a cause, in characters.
const LONGEST_CAUSE: usize = 28;

/// How a capture is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureMarkKind {
    /// A dot.
    Whole,
    /// A hollow dot: only a part of the capture was read.
    Partial,
    /// A small triangle at the lower edge: another device or other work, whose value is not on the axis.
    Other,
    /// A tick at the lower edge: the value is unknown.
    Unknown,
}

/// A capture in the picture. Places are fractions of the width and of the height, from the upper left corner.
#[derive(Clone, Debug, PartialEq)]
pub struct CaptureMark {
    /// Index of the capture.
    pub capture: u32,
    pub kind: CaptureMarkKind,
    pub x: f64,
    pub y: f64,
    /// Upper and lower end of the bar of its steps.
    pub spread: Option<(f64, f64)>,
    /// Name and value.
    pub title: String,
    /// A text above the mark. Empty for captures on the axis, and where it has no room.
    pub label: String,
    /// Whether the label has room on a narrow page.
    pub fits_narrow: bool,
}

/// The level of the captures between two changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    pub from: f64,
    pub to: f64,
    pub y: f64,
}

/// A change.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeLine {
    pub x: f64,
    /// Upper and lower end.
    pub y: (f64, f64),
    /// Its distance from the change before. `None` for the first one.
    pub distance: Option<f64>,
    /// Whether the figure is larger afterwards.
    pub is_more: bool,
    pub is_worse: bool,
    /// The difference, and what made most of it.
    pub label: String,
    pub cause: String,
}

/// A figure of many captures.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesPicture {
    pub marks: Vec<CaptureMark>,
    pub levels: Vec<Level>,
    pub changes: Vec<ChangeLine>,
    pub ticks: Vec<Tick>,
    /// Labels below the axis, at fractions of the width.
    pub dates: Vec<(f64, String)>,
    pub unit: &'static str,
    /// The picture in a sentence.
    pub sentence: String,
}

/// Places the captures. `None` if the figure of no capture is known.
pub fn picture(captures: &CapturesView) -> Option<SeriesPicture> {
    let series = &captures.series;
    let on_axis = |mark: &&SeriesMark| mark.is_comparable && mark.value.is_some();
    let ends = series.marks.iter().filter(on_axis).flat_map(|mark| {
        let spread = mark.spread.map_or([None, None], |(low, high)| [Some(low), Some(high)]);
        [mark.value].into_iter().chain(spread).flatten()
    });
    let ends: Vec<f64> = ends.collect();
    let (low, high) = (ends.iter().copied().reduce(f64::min)?, ends.iter().copied().reduce(f64::max)?);
    let (symbol, per_unit) = unit(series.figure.unit(), high);
    // Differences that are noise are not drawn as if they were large.
    let margin = ((high - low) * 0.15).max((high.abs() * LEAST_RANGE - (high - low)) / 2.0);
    // The lower edge is for captures that have no place on the axis, the upper edge for the labels of changes.
    let scale = Scale::linear(((low - margin).max(0.0) / per_unit, (high + margin) / per_unit), (0.88, 0.16));
    let y = |value: f64| scale.to(value / per_unit);
    let n = series.marks.len().max(1) as f64;
    let x = |index: usize| (index as f64 + 0.5) / n;
    let mark = |(index, mark): (usize, &SeriesMark)| {
        let row = captures.captures.get(mark.capture as usize);
        let name = row.map_or("", |row| row.name.as_str());
        let value = mark.value.map(|value| number(value, series.figure.unit()));
        let kind = match mark.value {
            None => CaptureMarkKind::Unknown,
            Some(_) if !mark.is_comparable => CaptureMarkKind::Other,
            Some(_) if mark.is_partial => CaptureMarkKind::Partial,
            Some(_) => CaptureMarkKind::Whole,
        };
        let is_placed = matches!(kind, CaptureMarkKind::Whole | CaptureMarkKind::Partial);
        let value_text = value.as_deref().unwrap_or("not known");
        let title = match row.and_then(|row| row.device_type.as_deref()).filter(|_| kind == CaptureMarkKind::Other) {
            Some(device) => format!("{name}: {value_text} on {device}, other work or another device, not on the axis"),
            None => format!("{name}: {value_text}"),
        };
        CaptureMark {
            capture: mark.capture,
            kind,
            x: x(index),
            y: mark.value.filter(|_| is_placed).map_or(0.97, y),
            spread: mark.spread.filter(|_| is_placed).map(|(low, high)| (y(high), y(low))),
            label: value.filter(|_| kind == CaptureMarkKind::Other).unwrap_or_default(),
            fits_narrow: true,
            title,
        }
    };
    let is_time = series.figure.unit() == Unit::Ps;
    let change_x = |change: &SeriesChange| (x(change.last_before as usize) + x(change.first_after as usize)) / 2.0;
    let change = |(index, change): (usize, &SeriesChange)| ChangeLine {
        x: change_x(change),
        distance: index
            .checked_sub(1)
            .and_then(|before| series.changes.get(before))
            .map(|before| change_x(change) - change_x(before)),
        y: (y(change.before.max(change.after)), y(change.before.min(change.after))),
        is_more: change.after > change.before,
        is_worse: (change.after > change.before) == (series.figure != CaptureFigure::Mfu),
        label: difference(change, is_time),
        cause: change.cause.as_ref().map_or_else(String::new, |cause| {
            format!("{} {}", middle_cut(&cause.label, LONGEST_CAUSE), signed_time_text(cause.delta_ps))
        }),
    };
    let mut marks: Vec<CaptureMark> = series.marks.iter().enumerate().map(mark).collect();
    place_labels(&mut marks);
    Some(SeriesPicture {
        marks,
        levels: levels(captures, &x, &y),
        changes: series.changes.iter().enumerate().map(change).collect(),
        ticks: ticks(&scale, 4, plain),
        dates: dates(captures, &x),
        unit: symbol,
        sentence: sentence(captures, low, high),
    })
}

/// Drops labels that would cover the label before them.
fn place_labels(marks: &mut [CaptureMark]) {
    let (mut last, mut last_narrow) = (f64::MIN, f64::MIN);
    for mark in marks.iter_mut().filter(|mark| !mark.label.is_empty()) {
        if mark.x - last < LABEL {
            mark.label.clear();
            continue;
        }
        last = mark.x;
        mark.fits_narrow = mark.x - last_narrow >= LABEL_ON_NARROW_PAGE;
        if mark.fits_narrow {
            last_narrow = mark.x;
        }
    }
}

/// Returns the unit of the axis, and its size in the unit of the values.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time in ps")]
fn unit(unit: Unit, high: f64) -> (&'static str, f64) {
    match unit {
        Unit::Ps => {
            let unit = TimeUnit::for_largest(Picos(high.max(0.0) as u64));
            (unit.symbol(), unit.in_ps() as f64)
        }
        Unit::Fraction => ("%", 0.01),
        Unit::Bytes | Unit::Flops | Unit::Count => ("", 1.0),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a difference of times in ps")]
fn difference(change: &SeriesChange, is_time: bool) -> String {
    let delta = change.after - change.before;
    if is_time {
        signed_time_text(delta.round() as i64)
    } else {
        format!("{} points", crate::table::format::signed_percent(delta))
    }
}

/// The fewest captures that have a level. The median of two captures is the value of neither.
const LEAST_OF_A_LEVEL: usize = 3;

/// Returns the median of the captures between two changes, as lines from the first of them to the last.
fn levels(captures: &CapturesView, x: &dyn Fn(usize) -> f64, y: &dyn Fn(f64) -> f64) -> Vec<Level> {
    let series = &captures.series;
    let half = 0.35 / series.marks.len().max(1) as f64;
    let starts = [0].into_iter().chain(series.changes.iter().map(|change| change.first_after as usize));
    let ends = series.changes.iter().map(|change| change.first_after as usize).chain([series.marks.len()]);
    let level = |(start, end): (usize, usize)| {
        let whole = |index: &usize| {
            let mark = &series.marks[*index];
            mark.is_comparable && !mark.is_partial && mark.value.is_some()
        };
        let known: Vec<usize> = (start..end).filter(whole).collect();
        let values: Vec<f64> = known.iter().filter_map(|index| series.marks[*index].value).collect();
        if values.len() < LEAST_OF_A_LEVEL {
            return None;
        }
        Some(Level { from: x(*known.first()?) - half, to: x(*known.last()?) + half, y: y(median(&values)?) })
    };
    starts.zip(ends).filter_map(level).collect()
}

/// Returns the dates of some captures; without times, their numbers.
fn dates(captures: &CapturesView, x: &dyn Fn(usize) -> f64) -> Vec<(f64, String)> {
    let marks = &captures.series.marks;
    let every = marks.len().div_ceil(MAX_LABELS).max(1);
    let label = |(index, mark): (usize, &SeriesMark)| {
        let row = captures.captures.get(mark.capture as usize).filter(|_| captures.series.is_by_time);
        (x(index), row.and_then(|row| brief_time(captures, row)).unwrap_or_else(|| (index + 1).to_string()))
    };
    let mut labels: Vec<(f64, String)> = marks.iter().enumerate().step_by(every).map(label).collect();
    // A date that repeats the one before says nothing.
    labels.dedup_by(|later, earlier| later.1 == earlier.1);
    labels
}

fn sentence(captures: &CapturesView, low: f64, high: f64) -> String {
    let unit = captures.series.figure.unit();
    let changes = captures.series.changes.iter().map(|change| format!(" {}", super::change_sentence(captures, change)));
    let changes: String = changes.collect();
    let none = if changes.is_empty() { " No lasting change." } else { "" };
    format!(
        "{} of {} captures, from {} to {}.{none}{changes}",
        captures.series.figure.label(),
        captures.n_read,
        number(low, unit),
        number(high, unit)
    )
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn labels_of_marks_do_not_cover_each_other() {
        let mark = |x: f64| CaptureMark {
            capture: 0,
            kind: CaptureMarkKind::Other,
            x,
            y: 0.97,
            spread: None,
            title: String::new(),
            label: "978.22 µs".to_owned(),
            fits_narrow: true,
        };
        let mut marks = [0.1, 0.14, 0.2, 0.5].map(mark);
        place_labels(&mut marks);
        let placed = marks.map(|mark| (!mark.label.is_empty(), mark.fits_narrow));
        assert_eq!(placed, [(true, true), (false, true), (true, false), (true, true)]);
    }
}
