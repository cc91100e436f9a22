//! This module finds signs on planes and lines: counts of dropped traces, spans of dropped buffers, lines that only some devices
//! have, and parts of a run that were never recorded.

use super::host_activity::calls;
use super::reads::{HostFile, picos, spans_of};
use super::sign::{Sign, Span, label};
use crate::analysis::base::device::{Device, Step};
use crate::analysis::base::not_steady::NotSteady;
use crate::analysis::base::platform::Platform;
use crate::table::format::{count, counted, time_text};
use rustc_hash::FxHashSet;
use xla_profile::profile::{Note, NoteCode, OpId, Plane, Profile, Severity};

/// What helps against full buffers of the profiler.
const FEWER: &str = "Capture fewer steps, set python_tracer_level=0 and host_tracer_level=1, or record fewer chips and cores \
    (tpu_num_chips_to_profile_per_task, tpu_num_sparse_cores_to_trace) with more buffers (max_trace_buffers).";
/// The name of the event that marks dropped buffers.
const BUFFERS: &str = "Trace Buffers Dropped";
/// Events that start before the capture by more than this have a wrong clock, in ps.
const EARLY: i128 = 1_000_000_000_000;
/// The least timestamp in ns that counts from 1970. Smaller ones count from the start of the capture.
const EPOCH: i64 = 100_000_000_000_000_000;

