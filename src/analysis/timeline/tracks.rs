//! This module lists the tracks of a session: one group per plane, with one track per line that has events.

use super::alignment::DisplayAxis;
use super::alignment_report::Alignment;
use super::report::{LineRef, StepSpan, Timeline, Track, TrackGroup, TrackKind};
use crate::analysis::base::{Analysis, Device, Step};
use xla_profile::profile::{Line, Plane, Profile};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// Lists the tracks: first those of the devices, then those of the hosts, then those of all other planes. Groups without
/// events are left out, and so are the lines that are not on the axis.
pub(super) fn timeline(
    profile: &Profile,
    analysis: &Analysis,
    axis: &DisplayAxis,
    alignment: Option<Alignment>,
) -> Timeline {
    let names = crate::analysis::base::hosts::names(profile);
    let (mut groups, mut n_off_axis) = (Vec::new(), 0);
    let mut extent: Option<(u64, u64)> = None;
    for (index, plane) in profile.planes.iter().enumerate() {
        let device = analysis.devices.iter().position(|device| device.plane == index);
        let is_host = plane.is_host();
        let mut tracks = Vec::new();
        for (i, line) in plane.lines.iter().enumerate().filter(|(_, line)| !line.events.is_empty()) {
            // The ops of a CPU are shown on the threads on which they ran, and again on a plane of their own.
            if line.derived && !plane.is_derived() && is_host {
                continue;
            }
            let Some((start, end)) = axis.extent(plane, line) else {
                n_off_axis += 1;
                continue;
            };
            extent = Some(extent.map_or((start, end), |(from, to)| (from.min(start), to.max(end))));
            let kind = match device {
                Some(device) => device_line(line, analysis.devices[device].ops.contains(&i)),
                None if is_host => TrackKind::Thread,
                None => TrackKind::Other,
            };
            tracks.push(Track {
                line: LineRef { plane: index as u32, line: i as u32 },
                name: line_name(line),
                kind,
                n_events: line.events.len() as u64,
                time: outermost(line),
            });
        }
        if tracks.is_empty() {
            continue;
        }
        match is_host {
            // The busiest threads come first.
            true => tracks.small_sort_by_key(|track| std::cmp::Reverse(track.time)),
            false => tracks.small_sort_by_key(|track| track.kind),
        }
        let host = names.get(plane.file).filter(|_| profile.files.len() > 1);
        groups.push(TrackGroup {
            name: match (device, host) {
                (Some(device), _) => analysis.devices[device].label.clone(),
                (None, Some(host)) => format!("{host} {}", plane.name),
                (None, None) => plane.name.clone(),
            },
            device: device.map(|device| device as u32),
            is_host,
            host: plane.file as u32,
            tracks,
            series: Vec::new(),
            steps: device.map_or_else(Vec::new, |device| steps(&analysis.devices[device], axis.offset(plane.file))),
        });
    }
    let rank = |group: &TrackGroup| (group.device.is_none(), group.device, !group.is_host);
    groups.small_sort_by_key(rank);
    let n_events = groups.iter().flat_map(|group| &group.tracks).map(|track| track.n_events).sum();
    let (start, end) = extent.unwrap_or_default();
    Timeline { start: Picos(start), end: Picos(end), groups, n_events, n_off_axis, alignment }
}

fn device_line(line: &Line, has_ops: bool) -> TrackKind {
    match line.name.as_str() {
        _ if has_ops => TrackKind::Ops,
        "Steps" => TrackKind::Steps,
        "XLA Modules" => TrackKind::Modules,
        _ if line.is_async() => TrackKind::Async,
        _ => TrackKind::Other,
    }
}

fn line_name(line: &Line) -> String {
    let name = if line.display_name.is_empty() { &line.name } else { &line.display_name };
    if name.is_empty() { format!("Line {}", line.id) } else { name.clone() }
}

/// Returns the steps of a device, displayed later by `offset` ps than on the event clock.
fn steps(device: &Device, offset: i64) -> Vec<StepSpan> {
    let time = |time: u64| Picos(time.saturating_add(device.axis_offset)).moved(offset);
    let span = |step: &Step| {
        let (start, end) = step.event_window;
        StepSpan { number: step.number, start: time(start), end: time(end) }
    };
    device.steps.iter().map(span).collect()
}

/// Returns the sum of the durations of the outermost events of a line, in ps.
fn outermost(line: &Line) -> Picos {
    let (mut reached, mut sum) = (0_u64, 0_u64);
    for (start, duration) in line.events.times() {
        let end = start.saturating_add(duration);
        if end > reached {
            sum = sum.saturating_add(end - start.max(reached));
            reached = end;
        }
    }
    Picos(sum)
}

/// Returns a line of the profile.
pub(super) fn line_at(profile: &Profile, line: LineRef) -> Option<(&Plane, &Line)> {
    let plane = profile.planes.get(line.plane as usize)?;
    Some((plane, plane.lines.get(line.line as usize)?))
}
