//! What comes after the last backward op of a run is the optimizer's: ops that name and path leave without a phase.
//! Knows the order of events; phases by name are found before.
//!
//! ```text
//!  run    ├ forward … backward … backward ┤├ reduce ├ copy-done ┤      no phase of their own: optimizer
//!                copy-done ↑ here too: then nothing tells
//! ```
//!
//! An op gets the phase if *all* of its executions come after. A run is a step; without steps, the whole capture.

use super::device::{Device, intervals};
use super::ops::OpFacts;
use super::phase::Phase;
use crate::keyed::Keyed;
use crate::profile::{OpId, Plane, ProgramId};

/// Gives the phase to the ops of a device.
pub fn after_backward(plane: &Plane, device: &Device, facts: &mut [OpFacts]) {
    if !facts.iter().any(|f| f.phase == Phase::Backward) || !facts.iter().any(|f| f.phase == Phase::Unknown) {
        return;
    }
    let mut events: Vec<(u64, usize, OpId)> = Vec::new();
    for line in device.ops.iter().map(|i| &plane.lines[*i]) {
        let times = intervals(line, device.step_clock).unwrap_or_default();
        let placed =
            times.iter().zip(line.events.ops()).filter_map(|((start, _), op)| Some((*start, run(device, *start)?, op)));
        events.extend(placed);
    }
    let program = |op: OpId| plane.op(op).stats.program;
    let mut last: Keyed<(usize, Option<ProgramId>), u64> = Keyed::default();
    for (start, run, op) in &events {
        if facts[op.0 as usize].phase == Phase::Backward {
            let at = last.entry((*run, program(*op)), u64::default);
            *at = (*at).max(*start);
        }
    }
    let mut after: Vec<Option<bool>> = vec![None; facts.len()];
    for (start, run, op) in &events {
        if facts[op.0 as usize].phase == Phase::Unknown {
            let is = last.get(&(*run, program(*op))).is_some_and(|at| start > at);
            let all = &mut after[op.0 as usize];
            *all = Some(all.unwrap_or(true) && is);
        }
    }
    for (facts, after) in facts.iter_mut().zip(after) {
        if after == Some(true) {
            facts.phase = Phase::Optimizer;
        }
    }
}

/// The run that an instant belongs to.
fn run(device: &Device, at: u64) -> Option<usize> {
    if device.steps.is_empty() {
        return Some(0);
    }
    let run = device.steps.partition_point(|s| s.window.0 <= at).checked_sub(1)?;
    (at < device.steps[run].window.1).then_some(run)
}
