//! This module turns the lines of one core into intervals on one clock, over the whole capture: transfers in flight,
//! compute and waits.
//!
//! ```text
//!  async line   ├── copy-start.3 ──┤          one event, or several of one flow: first start to last end
//!  ops line     ▪start      ├─done─┤          without an async line: begin of the start to end of the done
//!  ops line          ├ all-reduce ┤           synchronous: the op itself
//! ```
//!
//! This module depends on lines and transfers, and not on steps or rows.

use crate::analysis::base::Merged;
use crate::analysis::base::{Clock, Device, Interval, StepChoice, interval_of, intervals, self_time};
use crate::analysis::classify::Kind;
use crate::analysis::classify::async_pairs::{AsyncPairs, TransferRole};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use std::collections::VecDeque;
use xla_profile::intervals::add_to_union;
use xla_profile::profile::{Line, OpId, Plane};

/// The events from which a span was derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanOrigin {
    /// One event of an async line.
    Line,
    /// Several events of an async line with the same flow.
    Flow,
    /// A start and a done of the op line.
    Ops,
    Sync,
}

/// One execution of a transfer in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// `[start, end)` in ps.
    pub interval: Interval,
    /// Index into [`AsyncPairs::all`].
    pub transfer: u32,
    pub from: SpanOrigin,
}

/// Transfers in flight, waits and compute of one core over the whole capture. Times are in ps on `clock`. The `u32` of
/// a pair is an index into [`AsyncPairs::all`].
pub struct CoreTimeline {
    /// The clock of all times.
    pub clock: Clock,
    /// Executions of transfers, ordered by start.
    pub spans: Vec<Span>,
    /// Intervals in which the core waits, in order, with the transfer for which it waits: the self time of dones and of
    /// synchronous ops.
    pub waits: Vec<(Interval, u32)>,
    /// Events of done ops, in order, with their transfer. A done lasts as long as the core waits for its transfer.
    pub dones: Vec<(Interval, u32)>,
    /// Union of the events of compute ops and of fused ops.
    pub compute: Merged,
    /// Union of all events of the op lines.
    pub busy: Merged,
    /// Self time of data movement ops.
    pub moving: Merged,
    /// Self time of communication ops. Fused ops are not included.
    pub communicating: Merged,
    /// Union of the events of ops that the Megascale runtime carries out.
    pub over_dcn: Merged,
    /// Start times of starts without a done and of dones without a start.
    pub unpaired: Vec<u64>,
    /// Start times of events of async lines that are neither collectives nor copies.
    pub other: Vec<u64>,
    /// Whether the plane has an async line with events.
    pub has_line: bool,
    /// Number of lines that were left out because their times do not fit the clock.
    pub lost_lines: u32,
}

/// Returns the clock on which the lines of a device are compared: the device clock if every event of all lines has a
/// time on it, else the event clock. A range of time is on the event clock.
pub fn clock(plane: &Plane, device: &Device, step: StepChoice) -> Clock {
    if matches!(step, StepChoice::Range(_)) {
        return device.event_clock;
    }
    let own = async_lines(plane).all(|line| line.events.has_device_clock());
    let steps = device.steps.is_empty() || device.step_clock == Clock::Device;
    if own && steps && device.op_clock == Clock::Device { Clock::Device } else { device.event_clock }
}

/// Iterates over the async lines that have events.
fn async_lines(plane: &Plane) -> impl Iterator<Item = &Line> {
    plane.lines.iter().filter(|line| line.is_async() && !line.events.is_empty())
}

impl CoreTimeline {
    /// Reads the lines of a core. `kinds` holds the kind of each op of the plane, by [`OpId`].
    pub fn new(plane: &Plane, device: &Device, clock: Clock, transfers: &AsyncPairs, kinds: &[Kind]) -> Self {
        Self::read(plane, device, clock, transfers, Some(kinds))
    }

