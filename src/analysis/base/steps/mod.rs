//! This module finds the steps of devices. A step is what the program repeats: one update of a training loop, or one call
//! of a server. Captures say in different ways what a step is, so there are several levels, and the first one that fits the
//! runs of programs counts:
//!
//! 1. **annotated, linked**: the host marked its steps, and each run is linked to the call that launched it.
//! 2. **line**: the device has a `Steps` line.
//! 3. **annotated, by time**: a run belongs to the last mark before it.
//! 4. **sequence**: the names of programs repeat.
//! 5. **anchors**: each run of a program with much of the time starts a step.
//! 6. **whole capture**: there are no steps.
//!
//! ```text
//!  host   ├── train 0 ──┤├── train 1 ──┤            marks of the host: `jax.profiler.StepTraceAnnotation`
//!  runs     g g g g u      g g g g u      eval      g = jit_grad_fn, u = jit_apply_update
//!  steps    ├────────────┤├──────────┤               from the first run of a step to that of the next one
//! ```
//!
//! The period of a step ends early where runs begin that belong to no step. The time between is outside of all steps.

mod by_host;
mod by_names;
mod host_steps;
mod kinds;
mod level;
mod notes;
mod sequence;
mod source;

use super::device::{Clock, Device, Step, StepBasis, host_planes};
use super::not_steady::NotSteady;
use super::query::StepChoice;
use super::{device_notes, periods};
use host_steps::HostSteps;
use indexmap::IndexMap;
use level::{FoundSteps, Level, Outcome, Rejection};
use source::Names;
use xla_profile::profile::{Note, Profile};

pub use kinds::StepKind;
pub(super) use kinds::serves;
pub use level::StepsBy;
pub(super) use notes::describe_step;
pub(super) use source::{Source, source};

/// The share of devices on which a level has to find steps.
const DEVICES: f64 = 0.9;

/// Sets the steps of `devices`, and returns their kinds and notes. `sources` are the runs and the `Steps` lines of the
/// devices.
pub(super) fn find(
    profile: &Profile,
    devices: &mut [Device],
    sources: &[Source],
    by: &StepsBy,
) -> (Vec<StepKind>, Vec<Note>) {
    let mut names = Names::default();
    let runs: Vec<Vec<source::Run>> =
        devices.iter().zip(sources).map(|(device, source)| source.runs(profile, device, &mut names)).collect();
    let mut hosts: IndexMap<(usize, Clock), HostSteps> = IndexMap::default();
    let planes = host_planes(profile);
    let planes_of = |file: usize| planes.get(file).map_or(&[][..], Vec::as_slice);
    let key = |device: &Device| (profile.planes[device.plane].file, device.event_clock);
    for device in devices.iter() {
        hosts.entry(key(device)).or_insert_with_key(|(file, clock)| HostSteps::new(profile, planes_of(*file), *clock));
    }
    let inputs: Vec<level::Input<'_>> = devices
        .iter()
        .zip(sources)
        .zip(&runs)
        .filter_map(|((device, source), runs)| {
            let host = hosts.get(&key(device))?;
            Some(level::Input { profile, device, source, runs, names: &names, host })
        })
        .collect();
    let (found, rejected) = choose(&inputs, by);
    let mut all_notes = notes::rejected(&inputs, &rejected);
    let outside = notes::outside(&inputs, &found);
    drop(inputs);
    for (index, (device, found)) in devices.iter_mut().zip(&found).enumerate() {
        let Some(found) = found else { continue };
        let ends = found.set_steps(device, &sources[index]);
        all_notes.extend(device_notes::overlap(device).map(|note| note.with_place(&device.label)));
        periods::set(&mut device.steps, &ends);
    }
    let kinds = kinds::mark(devices, sources, &runs, &names, &found);
    for ((device, source), found) in devices.iter().zip(sources).zip(&found) {
        all_notes.extend(notes::of_device(device, source, found.as_ref()));
    }
    all_notes.extend(outside);
    all_notes.extend(kinds::notes(&kinds));
    (kinds, all_notes)
}

