//! This module assigns the optimizer phase to ops that have no phase by name or path, and that run after the last
//! backward op of their run. `classify::phase` finds the phases by name and path first.
//!
//! ```text
//!  run    ├ forward … backward … backward ┤├ reduce ├ copy-done ┤      ops without a phase: optimizer
//!                copy-done ↑ runs here too: it keeps no phase
//! ```
//!
//! An op gets the phase only if *all* of its executions start after the last backward op of their run. A run is the
//! part of a program that lies in one step; without steps, the whole capture is one run. Executions outside of all
//! steps are ignored. Ops that still have no phase, in a program with forward or backward ops, become
//! [`UnknownInTraining`](Phase::UnknownInTraining), which is not inference.

use super::device::{Device, intervals_in};
use crate::analysis::classify::{Certainty, Kind, ModelModule, ModuleLabel, OpFacts, Phase};
use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use xla_profile::intervals::Interval;
use xla_profile::profile::{OpId, Plane, ProgramId};

/// Sets the phase of the ops whose phase is [`Phase::Unknown`]. `facts` holds the facts of the ops of `plane`, by op
/// id. `buffer` is memory for the events of a line.
pub fn after_backward(plane: &Plane, device: &Device, facts: &mut [OpFacts], buffer: &mut Vec<Interval>) {
    optimizer(plane, device, facts, buffer);
    let mut trains = FxHashSet::default();
    let known =
        facts.iter().zip(&plane.ops).filter(|(facts, _)| matches!(facts.phase, Phase::Forward | Phase::Backward));
    trains.extend(known.map(|(_, op)| op.stats.program));
    for (facts, op) in facts.iter_mut().zip(&plane.ops) {
        if facts.phase == Phase::Unknown && trains.contains(&op.stats.program) {
            facts.phase = Phase::UnknownInTraining;
        }
    }
}

/// Gives the optimizer the ops without a module that have its phase, and names the collectives among the ops that only
/// the optimizer reads: they sum gradients outside of any module.
pub fn modules_after_backward(facts: &mut [OpFacts]) {
    let optimizer = ModuleLabel::new(ModelModule::Optimizer, Certainty::Guess);
    for facts in facts.iter_mut().filter(|facts| facts.kind != Kind::Container) {
        if !facts.module.is_known() && facts.phase == Phase::Optimizer {
            facts.module = optimizer;
        }
        if facts.module == optimizer && facts.kind == Kind::Communication {
            facts.module.module = ModelModule::GradientSync;
        }
    }
}

fn optimizer(plane: &Plane, device: &Device, facts: &mut [OpFacts], buffer: &mut Vec<Interval>) {
    if !facts.iter().any(|f| f.phase == Phase::Backward) || !facts.iter().any(|f| f.phase == Phase::Unknown) {
        return;
    }
    let mut last: IndexMap<Run, u64> = IndexMap::default();
    // Events of one run are mostly adjacent, so `latest` collects the last backward start of a run, and the map is
    // written only when the run changes.
    let mut latest: Option<(Run, u64)> = None;
    starts_in_runs((plane, device, facts), Phase::Backward, buffer, |run, start, _| {
        if let Some((_, most)) = latest.as_mut().filter(|(known, _)| *known == run) {
            *most = start.max(*most);
        } else {
            record_latest(&mut last, latest.replace((run, start)));
        }
    });
    record_latest(&mut last, latest);
    let mut after: Vec<Option<bool>> = vec![None; facts.len()];
    let mut known: Option<(Run, Option<u64>)> = None;
    starts_in_runs((plane, device, facts), Phase::Unknown, buffer, |open_run, start, op| {
        let latest = match known {
            Some((run, latest)) if run == open_run => latest,
            _ => known.insert((open_run, last.get(&open_run).copied())).1,
        };
        let all = &mut after[op.0 as usize];
        *all = Some(all.unwrap_or(true) && latest.is_some_and(|latest| start > latest));
    });
    for (facts, after) in facts.iter_mut().zip(after) {
        if after == Some(true) {
            facts.phase = Phase::Optimizer;
        }
    }
}

/// Calls `each` with the run, the start in ps, and the op of each execution in a run whose op has this phase.
fn starts_in_runs(
    (plane, device, facts): (&Plane, &Device, &[OpFacts]),
    phase: Phase,
    buffer: &mut Vec<Interval>,
    mut each: impl FnMut(Run, u64, OpId),
) {
    for line in device.ops.iter().map(|i| &plane.lines[*i]) {
        let mut run = None;
        let times = intervals_in(buffer, line, device.step_clock).unwrap_or_default();
        for ((start, _), op) in times.iter().zip(line.events.ops()) {
            if facts[op.0 as usize].phase == phase {
                run = run_at(device, *start, run);
                run.into_iter().for_each(|run| each((run, plane.op(op).stats.program), *start, op));
            }
        }
    }
}

/// A run: the index of its step, and its program.
type Run = (usize, Option<ProgramId>);

/// Raises the start of the last backward op of a run in `last`.
fn record_latest(last: &mut IndexMap<Run, u64>, latest: Option<(Run, u64)>) {
    if let Some((run, start)) = latest {
        let latest_start = last.entry(run).or_default();
        *latest_start = start.max(*latest_start);
    }
}

/// Returns the index of the step that contains the instant `time`, in ps on the step clock; 0 in a capture without steps,
/// and `None` between steps. `before` is the index for the previous instant, and is tried first.
fn run_at(device: &Device, time: u64, before: Option<usize>) -> Option<usize> {
    if device.steps.is_empty() {
        return Some(0);
    }
    let is_next = |run: &usize| device.steps.get(run + 1).is_none_or(|next| time < next.window.0);
    if let Some(run) = before.filter(|run| is_next(run) && device.steps[*run].window.0 <= time) {
        return (time < device.steps[run].window.1).then_some(run);
    }
    let run = device.steps.partition_point(|s| s.window.0 <= time).checked_sub(1)?;
    (time < device.steps[run].window.1).then_some(run)
}
