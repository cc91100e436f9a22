//! This module reads the type of the devices and the names of the programs of a capture without its events. Of the plane of a device,
//! it steps over the lines; of the plane with the programs, it reads their names alone.

use super::Input;
use super::capture_heads::{device_platform, listed_outline, plane_alone};
use super::detect::format;
use crate::analysis::base::device_type;
use crate::profile::Profile;
use crate::source::{Source, SourceError};
use crate::wire::xspace::{Outline, reduced_plane};
use crate::wire::{Format, Span};
use std::cell::Cell;

/// The name of the plane with the programs.
pub(super) const PROGRAMS: &str = "/host:metadata";
/// Largest number of bytes that are read of the planes of a capture. What is not known then is known once the capture is read.
const MAX_BYTES: u64 = 3 << 20;
/// Number of bytes that are read at once. Fields lie far apart, so that more bytes would not be used.
const STRIDE: u64 = 256 << 10;

/// What a capture says beside its events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaptureFacts {
    /// Type of the first device. `None` if it is unknown, or too far within the file.
    pub device_type: Option<String>,
    /// Names of the programs, in the order of the alphabet. Empty if they are unknown.
    pub programs: Vec<String>,
}

/// A source of which only a number of bytes can be read.
pub(super) struct LimitedSource<'s> {
    source: &'s dyn Source,
    n_left: Cell<u64>,
}

impl<'s> LimitedSource<'s> {
    pub(super) const fn new(source: &'s dyn Source) -> Self {
        Self { source, n_left: Cell::new(MAX_BYTES) }
    }
}

impl Source for LimitedSource<'_> {
    fn size(&self) -> u64 {
        self.source.size()
    }

    fn stride(&self) -> u64 {
        STRIDE.min(self.source.stride())
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> Result<(), SourceError> {
        let reached = || SourceError::Read { offset, reason: "the limit of bytes is reached".to_owned() };
        self.n_left.set(self.n_left.get().checked_sub(into.len() as u64).ok_or_else(reached)?);
        self.source.read_at(offset, into)
    }
}

/// Returns what a file says beside its events. Packed files and files of other formats are not read.
pub fn capture_facts(input: &Input) -> CaptureFacts {
    let mut facts = CaptureFacts::default();
    let source = input.source.as_ref();
    let outline = matches!(format(source), Ok(Format::XSpace)).then(|| listed_outline(source)).flatten();
    let Some(outline) = outline else { return facts };
    let source = LimitedSource::new(source);
    let named = |is_named: &dyn Fn(&str) -> bool| outline.planes.iter().find(|(_, name)| is_named(name));
    // The programs are read first, because the stats of a device lie behind the names of all of its ops.
    if let Some((span, _)) = named(&|name| name == PROGRAMS)
        && let Some(profile) = without_events(&source, *span, true)
    {
        facts.programs = profile.programs.into_values().collect();
        facts.programs.sort_unstable();
        facts.programs.dedup();
    }
    facts.device_type = first_device_type(&source, &outline);
    facts
}

/// Returns the type of the first device of an XSpace. `None` if it is unknown, or too far within the file.
pub(super) fn first_device_type(source: &LimitedSource<'_>, outline: &Outline) -> Option<String> {
    let (span, _) = outline.planes.iter().find(|(_, name)| device_platform(name).is_some())?;
    without_events(source, *span, false)?.planes.iter().find_map(device_type)
}

/// Reads a plane without its events. `None` if it is damaged, or if the limit of the source is reached.
pub(super) fn without_events(source: &LimitedSource<'_>, span: Span, has_names: bool) -> Option<Profile> {
    let plane = reduced_plane(source, span, has_names).ok()?;
    plane_alone(&plane, Span { start: 0, end: plane.size() })
}
