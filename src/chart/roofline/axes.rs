//! This module computes the ranges of the chart's axes, and draws the axes with their grid and ticks. It depends on
//! marks and roofs, not on their appearance.

use super::ceilings::Ceilings;
use super::dots::{Dot, Dots};
use crate::chart::plot::frame::{Frame, Margins};
use crate::chart::plot::scale::Scale;
use crate::chart::plot::scene::Mark;
use crate::chart::plot::ticks;
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// The visible range of the axes: FLOP per byte, and FLOP/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisWindow {
    /// From left to right, in FLOP per byte.
    pub x: (f64, f64),
    /// From bottom to top, in FLOP/s.
    pub y: (f64, f64),
}

/// Margins in px for the labels of the axes, and for marks that extend above the frame.
const MARGINS: Margins = Margins { left: 52.0, right: 20.0, top: 24.0, bottom: 40.0 };
/// Left margin of charts of less than 480 px, in px.
const NARROW_LEFT: f64 = 40.0;
/// The smallest visible range of an axis, as a fraction of the decades of the whole axis.
const FINEST: f64 = 1e-3;

/// Returns the frame of a chart of a size.
pub(super) fn frame(window: AxisWindow, size: (f64, f64)) -> Frame {
    let left = if size.0 < 480.0 { NARROW_LEFT } else { MARGINS.left };
    Frame::log(Margins { left, ..MARGINS }.area(size), window.x, window.y)
}

/// Returns the number of rows outside of the visible range, and their time.
pub(super) fn rows_outside(frame: &Frame, dots: &Dots) -> (u32, Picos) {
    let rows = dots.all.iter().filter(|dot| dot.group.is_some() && !frame.holds(frame.point(dot.x, dot.y)));
    rows.fold((0, Picos::ZERO), |(n, time), dot| (n + 1, time + dot.roof.total))
}

/// At each end of an axis, rows with at most this fraction of the time do not extend the initial range.
const TINY: f64 = 0.01;
/// Factors that limit the initial range: the largest distance from the ridge, and the largest distance below the
/// highest roof.
const FARTHEST: (f64, f64) = (1e4, 1e5);
/// The limits of [`FARTHEST`] do not apply if the rows beyond them have more than this fraction of the time.
const MUCH: f64 = 0.2;

/// Returns the range of whole decades around all marks, the ridge and the highest roof.
pub fn full_window(dots: &Dots, ceilings: &Ceilings) -> AxisWindow {
    window_around(dots.all.iter(), ceilings)
}

/// Returns the range of whole decades around the rows that matter. A few rows of little time can be many decades away;
/// the chart draws these at its edge.
pub fn initial_window(dots: &Dots, ceilings: &Ceilings) -> AxisWindow {
    let rows: Vec<&Dot> = dots.all.iter().filter(|dot| dot.group.is_some()).collect();
    let all: f64 = rows.iter().map(|dot| dot.roof.total.as_f64()).sum();
    let ridge = ceilings.ridge().map(|ridge| (ridge / FARTHEST.0, ridge * FARTHEST.0));
    let top = ceilings.top().map(|top| (top / FARTHEST.1, f64::INFINITY));
    let x = axis_domain(&rows, |dot| dot.x, all, ridge);
    let y = axis_domain(&rows, |dot| dot.y, all, top);
    let is_near = |dot: &&Dot| dot.group.is_none() || (is_within(dot.x, x) && is_within(dot.y, y));
    window_around(dots.all.iter().filter(is_near), ceilings)
}

fn is_within(value: f64, (lo, hi): (f64, f64)) -> bool {
    lo <= value && value <= hi
}

