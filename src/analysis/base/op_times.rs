//! This module computes the self time of each op of a device within a window, and caches the results, so that another
//! grouping or filter of the same window needs no second sweep. The module does not depend on groupings.

use super::device::{Clock, Device, Step, StepBasis, intervals_in};
use super::query::StepChoice;
use super::scale::Scale;
use indexmap::IndexMap;
use std::cell::RefCell;
use std::rc::Rc;
use xla_profile::intervals::{ALL, Cursor, Interval, Merged, self_time};
use xla_profile::parallel;
use xla_profile::profile::Plane;
use xla_profile::units::Count;

/// The sums over the executions of one op within a window. Times are in ps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpTime {
    /// Number of executions that start in the window.
    pub n: Count,
    /// Self time within the window.
    pub self_time: u64,
    /// Inclusive time within the window.
    pub inclusive: u64,
    /// Shortest self time of an execution that starts in the window; `u64::MAX` if there is none.
    pub min: u64,
    /// Longest self time of an execution that starts in the window; 0 if there is none.
    pub max: u64,
    /// Longest inclusive time of an execution that starts in the window; 0 if there is none.
    pub longest: u64,
}

impl OpTime {
    /// The times of an op without executions.
    pub const NONE: Self = Self { n: Count::ZERO, self_time: 0, inclusive: 0, min: u64::MAX, max: 0, longest: 0 };
}

/// The interval of a device's time that a query selects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    /// "all", "mean", the number of the step, or the range.
    pub name: String,
    /// The clock of `spans`.
    pub clock: Clock,
    /// The time that belongs to the window, in ps: one interval, or several if it is a mean and some steps between
    /// steady ones are not steady.
    pub spans: Merged,
    /// Number of steps in the window; 1 for the whole capture.
    pub n_steps: u32,
    /// Whether the window is the whole capture. Then every execution counts, even one without duration at the very end.
    pub whole: bool,
}

impl Device {
    /// Returns the window of a step choice; `None` if the device has no such step.
    pub(in crate::analysis) fn choose(&self, step: StepChoice) -> Option<Window> {
        if self.is_whole_capture(step) {
            return Some(self.whole_capture());
        }
        let range = self.chosen_range(step);
        let steps = self.chosen_steps(step, range.as_ref());
        let (name, clock) = match step {
            StepChoice::Range(range) => (range.to_string(), self.event_clock),
            StepChoice::Mean | StepChoice::Kind(_) => (step.to_string(), self.step_clock),
            _ => (steps.first()?.number.to_string(), self.step_clock),
        };
        let spans: Merged = steps.iter().map(|step| step.window).collect();
        let n_steps = steps.len() as u32;
        (n_steps > 0).then_some(Window { name, clock, spans, n_steps, whole: false })
    }

    /// Returns the range of a choice as a step, whose windows are on the event clock. `None` if the choice is no range.
    pub(in crate::analysis) fn chosen_range(&self, step: StepChoice) -> Option<Step> {
        let StepChoice::Range(range) = step else { return None };
        Some(self.range_as_step(range))
    }

    /// Returns the steps of a choice, in order of their start. Empty if the choice is the whole capture, or if the
    /// device has no such step. `range` is the [`Device::chosen_range`] of the choice.
    pub(in crate::analysis) fn chosen_steps<'a>(&'a self, step: StepChoice, range: Option<&'a Step>) -> Vec<&'a Step> {
        match step {
            StepChoice::Number(n) => self.steps.iter().find(|s| s.number == n).into_iter().collect(),
            StepChoice::Busiest => self.busiest().into_iter().collect(),
            StepChoice::Mean | StepChoice::Kind(_) => self.steady_steps_of(step).collect(),
            StepChoice::All => Vec::new(),
            StepChoice::Range(_) => range.into_iter().collect(),
        }
    }

    /// Returns whether a choice is the whole capture of this device.
    pub(in crate::analysis) fn is_whole_capture(&self, step: StepChoice) -> bool {
        match step {
            StepChoice::Number(_) | StepChoice::Mean | StepChoice::Kind(_) | StepChoice::Range(_) => false,
            StepChoice::Busiest => self.basis == StepBasis::None,
            StepChoice::All => true,
        }
    }

    /// Returns the window from the first op's start to the last op's end.
    pub(in crate::analysis) fn whole_capture(&self) -> Window {
        let spans = Merged::new(vec![self.whole]);
        Window { name: "all".to_owned(), clock: self.op_clock, spans, n_steps: 1, whole: true }
    }
}

