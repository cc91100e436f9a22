//! This module draws a step of A above a step of B, on one time axis that begins at the start of both. Ops of B whose row differs by
//! more than chance have a coloured line below them.

use super::figures::{is_noise, letter_mark};
use crate::analysis::classify::Kind;
use crate::analysis::compare::{Comparison, Verdict};
use crate::analysis::timeline::{EventBox, LinePicture};
use crate::chart::plot::paint::{Paint, Tone};
use crate::chart::plot::scene::{Anchor, Mark, Scene, SceneTable, Shape};
use crate::chart::timeline::ruler::ruler;
use crate::chart::timeline::{LanePlace, LineFrame, Viewport};
use crate::chart::widgets::tip::{self, Tip};
use crate::protocol::{CompareTimeline, SideTimeline, TimelineRow};
use crate::report::compare::format::per_unit;
use crate::table::format;
use xla_profile::units::Picos;

/// Width of the letters of the sides, in px.
pub const LEFT: f64 = 22.0;
/// Height of the ruler, of the text above a line, and of a lane, in px.
const RULER: f64 = 22.0;
const HEAD: f64 = 20.0;
const LANE: f64 = 20.0;
/// Height of an event, and of the line below an op that differs, in px.
const BLOCK: f64 = 16.0;
const CHANGED: f64 = 3.0;
/// Space below a side, in px.
const GAP: f64 = 12.0;
/// Largest number of lanes of a line. Events are seldom nested more deeply.
const MAX_LANES: u32 = 8;
/// Room for a mark of the ruler, in px.
const TICK: f64 = 90.0;

/// A wide event of a picture.
#[derive(Clone, Copy)]
struct Event<'a> {
    is_b: bool,
    side: &'a SideTimeline,
    event_box: &'a EventBox,
    /// The row of the comparison to which the op belongs. `None` if it is in none.
    row: Option<&'a TimelineRow>,
}

/// Lists the wide events of both sides. The id of a mark is the index of its event.
fn events(timeline: &CompareTimeline) -> impl Iterator<Item = Event<'_>> {
    [false, true].into_iter().zip(&timeline.sides).flat_map(|(is_b, side)| {
        let boxes = side.picture.lines.iter().flat_map(|line| &line.boxes);
        boxes.enumerate().map(move |(index, event_box)| Event { is_b, side, event_box, row: row(side, index) })
    })
}

impl Event<'_> {
    fn name(&self) -> &str {
        self.side.picture.names.get(self.event_box.name as usize).map_or("", String::as_str)
    }
}

/// Returns the row of a box of a side, by its index.
fn row(side: &SideTimeline, index: usize) -> Option<&TimelineRow> {
    side.rows.get((*side.row_of.get(index)?)? as usize)
}

/// Draws the visible part of both steps. `None` without room.
pub fn timeline(comparison: &Comparison, timeline: &CompareTimeline, view: Viewport, width: f64) -> Option<Scene> {
    let room = width - LEFT;
    if room < 40.0 {
        return None;
    }
    let mut marks = Vec::new();
    let ruler = ruler(view, room, TICK);
    let x = |time: u64| LEFT + view.x(time, room);
    let mut top = RULER;
    let mut first_id = 0;
    let with_changes = !is_noise(comparison.verdict);
    for (side, letter) in timeline.sides.iter().zip(["A", "B"]) {
        let start = top;
        marks.push(letter_mark(letter, top + 14.0));
        let first_of_side = first_id;
        let frame = LineFrame { view, left: LEFT, width: room, query: &side.picture.query, names: &side.picture.names };
        let heads = head_texts(side);
        for (index, head) in heads.iter().enumerate() {
            let text = Shape::text(LEFT + 4.0, top + 14.0, Anchor::Start, head.clone());
            marks.push(Mark::new(text, Paint::fill(Tone::Ink2)));
            top += HEAD;
            let Some(line) = side.picture.lines.get(index) else { continue };
            let first = (first_id - first_of_side) as usize;
            let changed = |index: usize| changed(row(side, first + index)?).filter(|_| with_changes && letter == "B");
            draw_line(&mut marks, &frame, line, (top, first_id), &changed);
            first_id += line.boxes.len() as u32;
            top += f64::from(line.n_lanes.clamp(1, MAX_LANES)) * LANE;
        }
        marks.extend(end_of_step(side, view, (x(side.length.0), room), (start, top)));
        top += GAP;
    }
    let height = top - GAP;
    let unit = Shape::text(2.0, RULER - 8.0, Anchor::Start, ruler.unit.symbol().to_owned());
    let mut grid = vec![Mark::new(unit, Paint::fill(Tone::Ink3))];
    for mark in ruler.marks {
        let x = x(mark.time).round();
        grid.push(Mark::new(Shape::rect(x, RULER, 1.0, height - RULER), Paint::fill(Tone::Grid)));
        let is_cut = x > LEFT + room - 40.0;
        if !is_cut {
            let text = Shape::text(x + 4.0, RULER - 8.0, Anchor::Start, mark.label);
            grid.push(Mark::new(text, Paint::fill(Tone::Ink3)));
        }
    }
    grid.extend(marks);
    let [a, b] = timeline.sides.each_ref().map(|side| head_texts(side).swap_remove(0));
    let title = format!("A above B, from the starts of their steps. A: {a}. B: {b}.");
    Some(Scene { width, height, marks: grid, title, table: table(timeline) })
}

