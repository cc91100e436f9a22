//! This module computes what the timeline shows first: the part of the time axis of the step on the page, and the height to
//! which the tracks are scrolled so that those that a link is about are in sight.

use super::layout::{Band, BandKind, Layout};
use crate::analysis::base::StepChoice;
use crate::analysis::timeline::{LineRef, StepSpan, Timeline};

/// What has to be in sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScrollTarget {
    /// A lane of a line.
    Lane(LineRef, u32),
    /// The ops of a device.
    Ops(u32),
    /// The idle time of a device, and the first thread of its host.
    Idle(u32),
}

/// The height of a track in px from which on its top is enough to see.
const ENOUGH: f64 = 120.0;

/// Returns the displayed time of a step of a device: of one step, or from the first to the last step of a mean. `None` is the
/// whole capture.
pub fn step_part(timeline: &Timeline, device: Option<u32>, step: StepChoice) -> Option<(u64, u64)> {
    let group = timeline.groups.get(timeline.first_device(device)?)?;
    let span = |first: &StepSpan, last: &StepSpan| (first.start.0 < last.end.0).then_some((first.start.0, last.end.0));
    match step {
        StepChoice::Number(number) => {
            let step = group.steps.iter().find(|step| step.number == number)?;
            span(step, step)
        }
        StepChoice::Mean | StepChoice::Kind(_) => span(group.steps.first()?, group.steps.last()?),
        StepChoice::Range(range) => {
            let range = range.moved(timeline.offset(group))?;
            Some((range.start.0, range.end.0))
        }
        StepChoice::Busiest | StepChoice::All => None,
    }
}

/// Returns the groups that a link to a device is about, by index: the device, and the threads of its host.
pub fn groups_about(timeline: &Timeline, device_group: usize) -> Vec<u32> {
    let host = timeline.groups.get(device_group).map(|group| group.host);
    let is_host =
        |(_, group): &(u32, &crate::analysis::timeline::TrackGroup)| group.is_host && Some(group.host) == host;
    let host = (0..).zip(&timeline.groups).find(is_host).map(|(index, _)| index);
    u32::try_from(device_group).ok().into_iter().chain(host).collect()
}

impl ScrollTarget {
    /// Returns the top and the bottom of what has to be in sight. `None` if it has no track.
    fn extent(self, layout: &Layout, timeline: &Timeline) -> Option<(f64, f64)> {
        let bands = || layout.bands().iter().filter(|band| !band.is_pinned);
        let device_group = |device| timeline.groups.iter().position(|group| group.device == Some(device));
        let is_in = |band: &&Band, group: usize| band.group as usize == group;
        match self {
            Self::Lane(line, lane) => {
                let band = bands().find(|band| band.line() == Some(line))?;
                let top = band.top + band.lane_offset(lane);
                Some((top, top + band.block()))
            }
            Self::Ops(device) => {
                let group = device_group(device)?;
                let top = bands().find(|band| is_in(band, group))?.top;
                let ops = timeline.groups[group].main_ops().map(|track| track.line);
                let last =
                    bands().filter(|band| is_in(band, group)).find(|band| ops.is_some() && band.line() == ops)?;
                Some((top, last.top + last.height.min(ENOUGH)))
            }
            Self::Idle(device) => {
                let group = device_group(device)?;
                let idle = bands().find(|band| is_in(band, group) && matches!(band.kind, BandKind::Idle { .. }))?;
                let host = groups_about(timeline, group).get(1).copied();
                let is_thread = |band: &&Band| Some(band.group) == host && matches!(band.kind, BandKind::Track { .. });
                let last = bands().find(is_thread).unwrap_or(idle);
                Some((idle.top, last.top + last.height.min(ENOUGH)))
            }
        }
    }

    /// Returns the height to which the tracks are scrolled on a canvas of `height`, so that this is in sight. `now` is the
    /// current one, which stays if possible. If there is not enough room, the top is in sight.
    pub fn scroll(self, layout: &Layout, timeline: &Timeline, now: f64, height: f64) -> f64 {
        let Some((top, bottom)) = self.extent(layout, timeline) else { return now };
        let (highest, lowest) = (top - layout.pinned, bottom - height);
        now.max(lowest).min(highest).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::base::TimeRange;
    use crate::analysis::timeline::{Track, TrackGroup, TrackKind};
    use crate::chart::timeline::layout::Choices;
    use xla_profile::units::Picos;

    fn timeline() -> Timeline {
        let track =
            |plane: u32, line: u32, kind: TrackKind| Track { line: LineRef { plane, line }, kind, ..Track::default() };
        let step = |number, start, end| StepSpan { number, start: Picos(start), end: Picos(end) };
        let device = |device: u32| TrackGroup {
            device: Some(device),
            tracks: vec![track(device, 0, TrackKind::Steps), track(device, 1, TrackKind::Ops)],
            steps: vec![step(4, 100, 200), step(5, 200, 320)],
            ..TrackGroup::default()
        };
        let host = TrackGroup { is_host: true, tracks: vec![track(9, 0, TrackKind::Thread)], ..TrackGroup::default() };
        Timeline {
            start: Picos(0),
            end: Picos(10_000),
            groups: vec![device(0), device(1), host],
            ..Timeline::default()
        }
    }

    #[test]
    fn the_view_opens_on_the_step_of_the_page() {
        let part = |step| step_part(&timeline(), Some(1), step);
        assert_eq!(part(StepChoice::Number(5)), Some((200, 320)));
        assert_eq!(part(StepChoice::Mean), Some((100, 320)), "all steps of the mean");
        let range = TimeRange { start: Picos(7), end: Picos(9) };
        assert_eq!(part(StepChoice::Range(range)), Some((7, 9)));
        assert_eq!((part(StepChoice::All), part(StepChoice::Number(77))), (None, None), "the whole capture");
    }

    #[test]
    fn a_gap_and_the_thread_of_its_host_are_in_sight() {
        let timeline = timeline();
        assert_eq!(groups_about(&timeline, 1), [1, 2]);
        let layout = Layout::new(&timeline, &Choices { open: Some(&[0, 1, 2]), ..Choices::default() });
        let (top, bottom) = ScrollTarget::Idle(1).extent(&layout, &timeline).unwrap();
        assert!(bottom > top && bottom <= layout.height);
        // Everything fits: nothing moves.
        assert_eq!(ScrollTarget::Idle(1).scroll(&layout, &timeline, 0.0, layout.height), 0.0);
        // The end of the thread is the lowest pixel that is seen.
        let height = bottom - top + 10.0;
        assert_eq!(ScrollTarget::Idle(1).scroll(&layout, &timeline, 0.0, height), bottom - height);
        // With little room, the idle time is at the top.
        assert_eq!(ScrollTarget::Idle(1).scroll(&layout, &timeline, 0.0, 5.0), top);
        assert_eq!(ScrollTarget::Idle(1).scroll(&layout, &timeline, layout.height, height), top, "from below");
        let lane = ScrollTarget::Lane(LineRef { plane: 9, line: 0 }, 0).scroll(&layout, &timeline, 0.0, 40.0);
        assert!(lane > 0.0 && lane < layout.height, "{lane}");
        assert_eq!(ScrollTarget::Ops(7).scroll(&layout, &timeline, 3.0, 40.0), 3.0, "no such device");
    }
}
