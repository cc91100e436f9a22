//! This module divides the self time of ops by step. An op has a time only in the steps in which it runs, so that the memory is
//! proportional to the executions of ops, and not to the number of ops times the number of steps.

use super::context::Context;
use crate::analysis::base::{Interval, Step, intervals, self_time};
use rustc_hash::FxHashMap;
use xla_profile::profile::OpId;

/// The self time of an op in some steps.
pub(super) struct OpInSteps {
    n_steps: usize,
    /// The steps in which the op runs, in order.
    times: Vec<InStep>,
}

/// The self time of an op in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InStep {
    /// The index of the step.
    pub step: u32,
    /// In ps.
    pub time: u64,
    /// The number of stretches of self time, which is that of executions for an op that has no other one within it.
    pub n: u32,
}

impl OpInSteps {
    /// Iterates over the steps in which the op runs, with its self time in ps. The order is that of the steps.
    pub fn times(&self) -> impl Iterator<Item = (usize, u64)> {
        self.times.iter().map(|in_step| (in_step.step as usize, in_step.time))
    }

    /// Returns the quartiles of the mean time of a stretch in each of the steps in which the op runs, in ps. A loop that runs for
    /// another number of rounds changes the time in a step, and not that of a stretch.
    pub fn quartiles_of_each(&self) -> [f64; 3] {
        #[expect(clippy::cast_precision_loss, reason = "a time of a step")]
        let mut each: Vec<f64> =
            self.times.iter().map(|in_step| in_step.time as f64 / f64::from(in_step.n.max(1))).collect();
        each.sort_unstable_by(f64::total_cmp);
        [1, 2, 3].map(|n| each.get(each.len() * n / 4).copied().unwrap_or(0.0))
    }

    /// Returns by how much the op takes longer than with the median time of a stretch, as a sum over the steps in ps.
    pub fn above_median(&self) -> u64 {
        let [_, median, _] = self.quartiles_of_each();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time of a step")]
        let usual = |n: u32| (median * f64::from(n)) as u64;
        self.times.iter().map(|in_step| in_step.time.saturating_sub(usual(in_step.n))).sum()
    }

    /// Returns the quartiles of the self time over all steps in ps. The second one is the median. 0 without steps.
    pub fn quartiles(&self) -> [u64; 3] {
        let mut sorted: Vec<u64> = self.times.iter().map(|in_step| in_step.time).collect();
        sorted.sort_unstable();
        // In the other steps, the time is 0.
        let n_zeros = self.n_steps.saturating_sub(sorted.len());
        let value_at =
            |n: usize| (self.n_steps * n / 4).checked_sub(n_zeros).and_then(|index| sorted.get(index)).copied();
        [1, 2, 3].map(|n| value_at(n).unwrap_or(0))
    }

    /// Adds the times of the same step, which several lines of ops may have.
    fn merge(&mut self) {
        if !self.times.is_sorted_by_key(|in_step| in_step.step) {
            self.times.sort_by_key(|in_step| in_step.step);
        }
        self.times.dedup_by(|next, last| {
            let is_same = next.step == last.step;
            if is_same {
                last.time = last.time.saturating_add(next.time);
                last.n = last.n.saturating_add(next.n);
            }
            is_same
        });
    }
}

/// Returns the self time of each of `ops` in `steps`.
pub(super) fn ops_in_steps(context: &Context<'_>, ops: &[usize], steps: &[&Step]) -> Vec<OpInSteps> {
    let mut found: Vec<OpInSteps> = ops.iter().map(|_| OpInSteps { n_steps: steps.len(), times: Vec::new() }).collect();
    let plane = context.plane();
    let places: FxHashMap<_, usize> =
        ops.iter().enumerate().map(|(row, index)| (context.op(*index).0.key(), row)).collect();
    let rows: Vec<Option<usize>> = plane.ops.iter().map(|op| places.get(&op.key()).copied()).collect();
    let row = |op: OpId| rows[op.0 as usize];
    for line in context.device().ops.iter().map(|index| &plane.lines[*index]) {
        let Some(events) = intervals(line, context.device().event_clock) else { continue };
        self_time(&events, |event, from, to| {
            let Some(row) = row(line.events.op(event)) else { return };
            let times = &mut found[row].times;
            let first = steps.partition_point(|step| step.event_window.1 <= from);
            for (number, step) in (first as u32..).zip(&steps[first..]) {
                let (start, end): Interval = step.event_window;
                if start >= to {
                    break;
                }
                let time = to.min(end) - from.max(start);
                match times.last_mut() {
                    Some(last) if last.step == number => {
                        (last.time, last.n) = (last.time.saturating_add(time), last.n.saturating_add(1));
                    }
                    _ => times.push(InStep { step: number, time, n: 1 }),
                }
            }
        });
    }
    found.iter_mut().for_each(OpInSteps::merge);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn quartiles_are_those_of_all_steps(times in prop::collection::vec(prop::option::of(1_u64..9), 0..40)) {
            let running = (0..).zip(&times).filter_map(|(step, time)| Some(InStep { step, time: (*time)?, n: 1 })).collect();
            let op = OpInSteps { n_steps: times.len(), times: running };
            let mut all: Vec<u64> = times.iter().map(|time| time.unwrap_or(0)).collect();
            all.sort_unstable();
            let of_all = [1, 2, 3].map(|n| all.get(all.len() * n / 4).copied().unwrap_or(0));
            prop_assert_eq!(op.quartiles(), of_all);
        }
    }

    #[test]
    fn the_times_of_several_lines_are_added() {
        let in_step = |(step, time, n)| InStep { step, time, n };
        let mut op =
            OpInSteps { n_steps: 4, times: [(0, 1, 1), (2, 5, 1), (0, 7, 1), (3, 1, 1)].map(in_step).to_vec() };
        op.merge();
        assert_eq!(op.times, [(0, 8, 2), (2, 5, 1), (3, 1, 1)].map(in_step));
    }

    #[test]
    fn rounds_of_a_loop_are_no_variation() {
        let in_step = |(step, time, n)| InStep { step, time, n };
        let rounds = OpInSteps { n_steps: 4, times: [(0, 40, 4), (1, 120, 12), (3, 250, 25)].map(in_step).to_vec() };
        assert_eq!((rounds.quartiles_of_each(), rounds.above_median()), ([10.0; 3], 0));
        let slower = OpInSteps { n_steps: 4, times: [(0, 40, 4), (1, 40, 4), (3, 80, 4)].map(in_step).to_vec() };
        assert_eq!((slower.quartiles_of_each(), slower.above_median()), ([10.0, 10.0, 20.0], 40));
    }
}
