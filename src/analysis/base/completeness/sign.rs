//! This module defines a sign: something that is missing from a capture, with its place and what follows.

use crate::analysis::base::hosts;
use xla_profile::profile::{Note, NoteCode, Plane, Profile, Severity};

/// Something that is missing from a capture, and how that is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Sign {
    /// What tells that something is missing.
    pub code: NoteCode,
    pub severity: Severity,
    /// The devices, in words. `None` if it is the whole session.
    pub place: Option<String>,
    /// How many of them are missing, such as events or launches. `None` if that is unknown.
    pub n: Option<u64>,
    /// What is missing, in one or two sentences.
    pub headline: String,
    /// What follows, and what to do.
    pub advice: String,
    /// Indices in [`Profile::planes`] of the devices that the sign covers.
    pub(in crate::analysis::base) planes: Vec<usize>,
    /// The spans without events, in ps on the event clock of the capture. Empty if the whole capture is covered.
    pub(in crate::analysis::base) spans: Vec<Span>,
}

/// A span of time in ps on the event clock of the capture, without an origin of its own.
pub type Span = (i128, i128);

impl Sign {
    pub(super) fn new(
        code: NoteCode,
        severity: Severity,
        headline: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        let (headline, advice) = (headline.into(), advice.into());
        Self { code, severity, place: None, n: None, headline, advice, planes: Vec::new(), spans: Vec::new() }
    }

    /// Sets the devices that the sign covers, and its place.
    pub(super) fn of_planes(mut self, profile: &Profile, planes: Vec<usize>) -> Self {
        self.place = place_text(profile, &planes);
        self.planes = planes;
        self
    }

    /// Returns whether events are missing for sure.
    pub fn is_loss(&self) -> bool {
        self.severity == Severity::Partial
    }

    /// Returns whether so much is lost that the idle time of the device is unknown.
    pub fn hides_idle(&self) -> bool {
        matches!(self.code, NoteCode::LaunchesWithoutKernels | NoteCode::RunsWithoutDevice)
    }

    pub(super) fn note(&self) -> Note {
        let message = format!("{} {}", self.headline, self.advice);
        Note { place: self.place.clone(), ..Note::new(self.severity, self.code, message.trim_end()) }
    }
}

/// Returns the name of a device plane without the part that all of them share, such as `TPU:0`.
pub(super) fn label(plane: &Plane) -> &str {
    plane.name.trim_start_matches("/device:")
}

/// Returns the planes in words: one device, or the number of devices with the first and the last one. With several files, the
/// file precedes the device.
pub(super) fn place_text(profile: &Profile, planes: &[usize]) -> Option<String> {
    let names = hosts::names(profile);
    let label = |index: &usize| {
        let plane = profile.planes.get(*index)?;
        let host = names.get(plane.file).filter(|_| profile.files.len() > 1);
        Some(host.map_or_else(|| label(plane).to_owned(), |host| format!("{host} {}", label(plane))))
    };
    match planes {
        [] => None,
        [one] => label(one),
        [first, .., last] => Some(format!("{} devices, {} to {}", planes.len(), label(first)?, label(last)?)),
    }
}
