//! This module divides the self time of ops by step. An op has a time only in the steps in which it runs, so that the memory is
//! proportional to the executions of ops, and not to the number of ops times the number of steps.

use super::context::Context;
use crate::analysis::base::{Interval, Step, intervals, self_time};
use crate::profile::OpId;
use rustc_hash::FxHashMap;

/// The self time of an op in some steps.
pub(super) struct OpInSteps {
    n_steps: usize,
    /// The indices of the steps in which the op runs, in order, with its self time in ps.
    times: Vec<(u32, u64)>,
}

impl OpInSteps {
    /// Iterates over the steps in which the op runs, with its self time in ps. The order is that of the steps.
    pub fn times(&self) -> impl Iterator<Item = (usize, u64)> {
        self.times.iter().map(|(step, time)| (*step as usize, *time))
    }

    /// Returns the quartiles of the self time over all steps in ps. The second one is the median. 0 without steps.
    pub fn quartiles(&self) -> [u64; 3] {
        let mut sorted: Vec<u64> = self.times.iter().map(|(_, time)| *time).collect();
        sorted.sort_unstable();
        // In the other steps, the time is 0.
        let n_zeros = self.n_steps.saturating_sub(sorted.len());
        let at = |n: usize| (self.n_steps * n / 4).checked_sub(n_zeros).and_then(|at| sorted.get(at)).copied();
        [1, 2, 3].map(|n| at(n).unwrap_or(0))
    }

    /// Adds the times of the same step, which several lines of ops may have.
    fn merge(&mut self) {
        if !self.times.is_sorted_by_key(|(step, _)| *step) {
            self.times.sort_by_key(|(step, _)| *step);
        }
        self.times.dedup_by(|next, last| {
            let is_same = next.0 == last.0;
            if is_same {
                last.1 = last.1.saturating_add(next.1);
            }
            is_same
        });
    }
}

/// Returns the self time of each of `ops` in `steps`.
pub(super) fn ops_in_steps(context: &Context<'_>, ops: &[usize], steps: &[&Step]) -> Vec<OpInSteps> {
    let mut found: Vec<OpInSteps> = ops.iter().map(|_| OpInSteps { n_steps: steps.len(), times: Vec::new() }).collect();
    let plane = context.plane();
    let places: FxHashMap<_, usize> = ops.iter().enumerate().map(|(row, at)| (context.op(*at).0.key(), row)).collect();
    let rows: Vec<Option<usize>> = plane.ops.iter().map(|op| places.get(&op.key()).copied()).collect();
    let row = |op: OpId| rows[op.0 as usize];
    for line in context.device().ops.iter().map(|at| &plane.lines[*at]) {
        let Some(events) = intervals(line, context.device().event_clock) else { continue };
        self_time(&events, |event, from, to| {
            let Some(row) = row(line.events.op(event)) else { return };
            let times = &mut found[row].times;
            let first = steps.partition_point(|step| step.event_window.1 <= from);
            for (at, step) in (first as u32..).zip(&steps[first..]) {
                let (start, end): Interval = step.event_window;
                if start >= to {
                    break;
                }
                let time = to.min(end) - from.max(start);
                match times.last_mut() {
                    Some((last, sum)) if *last == at => *sum = sum.saturating_add(time),
                    _ => times.push((at, time)),
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
            let running = (0..).zip(&times).filter_map(|(step, time)| Some((step, (*time)?))).collect();
            let op = OpInSteps { n_steps: times.len(), times: running };
            let mut all: Vec<u64> = times.iter().map(|time| time.unwrap_or(0)).collect();
            all.sort_unstable();
            let of_all = [1, 2, 3].map(|n| all.get(all.len() * n / 4).copied().unwrap_or(0));
            prop_assert_eq!(op.quartiles(), of_all);
        }
    }

    #[test]
    fn the_times_of_several_lines_are_added() {
        let mut op = OpInSteps { n_steps: 4, times: vec![(0, 1), (2, 5), (0, 7), (3, 1)] };
        op.merge();
        assert_eq!(op.times, [(0, 8), (2, 5), (3, 1)]);
    }
}
