//! This module defines the levels of steps, and what a level finds on a device.

use super::super::device::{Device, Step, StepBasis};
use super::host_steps::HostSteps;
use super::source::{Names, Run, Source, Unit, Units};
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use xla_profile::profile::Profile;
use xla_profile::units::Picos;

/// A way to find steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Level {
    Linked,
    Line,
    ByTime,
    Sequence,
    Anchors,
    /// Each run of a program with this name starts a step.
    Program(String),
}

/// The way in which steps are found: by the first level that fits, or by one that the user names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum StepsBy {
    #[default]
    FirstThatFits,
    /// The marks of the host.
    Annotation,
    /// The `Steps` line of the device.
    Line,
    /// The smallest sequence of program names that repeats.
    Sequence,
    /// The runs of the program with this name.
    Program(String),
    /// There are no steps, and every view shows the whole capture.
    All,
}

impl StepsBy {
    /// Returns the levels to try, in order.
    pub(super) fn levels(&self) -> Vec<Level> {
        match self {
            Self::FirstThatFits => {
                vec![Level::Linked, Level::Line, Level::ByTime, Level::Sequence, Level::Anchors]
            }
            Self::Annotation => vec![Level::Linked, Level::ByTime],
            Self::Line => vec![Level::Line],
            Self::Sequence => vec![Level::Sequence],
            Self::Program(name) => vec![Level::Program(name.clone())],
            Self::All => Vec::new(),
        }
    }
}

/// The error for a text that names no way to find steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoStepsBy;

impl FromStr for StepsBy {
    type Err = NoStepsBy;

    /// Reads `annotation`, `line`, `sequence`, `program=NAME` or `all`.
    ///
    /// # Errors
    /// Returns an error for any other text.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text.split_once('=') {
            Some(("program", name)) if !name.is_empty() => Self::Program(name.to_owned()),
            None if text == "annotation" => Self::Annotation,
            None if text == "line" => Self::Line,
            None if text == "sequence" => Self::Sequence,
            None if text == "all" => Self::All,
            _ => return Err(NoStepsBy),
        })
    }
}

/// The device on which a level looks for steps.
pub(super) struct Input<'a> {
    pub profile: &'a Profile,
    pub device: &'a Device,
    pub source: &'a Source,
    /// The programs of the runs of `source`.
    pub runs: &'a [Run],
    pub names: &'a Names,
    pub host: &'a HostSteps<'a>,
}

/// Why a level finds no steps.
#[derive(Clone, Debug, PartialEq)]
pub enum Rejection {
    /// The capture does not have what the level needs, so nobody expects steps of it.
    Absent,
    /// Fewer than two steps have runs.
    FewSteps,
    /// The steps hold this share of the time of runs.
    Coverage(f64),
    /// This share of the runs is linked to calls.
    Linked(f64),
    /// Marks of different threads overlap.
    Overlap,
    /// This share of the marks has runs.
    WithoutRuns(f64),
    /// This share of the steps has the programs of another step.
    Unlike(f64),
    /// The sequence is shorter than a step: the names of its programs, and its length in ps.
    Pattern { programs: Vec<String>, n: u64, length: u64 },
}

pub(super) type Outcome = Result<FoundSteps, Rejection>;

/// A step: the units `first..end` belong to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundStep {
    pub first: usize,
    /// The units from here to the first one of the next step are outside of all steps.
    pub end: usize,
    /// The number that the program gave.
    pub number: Option<u64>,
    /// The index of the mark of the host.
    pub host_step: Option<usize>,
}

/// The steps that a level finds on a device.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSteps {
    pub basis: StepBasis,
    /// Whether the units are events of the `Steps` line instead of runs.
    pub of_line: bool,
    pub steps: Vec<FoundStep>,
    /// The names of the marks of the steps; empty if the host marked none.
    pub host_names: Vec<String>,
    /// The share of the time of runs that is in steps.
    pub coverage: f64,
}

/// The least share of the time of runs that is in steps.
pub(super) const COVERAGE: f64 = 0.8;

impl Input<'_> {
    /// Finds steps of a level.
    pub fn find(&self, level: &Level) -> Outcome {
        match level {
            Level::Linked => self.linked(),
            Level::Line => self.line(),
            Level::ByTime => self.by_time(),
            Level::Sequence => self.sequence(),
            Level::Anchors => self.anchors(),
            Level::Program(name) => self.program(name),
        }
    }

    /// Returns the steps if there are two or more, and if they hold `least` of the time of the runs.
    pub fn checked(&self, mut found: FoundSteps, least: f64) -> Outcome {
        if found.steps.len() < 2 {
            return Err(Rejection::FewSteps);
        }
        let length = |runs: &[Run]| runs.iter().map(|run| u128::from(run.length)).sum::<u128>();
        let runs_in = |step: &FoundStep| {
            if !found.of_line {
                return step.first..step.end;
            }
            // A run is in a step of the line if it starts before the next event.
            let (units, runs) = (&self.source.steps.all, &self.source.runs.all);
            let end = units.get(step.end).map_or(units[step.end - 1].event_window.1, |next| next.event_window.0);
            let before = |time: u64| runs.partition_point(|run| run.event_window.0 < time);
            let first = before(units[step.first].event_window.0);
            first..before(end).max(first)
        };
        let total = length(self.runs);
        let inside: u128 = found.steps.iter().map(|step| length(&self.runs[runs_in(step)])).sum();
        let coverage = if total == 0 { 1.0 } else { inside as f64 / total as f64 };
        found.coverage = coverage;
        if coverage < least { Err(Rejection::Coverage(coverage)) } else { Ok(found) }
    }
}

impl FoundSteps {
    /// Sets the steps of a device. Returns the steps, by index, whose period ends before the next step starts, each with the
    /// end of its period on the clock of steps and on the event clock.
    pub fn set_steps(&self, device: &mut Device, source: &Source) -> Vec<(usize, (u64, u64))> {
        let Units { clock, all } = if self.of_line { &source.steps } else { &source.runs };
        device.step_clock = *clock;
        device.basis = self.basis.clone();
        // The event of a step that starts with an anchor is the run of the anchor.
        let is_first_alone = matches!(self.basis, StepBasis::Modules { .. });
        let end_of = |step: &FoundStep, time: fn(&Unit) -> u64| {
            let end = if is_first_alone { step.first + 1 } else { step.end };
            all[step.first..end].iter().map(time).max().unwrap_or_default()
        };
        let mut steps: Vec<Step> = Vec::with_capacity(self.steps.len());
        for (index, found) in self.steps.iter().enumerate() {
            let first = &all[found.first];
            let window = (first.window.0, end_of(found, |unit| unit.window.1).max(first.window.0));
            let event_end = end_of(found, |unit| unit.event_window.1).max(first.event_window.0);
            steps.push(Step {
                number: found.number.unwrap_or(index as u64),
                op: Some(first.op),
                window,
                event_window: (first.event_window.0, event_end),
                has_period: false,
                not_in_file: Picos::ZERO,
                not_steady: None,
                duration: Picos(window.1 - window.0),
                n_ops: 0,
                kind: 0,
            });
        }
        device.steps = steps;
        // A period ends where the first unit outside of all steps starts.
        let ends = self.steps.iter().enumerate().filter_map(|(index, step)| {
            let next = self.steps.get(index + 1)?;
            let outside = all.get(step.end).filter(|_| step.end < next.first)?;
            Some((index, (outside.window.0, outside.event_window.0)))
        });
        ends.collect()
    }
}