/// Returns the range of values with most of the time: without the rows of little time at each end, and within `limits`
/// unless much time is outside of them.
fn axis_domain(rows: &[&Dot], figure: fn(&Dot) -> f64, all: f64, limits: Option<(f64, f64)>) -> (f64, f64) {
    let mut sorted: Vec<(f64, f64)> = rows.iter().map(|dot| (figure(dot), dot.roof.total.as_f64())).collect();
    sorted.small_sort_by(|a, b| a.0.total_cmp(&b.0));
    let end = |values: Vec<&(f64, f64)>| {
        let mut before = 0.0;
        values.into_iter().find_map(|(value, time)| {
            before += time;
            (before > all * TINY).then_some(*value)
        })
    };
    let (lo, hi) = (end(sorted.iter().collect()), end(sorted.iter().rev().collect()));
    let (mut lo, mut hi) = (lo.unwrap_or(0.0), hi.unwrap_or(f64::INFINITY));
    if let Some((least, most)) = limits {
        let beyond = sorted.iter().filter(|(value, _)| !is_within(*value, (least, most)));
        if beyond.map(|(_, time)| time).sum::<f64>() <= all * MUCH {
            (lo, hi) = (lo.max(least), hi.min(most));
        }
    }
    (lo, hi)
}

fn window_around<'a>(dots: impl Iterator<Item = &'a Dot> + Clone, ceilings: &Ceilings) -> AxisWindow {
    let ridge = ceilings.ridge();
    if dots.clone().next().is_none()
        && let (Some(ridge), Some(top)) = (ridge, ceilings.top())
    {
        // Without marks, the roof is in the middle of the chart.
        return AxisWindow {
            x: decades([ridge / 300.0, ridge * 30.0].into_iter()),
            y: decades([top / 1000.0, top * 1.5].into_iter()),
        };
    }
    let x = dots.clone().map(|dot| dot.x).chain(ridge).chain(ridge.map(|x| x * 2.0));
    let y = dots.map(|dot| dot.y).chain(ceilings.top()).chain(ceilings.top().map(|y| y * 1.5));
    AxisWindow { x: decades(x), y: decades(y) }
}

fn decades(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let ends = values.fold(None, |ends: Option<(f64, f64)>, value| {
        Some(ends.map_or((value, value), |(lo, hi)| (lo.min(value), hi.max(value))))
    });
    let (lo, hi) = ends.unwrap_or((0.1, 1000.0));
    Scale::log_around(lo, hi, (0.0, 1.0)).domain()
}

/// Returns the range after a zoom by `factor` about the point `position`. The range stays within `whole`.
pub fn zoomed(
    window: AxisWindow,
    whole: AxisWindow,
    size: (f64, f64),
    position: (f64, f64),
    factor: f64,
) -> AxisWindow {
    let (now, outer) = (frame(window, size), frame(whole, size));
    let one = |scale: &Scale, outer: &Scale, px: f64| {
        let next = scale.zoom_about(px, factor).clamped_to(outer);
        let width = |scale: &Scale| (scale.domain().1 / scale.domain().0).log10();
        if width(&next) < width(outer) * FINEST { scale.domain() } else { next.domain() }
    };
    AxisWindow { x: one(&now.x, &outer.x, position.0), y: one(&now.y, &outer.y, position.1) }
}

