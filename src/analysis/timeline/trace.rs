//! This module lists the events of a range for a trace: each in a thread in which no two events overlap, not even by the
//! rounding of times that lanes of the page allow. Viewers of traces drop events that overlap others of their thread.

use super::TimelineIndex;
use super::event_report::FlowKind;
use super::links::linked_events;
use super::report::{LineRef, TrackGroup};
use super::trace_records::{TraceCounter, TraceEvent, TraceInstant, TraceQuery, TraceRecord, TraceReport, TraceThread};
use super::tracks::line_at;
use crate::analysis::base::hosts;
use crate::analysis::classify::Kind;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use xla_profile::lanes::{Lane, Lanes, LineTimes};
use xla_profile::profile::{Line, Op, Plane, Profile};
use xla_profile::units::Picos;

/// Largest number of links of one event to events that share one of its ids.
const MAX_LINKS: usize = 16;

/// The events that start before the first one beyond the limit.
struct Limit {
    /// `None` if all events are listed.
    until: Option<u64>,
    /// Number of events that start at `until` and are listed.
    at_until: u64,
}

/// The threads of the events of lines with links: [`NOT_LISTED`] for an event that is not listed.
type Threads = FxHashMap<LineRef, Vec<u32>>;
const NOT_LISTED: u32 = 0;

impl TimelineIndex {
    /// Lists the events that touch the range of a query, and the links between them. Of more events than the query allows,
    /// those that start first are listed. Times are on the event clock, whether the clocks of hosts are aligned or not, and events
    /// are not cut.
    ///
    /// # Errors
    /// Returns the error of `each`.
    pub fn trace(
        &mut self,
        profile: &Profile,
        query: &TraceQuery,
        each: &mut dyn FnMut(TraceRecord<'_>) -> io::Result<()>,
    ) -> io::Result<TraceReport> {
        let mut report = TraceReport::default();
        let mut limit = self.limit(profile, query, &mut report);
        let mut threads = Threads::default();
        let host_names = hosts::names(profile);
        for (process, group) in (1..).zip(&self.timeline.groups) {
            let mut writer = GroupWriter {
                query,
                profile,
                host_names: &host_names,
                group,
                offset: self.timeline.offset(group),
                limit: &mut limit,
                thread: TraceThread { process, thread: 0 },
                has_started: false,
                n_events: 0,
                each: &mut *each,
            };
            for track in &group.tracks {
                let Some((_, line)) = line_at(profile, track.line) else { continue };
                let Some(times) = self.axis.event_clock.times(line) else { continue };
                let mut listed = Vec::new();
                if !line.links.is_empty() || !line.launches.is_empty() {
                    listed = vec![NOT_LISTED; line.events.len()];
                }
                writer.line(track.line, times, self.classes_of(track.line, track.kind), &track.name, &mut listed)?;
                threads.insert(track.line, listed);
            }
            report.n_events += writer.n_events;
        }
        report.n_flows = self.trace_flows(profile, query, &threads, each)?;
        Ok(report)
    }

    /// Counts the events that touch the range, and finds where the limit of the query ends the trace.
    fn limit(&self, profile: &Profile, query: &TraceQuery, report: &mut TraceReport) -> Limit {
        let mut starts: Vec<u64> = Vec::new();
        for track in self.tracks() {
            let times = line_at(profile, track.line).and_then(|(_, line)| self.axis.event_clock.times(line));
            let Some(times) = times else { continue };
            let touching = (0..times.events.len()).map(|event| times.time(event)).filter(|time| query.includes(*time));
            starts.extend(touching.map(|(start, _)| start));
        }
        report.n_in_range = starts.len() as u64;
        let max = usize::try_from(query.max_events).unwrap_or(usize::MAX);
        if max >= starts.len() {
            return Limit { until: None, at_until: 0 };
        }
        let (before, until, _) = starts.select_nth_unstable(max);
        let at_until = before.iter().filter(|start| *start == until).count() as u64;
        report.until = Some(Picos(*until));
        Limit { until: Some(*until), at_until }
    }

    /// Lists the links between events that have been listed. Returns their number.
    fn trace_flows(
        &mut self,
        profile: &Profile,
        query: &TraceQuery,
        threads: &Threads,
        each: &mut dyn FnMut(TraceRecord<'_>) -> io::Result<()>,
    ) -> io::Result<u64> {
        let processes: FxHashMap<LineRef, u32> = (1..)
            .zip(&self.timeline.groups)
            .flat_map(|(process, group)| group.tracks.iter().map(move |track| (track.line, process)))
            .collect();
        self.make_links(profile);
        let Some(links) = &self.links else { return Ok(0) };
        let instant = |line_ref: LineRef, event: u32| {
            let thread = *threads.get(&line_ref)?.get(event as usize).filter(|thread| **thread != NOT_LISTED)?;
            let thread = TraceThread { process: *processes.get(&line_ref)?, thread };
            let (start, _) = self.axis.event_clock.times(line_at(profile, line_ref)?.1)?.time(event as usize);
            Some(TraceInstant { thread, start: Picos(start) })
        };
        let mut n_flows = 0;
        for line_ref in self.tracks().map(|track| track.line) {
            let Some((_, line)) = line_at(profile, line_ref) else { continue };
            for event in linked_events(line) {
                let Some(target) = instant(line_ref, event) else { continue };
                for (member, kind) in links.others(profile, line_ref, event, MAX_LINKS) {
                    let Some(source) = instant(member.line, member.event) else { continue };
                    // A run is enqueued before it starts, and completed after it.
                    let is_source = match kind {
                        FlowKind::Run => (source.start, member.line, member.event) < (target.start, line_ref, event),
                        FlowKind::Launch | FlowKind::Context => member.is_source,
                    };
                    if is_source && n_flows < query.max_events {
                        n_flows += 1;
                        each(TraceRecord::Flow { kind, source, target })?;
                    }
                }
            }
        }
        Ok(n_flows)
    }
}

/// Lists the events of one plane.
struct GroupWriter<'a> {
    query: &'a TraceQuery,
    profile: &'a Profile,
    /// The names of hosts, by file.
    host_names: &'a [String],
    group: &'a TrackGroup,
    /// The displayed time of the group minus the time on the event clock, in ps.
    offset: i64,
    limit: &'a mut Limit,
    /// The last thread.
    thread: TraceThread,
    /// Whether the plane has been listed.
    has_started: bool,
    n_events: u64,
    each: &'a mut dyn FnMut(TraceRecord<'_>) -> io::Result<()>,
}

