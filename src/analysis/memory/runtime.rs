//! This module derives from allocator events how much memory was in use, when it was the most, and how much stayed in
//! use.
//!
//! ```text
//!  events of all threads of a host ─► by device and allocator ─► by time ─┬─► peak: the first moment of the maximum
//!                                                                         ├─► persistent: the minimum
//!                                                                         └─► columns of a timeline
//! ```
//!
//! In use = reserved + allocated, because `bytes_allocated` alone misses the arenas of programs. Capacity = in use +
//! available.

use super::runtime_report::{AllocatorMemory, RuntimeMemory, UseAt, UseColumn, UseStep};
use crate::analysis::base::device::device_number;
use crate::analysis::base::{Analysis, Clock, Device, Platform, Step, StepBasis, intervals};
use indexmap::IndexMap;
use xla_profile::profile::{AllocatorRow, Note, NoteCode, Profile, Severity, StrId};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// Maximum number of columns of a timeline.
const COLUMNS: usize = 1000;
/// Maximum number of steps of a timeline.
const STEPS: usize = 1000;

/// The key of an allocator: the index of the plane with its events, the number of the device in the events, and the
/// name.
type Key = (usize, Option<u64>, Option<StrId>);

/// A time in ps on the event clock of the session, and the state of an allocator at that time.
type Moment = (u64, AllocatorRow);

impl Analysis {
    /// Reports on the allocators of all hosts.
    pub fn runtime_memory(&self, profile: &Profile) -> RuntimeMemory {
        let lines = || {
            let planes = profile.planes.iter().enumerate();
            planes.flat_map(|(i, plane)| plane.lines.iter().filter(|l| !l.allocator.is_empty()).map(move |l| (i, l)))
        };
        let mut notes = Vec::new();
        let Some(first) = lines().map(|(_, line)| line.timestamp_ns).min() else {
            let message = "The capture has no allocator events, so the memory in use at run time is unknown.";
            notes.push(Note::new(Severity::Info, NoteCode::NoAllocatorEvents, message));
            return RuntimeMemory { allocators: Vec::new(), notes };
        };
        // Host lines and device lines share one origin, so that their times can be compared.
        let clock = Clock::Event { origin_ns: self.origin_ns(profile).min(first) };
        let mut by_allocator: IndexMap<Key, Vec<Moment>> = IndexMap::default();
        let mut out_of_range = 0_usize;
        for (plane, line) in lines() {
            let Some(times) = intervals(line, clock) else {
                out_of_range += line.allocator.len();
                continue;
            };
            for row in &line.allocator {
                let Some((time, _)) = times.get(row.event as usize) else { continue };
                by_allocator.entry((plane, row.ordinal, row.name)).or_default().push((*time, *row));
            }
        }
        if out_of_range > 0 {
            let message =
                format!("{out_of_range} allocator events are 213 days or more after the others and are left out.");
            notes.push(Note::new(Severity::Caution, NoteCode::AllocatorClock, message));
        }
        let mut allocators = Vec::new();
        for (key, mut moments) in by_allocator {
            // The sort is stable: events at the same time stay in the order of the file.
            moments.small_sort_by_key(|(time, _)| *time);
            allocators.extend(self.allocator(profile, key, &moments, clock));
        }
        allocators.small_sort_by(|a: &AllocatorMemory, b| {
            (a.file, a.ordinal, &a.allocator, &a.plane).cmp(&(b.file, b.ordinal, &b.allocator, &b.plane))
        });
        RuntimeMemory { allocators, notes }
    }

    /// Returns the earliest timestamp of the lines of all devices, in ns. `i64::MAX` if no line has events.
    fn origin_ns(&self, profile: &Profile) -> i64 {
        let planes = self.devices.iter().map(|device| &profile.planes[device.plane]);
        let lines = planes.flat_map(|plane| plane.lines.iter().filter(|line| !line.events.is_empty()));
        lines.map(|line| line.timestamp_ns).min().unwrap_or(i64::MAX)
    }

    fn allocator(
        &self,
        profile: &Profile,
        (plane, ordinal, name): Key,
        moments: &[Moment],
        clock: Clock,
    ) -> Option<AllocatorMemory> {
        let most = moments.iter().map(|(_, row)| row.in_use()).max()?;
        let least = moments.iter().map(|(_, row)| row.in_use()).min()?;
        let (time, row) = moments.iter().find(|(_, row)| row.in_use() == most)?;
        let info = &profile.planes[plane];
        let device = self.allocator_device(profile, plane, ordinal, name);
        let name = name.map(|name| profile.text(name).to_owned());
        let ordinal = ordinal.or_else(|| gpu_of(name.as_deref()?));
        let steps = device.map_or(Vec::new(), |i| steps_on(profile, &self.devices[i], clock));
        let step = steps.iter().find(|step| step.from.0 <= *time && *time < step.to.0).map(|step| step.number);
        let label = match (device, ordinal, &name) {
            (Some(device), ..) => self.devices[device].label.clone(),
            (None, Some(ordinal), _) => format!("device {ordinal}"),
            (None, None, Some(name)) => name.clone(),
            (None, None, None) => "a device".to_owned(),
        };
        Some(AllocatorMemory {
            label,
            device: device.map(|device| device as u32),
            ordinal,
            allocator: name,
            plane: info.name.clone(),
            file: info.file as u32,
            n_events: moments.len() as u64,
            peak: UseAt {
                time: Picos(*time),
                reserved: row.reserved,
                allocated: row.allocated,
                available: row.available,
                step,
            },
            capacity: row.available.map(|available| most.saturating_add(available)),
            fragmentation: row.fragmentation,
            lifetime_peak: moments.iter().filter_map(|(_, row)| row.peak).max(),
            persistent: least,
            transient: most - least,
            timeline: timeline(moments),
            steps,
        })
    }