/// Returns the steps of each device, of the first level that finds steps on most devices, and the levels before it with
/// the reason of the first device on which they find none.
fn choose(inputs: &[level::Input<'_>], by: &StepsBy) -> (Vec<Option<FoundSteps>>, Vec<(Level, Rejection)>) {
    let mut rejected = Vec::new();
    let n_devices = inputs.iter().filter(|input| !input.source.is_empty()).count();
    // The steps of the first level that finds some on a device.
    let mut own: Vec<Option<FoundSteps>> = vec![None; inputs.len()];
    for level in by.levels() {
        let found: Vec<Outcome> = inputs.iter().map(|input| input.find(&level)).collect();
        let n = found.iter().filter(|outcome| outcome.is_ok()).count();
        if n > 0 && n as f64 >= n_devices as f64 * DEVICES {
            return (found.into_iter().map(Result::ok).collect(), rejected);
        }
        let is_pattern = |outcome: &Outcome| matches!(outcome, Err(Rejection::Pattern { .. }));
        // Programs that are dispatched alone make no step at any later level.
        let is_over = n == 0 && found.iter().any(is_pattern);
        let mut reason = None;
        for ((outcome, input), own) in found.into_iter().zip(inputs).zip(&mut own) {
            match outcome {
                Ok(steps) => *own = own.take().or(Some(steps)),
                Err(why) if !input.source.is_empty() => reason = reason.or(Some(why)),
                Err(_) => {}
            }
        }
        rejected.extend(reason.map(|reason| (level, reason)));
        if is_over {
            return (own, rejected);
        }
    }
    // Few steps are better than none, if the capture names them.
    if *by == StepsBy::FirstThatFits {
        for (input, own) in inputs.iter().zip(&mut own) {
            *own = own.take().or_else(|| input.few_steps());
        }
    }
    (own, rejected)
}

impl StepBasis {
    /// Returns the name in JSON.
    pub const fn key(&self) -> &'static str {
        match self {
            Self::StepsLine => "line",
            Self::Annotations { .. } => "annotation",
            Self::Sequence { .. } => "sequence",
            Self::Modules { .. } => "program",
            Self::None => "none",
        }
    }

    /// Returns whether events of the `Steps` line make the steps.
    pub const fn is_of_line(&self) -> bool {
        matches!(self, Self::StepsLine | Self::Annotations { of_line: true, .. })
    }

    /// Returns whether each step has one event or run, so that its length tells how long the device worked for it.
    pub const fn is_of_one_part(&self) -> bool {
        match self {
            Self::StepsLine | Self::Modules { .. } => true,
            Self::Annotations { n_parts, .. } => *n_parts == 1,
            Self::Sequence { .. } | Self::None => false,
        }
    }
}

impl Device {
    /// Returns the steps that count for means, in order of their start: the steady ones of the kind with the largest share.
    pub fn steady_steps(&self) -> impl Iterator<Item = &Step> {
        self.steady_steps_of(StepChoice::Mean)
    }

    /// Returns the steady steps of the kind of a mean, in order of their start.
    pub fn steady_steps_of(&self, choice: StepChoice) -> impl Iterator<Item = &Step> {
        let kind = if let StepChoice::Kind(kind) = choice { kind } else { self.main_kind };
        self.steps.iter().filter(move |step| step.kind == kind && step.not_steady.is_none())
    }

    /// Returns whether the numbers of the steps are those of the program, which all hosts share. Steps that are counted from
    /// 0 may begin at different steps of the program.
    pub fn has_stated_numbers(&self) -> bool {
        let is_counted = || self.steps.iter().zip(0..).all(|(step, number)| step.number == number);
        match self.basis {
            StepBasis::StepsLine => true,
            StepBasis::Annotations { .. } => !is_counted(),
            StepBasis::Sequence { .. } | StepBasis::Modules { .. } | StepBasis::None => false,
        }
    }

    /// Returns why a step does not count for the mean of the main kind; `None` if it counts.
    pub fn left_out(&self, step: &Step) -> Option<NotSteady> {
        step.not_steady.or_else(|| (step.kind != self.main_kind).then_some(NotSteady::OtherKind))
    }
}