impl GroupWriter<'_> {
    /// Lists the events of a line, and stores the thread of each event in `listed` if it is not empty.
    fn line(
        &mut self,
        line_ref: LineRef,
        times: LineTimes<'_>,
        classes: &[u8],
        name: &str,
        listed: &mut [u32],
    ) -> io::Result<()> {
        if let Some((plane, line)) = line_at(self.profile, line_ref).filter(|(_, line)| line.has_counters()) {
            return self.counters(line_ref, times, plane, line);
        }
        let lanes = Lanes::new(times.events, false, classes);
        let mut n_lanes = 0;
        for (lane, may_overlap) in (0..lanes.len()).filter_map(|index| lanes.lane(index)) {
            for events in if may_overlap { apart(lane, times) } else { vec![in_lane(lane)] } {
                let mut is_new = true;
                for event in events {
                    let time = times.time(event);
                    if !self.query.includes(time) || !self.limit.admits(time.0) {
                        continue;
                    }
                    if std::mem::take(&mut is_new) {
                        self.start_thread(line_ref, name, n_lanes)?;
                    }
                    if let Some(thread) = listed.get_mut(event) {
                        *thread = self.thread.thread;
                    }
                    self.event(line_ref, times, classes, event)?;
                }
                n_lanes += 1;
            }
        }
        Ok(())
    }

    /// Lists the samples of a line of counters, which belong to no thread.
    fn counters(&mut self, line_ref: LineRef, times: LineTimes<'_>, plane: &Plane, line: &Line) -> io::Result<()> {
        let profile = self.profile;
        let mut rest = &line.counters[..];
        for event in 0..times.events.len() {
            let n = rest.partition_point(|row| row.event as usize <= event);
            let (rows, after) = rest.split_at(n);
            rest = after;
            let time = times.time(event);
            if !self.query.includes(time) || !self.limit.admits(time.0) {
                continue;
            }
            self.start_process(line_ref)?;
            self.n_events += 1;
            let values: Vec<(&str, f64)> = rows.iter().map(|row| (profile.text(row.stat), row.value)).collect();
            let name = profile.text(plane.op(times.op(event)).name);
            let (process, start) = (self.thread.process, Picos(time.0));
            (self.each)(TraceRecord::Counter(TraceCounter { process, name, start, values: &values }))?;
        }
        Ok(())
    }

    /// Lists the plane before its first event.
    fn start_process(&mut self, line: LineRef) -> io::Result<()> {
        if std::mem::replace(&mut self.has_started, true) {
            return Ok(());
        }
        let name = process_name(self.profile, self.host_names, line);
        (self.each)(TraceRecord::Process { process: self.thread.process, name: &name })
    }

    fn start_thread(&mut self, line: LineRef, name: &str, lane: u32) -> io::Result<()> {
        self.start_process(line)?;
        self.thread.thread += 1;
        (self.each)(TraceRecord::Thread { thread: self.thread, name, lane })
    }

    fn event(&mut self, line: LineRef, times: LineTimes<'_>, classes: &[u8], event: usize) -> io::Result<()> {
        let Some((plane, _)) = line_at(self.profile, line) else { return Ok(()) };
        let (start, end) = times.time(event);
        let id = times.op(event);
        let op = plane.op(id);
        let kind = classes.get(id.0 as usize).and_then(|class| Kind::ALL.get(usize::from(*class))).copied();
        let step = self.step(Picos(start));
        self.n_events += 1;
        (self.each)(TraceRecord::Event(TraceEvent {
            thread: self.thread,
            name: self.profile.text(op.name),
            start: Picos(start),
            end: Picos(end),
            kind,
            category: op.stats.category.map(|category| self.profile.text(category)),
            program: program_name(self.profile, op),
            step,
        }))
    }

    /// Returns the number of the step in which a time on the event clock lies.
    fn step(&self, time: Picos) -> Option<u64> {
        let (steps, time) = (&self.group.steps, time.moved(self.offset));
        let last = steps.partition_point(|step| step.start <= time).checked_sub(1)?;
        steps.get(last).filter(|step| time < step.end).map(|step| step.number)
    }
}

