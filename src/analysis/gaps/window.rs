//! This module finds the gaps of a device within the window of a query.

use crate::analysis::base::{Device, Interval, Merged, Step, StepChoice, intervals, self_time};
use crate::analysis::classify::{Kind, PlaneFacts};
use xla_profile::profile::{OpId, Plane, Profile};
use xla_profile::small_sort::SmallSort;

/// Least length in ps of a gap between the ops of a loop that is counted.
const LOOP_GAP: u64 = 1_000_000;

/// A gap before it is explained.
pub(super) struct RawGap {
    pub time: Interval,
    /// Start of the step in which the gap starts, or of the whole capture.
    pub window_start: u64,
    /// Number of the step in which the gap starts. `None` if the window is the whole capture.
    pub step: Option<u64>,
    /// The op that ends where the gap starts.
    pub after: Option<OpId>,
    /// The op that ends the gap.
    pub before: Option<OpId>,
    /// Start of the next op, which is at the end of the gap or, for the last gap of a window, after it.
    pub ends_before: u64,
    /// Whether the gap lies before the first or after the last op of the device.
    pub is_outside: bool,
}

impl RawGap {
    pub(super) const fn length(&self) -> u64 {
        self.time.1 - self.time.0
    }
}

/// The window of a query on the event clock.
pub(super) struct DeviceWindow {
    pub spans: Merged,
    /// Time with at least one op.
    pub busy: u64,
    /// Number and time of gaps between the ops of loops.
    pub in_loops: (u64, u64),
}

/// The ops of a device, in order of their start, and the time between the ops of loops.
struct DeviceOps {
    ops: Vec<(Interval, OpId)>,
    loops: Vec<Interval>,
    /// From the start of the first op to the end of the last one.
    whole: Interval,
}

impl DeviceOps {
    /// Reads the ops of a device. `None` if the device has no ops, or no times on the event clock.
    fn new(plane: &Plane, device: &Device, facts: &PlaneFacts, has_loops: bool) -> Option<Self> {
        let mut ops: Vec<(Interval, OpId)> = Vec::new();
        let mut loops: Vec<Interval> = Vec::new();
        for line in device.ops.iter().map(|i| &plane.lines[*i]) {
            let times = intervals(line, device.event_clock)?;
            let mut on_self_time = |event: usize, from, to| {
                if to - from >= LOOP_GAP && facts.ops[line.events.op(event).0 as usize].kind == Kind::Container {
                    loops.push((from, to));
                }
            };
            if has_loops {
                self_time(&times, &mut on_self_time);
            }
            ops.extend(times.into_iter().zip(line.events.ops()).filter(|((start, end), _)| end > start));
        }
        if !ops.is_sorted_by_key(|(time, _)| *time) {
            ops.small_sort_by_key(|(time, _)| *time);
        }
        let whole = (ops.first()?.0.0, ops.iter().map(|((_, end), _)| *end).max()?);
        Some(Self { ops, loops, whole })
    }

    /// Calls `each` with the stretches without ops, also those before the first and after the last op, each with the ops
    /// around it, and with the parts of ops that no earlier op overlaps.
    fn each(&self, gap: &mut dyn FnMut(Interval, Option<OpId>, Option<OpId>), busy: &mut dyn FnMut(Interval)) {
        let (mut now, mut last): (u64, Option<OpId>) = (0, None);
        for ((start, end), op) in &self.ops {
            if now < *start {
                gap((now, *start), last, Some(*op));
            }
            if *end > now {
                busy((now.max(*start), *end));
                (now, last) = (*end, Some(*op));
            }
        }
        if now < u64::MAX {
            gap((now, u64::MAX), last, None);
        }
    }
}

