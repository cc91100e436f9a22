//! This module writes the notes on steps: how they were found, which ways were rejected, and what is in no step.

use super::super::device::{Device, StepBasis};
use super::super::device_notes::derived_runs;
use super::kinds::StepKind;
use super::level::{FoundSteps, Input, Level, Rejection};
use super::source::Source;
use crate::table::format::{counted, percent_text, time_text};
use indexmap::IndexMap;
use xla_profile::profile::{Note, NoteCode, Severity};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// The most names of programs in a sentence.
const MAX_NAMES: usize = 6;

/// Returns the names of programs in the order of their runs: `1 × jit_f, 8 × jit_g`.
fn program_list(programs: &[String]) -> String {
    let mut parts: Vec<(u32, &str)> = Vec::new();
    for name in programs {
        match parts.last_mut().filter(|(_, last)| *last == name) {
            Some((n, _)) => *n += 1,
            None => parts.push((1, name)),
        }
    }
    counted_list(&parts)
}

/// Returns the numbers of runs with the names of their programs: `1 × jit_f, 8 × jit_g`, or the names alone if each runs once.
fn counted_list(programs: &[(u32, &str)]) -> String {
    let more = if programs.len() > MAX_NAMES { ", …" } else { "" };
    let is_once = programs.iter().all(|(n, _)| *n == 1);
    let text = |(n, name): &(u32, &str)| if is_once { (*name).to_owned() } else { format!("{n} × {name}") };
    format!("{}{more}", programs.iter().take(MAX_NAMES).map(text).collect::<Vec<String>>().join(", "))
}

/// Describes a step of a kind in a sentence: what begins it, and which programs run in it. `None` if the device has no steps, or if steps of
/// several kinds are taken together.
pub(in super::super) fn describe_step(basis: &StepBasis, kind: &StepKind) -> Option<String> {
    let annotation = kind.annotation.as_deref()?;
    let programs: Vec<(u32, &str)> = kind.programs.iter().map(|(name, n)| (*n, &**name)).collect();
    let with = if programs.is_empty() { String::new() } else { format!(": {}", counted_list(&programs)) };
    Some(match basis {
        StepBasis::Annotations { name, .. } => {
            let name = if annotation.is_empty() { name } else { annotation };
            format!("A step is one host annotation “{name}”{with}.")
        }
        StepBasis::StepsLine => format!("A step is one event of the device’s “Steps” line{with}."),
        StepBasis::Sequence { programs } => {
            format!("A step is taken to be one round of programs that repeat, {}.", program_list(programs))
        }
        StepBasis::Modules { .. } => match programs.as_slice() {
            [(1, one)] => format!("A step is taken to be one run of {one}."),
            [] => "A step is taken to be one run of a program.".to_owned(),
            _ => format!("A step is taken to be one run of a program and of those that follow it{with}."),
        },
        StepBasis::None => return None,
    })
}

/// Returns the notes on the steps of a device.
pub(super) fn of_device(device: &Device, source: &Source, found: Option<&FoundSteps>) -> Vec<Note> {
    if source.is_empty() && device.steps.is_empty() {
        let message = "The capture has no “Steps” line and no program runs, so only the whole capture is shown. Capture at least one whole step.";
        return vec![Note::new(Severity::Info, NoteCode::NoSteps, message).with_place(&device.label)];
    }
    let n = device.steps.len() as u64;
    let steps = counted(n, "step", "steps");
    let hold = found
        .map_or_else(String::new, |found| format!(" They hold {} of the time of runs.", percent_text(found.coverage)));
    let (code, message) = match &device.basis {
        StepBasis::StepsLine => return Vec::new(),
        StepBasis::Annotations { name, of_line: false, .. } => (
            NoteCode::StepsBy,
            format!("The host marked the {steps} as “{name}”, and runs are joined to its marks.{hold}"),
        ),
        StepBasis::Annotations { name, of_line: true, n_parts } => (
            NoteCode::StepsMerged,
            format!("Up to {n_parts} events of the “Steps” line make one step: the host marked its steps as “{name}”."),
        ),
        StepBasis::Sequence { programs } => (
            NoteCode::StepsBy,
            format!("The {steps} are a sequence of programs that repeats: {}.{hold}", program_list(programs)),
        ),
        StepBasis::Modules { programs } => {
            let what = match programs.as_slice() {
                [one] if !one.is_empty() => one.clone(),
                [] | [_] => "its busiest program".to_owned(),
                many => program_list(many),
            };
            let steps = match n {
                1 => format!("The only step is the only run of {what}."),
                n => format!("Steps are {n} runs of {what}."),
            };
            if source.steps.all.is_empty() {
                (NoteCode::StepsFromModules, format!("The capture has no “Steps” line. {steps}"))
            } else {
                (NoteCode::StepsBy, format!("The “Steps” line is not used. {steps}"))
            }
        }
        StepBasis::None => (
            NoteCode::NoSteps,
            "No steps were found in the runs of programs, so only the whole capture is shown.".to_owned(),
        ),
    };
    let mut notes = vec![Note::new(Severity::Info, code, message).with_place(&device.label)];
    if source.is_derived && device.basis != StepBasis::None {
        notes.push(derived_runs(device.platform).with_place(&device.label));
    }
    notes
}

