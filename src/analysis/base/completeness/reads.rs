//! This module reads planes, lines and times for the signs. Times are in ps on the event clock of the capture.

use super::sign::Span;
pub(super) use crate::analysis::base::device::device_number;
use crate::analysis::base::device::host_lines;
use crate::analysis::base::platform::Platform;
use xla_profile::profile::{Line, Plane, Profile};
use xla_profile::units::Picos;

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

/// The planes of one file of a session: those of a host and its devices.
pub(super) struct HostFile<'p> {
    pub profile: &'p Profile,
    /// Indices in [`Profile::planes`].
    planes: Vec<usize>,
}

impl<'p> HostFile<'p> {
    /// Returns the files of a session, each with its planes.
    pub fn all(profile: &'p Profile) -> Vec<Self> {
        let mut files: Vec<Self> = profile.files.iter().map(|_| Self { profile, planes: Vec::new() }).collect();
        for (index, plane) in profile.planes.iter().enumerate() {
            if let Some(file) = files.get_mut(plane.file) {
                file.planes.push(index);
            }
        }
        files
    }

    /// Iterates over the planes of the file.
    pub fn planes(&self) -> impl Iterator<Item = &'p Plane> {
        self.planes.iter().map(|index| &self.profile.planes[*index])
    }

    /// Returns the planes that are devices with ops of their own, by the name of the plane.
    pub fn devices(&self) -> Vec<(usize, Platform)> {
        let platform = |index: &usize| Some((*index, Platform::from_plane_name(&self.profile.planes[*index].name)?));
        self.planes.iter().filter_map(platform).collect()
    }

    /// Returns the indices of the planes with the threads of the host.
    pub fn host_planes(&self) -> Vec<usize> {
        self.planes.iter().copied().filter(|index| self.profile.planes[*index].name == "/host:CPU").collect()
    }

    /// Returns the threads of the host, with their planes.
    pub fn threads(&self) -> Vec<(&'p Plane, &'p Line)> {
        let planes = self.host_planes();
        let lines = host_lines(self.profile, &planes).filter(|(_, line)| !line.events.is_empty());
        lines.map(|((plane, _), line)| (&self.profile.planes[plane], line)).collect()
    }

    /// Returns whether the file ends within a plane. The rest of its events may be in the rest of the file.
    pub fn is_cut(&self) -> bool {
        self.planes().any(|plane| plane.is_cut || plane.lines.iter().any(|line| line.is_cut))
    }
}

/// Returns a time in ps as a positive time.
pub(super) fn picos(time: i128) -> Picos {
    Picos(u64::try_from(time.max(0)).unwrap_or(u64::MAX))
}
