//! This module finds devices whose events end before their work does, or start after it.
//!
//! ```text
//!  TPU:0  ├ run ┤├ run ┤├ run ┤├ run ┤├ run ┤
//!  TPU:1  ├ run ┤├ run ┤├ ru                     ends early: more than a period, and with fewer runs than the others
//!  host    ▫ launch ▫ launch ▫ launch ▫ launch   or: a launch without work, more than a period after the last op
//! ```
//!
//! Only devices of one host that run the same program are compared: the clocks of hosts may differ, and devices with other
//! programs may end at any time.

use super::calls::runs;
use super::host_activity::HostSteps;
use super::launches::{Launches, TAIL};
use super::reads::{HostFile, picos, span_of, spans_of};
use super::sign::{Sign, Span};
use crate::analysis::base::platform::Platform;
use crate::table::format::time_text;
use indexmap::IndexMap;
use xla_profile::profile::{Line, NoteCode, Plane, Profile, Severity};
use xla_profile::small_sort::SmallSort;

/// A device with its runs.
#[derive(Clone)]
struct DeviceEnds {
    plane: usize,
    platform: Platform,
    /// Start of the first op and end of the last one, of lines whose events are in order of their start.
    ops: Span,
    /// Start of the first run and end of the last one. `None` if the capture has no events of runs.
    runs: Option<Span>,
    n_runs: usize,
    /// The name of the program with the most time.
    program: String,
    /// Median time from a run to the next one.
    period: Option<i128>,
}

/// Returns the signs of the devices of all hosts.
pub(super) fn signs(files: &[HostFile<'_>], launches: &[Option<Launches>]) -> Vec<Sign> {
    let files = files.iter().zip(launches).filter(|(file, _)| !file.is_cut());
    files.flat_map(|(file, launches)| of_host(file, launches.as_ref())).collect()
}

fn of_host(file: &HostFile<'_>, launches: Option<&Launches>) -> Vec<Sign> {
    let profile = file.profile;
    // The events of CPUs are those of the host, so that they end with it.
    let planes: Vec<(usize, Platform)> =
        file.devices().into_iter().filter(|(_, platform)| *platform != Platform::Cpu).collect();
    let all: Vec<DeviceEnds> =
        planes.iter().filter_map(|(index, platform)| device_ends(profile, *index, *platform)).collect();
    let mut groups: IndexMap<&str, Vec<&DeviceEnds>> = IndexMap::default();
    all.iter().for_each(|device| groups.entry(&device.program).or_default().push(device));
    let host_period = || HostSteps::new(file).and_then(|steps| steps.period()).map_or(0, |time| i128::from(time.0));
    let mut signs = Vec::new();
    for group in groups.values() {
        let Some(period) = group.iter().filter_map(|device| device.period).max() else { continue };
        // Few captures have a device that may end early, so that the calls of the host are read for these alone.
        let is_alone = all.len() == 1;
        if !is_alone && !group.iter().any(|device| is_unlike(device, group, period)) {
            continue;
        }
        let lost = unrecorded(file, launches);
        let lost = lost.iter().copied().min().zip(lost.iter().copied().max());
        if cut_devices(group, lost, period).iter().all(Vec::is_empty) {
            continue;
        }
        // Lines of a damaged capture are in no order, so that all their events are read before a device is said to be cut.
        let exact: Vec<DeviceEnds> = group.iter().map(|device| with_all_ops(profile, device)).collect();
        let group: Vec<&DeviceEnds> = exact.iter().collect();
        // A step of the host may have several runs of the program.
        let [late, early] = cut_devices(&group, lost, period.max(host_period()));
        signs.extend(sign(profile, &group, &early, true));
        signs.extend(sign(profile, &group, &late, false));
    }
    signs
}

/// Returns the devices that start late and those that end early, by more than a period.
fn cut_devices<'a>(group: &[&'a DeviceEnds], lost: Option<Span>, period: i128) -> [Vec<DeviceTime<'a>>; 2] {
    let [mut late, mut early] = [Vec::new(), Vec::new()];
    for device in group {
        let [before, after] = work_without_ops(device, group, lost);
        late.extend((before > period).then_some((*device, before)));
        early.extend((after > period).then_some((*device, after)));
    }
    [late, early]
}