impl Limit {
    /// Returns whether an event with this start is listed.
    fn admits(&mut self, start: u64) -> bool {
        match self.until {
            Some(until) if start == until => {
                let is_left = self.at_until > 0;
                self.at_until -= u64::from(is_left);
                is_left
            }
            until => until.is_none_or(|until| start < until),
        }
    }
}

/// Returns the name of a plane, after the name of its host if the session has several files.
fn process_name(profile: &Profile, host_names: &[String], line: LineRef) -> String {
    let Some(plane) = profile.planes.get(line.plane as usize) else { return String::new() };
    let host = host_names.get(plane.file).filter(|_| profile.files.len() > 1);
    host.map_or_else(|| plane.name.clone(), |host| format!("{host} {}", plane.name))
}

fn program_name<'a>(profile: &'a Profile, op: &Op) -> Option<&'a str> {
    let by_id = op.stats.program.and_then(|id| profile.programs.get(&id)).map(String::as_str);
    by_id.or_else(|| op.stats.hlo_module.map(|module| profile.text(module)))
}

fn in_lane(lane: &Lane) -> Vec<usize> {
    (0..lane.len()).map(|position| lane.event(position)).collect()
}

/// Divides the events of a lane, which are in order of their start, so that no two events of a part overlap.
fn apart(lane: &Lane, times: LineTimes<'_>) -> Vec<Vec<usize>> {
    let mut parts: Vec<Vec<usize>> = Vec::new();
    // The parts by the end of their last event, the earliest first.
    let mut ends: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    for event in in_lane(lane) {
        let (start, end) = times.time(event);
        let is_free = ends.peek().is_some_and(|Reverse((busy_until, _))| *busy_until <= start);
        let free = if is_free { ends.pop() } else { None };
        let part = free.map_or(parts.len(), |Reverse((_, part))| part);
        match parts.get_mut(part) {
            Some(events) => events.push(event),
            None => parts.push(vec![event]),
        }
        ends.push(Reverse((end, part)));
    }
    parts
}
