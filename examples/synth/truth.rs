//! What was put in: the figures an analysis of the capture has to find. Computed from the run itself, not from the capture,
//! and not with the analyses.

use super::clock::Clock;
use super::cost::Cost;
use super::run::{Device, Event, NONE};
use serde::Serialize;

/// What is known of an op.
pub struct OpFacts {
    pub name: String,
    pub category: String,
    pub cost: Cost,
    pub model_flops: u64,
    /// What its start sets off: a collective, a copy, work of another core. `None` for what starts nothing.
    pub flight: Option<Way>,
    /// It is a collective, or the end of one.
    pub communication: bool,
    /// Whatever its category, by its opcode it computes nothing: a convert, a custom call that only names memory.
    pub only_moves: bool,
}

/// What is under way beside the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Collective,
    Copy,
    Offloaded,
}

/// `expected.json`.
#[derive(Serialize)]
pub struct Truth {
    pub what: &'static str,
    pub seed: u64,
    pub chip: &'static str,
    pub program: String,
    pub program_id: u64,
    pub faults: Vec<&'static str>,
    pub steps: usize,
    pub layers_are_loops: bool,
    pub memory: Option<MemoryTruth>,
    pub ops: Vec<OpTruth>,
    pub devices: Vec<DeviceTruth>,
}

#[derive(Serialize)]
pub struct MemoryTruth {
    /// The program's own peak of HBM, parameters included.
    pub static_peak_bytes: u64,
    /// Reserved and allocated together, the most at once, on each device.
    pub runtime_peak_bytes: u64,
    pub capacity_bytes: u64,
}

/// An op, on every device alike.
#[derive(Serialize)]
pub struct OpTruth {
    pub name: String,
    pub category: String,
    pub runs_per_step: u64,
    pub flops: u64,
    pub model_flops: u64,
    pub bytes_accessed: u64,
}

#[derive(Serialize)]
pub struct DeviceTruth {
    pub device: String,
    pub host: String,
    /// First start to last end of its ops, device clock.
    pub window_ps: u64,
    /// Σ self time, device clock.
    pub busy_ps: u64,
    /// Self time by op, in the order of `ops`, device clock; 0 for one that did not run.
    pub self_ps: Vec<u64>,
    /// Runs by op.
    pub runs: Vec<u64>,
    pub steps: Vec<StepTruth>,
    pub collectives: Overlap,
    pub copies: Overlap,
}

/// A step, on the event clock.
#[derive(Serialize)]
pub struct StepTruth {
    pub number: usize,
    pub duration_ps: u64,
    pub busy_ps: u64,
}

/// What went on beside the compute, on the event clock.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Overlap {
    /// Self time of the waits (and of the synchronous ones).
    pub stall_ps: u64,
    /// Length of the union of what was in flight.
    pub in_flight_ps: u64,
    /// Of that, while nothing was computed.
    pub exposed_ps: u64,
    pub overlapped_ps: u64,
}

/// Of one device.
pub fn device(label: String, host: String, clock: Clock, of: &Device, ops: &[OpFacts]) -> DeviceTruth {
    let on_device = self_times(&of.events, Clock::device);
    let on_event = self_times(&of.events, |ticks| clock.event(ticks));
    let (mut self_ps, mut runs) = (vec![0; ops.len()], vec![0; ops.len()]);
    for (event, time) in of.events.iter().zip(&on_device) {
        self_ps[event.op as usize] += time;
        runs[event.op as usize] += 1;
    }
    let first = of.events.first().map_or(0, |event| event.start);
    let last = of.events.iter().map(|event| event.end).max().unwrap_or(0);
    let steps = of.steps.iter().enumerate().map(|(number, step)| StepTruth {
        number,
        duration_ps: clock.event(step.end) - clock.event(step.start),
        busy_ps: on_event[step.events.0..step.events.1].iter().sum(),
    });
    DeviceTruth {
        device: label,
        host,
        window_ps: Clock::device(last) - Clock::device(first),
        busy_ps: on_device.iter().sum(),
        self_ps,
        runs,
        steps: steps.collect(),
        collectives: overlap(of, ops, &on_event, clock, Way::Collective),
        copies: overlap(of, ops, &on_event, clock, Way::Copy),
    }
}

/// An event's length less that of those directly within it, by place.
fn self_times(events: &[Event], clock: impl Fn(u64) -> u64) -> Vec<u64> {
    let mut times: Vec<u64> = events.iter().map(|event| clock(event.end) - clock(event.start)).collect();
    for Event { parent, start, end, .. } in events.iter().copied() {
        if parent != NONE {
            times[parent as usize] -= clock(end) - clock(start);
        }
    }
    times
}

fn overlap(of: &Device, ops: &[OpFacts], times: &[u64], clock: Clock, way: Way) -> Overlap {
    let interval = |start, end| (clock.event(start), clock.event(end));
    let mut flying: Vec<(u64, u64)> = Vec::new();
    let mut stall_ps = 0;
    let flies = |span: &&super::run::Span| ops[span.start_op as usize].flight == Some(way);
    flying.extend(of.spans.iter().filter(flies).map(|span| interval(span.start, span.end)));
    let done: std::collections::HashSet<u32> = of.spans.iter().filter(flies).map(|span| span.done_op).collect();
    for (event, time) in of.events.iter().zip(times) {
        let facts = &ops[event.op as usize];
        let synchronous =
            way == Way::Collective && facts.communication && facts.flight.is_none() && !done.contains(&event.op);
        if synchronous && !facts.name.contains("-done") {
            flying.push(interval(event.start, event.end));
            stall_ps += time;
        } else if done.contains(&event.op) {
            stall_ps += time;
        }
    }
    let computing = of.events.iter().filter(|event| {
        let facts = &ops[event.op as usize];
        !facts.communication && !facts.only_moves && is_compute(&facts.category)
    });
    let computing = merged(computing.map(|event| interval(event.start, event.end)).collect());
    let flying = merged(flying);
    let in_flight_ps = flying.iter().map(|(start, end)| end - start).sum();
    let mut overlapped_ps = 0;
    let mut from = 0;
    for (start, end) in flying {
        while from < computing.len() && computing[from].1 <= start {
            from += 1;
        }
        let within = computing[from..].iter().take_while(|other| other.0 < end);
        overlapped_ps += within.map(|other| other.1.min(end) - other.0.max(start)).sum::<u64>();
    }
    Overlap { stall_ps, in_flight_ps, exposed_ps: in_flight_ps - overlapped_ps, overlapped_ps }
}

/// Of the categories that a run has those that compute.
fn is_compute(category: &str) -> bool {
    category.ends_with(" fusion")
        || matches!(
            category,
            "convolution"
                | "dot"
                | "non-fusion elementwise"
                | "reduce"
                | "reduce-window"
                | "sort"
                | "scatter"
                | "custom-call"
        )
}

/// Intervals that do not touch, in order.
fn merged(mut intervals: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    intervals.sort_unstable();
    let mut merged: Vec<(u64, u64)> = Vec::new();
    for (start, end) in intervals {
        match merged.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ if start < end => merged.push((start, end)),
            _ => {}
        }
    }
    merged
}
