//! This module draws the spans in flight against compute, in lanes in which no spans overlap. Strips of compute and of
//! waiting are above the lanes. This module does not depend on a browser.
//!
//! ```text
//!  Compute    ████ ██████   ██      merged
//!  Waits          █      ███        merged
//!  In flight  ░░░▓▓                 filled: exposed, outlined: overlapped
//!                   ░░░░░▓▓▓
//! ```
//!
//! The id of a mark is the index of its span. Neighbouring spans that are narrower than a pixel share one mark, with an
//! id beyond the indices of spans.

use crate::analysis::classify::Kind;
use crate::analysis::comm::{CommLanes, Execution, LaneSpan};
use crate::chart::plot::label;
use crate::chart::plot::paint::{Paint, Pattern, Tone};
use crate::chart::plot::scale::Scale;
use crate::chart::plot::scene::{Anchor, Mark, Scene, SceneTable, Shape, Size};
use crate::chart::plot::ticks::{in_unit, plain, ticks};
use crate::chart::plot::time_part::TimePart;
use crate::chart::widgets::tip::{Tip, row};
use crate::table::format::{self, TimeUnit};
use xla_profile::units::Picos;

/// Least height of a block, and of a row with the gap below the block, in px. [`SMALL`] is for charts with many lanes.
const ROW: (f64, f64) = (18.0, 25.0);
const SMALL: (f64, f64) = (10.0, 13.0);
/// Largest height of a row, and the height that a chart with few rows fills, in px.
const TALLEST_ROW: f64 = 64.0;
const FILLED: f64 = 226.0;
/// Largest number of lanes that are drawn with the sizes of [`ROW`].
const LARGE_LANES: u32 = 7;
/// Height above the rows, for the axis, in px.
const TOP: f64 = 20.0;
const BOTTOM: f64 = 8.0;
/// Width of the row names, in px: for charts of 480 px or more, and for narrower charts.
const LEFT: (f64, f64) = (66.0, 54.0);
const RIGHT: f64 = 14.0;
/// Smallest number of letters of a name that a block shows.
const LETTERS: usize = 4;

/// Options of the chart.
#[derive(Clone, Copy, Debug)]
pub struct LaneOptions<'a> {
    /// Visible part, in picoseconds from the start of the step.
    pub part: (Picos, Picos),
    /// Kind of the time in flight: communication or data movement.
    pub kind: Kind,
    /// Name and program id of the selected op.
    pub chosen: Option<(&'a str, Option<u64>)>,
    /// Width of the chart, in px.
    pub width: f64,
}

/// Conversion from times to x coordinates.
struct TimeAxis {
    /// Scale from times in `unit` to px.
    x: Scale,
    unit: TimeUnit,
}

impl TimeAxis {
    fn new(options: &LaneOptions<'_>) -> Self {
        let unit = TimeUnit::for_largest(options.part.1);
        let left = if options.width < 480.0 { LEFT.1 } else { LEFT.0 };
        let ends = (in_unit(options.part.0, unit), in_unit(options.part.1, unit));
        Self { x: Scale::linear(ends, (left, (options.width - RIGHT).max(left + 1.0))), unit }
    }

    /// Returns the x coordinates of both ends, clipped to the axis. `None` if the interval is outside the axis.
    fn ends(&self, (start, end): (Picos, Picos)) -> Option<(f64, f64)> {
        let (a, b) = (self.x.to(in_unit(start, self.unit)), self.x.to(in_unit(end, self.unit)));
        let (left, right) = self.x.range();
        (b > left && a < right).then(|| (a.max(left), b.min(right)))
    }
}

/// Returns the height of a block and the height of the rows of compute and stall, in px. If there are few lanes, the rows
/// fill the chart.
fn rows(lanes: &CommLanes) -> (f64, f64) {
    if lanes.n_lanes > LARGE_LANES {
        return ROW;
    }
    let n = 2.0 + f64::from(lanes.n_lanes.max(1));
    let row = ((FILLED - TOP - BOTTOM) / n).floor().clamp(ROW.1, TALLEST_ROW);
    (row - (ROW.1 - ROW.0), row)
}

/// Returns the height of a block and the height of a lane, in px.
fn sizes(lanes: &CommLanes) -> (f64, f64) {
    if lanes.n_lanes > LARGE_LANES { SMALL } else { rows(lanes) }
}

