//! This module reads single planes of a capture without their events, and few bytes of each.

use crate::analysis::base::device_type;
use std::cell::Cell;
use xla_profile::profile::{Builder, Profile, ProfilePart, ReadProgress, max_listed};
use xla_profile::source::{Source, SourceError};
use xla_profile::wire::Span;
use xla_profile::wire::xspace::{Outline, outline, reduced_plane};

/// The name of the plane with the programs.
pub(super) const PROGRAMS: &str = "/host:metadata";
/// Largest number of bytes that are read of the planes of a capture. What is not known then is known once the capture is read.
const MAX_BYTES: u64 = 3 << 20;
/// Number of bytes that are read at once. Fields lie far apart, so that more bytes would not be used.
const STRIDE: u64 = 256 << 10;

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

/// Returns the outline of an XSpace. `None` if it is damaged between planes, or has more planes than a session lists.
pub(crate) fn listed_outline(source: &dyn Source) -> Option<Outline> {
    outline(source, usize::try_from(max_listed(source.size())).unwrap_or(usize::MAX))
}

/// Returns the type of device in the name of a plane, such as `TPU` of `/device:TPU:0`. `None` for planes that are no device.
pub(super) fn device_platform(plane: &str) -> Option<&str> {
    let (kind, number) = plane.strip_prefix("/device:")?.split_once(':')?;
    let is_number = number.parse::<u32>().is_ok();
    (matches!(kind, "TPU" | "GPU") && is_number).then_some(kind)
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

/// Returns a profile of one plane alone. `None` if the plane is damaged.
pub(super) fn plane_alone(source: &dyn Source, span: Span) -> Option<Profile> {
    let mut progress = |_: ReadProgress<'_>| ();
    let part = ProfilePart::read(source, span, Span::ALL, &mut progress)?;
    let mut builder = Builder::new(&mut progress);
    builder.file("");
    builder.join(vec![part]).then(|| builder.finish())
}
