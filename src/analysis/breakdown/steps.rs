//! This module compares steps: their length, their time per kind, and the differences over time and over devices.
//!
//! ```text
//!  line ──self_time──► stretches ──► the steps they lie in      one pass per device, however many steps
//!  TPU:0  ├─ 0 ─┤├── 1 ──┤├─ 2 ─┤      mean, median, deviation, of all steps and of the steady ones
//!  TPU:1  ├─ 0 ──┤├── 1 ──┤├─ 2 ─┤     spread of step 0 = (longest − shortest) ÷ mean
//! ```
//!
//! The figures of a step equal those of a breakdown of that step: Σ kinds = busy, and with one op line busy + idle =
//! length. The length of a step is its period (`base::periods`).

use crate::analysis::base::analysis::Analysis;
use crate::analysis::base::spread::quantile;
use crate::analysis::base::{Device, Interval, NotSteady, Spread, Step, StepKind, intervals, self_time};
use crate::analysis::classify::PlaneFacts;
use serde::{Deserialize, Serialize};
use xla_profile::profile::Profile;
use xla_profile::units::Picos;

/// The steps of all devices, and their differences.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepStats {
    /// Steps by device, in the order of the session's devices.
    pub devices: Vec<DeviceSteps>,
    /// Steps that several devices have, by number.
    pub spread: Vec<AcrossDevices>,
}

/// The steps of a device, with their statistics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceSteps {
    pub label: String,
    /// Steps in order of their start.
    pub steps: Vec<StepTime>,
    /// Statistics of the lengths of all steps; `None` if there are none.
    pub all: Option<Spread>,
    /// Statistics of the periods of steady steps; `None` if no step has a period.
    pub steady: Option<Spread>,
    /// Whether fewer than three steps are steady, so that all steps with a period count as steady.
    pub has_few_steady: bool,
    /// The kinds of steps, the one with the most time first. Empty if there are no steps.
    pub kinds: Vec<KindTimes>,
    /// The way in which the steps were found: `line`, `annotation`, `sequence`, `program` or `none`.
    pub found_by: String,
    /// Time from the first to the last op that is in no step.
    pub outside: Picos,
}

/// The times of the steps of one kind on a device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KindTimes {
    /// The name, such as `decode`.
    pub name: String,
    /// Number of steps, including those without a period.
    pub n_steps: u32,
    /// Number of the first step.
    pub first_step: u64,
    /// Share of the sum of all periods, a fraction. `None` if no step has a period.
    pub share: Option<f64>,
    /// Statistics of the periods. `None` if no step of the kind has a period.
    pub periods: Option<Spread>,
    /// The period that nine tenths of the steps do not exceed, in ps, by linear interpolation between neighbours.
    pub p90: Option<f64>,
}

/// The times of one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepTime {
    pub number: u64,
    /// The name of the `Steps` event, or of the program.
    pub name: String,
    /// The length of the step's window: its period, or its event if the step has no period. The times of ops below are
    /// those in the window.
    pub length: Picos,
    /// The length of the step's event, which leaves out the time until the next step.
    pub duration: Picos,
    /// The reason why the step is not steady; `None` for a steady step.
    pub not_steady: Option<NotSteady>,
    /// Self time of all ops, summed over op lines.
    pub busy: Picos,
    /// Time in which no op runs on any line.
    pub idle: Picos,
    /// Self time per kind, by [`crate::analysis::classify::Kind::index`].
    pub by_kind: [Picos; 7],
    /// Number of op executions that start in the step.
    pub n_ops: u64,
}

impl StepStats {
    /// Returns the first `max_steps` steps of each device. The statistics are those of all steps.
    #[must_use]
    pub fn first_steps(&self, max_steps: usize) -> Self {
        let device = |device: &DeviceSteps| DeviceSteps {
            label: device.label.clone(),
            steps: device.steps.iter().take(max_steps).cloned().collect(),
            all: device.all,
            steady: device.steady,
            has_few_steady: device.has_few_steady,
            kinds: device.kinds.clone(),
            found_by: device.found_by.clone(),
            outside: device.outside,
        };
        let spread = self.spread.iter().take(max_steps).cloned().collect();
        Self { devices: self.devices.iter().map(device).collect(), spread }
    }
}

impl StepTime {
    /// Returns the period of the step: the time from its start to the start of the next step. `None` for the last step.
    pub fn period(&self) -> Option<Picos> {
        (!matches!(self.not_steady, Some(NotSteady::NoPeriod | NotSteady::Cut))).then_some(self.length)
    }
}