/// Returns the height of the chart, in px.
pub fn height(lanes: &CommLanes) -> f64 {
    TOP + rows(lanes).1 * 2.0 + sizes(lanes).1 * f64::from(lanes.n_lanes.max(1)) + BOTTOM
}

/// Returns the time at `x` px, in picoseconds from the start of the step, clamped to the visible part.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the step")]
pub fn time_at(options: &LaneOptions<'_>, x: f64) -> Picos {
    let axis = TimeAxis::new(options);
    let (left, right) = axis.x.range();
    #[expect(clippy::cast_precision_loss, reason = "units are powers of ten")]
    let ps = axis.x.invert(x.clamp(left, right)) * axis.unit.in_ps() as f64;
    Picos(ps.max(0.0) as u64)
}

/// Draws the chart.
pub fn scene(lanes: &CommLanes, options: &LaneOptions<'_>) -> Scene {
    let (axis, height, width) = (TimeAxis::new(options), height(lanes), options.width);
    let mut marks = Vec::new();
    draw_axis(&mut marks, &axis, height);
    let (tall, pitch) = rows(lanes);
    let names = [("Compute", TOP), ("Stall", TOP + pitch), ("In flight", TOP + pitch * 2.0)];
    for (name, y) in names {
        let shape = Shape::text(0.0, y + 13.0, Anchor::Start, name.to_owned());
        marks.push(Mark::new(shape, Paint::fill(Tone::Ink2)));
    }
    let tone = Tone::Kind(TimePart::Kind(options.kind));
    let compute = Paint::fill(Tone::Kind(TimePart::Kind(Kind::Compute)));
    strip(&mut marks, &axis, &lanes.compute, (TOP, tall), compute);
    strip(&mut marks, &axis, &lanes.waits, (TOP + pitch, tall), Paint::fill(tone));
    let (block, row) = sizes(lanes);
    let mut by_lane: Vec<Vec<usize>> = vec![Vec::new(); lanes.n_lanes as usize];
    for (index, span) in lanes.spans.iter().enumerate() {
        if let Some(lane) = by_lane.get_mut(span.lane as usize) {
            lane.push(index);
        }
    }
    let mut drawn = Drawn { marks, next: lanes.spans.len(), lanes, options, axis: &axis, tone };
    for (lane, spans) in (0_u32..).zip(&by_lane) {
        drawn.lane(spans, TOP + pitch * 2.0 + row * f64::from(lane), block);
    }
    let marks = drawn.marks;
    Scene { width, height, marks, title: title(lanes, options), table: table(lanes) }
}

fn draw_axis(marks: &mut Vec<Mark>, axis: &TimeAxis, height: f64) {
    let bottom = height - BOTTOM;
    let ticks = ticks(&axis.x, if axis.x.range().1 < 480.0 { 4 } else { 8 }, plain);
    for (index, tick) in ticks.into_iter().enumerate() {
        marks.push(Mark::new(
            Shape::line(tick.position, TOP - 6.0, tick.position, bottom),
            Paint::stroke(Tone::Grid, 1.0),
        ));
        let text = if index == 0 { format!("{} {}", tick.label, axis.unit.symbol()) } else { tick.label };
        marks.push(Mark::new(Shape::text(tick.position, TOP - 9.0, Anchor::Middle, text), Paint::fill(Tone::Ink3)));
    }
}

/// Draws intervals as rectangles in one row. Intervals less than half a pixel apart become one mark.
fn strip(marks: &mut Vec<Mark>, axis: &TimeAxis, all: &[(Picos, Picos)], (y, h): (f64, f64), paint: Paint) {
    let mut last: Option<(f64, f64)> = None;
    let mut put = |(a, b): (f64, f64)| marks.push(Mark::new(Shape::rect(a, y, (b - a).max(0.75), h), paint));
    for (a, b) in all.iter().filter_map(|stretch| axis.ends(*stretch)) {
        last = Some(match last {
            Some((from, to)) if a - to < 0.5 => (from, b.max(to)),
            Some(done) => {
                put(done);
                (a, b)
            }
            None => (a, b),
        });
    }
    last.into_iter().for_each(put);
}

struct Drawn<'a> {
    marks: Vec<Mark>,
    /// Id of the next mark for several narrow spans.
    next: usize,
    lanes: &'a CommLanes,
    options: &'a LaneOptions<'a>,
    axis: &'a TimeAxis,
    tone: Tone,
}

