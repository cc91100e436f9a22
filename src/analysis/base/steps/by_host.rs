//! This module finds steps by the marks of the host, and by the `Steps` line.

use super::super::device::StepBasis;
use super::host_steps::Launch;
use super::level::{COVERAGE, FoundStep, FoundSteps, Input, Outcome, Rejection};
use super::source::Unit;
use rustc_hash::{FxHashMap, FxHashSet};
use xla_profile::small_sort::SmallSort;

/// The least share of runs whose calls are known.
const LINKED: f64 = 0.8;
/// The least share of the time of runs that linked steps hold. The other runs are known to be launched outside of the marks,
/// such as those of an evaluation.
const OF_LINKED: f64 = 0.3;
/// The least share of marks that have runs, if times alone join them.
const WITH_RUNS: f64 = 0.9;
/// The least share of steps that have the programs of another step, if times alone join them.
const ALIKE: f64 = 0.8;
/// If more than this share of the steps is followed by runs outside of the marks, these runs are a part of the loop.
const OFTEN: f64 = 0.5;

impl Input<'_> {
    /// Joins each run to the marked step in which the host launched it.
    pub fn linked(&self) -> Outcome {
        let host = &self.host.steps;
        let n_line = self.source.steps.all.len();
        if host.is_empty() || self.runs.is_empty() {
            return Err(Rejection::Absent);
        }
        let launches = self.host.launches(self.device, self.source);
        let linked = launches.iter().filter(|launch| **launch != Launch::Unknown).count() as f64;
        if linked < launches.len() as f64 * LINKED {
            return Err(Rejection::Linked(linked / launches.len() as f64));
        }
        if n_line == 0 {
            return self.checked(self.marked(self.grouped(&launches), false), OF_LINKED);
        }
        // The events of the line are kept, because they are the boundaries that the device states.
        let units = &self.source.steps.all;
        let mut of_line = vec![Launch::Unknown; n_line];
        for (unit, launch) in self.source.runs.all.iter().zip(&launches) {
            let after = units.partition_point(|step| step.event_window.0 <= unit.event_window.0);
            let Some(index) = after.checked_sub(1) else { continue };
            let is_better =
                matches!((&of_line[index], launch), (Launch::Unknown, _) | (Launch::Outside, Launch::In(_)));
            if is_better {
                of_line[index] = *launch;
            }
        }
        self.checked(self.marked(self.grouped(&of_line), true), OF_LINKED)
    }

    /// Groups units by the step in which they were launched. Units without a known call belong to the step before them, and
    /// so do units outside of all steps if most steps are followed by such units.
    fn grouped(&self, launches: &[Launch]) -> Vec<FoundStep> {
        let group = |keeps_outside: bool| {
            let mut steps: Vec<FoundStep> = Vec::new();
            let mut seen: FxHashSet<usize> = FxHashSet::default();
            let mut has_outside = false;
            for (unit, launch) in launches.iter().enumerate() {
                match launch {
                    Launch::In(host) if seen.insert(*host) => {
                        let number = self.host.steps[*host].number;
                        steps.push(FoundStep { first: unit, end: unit + 1, number, host_step: Some(*host) });
                        has_outside = false;
                        continue;
                    }
                    Launch::Outside if !keeps_outside => {
                        has_outside = true;
                        continue;
                    }
                    // A late unit of an earlier step is in the period of this one.
                    Launch::In(_) => has_outside = false,
                    Launch::Unknown | Launch::Outside => {}
                }
                if let Some(step) = steps.last_mut().filter(|_| !has_outside) {
                    step.end = unit + 1;
                }
            }
            steps
        };
        let steps = group(false);
        let n_cut = steps.windows(2).filter(|pair| pair[0].end < pair[1].first).count();
        if n_cut as f64 > steps.len().saturating_sub(1) as f64 * OFTEN { group(true) } else { steps }
    }

    /// Returns steps that the host marked, with the numbers of the program if all differ.
    fn marked(&self, mut steps: Vec<FoundStep>, of_line: bool) -> FoundSteps {
        let mut numbers = FxHashSet::default();
        if !steps.iter().all(|step| step.number.is_some_and(|number| numbers.insert(number))) {
            steps.iter_mut().for_each(|step| step.number = None);
        }
        let host = |step: &FoundStep| step.host_step.map(|index| &self.host.steps[index]);
        let host_names = steps.iter().map(|step| host(step).map_or_else(String::new, |step| step.name.clone()));
        let host_names: Vec<String> = host_names.collect();
        let name = host_names.first().cloned().unwrap_or_default();
        let n_parts = steps.iter().map(|step| step.end - step.first).max().unwrap_or(0);
        // With one event on the `Steps` line for each mark, the line has these steps.
        let is_line = of_line && n_parts == 1 && steps.len() == self.source.steps.all.len();
        if is_line && steps.iter().any(|step| step.number.is_none()) {
            return self.events_of_line(1);
        }
        let basis = if is_line { StepBasis::StepsLine } else { StepBasis::Annotations { name, of_line, n_parts } };
        let host_names = if is_line { Vec::new() } else { host_names };
        FoundSteps { basis, of_line, steps, host_names, coverage: 1.0 }
    }

    /// Takes the events of the `Steps` line, or several of them together if the host marked fewer steps.
    pub fn line(&self) -> Outcome {
        let units = &self.source.steps.all;
        if units.is_empty() {
            return Err(Rejection::Absent);
        }
        let n_host = self.host.steps.len();
        let merged = (2..=units.len()).take_while(|_| n_host >= 2).find(|k| {
            let expected = k * n_host;
            units.len() <= expected + k && units.len() + k >= expected
        });
        let k = merged.filter(|k| units.len() >= 2 * k).unwrap_or(1);
        self.checked(self.events_of_line(k), COVERAGE)
    }

    /// Returns steps of `k` events of the `Steps` line each.
    pub fn events_of_line(&self, k: usize) -> FoundSteps {
        let units = &self.source.steps.all;
        let numbers = if k == 1 { self.numbers(units) } else { None };
        let starts = (0..units.len()).step_by(k);
        let step = |(index, first): (usize, usize)| FoundStep {
            first,
            end: (first + k).min(units.len()),
            number: numbers.as_ref().map(|numbers| numbers[index]),
            host_step: None,
        };
        let steps: Vec<FoundStep> = starts.enumerate().map(step).collect();
        let basis = match k {
            1 => StepBasis::StepsLine,
            n_parts => StepBasis::Annotations { name: self.host.steps[0].name.clone(), of_line: true, n_parts },
        };
        FoundSteps { basis, of_line: true, steps, host_names: Vec::new(), coverage: 1.0 }
    }

    /// Returns the numbers at the end of the names of events. `None` unless every name has one and all differ.
    fn numbers(&self, units: &[Unit]) -> Option<Vec<u64>> {
        let plane = &self.profile.planes[self.device.plane];
        let name = |unit: &Unit| super::super::device::step_name(self.profile, plane, unit.op);
        let number = |unit: &Unit| name(unit).rsplit([' ', '_', '#']).next()?.parse().ok();
        let numbers: Option<Vec<u64>> = units.iter().map(number).collect();
        let are_distinct = |numbers: &Vec<u64>| {
            let mut seen = FxHashSet::default();
            numbers.is_sorted_by(|a, b| a < b) || numbers.iter().all(|number| seen.insert(*number))
        };
        numbers.filter(are_distinct)
    }

    /// Joins each run to the last marked step that began before it.
    pub fn by_time(&self) -> Outcome {
        let host = &self.host.steps;
        if host.is_empty() || self.runs.is_empty() {
            return Err(Rejection::Absent);
        }
        if self.host.overlap() {
            return Err(Rejection::Overlap);
        }
        let of_run = |unit: &Unit| {
            let after = host.partition_point(|step| step.time.0 <= unit.event_window.0);
            after.checked_sub(1).map_or(Launch::Outside, Launch::In)
        };
        let launches: Vec<Launch> = self.source.runs.all.iter().map(of_run).collect();
        let steps = self.grouped(&launches);
        let with_runs = steps.len() as f64 / host.len() as f64;
        if with_runs < WITH_RUNS {
            return Err(Rejection::WithoutRuns(with_runs));
        }
        let names = |step: &FoundStep| {
            let mut names: Vec<u32> = self.runs[step.first..step.end].iter().map(|run| run.name).collect();
            names.small_sort_by_key(|name| *name);
            names
        };
        let mut n: FxHashMap<Vec<u32>, u64> = FxHashMap::default();
        steps.iter().for_each(|step| *n.entry(names(step)).or_default() += 1);
        let alike: u64 = n.values().filter(|n| **n > 1).sum();
        let alike = alike as f64 / steps.len().max(1) as f64;
        if alike < ALIKE {
            return Err(Rejection::Unlike(alike));
        }
        self.checked(self.marked(steps, false), COVERAGE)
    }
}