/// The durations of the events of one step on several devices, or its periods if a step has several runs and no event. Periods are
/// the same on devices that run in lockstep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AcrossDevices {
    pub number: u64,
    /// Number of devices that have the step.
    pub n_devices: u32,
    pub min: Picos,
    pub max: Picos,
    /// Mean, rounded down to the picosecond.
    pub mean: Picos,
    /// Label of the device with the longest step; of several, the first one.
    pub slowest: String,
    /// (longest − shortest) ÷ mean, a fraction; more than 0.05 is an imbalance.
    pub spread: f64,
}

impl Analysis {
    /// Returns the steps of all devices with their statistics.
    pub fn step_stats(&self, profile: &Profile) -> StepStats {
        self.step_stats_within(profile, usize::MAX)
    }

    /// Returns the first `max_steps` steps of all devices. The statistics are those of all steps.
    pub fn step_stats_within(&self, profile: &Profile, max_steps: usize) -> StepStats {
        let devices = (0..self.devices.len()).filter_map(|device| self.step_stats_of(profile, device, max_steps));
        let mut spread = self.step_spread(profile);
        spread.truncate(max_steps);
        StepStats { devices: devices.collect(), spread }
    }

    /// Returns the first `max_steps` steps of one device. The statistics are those of all steps. `None` if the session has no
    /// device with this index.
    pub fn step_stats_of(&self, profile: &Profile, device: usize, max_steps: usize) -> Option<DeviceSteps> {
        let steps = self.step_times(profile, device, max_steps)?;
        let device = self.devices.get(device)?;
        let all = Spread::new(device.steps.iter().map(Step::length).collect());
        let steady = Spread::new(device.steady_steps().map(Step::length).collect());
        let in_steps: Picos = device.steps.iter().map(Step::length).sum();
        Some(DeviceSteps {
            label: device.label.clone(),
            all,
            steady,
            has_few_steady: device.has_few_steady,
            steps,
            kinds: self.kind_times(device),
            found_by: device.basis.key().to_owned(),
            outside: Picos(device.whole.1 - device.whole.0).saturating_sub(in_steps),
        })
    }

    /// Returns the times of each kind of steps of a device.
    fn kind_times(&self, device: &Device) -> Vec<KindTimes> {
        let periods = |kind: Option<u16>| -> Vec<Picos> {
            let is_of = |step: &&Step| step.has_period && kind.is_none_or(|kind| step.kind == kind);
            device.steps.iter().filter(is_of).map(Step::length).collect()
        };
        let total: Picos = periods(None).into_iter().sum();
        let times = |(kind, kind_info): (u16, &StepKind)| {
            let steps = || device.steps.iter().filter(|step| step.kind == kind);
            let first_step = steps().next()?.number;
            let lengths = periods(Some(kind));
            Some(KindTimes {
                name: kind_info.name.clone(),
                n_steps: steps().count() as u32,
                first_step,
                share: lengths.iter().copied().sum::<Picos>().fraction_of(total),
                p90: quantile(lengths.clone(), 0.9),
                periods: Spread::new(lengths),
            })
        };
        (0..).zip(&self.kinds).filter_map(times).collect()
    }

    /// Returns the times of the first `max_steps` steps of a device. `None` if the session has no device with this index.
    pub(in crate::analysis) fn step_times(
        &self,
        profile: &Profile,
        device: usize,
        max_steps: usize,
    ) -> Option<Vec<StepTime>> {
        let (device, facts) = self.devices.get(device).zip(self.facts.get(device))?;
        Some(step_times(profile, device, facts, max_steps, &|step| self.step_name(profile, device, step)))
    }

    /// Compares the durations of each step on the devices that have it. No event of an op is read.
    pub(in crate::analysis) fn step_spread(&self, profile: &Profile) -> Vec<AcrossDevices> {
        // If steps of different hosts cannot be matched, only devices of the first host with steps are compared.
        let file = |device: &Device| profile.planes[device.plane].file;
        let first = self.devices.iter().find(|device| !device.steps.is_empty()).map(file);
        let is_compared = |device: &&Device| self.hosts_aligned || Some(file(device)) == first;
        compare_devices(self.devices.iter().filter(is_compared))
    }
}

