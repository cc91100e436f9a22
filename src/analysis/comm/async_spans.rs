//! What one core has in flight, computes and waits for, over the whole capture, on one clock.
//!
//! ```text
//!  async line   ├── copy-start.3 ──┤          one event, or several of one flow: first start to last end
//!  ops line     ▪start      ├─done─┤          without an async line: start's begin to done's end
//!  ops line          ├ all-reduce ┤           synchronous: itself
//! ```
//!
//! Knows lines and links; knows no steps and no rows.

use super::async_pairs::{AsyncPairs, Part};
use super::interval::Merged;
use crate::analysis::base::{Clock, Device, Interval, intervals, self_time};
use crate::analysis::classify::Kind;
use crate::profile::{Line, OpId, Plane};
use indexmap::IndexMap;
use std::collections::VecDeque;

/// How a span was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanOrigin {
    /// One event of the async line.
    Line,
    /// Several events of a flow.
    Flow,
    /// A start and a done.
    Ops,
    /// One op.
    Sync,
}

/// Something in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// `[start, end)`.
    pub at: Interval,
    /// Which of the links.
    pub link: u32,
    /// How it was found.
    pub from: SpanOrigin,
}

/// A core's lines, told.
pub struct CoreTimeline {
    /// On which clock.
    pub clock: Clock,
    /// In order of start.
    pub spans: Vec<Span>,
    /// Stretches in which the core waits, in order, with the link that it waits for.
    pub waits: Vec<(Interval, u32)>,
    /// Events of the dones, in order, with their link. A done takes as long as the core waits for what is in flight.
    pub dones: Vec<(Interval, u32)>,
    /// What is computed.
    pub compute: Merged,
    /// Whatever runs.
    pub busy: Merged,
    /// Self time of data movement.
    pub moving: Merged,
    /// Self time of communication.
    pub communicating: Merged,
    /// Starts without a done, and dones without a start, by where they start.
    pub unpaired: Vec<u64>,
    /// Events of the async line that are neither collectives nor copies, by where they start.
    pub other: Vec<u64>,
    /// There is an async line with events.
    pub has_line: bool,
    /// Lines whose times do not fit the clock's.
    pub lost_lines: u32,
}

/// The clock on which a device's lines are related: its own only if every event of all of them has it.
pub fn clock(plane: &Plane, device: &Device) -> Clock {
    let own = async_lines(plane).all(|line| line.events.has_device_clock());
    let steps = device.steps.is_empty() || device.step_clock == Clock::Device;
    if own && steps && device.op_clock == Clock::Device { Clock::Device } else { device.event_clock }
}

/// Lines of what goes on beside the core; an empty one is none.
fn async_lines(plane: &Plane) -> impl Iterator<Item = &Line> {
    plane.lines.iter().filter(|line| line.is_async() && !line.events.is_empty())
}

impl CoreTimeline {
    /// Reads a core's lines. `kinds` are those of the plane's ops.
    pub fn new(plane: &Plane, device: &Device, clock: Clock, links: &AsyncPairs, kinds: &[Kind]) -> Self {
        Self::read(plane, device, clock, links, Some(kinds))
    }

    /// Only spans and dones: neither waits nor compute.
    pub fn spans(plane: &Plane, device: &Device, clock: Clock, links: &AsyncPairs) -> Self {
        Self::read(plane, device, clock, links, None)
    }

