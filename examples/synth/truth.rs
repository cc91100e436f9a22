//! This module computes the figures that an analysis of the capture must find. The figures come from the run itself,
//! not from the capture and not from the analyses.

use super::clock::Clock;
use super::cost::Cost;
use super::faults::Faults;
use super::run::{Device, Event, NONE};
use serde::Serialize;

/// The known properties of an op.
pub struct OpFacts {
    pub name: String,
    pub category: String,
    pub cost: Cost,
    pub model_flops: u64,
    /// Kind of the asynchronous operation that the op starts; `None` if the op starts nothing.
    pub async_kind: Option<AsyncKind>,
    /// Whether the op is a collective or the end of one.
    pub communication: bool,
    /// Whether the op computes nothing by its opcode, whatever its category is: a convert, or a custom call that only
    /// names memory.
    pub only_moves: bool,
    /// The faults of the run that change the op.
    pub faults: Faults,
}

/// The kind of an asynchronous operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsyncKind {
    Collective,
    Copy,
    Offloaded,
}

/// The content of `expected.json`.
#[derive(Serialize)]
pub struct Truth {
    pub what: &'static str,
    pub seed: u64,
    pub chip: &'static str,
    pub program: String,
    pub program_id: u64,
    pub healthy: bool,
    pub faults: Vec<FaultTruth>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scales: Vec<ScaleTruth>,
    pub steps: usize,
    pub layers_are_loops: bool,
    pub memory: Option<MemoryTruth>,
    pub ops: Vec<OpTruth>,
    pub devices: Vec<DeviceTruth>,
}

/// A fault, and the time that it costs.
#[derive(Serialize)]
pub struct FaultTruth {
    pub name: &'static str,
    /// The mean period of the steps after the first one, minus that of the same run without this fault. It covers the first
    /// 20 steps. `None` without a period.
    pub injected_ps_per_step: Option<i64>,
    /// The device that alone has the fault. `None` if all devices have it.
    pub device: Option<String>,
    /// The ops that the fault changes.
    pub ops: Vec<String>,
}

/// A factor on the time of ops, and the time that it costs.
#[derive(Serialize)]
pub struct ScaleTruth {
    /// Name of the ops, without numbers.
    pub op: String,
    pub factor: f64,
    /// The mean period, minus that of the same run without this factor; as for a fault.
    pub injected_ps_per_step: Option<i64>,
    /// The ops that the factor changes.
    pub ops: Vec<String>,
}

#[derive(Serialize)]
pub struct MemoryTruth {
    /// Peak HBM of the program alone, parameters included.
    pub static_peak_bytes: u64,
    /// Largest sum of reserved and allocated bytes, on each device.
    pub runtime_peak_bytes: u64,
    pub capacity_bytes: u64,
}

/// An op, with figures that are the same on every device.
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
    /// Time from the first start to the last end of the device's ops, on the device clock.
    pub window_ps: u64,
    /// Sum of all self times, on the device clock.
    pub busy_ps: u64,
    /// Self time of each op, in the order of `ops`, on the device clock; 0 for an op that did not run.
    pub self_ps: Vec<u64>,
    /// Executions of each op, in the order of `ops`.
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

/// The times of one kind of asynchronous operation beside compute, on the event clock.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Overlap {
    /// Self time of the waits and of the synchronous ops.
    pub stall_ps: u64,
    /// Length of the union of the intervals in flight.
    pub in_flight_ps: u64,
    /// Part of the time in flight during which nothing was computed.
    pub exposed_ps: u64,
    pub overlapped_ps: u64,
}

/// Returns the figures of one device.
pub fn device(label: String, host: String, clock: Clock, simulated: &Device, ops: &[OpFacts]) -> DeviceTruth {
    let on_device = self_times(&simulated.events, Clock::device);
    let on_event = self_times(&simulated.events, |ticks| clock.event(ticks));
    let (mut self_ps, mut runs) = (vec![0; ops.len()], vec![0; ops.len()]);
    for (event, time) in simulated.events.iter().zip(&on_device) {
        self_ps[event.op as usize] += time;
        runs[event.op as usize] += 1;
    }
    let first = simulated.events.first().map_or(0, |event| event.start);
    let last = simulated.events.iter().map(|event| event.end).max().unwrap_or(0);
    let steps = simulated.steps.iter().enumerate().map(|(number, step)| StepTruth {
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
        collectives: overlap(simulated, ops, &on_event, clock, AsyncKind::Collective),
        copies: overlap(simulated, ops, &on_event, clock, AsyncKind::Copy),
    }
}

/// Returns the self time of each event: its length less the length of the events directly inside it.
fn self_times(events: &[Event], clock: impl Fn(u64) -> u64) -> Vec<u64> {
    let mut times: Vec<u64> = events.iter().map(|event| clock(event.end) - clock(event.start)).collect();
    for Event { parent, start, end, .. } in events.iter().copied() {
        if parent != NONE {
            times[parent as usize] -= clock(end) - clock(start);
        }
    }
    times
}

fn overlap(device: &Device, ops: &[OpFacts], times: &[u64], clock: Clock, kind: AsyncKind) -> Overlap {
    let interval = |start, end| (clock.event(start), clock.event(end));
    let mut flying: Vec<(u64, u64)> = Vec::new();
    let mut stall_ps = 0;
    let flies = |span: &&super::run::Span| ops[span.start_op as usize].async_kind == Some(kind);
    flying.extend(device.spans.iter().filter(flies).map(|span| interval(span.start, span.end)));
    let done: std::collections::HashSet<u32> = device.spans.iter().filter(flies).map(|span| span.done_op).collect();
    for (event, time) in device.events.iter().zip(times) {
        let facts = &ops[event.op as usize];
        let synchronous = kind == AsyncKind::Collective
            && facts.communication
            && facts.async_kind.is_none()
            && !done.contains(&event.op);
        if synchronous && !facts.name.contains("-done") {
            flying.push(interval(event.start, event.end));
            stall_ps += time;
        } else if done.contains(&event.op) {
            stall_ps += time;
        }
    }
    let computing = device.events.iter().filter(|event| {
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

/// Returns whether ops of a category compute, for the categories that a run has.
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

/// Merges the intervals that overlap or touch, and orders them.
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