impl DeviceWindow {
    /// Calls `each` with the gaps of the window, in order of time. `has_loops` tells whether the gaps in loops are counted.
    /// Returns `None` if the device does not have the step, or has no times on the event clock.
    pub(super) fn new(
        profile: &Profile,
        device: &Device,
        facts: &PlaneFacts,
        choice: StepChoice,
        has_loops: bool,
        each: &mut dyn FnMut(RawGap),
    ) -> Option<Self> {
        let range = device.chosen_range(choice);
        let steps = device.chosen_steps(choice, range.as_ref());
        if steps.is_empty() && !device.is_whole_capture(choice) {
            return None;
        }
        let ops = DeviceOps::new(&profile.planes[device.plane], device, facts, has_loops)?;
        let whole = ops.whole;
        let of_steps = steps.iter().map(|step| step.event_window);
        let spans: Merged = of_steps.chain(steps.is_empty().then_some(whole)).collect();
        let mut window = Self { spans: spans.clone(), busy: 0, in_loops: (0, 0) };
        // The span of the window that the last op lies in, so that the next ops need no search.
        let mut cursor = spans.cursor();
        let mut gap = |(start, end): Interval, after: Option<OpId>, before: Option<OpId>| {
            for time in spans.within((start, end)) {
                let begun = steps.partition_point(|step| step.event_window.0 <= time.0);
                let step = begun.checked_sub(1).map(|last| &steps[last]);
                each(RawGap {
                    time,
                    window_start: step.map_or(whole.0, |step| step.event_window.0),
                    step: step.filter(|_| !matches!(choice, StepChoice::Range(_))).map(|step| step.number),
                    after: after.filter(|_| start == time.0),
                    before: before.filter(|_| end == time.1),
                    ends_before: end,
                    is_outside: end <= whole.0 || start >= whole.1,
                });
            }
        };
        ops.each(&mut gap, &mut |part| window.busy = window.busy.saturating_add(cursor.length_in(part)));
        for interval in ops.loops {
            let length = spans.length_in(interval);
            if length >= LOOP_GAP {
                window.in_loops = (window.in_loops.0 + 1, window.in_loops.1.saturating_add(length));
            }
        }
        Some(window)
    }

    /// Calls `each` with the gaps of several steps, which are in order of their start, as if each step were the only one: a
    /// gap ends with its step. The ops are read once for all steps.
    pub(super) fn of_steps(
        profile: &Profile,
        device: &Device,
        facts: &PlaneFacts,
        steps: &[&Step],
        each: &mut dyn FnMut(RawGap),
    ) -> Option<()> {
        let ops = DeviceOps::new(&profile.planes[device.plane], device, facts, false)?;
        let mut gap = |(start, end): Interval, after: Option<OpId>, before: Option<OpId>| {
            let first = steps.partition_point(|step| step.event_window.1 <= start);
            for step in steps[first..].iter().take_while(|step| step.event_window.0 < end) {
                let time = (start.max(step.event_window.0), end.min(step.event_window.1));
                if time.0 < time.1 {
                    each(RawGap {
                        time,
                        window_start: step.event_window.0,
                        step: Some(step.number),
                        after: after.filter(|_| start == time.0),
                        before: before.filter(|_| end == time.1),
                        ends_before: end,
                        is_outside: end <= ops.whole.0 || start >= ops.whole.1,
                    });
                }
            }
        };
        ops.each(&mut gap, &mut |_| {});
        Some(())
    }
}

/// Returns the gaps of a device within `window` and outside of `steps`, in order of time. `None` if the device has no ops, or no
/// times on the event clock.
pub(super) fn gaps_outside(
    profile: &Profile,
    device: &Device,
    facts: &PlaneFacts,
    window: Interval,
    steps: &Merged,
) -> Option<Vec<RawGap>> {
    let ops = DeviceOps::new(&profile.planes[device.plane], device, facts, false)?;
    let mut found = Vec::new();
    let mut gap = |(start, end): Interval, after: Option<OpId>, before: Option<OpId>| {
        let within = (start.max(window.0), end.min(window.1));
        if within.0 >= within.1 {
            return;
        }
        let mut now = within.0;
        let edges = steps.within(within).chain([(within.1, within.1)]);
        for (from, to) in edges {
            if from > now {
                found.push(RawGap {
                    time: (now, from),
                    window_start: window.0,
                    step: None,
                    after: after.filter(|_| start == now),
                    before: before.filter(|_| end == from),
                    ends_before: end,
                    is_outside: end <= ops.whole.0 || start >= ops.whole.1,
                });
            }
            now = now.max(to);
        }
    };
    ops.each(&mut gap, &mut |_| {});
    Some(found)
}
