//! This module reads the starts of many files, to tell which captures they are without reading their events. Of an XSpace it reads
//! the names of its planes and the plane about the run, which is small; packed files are not unpacked.

use super::Input;
use super::detect::format;
use crate::analysis::captures::{FileHead, HeadKind};
use crate::profile::{Builder, Plane, ProfilePart, ReadProgress};
use crate::source::Source;
use crate::wire::xspace::{SpaceField, outline};
use crate::wire::{Format, Span};

/// The name of the plane that holds when the profile was started.
const RUN: &str = "Task Environment";
/// Largest size of that plane in bytes. It holds a few stats.
const MAX_RUN_BYTES: u64 = 1 << 20;

/// Returns what the start of a file says. A file that cannot be read is of [`HeadKind::Other`]; opening it gives the reason.
pub fn head(input: &Input) -> FileHead {
    let source = input.source.as_ref();
    let mut head = FileHead {
        path: input.name.clone(),
        bytes: source.size(),
        kind: HeadKind::Other,
        start_ns: None,
        hosts: Vec::new(),
        platform: None,
        n_devices: 0,
    };
    head.kind = match format(source) {
        Ok(Format::XSpace) => HeadKind::XSpace,
        Ok(Format::Gzip | Format::Xz | Format::Zip | Format::TraceJson) => HeadKind::Packed,
        Ok(Format::HloProto | Format::HloModule | Format::HloText) => HeadKind::Program,
        Ok(Format::Report) => HeadKind::Report,
        Ok(Format::Unknown(_)) | Err(_) => HeadKind::Other,
    };
    if head.kind != HeadKind::XSpace {
        return head;
    }
    let Some(outline) = outline(source) else { return head };
    for field in outline.fields {
        if let SpaceField::Host(host) = field {
            head.hosts.push(host);
        }
    }
    let devices: Vec<&str> = outline.planes.iter().filter_map(|(_, name)| device_type(name)).collect();
    head.platform = devices.first().map(|name| (*name).to_owned());
    head.n_devices = devices.len() as u32;
    let run = outline.planes.iter().find(|(span, name)| name == RUN && span.len() <= MAX_RUN_BYTES);
    head.start_ns = run.and_then(|(span, _)| start(source, *span));
    head
}

/// Returns the type of device in the name of a plane, such as `TPU` of `/device:TPU:0`. `None` for planes that are no device.
fn device_type(plane: &str) -> Option<&str> {
    let (kind, number) = plane.strip_prefix("/device:")?.split_once(':')?;
    let is_number = number.parse::<u32>().is_ok();
    (matches!(kind, "TPU" | "GPU") && is_number).then_some(kind)
}

/// Returns when the profile was started, from the plane about the run.
fn start(source: &dyn Source, run: Span) -> Option<u64> {
    let mut progress = |_: ReadProgress<'_>| ();
    let part = ProfilePart::read(source, run, &mut progress)?;
    let mut builder = Builder::new(&mut progress);
    builder.file("");
    builder.join(vec![part]).then(|| builder.finish().planes.iter().find_map(Plane::start_ns)).flatten()
}
