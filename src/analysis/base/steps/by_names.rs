//! This module finds steps by the names of the programs that run.

use super::super::device::StepBasis;
use super::level::{COVERAGE, FoundStep, FoundSteps, Input, Outcome, Rejection};
use super::sequence::{InnerUnit, inner_unit, repeating};
use super::source::NameId;
use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use std::ops::Range;
use xla_profile::small_sort::SmallSort;

/// The least share of the time of runs that an anchor has.
const ANCHOR: f64 = 0.1;
/// The least share of the time of runs that all anchors have together.
const ANCHORS: f64 = 0.5;
/// A shorter sequence is not a step, but ops that are dispatched alone: 1 ms, in ps.
const SHORTEST: u64 = 1_000_000_000;
/// The roles of programs of servers. Such programs run in any order, so a sequence of them is no step.
const ROLES: [&str; 7] = ["prefill", "decode", "generate", "insert", "extend", "verify", "draft"];

/// Words in the names of programs that a loop runs now and then, beside its steps.
const ASIDE: [&str; 4] = ["eval", "valid", "test", "predict"];

/// Returns whether the name of a program says that it is no part of a training step.
fn is_aside(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ASIDE.iter().any(|word| name.contains(word))
}

/// Returns the role of a program of a server.
pub(super) fn role(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    ROLES.into_iter().find(|role| name.contains(role))
}

