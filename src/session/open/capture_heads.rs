//! This module reads the starts of many files, to tell which captures they are without reading their events. Of an XSpace it reads
//! the names of its planes and the plane about the run, which is small. Packed captures are unpacked if all of them together are
//! small.

use super::Input;
use super::detect::{MAX_INFLATED, format, sniff_source};
use super::plane_heads::{
    LimitedSource, PROGRAMS, device_platform, first_device_type, listed_outline, plane_alone, without_events,
};
use crate::analysis::captures::{FileHead, HeadKind, runs};
use xla_profile::profile::Plane;
use xla_profile::source::{Source, inflate};
use xla_profile::wire::Format;
use xla_profile::wire::xspace::SpaceField;

/// The name of the plane that holds when the profile was started.
const RUN: &str = "Task Environment";
/// Largest size of that plane in bytes. It holds a few stats.
const MAX_RUN_BYTES: u64 = 1 << 20;

/// Largest number of files of a run whose devices are compared by their types.
const MAX_TYPED_FILES: usize = 16;
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
    let mut heads: Vec<FileHead> = inputs.iter().map(of_input).collect();
    add_device_types(&mut heads, &|index, read| {
        // The types in packed files are known once they are read.
        if let Some(input) =
            inputs.get(index).filter(|input| matches!(format(input.source.as_ref()), Ok(Format::XSpace)))
        {
            read(input.source.as_ref());
        }
    });
    heads
}

/// Returns what the start of a file says. `unpacks` tells whether a packed file is unpacked.
fn head(input: &Input, unpacks: bool) -> FileHead {
    let source = input.source.as_ref();
    let kind = match format(source) {
        Ok(Format::XSpace) => HeadKind::XSpace,
        Ok(Format::Gzip | Format::Xz | Format::Zip | Format::TraceJson) => HeadKind::Packed,
        Ok(Format::HloProto | Format::HloModule | Format::HloText) => HeadKind::Program,
        Ok(Format::Report) => HeadKind::Report,
        Ok(Format::TableRows) => HeadKind::Table,
        Ok(Format::Unknown(_)) | Err(_) => HeadKind::Other,
    };
    let unpacked = if kind == HeadKind::Packed && unpacks { unpacked(source) } else { None };
    match &unpacked {
        Some(bytes) => space_head(&input.name, source.size(), bytes),
        None if kind == HeadKind::XSpace => space_head(&input.name, source.size(), source),
        None => FileHead { path: input.name.clone(), bytes: source.size(), kind, ..FileHead::default() },
    }
}

/// Returns what the start of an XSpace says. `bytes` is the size of the stored file, and `source` is unpacked.
pub(super) fn space_head(path: &str, bytes: u64, source: &dyn Source) -> FileHead {
    let mut head = FileHead { path: path.to_owned(), bytes, kind: HeadKind::XSpace, ..FileHead::default() };
    let Some(outline) = listed_outline(source) else { return head };
    for field in outline.fields {
        if let SpaceField::Host(host) = field {
            head.hosts.push(host);
        }
    }
    let devices: Vec<&str> = outline.planes.iter().filter_map(|(_, name)| device_platform(name)).collect();
    head.platform = devices.first().map(|name| (*name).to_owned());
    head.n_devices = devices.len() as u32;
    let named = |name: &str| outline.planes.iter().find(|(_, plane_name)| plane_name == name).map(|(span, _)| *span);
    let run = named(RUN).filter(|span| span.len() <= MAX_RUN_BYTES).and_then(|span| plane_alone(source, span));
    if let Some(profile) = run {
        head.start_ns = profile.planes.iter().find_map(Plane::start_ns);
        let stop = profile.planes.iter().find_map(Plane::stop_ns);
        head.stop_ns = stop.filter(|stop| head.start_ns.is_some_and(|start| start <= *stop));
    }
    // Of the plane with the programs, the programs are stepped over.
    if let Some(profile) = named(PROGRAMS).and_then(|span| without_events(&LimitedSource::new(source), span, false)) {
        head.process = profile.planes.iter().find_map(process);
        head.jaxlib = profile.planes.iter().find_map(|plane| plane.text_stat("jaxlib_version")).map(str::to_owned);
    }
    head
}

/// Returns the id of the process that was profiled.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "ids of processes are small")]
fn process(plane: &Plane) -> Option<u64> {
    plane.number_stat("process_id").filter(|id| *id > 0.0).map(|id| id as u64)
}

/// Receives the unpacked bytes of a file.
type ReadSource<'a> = dyn FnMut(&dyn Source) + 'a;

/// Adds the types of devices to the heads of files that would be of one run, as far as the number of files is small. `with_source` calls a
/// function with the unpacked bytes of a file, if they are at hand.
pub(super) fn add_device_types(heads: &mut [FileHead], with_source: &dyn Fn(usize, &mut ReadSource<'_>)) {
    for run in runs(heads) {
        let files: Vec<usize> =
            run.iter().map(|index| *index as usize).filter(|index| heads[*index].platform.is_some()).collect();
        if !(2..=MAX_TYPED_FILES).contains(&files.len()) {
            continue;
        }
        for index in files {
            let mut found = None;
            with_source(index, &mut |source| {
                let outline = listed_outline(source);
                found = outline.and_then(|outline| first_device_type(&LimitedSource::new(source), &outline));
            });
            heads[index].device_type = found;
        }
    }
}

/// Returns the bytes of a packed XSpace. `None` if the file is none.
fn unpacked(source: &dyn Source) -> Option<Vec<u8>> {
    let (format, packing) = sniff_source(source).ok()?;
    (format == Format::XSpace && !packing.is_plain()).then(|| inflate(source, packing, MAX_INFLATED, &mut |_| {}).bytes)
}