/// Draws the grid, the axes, the ticks and the titles.
pub(super) fn draw(marks: &mut Vec<Mark>, frame: &Frame, memory: &str) {
    frame.x_ticks(marks, ticks::ticks(&frame.x, if frame.area.width < 420.0 { 6 } else { 9 }, ticks::short), 15.0);
    frame.y_ticks(marks, ticks::ticks(&frame.y, 9, |flops| ticks::short(flops / 1e12)));
    marks.extend([frame.y_axis(), frame.x_axis(), frame.y_title(10.0, "TFLOP/s")]);
    marks.push(frame.x_title(32.0, format!("Arithmetic intensity, FLOP/byte of {memory}")));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::roofline::{Bound, CostSource, Level, Precision, RooflinePosition};

    const WHOLE: AxisWindow = AxisWindow { x: (0.1, 10_000.0), y: (1e9, 1e15) };

    #[test]
    fn without_anything_there_are_axes_still() {
        let window = full_window(&Dots::default(), &Ceilings::default());
        assert_eq!(window.x, (0.1, 1000.0));
        assert!(window.y.0 < window.y.1);
    }

    /// Creates a row at a position, with a self time of `micros` µs.
    fn row(x: f64, y: f64, micros: u64) -> Dot {
        let total = Picos(micros * 1_000_000);
        let roof = RooflinePosition {
            total,
            n: 1.into(),
            flops: 1.0,
            bytes: 1.0,
            level_bytes: [1.0, 0.0, 0.0, 0.0, 0.0],
            dtype: None,
            precision: None,
            dtype_uncertain: false,
            dtype_mixed: false,
            cost: CostSource::Capture,
            intensity: Some(x),
            ridge: None,
            bound: Bound::Compute,
            t_compute: Picos::ZERO,
            t_memory: [Picos::ZERO; 5],
            t_roof: Picos::ZERO,
            bound_total: [Picos::ZERO; 6],
            mfu: None,
            level_util: [None; 5],
            util: None,
            gap: 0,
            gap_fraction: None,
            recoverable: Picos::ZERO,
            above: Picos::ZERO,
            latency_bound: false,
        };
        Dot {
            name: "a".into(),
            key: "a".into(),
            group: Some(crate::chart::roofline::WorkGroup::Other),
            x,
            y,
            roof,
            cumulative: None,
        }
    }

    #[test]
    fn a_row_of_little_time_far_away_does_not_stretch_the_axes() {
        let ceilings = Ceilings {
            compute: vec![(Precision::Bf16, 459e12)],
            memory: Some((Level::Hbm, 2765e9)),
            others: Vec::new(),
        };
        let near: Vec<Dot> = (0..40).map(|i| row(0.3 + f64::from(i) * 10.0, 1e12, 2000)).collect();
        let far = row(1.31e8, 1e12, 300);
        let dots = Dots { all: near.iter().cloned().chain([far]).collect(), ..Dots::default() };
        let window = initial_window(&dots, &ceilings);
        assert!(window.x.1 <= 1e4, "{window:?}");
        assert!(full_window(&dots, &ceilings).x.1 >= 1.31e8);
        assert_eq!(rows_outside(&frame(window, (700.0, 500.0)), &dots), (1, Picos(300_000_000)));
        // For many rows with few FLOPs, five decades below the roof are enough.
        let low = (0..9).map(|_| row(1e-6, 1e7, 1000));
        let dots = Dots { all: near.iter().cloned().chain(low).collect(), ..Dots::default() };
        assert!(initial_window(&dots, &ceilings).y.0 >= 1e9, "{:?}", initial_window(&dots, &ceilings));
        // If these rows have most of the time, they determine the range.
        let low: Vec<Dot> = (0..9).map(|_| row(1e-6, 1e7, 1000)).collect();
        let dots = Dots { all: low, ..Dots::default() };
        assert!(initial_window(&dots, &ceilings).y.0 <= 1e7);
    }

    #[test]
    fn the_roof_alone_lies_within_the_chart() {
        let ceilings =
            Ceilings { compute: vec![(Precision::F16, 125e12)], memory: Some((Level::Hbm, 898e9)), others: Vec::new() };
        let window = initial_window(&Dots::default(), &ceilings);
        assert!(window.x.0 * 10.0 < 139.0 && window.x.1 > 1390.0 && window.y.0 * 100.0 < 125e12, "{window:?}");
    }

    #[test]
    fn zooming_keeps_what_is_under_the_pointer_and_never_leaves_the_whole() {
        let (size, pointer) = ((700.0, 500.0), (300.0, 200.0));
        let value = |window| frame(window, size).x.invert(pointer.0);
        let near = zoomed(WHOLE, WHOLE, size, pointer, 2.0);
        assert!((value(near) / value(WHOLE) - 1.0).abs() < 1e-9);
        assert!(near.x.0 > WHOLE.x.0 && near.x.1 < WHOLE.x.1);
        let far = zoomed(near, WHOLE, size, pointer, 0.01);
        assert!((far.x.0 / WHOLE.x.0 - 1.0).abs() < 1e-9 && (far.y.1 / WHOLE.y.1 - 1.0).abs() < 1e-9);
        let mut closest = WHOLE;
        for _ in 0..200 {
            closest = zoomed(closest, WHOLE, size, pointer, 1.5);
        }
        assert!(closest.x.1 / closest.x.0 > 1.001);
    }
}