    /// Finds the device of an allocator by the plane with its events, the number of the device in the events, and its
    /// name. `None` if it is unknown.
    pub(in crate::analysis) fn allocator_device(
        &self,
        profile: &Profile,
        plane: usize,
        ordinal: Option<u64>,
        name: Option<StrId>,
    ) -> Option<usize> {
        let ordinal = ordinal.or_else(|| gpu_of(profile.text(name?)));
        self.device_of(profile, profile.planes.get(plane)?.file, ordinal)
    }

    /// Finds the device that a host calls by this number. A host counts its own device planes in the order of the
    /// numbers in their names, including planes on which nothing ran.
    fn device_of(&self, profile: &Profile, file: usize, ordinal: Option<u64>) -> Option<usize> {
        let number = |i: &usize| device_number(&profile.planes[*i]);
        let is_own = |i: &usize| {
            profile.planes[*i].file == file && Platform::from_plane_name(&profile.planes[*i].name).is_some()
        };
        let mut own: Vec<usize> = (0..profile.planes.len()).filter(is_own).collect();
        own.small_sort_by_key(number);
        let plane = own.get(usize::try_from(ordinal?).ok()?)?;
        self.devices.iter().position(|device| device.plane == *plane)
    }
}

/// Returns the steps of a device on `clock`. The steps may be on the device clock; the events that define them then
/// give their times on `clock`.
fn steps_on(profile: &Profile, device: &Device, clock: Clock) -> Vec<UseStep> {
    let plane = &profile.planes[device.plane];
    let name = match device.basis {
        StepBasis::StepsLine => "Steps",
        StepBasis::Modules { .. } => "XLA Modules",
        StepBasis::None => return Vec::new(),
        StepBasis::Annotations { .. } | StepBasis::Sequence { .. } => {
            // Such steps have no event of their own.
            return device.steps.iter().filter_map(|step| event_time(step, device, clock)).take(STEPS).collect();
        }
    };
    let lines = plane.lines.iter().filter(|line| line.name == name && !line.events.is_empty());
    let both =
        lines.filter_map(|line| Some(intervals(line, device.step_clock)?.into_iter().zip(intervals(line, clock)?)));
    let step = |(own, (from, to)): ((u64, u64), (u64, u64))| {
        let number =
            device.steps.iter().find(|step| (step.window.0, step.duration) == (own.0, Picos(own.1 - own.0)))?.number;
        Some(UseStep { number, from: Picos(from), to: Picos(to) })
    };
    both.flatten().filter_map(step).take(STEPS).collect()
}

/// Returns the time of a step on `clock`. `None` if the step is not on it.
fn event_time(step: &Step, device: &Device, clock: Clock) -> Option<UseStep> {
    let (Clock::Event { origin_ns: own }, Clock::Event { origin_ns: wanted }) = (device.event_clock, clock) else {
        return None;
    };
    let shift = i128::from(own).checked_sub(i128::from(wanted))?.checked_mul(1000)?;
    let from = u64::try_from(i128::from(step.event_window.0) + shift).ok()?;
    Some(UseStep { number: step.number, from: Picos(from), to: Picos(from.saturating_add(step.duration.0)) })
}

/// Reduces the events to at most [`COLUMNS`] columns. Each event has its own column if there are few events.
fn timeline(moments: &[Moment]) -> Vec<UseColumn> {
    let wide = moments.len().div_ceil(COLUMNS).max(1);
    moments.chunks(wide).filter_map(column).collect()
}

fn column(moments: &[Moment]) -> Option<UseColumn> {
    let most = moments.iter().map(|(_, row)| row.in_use()).max()?;
    let (most_at, row) = moments.iter().find(|(_, row)| row.in_use() == most)?;
    Some(UseColumn {
        time: Picos(moments.first()?.0),
        least: moments.iter().map(|(_, row)| row.in_use()).min()?,
        most,
        reserved: row.reserved,
        most_at: Picos(*most_at),
        last: moments.last()?.1.in_use(),
    })
}
/// Returns the GPU of a TensorFlow allocator by its name: `GPU_1_bfc` serves GPU 1. Its events do not name a device.
fn gpu_of(allocator: &str) -> Option<u64> {
    allocator.strip_prefix("GPU_")?.strip_suffix("_bfc")?.parse().ok()
}