/// The times of the ops of a device within a window.
pub struct OpTimes {
    pub ops: Vec<OpTime>,
    /// Time in ps during which at least one op runs on any op line, within the window.
    pub union: u64,
    /// Number of op lines that are left out, because their times are outside of the range of the clock.
    pub lost_lines: u32,
}

impl OpTimes {
    /// Returns the times of a mean. The shortest and the longest execution stay what they are.
    fn scaled(&self, scale: Scale) -> Self {
        let scaled = |time: &OpTime| OpTime {
            n: scale.count(time.n),
            self_time: scale.amount(time.self_time),
            inclusive: scale.amount(time.inclusive),
            ..*time
        };
        let ops: Vec<OpTime> = self.ops.iter().map(scaled).collect();
        let busy = |ops: &[OpTime]| ops.iter().fold(0_u64, |sum, time| sum.saturating_add(time.self_time));
        // On one line, the time with an op is the sum of all self times, and stays it after rounding.
        let union = if self.union == busy(&self.ops) { busy(&ops) } else { scale.amount(self.union) };
        Self { ops, union, lost_lines: self.lost_lines }
    }
}

/// Computes the times of all ops of a device within a window, in one sweep of each op line.
pub fn op_times(plane: &Plane, device: &Device, window: &Window) -> OpTimes {
    op_times_in(&mut EventBuffers::default(), plane, device, window)
}

/// The events of a line and the self time of each. The memory is used again for the next line.
#[derive(Default)]
struct EventBuffers {
    events: Vec<Interval>,
    self_times: Vec<u64>,
}

/// Does the work of [`op_times`].
fn op_times_in(buffers: &mut EventBuffers, plane: &Plane, device: &Device, window: &Window) -> OpTimes {
    let EventBuffers { events, self_times } = buffers;
    let (whole, clock, spans) = (window.whole, window.clock, &window.spans);
    let hull = spans.hull();
    let mut measured = OpTimes { ops: vec![OpTime::NONE; plane.ops.len()], union: 0, lost_lines: 0 };
    let mut stretches: Vec<Interval> = Vec::new();
    let several = device.ops.len() > 1;
    for i in &device.ops {
        let line = &plane.lines[*i];
        let Some(events) = intervals_in(events, line, clock) else {
            measured.lost_lines += 1;
            continue;
        };
        if !whole {
            // An event outside of the window has no time in it. With length 0, the sweep skips the event.
            events
                .iter_mut()
                .filter(|interval| interval.0 >= hull.1 || interval.1 <= hull.0)
                .for_each(|interval| interval.1 = interval.0);
        }
        self_times.clear();
        self_times.resize(events.len(), 0);
        let mut cursor = spans.cursor();
        self_time(events, |event, from, to| {
            let length = cursor.length_in((from, to));
            self_times[event] += length;
            if several {
                stretches.extend(spans.within((from, to)));
            } else {
                measured.union += length;
            }
        });
        for ((event, self_time), op) in events.iter().zip(&*self_times).zip(line.events.ops()) {
            add_execution(&mut measured.ops[op.0 as usize], *event, *self_time, &mut cursor, whole);
        }
    }
    if several {
        measured.union = union_length(&mut stretches);
    }
    measured
}

fn add_execution(time: &mut OpTime, (start, end): Interval, self_time: u64, spans: &mut Cursor<'_>, whole: bool) {
    let inclusive = spans.length_in((start, end));
    // Sums over parallel lines, and over times of a damaged file, can exceed 2⁶⁴ ps. A note of `find_devices` reports
    // this.
    time.self_time = time.self_time.saturating_add(self_time);
    time.inclusive = time.inclusive.saturating_add(inclusive);
    // An execution without duration at the very end of the capture starts where the window ends, and no later window
    // would count it.
    if whole || spans.contains(start) {
        time.n += Count::ONE;
        time.min = time.min.min(self_time);
        time.max = time.max.max(self_time);
        time.longest = time.longest.max(inclusive);
    }
}

/// Returns the length of the union of intervals. Sorts the intervals.
pub fn union_length(intervals: &mut [Interval]) -> u64 {
    intervals.sort_unstable();
    let (mut sum, mut reached) = (0, 0);
    for (start, end) in intervals {
        let from = (*start).max(reached);
        // The parts do not overlap and lie within [0, 2⁶⁴), so their sum fits.
        sum += end.saturating_sub(from);
        reached = reached.max(*end);
    }
    sum
}

/// Returns the times of a mean: those of the windows times `scale`.
pub fn mean_times(measured: Rc<OpTimes>, scale: Scale) -> Rc<OpTimes> {
    if scale == Scale::ONE { measured } else { Rc::new(measured.scaled(scale)) }
}

