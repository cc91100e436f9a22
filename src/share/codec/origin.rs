//! This module visits the origin of a report: files, devices, window, totals, notes and steps.

use super::defaults;
use super::visit::{Number, Text, Visit, VisitResult, each};
use crate::analysis::base::{DeviceChoice, Header, NotSteady, Spread, Status, StepChoice, Totals};
use crate::analysis::breakdown::{AcrossDevices, DeviceSteps, KindTimes, StepStats, StepTime};
use crate::analysis::files::FileInfo;
use crate::profile::{Note, NoteCode, Severity};
use crate::share::report::{Origin, ReportDevice};
use crate::small_sort::collect_map;
use crate::units::{Count, Picos};

pub(super) fn origin(v: &mut dyn Visit, of: &mut Origin) -> VisitResult {
    let file = || FileInfo { name: String::new(), bytes: 0, format: String::new() };
    v.rows(&mut of.files, file)?;
    each(&mut of.files, |file| v.string(&mut file.name, Text::File))?;
    each(&mut of.files, |file| v.exact(&mut file.bytes))?;
    each(&mut of.files, |file| v.string(&mut file.format, Text::Word))?;
    v.rows(&mut of.devices, ReportDevice::default)?;
    each(&mut of.devices, |device| v.string(&mut device.label, Text::Device))?;
    each(&mut of.devices, |device| v.string(&mut device.name, Text::Device))?;
    each(&mut of.devices, |device| v.text(&mut device.device_type, None, Text::Chip))?;
    each(&mut of.devices, |device| v.exact(&mut device.n_ops))?;
    each(&mut of.devices, |device| v.time(&mut device.busy))?;
    device(v, &mut of.device)?;
    step(v, &mut of.step)?;
    v.optional_small(&mut of.n_hosts)?;
    v.exact(&mut of.n_events)?;
    v.text(&mut of.partial, None, Text::Sentence)?;
    v.one_of(&mut of.level, &(0..=100).collect::<Vec<u8>>())?;
    v.flag(&mut of.has_sources)?;
    v.flag(&mut of.is_anonymous)
}

fn device(v: &mut dyn Visit, of: &mut DeviceChoice) -> VisitResult {
    let mut one = match of {
        DeviceChoice::One(at) => Some(*at),
        DeviceChoice::Mean | DeviceChoice::All => None,
    };
    v.optional_small(&mut one)?;
    let mut is_mean = *of == DeviceChoice::Mean;
    if v.version() >= 2 {
        v.flag(&mut is_mean)?;
    }
    let several = if is_mean { DeviceChoice::Mean } else { DeviceChoice::All };
    *of = one.map_or(several, DeviceChoice::One);
    Ok(())
}

fn step(v: &mut dyn Visit, of: &mut StepChoice) -> VisitResult {
    let (mut is_all, mut number) = match of {
        // A range is written in the header alone.
        StepChoice::Busiest | StepChoice::Mean | StepChoice::Kind(_) | StepChoice::Range(_) => (false, None),
        StepChoice::Number(number) => (false, Some(*number)),
        StepChoice::All => (true, None),
    };
    v.flag(&mut is_all)?;
    v.optional(&mut number)?;
    let mut is_mean = of.is_mean();
    if v.version() >= 2 {
        v.flag(&mut is_mean)?;
    }
    *of = match (is_all, number) {
        (true, _) => StepChoice::All,
        (false, Some(number)) => StepChoice::Number(number),
        (false, None) if is_mean => StepChoice::Mean,
        (false, None) => StepChoice::Busiest,
    };
    Ok(())
}

pub(super) fn header(v: &mut dyn Visit, of: &mut Header) -> VisitResult {
    v.one_of(&mut of.status, &[Status::Ok, Status::Partial, Status::Absent])?;
    v.text(&mut of.device, None, Text::Device)?;
    v.small(&mut of.n_devices)?;
    v.text(&mut of.device_type, None, Text::Chip)?;
    v.string(&mut of.step, Text::Word)?;
    if v.version() >= 2 {
        v.optional_small(&mut of.mean.n_steps)?;
        v.optional_small(&mut of.mean.n_devices)?;
        spread(v, &mut of.mean.periods)?;
    }
    if v.version() >= 5 {
        v.text(&mut of.mean.kind, None, Text::Program)?;
        v.text(&mut of.mean.step_is, None, Text::Sentence)?;
    }
    v.small(&mut of.n_steps)?;
    let (mut from, mut to) = (of.window.map(|window| window.0), of.window.map(|window| window.1));
    v.optional_time(&mut from)?;
    v.optional_time(&mut to)?;
    of.window = from.zip(to);
    v.optional_time(&mut of.step_duration)?;
    v.real(&mut of.peaks.flops, None)?;
    v.real(&mut of.peaks.hbm_bytes, None)
}

