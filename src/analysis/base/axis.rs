//! This module defines the time axis that all lines of a session share: the event clock, in ps from the earliest timestamp of
//! a line. Profilers set the timestamps of lines to the start of the profile. Lines without events count as well, so that an
//! excerpt of a capture, whose lines may be empty, has the axis of the capture.

use super::device::{Clock, Device, Step};
use super::query::TimeRange;
use xla_profile::excerpt::EpochRange;
use xla_profile::intervals::{Interval, Merged};
use xla_profile::lanes::LineTimes;
use xla_profile::profile::{Line, Profile};
use xla_profile::units::Picos;

/// The greatest distance of a line's timestamp from that of the first device, in ns. A line that is farther away, by about 53
/// days, has a time that is not of this session.
const FARTHEST_NS: u64 = (1 << 62) / 1000;

/// The time axis of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Axis {
    /// The timestamp at 0, in ns.
    origin_ns: i64,
}

impl Axis {
    /// Returns the axis of a session, and sets [`Device::axis_offset`].
    pub(super) fn new(profile: &Profile, devices: &mut [Device]) -> Self {
        let of_device = |device: &Device| match device.event_clock {
            Clock::Event { origin_ns } => Some(origin_ns),
            Clock::Device => None,
        };
        let lines = || profile.planes.iter().flat_map(|plane| &plane.lines);
        let first = || lines().find(|line| !line.events.is_empty()).map(|line| line.timestamp_ns);
        let reference = devices.iter().find_map(of_device).or_else(first);
        let near = lines().map(|line| line.timestamp_ns).filter(|ns| ns.abs_diff(reference.unwrap_or(0)) < FARTHEST_NS);
        let axis = Self { origin_ns: near.min().or(reference).unwrap_or(0) };
        for device in devices {
            device.axis_offset = of_device(device).and_then(|origin_ns| axis.offset_of(origin_ns)).unwrap_or(0);
        }
        axis
    }

    /// Returns the place of a timestamp on the axis, in ps. `None` if it is not on the axis.
    fn offset_of(self, timestamp_ns: i64) -> Option<u64> {
        let ns = u64::try_from(timestamp_ns.checked_sub(self.origin_ns)?).ok()?;
        (ns < 2 * FARTHEST_NS).then(|| ns * 1000)
    }

    /// Returns a range of the axis on the clock on which the timestamps of lines count.
    pub fn epoch_range(self, range: TimeRange) -> EpochRange {
        let origin = i128::from(self.origin_ns) * 1000;
        EpochRange { start: origin + i128::from(range.start.0), end: origin + i128::from(range.end.0) }
    }

    /// Returns the times of a line on the axis. `None` if its timestamp is not on the axis. The events of the line must be
    /// within its [`Axis::extent`].
    pub fn times(self, line: &Line) -> Option<LineTimes<'_>> {
        Some(LineTimes { events: &line.events, offset: self.offset_of(line.timestamp_ns)? })
    }

    /// Returns the first start and the last end of the events of a line. `None` if the line has no events, or if a time is not
    /// on the axis.
    pub fn extent(self, line: &Line) -> Option<Interval> {
        let offset = self.offset_of(line.timestamp_ns)?;
        let (mut from, mut to) = (u64::MAX, 0_u64);
        for (start, duration) in line.events.times() {
            from = from.min(start);
            to = to.max(start.saturating_add(duration));
        }
        let to = to.checked_add(offset).filter(|to| i64::try_from(*to).is_ok())?;
        Some((from.checked_add(offset)?, to)).filter(|_| !line.events.is_empty())
    }
}

impl Device {
    /// Returns the number of steps in intervals of the event clock; a step that is partly in them counts by its part.
    pub(in crate::analysis) fn steps_within(&self, spans: &Merged) -> f64 {
        let part = |step: &Step| Picos(spans.length_in(step.event_window)).fraction_of(step.length());
        self.steps.iter().filter_map(part).sum()
    }

    /// Returns a range of the axis as a step of this device. Both of its windows are on the event clock, and end where a cut
    /// file ends.
    pub(super) fn range_as_step(&self, range: TimeRange) -> Step {
        let time = |moment: Picos| moment.0.saturating_sub(self.axis_offset);
        let (start, end) = (time(range.start), time(range.end));
        let window = self.file_end.map_or((start, end), |last| (start.min(last), end.min(last)));
        Step {
            number: 0,
            op: None,
            window,
            event_window: window,
            has_period: true,
            not_in_file: Picos((end.saturating_sub(start)).saturating_sub(window.1 - window.0)),
            not_steady: None,
            duration: Picos(window.1 - window.0),
            n_ops: 0,
            kind: 0,
        }
    }
}