/// Returns notes on the levels that were tried and found no steps.
pub(super) fn rejected(inputs: &[Input<'_>], rejected: &[(Level, Rejection)]) -> Vec<Note> {
    let mut notes = Vec::new();
    for (level, reason) in rejected {
        let what = match level {
            Level::Linked => "the marks of the host, by links from runs to calls".to_owned(),
            Level::Line => "the “Steps” line".to_owned(),
            Level::ByTime => "the marks of the host, by time".to_owned(),
            Level::Sequence => "a sequence of programs that repeats".to_owned(),
            Level::Anchors => "the programs with the most time".to_owned(),
            Level::Program(name) => format!("runs of {name}"),
        };
        let why = match reason {
            Rejection::Pattern { programs, n, length } => {
                let message = format!(
                    "{n} times {}, {}: each of these programs is dispatched alone. Put `jax.jit` around the function that \
                     calls them.",
                    program_list(programs),
                    time_text(Picos(*length))
                );
                notes.push(Note::new(Severity::Info, NoteCode::StepsPattern, message));
                continue;
            }
            Rejection::Absent => continue,
            // A capture without steps of a level says so by the note on its steps.
            Rejection::FewSteps if !matches!(level, Level::Linked | Level::ByTime) => continue,
            Rejection::FewSteps => "fewer than two of them have runs".to_owned(),
            Rejection::Coverage(share) => format!("such steps hold {} of the time of runs", percent_text(*share)),
            Rejection::Linked(share) => format!("{} of the runs are linked", percent_text(*share)),
            Rejection::Overlap => "marks of several threads overlap".to_owned(),
            Rejection::WithoutRuns(share) => format!("{} of the marks have runs", percent_text(*share)),
            Rejection::Unlike(share) => {
                format!("{} of such steps have the programs of another one", percent_text(*share))
            }
        };
        let n = inputs.iter().map(|input| input.host.steps.len()).max().unwrap_or(0) as u64;
        let marks = match level {
            Level::Linked | Level::ByTime => format!(" The host marked {}.", counted(n, "step", "steps")),
            _ => String::new(),
        };
        let message = format!("Steps are not found by {what}: {why}.{marks}");
        notes.push(Note::new(Severity::Info, NoteCode::StepsRejected, message));
    }
    notes
}

/// Returns a note on the runs that are in no step.
pub(super) fn outside(inputs: &[Input<'_>], found: &[Option<FoundSteps>]) -> Option<Note> {
    let mut programs: IndexMap<&str, u128> = IndexMap::default();
    for (input, found) in inputs.iter().zip(found) {
        let Some(found) = found.as_ref().filter(|found| !found.of_line) else { continue };
        let mut is_in = vec![false; input.runs.len()];
        found.steps.iter().for_each(|step| is_in[step.first..step.end].fill(true));
        for (run, _) in input.runs.iter().zip(is_in).filter(|(_, is_in)| !is_in) {
            *programs.entry(input.names.get(run.name)).or_default() += u128::from(run.length);
        }
    }
    let total: u128 = programs.values().sum();
    if total == 0 {
        return None;
    }
    let mut programs: Vec<(&str, u128)> = programs.into_iter().collect();
    programs.small_sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    let time = |ps: u128| time_text(Picos(u64::try_from(ps).unwrap_or(u64::MAX)));
    let named = programs.iter().take(MAX_NAMES).map(|(name, ps)| format!("{name} ({})", time(*ps)));
    let message = format!("Programs ran for {} in no step: {}.", time(total), named.collect::<Vec<_>>().join(", "));
    Some(Note::new(Severity::Info, NoteCode::StepsOutside, message))
}