    fn read(plane: &Plane, device: &Device, clock: Clock, links: &AsyncPairs, kinds: Option<&[Kind]>) -> Self {
        let mut flight = Self {
            clock,
            spans: Vec::new(),
            waits: Vec::new(),
            dones: Vec::new(),
            compute: Merged::default(),
            busy: Merged::default(),
            moving: Merged::default(),
            communicating: Merged::default(),
            unpaired: Vec::new(),
            other: Vec::new(),
            has_line: false,
            lost_lines: 0,
        };
        let mut on_line = vec![false; links.all.len()];
        for line in async_lines(plane) {
            flight.has_line = true;
            flight.read_async(plane, line, links, &mut on_line);
        }
        let (mut compute, mut busy) = (Vec::new(), Vec::new());
        let (mut moving, mut communicating) = (Vec::new(), Vec::new());
        let mut halves = Vec::new();
        for line in device.ops.iter().filter_map(|i| plane.lines.get(*i)) {
            let Some(events) = intervals(line, clock) else {
                flight.lost_lines += 1;
                continue;
            };
            let kind = |op: OpId| kinds.and_then(|kinds| kinds.get(op.0 as usize));
            if kinds.is_some() {
                self_time(&events, |event, from, to| {
                    let op = line.events.op(event);
                    busy.push((from, to));
                    match kind(op) {
                        Some(Kind::DataMovement) => moving.push((from, to)),
                        Some(Kind::Communication) => communicating.push((from, to)),
                        _ => {}
                    }
                    if let Some((Part::Done | Part::Whole, link)) = links.part(op) {
                        flight.waits.push(((from, to), link));
                    }
                });
            }
            for (at, op) in events.into_iter().zip(line.events.ops()) {
                // A start that computes as well covers what is in flight beside it.
                if matches!(kind(op), Some(Kind::Compute | Kind::Fused)) {
                    compute.push(at);
                }
                if let Some((Part::Done, link)) = links.part(op) {
                    flight.dones.push((at, link));
                }
                match links.part(op) {
                    Some((Part::Whole, link)) => flight.spans.push(Span { at, link, from: SpanOrigin::Sync }),
                    Some((part @ (Part::Start | Part::Done), link)) if !on_line[link as usize] => {
                        halves.push((at, part, link));
                    }
                    _ => {}
                }
            }
        }
        flight.compute = Merged::new(compute);
        flight.busy = Merged::new(busy);
        flight.moving = Merged::new(moving);
        flight.communicating = Merged::new(communicating);
        flight.pair(halves, links.all.len());
        flight.spans.sort_by_key(|span| (span.at, span.link));
        flight.waits.sort_by_key(|wait| *wait);
        flight.dones.sort_by_key(|done| *done);
        flight
    }

    /// From the first moment to the last of whatever runs or is in flight.
    pub fn extent(&self) -> Interval {
        let busy = self.busy.intervals();
        let spans = self.spans.iter().map(|span| span.at);
        let all = spans.chain(busy.first().copied()).chain(busy.last().copied());
        let (start, end) = all.fold((u64::MAX, 0), |whole, at| (whole.0.min(at.0), whole.1.max(at.1)));
        (start.min(end), end)
    }

    fn read_async(&mut self, plane: &Plane, line: &Line, links: &AsyncPairs, on_line: &mut [bool]) {
        let Some(events) = intervals(line, self.clock) else {
            self.lost_lines += 1;
            return;
        };
        let mut flows: IndexMap<(u64, u32), (Interval, u32)> = IndexMap::default();
        let mut pending_flows = line.flows.iter().peekable();
        for (i, (at, op)) in events.into_iter().zip(line.events.ops()).enumerate() {
            while pending_flows.next_if(|(event, _)| (*event as usize) < i).is_some() {}
            let flow = pending_flows.next_if(|(event, _)| *event as usize == i).map(|(_, flow)| *flow);
            let Some((_, link)) = links.part(op) else {
                self.other.push(at.0);
                continue;
            };
            if !on_line[link as usize] {
                on_line[link as usize] = true;
                // Where it does not say of which program it is, it may be of any that has such an op.
                if plane.op(op).stats.program.is_none() {
                    let name = links.all[link as usize].named.1;
                    links.all.iter().zip(&mut *on_line).for_each(|(other, on)| *on |= other.named.1 == name);
                }
            }
            match flow {
                Some(flow) => {
                    let (whole, n) = flows.entry((flow, link)).or_insert_with(|| (at, 0));
                    *whole = (whole.0.min(at.0), whole.1.max(at.1));
                    *n += 1;
                }
                None => self.spans.push(Span { at, link, from: SpanOrigin::Line }),
            }
        }
        let span = |((_, link), (at, n)): ((u64, u32), (Interval, u32))| {
            let from = if n > 1 { SpanOrigin::Flow } else { SpanOrigin::Line };
            Span { at, link, from }
        };
        self.spans.extend(flows.into_iter().map(span));
    }

    /// Starts and dones of one link belong together in the order they come: what was set off first is waited for first.
    fn pair(&mut self, mut halves: Vec<(Interval, Part, u32)>, n_links: usize) {
        halves.sort_by_key(|(at, ..)| *at);
        let mut open: Vec<VecDeque<u64>> = vec![VecDeque::new(); n_links];
        for (at, part, link) in halves {
            let open = &mut open[link as usize];
            if part == Part::Start {
                open.push_back(at.0);
            } else if let Some(start) = open.pop_front() {
                self.spans.push(Span { at: (start, at.1), link, from: SpanOrigin::Ops });
            } else {
                self.unpaired.push(at.0);
            }
        }
        self.unpaired.extend(open.into_iter().flatten());
    }
}
