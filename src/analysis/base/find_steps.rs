//! This module finds the steps of a device: the events of its line of steps, or the runs of the program with the most time.

use super::device::{Clock, Step, intervals, program_of_run};
use crate::profile::{OpId, Plane, Profile, ProgramId};
use crate::small_sort::SmallSort;
use crate::units::Picos;
use indexmap::IndexMap;

/// Returns the program with the most time on module lines; of several, the one with the smallest id. `Some(None)` means
/// that the runs have no program id, and `None` that there are no runs.
pub(super) fn dominant_program(
    profile: &Profile,
    plane: &Plane,
    lines: &[usize],
    clock: Clock,
) -> Option<Option<ProgramId>> {
    let mut time: IndexMap<Option<ProgramId>, Picos> = IndexMap::default();
    for line in lines.iter().map(|i| &plane.lines[*i]) {
        for ((start, end), op) in intervals(line, clock).unwrap_or_default().into_iter().zip(line.events.ops()) {
            *time.entry(program_of_run(profile, plane, op)).or_default() += Picos(end - start);
        }
    }
    time.into_iter()
        .collect::<Vec<_>>()
        .into_iter()
        .max_by_key(|(program, t)| (*t, std::cmp::Reverse(*program)))
        .map(|(program, _)| program)
}

/// Finds the steps of a device: the events of `lines` whose op `is` one of a step, in order of their start. Their times are on
/// `clock`, and their windows on the event clock on `event`.
pub(super) fn find_steps(
    profile: &Profile,
    plane: &Plane,
    lines: &[usize],
    (clock, event): (Clock, Clock),
    is: &dyn Fn(OpId) -> bool,
) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for i in lines {
        let line = &plane.lines[*i];
        let windows = intervals(line, clock).unwrap_or_default();
        let on_event = if event == clock { None } else { intervals(line, event) };
        steps.reserve_exact(line.events.ops().filter(|op| is(*op)).count());
        for (at, (window, op)) in windows.iter().zip(line.events.ops()).enumerate() {
            if is(op) {
                steps.push(Step {
                    number: 0,
                    op: Some(op),
                    window: *window,
                    event_window: on_event.as_ref().and_then(|times| times.get(at)).copied().unwrap_or(*window),
                    has_period: false,
                    not_in_file: Picos::ZERO,
                    not_steady: None,
                    duration: Picos(window.1 - window.0),
                    n_ops: 0,
                });
            }
        }
    }
    let name = |step: &Step| step.name(profile, plane);
    let order = |a: &Step, b: &Step| a.window.cmp(&b.window).then_with(|| name(a).cmp(name(b)));
    if !steps.is_sorted_by(|a, b| order(a, b).is_le()) {
        steps.small_sort_by(order);
    }
    // Steps take the numbers at the end of the event names, if every name has one and all are distinct.
    let numbers: Option<Vec<u64>> =
        steps.iter().map(|step| name(step).rsplit([' ', '_', '#']).next()?.parse().ok()).collect();
    let numbers = numbers.filter(|numbers| are_distinct(numbers));
    for (i, step) in steps.iter_mut().enumerate() {
        step.number = numbers.as_ref().map_or(i as u64, |numbers| numbers[i]);
    }
    steps
}

/// Returns whether no two numbers are equal.
fn are_distinct(numbers: &[u64]) -> bool {
    if numbers.is_sorted_by(|a, b| a < b) {
        return true;
    }
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.is_sorted_by(|a, b| a < b)
}