    /// Reads only spans and dones of collectives. The waits and the lists of compute, busy and self time stay empty.
    pub fn collective_spans(plane: &Plane, device: &Device, clock: Clock, transfers: &AsyncPairs) -> Self {
        Self::read(plane, device, clock, transfers, None)
    }

    /// Returns a timeline without events.
    pub fn empty(clock: Clock) -> Self {
        Self {
            clock,
            spans: Vec::new(),
            waits: Vec::new(),
            dones: Vec::new(),
            compute: Merged::default(),
            busy: Merged::default(),
            moving: Merged::default(),
            communicating: Merged::default(),
            over_dcn: Merged::default(),
            unpaired: Vec::new(),
            other: Vec::new(),
            has_line: false,
            lost_lines: 0,
        }
    }

    fn read(plane: &Plane, device: &Device, clock: Clock, transfers: &AsyncPairs, kinds: Option<&[Kind]>) -> Self {
        let mut timeline = Self::empty(clock);
        let mut on_line = vec![false; transfers.all.len()];
        for line in async_lines(plane) {
            timeline.has_line = true;
            timeline.read_async(plane, line, transfers, &mut on_line, kinds.is_some());
        }
        let (mut compute, mut busy) = (Vec::new(), Vec::new());
        let (mut moving, mut communicating, mut over_dcn) = (Vec::new(), Vec::new(), Vec::new());
        let mut halves = Vec::new();
        for line in device.ops.iter().filter_map(|i| plane.lines.get(*i)) {
            let Some(kinds) = kinds else {
                // Only the events of collectives are read.
                for (event, op) in line.events.ops().enumerate() {
                    let Some(role) = transfers.role_in_collective(op) else { continue };
                    let Some(interval) = interval_of(line, clock, event) else {
                        timeline.lost_lines += 1;
                        break;
                    };
                    timeline.add_role(interval, role, &on_line, &mut halves);
                }
                continue;
            };
            let Some(events) = intervals(line, clock) else {
                timeline.lost_lines += 1;
                continue;
            };
            let kind = |op: OpId| kinds.get(op.0 as usize);
            self_time(&events, |event, from, to| {
                let op = line.events.op(event);
                add_to_union(&mut busy, (from, to));
                match kind(op) {
                    Some(Kind::DataMovement) => add_to_union(&mut moving, (from, to)),
                    Some(Kind::Communication) => add_to_union(&mut communicating, (from, to)),
                    _ => {}
                }
                if let Some((TransferRole::Done | TransferRole::Whole, transfer)) = transfers.role(op) {
                    timeline.waits.push(((from, to), transfer));
                }
            });
            for (interval, op) in events.into_iter().zip(line.events.ops()) {
                // A start that computes as well (a fused op) overlaps the other transfers in flight.
                if matches!(kind(op), Some(Kind::Compute | Kind::Fused)) {
                    add_to_union(&mut compute, interval);
                }
                if let Some(role) = transfers.role(op) {
                    timeline.add_role(interval, role, &on_line, &mut halves);
                    if transfers.all[role.1 as usize].dcn.is_some() {
                        add_to_union(&mut over_dcn, interval);
                    }
                }
            }
        }
        timeline.compute = Merged::new(compute);
        timeline.busy = Merged::new(busy);
        timeline.moving = Merged::new(moving);
        timeline.communicating = Merged::new(communicating);
        timeline.over_dcn = Merged::new(over_dcn);
        timeline.pair_starts_with_dones(halves, transfers.all.len());
        timeline.spans.sort_by_key(|span| (span.interval, span.transfer));
        timeline.waits.sort_unstable();
        timeline.dones.sort_unstable();
        timeline
    }

    /// Adds an event of a transfer's op. `halves` collects the starts and dones of transfers that are on no async line.
    fn add_role(
        &mut self,
        interval: Interval,
        (role, transfer): (TransferRole, u32),
        on_line: &[bool],
        halves: &mut Vec<(Interval, TransferRole, u32)>,
    ) {
        if role == TransferRole::Done {
            self.dones.push((interval, transfer));
        }
        match role {
            TransferRole::Whole => self.spans.push(Span { interval, transfer, from: SpanOrigin::Sync }),
            TransferRole::Start | TransferRole::Done if !on_line[transfer as usize] => {
                halves.push((interval, role, transfer));
            }
            _ => {}
        }
    }