impl Input<'_> {
    /// Takes the smallest sequence of programs that repeats.
    pub fn sequence(&self) -> Outcome {
        let names: Vec<NameId> = self.runs.iter().map(|run| run.name).collect();
        let (period, part) = repeating(&names).ok_or(Rejection::Absent)?;
        let unit = &names[part.start..part.start + period];
        let roles: FxHashSet<&str> = unit.iter().filter_map(|name| role(self.names.get(*name))).collect();
        if roles.len() > 1 {
            return Err(Rejection::Absent);
        }
        let units = &self.source.runs.all;
        let length = (units[part.end - 1].window.1 - units[part.start].window.0) / (part.len() / period) as u64;
        let programs = |first: usize| {
            let names = &names[first..first + period];
            names.iter().map(|name| self.names.get(*name).to_owned()).collect::<Vec<String>>()
        };
        if length < SHORTEST {
            let n = (part.len() / period) as u64;
            return Err(Rejection::Pattern { programs: programs(part.start), n, length });
        }
        // A smaller sequence with little of the time of runs is no step.
        let inner = inner_unit(unit, &|name| is_aside(self.names.get(name)));
        if let Some(Ok(steps)) = inner.map(|inner| self.inner_steps(period, &part, &inner)) {
            return Ok(steps);
        }
        let phase = self.pause(period, part.start, part.end);
        let firsts: Vec<usize> = (part.start + phase..part.end).step_by(period).collect();
        let step = |(index, first): (usize, &usize)| FoundStep {
            first: *first,
            end: firsts.get(index + 1).copied().unwrap_or((first + period).min(part.end)),
            number: None,
            host_step: None,
        };
        let steps = firsts.iter().enumerate().map(step).collect();
        let basis = StepBasis::Sequence { programs: programs(part.start + phase) };
        self.checked(FoundSteps { basis, of_line: false, steps, host_names: Vec::new(), coverage: 1.0 }, COVERAGE)
    }

    /// Takes the repetitions of a smaller sequence within each repetition of the larger one. The other runs are outside of
    /// the steps.
    fn inner_steps(&self, period: usize, part: &Range<usize>, inner: &InnerUnit) -> Outcome {
        let groups = (part.start + inner.start..part.end).step_by(period);
        let firsts = groups.flat_map(|group| (0..inner.n).map(move |index| group + index * inner.length));
        let step = |first: usize| FoundStep { first, end: first + inner.length, number: None, host_step: None };
        let steps: Vec<FoundStep> = firsts.map(step).filter(|step| step.end <= part.end).collect();
        let Some(first) = steps.first() else { return Err(Rejection::Absent) };
        let of_step = &self.runs[first.first..first.end];
        let programs = of_step.iter().map(|run| self.names.get(run.name).to_owned()).collect();
        let basis = StepBasis::Sequence { programs };
        self.checked(FoundSteps { basis, of_line: false, steps, host_names: Vec::new(), coverage: 1.0 }, ANCHORS)
    }

    /// Returns the place in the sequence before which launches pause longest: where the host begins a step. 0 if the calls
    /// are unknown.
    fn pause(&self, period: usize, start: usize, end: usize) -> usize {
        let Some(calls) = self.host.call_times(self.device, self.source) else { return 0 };
        let pause = |phase: usize| {
            let firsts = (start + phase..end).step_by(period).filter(|index| *index > start);
            let mut pauses: Vec<u64> =
                firsts.filter_map(|index| Some(calls[index]?.saturating_sub(calls[index - 1]?))).collect();
            // The median leaves out a compilation in one of the steps.
            pauses.small_sort_by_key(|pause| *pause);
            pauses.get(pauses.len() / 2).copied().unwrap_or(0)
        };
        (0..period).max_by_key(|phase| (pause(*phase), std::cmp::Reverse(*phase))).unwrap_or(0)
    }

    /// Lets each run of a program with much of the time start a step.
    pub fn anchors(&self) -> Outcome {
        let mut times: IndexMap<NameId, (u128, u64)> = IndexMap::default();
        for run in self.runs {
            let (time, n) = times.entry(run.name).or_default();
            *time += u128::from(run.length);
            *n += 1;
        }
        let total: u128 = times.values().map(|(time, _)| time).sum();
        let share = |time: u128| if total == 0 { 0.0 } else { time as f64 / total as f64 };
        let is_anchor = |(_, (time, n)): &(&NameId, &(u128, u64))| *n >= 2 && share(*time) >= ANCHOR;
        let anchors: Vec<NameId> = times.iter().filter(is_anchor).map(|(name, _)| *name).collect();
        let of_anchors: u128 = anchors.iter().map(|name| times[name].0).sum();
        if anchors.is_empty() {
            return Err(Rejection::Absent);
        }
        if share(of_anchors) < ANCHORS {
            return Err(Rejection::Coverage(share(of_anchors)));
        }
        self.checked(self.starting_with(&anchors), ANCHORS)
    }

    /// Lets each run of the program `name` start a step.
    pub fn program(&self, name: &str) -> Outcome {
        let names: FxHashSet<NameId> =
            self.runs.iter().map(|run| run.name).filter(|run| self.names.get(*run) == name).collect();
        let anchors: Vec<NameId> = names.into_iter().collect();
        if anchors.is_empty() {
            return Err(Rejection::Absent);
        }
        self.checked(self.starting_with(&anchors), 0.0)
    }

    /// Returns the steps that start with a run of a program in `anchors`. Other runs follow the last one.
    fn starting_with(&self, anchors: &[NameId]) -> FoundSteps {
        let firsts: Vec<usize> =
            (0..self.runs.len()).filter(|index| anchors.contains(&self.runs[*index].name)).collect();
        let step = |(index, first): (usize, &usize)| FoundStep {
            first: *first,
            end: firsts.get(index + 1).copied().unwrap_or(self.runs.len()),
            number: None,
            host_step: None,
        };
        let steps = firsts.iter().enumerate().map(step).collect();
        let programs = anchors.iter().map(|name| self.names.get(*name).to_owned()).collect();
        let basis = StepBasis::Modules { programs };
        FoundSteps { basis, of_line: false, steps, host_names: Vec::new(), coverage: 1.0 }
    }

    /// Returns the steps of a capture with too few of them for any level: the events of the `Steps` line, or the only run of
    /// the program with the most time.
    pub fn few_steps(&self) -> Option<FoundSteps> {
        if !self.source.steps.all.is_empty() {
            return Some(self.events_of_line(1));
        }
        let longest = self.runs.iter().max_by_key(|run| run.length)?;
        let n = self.runs.iter().filter(|run| run.name == longest.name).count();
        let total: u128 = self.runs.iter().map(|run| u128::from(run.length)).sum();
        let is_most = longest.length as f64 >= total as f64 * ANCHORS;
        (n == 1 && is_most).then(|| self.starting_with(&[longest.name]))
    }
}
