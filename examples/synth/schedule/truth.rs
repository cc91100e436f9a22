//! This module says what is true of a capture: the steps of each device, their kinds, and the runs outside of steps. It
//! knows the plan, and reads no capture.

use super::loss::Lost;
use super::plan::{Basis, Plan, Platform};
use super::trace::{Run, Trace};
use serde::Serialize;
use std::collections::BTreeMap;

/// What is true of the captures of a scenario: the content of `expected.json`.
#[derive(Debug, Serialize)]
pub struct Truth {
    pub what: &'static str,
    pub scenario: &'static str,
    pub seed: u64,
    /// The capture that is to be shown if all are given: the newest.
    pub opened: String,
    pub captures: Vec<CaptureTruth>,
}

#[derive(Debug, Serialize)]
pub struct CaptureTruth {
    pub file: String,
    /// The level of the rules for steps at which the steps are found, 1 to 6.
    pub level: u8,
    /// Number of annotated steps of the host.
    pub host_steps: usize,
    pub devices: Vec<DeviceTruth>,
    pub lost: Vec<Lost>,
}

#[derive(Debug, Serialize)]
pub struct DeviceTruth {
    pub device: String,
    pub steps: Vec<StepTruth>,
    pub kinds: Vec<KindTruth>,
    /// The runs that belong to no step.
    pub outside: Vec<RunTruth>,
}

#[derive(Debug, Serialize)]
pub struct StepTruth {
    /// The number that the host gave. `None` if there is none, or several steps have it.
    pub number: Option<u64>,
    /// Index into [`DeviceTruth::kinds`].
    pub kind: usize,
    pub start_ps: u64,
    /// The end of the period. `None` for the last step.
    pub end_ps: Option<u64>,
    pub runs: usize,
}

/// A kind of steps.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct KindTruth {
    pub annotation: Option<String>,
    /// The names of the programs of each of its steps, sorted.
    pub programs: Vec<String>,
    /// The id of the main program. `None` if each step has another one.
    pub program_id: Option<u64>,
}

#[derive(Debug, Serialize)]
pub struct RunTruth {
    pub program: String,
    pub start_ps: u64,
}

/// Returns the name of a device, such as `TPU:0`.
pub fn label(plan: &Plan, device: usize) -> String {
    match plan.platform {
        Platform::Tpu => format!("TPU:{device}"),
        Platform::Gpu => format!("GPU:{device}"),
    }
}

/// Runs of a device that follow each other, and the block that they belong to if the steps are blocks.
struct Group<'t> {
    runs: Vec<&'t Run>,
    is_step: bool,
}

/// Returns what is true of a capture.
pub fn truth(plan: &Plan, trace: &Trace, lost: Vec<Lost>, file: &str) -> CaptureTruth {
    let devices = (0..plan.n_devices).map(|device| device_truth(plan, trace, device)).collect();
    let host_steps = plan.blocks.iter().filter(|block| block.mark.is_some() && block.is_recorded).count();
    CaptureTruth { file: file.to_owned(), level: plan.level, host_steps, devices, lost }
}

fn device_truth(plan: &Plan, trace: &Trace, device: usize) -> DeviceTruth {
    let groups = groups(plan, trace, device);
    let program = |run: &Run| &plan.programs[run.program];
    let steps: Vec<&Group<'_>> = groups.iter().filter(|group| group.is_step).collect();
    let kinds = kinds(plan, &steps);
    let mut all: Vec<KindTruth> = Vec::new();
    let numbers: Vec<Option<u64>> = steps.iter().map(|step| number(plan, step)).collect();
    let mut distinct = numbers.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let are_distinct = distinct.len() == numbers.len();
    let starts: Vec<u64> = groups.iter().map(|group| group.runs[0].start).collect();
    let last = groups.iter().rposition(|group| group.is_step);
    let places = (0..groups.len()).filter(|index| groups[*index].is_step);
    let steps: Vec<StepTruth> = places
        .zip(kinds)
        .zip(numbers)
        .map(|((place, kind), number)| {
            let index = all.iter().position(|other| *other == kind).unwrap_or_else(|| {
                all.push(kind);
                all.len() - 1
            });
            StepTruth {
                number: number.filter(|_| are_distinct),
                kind: index,
                start_ps: starts[place],
                end_ps: starts.get(place + 1).copied().filter(|_| Some(place) != last),
                runs: groups[place].runs.len(),
            }
        })
        .collect();
    let outside = groups.iter().filter(|group| !group.is_step).flat_map(|group| &group.runs);
    let outside = outside.map(|run| RunTruth { program: program(run).name.clone(), start_ps: run.start }).collect();
    DeviceTruth { device: label(plan, device), steps, kinds: all, outside }
}

/// Returns the runs of a device that the capture has, in groups: steps, and runs outside of steps.
fn groups<'t>(plan: &Plan, trace: &'t Trace, device: usize) -> Vec<Group<'t>> {
    let mut groups: Vec<Group<'t>> = Vec::new();
    for run in trace.runs.iter().filter(|run| run.device == device && run.is_recorded) {
        let is_next = |group: &Group<'_>| match &plan.basis {
            Basis::Blocks => group.runs[0].block != run.block,
            Basis::Runs(names) => names.is_empty() || names.contains(&plan.programs[run.program].name),
            Basis::None => false,
        };
        match groups.last_mut().filter(|group| !is_next(group)) {
            Some(group) => group.runs.push(run),
            None => {
                let is_step = match &plan.basis {
                    Basis::Blocks => plan.blocks[run.block].is_step,
                    Basis::Runs(names) => names.is_empty() || names.contains(&plan.programs[run.program].name),
                    Basis::None => false,
                };
                groups.push(Group { runs: vec![run], is_step });
            }
        }
    }
    groups
}

