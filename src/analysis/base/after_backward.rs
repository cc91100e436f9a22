//! What comes after the last backward op of a run is the optimizer's: ops that name and path leave without a phase.
//! Knows the order of events; phases by name are found before.
//!
//! ```text
//!  run    ├ forward … backward … backward ┤├ reduce ├ copy-done ┤      no phase of their own: optimizer
//!                copy-done ↑ here too: then nothing tells
//! ```
//!
//! An op gets the phase if *all* of its executions come after. A run is a step; without steps, the whole capture. What is left without
//! a phase in a program that trains is [unknown](Phase::UnknownInTraining), not inference.

use super::device::{Device, intervals};
use crate::analysis::classify::{OpFacts, Phase};
use crate::profile::{OpId, Plane, ProgramId};
use indexmap::IndexMap;
use rustc_hash::FxHashSet;

/// Gives phases to those ops of a device that have none of their own.
pub fn after_backward(plane: &Plane, device: &Device, facts: &mut [OpFacts]) {
    optimizer(plane, device, facts);
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

fn optimizer(plane: &Plane, device: &Device, facts: &mut [OpFacts]) {
    if !facts.iter().any(|f| f.phase == Phase::Backward) || !facts.iter().any(|f| f.phase == Phase::Unknown) {
        return;
    }
    let mut last: IndexMap<Run, u64> = IndexMap::default();
    let mut unknown: Vec<(u64, Run, OpId)> = Vec::new();
    for line in device.ops.iter().map(|i| &plane.lines[*i]) {
        let times = intervals(line, device.step_clock).unwrap_or_default();
        // One run after the other, so each is looked up but once.
        let (mut run, mut latest) = (None, None);
        for ((start, _), op) in times.into_iter().zip(line.events.ops()) {
            let phase = facts[op.0 as usize].phase;
            if !matches!(phase, Phase::Backward | Phase::Unknown) {
                continue;
            }
            run = run_at(device, start, run);
            let Some(of) = run.map(|run| (run, plane.op(op).stats.program)) else { continue };
            if phase == Phase::Unknown {
                unknown.push((start, of, op));
            } else if let Some((_, most)) = latest.as_mut().filter(|(known, _)| *known == of) {
                *most = start.max(*most);
            } else {
                record_latest(&mut last, latest.replace((of, start)));
            }
        }
        record_latest(&mut last, latest);
    }
    let mut after: Vec<Option<bool>> = vec![None; facts.len()];
    let mut known: Option<(Run, Option<u64>)> = None;
    for (start, of, op) in unknown {
        let latest = match known {
            Some((run, latest)) if run == of => latest,
            _ => known.insert((of, last.get(&of).copied())).1,
        };
        let all = &mut after[op.0 as usize];
        *all = Some(all.unwrap_or(true) && latest.is_some_and(|latest| start > latest));
    }
    for (facts, after) in facts.iter_mut().zip(after) {
        if after == Some(true) {
            facts.phase = Phase::Optimizer;
        }
    }
}

/// A run of a program: which one, and of which program.
type Run = (usize, Option<ProgramId>);

/// Keeps the start of a run's last backward op so far.
fn record_latest(last: &mut IndexMap<Run, u64>, latest: Option<(Run, u64)>) {
    if let Some((of, start)) = latest {
        let at = last.entry(of).or_default();
        *at = start.max(*at);
    }
}

/// The run that an instant belongs to; most likely that of the instant before it.
fn run_at(device: &Device, at: u64, before: Option<usize>) -> Option<usize> {
    if device.steps.is_empty() {
        return Some(0);
    }
    let is_next = |run: &usize| device.steps.get(run + 1).is_none_or(|next| at < next.window.0);
    if let Some(run) = before.filter(|run| is_next(run) && device.steps[*run].window.0 <= at) {
        return (at < device.steps[run].window.1).then_some(run);
    }
    let run = device.steps.partition_point(|s| s.window.0 <= at).checked_sub(1)?;
    (at < device.steps[run].window.1).then_some(run)
}
