//! This module describes the links of an event: the host call that launched a kernel, the run that a call enqueued, and the work
//! that another thread began.

use super::TimelineIndex;
use super::event_report::{EventDetail, Flow, FlowEnd, FlowKind, FlowLine, FlowsQuery, FlowsReport};
use super::links::{Links, Member};
use super::report::LineRef;
use super::tracks::line_at;
use rustc_hash::FxHashMap;
use xla_profile::lanes::LineTimes;
use xla_profile::profile::Profile;
use xla_profile::units::Picos;

impl TimelineIndex {
    /// Lists the links between events of some lines in a window. A link to an event of another line is not listed. Two events
    /// that several ids join have one link.
    pub fn all_flows(&mut self, profile: &Profile, query: &FlowsQuery) -> FlowsReport {
        self.make_links(profile);
        let lines = self.tracks().map(|track| track.line).filter(|line| query.lines.contains(line));
        let times = lines.filter_map(|line| {
            let (plane, events) = line_at(profile, line)?;
            Some((line, self.axis.times(plane, events)?))
        });
        let times: FxHashMap<LineRef, LineTimes<'_>> = times.collect();
        let end_of = |member: Member| {
            let (start, end) = times.get(&member.line)?.time(member.event as usize);
            let (start, end) = (Picos(start), Picos(end));
            Some(FlowEnd { start, end, line: member.line, lane: 0, event: member.event })
        };
        let pair = |(source, target, kind): (Member, Member, FlowKind)| {
            let (source, target) = (end_of(source)?, end_of(target)?);
            // A run is enqueued before it starts, and completed after it.
            let is_turned = kind == FlowKind::Run && target.start < source.start;
            let (source, target) = if is_turned { (target, source) } else { (source, target) };
            let is_in = query.start <= target.start && target.start < query.end;
            is_in.then_some(FlowLine { source, target })
        };
        let links = self.links.iter();
        let mut flows: Vec<FlowLine> = links.flat_map(Links::pairs).filter_map(pair).collect();
        flows.sort_by_key(|flow| (flow.target, flow.source));
        flows.dedup();
        let n = flows.len() as u64;
        flows.truncate(FlowsReport::MAX_FLOWS);
        for end in flows.iter_mut().flat_map(|flow| [&mut flow.source, &mut flow.target]) {
            let lane = self.shown(profile, end.line).and_then(|shown| shown.lane_of(end.event as usize));
            end.lane = lane.map_or(0, |(lane, _)| lane as u32);
        }
        FlowsReport { query: query.clone(), n, flows }
    }

    /// Returns the links of an event to other events: first those to other planes, each group in order of their start.
    pub(super) fn flows(&mut self, profile: &Profile, line: LineRef, event: usize) -> Vec<Flow> {
        self.make_links(profile);
        let start = self.shown(profile, line).map_or(0, |shown| shown.times.time(event).0);
        let links = self.links.as_ref();
        let found = links.map(|links| links.others(profile, line, event as u32, EventDetail::MAX_FLOWS));
        let flow = |(member, kind): (Member, FlowKind)| {
            let shown = self.shown(profile, member.line)?;
            let (lane, _) = shown.lane_of(member.event as usize)?;
            let event = shown.row(profile, member.line, member.event as usize);
            // A run is enqueued before it starts, and completed after it.
            let is_source = if kind == FlowKind::Run { event.start.0 <= start } else { member.is_source };
            Some(Flow { event, lane: lane as u32, kind, is_source })
        };
        let mut flows: Vec<Flow> = found.into_iter().flatten().filter_map(flow).collect();
        flows.sort_by_key(|flow| (flow.event.line.plane == line.plane, flow.event.start));
        flows.truncate(EventDetail::MAX_FLOWS);
        flows
    }
}
