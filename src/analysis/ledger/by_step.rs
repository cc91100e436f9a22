//! This module divides the time of the ops of a device by step, for statistics over steps.

use super::line_sweep::{op_lines, owned_times};
use crate::analysis::base::{Analysis, Interval, Merged, StepChoice};
use indexmap::IndexMap;
use xla_profile::profile::{OpId, OpKey, Plane, Profile};

/// The time of each op of a device in each step.
pub struct OpSteps {
    /// The steps on the event clock, in order of their start. One interval if the window is not one of steps.
    pub steps: Vec<Interval>,
    pub ops: IndexMap<OpKey, StepTimes>,
}

/// The time of the ops of one name in each step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepTimes {
    /// Start of the first execution in the steps, in ps on the event clock of the device.
    pub first_start: u64,
    /// The steps in which the op owns the device, by their indices in [`OpSteps::steps`], each with this time in ps. In the
    /// order of the steps. Most ops of a capture with many programs run in few of the steps, so the others are not listed.
    pub times: Vec<(u32, u64)>,
}

impl StepTimes {
    /// Adds time in a step. Times usually come in the order of the steps.
    fn add(&mut self, step: u32, time: u64) {
        let after = match self.times.last() {
            Some((last, _)) if *last >= step => self.times.partition_point(|(other, _)| *other < step),
            _ => self.times.len(),
        };
        match self.times.get_mut(after) {
            Some((other, sum)) if *other == step => *sum += time,
            _ => self.times.insert(after, (step, time)),
        }
    }
}

impl OpSteps {
    /// Returns the times of the ops that have the name of an op of the device's plane. `None` if they do not run in the steps.
    pub fn times(&self, plane: &Plane, op: OpId) -> Option<&StepTimes> {
        self.ops.get(&plane.op(op).key())
    }

    /// Returns the start of the first execution of the ops that have the name of an op, in ps; the greatest number if they do not
    /// run in the steps.
    pub fn first_start(&self, plane: &Plane, op: OpId) -> u64 {
        self.times(plane, op).map_or(u64::MAX, |times| times.first_start)
    }
}

impl Analysis {
    /// Divides the times of the ops of a device by step, as the ledger of the same step counts them. `None` if the device does
    /// not have the step, or if it has no times on the event clock.
    pub fn op_steps(&self, profile: &Profile, device: usize, step: StepChoice) -> Option<OpSteps> {
        let info = self.devices.get(device)?;
        let plane = &profile.planes[info.plane];
        let facts = &self.facts[device].ops;
        let lines = op_lines(plane, info)?;
        let range = info.chosen_range(step);
        let chosen = info.chosen_steps(step, range.as_ref());
        let mut steps: Vec<Interval> = chosen.iter().map(|step| step.event_window).collect();
        if steps.is_empty() {
            if !info.is_whole_capture(step) {
                return None;
            }
            let times = || lines.iter().flat_map(|line| &line.times);
            steps.push((times().map(|(start, _)| *start).min()?, times().map(|(_, end)| *end).max()?));
        }
        let spans: Merged = steps.iter().copied().collect();
        let mut ops: IndexMap<OpKey, StepTimes> = IndexMap::default();
        owned_times(
            &lines,
            &spans,
            |op| facts[op.0 as usize].kind,
            |op, (from, to): Interval| {
                let entry =
                    ops.entry(plane.op(op).key()).or_insert_with(|| StepTimes { first_start: from, times: Vec::new() });
                entry.first_start = entry.first_start.min(from);
                let first = steps.partition_point(|step| step.1 <= from);
                for (number, step) in (first as u32..).zip(&steps[first..]).take_while(|(_, step)| step.0 < to) {
                    entry.add(number, to.min(step.1) - from.max(step.0));
                }
            },
        );
        Some(OpSteps { steps, ops })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_steps_are_in_the_order_of_the_steps() {
        let mut times = StepTimes::default();
        // Steps that overlap are added again after later ones.
        for (step, time) in [(2, 5), (2, 1), (7, 3), (4, 9), (2, 1), (7, 2), (1, 8)] {
            times.add(step, time);
        }
        assert_eq!(times.times, [(1, 8), (2, 7), (4, 9), (7, 5)]);
    }
}
