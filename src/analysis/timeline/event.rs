//! This module describes single events, and lists the events of a window.

use super::event_report::{EventDetail, EventList, EventQuery, EventRow, EventsQuery, Neighbour, SearchReport};
use super::report::LineRef;
use super::{ShownLine, TimelineIndex};
use crate::analysis::base::Analysis;
use std::collections::BinaryHeap;
use xla_profile::lanes::{PicturePart, View};
use xla_profile::profile::Profile;
use xla_profile::units::Picos;

impl TimelineIndex {
    /// Describes an event. `None` if there is none at this place.
    pub fn event(&mut self, profile: &Profile, analysis: &Analysis, query: EventQuery) -> Option<EventDetail> {
        let (line_ref, event) = match query {
            EventQuery::At { line, lane, time, tolerance } => {
                let shown = self.shown(profile, line)?;
                (line, shown.lanes.event_at(lane as usize, shown.times, time.0, tolerance.0)?)
            }
            EventQuery::Index { line, event } => (line, event as usize),
            EventQuery::Next { line, event, to } => {
                let shown = self.shown(profile, line)?;
                (line, shown.neighbour(event as usize, to)?)
            }
        };
        let shown = self.shown(profile, line_ref)?;
        let mut detail = shown.detail(profile, line_ref, event)?;
        let offset = self.axis.offset(profile.planes.get(line_ref.plane as usize)?.file);
        detail.event_start = (offset != 0).then(|| detail.start.moved(-offset));
        detail.step = self.step_at(analysis, line_ref, detail.start);
        detail.flows = self.flows(profile, line_ref, event);
        Some(detail)
    }

    /// Returns the step of the line's device in which a time lies, and the time from its start.
    fn step_at(&self, analysis: &Analysis, line: LineRef, time: Picos) -> Option<(u64, Picos)> {
        let device = analysis.devices.iter().position(|device| device.plane == line.plane as usize)? as u32;
        let steps = &self.timeline.groups.iter().find(|group| group.device == Some(device))?.steps;
        let step = steps.iter().rfind(|step| step.start <= time && time < step.end)?;
        Some((step.number, time.saturating_sub(step.start)))
    }

    /// Lists the events of some lines that touch a window, in order of their start.
    pub fn events(&mut self, profile: &Profile, query: &EventsQuery) -> EventList {
        let (mut n, mut first) = (0, FirstEvents::default());
        for line_ref in &query.lines {
            let Some(shown) = self.shown(profile, *line_ref) else { continue };
            for (event, (start, end)) in (0..).zip(shown.times.iter()) {
                if start < query.end.0 && (end > query.start.0 || start >= query.start.0) {
                    n += 1;
                    first.add((start, *line_ref, event));
                }
            }
        }
        EventList { query: query.clone(), n, events: first.rows(self, profile) }
    }
}

/// The first of many events in order of their start, at most [`SearchReport::MAX_HITS`]: the start, the line, and the index
/// in the line.
#[derive(Default)]
pub(super) struct FirstEvents(BinaryHeap<(u64, LineRef, u32)>);

impl FirstEvents {
    pub fn add(&mut self, event: (u64, LineRef, u32)) {
        if self.0.len() < SearchReport::MAX_HITS {
            self.0.push(event);
        } else if let Some(mut last) = self.0.peek_mut()
            && event < *last
        {
            *last = event;
        }
    }

    /// Returns the events in order.
    pub fn rows(self, timeline: &mut TimelineIndex, profile: &Profile) -> Vec<EventRow> {
        let row = |(_, line, event): (u64, LineRef, u32)| {
            Some(timeline.shown(profile, line)?.row(profile, line, event as usize))
        };
        self.0.into_sorted_vec().into_iter().filter_map(row).collect()
    }
}

impl ShownLine<'_> {
    pub(super) fn row(&self, profile: &Profile, line: LineRef, event: usize) -> EventRow {
        let (start, end) = self.times.time(event);
        let name = profile.text(self.name(event)).to_owned();
        let (track, kind) = (self.track.to_owned(), self.kind(event));
        EventRow { line, event: event as u32, name, track, kind, start: Picos(start), end: Picos(end) }
    }

    fn detail(&self, profile: &Profile, line: LineRef, event: usize) -> Option<EventDetail> {
        if event >= self.times.events.len() {
            return None;
        }
        let (start, end) = self.times.time(event);
        let id = self.times.op(event);
        let op = self.plane.op(id);
        let (name, text) = (profile.text(op.name), profile.text(op.text));
        let (lane, _) = self.lane_of(event)?;
        let times = self.times.events.times();
        let mut durations: Vec<(u64, usize)> = Vec::new();
        for (other, ((_, duration), op)) in times.zip(self.times.events.ops()).enumerate() {
            if op == id {
                durations.push((duration, other));
            }
        }
        let execution = durations.iter().filter(|(_, other)| *other <= event).count() as u64;
        let middle = durations.len() / 2;
        let (_, median, _) = durations.select_nth_unstable(middle);
        Some(EventDetail {
            line,
            event: event as u32,
            lane: lane as u32,
            name: name.to_owned(),
            text: (text != name).then(|| text.to_owned()),
            start: Picos(start),
            end: Picos(end),
            self_time: Picos((end - start).saturating_sub(self.inside(lane, start, end))),
            device_start: self.times.events.device_time(event).map(|(start, _)| Picos(start)),
            event_start: None,
            kind: self.kind(event),
            program: op.stats.program.map(|program| program.0),
            step: None,
            median: Picos(median.0),
            flows: Vec::new(),
            execution: (execution, durations.len() as u64),
        })
    }

    /// Returns the time of the events of the next lane that lie between `start` and `end`, in ps. On a line of nested events,
    /// these are the events inside of an event of this lane.
    fn inside(&self, lane: usize, start: u64, end: u64) -> u64 {
        let mut sum = 0;
        let view = View { start, column: (end - start).max(1), n_columns: 1, box_from: u64::MAX };
        self.lanes.draw(lane + 1, self.times, self.classes, &view, &mut |part| {
            if let PicturePart::Cell(cell) = part {
                sum += cell.busy.iter().sum::<u64>();
            }
        });
        sum
    }

    /// Returns the lane of an event, and its position in the lane.
    pub(super) fn lane_of(&self, event: usize) -> Option<(usize, usize)> {
        let (start, _) = self.times.time(event);
        (0..self.lanes.len()).find_map(|index| {
            let (lane, _) = self.lanes.lane(index)?;
            Some((index, lane.position_of(self.times, event, start)?))
        })
    }

    /// Returns the event next to another one.
    fn neighbour(&self, event: usize, to: Neighbour) -> Option<usize> {
        if event >= self.times.events.len() {
            return None;
        }
        let (index, position) = self.lane_of(event)?;
        let (lane, _) = self.lanes.lane(index)?;
        let (start, end) = self.times.time(event);
        match to {
            Neighbour::Previous => position.checked_sub(1).map(|position| lane.event(position)),
            Neighbour::Next => Some(position + 1).filter(|next| *next < lane.len()).map(|next| lane.event(next)),
            Neighbour::Parent => {
                index.checked_sub(1).and_then(|above| self.lanes.event_at(above, self.times, start, 0))
            }
            Neighbour::Child => {
                let (below, _) = self.lanes.lane(index + 1)?;
                let first = below.first_from(self.times, start);
                let event = (first < below.len()).then(|| below.event(first))?;
                (self.times.time(event).0 < end).then_some(event)
            }
        }
    }
}