/// Draws the lanes of a line. `first_id` is the id of its first event.
fn draw_line(
    marks: &mut Vec<Mark>,
    frame: &LineFrame<'_>,
    line: &LinePicture,
    (top, first_id): (f64, u32),
    changed: &dyn Fn(usize) -> Option<Tone>,
) {
    let lane_top = |lane: u32| (lane < MAX_LANES).then(|| top + f64::from(lane) * LANE);
    let place = LanePlace { block: BLOCK, is_folded: false, top: &lane_top, first_id: Some(first_id) };
    frame.draw(marks, line, &place);
    for (index, event_box) in line.boxes.iter().enumerate() {
        let place = lane_top(event_box.lane).zip(frame.span(event_box.start, event_box.end));
        if let Some(((y, (x, wide)), tone)) = place.zip(changed(index)) {
            marks.push(Mark::new(Shape::rect(x, y + BLOCK, wide, CHANGED), Paint::fill(tone)));
        }
    }
}

/// Returns the colour of the line below an op: that of the verdict on its row. `None` if the row does not differ.
const fn changed(row: &TimelineRow) -> Option<Tone> {
    match row.verdict {
        Verdict::Regression => Some(Tone::Worse),
        Verdict::Improvement => Some(Tone::Better),
        _ => None,
    }
}

/// Returns the text above each line of a side, at least one: the first with the step and its length.
fn head_texts(side: &SideTimeline) -> Vec<String> {
    if let Some(absent) = &side.absent {
        return vec![absent.clone()];
    }
    let what = side.step.map_or("whole capture".to_owned(), |step| format!("step {step}"));
    let mut first = format!("{what}, {}", format::time_text(side.length));
    let n_shown = side.tracks.len() as u32;
    if n_shown < side.n_lines {
        first += &format!(", {n_shown} of {} lines", side.n_lines);
    }
    let n_lanes = |index: usize| side.picture.lines.get(index).map_or(0, |line| line.n_lanes);
    let text = |(index, track): (usize, &String)| {
        let more = n_lanes(index).saturating_sub(MAX_LANES);
        let more = if more > 0 {
            format!(", without {}", format::counted(more.into(), "lane", "lanes"))
        } else {
            String::new()
        };
        if index == 0 { format!("{first}, {track}{more}") } else { format!("{track}{more}") }
    };
    let texts: Vec<String> = side.tracks.iter().enumerate().map(text).collect();
    if texts.is_empty() { vec![first] } else { texts }
}

/// Draws the end of a step, if it is visible.
fn end_of_step(side: &SideTimeline, view: Viewport, (x, room): (f64, f64), (top, bottom): (f64, f64)) -> Option<Mark> {
    let is_visible = side.absent.is_none() && (view.start..=view.end).contains(&side.length.0);
    let x = x.min(LEFT + room - 0.5);
    is_visible.then(|| Mark::new(Shape::line(x, top, x, bottom), Paint::stroke(Tone::Ink2, 1.0).dashed()))
}

fn table(timeline: &CompareTimeline) -> SceneTable {
    let row = |event: Event<'_>| {
        let EventBox { start, end, kind, .. } = *event.event_box;
        [
            letter(event.is_b).to_owned(),
            event.name().to_owned(),
            kind.map_or(format::ABSENT, Kind::label).to_owned(),
            format::time_text(start),
            format::time_text(end.saturating_sub(start)),
        ]
    };
    SceneTable::new(["Side", "Op", "Kind", "Start", "Duration"], events(timeline).map(row))
}

const fn letter(is_b: bool) -> &'static str {
    if is_b { "B" } else { "A" }
}

/// Returns the key of the row of a mark. `None` if no row has the op.
pub fn timeline_row(timeline: &CompareTimeline, id: u32) -> Option<String> {
    Some(events(timeline).nth(id as usize)?.row?.key.clone())
}

/// Builds the tooltip of an event.
pub fn timeline_tip(comparison: &Comparison, timeline: &CompareTimeline, id: u32) -> Option<Tip> {
    let event = events(timeline).nth(id as usize)?;
    let EventBox { start, end, kind, .. } = *event.event_box;
    let mut rows = vec![tip::row("Side", letter(event.is_b))];
    rows.extend(kind.map(|kind| tip::row("Kind", kind.label())));
    rows.push(tip::row("Start, after that of the step", format::time_text(start)));
    rows.push(tip::row("Duration within the step", format::time_text(end.saturating_sub(start))));
    if let Some(row) = event.row {
        let time = |ps: i64| format::time_text(Picos(ps.unsigned_abs()));
        let unit = per_unit(comparison.unit);
        rows.push(tip::row(&format!("Row of the table, A, {unit}"), time(row.a_ps)));
        rows.push(tip::row(&format!("Row of the table, B, {unit}"), time(row.b_ps)));
        rows.push(tip::row("Difference", format::signed_time_text(row.delta_ps)));
        let verdict = match (row.a_ps, row.b_ps) {
            (0, 1..) => "new",
            (1.., 0) => "gone",
            _ => row.verdict.label(),
        };
        rows.push(tip::row("Verdict", verdict));
    }
    Some(Tip { title: event.name().to_owned(), rows })
}