impl Drawn<'_> {
    fn lane(&mut self, spans: &[usize], y: f64, h: f64) {
        // Current run of neighbouring spans below one pixel: its x range, and the indices of its spans.
        let mut run: Option<((f64, f64), Vec<usize>)> = None;
        for index in spans {
            let span = &self.lanes.spans[*index];
            let Some((a, b)) = self.axis.ends((span.start, span.end)) else { continue };
            let thin = b - a < 1.0;
            run = match run.take() {
                Some(((from, to), mut merged)) if thin && a - to < 1.0 => {
                    merged.push(*index);
                    Some(((from, b.max(to)), merged))
                }
                before => {
                    before.into_iter().for_each(|(ends, merged)| self.draw_merged(ends, &merged, y, h));
                    thin.then(|| ((a, b), vec![*index]))
                }
            };
            if !thin {
                self.block(*index, span, (a, b), y, h);
            }
        }
        run.into_iter().for_each(|(ends, merged)| self.draw_merged(ends, &merged, y, h));
    }

    /// Draws one span: an outline, filled during the exposed time.
    fn block(&mut self, index: usize, span: &LaneSpan, (a, b): (f64, f64), y: f64, h: f64) {
        let id = u32::try_from(index).unwrap_or(u32::MAX);
        let w = (b - a).max(1.0);
        let is_fused = span.execution == Execution::Fused;
        let ground = Paint { pattern: is_fused.then_some(Pattern::Stripe), ..Paint::fill(Tone::Ground) };
        self.marks.push(Mark::for_datum(id, words(span), Shape::rect(a, y, w, h), ground));
        let pieces = exposed(span, &self.lanes.compute);
        strip(&mut self.marks, self.axis, &pieces, (y, h), Paint::fill(self.tone));
        if w > 2.0 {
            let edge = Shape::rect(a + 0.5, y + 0.5, w - 1.0, h - 1.0);
            self.marks.push(Mark::new(edge, Paint::stroke(self.tone, 1.0)));
        }
        self.chosen(span, Shape::rect(a - 1.0, y - 1.0, w + 2.0, h + 2.0));
        let room = label::mono_room(w - 8.0, Size::Micro.px());
        if room >= LETTERS && h >= ROW.0 {
            let name = Shape::mono_text(a + 4.0, y + 13.0, format::middle_cut(&span.name, room));
            // A name on a mostly filled block has the contrast colour of the fill; a name on the ground has a halo.
            let mostly = span.exposed.0 * 2 > span.end.0.saturating_sub(span.start.0);
            self.marks.push(if mostly {
                Mark::new(name, Paint::fill(Tone::On(TimePart::Kind(self.options.kind))))
            } else {
                Mark::new(name.with_halo(), Paint::fill(Tone::Ink))
            });
        }
    }

    /// Draws neighbouring spans below one pixel as one mark. The mark is more opaque if more of the time is exposed.
    fn draw_merged(&mut self, (a, b): (f64, f64), indices: &[usize], y: f64, h: f64) {
        let spans = indices.iter().map(|index| &self.lanes.spans[*index]);
        let (time, bare) = spans.clone().fold((Picos::ZERO, Picos::ZERO), |(time, bare), span| {
            (time + Picos(span.end.0.saturating_sub(span.start.0)), bare + span.exposed)
        });
        let shape = Shape::rect(a, y, (b - a).max(1.0), h);
        let paint = Paint::fill(self.tone).faded(0.35 + 0.65 * bare.fraction_of(time).unwrap_or(0.0));
        let (id, label) = match indices {
            [one] => (*one, words(&self.lanes.spans[*one])),
            _ => {
                self.next += 1;
                let n = format::counted(indices.len() as u64, "span", "spans");
                let (time, bare) = (format::time_text(time), format::time_text(bare));
                (
                    self.next - 1,
                    format!("{n} of less than a pixel: {time} in flight, {bare} exposed. Zoom in to see each."),
                )
            }
        };
        self.marks.push(Mark::for_datum(u32::try_from(id).unwrap_or(u32::MAX), label, shape.clone(), paint));
        for span in indices.iter().map(|index| &self.lanes.spans[*index]) {
            self.chosen(span, shape.clone());
        }
    }

    fn chosen(&mut self, span: &LaneSpan, shape: Shape) {
        if self.options.chosen == Some((span.name.as_str(), span.program_id)) {
            self.marks.push(Mark::new(shape, Paint::stroke(Tone::AccentLine, 2.0)));
        }
    }
}

