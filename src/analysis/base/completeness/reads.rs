//! This module reads planes, lines and times for the signs. Times are in ps on the event clock of the capture.

use super::sign::Span;
pub(super) use crate::analysis::base::device::device_number;
use crate::analysis::base::platform::Platform;
use crate::profile::{Line, Plane, Profile};
use crate::units::Picos;

/// Returns the start and the end of an event in ps on the event clock of the capture.
pub(super) fn span_of(line: &Line, event: usize) -> Span {
    let (start, duration) = line.events.time(event);
    let start = i128::from(line.timestamp_ns) * 1000 + i128::from(start);
    (start, start + i128::from(duration))
}

/// Iterates over the spans of all events of a line.
pub(super) fn spans_of(line: &Line) -> impl Iterator<Item = Span> + '_ {
    let base = i128::from(line.timestamp_ns) * 1000;
    line.events.times().map(move |(start, duration)| {
        let start = base + i128::from(start);
        (start, start + i128::from(duration))
    })
}

/// Returns the planes of a file that are devices with ops of their own, by the name of the plane.
pub(super) fn device_planes(profile: &Profile, file: usize) -> Vec<(usize, Platform)> {
    let planes = profile.planes.iter().enumerate().filter(|(_, plane)| plane.file == file);
    planes.filter_map(|(at, plane)| Some((at, Platform::from_plane_name(&plane.name)?))).collect()
}

/// Returns whether a plane has the threads of the host of a file.
pub(super) fn is_host(plane: &Plane, file: usize) -> bool {
    plane.file == file && plane.name == "/host:CPU"
}

/// Returns the threads of the host of a file, with their planes.
pub(super) fn host_threads(profile: &Profile, file: usize) -> Vec<(&Plane, &Line)> {
    let planes = profile.planes.iter().filter(|plane| is_host(plane, file));
    let lines = planes.flat_map(|plane| plane.lines.iter().map(move |line| (plane, line)));
    lines.filter(|(_, line)| !line.derived && !line.events.is_empty()).collect()
}

/// Returns whether a file ends within a plane. The rest of its events may be in the rest of the file.
pub(super) fn is_cut(profile: &Profile, file: usize) -> bool {
    profile
        .planes
        .iter()
        .any(|plane| plane.file == file && (plane.is_cut || plane.lines.iter().any(|line| line.is_cut)))
}

/// Returns a time in ps as a positive time.
pub(super) fn picos(time: i128) -> Picos {
    Picos(u64::try_from(time.max(0)).unwrap_or(u64::MAX))
}