pub(super) fn totals(v: &mut dyn Visit, of: &mut Totals) -> VisitResult {
    v.executions(&mut of.n_events, Count::ZERO)?;
    v.executions(&mut of.n_unresolved, Count::ZERO)?;
    each(&mut of.by_kind, |kind| v.time(kind))?;
    v.time(&mut of.container_inclusive)?;
    v.time(&mut of.busy)?;
    v.time_with_usual(&mut of.union, of.busy)?;
    v.time(&mut of.idle)?;
    let mut unknown: Vec<(String, Picos)> = std::mem::take(&mut of.unknown_categories).into_iter().collect();
    v.rows(&mut unknown, Default::default)?;
    each(&mut unknown, |(name, _)| v.string(name, Text::Category))?;
    each(&mut unknown, |(_, time)| v.time(time))?;
    of.unknown_categories = collect_map(unknown);
    Ok(())
}

const SEVERITIES: [Severity; 3] = [Severity::Info, Severity::Caution, Severity::Partial];

pub(super) fn notes(v: &mut dyn Visit, of: &mut Vec<Note>) -> VisitResult {
    v.rows(of, defaults::note)?;
    each(of, |note| v.one_of(&mut note.severity, &SEVERITIES))?;
    each(of, |note| {
        let mut name = note.code.key().to_owned();
        v.string(&mut name, Text::Word)?;
        note.code = name.parse().unwrap_or(NoteCode::Unknown);
        Ok(())
    })?;
    each(of, |note| v.string(&mut note.message, Text::Sentence))?;
    each(of, |note| v.text(&mut note.place, None, Text::Sentence))
}

pub(super) fn steps(v: &mut dyn Visit, of: &mut StepStats) -> VisitResult {
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
    v.rows(&mut of.devices, device)?;
    each(&mut of.devices, |device| v.string(&mut device.label, Text::Device))?;
    each(&mut of.devices, |device| spread(v, &mut device.all))?;
    each(&mut of.devices, |device| spread(v, &mut device.steady))?;
    each(&mut of.devices, |device| times(v, &mut device.steps))?;
    if v.version() >= 2 {
        each(&mut of.devices, |device| v.flag(&mut device.has_few_steady))?;
    }
    if v.version() >= 5 {
        each(&mut of.devices, |device| kinds(v, &mut device.kinds))?;
        each(&mut of.devices, |device| v.string(&mut device.found_by, Text::Word))?;
        each(&mut of.devices, |device| v.time(&mut device.outside))?;
    }
    v.rows(&mut of.spread, defaults::across_devices)?;
    each(&mut of.spread, |step: &mut AcrossDevices| v.exact(&mut step.number))?;
    each(&mut of.spread, |step| v.small(&mut step.n_devices))?;
    each(&mut of.spread, |step| v.time(&mut step.min))?;
    each(&mut of.spread, |step| v.time(&mut step.max))?;
    each(&mut of.spread, |step| v.time(&mut step.mean))?;
    each(&mut of.spread, |step| v.string(&mut step.slowest, Text::Device))?;
    each(&mut of.spread, |step| v.float(&mut step.spread, 0.0))
}

fn kinds(v: &mut dyn Visit, of: &mut Vec<KindTimes>) -> VisitResult {
    v.rows(of, KindTimes::default)?;
    each(of, |kind| v.string(&mut kind.name, Text::Program))?;
    each(of, |kind| v.small(&mut kind.n_steps))?;
    each(of, |kind| v.exact(&mut kind.first_step))?;
    each(of, |kind| v.real(&mut kind.share, None))?;
    each(of, |kind| spread(v, &mut kind.periods))?;
    each(of, |kind| v.real(&mut kind.p90, None))
}

pub(super) fn spread(v: &mut dyn Visit, of: &mut Option<Spread>) -> VisitResult {
    v.present(of, Spread::default)?;
    let Some(of) = of else { return Ok(()) };
    v.small(&mut of.n)?;
    v.float(&mut of.mean, 0.0)?;
    v.float(&mut of.median, of.mean)?;
    v.time(&mut of.min)?;
    v.time_with_usual(&mut of.max, of.min)?;
    v.real(&mut of.std_dev, None)?;
    if v.version() >= 2 {
        v.float(&mut of.quartiles[0], of.median)?;
        v.float(&mut of.quartiles[1], of.median)?;
    }
    Ok(())
}

fn times(v: &mut dyn Visit, of: &mut Vec<StepTime>) -> VisitResult {
    v.rows(of, defaults::step)?;
    let mut next = 0_u64;
    each(of, |step| {
        v.number(&mut step.number, next, Number::Exact)?;
        next = step.number.wrapping_add(1);
        Ok(())
    })?;
    each(of, |step| v.string_with_usual(&mut step.name, &step.number.to_string(), Text::Program))?;
    each(of, |step| v.time(&mut step.length))?;
    if v.version() >= 2 {
        each(of, |step| v.time_with_usual(&mut step.duration, step.length))?;
        each(of, |step| v.optional_one_of(&mut step.not_steady, &NotSteady::ALL))?;
    } else {
        of.iter_mut().for_each(|step| step.duration = step.length);
    }
    each(of, |step| v.time(&mut step.busy))?;
    each(of, |step| v.time_with_usual(&mut step.idle, step.length.saturating_sub(step.busy)))?;
    each(of, |step| step.by_kind.iter_mut().try_for_each(|kind| v.amount(&mut kind.0)))?;
    each(of, |step| v.exact(&mut step.n_ops))
}
