//! This module describes the links of an event: the host call that launched a kernel, the run that a call enqueued, and the work
//! that another thread began.

use super::TimelineIndex;
use super::links::Member;
use super::report::{EventDetail, Flow, FlowKind, LineRef};
use crate::profile::Profile;

impl TimelineIndex {
    /// Returns the links of an event to other events: first those to other planes, each group in order of their start.
    pub(super) fn flows(&mut self, profile: &Profile, of: LineRef, event: usize) -> Vec<Flow> {
        self.make_links(profile);
        let start = self.shown(profile, of).map_or(0, |shown| shown.times.time(event).0);
        let links = self.links.as_ref();
        let found = links.map(|links| links.others(profile, of, event as u32, EventDetail::MAX_FLOWS));
        let flow = |(member, kind): (Member, FlowKind)| {
            let shown = self.shown(profile, member.line)?;
            let (lane, _) = shown.lane_of(member.event as usize)?;
            let event = shown.row(profile, member.line, member.event as usize);
            // A run is enqueued before it starts, and completed after it.
            let is_source = if kind == FlowKind::Run { event.start.0 <= start } else { member.is_source };
            Some(Flow { event, lane: lane as u32, kind, is_source })
        };
        let mut flows: Vec<Flow> = found.into_iter().flatten().filter_map(flow).collect();
        flows.sort_by_key(|flow| (flow.event.line.plane == of.plane, flow.event.start));
        flows.truncate(EventDetail::MAX_FLOWS);
        flows
    }
}
