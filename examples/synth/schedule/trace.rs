//! This module gives times to a plan: the host walks its blocks, calls programs, and waits when it is too far ahead; each
//! device runs what was enqueued, in order.

use super::super::make::{int, text};
use super::events::{Caller, Ready, Thread};
use super::plan::{Links, MS, MarkStats, Plan, US};
use fastrand::Rng;
use xla_profile::wire::proto::xspace::x_stat::Value;

/// The run of a program on a device. Times are in ps since the start of the profile.
pub struct Run {
    pub device: usize,
    /// Index into [`Plan::programs`].
    pub program: usize,
    /// Index into [`Plan::blocks`].
    pub block: usize,
    pub start: u64,
    pub end: u64,
    /// The ops that were recorded: the number of each in its program, and its time.
    pub ops: Vec<(usize, u64, u64)>,
    /// The number of the run on its device.
    pub number: u64,
    /// The correlation id of the first op, on a GPU.
    pub correlation: u64,
    /// Whether the capture has the run.
    pub is_recorded: bool,
}

/// An event of a thread of the host.
pub struct HostEvent {
    pub thread: Thread,
    pub name: String,
    pub start: u64,
    pub end: u64,
    pub stats: Vec<(&'static str, Value)>,
}

/// What happened.
pub struct Trace {
    /// In order of their calls; those of one device in order of their start.
    pub runs: Vec<Run>,
    pub events: Vec<HostEvent>,
    /// The end of the last event.
    pub end: u64,
}

/// Returns a duration within 3 % of `usual`.
pub fn jitter(random: &mut Rng, usual: u64) -> u64 {
    usual - usual * 3 / 100 + random.u64(0..=usual * 6 / 100)
}

/// Simulates a plan.
pub fn trace(plan: &Plan, random: &mut Rng) -> Trace {
    let mut caller = Caller::new(plan, random);
    let mut runs: Vec<Run> = Vec::new();
    let mut now = 5 * MS + random.u64(0..MS);
    let begin = now;
    let mut free = vec![0; plan.n_devices];
    let mut block_ends: Vec<u64> = Vec::new();
    let mut numbers = vec![0_u64; plan.n_devices];
    for (index, block) in plan.blocks.iter().enumerate() {
        caller.is_recorded = block.is_recorded;
        if let Some(end) = index.checked_sub(plan.ahead + 1).map(|index| block_ends[index]).filter(|end| *end > now) {
            caller.event("np.asarray(jax.Array)", now + US, end + 5 * US, Vec::new());
            now = end + 10 * US;
        }
        let mark_start = now + 2 * US;
        now += 5 * US;
        if block.load > 0 {
            let load = jitter(random, block.load);
            caller.event("next_batch", now, now + load, Vec::new());
            if plan.has_copies {
                let correlation = vec![("correlation_id", int(1_000_000 + index as i64))];
                caller.event("cuMemcpyHtoDAsync", now + load - 30 * US, now + load - US, correlation);
            }
            now += load + 2 * US;
        }
        let inner_start = now;
        now += US;
        let mut call_ends: Vec<u64> = Vec::new();
        for call in &block.calls {
            let ready = caller.call(call, &mut now, random);
            let dependency = call.waits_for.map_or(0, |other| call_ends[other]);
            let mut call_end = 0;
            for (device, ready) in call.devices.iter().zip(&ready) {
                let earliest = free[*device].max(dependency) + random.u64(2 * US..4 * US);
                let run = run(plan, (*device, call.program, index), ready, earliest, random);
                free[*device] = run.end;
                call_end = call_end.max(run.end);
                let number = numbers[*device];
                numbers[*device] += 1;
                runs.push(Run { number, correlation: ready.correlation, ..run });
            }
            call_ends.push(call_end);
            now += random.u64(5 * US..15 * US);
        }
        block_ends.push(call_ends.into_iter().max().unwrap_or(now));
        if let Some(mark) = &block.mark {
            if plan.has_inner_marks {
                caller.event("forward", inner_start, now, vec![("_r", int(1))]);
            }
            now += 3 * US;
            let number = mark.number.map(|number| ("step_num", int(number as i64)));
            let root = (plan.mark_stats == MarkStats::Root).then(|| ("_r", int(1)));
            caller.event(&mark.name, mark_start, now, root.into_iter().chain(number).collect());
        }
        now += random.u64(3 * US..8 * US);
    }
    let end = free.iter().copied().max().unwrap_or(0).max(now) + MS;
    caller.is_recorded = true;
    decoys(&mut caller, begin, end);
    Trace { runs, events: caller.events, end }
}

/// Returns the run of a program that may start at `earliest`, and whose ops may start when the host has launched them.
fn run(
    plan: &Plan,
    (device, program, block): (usize, usize, usize),
    ready: &Ready,
    earliest: u64,
    random: &mut Rng,
) -> Run {
    let info = &plan.programs[program];
    let mut ops = Vec::new();
    let start = earliest.max(ready.ops[0]);
    let each = info.duration / info.n_ops as u64;
    let mut time = start + if plan.platform == super::plan::Platform::Tpu { US / 2 } else { 0 };
    for op in 0..info.n_ops {
        time = time.max(ready.ops[op.min(ready.ops.len() - 1)]);
        let end = time + jitter(random, each);
        ops.push((op, time, end));
        time = end + random.u64(0..=US / 5);
    }
    let end = ops.last().map_or(time, |(.., end)| *end);
    Run { device, program, block, start, end, ops, number: 0, correlation: 0, is_recorded: true }
}

/// Adds events that look like steps and are none: a Python frame, a request of a user, work of another thread.
fn decoys(caller: &mut Caller<'_>, begin: u64, end: u64) {
    caller.event("$train.py:71 <module>", begin - MS, end - MS / 2, Vec::new());
    let mut time = begin;
    let mut number = 0;
    while time + 3 * MS < end && number < 200 {
        caller.on(Thread::Pool, "Iterator::Prefetch::Map", time, time + MS, Vec::new());
        caller.on(
            Thread::Requests,
            "handle_request",
            time,
            time + 2 * MS,
            vec![("_r", int(-1)), ("request_id", int(number))],
        );
        time += 3 * MS;
        number += 1;
    }
    if caller.plan.links == Links::None {
        caller.on(
            Thread::Pool,
            "ThreadpoolListener::Record",
            end - MS,
            end - MS,
            vec![("_src", text("threadpool_listener.cc"))],
        );
    }
}
