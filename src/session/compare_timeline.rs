//! This module draws a step of each side of a comparison on one time axis.

use super::capture::CaptureSession;
use super::compare::OpenSide;
use crate::analysis::compare::{RowDelta, RowSide};
use crate::analysis::timeline::{LineRef, Picture, PictureQuery, StepSpan, Timeline, TrackGroup, TrackKind};
use crate::protocol::{CompareTimeline, CompareTimelineQuery, SideTimeline, TimelineRow};
use crate::units::Picos;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Largest number of lines of a device that are drawn. A GPU has a line for each stream.
const MAX_LINES: usize = 4;

/// A step of a side on the axis of its session, with the lines of its device.
struct ShownStep {
    number: Option<u64>,
    start: Picos,
    length: Picos,
    lines: Vec<LineRef>,
    tracks: Vec<String>,
}

/// Draws a step of each side. `rows` are the rows of the comparison.
pub(super) fn compare_timeline(
    sides: [&mut OpenSide<'_>; 2],
    rows: &[RowDelta],
    query: &CompareTimelineQuery,
) -> CompareTimeline {
    let mut steps = sides.map(|side| {
        let step = shown_step(side);
        (side, step)
    });
    let longest = steps.iter().filter_map(|(_, step)| Some(step.as_ref().ok()?.length)).max();
    let duration = longest.unwrap_or_default();
    let whole = (Picos::ZERO, duration);
    let (from, to) = query.part.filter(|(from, to)| from < to && *from < duration).unwrap_or(whole);
    let n_columns = query.n_columns.clamp(1, PictureQuery::MAX_COLUMNS);
    let column = Picos(to.saturating_sub(from).0.div_ceil(n_columns.into()).max(1));
    let mut is_b = false;
    let sides = steps.each_mut().map(|(side, step)| {
        let drawn = match (&mut **side, step) {
            (OpenSide::Capture(capture, _), Ok(step)) => draw(capture, step, (from, column, n_columns)),
            (_, Err(absent)) => SideTimeline { absent: Some(std::mem::take(absent)), ..SideTimeline::default() },
            (OpenSide::Report(_), Ok(_)) => SideTimeline::default(),
        };
        let rows = rows_of(&drawn.picture.names, rows, std::mem::replace(&mut is_b, true));
        SideTimeline { rows, ..drawn }
    });
    CompareTimeline { duration, sides }
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
    let (lines, tracks) = op_lines(group);
    Ok(ShownStep { number: number(&group.steps), start, length: Picos(to.saturating_sub(from)), lines, tracks })
}

/// Returns the lines of a device with the most time in ops, in the order of its tracks, and their names.
fn op_lines(group: &TrackGroup) -> (Vec<LineRef>, Vec<String>) {
    let mut tracks: Vec<_> = group.tracks.iter().filter(|track| track.kind == TrackKind::Ops).enumerate().collect();
    tracks.sort_by_key(|(_, track)| Reverse(track.time));
    tracks.truncate(MAX_LINES);
    tracks.sort_by_key(|(at, _)| *at);
    tracks.into_iter().map(|(_, track)| (track.line, track.name.clone())).unzip()
}

/// Draws a part of a step. Its times are after the start of the step.
fn draw(
    capture: &mut CaptureSession,
    step: &ShownStep,
    (from, column, n_columns): (Picos, Picos, u32),
) -> SideTimeline {
    let (index, profile, analysis) = capture.tracks();
    let start = Picos(step.start.0.saturating_add(from.0));
    // The picture ends with the step.
    let left = step.length.saturating_sub(from);
    let n_columns = n_columns.min(u32::try_from(left.0.div_ceil(column.0)).unwrap_or(u32::MAX)).max(1);
    let query = PictureQuery { lines: step.lines.clone(), start, column, n_columns, ..PictureQuery::default() };
    let mut picture: Picture = index.picture(profile, analysis, &query);
    picture.query.start = from;
    for line in &mut picture.lines {
        for of in &mut line.boxes {
            (of.start, of.end) = (of.start.saturating_sub(step.start), of.end.saturating_sub(step.start));
        }
        line.boxes.retain(|of| of.start < step.length);
        if left == Picos::ZERO {
            line.cells.clear();
        }
    }
    SideTimeline {
        absent: None,
        step: step.number,
        length: step.length,
        picture,
        tracks: step.tracks.clone(),
        rows: Vec::new(),
    }
}

/// Returns the row of each name. If ops of several programs have one name, it is the first row.
fn rows_of(names: &[String], rows: &[RowDelta], is_b: bool) -> Vec<Option<TimelineRow>> {
    let mut by_name: FxHashMap<&str, &RowDelta> = FxHashMap::default();
    for row in rows {
        for name in if is_b { &row.b } else { &row.a }.iter().flat_map(|side: &RowSide| &side.ops) {
            by_name.entry(name).or_insert(row);
        }
    }
    let time = |side: &Option<RowSide>| side.as_ref().map_or(0, |side| side.self_ps);
    let row = |row: &&RowDelta| TimelineRow {
        key: row.key(),
        a_ps: time(&row.a),
        b_ps: time(&row.b),
        delta_ps: row.delta_ps,
        verdict: row.verdict,
    };
    names.iter().map(|name| by_name.get(name.as_str()).map(row)).collect()
}
