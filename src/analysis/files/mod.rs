//! This module reports the contents of a session's files: planes, lines, stats and programs, with the bytes and the
//! use of each. It depends on the lines that other analyses read. It counts, and decodes nothing.

pub mod columns;
mod programs;
mod quality;
mod report;

pub use report::{
    FileInfo, FileLine, FilePlane, FileProgram, FileStat, FileView, Finding, FindingKind, LineUse, PlaneRole,
    ProgramSource, StatUse,
};

use crate::analysis::base::{Analysis, Device, Platform};
use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use xla_profile::profile::{Line, Plane, Profile};
use xla_profile::units::Picos;

impl Analysis {
    /// Reports the contents of all opened files. `files` are those of the profile, in its order. `partial` means that
    /// only a part of the files could be read.
    pub fn file_view(&self, profile: &Profile, files: &[FileInfo], partial: bool) -> FileView {
        self.contents(profile, files, partial, true)
    }

    /// Reports the contents of all opened files as [`Analysis::file_view`] does, but without the spans of lines and the
    /// self time of programs. Only these need the times of all events.
    pub fn file_view_without_times(&self, profile: &Profile, files: &[FileInfo], partial: bool) -> FileView {
        self.contents(profile, files, partial, false)
    }

    fn contents(&self, profile: &Profile, files: &[FileInfo], partial: bool, has_times: bool) -> FileView {
        // Derived planes and lines are in no file, so they are not listed.
        let by_plane: IndexMap<usize, &Device> = self.devices.iter().map(|device| (device.plane, device)).collect();
        let file_of = |device: &Device| profile.planes[device.plane].file;
        let on_threads =
            |device: &&Device| device.platform == Platform::Cpu && profile.planes[device.plane].is_derived();
        let derived: FxHashSet<usize> = self.devices.iter().filter(on_threads).map(file_of).collect();
        let with_devices: FxHashSet<usize> = self.devices.iter().map(file_of).collect();
        let planes = profile.planes.iter().enumerate().filter(|(_, plane)| !plane.is_derived()).map(|(i, plane)| {
            let device = by_plane.get(&i).copied();
            let is_host = plane.name == "/host:CPU";
            let (on_threads, has_devices) = (derived.contains(&plane.file), with_devices.contains(&plane.file));
            of_plane(plane, device, is_host && on_threads, is_host && has_devices, has_times)
        });
        let mut view = FileView {
            files: files.to_vec(),
            hosts: profile.hosts.clone(),
            planes: planes.collect(),
            programs: self.list_programs(profile, has_times),
            n_events: profile.n_events() as u64,
            n_lines: profile.planes.iter().flat_map(|plane| &plane.lines).filter(|line| !line.derived).count() as u64,
            bytes: files.iter().map(|file| file.bytes).sum(),
            partial,
            notes: profile.notes.iter().chain(&self.notes).cloned().collect(),
            quality: Vec::new(),
        };
        view.quality = self.quality(profile, &view);
        view
    }
}

/// Reports a plane. `on_threads` means that ops run on the threads of the plane, and `is_host` that the plane has the threads
/// of a host with devices. Without `has_times`, the spans of lines are not computed.
fn of_plane(plane: &Plane, device: Option<&Device>, on_threads: bool, is_host: bool, has_times: bool) -> FilePlane {
    let with_events = plane.lines.iter().filter(|line| !line.events.is_empty());
    let origin_ns = with_events.map(|line| line.timestamp_ns).min();
    let span_origin = origin_ns.filter(|_| has_times);
    let line_bytes: u64 = plane.lines.iter().map(|line| line.bytes).sum();
    let (role, words) = match device.map(|device| device.platform) {
        None if on_threads => (PlaneRole::Host, "threads of the host: the ops on them are those of the CPU devices"),
        platform => role(plane, platform),
    };
    let own = plane.lines.iter().enumerate().filter(|(_, line)| !line.derived);
    FilePlane {
        name: plane.name.clone(),
        id: plane.id,
        role,
        words: words.to_owned(),
        file: plane.file as u32,
        bytes: plane.bytes,
        metadata_bytes: plane.bytes.saturating_sub(line_bytes),
        n_events: plane.n_events() as u64,
        n_metadata: plane.n_metadata as u64,
        n_ops: plane.ops.len() as u64,
        stats: plane.stats.iter().map(|(name, value)| FileStat { name: name.clone(), value: value.clone() }).collect(),
        stat_names: plane
            .stat_counts
            .iter()
            .map(|(name, n)| StatUse { name: name.clone(), on_events: n.on_events, on_metadata: n.on_metadata })
            .collect(),
        lines: own.map(|(i, line)| of_line(line, used(line, i, device, is_host), span_origin)).collect(),
        origin_ns,
    }
}