fn step_times<'p>(
    profile: &'p Profile,
    device: &Device,
    facts: &PlaneFacts,
    max_steps: usize,
    name: &dyn Fn(&Step) -> &'p str,
) -> Vec<StepTime> {
    let plane = &profile.planes[device.plane];
    let listed = &device.steps[..device.steps.len().min(max_steps)];
    if listed.is_empty() {
        return Vec::new();
    }
    let time = |s: &Step| StepTime {
        number: s.number,
        name: name(s).to_owned(),
        length: s.length(),
        duration: s.duration,
        not_steady: device.left_out(s),
        busy: Picos::ZERO,
        idle: s.length(),
        by_kind: [Picos::ZERO; 7],
        n_ops: s.n_ops.into(),
    };
    let mut times: Vec<StepTime> = listed.iter().map(time).collect();
    let mut covered: Vec<Interval> = Vec::new();
    let several = device.ops.len() > 1;
    for line in device.ops.iter().map(|i| &plane.lines[*i]) {
        let Some(events) = intervals(line, device.step_clock) else { continue };
        let mut open = Open::default();
        self_time(&events, |event, from, to| {
            let kind = facts.ops[line.events.op(event).0 as usize].kind;
            open.each(listed, (from, to), |step, length| {
                times[step].busy += Picos(length);
                times[step].by_kind[kind.index()] += Picos(length);
                if !several {
                    times[step].idle = times[step].idle.saturating_sub(Picos(length));
                }
            });
            if several {
                covered.push((from, to));
            }
        });
    }
    let mut open = Open::default();
    for stretch in merged(covered) {
        open.each(listed, stretch, |step, length| {
            times[step].idle = times[step].idle.saturating_sub(Picos(length));
        });
    }
    times
}

/// The steps that are open while stretches pass in order of time. Steps may overlap.
#[derive(Default)]
pub(in crate::analysis) struct Open {
    next: usize,
    steps: Vec<usize>,
}

impl Open {
    /// Calls `found` for each step that a stretch overlaps, with the index of the step and the overlap in ps.
    pub(in crate::analysis) fn each(
        &mut self,
        steps: &[Step],
        (from, to): Interval,
        mut found: impl FnMut(usize, u64),
    ) {
        while steps.get(self.next).is_some_and(|s| s.window.0 < to) {
            self.steps.push(self.next);
            self.next += 1;
        }
        self.steps.retain(|i| steps[*i].window.1 > from);
        for i in &self.steps {
            let (start, end) = steps[*i].window;
            found(*i, to.min(end).saturating_sub(from.max(start)));
        }
    }
}

/// Returns sorted, disjoint intervals that cover the same time.
fn merged(mut intervals: Vec<Interval>) -> Vec<Interval> {
    intervals.sort_unstable();
    let mut merged: Vec<Interval> = Vec::new();
    for (start, end) in intervals {
        match merged.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    merged
}

fn compare_devices<'a>(devices: impl Iterator<Item = &'a Device>) -> Vec<AcrossDevices> {
    let devices: Vec<&Device> = devices.filter(|device| !device.steps.is_empty()).collect();
    if devices.len() < 2 {
        return Vec::new();
    }
    // A step of several runs has no event. The stages of a pipeline begin it at different times, so their periods are compared.
    let length = |device: &Device, step: &Step| {
        if device.basis.is_of_one_part() { Some(step.duration) } else { step.has_period.then(|| step.length()) }
    };
    let of_device = |(index, device): (usize, &&'a Device)| {
        let device = *device;
        device.steps.iter().filter_map(move |step| Some((step.number, index, length(device, step)?)))
    };
    let mut all: Vec<(u64, usize, Picos)> = devices.iter().enumerate().flat_map(of_device).collect();
    // The order is that of numbers, and of devices with the same number.
    all.sort_unstable();
    let stats = |all: &[(u64, usize, Picos)]| {
        let min = all.iter().map(|(.., d)| *d).min()?;
        let (number, slowest, max) = *all.iter().rev().max_by_key(|(.., d)| *d)?;
        let sum: u128 = all.iter().map(|(.., d)| u128::from(d.0)).sum();
        let mean = Picos(u64::try_from(sum / all.len() as u128).unwrap_or(u64::MAX));
        let spread = max.saturating_sub(min).fraction_of(mean)?;
        let n_devices = all.len() as u32;
        (n_devices > 1).then(|| AcrossDevices {
            number,
            n_devices,
            min,
            max,
            mean,
            slowest: devices[slowest].label.clone(),
            spread,
        })
    };
    all.chunk_by(|(a, ..), (b, ..)| a == b).filter_map(stats).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_merged() {
        assert_eq!(merged(vec![(5, 9), (0, 3), (2, 5), (11, 12)]), [(0, 9), (11, 12)]);
        assert!(merged(Vec::new()).is_empty());
    }
}