/// Returns the number that the host gave a step.
fn number(plan: &Plan, step: &Group<'_>) -> Option<u64> {
    let is_annotated = matches!(plan.level, 1 | 3);
    plan.blocks[step.runs[0].block].mark.as_ref().filter(|_| is_annotated)?.number
}

/// Returns the kind of each step: its annotation, the names of its programs, and the id of the main program.
fn kinds(plan: &Plan, steps: &[&Group<'_>]) -> Vec<KindTruth> {
    let program = |run: &Run| &plan.programs[run.program];
    let kind = |step: &&Group<'_>| {
        let mark = plan.blocks[step.runs[0].block].mark.as_ref().filter(|_| plan.basis == Basis::Blocks);
        let mut programs: Vec<String> = step.runs.iter().map(|run| program(run).name.clone()).collect();
        programs.sort();
        KindTruth { annotation: mark.map(|mark| mark.name.clone()), programs, program_id: None }
    };
    let mut kinds: Vec<KindTruth> = steps.iter().map(kind).collect();
    let mut alike: BTreeMap<KindTruth, Vec<usize>> = BTreeMap::new();
    for (index, kind) in kinds.iter().enumerate() {
        alike.entry(kind.clone()).or_default().push(index);
    }
    for places in alike.into_values() {
        let mut times: BTreeMap<&str, u64> = BTreeMap::new();
        for run in places.iter().flat_map(|index| &steps[*index].runs) {
            *times.entry(&program(run).name).or_default() += run.end - run.start;
        }
        let Some((main, _)) = times.into_iter().max_by_key(|(_, time)| *time) else { continue };
        let id =
            |index: &usize| steps[*index].runs.iter().find(|run| program(run).name == main).map(|run| program(run).id);
        let ids: Vec<Option<u64>> = places.iter().map(id).collect();
        let mut distinct = ids.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let is_each_once = distinct.len() == ids.len();
        places.iter().zip(ids).for_each(|(index, id)| kinds[*index].program_id = id.filter(|_| !is_each_once));
    }
    kinds
}

/// Returns whether the steps are beyond doubt: no share is near a limit of the rules for steps.
pub fn is_clear(plan: &Plan, trace: &Trace, truth: &CaptureTruth) -> bool {
    (0..plan.n_devices).all(|device| is_device_clear(plan, trace, device, &truth.devices[device]))
}

fn is_device_clear(plan: &Plan, trace: &Trace, device: usize, truth: &DeviceTruth) -> bool {
    let runs: Vec<&Run> = trace.runs.iter().filter(|run| run.device == device && run.is_recorded).collect();
    if plan.basis == Basis::None || runs.is_empty() {
        return true;
    }
    let share = |part: f64, whole: f64| part / whole.max(1.0);
    let time = |runs: &[&Run]| runs.iter().map(|run| (run.end - run.start) as f64).sum::<f64>();
    let groups = groups(plan, trace, device);
    let outside: Vec<&Run> =
        groups.iter().filter(|group| !group.is_step).flat_map(|group| group.runs.iter().copied()).collect();
    let most_outside = if plan.level == 5 { 0.25 } else { 0.12 };
    if truth.steps.len() < 3
        || share(outside.len() as f64, runs.len() as f64) > most_outside
        || share(time(&outside), time(&runs)) > most_outside
    {
        return false;
    }
    // A kind with less than 1 % of the time is not told apart.
    let mut periods = vec![0.0; truth.kinds.len()];
    for step in &truth.steps {
        periods[step.kind] += step.end_ps.map_or(0.0, |end| (end - step.start_ps) as f64);
    }
    let all = periods.iter().sum::<f64>();
    if periods.iter().any(|period| share(*period, all) < 0.02) {
        return false;
    }
    let n_alike = |step: &StepTruth| {
        let programs = |step: &StepTruth| &truth.kinds[step.kind].programs;
        truth.steps.iter().filter(|other| programs(other) == programs(step)).count()
    };
    let alone = truth.steps.iter().filter(|step| n_alike(step) < 2).count();
    if plan.level == 3 && share(alone as f64, truth.steps.len() as f64) > 0.12 {
        return false;
    }
    plan.level != 5 || are_anchors_clear(plan, &runs)
}

/// Returns whether each program that begins a step has much of the time, each other one little, and their order repeats
/// in no way.
fn are_anchors_clear(plan: &Plan, runs: &[&Run]) -> bool {
    let Basis::Runs(anchors) = &plan.basis else { return false };
    let name = |run: &&Run| plan.programs[run.program].name.as_str();
    let mut times: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
    for run in runs {
        let (n, time) = times.entry(name(run)).or_default();
        *n += 1;
        *time += run.end - run.start;
    }
    let all = times.values().map(|(_, time)| *time).sum::<u64>() as f64;
    let is_clear = |(name, (n, time)): (&&str, &(usize, u64))| {
        let share = *time as f64 / all;
        if anchors.iter().any(|anchor| anchor == name) { share > 0.13 && *n >= 3 } else { share < 0.07 }
    };
    let are_roles = anchors.iter().any(|name| name.contains("prefill"));
    let names: Vec<&str> = runs.iter().map(name).collect();
    times.iter().all(is_clear) && (times.len() == 1 || are_roles || !repeats(&names))
}

/// Returns whether most of the names repeat with a period, so that the order of names could make steps.
fn repeats(names: &[&str]) -> bool {
    (1..=names.len() / 2).any(|period| {
        let (mut longest, mut length) = (0, 0);
        for (name, next) in names.iter().zip(&names[period..]) {
            length = if name == next { length + 1 } else { 0 };
            longest = longest.max(length + period);
        }
        longest as f64 > 0.7 * names.len() as f64
    })
}