/// A device, and the time of its work that has no events.
type DeviceTime<'a> = (&'a DeviceEnds, i128);

/// Returns the time between the start of the work of a device and its first op, and the time between its last op and the end of
/// its work. `lost` are the first and the last launch without recorded work.
fn work_without_ops(device: &DeviceEnds, group: &[&DeviceEnds], lost: Option<Span>) -> [i128; 2] {
    let (first, last) = device.ops;
    let sorted = |time: fn(&DeviceEnds) -> i128| {
        let mut times: Vec<i128> = group.iter().map(|other| time(other)).collect();
        times.small_sort_by_key(|time| *time);
        times
    };
    // At least half of the devices end after the lower median, and start before the upper one.
    let (starts, ends) = (sorted(|other| other.ops.0), sorted(|other| other.ops.1));
    let is_short = has_fewer_runs(device, group);
    let of_peers = starts.get(starts.len() / 2).zip(ends.get((ends.len() - 1) / 2)).map(|(start, end)| (*start, *end));
    let work = [of_peers.filter(|_| is_short), device.runs, lost];
    let start = work.iter().flatten().map(|(start, _)| *start).min().unwrap_or(first);
    let end = work.iter().flatten().map(|(_, end)| *end).max().unwrap_or(last);
    [first - start, end - last]
}

/// Returns whether a device ends or starts at another time than the others, or lacks runs that its line of runs has.
fn is_unlike(device: &DeviceEnds, group: &[&DeviceEnds], period: i128) -> bool {
    let last = group.iter().map(|other| other.ops.1).max().unwrap_or(device.ops.1);
    let first = group.iter().map(|other| other.ops.0).min().unwrap_or(device.ops.0);
    let (start, end) = device.runs.unwrap_or(device.ops);
    last.max(end) - device.ops.1 > period || device.ops.0 - first.min(start) > period
}

/// Returns whether a device has fewer runs than most of the others. Without events of runs, that is assumed.
fn has_fewer_runs(device: &DeviceEnds, group: &[&DeviceEnds]) -> bool {
    let mut n_runs: Vec<usize> = group.iter().map(|other| other.n_runs).collect();
    n_runs.small_sort_by_key(|n| *n);
    let usual = n_runs.get(n_runs.len() / 2).copied().unwrap_or(0);
    device.runs.is_none() || device.n_runs < usual
}

