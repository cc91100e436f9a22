//! This module derives the runs of programs from their ops, as a line of module runs like that of a TPU.
//!
//! ```text
//!  host               ├ jit_f ┤ ├ jit_f ┤          a run has the kernels that one host call launched
//!  kernels of jit_f   a b b c   a b b c   a b      without the call, a run begins when the first op of the run before repeats
//!  runs               ├─────┤   ├─────┤   ├─┤
//! ```

use super::super::event_links::{EventLink, RunId};
use super::super::model::{Line, Op, OpStats, Plane, Profile};
use super::super::{Events, StrId, Strings};
use crate::profile::ids::{OpId, ProgramId};
use crate::small_sort::SmallSort;
use std::collections::HashMap;

/// A program: its id and its name, as far as its ops have them.
type Program = (Option<ProgramId>, Option<StrId>);

/// A run: `[start, end)` in ps after the timestamp of the line, the program, and the id of the run.
type Run = (u64, u64, Program, Option<u64>);

/// An execution of an op.
#[derive(Clone, Copy)]
pub(super) struct Execution {
    /// `[start, end)` in ps after a timestamp that all executions share.
    pub(super) interval: (u64, u64),
    pub(super) op: OpId,
    pub(super) run_key: RunKey,
}

/// What is known of the run that an execution is a part of.
#[derive(Clone, Copy, Default)]
pub(super) struct RunKey {
    /// An id that all executions of the run share, and no other execution of the program.
    pub(super) run: Option<u64>,
    /// `correlation_id`: the executions that one host call launched have the same.
    pub(super) launch: Option<u32>,
}

/// Adds a line of runs that are derived from the kernels of a plane, unless the plane has such a line. `calls` are the
/// correlation ids of the launches of its host, sorted, each with the run of a program.
pub(super) fn of_kernels(profile: &mut Profile, gpu: usize, calls: &[(u32, u64)]) {
    let Profile { planes, strings, .. } = profile;
    let plane = &mut planes[gpu];
    if plane.lines.iter().any(|line| line.name == LINE && !line.events.is_empty()) {
        return;
    }
    let streams = || plane.lines.iter().filter(|line| line.is_stream() && !line.events.is_empty());
    let Some(origin_ns) = streams().map(|line| line.timestamp_ns).min() else { return };
    let mut executions = Vec::with_capacity(streams().map(|line| line.events.len()).sum());
    for line in streams() {
        let mut launches = line.correlation_ids.launches.iter().peekable();
        add(&mut executions, line, origin_ns, &mut |event| {
            let launch = launches.next_if(|(launched, _)| *launched as usize == event).map(|(_, launch)| *launch);
            let call = |launch| {
                calls.get(calls.partition_point(|(other, _)| *other < launch)).filter(|(other, _)| *other == launch)
            };
            RunKey { run: launch.and_then(call).map(|(_, run)| *run), launch }
        });
    }
    add_line(plane, origin_ns, executions, strings, false);
}

/// Adds the executions of a line to `to`. `run_key` returns what is known of the run of an event. An execution whose start
/// does not fit 64 bits is left out.
pub(super) fn add(to: &mut Vec<Execution>, line: &Line, origin_ns: i64, run_key: &mut dyn FnMut(usize) -> RunKey) {
    let base = line.timestamp_ns.checked_sub(origin_ns).and_then(|ns| u64::try_from(ns).ok()?.checked_mul(1000));
    let Some(base) = base else { return };
    let times = line.events.times().zip(line.events.ops());
    for (i, ((start, duration), op)) in times.enumerate() {
        let run_key = run_key(i);
        if let Some(start) = start.checked_add(base) {
            to.push(Execution { interval: (start, start.saturating_add(duration)), op, run_key });
        }
    }
}

const LINE: &str = "XLA Modules";

/// Adds a line of the runs that are derived from `executions`, if there are any. With `has_run_ids`, the id of a run is
/// its `run_id`.
pub(super) fn add_line(
    plane: &mut Plane,
    origin_ns: i64,
    mut executions: Vec<Execution>,
    strings: &mut Strings,
    has_run_ids: bool,
) {
    executions.sort_by_key(|e| e.interval);
    let runs = runs(plane, &executions);
    if runs.is_empty() {
        return;
    }
    let mut events = Events::default();
    let mut ops: HashMap<Program, OpId> = HashMap::default();
    let mut links = Vec::new();
    for (start, end, program, run) in runs {
        let op = *ops.entry(program).or_insert_with(|| {
            plane.ops.push(op(program, strings));
            OpId((plane.ops.len() - 1) as u32)
        });
        let link = |run| EventLink::Run(RunId { device: None, queue: None, run });
        links.extend(run.filter(|_| has_run_ids).map(|run| (events.len() as u32, link(run))));
        events.push(op, (start, end - start), None);
    }
    events.close();
    let name = LINE.to_owned();
    plane.lines.push(Line { name, timestamp_ns: origin_ns, events, links, derived: true, ..Line::default() });
}

/// Returns the op of the runs of a program, with a name like that on the line of a TPU: `jit_f(12)`.
fn op((program, module): Program, strings: &mut Strings) -> Op {
    let module = module.map_or_else(|| "program".to_owned(), |module| strings.get(module).to_owned());
    let text = program.map_or_else(|| module.clone(), |id| format!("{module}({})", id.0));
    let text = strings.intern(&text);
    Op { resolved: true, name: text, text, stats: OpStats { program, ..OpStats::default() } }
}

/// The current run of a program.
struct Open {
    /// The first op of the run and its kernel.
    first: (Option<StrId>, StrId),
    /// The launch of that op. A CUDA graph launches many kernels at once, so an op may repeat in it.
    launch: Option<u32>,
    interval: (u64, u64),
}

/// Returns the runs, sorted by start. `executions` must be sorted by start. Executions without a program are ignored.
fn runs(plane: &Plane, executions: &[Execution]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    // Runs with an id may overlap. Without an id, the next run of a program begins when the first op of the run
    // repeats.
    let mut open: HashMap<(Program, Option<u64>), Open> = HashMap::default();
    for Execution { interval, op, run_key: RunKey { run, launch } } in executions {
        let Op { stats, text, .. } = plane.op(*op);
        // `OpId`s are not compared, because one op has several if only some of its events have all stats.
        let first = (stats.hlo_op, *text);
        let program = (stats.program, stats.hlo_module);
        if program == (None, None) {
            continue;
        }
        let mut is_new = false;
        let current = open.entry((program, *run)).or_insert_with(|| {
            is_new = true;
            Open { first, launch: *launch, interval: *interval }
        });
        let is_same_launch = launch.is_some() && current.launch == *launch;
        if !is_new && run.is_none() && current.first == first && !is_same_launch {
            runs.push((current.interval.0, current.interval.1, program, None));
            (current.interval, current.launch) = (*interval, *launch);
        }
        current.interval.1 = current.interval.1.max(interval.1);
    }
    runs.extend(open.into_iter().map(|((program, run), open)| (open.interval.0, open.interval.1, program, run)));
    runs.small_sort_by_key(|run| *run);
    runs
}
