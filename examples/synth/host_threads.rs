//! This module lists the events of a host's threads, as captures of a TPU have them: the Python program, the threads that
//! prepare the runs of each device, the thread that enqueues them, and the threads that learn of their end.
//!
//! ```text
//!  main              ├ train: DataLoader ─ PjitFunction ─ Execute ┤                   produces (5, step)
//!  py_xla_execute                                ├ Execute ─ tpu::System::Execute ┤   consumes (5, step), produces (7, run)
//!  tfrt queue                                            ├ IssueSequencedEvent ─ DoEnqueueProgram ┤     produces (12, run)
//!  TPU:0, XLA Modules                                                                  ├─── run ───┤     consumes (12, run)
//!  switchto-default                                                                                ├ CompleteCallbacks ┤
//! ```

use super::run::{HostStep, HostWork, Run};
use super::scene::Scene;
use std::ops::Range;

/// The types of contexts, as real captures number them.
const EXECUTE: u64 = 5;
const ISSUE: u64 = 7;
pub const ENQUEUE: u64 = 12;

/// An event of a thread. Times are in ticks.
pub struct HostEvent {
    pub name: &'static str,
    pub time: (u64, u64),
    pub stats: Vec<(&'static str, u64)>,
}

/// A thread of a host.
pub struct HostThread {
    pub name: String,
    pub events: Vec<HostEvent>,
}

/// Returns the id of the context of a run: the runs of each device count from a number of its own.
pub const fn run_context(device: usize, step: usize) -> u64 {
    ((device as u64 + 5) << 32) | step as u64
}

/// Returns the threads of the host that the devices `range` belong to.
pub fn threads(scene: &Scene<'_>, run: &Run<'_>, range: Range<usize>) -> Vec<HostThread> {
    let mut threads = vec![main_thread(scene, run, range.clone())];
    for n in range.clone() {
        threads.push(HostThread { name: format!("py_xla_execute/{}", 5000 + n), events: prepare(scene, run, n) });
    }
    threads
        .push(HostThread { name: "tfrt-non-blocking-queue/5999".to_owned(), events: queue(scene, run, range.clone()) });
    for n in range {
        threads.push(HostThread {
            name: format!("switchto-default-SDomainT/{}", 7000 + n),
            events: completions(scene, run, n),
        });
    }
    threads
}

fn main_thread(scene: &Scene<'_>, run: &Run<'_>, range: Range<usize>) -> HostThread {
    let host = &run.hosts[range.start / scene.devices_per_host];
    let mut events = Vec::new();
    let mut event = |name, time, stats: &[(&'static str, u64)]| {
        events.push(HostEvent { name, time, stats: stats.to_vec() });
    };
    if let Some((first, last)) = host.steps.first().zip(host.steps.last()) {
        let end = run.devices[range.start].steps.last().map_or(last.call.1, |step| step.end);
        event("$train.py:71 <module>", (first.load.0.saturating_sub(80_000), end.max(last.call.1) + 80_000), &[]);
    }
    for (number, HostStep { load, other, call, compile }) in host.steps.iter().enumerate() {
        event("train", (load.0, call.1), &[("step_num", number as u64)]);
        event("DataLoader.__next__", *load, &[]);
        if let Some((work, from, until)) = other {
            let name = match work {
                HostWork::Metrics => "$metrics.py:31 write",
                HostWork::Fetch => "np.asarray(jax.Array)",
            };
            event(name, (*from, *until), &[]);
        }
        event("PjitFunction(train_step)", *call, &[]);
        event("ParseArguments", (call.0 + 800, call.0 + 3600), &[]);
        if let Some((from, until)) = compile {
            event("lower_sharding_computation", (*from, *from + (until - from) / 8), &[]);
            event("backend_compile", (from + (until - from) / 8, *until), &[]);
        }
        // The call hands the step to a thread for each device 12 µs before its end.
        let sent = call.1 - 24_000;
        event("TfrtTpuLoadedExecutable::Execute", (sent - 8000, call.1 - 400), &[]);
        event("TfrtTpuLoadedExecutable::Execute", (sent - 7200, sent), &[("_pt", EXECUTE), ("_p", number as u64 + 1)]);
    }
    HostThread { name: "main/4711".to_owned(), events }
}

fn prepare(scene: &Scene<'_>, run: &Run<'_>, n: usize) -> Vec<HostEvent> {
    let ordinal = n % scene.devices_per_host;
    let mut events = Vec::new();
    for (number, step) in run.devices[n].steps.iter().enumerate() {
        let (from, until) = step.prepare;
        let mut event = |name, time, stats: &[(&'static str, u64)]| {
            events.push(HostEvent { name, time, stats: stats.to_vec() });
        };
        let consumes = [("_ct", EXECUTE), ("_c", number as u64 + 1)];
        event("Scheduled TfrtTpuLoadedExecutable::Execute", (from, until), &consumes);
        let prepared = until - 8000;
        event("TfrtTpuLoadedExecutable::ExecutePrepare", (from + 400, prepared), &[]);
        event("Acquire semaphore", (from + 800, prepared - 6400), &[]);
        event("Handle inputs", (prepared - 6000, prepared - 3200), &[]);
        event("LoadProgram", (prepared - 2400, prepared - 1600), &[]);
        let produces = [("_pt", ISSUE), ("_p", run_context(ordinal, number))];
        event("tpu::System::Execute", (prepared + 400, until - 400), &produces);
    }
    events
}

fn queue(scene: &Scene<'_>, run: &Run<'_>, range: Range<usize>) -> Vec<HostEvent> {
    let mut runs: Vec<(usize, usize, (u64, u64))> = Vec::new();
    for n in range {
        let steps = run.devices[n].steps.iter().enumerate();
        runs.extend(steps.map(|(number, step)| (n % scene.devices_per_host, number, step.enqueue)));
    }
    runs.sort_by_key(|(.., time)| *time);
    let mut events = Vec::new();
    for (ordinal, number, (from, until)) in runs {
        let mut event = |name, time, stats: &[(&'static str, u64)]| {
            events.push(HostEvent { name, time, stats: stats.to_vec() });
        };
        let context = run_context(ordinal, number);
        event("tpu::System::Execute=>IssueSequencedEvent", (from, until), &[("_ct", ISSUE), ("_c", context)]);
        event("EnqueueContinuationProgram", (from + 800, until - 100), &[]);
        let mut stats = run_stats(scene, ordinal, number);
        stats.extend([("_pt", ENQUEUE), ("_p", context)]);
        event("DoEnqueueProgram", (from + 1600, until - 200), &stats);
    }
    events
}

fn completions(scene: &Scene<'_>, run: &Run<'_>, n: usize) -> Vec<HostEvent> {
    let ordinal = n % scene.devices_per_host;
    let mut events = Vec::new();
    for (number, step) in run.devices[n].steps.iter().enumerate() {
        let begin = step.end + 16_000;
        let mut stats = run_stats(scene, ordinal, number);
        stats.extend([("_ct", ENQUEUE), ("_c", run_context(ordinal, number))]);
        events.push(HostEvent { name: "ReadSyncFlag", time: (begin, begin + 40_000), stats: Vec::new() });
        events.push(HostEvent { name: "CompleteCallbacks", time: (begin + 41_000, begin + 65_000), stats });
        events.push(HostEvent {
            name: "tpu::System::Execute=>Done",
            time: (begin + 44_000, begin + 64_000),
            stats: Vec::new(),
        });
    }
    events
}

/// Returns the stats that name a run.
fn run_stats(scene: &Scene<'_>, ordinal: usize, step: usize) -> Vec<(&'static str, u64)> {
    vec![("run_id", scene.run_id(step)), ("queue_id", 0), ("device_ordinal", ordinal as u64), ("core_type", 0)]
}