fn sign(profile: &Profile, group: &[&DeviceEnds], times: &[DeviceTime<'_>], is_end: bool) -> Option<Sign> {
    let longest = times.iter().map(|(_, time)| *time).max()?;
    let time = time_text(picos(longest));
    let planes: Vec<usize> = times.iter().map(|(device, _)| device.plane).collect();
    let place = super::sign::place_text(profile, &planes)?;
    let (code, headline) = if is_end {
        (NoteCode::DeviceEndsEarly, format!("The events of {place} end {time} before its work does."))
    } else {
        (NoteCode::DeviceStartsLate, format!("The events of {place} start {time} after its work does."))
    };
    let advice = "The steps in this time are left out of means. Capture fewer steps.";
    let mut sign = Sign::new(code, Severity::Partial, headline, advice);
    sign.n = Some(times.len() as u64);
    // The others wait for the device, so that all of them are judged by the time that all have.
    let mut sign = sign.of_planes(profile, group.iter().map(|device| device.plane).collect());
    sign.place = Some(place);
    let span =
        |(device, _): &DeviceTime<'_>| if is_end { (device.ops.1, i128::MAX) } else { (i128::MIN, device.ops.0) };
    sign.spans = times.iter().map(span).collect();
    Some(sign)
}

/// Returns the ends of the launches of a host whose work is not recorded, although it was due before the last host event.
fn unrecorded(file: &HostFile<'_>, launches: Option<&Launches>) -> Vec<i128> {
    if let Some(launches) = launches {
        return launches.due().filter(|(_, has_kernel)| !has_kernel).map(|(end, _)| *end).collect();
    }
    let all = runs(file);
    if all.iter().all(|(.., is_recorded)| *is_recorded) {
        return Vec::new();
    }
    let ends = file.threads().into_iter().filter_map(|(_, line)| spans_of(line).map(|(_, end)| end).max());
    let last_event = ends.max().unwrap_or(i128::MIN);
    let is_lost = |(end, _, is_recorded): &&(i128, _, bool)| !is_recorded && *end + TAIL <= last_event;
    all.iter().filter(is_lost).map(|(end, ..)| *end).collect()
}

/// Returns the ends of a device. `None` if it has no ops.
fn device_ends(profile: &Profile, index: usize, platform: Platform) -> Option<DeviceEnds> {
    let plane = &profile.planes[index];
    let lines: Vec<&Line> = platform.op_lines(plane).into_iter().map(|line| &plane.lines[line]).collect();
    let first = lines.iter().map(|line| span_of(line, 0).0).min()?;
    // Events of a line are nearly in order of their start. Around the last ones is at most a loop, which ends with them.
    let last = lines.iter().map(|line| span_of(line, line.events.len() - 1).1).max()?;
    let runs_of =
        |name: &str| plane.lines.iter().filter(|line| line.name == name && !line.events.is_empty()).collect::<Vec<_>>();
    let (modules, steps) = (runs_of("XLA Modules"), runs_of("Steps"));
    let program = main_program(profile, plane, &modules);
    let mut runs: Vec<Span> = match &program {
        Some((_, runs)) => runs.clone(),
        None => steps.iter().flat_map(|line| spans_of(line)).collect(),
    };
    runs.small_sort_by_key(|run| *run);
    let own = |lines: &[&Line]| -> Option<i128> {
        let mut starts: Vec<i128> = lines.iter().flat_map(|line| spans_of(line)).map(|(start, _)| start).collect();
        starts.small_sort_by_key(|start| *start);
        median(&starts.windows(2).map(|two| two[1] - two[0]).collect::<Vec<i128>>())
    };
    let starts: Vec<i128> = runs.windows(2).map(|two| two[1].0 - two[0].0).collect();
    let period = own(&steps).max(median(&starts));
    let is_derived = modules.iter().chain(&steps).all(|line| line.derived);
    let hull = runs.first().map(|first| (first.0, runs.iter().map(|(_, end)| *end).max().unwrap_or(first.1)));
    Some(DeviceEnds {
        plane: index,
        platform,
        ops: (first, last),
        // Derived runs are made from ops, so that they say nothing else.
        runs: hull.filter(|_| !is_derived),
        n_runs: runs.len(),
        program: program.map_or_else(String::new, |(name, _)| name),
        period,
    })
}

/// Returns the device with the start of its first op and the end of its last one, in whatever order its events are.
fn with_all_ops(profile: &Profile, device: &DeviceEnds) -> DeviceEnds {
    let plane = &profile.planes[device.plane];
    let lines = device.platform.op_lines(plane).into_iter().map(|line| &plane.lines[line]);
    let hull = |(first, last): Span, (start, end): Span| (first.min(start), last.max(end));
    DeviceEnds { ops: lines.flat_map(spans_of).fold(device.ops, hull), ..device.clone() }
}

/// Returns the name and the runs of the program with the most time. `None` without events of runs.
fn main_program(profile: &Profile, plane: &Plane, modules: &[&Line]) -> Option<(String, Vec<Span>)> {
    let mut all: IndexMap<&str, Vec<Span>> = IndexMap::default();
    for line in modules {
        for (span, op) in spans_of(line).zip(line.events.ops()) {
            all.entry(profile.text(plane.op(op).text)).or_default().push(span);
        }
    }
    let length = |spans: &[Span]| spans.iter().map(|(start, end)| end - start).sum::<i128>();
    let longest = all.into_iter().max_by(|a, b| length(&a.1).cmp(&length(&b.1)).then_with(|| b.0.cmp(a.0)));
    longest.map(|(name, spans)| (name.to_owned(), spans))
}

/// Returns the median of positive times. `None` if there are none.
fn median(times: &[i128]) -> Option<i128> {
    let mut times: Vec<i128> = times.iter().copied().filter(|time| *time > 0).collect();
    times.small_sort_by_key(|time| *time);
    times.get(times.len() / 2).copied()
}
