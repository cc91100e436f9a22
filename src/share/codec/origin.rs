//! This module visits the origin of a report: files, devices, window, totals, notes and steps.

use super::defaults;
use super::visit::{Number, Text, Visit, VisitResult, each};
use crate::analysis::base::{DeviceChoice, Header, NotSteady, Spread, Status, StepChoice, Totals};
use crate::analysis::breakdown::{AcrossDevices, DeviceSteps, KindTimes, StepStats, StepTime};
use crate::analysis::files::FileInfo;
use crate::share::report::{Origin, ReportDevice};
use xla_profile::profile::{Note, NoteCode, Severity};
use xla_profile::small_sort::collect_map;
use xla_profile::units::{Count, Picos};

pub(super) fn origin(v: &mut dyn Visit, origin: &mut Origin) -> VisitResult {
    let file = || FileInfo { name: String::new(), bytes: 0, format: String::new() };
    v.rows(&mut origin.files, file)?;
    each(&mut origin.files, |file| v.string(&mut file.name, Text::File))?;
    each(&mut origin.files, |file| v.exact(&mut file.bytes))?;
    each(&mut origin.files, |file| v.string(&mut file.format, Text::Word))?;
    v.rows(&mut origin.devices, ReportDevice::default)?;
    each(&mut origin.devices, |device| v.string(&mut device.label, Text::Device))?;
    each(&mut origin.devices, |device| v.string(&mut device.name, Text::Device))?;
    each(&mut origin.devices, |device| v.text(&mut device.device_type, None, Text::Chip))?;
    each(&mut origin.devices, |device| v.exact(&mut device.n_ops))?;
    each(&mut origin.devices, |device| v.time(&mut device.busy))?;
    device(v, &mut origin.device)?;
    step(v, &mut origin.step)?;
    v.optional_small(&mut origin.n_hosts)?;
    v.exact(&mut origin.n_events)?;
    v.text(&mut origin.partial, None, Text::Sentence)?;
    v.one_of(&mut origin.level, &(0..=100).collect::<Vec<u8>>())?;
    v.flag(&mut origin.has_sources)?;
    v.flag(&mut origin.is_anonymous)
}

fn device(v: &mut dyn Visit, device: &mut DeviceChoice) -> VisitResult {
    let mut one = match device {
        DeviceChoice::One(index) => Some(*index),
        DeviceChoice::Mean | DeviceChoice::All => None,
    };
    v.optional_small(&mut one)?;
    let mut is_mean = *device == DeviceChoice::Mean;
    if v.version() >= 2 {
        v.flag(&mut is_mean)?;
    }
    let several = if is_mean { DeviceChoice::Mean } else { DeviceChoice::All };
    *device = one.map_or(several, DeviceChoice::One);
    Ok(())
}

fn step(v: &mut dyn Visit, step: &mut StepChoice) -> VisitResult {
    let (mut is_all, mut number) = match step {
        // A range is written in the header alone.
        StepChoice::Busiest | StepChoice::Mean | StepChoice::Kind(_) | StepChoice::Range(_) => (false, None),
        StepChoice::Number(number) => (false, Some(*number)),
        StepChoice::All => (true, None),
    };
    v.flag(&mut is_all)?;
    v.optional(&mut number)?;
    let mut is_mean = step.is_mean();
    if v.version() >= 2 {
        v.flag(&mut is_mean)?;
    }
    *step = match (is_all, number) {
        (true, _) => StepChoice::All,
        (false, Some(number)) => StepChoice::Number(number),
        (false, None) if is_mean => StepChoice::Mean,
        (false, None) => StepChoice::Busiest,
    };
    Ok(())
}

pub(super) fn header(v: &mut dyn Visit, header: &mut Header) -> VisitResult {
    v.one_of(&mut header.status, &[Status::Ok, Status::Partial, Status::Absent])?;
    v.text(&mut header.device, None, Text::Device)?;
    v.small(&mut header.n_devices)?;
    v.text(&mut header.device_type, None, Text::Chip)?;
    v.string(&mut header.step, Text::Word)?;
    if v.version() >= 2 {
        v.optional_small(&mut header.mean.n_steps)?;
        v.optional_small(&mut header.mean.n_devices)?;
        spread(v, &mut header.mean.periods)?;
    }
    if v.version() >= 5 {
        v.text(&mut header.mean.kind, None, Text::Program)?;
        v.text(&mut header.mean.step_is, None, Text::Sentence)?;
    }
    v.small(&mut header.n_steps)?;
    let (mut from, mut to) = (header.window.map(|window| window.0), header.window.map(|window| window.1));
    v.optional_time(&mut from)?;
    v.optional_time(&mut to)?;
    header.window = from.zip(to);
    v.optional_time(&mut header.step_duration)?;
    v.real(&mut header.peaks.flops, None)?;
    v.real(&mut header.peaks.hbm_bytes, None)
}

pub(super) fn totals(v: &mut dyn Visit, totals: &mut Totals) -> VisitResult {
    v.executions(&mut totals.n_events, Count::ZERO)?;
    v.executions(&mut totals.n_unresolved, Count::ZERO)?;
    each(&mut totals.by_kind, |kind| v.time(kind))?;
    v.time(&mut totals.container_inclusive)?;
    v.time(&mut totals.busy)?;
    v.time_with_usual(&mut totals.union, totals.busy)?;
    v.time(&mut totals.idle)?;
    let mut unknown: Vec<(String, Picos)> = std::mem::take(&mut totals.unknown_categories).into_iter().collect();
    v.rows(&mut unknown, Default::default)?;
    each(&mut unknown, |(name, _)| v.string(name, Text::Category))?;
    each(&mut unknown, |(_, time)| v.time(time))?;
    totals.unknown_categories = collect_map(unknown);
    Ok(())
}