/// Returns the parts of a span during which nothing is computed. `compute` holds merged intervals in order.
fn exposed(span: &LaneSpan, compute: &[(Picos, Picos)]) -> Vec<(Picos, Picos)> {
    let mut pieces = Vec::new();
    let mut from = span.start;
    let first = compute.partition_point(|(_, end)| *end <= span.start);
    for (start, end) in compute.iter().skip(first).take_while(|(start, _)| *start < span.end) {
        if from < *start {
            pieces.push((from, *start));
        }
        from = from.max(*end);
    }
    if from < span.end {
        pieces.push((from, span.end));
    }
    pieces
}

/// Returns the label of a span as a sentence.
fn words(span: &LaneSpan) -> String {
    let length = Picos(span.end.0.saturating_sub(span.start.0));
    let (length, bare) = (format::time_text(length), format::time_text(span.exposed));
    format!("{}, {}: {length} in flight, {bare} exposed.", span.name, span.primitive.key())
}

/// Builds the tooltip of a mark: the figures of a span, or the label of a mark for several narrow spans. `None` if no
/// mark has this id.
pub fn tip(lanes: &CommLanes, scene: &Scene, id: u32) -> Option<Tip> {
    let Some(span) = lanes.spans.get(id as usize) else {
        let mark = scene.marks.iter().find(|mark| mark.id == Some(id))?;
        return Some(Tip { title: mark.label.clone(), rows: Vec::new() });
    };
    let length = Picos(span.end.0.saturating_sub(span.start.0));
    let hidden = Picos(length.0.saturating_sub(span.exposed.0));
    let rows = vec![
        row("Primitive", span.primitive.key()),
        row("In flight", format::time_text(length)),
        row("Exposed", format::time_text(span.exposed)),
        row("Overlapped", format::time_text(hidden)),
        row("From, to", format!("{}, {}", format::time_text(span.start), format::time_text(span.end))),
        row("Execution", span.execution.label()),
    ];
    Some(Tip { title: span.name.clone(), rows })
}

/// Returns the caption of the chart: the step and the device that it shows, and how to read and use it.
pub fn caption(lanes: &CommLanes) -> String {
    let device = lanes.device.as_ref().map_or_else(String::new, |device| format!("{} of {device} · ", lanes.step));
    device + "filled: exposed · outlined: overlapped · drag to zoom"
}

/// Returns a sentence about spans and intervals that are not drawn. `None` if everything is drawn.
pub fn left_out(lanes: &CommLanes) -> Option<String> {
    let mut reasons = Vec::new();
    if lanes.left_out.0 > 0 {
        let n = format::counted(lanes.left_out.0, "shorter span", "shorter spans");
        reasons.push(format!("{n} ({}) are not drawn", format::time_text(lanes.left_out.1)));
    }
    if lanes.stretches_left_out.0 > 0 {
        let n = format::counted(lanes.stretches_left_out.0, "short stretch", "short stretches");
        reasons.push(format!(
            "{n} of compute and waiting ({}) are not drawn",
            format::time_text(lanes.stretches_left_out.1)
        ));
    }
    (!reasons.is_empty()).then(|| format!("{}: zoom in to see them.", reasons.join("; ")))
}

fn title(lanes: &CommLanes, options: &LaneOptions<'_>) -> String {
    let n = format::counted(lanes.spans.len() as u64, "span", "spans");
    let device = lanes.device.as_deref().map_or_else(String::new, |device| format!(" of {device}"));
    let (from, to) = (format::time_text(options.part.0), format::time_text(options.part.1));
    let rows = format::counted(lanes.n_lanes.into(), "lane", "lanes");
    format!("{n} in flight in {rows} against compute{device}, {from} to {to}.")
}

fn table(lanes: &CommLanes) -> SceneTable {
    let row = |span: &LaneSpan| {
        let times = [span.start, span.end, span.exposed].map(format::exact_time);
        let lane = (span.lane + 1).to_string();
        [span.name.clone(), span.primitive.key().to_owned(), lane].into_iter().chain(times).collect::<Vec<_>>()
    };
    SceneTable::new(["Op", "Primitive", "Lane", "From", "To", "Exposed"], lanes.spans.iter().map(row))
}