/// The number of ops whose times each of the two generations of the cache holds: 12 MB per generation.
const KEPT_OPS: usize = 250_000;

/// The size of a cache entry apart from its ops, in ops.
const ENTRY_OPS: usize = 8;

/// A cache of the windows that were measured last, in two generations. A window that is requested again moves to the
/// younger generation. A younger generation that is full replaces the older one. The time of a look-up therefore does
/// not depend on the number of entries.
#[derive(Default)]
pub struct OpTimeCache {
    generations: RefCell<[Generation; 2]>,
}

/// A window in which the ops of a device are measured.
pub struct OpTimesRequest<'a> {
    pub plane: &'a Plane,
    /// Index of the device in the session.
    pub index: usize,
    pub device: &'a Device,
    pub window: &'a Window,
}

#[derive(Default)]
struct Generation {
    cached: IndexMap<(usize, Window), Rc<OpTimes>>,
    n_ops: usize,
}

impl OpTimeCache {
    /// Returns the times of the ops of several devices, as [`OpTimeCache::get_or_compute`] does. Those that are not cached
    /// are computed on all cores.
    pub fn get_or_compute_all(&self, wanted: &[OpTimesRequest<'_>]) -> Vec<Rc<OpTimes>> {
        let missing: Vec<&OpTimesRequest<'_>> = wanted.iter().filter(|request| !self.is_cached(request)).collect();
        let computed = parallel::map_with(&missing, EventBuffers::default, |buffers, request| {
            op_times_in(buffers, request.plane, request.device, request.window)
        });
        let mut computed: IndexMap<usize, OpTimes> =
            missing.iter().map(|request| request.index).zip(computed).collect();
        let times = |request: &OpTimesRequest<'_>| {
            let computed = computed.swap_remove(&request.index);
            self.cache(request.index, request.window, || {
                computed.unwrap_or_else(|| op_times(request.plane, request.device, request.window))
            })
        };
        wanted.iter().map(times).collect()
    }

    fn is_cached(&self, request: &OpTimesRequest<'_>) -> bool {
        let key = (request.index, request.window.clone());
        self.generations.borrow().iter().any(|generation| generation.cached.contains_key(&key))
    }

    /// Returns the times of a device's ops within a window, from the cache or newly computed. `index` is the index of
    /// the device in the session.
    pub fn get_or_compute(&self, plane: &Plane, index: usize, device: &Device, window: &Window) -> Rc<OpTimes> {
        self.cache(index, window, || op_times(plane, device, window))
    }

    fn cache(&self, index: usize, window: &Window, compute: impl FnOnce() -> OpTimes) -> Rc<OpTimes> {
        let [young, old] = &mut *self.generations.borrow_mut();
        let key = (index, window.clone());
        if let Some(measured) = young.cached.get(&key) {
            return Rc::clone(measured);
        }
        let measured = old.cached.get(&key).map_or_else(|| Rc::new(compute()), Rc::clone);
        young.n_ops = young.n_ops.saturating_add(measured.ops.len()).saturating_add(ENTRY_OPS);
        young.cached.entry(key).or_insert(Rc::clone(&measured));
        if young.n_ops > KEPT_OPS {
            *old = std::mem::take(young);
        }
        measured
    }
}

impl Step {
    /// The window of the step on `clock`.
    pub(in crate::analysis) fn window_on(&self, clock: Clock, device: &Device) -> Interval {
        if clock == device.step_clock { self.window } else { self.event_window }
    }
}

impl Device {
    /// Returns the window of `choice` on `clock`, in ps, and whether it is the whole capture. `None` if the device does not
    /// have the step.
    pub(in crate::analysis) fn window_on(&self, choice: StepChoice, clock: Clock) -> Option<(Merged, bool)> {
        if self.is_whole_capture(choice) {
            return Some((Merged::new(vec![ALL]), true));
        }
        let range = self.chosen_range(choice);
        let steps = self.chosen_steps(choice, range.as_ref());
        let window = steps.iter().map(|step| step.window_on(clock, self)).collect();
        (!steps.is_empty()).then_some((window, false))
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
        for (event, self_time) in [((0, 15), 5), ((12, 18), 6), ((19, 30), 1), ((20, 25), 0)] {
            add_execution(&mut time, event, self_time, &mut Merged::new(vec![(10, 20)]).cursor(), false);
        }
        assert_eq!(time, OpTime { n: 2.into(), self_time: 12, inclusive: 5 + 6 + 1, min: 1, max: 6, longest: 6 });
    }
}
