//! This module finds what is missing from a capture: events that were lost, and parts of a run that were never recorded.
//!
//! ```text
//!  texts of the profiler ── messages ──┐
//!  launches, runs ───────── calls ─────┤            ┌─► notes, exit code 1
//!  ends of devices ──────── ends ──────┼──► signs ──┼─► steps that touch a lost span are not steady
//!  lines, stats ─────────── planes ────┤            └─► no verdict on idle time of a device that lost events
//!  replica groups ───────── expected ──┘
//! ```
//!
//! A sign has the severity of its note. [`Severity::Partial`]: events are missing for sure. [`Severity::Caution`]: events are
//! likely missing. [`Severity::Info`]: a part of the run was never asked for. The module reads events, and not bytes.

mod calls;
mod ends;
mod expected;
mod host_activity;
mod launches;
mod messages;
mod planes;
mod reads;
mod sign;

pub(super) use calls::has_run;
pub use expected::MissingDevices;
pub use sign::Sign;

use super::device::{Clock, Device, Step};
use super::not_steady::NotSteady;
use super::periods;
use super::query::StepChoice;
use launches::Launches;
use reads::HostFile;
use sign::Span;
use xla_profile::profile::{Note, NoteCode, Profile};
use xla_profile::small_sort::SmallSort;

/// What is missing from the captures of a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Completeness {
    /// The signs, the gravest first.
    pub signs: Vec<Sign>,
    /// The devices that are not in the capture, as the texts of ops tell it. `None` if none is known to be missing.
    pub missing_devices: Option<MissingDevices>,
}

impl Completeness {
    /// Finds the signs of a profile with these devices, and marks the steps of the devices that touch a lost span.
    pub(super) fn new(profile: &Profile, devices: &mut [Device]) -> Self {
        let files = HostFile::all(profile);
        let mut signs = if has_all_events(profile) { of_events(profile, &files) } else { Vec::new() };
        signs.extend(messages::signs(profile));
        signs.extend(planes::dropped(profile, &files));
        signs.extend(planes::not_recorded(profile, &files, devices));
        mark_lost_steps(devices, &signs);
        signs.extend(planes::short_steps(devices));
        let missing_devices = expected::missing_devices(profile, devices);
        signs.extend(missing_devices.as_ref().map(MissingDevices::sign));
        signs.small_sort_by_key(|sign| std::cmp::Reverse(sign.severity));
        Self { signs, missing_devices }
    }

    /// Returns a note for each sign.
    pub fn notes(&self) -> Vec<Note> {
        self.signs.iter().map(Sign::note).collect()
    }

    /// Iterates over the signs that events are missing for sure.
    pub fn losses(&self) -> impl Iterator<Item = &Sign> {
        self.signs.iter().filter(|sign| sign.is_loss())
    }

    /// Returns what is lost, in a few sentences. `None` if nothing is known to be lost.
    pub fn headline(&self) -> Option<String> {
        self.losses().next().map(|sign| sign.headline.clone())
    }

    /// Returns the sign that events of a device are missing in a step choice: in the whole capture, or in one of the steps. The
    /// sign that hides idle time comes first. `None` if nothing of the device is known to be lost there.
    pub fn loss_on(&self, device: &Device, step: StepChoice) -> Option<&Sign> {
        let steps = device.chosen_steps(step, None);
        let is_touched = steps.is_empty() || steps.iter().any(|step| step.not_steady == Some(NotSteady::Lost));
        let covers = |sign: &&Sign| sign.planes.contains(&device.plane) && (sign.spans.is_empty() || is_touched);
        let all = || self.losses().filter(covers);
        all().find(|sign| sign.hides_idle()).or_else(|| all().next())
    }

    /// Returns whether so much of a device is lost that its idle time is unknown.
    pub fn hides_idle(&self, device: &Device) -> bool {
        self.losses().any(|sign| sign.hides_idle() && sign.planes.contains(&device.plane))
    }
}

/// Returns the signs that compare events of the host with those of devices, and devices with each other.
fn of_events(profile: &Profile, files: &[HostFile<'_>]) -> Vec<Sign> {
    let launches: Vec<Option<Launches>> = files.iter().map(Launches::new).collect();
    let mut signs = launches::signs(profile, &launches);
    signs.extend(calls::signs(files, &signs));
    signs.extend(ends::signs(files, &launches));
    signs
}

/// Returns whether a capture has all events that its profiler wrote, so that events that lack their counterparts were lost. An
/// excerpt leaves events out, and so does the user who chooses planes. A trace of PyTorch has other events.
fn has_all_events(profile: &Profile) -> bool {
    let leaves_out = |note: &Note| {
        matches!(note.code, NoteCode::LeftOut | NoteCode::LinesLeftOut | NoteCode::KinetoTrace)
            || note.code == NoteCode::ProfilerWarning && messages::is_of_excerpt(&note.message)
    };
    !profile.notes.iter().any(leaves_out)
}

/// Marks the steps that touch a span without events: they are not steady.
fn mark_lost_steps(devices: &mut [Device], signs: &[Sign]) {
    for device in devices.iter_mut().filter(|device| !device.steps.is_empty()) {
        let of_device = signs.iter().filter(|sign| sign.is_loss() && sign.planes.contains(&device.plane));
        let spans: Vec<Span> = of_device.flat_map(|sign| sign.spans.iter().copied()).collect();
        let Clock::Event { origin_ns } = device.event_clock else { continue };
        let origin = i128::from(origin_ns) * 1000;
        let touches = |step: &Step| {
            let (start, end) = step.event_window;
            let (start, end) = (origin + i128::from(start), origin + i128::from(end));
            spans.iter().any(|(from, to)| *from < end && *to > start)
        };
        periods::leave_out_lost(device, &touches);
    }
}
