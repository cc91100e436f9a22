//! This module reads the starts of many files, to tell which captures they are without reading their events. Of an XSpace it reads
//! the names of its planes and the plane about the run, which is small. Packed captures are unpacked if all of them together are
//! small.

use super::Input;
use super::detect::{MAX_INFLATED, format, sniff_source};
use crate::analysis::captures::{FileHead, HeadKind};
use crate::profile::{Builder, Plane, Profile, ProfilePart, ReadProgress, max_listed};
use crate::source::{Source, inflate};
use crate::wire::xspace::{Outline, SpaceField, outline};
use crate::wire::{Format, Span};

/// The name of the plane that holds when the profile was started.
const RUN: &str = "Task Environment";
/// Largest size of that plane in bytes. It holds a few stats.
const MAX_RUN_BYTES: u64 = 1 << 20;

/// Packed files are unpacked if they have at most this number of bytes in all.
const MAX_PACKED_BYTES: u64 = 64 << 20;

/// Returns what the start of each file says, and calls `progress` before each. A file that cannot be read is of
/// [`HeadKind::Other`]; opening it gives the reason.
pub fn heads(inputs: &[Input], progress: &mut dyn FnMut(&Input)) -> Vec<FileHead> {
    let is_packed = |input: &&Input| matches!(format(input.source.as_ref()), Ok(Format::Gzip | Format::Xz));
    let n_packed_bytes: u64 = inputs.iter().filter(is_packed).map(|input| input.source.size()).sum();
    let of_input = |input| {
        progress(input);
        head(input, n_packed_bytes <= MAX_PACKED_BYTES)
    };
    inputs.iter().map(of_input).collect()
}

/// Returns what the start of a file says. `unpacks` tells whether a packed file is unpacked.
fn head(input: &Input, unpacks: bool) -> FileHead {
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
        Ok(Format::TableRows) => HeadKind::Table,
        Ok(Format::Unknown(_)) | Err(_) => HeadKind::Other,
    };
    let unpacked = if head.kind == HeadKind::Packed && unpacks { unpacked(source) } else { None };
    let source: &dyn Source = match &unpacked {
        Some(bytes) => bytes,
        None => source,
    };
    if unpacked.is_some() {
        head.kind = HeadKind::XSpace;
    } else if head.kind != HeadKind::XSpace {
        return head;
    }
    let Some(outline) = listed_outline(source) else { return head };
    for field in outline.fields {
        if let SpaceField::Host(host) = field {
            head.hosts.push(host);
        }
    }
    let devices: Vec<&str> = outline.planes.iter().filter_map(|(_, name)| device_platform(name)).collect();
    head.platform = devices.first().map(|name| (*name).to_owned());
    head.n_devices = devices.len() as u32;
    let run = outline.planes.iter().find(|(span, name)| name == RUN && span.len() <= MAX_RUN_BYTES);
    head.start_ns = run.and_then(|(span, _)| start(source, *span));
    head
}

/// Returns the outline of an XSpace. `None` if it is damaged between planes, or has more planes than a session lists.
pub(crate) fn listed_outline(source: &dyn Source) -> Option<Outline> {
    outline(source, usize::try_from(max_listed(source.size())).unwrap_or(usize::MAX))
}

/// Returns the bytes of a packed XSpace. `None` if the file is none.
fn unpacked(source: &dyn Source) -> Option<Vec<u8>> {
    let (format, packing) = sniff_source(source).ok()?;
    (format == Format::XSpace && !packing.is_plain()).then(|| inflate(source, packing, MAX_INFLATED, &mut |_| {}).bytes)
}

/// Returns the type of device in the name of a plane, such as `TPU` of `/device:TPU:0`. `None` for planes that are no device.
pub(super) fn device_platform(plane: &str) -> Option<&str> {
    let (kind, number) = plane.strip_prefix("/device:")?.split_once(':')?;
    let is_number = number.parse::<u32>().is_ok();
    (matches!(kind, "TPU" | "GPU") && is_number).then_some(kind)
}

/// Returns when the profile was started, from the plane about the run.
fn start(source: &dyn Source, run: Span) -> Option<u64> {
    plane_alone(source, run)?.planes.iter().find_map(Plane::start_ns)
}

/// Returns a profile of one plane alone. `None` if the plane is damaged.
pub(super) fn plane_alone(source: &dyn Source, span: Span) -> Option<Profile> {
    let mut progress = |_: ReadProgress<'_>| ();
    let part = ProfilePart::read(source, span, Span::ALL, &mut progress)?;
    let mut builder = Builder::new(&mut progress);
    builder.file("");
    builder.join(vec![part]).then(|| builder.finish())
}