const SEVERITIES: [Severity; 3] = [Severity::Info, Severity::Caution, Severity::Partial];

pub(super) fn notes(v: &mut dyn Visit, notes: &mut Vec<Note>) -> VisitResult {
    v.rows(notes, defaults::note)?;
    each(notes, |note| v.one_of(&mut note.severity, &SEVERITIES))?;
    each(notes, |note| {
        let mut name = note.code.key().to_owned();
        v.string(&mut name, Text::Word)?;
        note.code = name.parse().unwrap_or(NoteCode::Unknown);
        Ok(())
    })?;
    each(notes, |note| v.string(&mut note.message, Text::Sentence))?;
    each(notes, |note| v.text(&mut note.place, None, Text::Sentence))
}

pub(super) fn steps(v: &mut dyn Visit, steps: &mut StepStats) -> VisitResult {
    let device = || DeviceSteps {
        label: String::new(),
        steps: Vec::new(),
        all: None,
        steady: None,
        has_few_steady: false,
        kinds: Vec::new(),
        found_by: String::new(),
        outside: Picos::ZERO,
    };
    v.rows(&mut steps.devices, device)?;
    each(&mut steps.devices, |device| v.string(&mut device.label, Text::Device))?;
    each(&mut steps.devices, |device| spread(v, &mut device.all))?;
    each(&mut steps.devices, |device| spread(v, &mut device.steady))?;
    each(&mut steps.devices, |device| times(v, &mut device.steps))?;
    if v.version() >= 2 {
        each(&mut steps.devices, |device| v.flag(&mut device.has_few_steady))?;
    }
    if v.version() >= 5 {
        each(&mut steps.devices, |device| kinds(v, &mut device.kinds))?;
        each(&mut steps.devices, |device| v.string(&mut device.found_by, Text::Word))?;
        each(&mut steps.devices, |device| v.time(&mut device.outside))?;
    }
    v.rows(&mut steps.spread, defaults::across_devices)?;
    each(&mut steps.spread, |step: &mut AcrossDevices| v.exact(&mut step.number))?;
    each(&mut steps.spread, |step| v.small(&mut step.n_devices))?;
    each(&mut steps.spread, |step| v.time(&mut step.min))?;
    each(&mut steps.spread, |step| v.time(&mut step.max))?;
    each(&mut steps.spread, |step| v.time(&mut step.mean))?;
    each(&mut steps.spread, |step| v.string(&mut step.slowest, Text::Device))?;
    each(&mut steps.spread, |step| v.float(&mut step.spread, 0.0))
}

fn kinds(v: &mut dyn Visit, times: &mut Vec<KindTimes>) -> VisitResult {
    v.rows(times, KindTimes::default)?;
    each(times, |kind| v.string(&mut kind.name, Text::Program))?;
    each(times, |kind| v.small(&mut kind.n_steps))?;
    each(times, |kind| v.exact(&mut kind.first_step))?;
    each(times, |kind| v.real(&mut kind.share, None))?;
    each(times, |kind| spread(v, &mut kind.periods))?;
    each(times, |kind| v.real(&mut kind.p90, None))
}

pub(super) fn spread(v: &mut dyn Visit, spread: &mut Option<Spread>) -> VisitResult {
    v.present(spread, Spread::default)?;
    let Some(spread) = spread else { return Ok(()) };
    v.small(&mut spread.n)?;
    v.float(&mut spread.mean, 0.0)?;
    v.float(&mut spread.median, spread.mean)?;
    v.time(&mut spread.min)?;
    v.time_with_usual(&mut spread.max, spread.min)?;
    v.real(&mut spread.std_dev, None)?;
    if v.version() >= 2 {
        v.float(&mut spread.quartiles[0], spread.median)?;
        v.float(&mut spread.quartiles[1], spread.median)?;
    }
    Ok(())
}

fn times(v: &mut dyn Visit, steps: &mut Vec<StepTime>) -> VisitResult {
    v.rows(steps, defaults::step)?;
    let mut next = 0_u64;
    each(steps, |step| {
        v.number(&mut step.number, next, Number::Exact)?;
        next = step.number.wrapping_add(1);
        Ok(())
    })?;
    each(steps, |step| v.string_with_usual(&mut step.name, &step.number.to_string(), Text::Program))?;
    each(steps, |step| v.time(&mut step.length))?;
    if v.version() >= 2 {
        each(steps, |step| v.time_with_usual(&mut step.duration, step.length))?;
        each(steps, |step| v.optional_one_of(&mut step.not_steady, &NotSteady::ALL))?;
    } else {
        steps.iter_mut().for_each(|step| step.duration = step.length);
    }
    each(steps, |step| v.time(&mut step.busy))?;
    each(steps, |step| v.time_with_usual(&mut step.idle, step.length.saturating_sub(step.busy)))?;
    each(steps, |step| step.by_kind.iter_mut().try_for_each(|kind| v.amount(&mut kind.0)))?;
    each(steps, |step| v.exact(&mut step.n_ops))
}
