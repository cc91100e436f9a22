//! This module finds the gaps of a device within the window of a query.

use crate::analysis::base::{Device, Interval, Merged, StepChoice, intervals, self_time};
use crate::analysis::classify::{Kind, PlaneFacts};
use crate::profile::{OpId, Profile};
use crate::small_sort::SmallSort;

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

impl DeviceWindow {
    /// Calls `each` with the gaps of the window, in order of time. `has_loops` tells whether the gaps in loops are counted. Returns `None` if the device does not have the step,
    /// or has no times on the event clock.
    pub(super) fn new(
        profile: &Profile,
        device: &Device,
        facts: &PlaneFacts,
        choice: StepChoice,
        has_loops: bool,
        each: &mut dyn FnMut(RawGap),
    ) -> Option<Self> {
        let plane = &profile.planes[device.plane];
        let range = device.chosen_range(choice);
        let steps = device.chosen_steps(choice, range.as_ref());
        if steps.is_empty() && !device.is_whole_capture(choice) {
            return None;
        }
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
        let of_steps = steps.iter().map(|step| step.event_window);
        let spans: Merged = of_steps.chain(steps.is_empty().then_some(whole)).collect();
        let mut window = Self { spans: spans.clone(), busy: 0, in_loops: (0, 0) };
        // The span of the window that the last op lies in, so that the next ops need no search.
        let mut cursor = spans.cursor();
        // Calls `each` with the parts of a stretch without ops that lie in the window.
        let mut gap = |(start, end): Interval, after: Option<OpId>, before: Option<OpId>| {
            if start >= end {
                return;
            }
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
        let (mut now, mut last): (u64, Option<OpId>) = (0, None);
        for ((start, end), op) in ops {
            gap((now, start), last, Some(op));
            if end > now {
                window.busy = window.busy.saturating_add(cursor.length_in((now.max(start), end)));
                (now, last) = (end, Some(op));
            }
        }
        gap((now, u64::MAX), last, None);
        for at in loops {
            let length = spans.length_in(at);
            if length >= LOOP_GAP {
                window.in_loops = (window.in_loops.0 + 1, window.in_loops.1.saturating_add(length));
            }
        }
        Some(window)
    }
}
