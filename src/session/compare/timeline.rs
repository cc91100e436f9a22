//! This module draws a step of each side of a comparison on one time axis.

use super::OpenSide;
use crate::analysis::compare::{RowDelta, RowSide};
use crate::analysis::timeline::{LineRef, Picture, PictureQuery, StepSpan, Timeline, TrackGroup, TrackKind};
use crate::protocol::{CompareTimeline, CompareTimelineQuery, SideTimeline, TimelineRow};
use crate::session::capture::CaptureSession;
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// Largest number of lines of a device that are drawn. A GPU has a line for each stream.
const MAX_LINES: usize = 4;

/// A step of a side on the axis of its session, with the lines of its device.
struct ShownStep {
    number: Option<u64>,
    start: Picos,
    length: Picos,
    lines: Vec<LineRef>,
    tracks: Vec<String>,
    /// Number of all lines with ops.
    n_lines: u32,
}

/// Draws a step of each side. `rows` are the rows of the comparison.
pub(crate) fn compare_timeline(
    sides: [&mut OpenSide<'_>; 2],
    rows: &[RowDelta],
    query: &CompareTimelineQuery,
) -> CompareTimeline {
    let [a, b] = sides.map(|side| {
        let step = shown_step(side);
        (side, step)
    });
    let longest = [&a, &b].into_iter().filter_map(|(_, step)| Some(step.as_ref().ok()?.length)).max();
    let duration = longest.unwrap_or_default();
    let (from, to) = query.part.unwrap_or((Picos::ZERO, duration));
    // A part that ends after the longer step begins earlier, as on the page.
    let length = to.saturating_sub(from).min(duration);
    let from = from.min(duration.saturating_sub(length));
    let n_columns = query.n_columns.clamp(1, PictureQuery::MAX_COLUMNS);
    let column = Picos(length.0.div_ceil(n_columns.into()).max(1));
    let drawn = |(side, step): (&mut OpenSide<'_>, Result<ShownStep, String>), rows: &RowsByOp<'_>| match (side, step) {
        (OpenSide::Capture(capture, _), Ok(step)) => draw(capture, &step, (from, column, n_columns), rows),
        (_, Err(absent)) => SideTimeline { absent: Some(absent), ..SideTimeline::default() },
        (OpenSide::Report(_), Ok(_)) => SideTimeline::default(),
    };
    let of_a = RowsByOp::new(rows, |row| row.a.as_ref());
    let of_b = RowsByOp::new(rows, |row| row.b.as_ref());
    CompareTimeline { duration, sides: [drawn(a, &of_a), drawn(b, &of_b)] }
}

/// Returns the step of a side that is shown. The error says why there is none.
fn shown_step(side: &mut OpenSide<'_>) -> Result<ShownStep, String> {
    let OpenSide::Capture(capture, analysed) = side else {
        return Err("This side is a report, which has no events.".to_owned());
    };
    let none = || "This side has no ops with times.".to_owned();
    let (device, (from, to)) = analysed.usual_step().ok_or_else(none)?;
    let (index, _, analysis) = capture.tracks();
    let Timeline { groups, .. } = &index.timeline;
    let group = groups.iter().find(|group| group.device == Some(device as u32)).ok_or_else(none)?;
    let offset = index.timeline.offset(group);
    let start = Picos(from.saturating_add(analysis.devices[device].axis_offset)).moved(offset);
    let number = |steps: &[StepSpan]| Some(steps.iter().find(|step| step.start == start)?.number);
    let (n_lines, (lines, tracks)) = op_lines(group);
    let length = Picos(to.saturating_sub(from));
    Ok(ShownStep { number: number(&group.steps), start, length, lines, tracks, n_lines })
}

/// Returns the number of lines with ops of a device, and those with the most time, in the order of its tracks, with their names.
fn op_lines(group: &TrackGroup) -> (u32, (Vec<LineRef>, Vec<String>)) {
    let mut tracks: Vec<_> = group.tracks.iter().filter(|track| track.kind == TrackKind::Ops).enumerate().collect();
    let n_lines = tracks.len() as u32;
    tracks.small_sort_by_key(|(_, track)| Reverse(track.time));
    tracks.truncate(MAX_LINES);
    tracks.small_sort_by_key(|(position, _)| *position);
    (n_lines, tracks.into_iter().map(|(_, track)| (track.line, track.name.clone())).unzip())
}

/// Draws a part of a step. Its times are after the start of the step.
fn draw(
    capture: &mut CaptureSession,
    step: &ShownStep,
    (from, column, n_columns): (Picos, Picos, u32),
    of_op: &RowsByOp<'_>,
) -> SideTimeline {
    let (index, profile, analysis) = capture.tracks();
    let start = Picos(step.start.0.saturating_add(from.0));
    // The picture ends with the step.
    let left = step.length.saturating_sub(from);
    let n_columns = n_columns.min(u32::try_from(left.0.div_ceil(column.0)).unwrap_or(u32::MAX)).max(1);
    let query = PictureQuery { lines: step.lines.clone(), start, column, n_columns, ..PictureQuery::default() };
    let mut picture: Picture = index.picture(profile, analysis, &query);
    picture.query.start = from;
    let (mut rows, mut row_of) = (IndexMap::<usize, TimelineRow>::new(), Vec::new());
    for line in &mut picture.lines {
        for event_box in &mut line.boxes {
            (event_box.start, event_box.end) =
                (event_box.start.saturating_sub(step.start), event_box.end.saturating_sub(step.start).min(step.length));
        }
        line.boxes.retain(|event_box| event_box.start < step.length);
        if left == Picos::ZERO {
            line.cells.clear();
        }
        let plane = &profile.planes[line.line.plane as usize];
        let events = &plane.lines[line.line.line as usize].events;
        row_of.extend(line.boxes.iter().map(|event_box| {
            let program = plane.op(events.op(event_box.event as usize)).stats.program.map(|program| program.0);
            let (index, row) = of_op.find(picture.names.get(event_box.name as usize)?, program)?;
            let entry = rows.entry(index);
            let index = entry.index() as u32;
            entry.or_insert_with(|| timeline_row(row));
            Some(index)
        }));
    }
    SideTimeline {
        absent: None,
        step: step.number,
        length: step.length,
        picture,
        tracks: step.tracks.clone(),
        n_lines: step.n_lines,
        rows: rows.into_values().collect(),
        row_of,
    }
}

/// The rows of a comparison by the names of the ops of one side, with the ids of their programs if these are known.
struct RowsByOp<'a> {
    rows: FxHashMap<(&'a str, Option<u64>), (usize, &'a RowDelta)>,
}

impl<'a> RowsByOp<'a> {
    fn new(all: &'a [RowDelta], side_of: impl Fn(&'a RowDelta) -> Option<&'a RowSide>) -> Self {
        let mut rows = FxHashMap::default();
        for (index, row) in all.iter().enumerate() {
            let Some(side) = side_of(row) else { continue };
            for name in &side.ops {
                rows.entry((name.as_str(), side.program_id)).or_insert((index, row));
            }
        }
        Self { rows }
    }

    /// Returns the row of an op, with its index.
    fn find(&self, name: &str, program: Option<u64>) -> Option<(usize, &'a RowDelta)> {
        self.rows.get(&(name, program)).copied()
    }
}

fn timeline_row(row: &RowDelta) -> TimelineRow {
    let time = |side: &Option<RowSide>| side.as_ref().map_or(0, |side| side.self_ps);
    TimelineRow { key: row.key(), a_ps: time(&row.a), b_ps: time(&row.b), delta_ps: row.delta_ps, verdict: row.verdict }
}
