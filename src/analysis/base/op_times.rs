//! Self time of each op of a device within a window, and a small store of it: another grouping or filter of the same
//! window sweeps nothing again. This module knows lines and windows; it knows no grouping.

use super::device::{Clock, Device, Step, StepBasis, intervals};
use super::query::StepChoice;
use super::self_time::{Interval, self_time};
use crate::profile::Plane;
use indexmap::IndexMap;
use std::cell::RefCell;
use std::rc::Rc;

/// What the executions of one op add up to within a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpTime {
    /// Executions that start in the window.
    pub n: u64,
    /// Self time.
    pub own: u64,
    /// Whole durations, clipped.
    pub inclusive: u64,
    /// Shortest self time of a counted execution; `u64::MAX` where there is none.
    pub min: u64,
    /// Longest.
    pub max: u64,
    /// Longest whole duration of a counted execution.
    pub longest: u64,
}

impl OpTime {
    /// Nothing yet.
    pub const NONE: Self = Self { n: 0, own: 0, inclusive: 0, min: u64::MAX, max: 0, longest: 0 };
}

/// A stretch of a device's time that is requested.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    /// "all", or the step's number.
    pub name: String,
    /// On which clock `span` is.
    pub clock: Clock,
    /// `[start, end)`.
    pub span: Interval,
    /// It is the whole capture: every execution is counted, also one of no length at the very end.
    pub whole: bool,
}

impl Device {
    /// The window of a step choice; `None` where the device has no such step.
    pub(in crate::analysis) fn choose(&self, step: StepChoice) -> Option<Window> {
        let of = |s: &Step| Window { name: s.number.to_string(), clock: self.step_clock, span: s.window, whole: false };
        match step {
            StepChoice::Number(n) => self.steps.iter().find(|s| s.number == n).map(of),
            StepChoice::Busiest if self.basis != StepBasis::None => self.busiest().map(of),
            StepChoice::Busiest | StepChoice::All => Some(self.whole_capture()),
        }
    }

    /// All of the device's time.
    pub(in crate::analysis) fn whole_capture(&self) -> Window {
        Window { name: "all".to_owned(), clock: self.op_clock, span: self.whole, whole: true }
    }
}

/// Times of a device's ops within a window.
pub struct OpTimes {
    /// By [`OpId`].
    pub ops: Vec<OpTime>,
    /// Length of the union over all op lines, clipped.
    pub union: u64,
    /// Lines whose times do not fit.
    pub lost_lines: u32,
}

/// Sweeps the op lines of a device.
pub fn op_times(plane: &Plane, device: &Device, window: &Window) -> OpTimes {
    let (whole, clock, window) = (window.whole, window.clock, window.span);
    let mut measured = OpTimes { ops: vec![OpTime::NONE; plane.ops.len()], union: 0, lost_lines: 0 };
    let mut stretches: Vec<Interval> = Vec::new();
    let several = device.ops.len() > 1;
    for i in &device.ops {
        let line = &plane.lines[*i];
        let Some(mut events) = intervals(line, clock) else {
            measured.lost_lines += 1;
            continue;
        };
        if !whole {
            // What lies wholly outside of the window owns nothing in it: as long as nothing it need not be swept.
            events.iter_mut().filter(|at| at.0 >= window.1 || at.1 <= window.0).for_each(|at| at.1 = at.0);
        }
        let mut own = vec![0u64; events.len()];
        self_time(&events, |event, from, to| {
            let (from, to) = (from.max(window.0), to.min(window.1));
            if from < to {
                own[event] += to - from;
                if several {
                    stretches.push((from, to));
                } else {
                    measured.union += to - from;
                }
            }
        });
        for ((event, own), op) in events.iter().zip(&own).zip(line.events.ops()) {
            add_execution(&mut measured.ops[op.0 as usize], *event, *own, window, whole);
        }
    }
    if several {
        measured.union = union_length(&mut stretches);
    }
    measured
}

fn add_execution(time: &mut OpTime, (start, end): Interval, own: u64, window: Interval, whole: bool) {
    let inclusive = end.min(window.1).saturating_sub(start.max(window.0));
    // Lines side by side, and times of a damaged file, add up to more than 2⁶⁴ ps: `device` says so in a note.
    time.own = time.own.saturating_add(own);
    time.inclusive = time.inclusive.saturating_add(inclusive);
    // An op of no length at the very end of the capture starts where the window ends; it has no next window.
    if whole || (window.0..window.1).contains(&start) {
        time.n += 1;
        time.min = time.min.min(own);
        time.max = time.max.max(own);
        time.longest = time.longest.max(inclusive);
    }
}

/// Length of the union of intervals.
pub fn union_length(intervals: &mut [Interval]) -> u64 {
    intervals.sort_unstable();
    let (mut sum, mut reached) = (0, 0);
    for (start, end) in intervals {
        let from = (*start).max(reached);
        // Parts of [0, 2⁶⁴) that do not overlap: no more than that.
        sum += end.saturating_sub(from);
        reached = reached.max(*end);
    }
    sum
}

/// Ops whose times are kept in each of two generations: 12 MB of them.
const KEPT_OPS: usize = 250_000;

/// What is kept of a window beside its ops, counted as so many ops.
const ENTRY_OPS: usize = 8;

/// The windows that were measured last, in two generations: a window that is requested again moves to the younger one, and
/// when that is full it takes the older one's place. So keeping, finding and forgetting take the same time however many there are.
#[derive(Default)]
pub struct OpTimeCache {
    generations: RefCell<[Generation; 2]>,
}

#[derive(Default)]
struct Generation {
    cached: IndexMap<(usize, Window), Rc<OpTimes>>,
    n_ops: usize,
}

impl OpTimeCache {
    /// The times of a device's ops within a window, from before or measured now.
    pub fn get_or_compute(&self, plane: &Plane, index: usize, device: &Device, window: &Window) -> Rc<OpTimes> {
        let [young, old] = &mut *self.generations.borrow_mut();
        let key = (index, window.clone());
        if let Some(measured) = young.cached.get(&key) {
            return Rc::clone(measured);
        }
        let measured = old.cached.get(&key).map_or_else(|| Rc::new(op_times(plane, device, window)), Rc::clone);
        young.n_ops = young.n_ops.saturating_add(measured.ops.len()).saturating_add(ENTRY_OPS);
        young.cached.entry(key).or_insert(Rc::clone(&measured));
        if young.n_ops > KEPT_OPS {
            *old = std::mem::take(young);
        }
        measured
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unions() {
        assert_eq!(union_length(&mut [(5, 9), (0, 3), (2, 6)]), 9);
        assert_eq!(union_length(&mut []), 0);
    }

    #[test]
    fn executions_are_counted_where_they_start_and_clipped() {
        let mut time = OpTime::NONE;
        for (event, own) in [((0, 15), 5), ((12, 18), 6), ((19, 30), 1), ((20, 25), 0)] {
            add_execution(&mut time, event, own, (10, 20), false);
        }
        assert_eq!(time, OpTime { n: 2, own: 12, inclusive: 5 + 6 + 1, min: 1, max: 6, longest: 6 });
    }
}