/// Returns the signs that the profiler dropped traces or buffers.
pub(super) fn dropped(profile: &Profile, files: &[HostFile<'_>]) -> Vec<Sign> {
    traces(profile, files).into_iter().chain(buffers(profile, files)).collect()
}

/// Returns the devices that a plane is about: itself, or all devices of its file.
fn covered(profile: &Profile, files: &[HostFile<'_>], index: usize) -> Vec<usize> {
    let plane = &profile.planes[index];
    if Platform::from_plane_name(&plane.name).is_some() {
        return vec![index];
    }
    files.get(plane.file).map_or_else(Vec::new, HostFile::devices).into_iter().map(|(index, _)| index).collect()
}

fn traces(profile: &Profile, files: &[HostFile<'_>]) -> Option<Sign> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
    let n_of = |plane: &Plane| match plane.number_stat("dropped_traces") {
        Some(n) => n as u64,
        None => plane.stat_counts.get("dropped_traces").map_or(0, |stat| stat.on_events + stat.on_metadata),
    };
    let all: Vec<(usize, u64)> = profile.planes.iter().map(n_of).enumerate().filter(|(_, n)| *n > 0).collect();
    let first = all.first()?;
    let n = all.iter().map(|(_, n)| *n).fold(0, u64::saturating_add);
    let headline = format!(
        "The profiler dropped {} of {}, because its buffer was full.",
        counted(n, "trace", "traces"),
        if all.len() == 1 {
            label(&profile.planes[first.0]).to_owned()
        } else {
            counted(all.len() as u64, "plane", "planes")
        }
    );
    let mut planes: Vec<usize> = all.iter().flat_map(|(index, _)| covered(profile, files, *index)).collect();
    planes.sort_unstable();
    planes.dedup();
    let advice = format!("Times and counts are too small, and idle time may be the time of these traces. {FEWER}");
    let mut sign = Sign::new(NoteCode::TracesDropped, Severity::Partial, headline, advice);
    sign.n = Some(n);
    Some(sign.of_planes(profile, planes))
}

/// Returns the sign that a TPU dropped trace buffers: the spans of the events that say so, or the whole capture if only a stat
/// does.
fn buffers(profile: &Profile, files: &[HostFile<'_>]) -> Option<Sign> {
    let (mut spans, mut n, mut planes): (Vec<Span>, u64, Vec<usize>) = (Vec::new(), 0, Vec::new());
    let mut has_place = true;
    for (index, plane) in profile.planes.iter().enumerate() {
        let is_mark =
            |op: &OpId| profile.text(plane.op(*op).name) == BUFFERS || profile.text(plane.op(*op).text) == BUFFERS;
        let marks: FxHashSet<OpId> = (0..plane.ops.len() as u32).map(OpId).filter(is_mark).collect();
        let mut found: Vec<Span> = Vec::new();
        for line in plane.lines.iter().filter(|line| !line.derived && !marks.is_empty()) {
            let events = spans_of(line).zip(line.events.ops()).filter(|(_, op)| marks.contains(op));
            found.extend(events.map(|(span, _)| span));
        }
        let in_stats = plane.number_stat("trace_buffers_dropped").is_some_and(|n| n > 0.0)
            || plane.stat_counts.get("trace_buffers_dropped").is_some_and(|stat| stat.on_events + stat.on_metadata > 0);
        if found.is_empty() && !in_stats {
            continue;
        }
        has_place &= !found.is_empty();
        n += (found.len() as u64).max(1);
        spans.append(&mut found);
        planes.extend(covered(profile, files, index));
    }
    if n == 0 {
        return None;
    }
    planes.sort_unstable();
    planes.dedup();
    let total = picos(spans.iter().map(|(start, end)| end - start).sum());
    let time = if has_place { format!(": {} of its time has no events", time_text(total)) } else { String::new() };
    let headline = format!(
        "The profiler dropped trace buffers {}{time}.",
        if n == 1 { "once".to_owned() } else { format!("{} times", count(n)) }
    );
    let advice = format!("Steps in this time are left out of means. {FEWER}");
    let mut sign = Sign::new(NoteCode::BuffersDropped, Severity::Partial, headline, advice);
    sign.n = Some(n);
    let mut sign = sign.of_planes(profile, planes);
    sign.spans = if has_place { spans } else { Vec::new() };
    Some(sign)
}

/// Returns the signs of parts of a run that were not recorded, and of wrong clocks.
pub(super) fn not_recorded(profile: &Profile, files: &[HostFile<'_>], devices: &[Device]) -> Vec<Sign> {
    let signs = [
        async_line(profile, devices),
        host_missing(profile, devices),
        device_trace_off(profile, files, devices),
        clock(files),
    ];
    signs.into_iter().flatten().collect()
}

fn async_line(profile: &Profile, devices: &[Device]) -> Option<Sign> {
    let tpus = devices.iter().filter(|device| device.platform == Platform::Tpu);
    let has = |device: &&Device| {
        profile.planes[device.plane].lines.iter().any(|line| line.is_async() && !line.events.is_empty())
    };
    let (with, without): (Vec<&Device>, Vec<&Device>) = tpus.partition(has);
    if with.is_empty() || without.is_empty() {
        return None;
    }
    let n = with.len() + without.len();
    let headline = format!("{} of {n} devices have a line of asynchronous ops.", with.len());
    let advice = "Transfers in flight are known of these alone; on the others they come from start and done ops.";
    let mut sign = Sign::new(NoteCode::AsyncLineOneDevice, Severity::Info, headline, advice);
    sign.n = Some(without.len() as u64);
    sign.place = Some(with.iter().map(|device| &*device.label).collect::<Vec<&str>>().join(", "));
    Some(sign)
}

fn host_missing(profile: &Profile, devices: &[Device]) -> Option<Sign> {
    let has_host = profile.planes.iter().any(|plane| plane.is_host() && plane.n_events() > 0);
    if devices.is_empty() || has_host {
        return None;
    }
    let headline = "The capture has no host events.";
    let advice = "What the host did while a device was idle, and the memory in use at run time, are unknown. Capture with a \
                  host_tracer_level of 1 or more. Snapshots of continuous profiling have a level of 0.";
    Some(Sign::new(NoteCode::HostMissing, Severity::Info, headline, advice))
}

fn device_trace_off(profile: &Profile, files: &[HostFile<'_>], devices: &[Device]) -> Option<Sign> {
    let has_plane = profile.planes.iter().any(|plane| Platform::from_plane_name(&plane.name).is_some());
    let is_kineto = profile.notes.iter().any(|note: &Note| note.code == NoteCode::KinetoTrace);
    if has_plane || !devices.is_empty() || is_kineto {
        return None;
    }
    let n = files.iter().map(|file| calls(file).len() as u64).sum::<u64>();
    let headline = format!(
        "The capture has no plane of a device, although the host made {}.",
        counted(n, "call of a jitted function", "calls of jitted functions")
    );
    let advice = "Devices were not recorded: capture with a device_tracer_level of 1, and without \
                  tpu_trace_mode=TRACE_ONLY_HOST.";
    let mut sign = Sign::new(NoteCode::DeviceTraceOff, Severity::Info, headline, advice);
    sign.n = Some(n);
    Some(sign).filter(|_| n > 0)
}

/// Returns the sign that events start more than a second before the capture.
fn clock(files: &[HostFile<'_>]) -> Option<Sign> {
    let (mut n, mut earliest, mut places) = (0_u64, 0_i128, Vec::new());
    for file in files {
        let Some(start) = file.planes().find_map(Plane::start_ns) else { continue };
        for plane in file.planes() {
            let before = n;
            for line in plane.lines.iter().filter(|line| !line.derived && !line.events.is_empty()) {
                let origin = if line.timestamp_ns >= EPOCH { i128::from(start) * 1000 } else { 0 };
                // Events start after the timestamp of their line.
                if i128::from(line.timestamp_ns) * 1000 >= origin - EARLY {
                    continue;
                }
                let starts = spans_of(line).map(|(start, _)| start - origin).filter(|start| *start < -EARLY);
                starts.for_each(|start| (n, earliest) = (n + 1, earliest.min(start)));
            }
            places.extend((n > before).then(|| label(plane).to_owned()));
        }
    }
    let first = places.first()?;
    let headline = format!(
        "{} up to {} before the capture began, so a clock is wrong.",
        counted(n, "event starts", "events start"),
        time_text(picos(-earliest))
    );
    let mut sign = Sign::new(
        NoteCode::ClockBeforeCapture,
        Severity::Caution,
        headline,
        "Times of these events may not fit those of other events.",
    );
    sign.n = Some(n);
    sign.place = Some(if places.len() == 1 { first.clone() } else { counted(places.len() as u64, "plane", "planes") });
    Some(sign)
}

/// Returns the sign that steps have too few ops.
pub(super) fn short_steps(devices: &[Device]) -> Option<Sign> {
    let is_short = |step: &&Step| step.not_steady == Some(NotSteady::LostOps);
    let n_of = |device: &Device| device.steps.iter().filter(is_short).count() as u64;
    let with: Vec<(&Device, u64)> =
        devices.iter().map(|device| (device, n_of(device))).filter(|(_, n)| *n > 0).collect();
    let n = with.iter().map(|(_, n)| *n).max()?;
    let headline =
        format!("{} less than 80 % of the usual ops, so events are likely lost.", counted(n, "step has", "steps have"));
    let mut sign = Sign::new(NoteCode::StepLostOps, Severity::Caution, headline, "These steps are left out of means.");
    sign.n = Some(n);
    sign.place = match with.as_slice() {
        [(one, _)] => Some(one.label.clone()),
        all => Some(counted(all.len() as u64, "device", "devices")),
    };
    Some(sign)
}