    /// Returns the interval from the first start to the last end of all ops and transfers, or `(0, 0)` without any.
    pub fn extent(&self) -> Interval {
        let busy = self.busy.intervals();
        let spans = self.spans.iter().map(|span| span.interval);
        let all = spans.chain(busy.first().copied()).chain(busy.last().copied());
        let (start, end) =
            all.fold((u64::MAX, 0), |whole, interval| (whole.0.min(interval.0), whole.1.max(interval.1)));
        (start.min(end), end)
    }

    /// Reads an async line: all events, or only those of collectives.
    fn read_async(&mut self, plane: &Plane, line: &Line, transfers: &AsyncPairs, on_line: &mut [bool], all: bool) {
        let events = if all { intervals(line, self.clock) } else { Some(Vec::new()) };
        let Some(events) = events else {
            self.lost_lines += 1;
            return;
        };
        // A flow usually has two events.
        let n_flows = if all { line.flows.len() / 2 } else { 0 };
        let mut flows: IndexMap<(u64, u32), (Interval, u32), FxBuildHasher> =
            IndexMap::with_capacity_and_hasher(n_flows, FxBuildHasher);
        let mut pending_flows = line.flows.iter().peekable();
        for (i, op) in line.events.ops().enumerate() {
            if !all && transfers.role_in_collective(op).is_none() {
                continue;
            }
            let Some(interval) = events.get(i).copied().or_else(|| interval_of(line, self.clock, i)) else {
                self.lost_lines += 1;
                break;
            };
            while pending_flows.next_if(|(event, _)| (*event as usize) < i).is_some() {}
            let flow = pending_flows.next_if(|(event, _)| *event as usize == i).map(|(_, flow)| *flow);
            let Some((_, transfer)) = transfers.role(op) else {
                self.other.push(interval.0);
                continue;
            };
            if !on_line[transfer as usize] {
                on_line[transfer as usize] = true;
                // An event without a program may belong to any program that has an op of this name.
                if plane.op(op).stats.program.is_none() {
                    let name = transfers.all[transfer as usize].named.1;
                    transfers.all.iter().zip(&mut *on_line).for_each(|(other, on)| *on |= other.named.1 == name);
                }
            }
            match flow {
                Some(flow) => {
                    let (whole, n) = flows.entry((flow, transfer)).or_insert_with(|| (interval, 0));
                    *whole = (whole.0.min(interval.0), whole.1.max(interval.1));
                    *n += 1;
                }
                None => self.spans.push(Span { interval, transfer, from: SpanOrigin::Line }),
            }
        }
        let span = |((_, transfer), (interval, n)): ((u64, u32), (Interval, u32))| {
            let from = if n > 1 { SpanOrigin::Flow } else { SpanOrigin::Line };
            Span { interval, transfer, from }
        };
        self.spans.extend(flows.into_iter().map(span));
    }

    /// Pairs the starts and dones of each transfer in order of time: the core waits first for the transfer that started
    /// first.
    fn pair_starts_with_dones(&mut self, mut halves: Vec<(Interval, TransferRole, u32)>, n_transfers: usize) {
        halves.sort_by_key(|(interval, ..)| *interval);
        let mut open: Vec<VecDeque<u64>> = vec![VecDeque::new(); n_transfers];
        for (interval, role, transfer) in halves {
            let open = &mut open[transfer as usize];
            if role == TransferRole::Start {
                open.push_back(interval.0);
            } else if let Some(start) = open.pop_front() {
                self.spans.push(Span { interval: (start, interval.1), transfer, from: SpanOrigin::Ops });
            } else {
                self.unpaired.push(interval.0);
            }
        }
        self.unpaired.extend(open.into_iter().flatten());
    }
}
