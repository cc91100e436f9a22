//! This module finds the steps of a host, and the host event that takes the most time in them. It is needed for captures that
//! lack the events of the device.

use super::reads::{HostFile, picos, spans_of};
use super::sign::Span;
use crate::analysis::base::host_marks::host_marks;
use crate::table::filter::contains;
use crate::table::format::time_text;
use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use xla_profile::profile::{Line, OpId, Plane, Profile};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

pub(super) struct HostSteps {
    /// The steps in the order of their start.
    pub spans: Vec<Span>,
    /// The names of the events that are the steps.
    names: FxHashSet<String>,
    /// The steps are calls of a jitted function, because the host has no annotated steps.
    pub are_calls: bool,
}

impl HostSteps {
    /// Finds the steps of the host of a file: the events that mark steps, else the outermost calls of jitted functions.
    /// `None` if there are fewer than two.
    pub fn new(file: &HostFile<'_>) -> Option<Self> {
        Self::annotated(file).or_else(|| Self::of_calls(file)).filter(|steps| steps.spans.len() > 1)
    }

    fn annotated(file: &HostFile<'_>) -> Option<Self> {
        let marks = host_marks(file.profile, &file.host_planes());
        let names = marks.iter().map(|mark| mark.name.to_owned()).collect();
        let spans: Vec<Span> = marks.iter().map(|mark| mark.span).collect();
        (!spans.is_empty()).then_some(Self { spans, names, are_calls: false })
    }

    fn of_calls(file: &HostFile<'_>) -> Option<Self> {
        let mut spans = calls(file);
        spans.small_sort_by_key(|span| *span);
        Some(Self { spans, names: FxHashSet::default(), are_calls: true })
    }

    /// Returns the mean time from the start of a step to the start of the next one.
    pub fn period(&self) -> Option<Picos> {
        let (first, last) = (self.spans.first()?, self.spans.last()?);
        let n = self.spans.len().checked_sub(1).filter(|n| *n > 0)?;
        Some(picos((last.0 - first.0) / n as i128)).filter(|period| *period > Picos::ZERO)
    }

    /// Returns a sentence about the host event that takes the most time of the steps. `None` if none takes a tenth.
    pub fn activity(&self, file: &HostFile<'_>) -> Option<String> {
        let period = self.period()?;
        let (from, to) = (self.spans.first()?.0, self.spans.last()?.1);
        let mut times: IndexMap<&str, i128> = IndexMap::default();
        for (plane, line) in file.threads() {
            for (name, mut spans) in by_name_of_line(file.profile, plane, line) {
                if self.names.contains(name) || is_call(name) && self.are_calls {
                    continue;
                }
                spans.small_sort_by_key(|span| *span);
                *times.entry(name).or_default() += union_within(&spans, (from, to));
            }
        }
        let (name, time) = times.into_iter().max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(a.0)))?;
        let per_step = picos(time / self.spans.len() as i128);
        let is_much = per_step.fraction_of(period).is_some_and(|share| share >= 0.1);
        is_much
            .then(|| format!("The host spent {} of {} of each step in {name}.", time_text(per_step), time_text(period)))
    }
}

/// Returns the outermost calls of jitted functions and of programs on each thread, in no order.
pub(super) fn calls(file: &HostFile<'_>) -> Vec<Span> {
    let mut outermost = Vec::new();
    for (plane, line) in file.threads() {
        let mut spans = spans_named(file.profile, plane, line, &is_call);
        spans.small_sort_by_key(|(start, end)| (*start, std::cmp::Reverse(*end)));
        let mut reached = i128::MIN;
        outermost.extend(spans.into_iter().filter(|(start, end)| {
            let is_outermost = *start >= reached;
            reached = reached.max(*end);
            is_outermost
        }));
    }
    outermost
}

/// Returns whether a host event is a call of a jitted function, by its name.
fn is_call(name: &str) -> bool {
    name.starts_with("PjitFunction") || contains(name, "ExecuteReplicated.__call__")
}

/// Returns the events of a line whose names match.
fn spans_named(profile: &Profile, plane: &Plane, line: &Line, matches: &dyn Fn(&str) -> bool) -> Vec<Span> {
    let ops: Vec<bool> = plane.ops.iter().map(|op| matches(profile.text(op.name))).collect();
    let events = spans_of(line).zip(line.events.ops());
    events.filter(|(_, op)| ops.get(op.0 as usize) == Some(&true)).map(|(span, _)| span).collect()
}

/// Returns the events of a line by name.
fn by_name_of_line<'p>(profile: &'p Profile, plane: &'p Plane, line: &Line) -> IndexMap<&'p str, Vec<Span>> {
    let mut by_op: IndexMap<OpId, Vec<Span>> = IndexMap::default();
    for (span, op) in spans_of(line).zip(line.events.ops()) {
        by_op.entry(op).or_default().push(span);
    }
    let mut all: IndexMap<&str, Vec<Span>> = IndexMap::default();
    for (op, spans) in by_op {
        all.entry(profile.text(plane.op(op).name)).or_default().extend(spans);
    }
    all
}

/// Returns the time that intervals in order of their start cover within a window.
fn union_within(spans: &[Span], (from, to): Span) -> i128 {
    let (mut reached, mut sum) = (from, 0);
    for (start, end) in spans {
        let (start, end) = ((*start).max(reached), (*end).min(to));
        sum += (end - start).max(0);
        reached = reached.max(end);
    }
    sum
}
