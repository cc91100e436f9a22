//! This module finds the steps of a device: the events of its line of steps, or the runs of the program with the most time.

use super::device::{Clock, Step, intervals, program_of_run};
use crate::profile::{OpId, Plane, Profile, ProgramId, program_of};
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
        let on_event = intervals(line, event).unwrap_or_else(|| windows.clone());
        for ((window, event_window), op) in windows.into_iter().zip(on_event).zip(line.events.ops()) {
            if is(op) {
                let name = profile.text(plane.op(op).name);
                // A run is named `program(id)`. The name of the step leaves out the id, which means nothing to users.
                let name = program_of(name).map_or(name, |(name, _)| name).to_owned();
                let duration = Picos(window.1 - window.0);
                steps.push(Step {
                    number: 0,
                    name,
                    window,
                    event_window,
                    has_period: false,
                    not_in_file: Picos::ZERO,
                    not_steady: None,
                    duration,
                    n_ops: 0,
                });
            }
        }
    }
    steps.small_sort_by(|a, b| a.window.cmp(&b.window).then_with(|| a.name.cmp(&b.name)));
    // Steps take the numbers at the end of the event names, if every name has one and all are distinct.
    let numbers: Option<Vec<u64>> = steps.iter().map(|s| s.name.rsplit([' ', '_', '#']).next()?.parse().ok()).collect();
    let distinct = numbers.as_ref().is_some_and(|n| {
        let mut sorted = n.clone();
        sorted.sort_unstable();
        sorted.windows(2).all(|w| w[0] != w[1])
    });
    for (i, step) in steps.iter_mut().enumerate() {
        step.number = numbers.as_ref().filter(|_| distinct).map_or(i as u64, |n| n[i]);
    }
    steps
}