fn of_line(line: &Line, used: LineUse, origin_ns: Option<i64>) -> FileLine {
    FileLine {
        name: line.name.clone(),
        display_name: Some(&line.display_name).filter(|name| !name.is_empty() && **name != line.name).cloned(),
        id: line.id,
        timestamp_ns: line.timestamp_ns,
        n_events: line.events.len() as u64,
        bytes: line.bytes,
        span: origin_ns.and_then(|origin| span(line, origin)),
        device_clock: line.events.has_device_clock(),
        used,
    }
}

/// Returns the start of the first event and the end of the last one, in ps after `origin_ns`. `None` without events, or
/// if the times do not fit 64 bits.
fn span(line: &Line, origin_ns: i64) -> Option<(Picos, Picos)> {
    let base = line.timestamp_ns.checked_sub(origin_ns).and_then(|ns| u64::try_from(ns).ok())?.checked_mul(1000)?;
    let widest = |(first, last): (u64, u64), (start, duration): (u64, u64)| {
        (first.min(start), last.max(start.saturating_add(duration)))
    };
    let (first, last) = line.events.times().fold((u64::MAX, 0), widest);
    if line.events.is_empty() {
        return None;
    }
    Some((Picos(base.checked_add(first)?), Picos(base.checked_add(last)?)))
}

/// Returns the use of a line in the analyses. `is_host` means that it is a thread of a host with devices.
fn used(line: &Line, index: usize, device: Option<&Device>, is_host: bool) -> LineUse {
    let tells_of_gaps = is_host || device.is_some() && line.name == "XLA TraceMe";
    let of_steps = |d: &Device| d.basis.is_of_line() && line.name == "Steps" && !line.events.is_empty();
    match device {
        Some(device) if device.ops.binary_search(&index).is_ok() => LineUse::Ops,
        Some(device) if of_steps(device) => LineUse::Steps,
        _ if line.name == "XLA Modules" && !line.events.is_empty() => LineUse::Modules,
        Some(_) if line.is_async() && !line.events.is_empty() => LineUse::Async,
        _ if !line.counters.is_empty() => LineUse::Counters,
        _ if tells_of_gaps && !line.events.is_empty() => LineUse::Gaps,
        _ => LineUse::NotUsed,
    }
}

/// Returns the role of a plane, and its description. `read_as` is the platform if the plane is a device.
fn role(plane: &Plane, read_as: Option<Platform>) -> (PlaneRole, &'static str) {
    let name = plane.name.as_str();
    let starts = |prefix: &str| name.starts_with(prefix);
    match read_as {
        Some(Platform::Tpu) => return (PlaneRole::Device, "TPU device (analysed)"),
        Some(Platform::Gpu) => {
            return (PlaneRole::Device, "GPU device (analysed)");
        }
        Some(Platform::Cpu) => return (PlaneRole::Device, "CPU device (analysed)"),
        None => {}
    }
    match name {
        _ if Platform::from_plane_name(name) == Some(Platform::Tpu) => {
            (PlaneRole::Device, "TPU device on which no ops ran")
        }
        _ if name.contains("SparseCore") => (PlaneRole::Device, "SparseCore of a TPU: listed, not counted"),
        _ if starts("/device:GPU") => (PlaneRole::Device, "GPU device on which nothing ran"),
        _ if starts("/device:") || starts("#Chip") => (PlaneRole::Device, "part of a device: listed, not counted"),
        "/host:metadata" => (PlaneRole::Metadata, "programs that were compiled, with their HLO"),
        "Task Environment" => (PlaneRole::Metadata, "when and how the profile was taken"),
        _ if starts("/host:") => (PlaneRole::Host, "threads of the host: listed, not counted"),
        _ => (PlaneRole::Other, "unknown: listed only"),
    }
}
