//! This module finds the steps that a host marked: the events of `jax.profiler.StepTraceAnnotation`.

use super::device::host_lines;
use xla_profile::profile::{Profile, StepMark};
use xla_profile::small_sort::SmallSort;

/// An event of a host that marks a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostMark<'p> {
    /// The line of the event: the index of its plane, and its index in the plane.
    pub line: (usize, usize),
    /// `[start, end)` in ps on the event clock of the capture, without an origin of its own.
    pub span: (i128, i128),
    /// The number that the program gave.
    pub number: Option<u64>,
    pub name: &'p str,
}

/// Returns the outermost marks of the lowest level on planes of a host, in order of their start. Marks of a higher level, and
/// marks within another one of their thread, are parts of a step.
pub fn host_marks<'p>(profile: &'p Profile, planes: &[usize]) -> Vec<HostMark<'p>> {
    let level = |mark: &StepMark| mark.level.unwrap_or(1);
    let lines = || host_lines(profile, planes).filter(|(_, line)| !line.step_marks.is_empty());
    let Some(lowest) = lines().flat_map(|(_, line)| &line.step_marks).map(|(_, mark)| level(mark)).min() else {
        return Vec::new();
    };
    let mut found: Vec<HostMark<'_>> = Vec::new();
    for (place, line) in lines() {
        let base = i128::from(line.timestamp_ns) * 1000;
        for (event, mark) in line.step_marks.iter().filter(|(_, mark)| level(mark) == lowest) {
            let (start, duration) = line.events.time(*event as usize);
            let start = base + i128::from(start);
            let op = profile.planes[place.0].op(line.events.op(*event as usize));
            let span = (start, start + i128::from(duration));
            found.push(HostMark { line: place, span, number: mark.number, name: profile.text(op.name) });
        }
    }
    found.small_sort_by_key(|mark| (mark.line, mark.span.0, std::cmp::Reverse(mark.span.1)));
    let mut outer = None;
    found.retain(|mark| {
        let is_inner = outer.is_some_and(|(line, end)| line == mark.line && mark.span.1 <= end);
        if !is_inner {
            outer = Some((mark.line, mark.span.1));
        }
        !is_inner
    });
    found.small_sort_by_key(|mark| (mark.span.0, mark.line));
    found
}
