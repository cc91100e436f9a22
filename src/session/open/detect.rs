//! This module opens each file by its format, which `wire::sniff` tells: captures, programs, and archives with their
//! members. It depends on formats and layers of packing, and adds nothing to a profile.

use super::archive::unzip;
use super::planes_read::FileRead;
use super::trace::{self, Surveyed};
use super::{Input, messages, program_messages};
use crate::analysis::files::FileInfo;
use crate::protocol::{Failure, Progress};
use xla_profile::profile::{HloForm, Note};
use xla_profile::source::{GZIP, Inflated, Layer, Packing, Source, SourceError, Truncation, XZ, inflate};
use xla_profile::wire::hlo::{Outline, outline};
use xla_profile::wire::{Format, hlo_text, sniff};

/// Largest unpacked size of a file, in bytes. Writers of protobuf stop at 2 GiB.
pub(crate) const MAX_INFLATED: u64 = 2 << 30;
/// Number of bytes from which the format is detected.
const HEAD: u64 = 1 << 16;

/// A file that can be read.
pub(crate) struct Capture {
    pub(crate) info: FileInfo,
    pub(crate) what: FileKind,
    /// The stored file. It is unpacked while it is read, because its unpacked bytes may take gigabytes.
    pub(crate) source: Box<dyn Source>,
    pub(crate) packing: Packing,
    /// Indices of the planes that are not read.
    pub(crate) without: Vec<u32>,
    /// The planes, if they have been read already.
    pub(crate) read_before: Option<FileRead>,
    /// The unpacked file, if it was unpacked to tell which session it is of.
    pub(crate) unpacked: Option<Inflated>,
}

/// The format of a file that can be read.
pub(crate) enum FileKind {
    XSpace,
    Program(Program),
    /// Trace JSON after its first pass.
    Trace(Box<Surveyed>),
}

/// A file that holds a program.
pub(crate) struct Program {
    pub(crate) outline: Outline,
    pub(crate) form: HloForm,
    /// Unpacked size in bytes.
    pub(crate) size: u64,
    /// Reason why unpacking ended early.
    pub(crate) stopped: Option<Truncation>,
    /// Whether the file is HLO text that ends inside a computation.
    pub(crate) is_cut: bool,
}

/// The files of a session after detection.
#[derive(Default)]
pub(crate) struct Detected {
    pub(crate) captures: Vec<Capture>,
    /// Notes about archives.
    pub(crate) notes: Vec<Note>,
    /// Names of the files that do not belong to a profile.
    pub(crate) skipped_files: Vec<String>,
    /// Failure of the last file in `skipped_files`.
    pub(crate) last: Option<Failure>,
    /// Failures of files that should have been readable.
    pub(crate) failures: Vec<Failure>,
    /// Number of files, members of archives included.
    pub(crate) n_files: usize,
    pub(crate) n_archives: usize,
}

/// The reason why a file is not read.
struct Refusal {
    failure: Failure,
    /// Whether the file does not belong to a profile, by its content and its name.
    is_skipped: bool,
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self { failure, is_skipped: false }
    }
}

impl Detected {
    /// Detects the format of a file and adds the file. For an archive, adds its members instead.
    pub(crate) fn add(&mut self, input: Input, state: &mut Progress, progress: &mut dyn FnMut(Progress)) {
        set_place(&input.name, state, progress);
        let sniffed = sniff_source(input.source.as_ref());
        if !matches!(&sniffed, Ok((Format::Zip, packing)) if packing.is_plain()) {
            let name = input.name.clone();
            let capture = detect(input, sniffed, None, state, progress);
            return self.file(name, capture);
        }
        self.n_archives += 1;
        match unzip(&input.name, input.source) {
            Err(failure) => self.failures.push(failure),
            Ok(unzipped) => {
                self.notes.extend(unzipped.notes);
                for (member, packed) in unzipped.inputs {
                    set_place(&member.name, state, progress);
                    let (name, sniffed) = (member.name.clone(), self::sniff_source(member.source.as_ref()));
                    let capture = detect(member, sniffed, Some(Zipped { packed }), state, progress);
                    self.file(name, capture);
                }
            }
        }
    }

    fn file(&mut self, name: String, capture: Result<Capture, Refusal>) {
        self.n_files += 1;
        match capture {
            Ok(capture) => self.captures.push(capture),
            Err(Refusal { is_skipped: true, failure }) => {
                self.skipped_files.push(name);
                self.last = Some(failure);
            }
            Err(Refusal { failure, .. }) => self.failures.push(failure),
        }
    }
}

/// Reports that the detection of a file begins.
fn set_place(name: &str, state: &mut Progress, progress: &mut dyn FnMut(Progress)) {
    name.clone_into(&mut state.place);
    progress(state.clone());
}

/// The reason why the format of a file cannot be detected.
pub(super) enum DetectError {
    Read(SourceError),
    /// A layer cannot be unpacked: its name, and the fault.
    Packed(&'static str, String),
}

/// Marks a file as a member of an archive.
#[derive(Clone, Copy)]
struct Zipped {
    /// Whether the archive compresses the member. Then the outermost layer belongs to the archive.
    packed: bool,
}

/// Detects the format of a file by its first stored bytes.
pub(crate) fn format(source: &dyn Source) -> Result<Format, SourceError> {
    let mut head = vec![0; usize::try_from(source.size().min(HEAD)).unwrap_or_default()];
    source.read_at(0, &mut head)?;
    Ok(sniff(&head, source.size()))
}

/// Detects the format of a file by its first unpacked bytes, and the layers of packing around it. If there are more
/// layers than a profile has, the format is that of the next layer.
pub(super) fn sniff_source(source: &dyn Source) -> Result<(Format, Packing), DetectError> {
    let (mut format, mut packing) = (format(source).map_err(DetectError::Read)?, Packing::default());
    while let Some(layer) = layer(format)
        && let Some(deeper) = packing.with_layer(layer)
    {
        packing = deeper;
        let inner = inflate(source, packing, HEAD, &mut |_| {});
        if let (true, Some(Truncation::Damaged(reason))) = (inner.bytes.is_empty(), inner.stopped) {
            return Err(DetectError::Packed(layer.name, reason));
        }
        format = sniff(&inner.bytes, inner.bytes.len() as u64);
    }
    Ok((format, packing))
}

/// Returns the layer that a packed format stands for. `None` for all other formats.
fn layer(format: Format) -> Option<Layer> {
    match format {
        Format::Gzip => Some(GZIP),
        Format::Xz => Some(XZ),
        _ => None,
    }
}

/// Returns the format with its layers, such as "XSpace, gzip, zip". Neighbouring layers of one kind are named once.
fn words(what: &str, packing: Packing, zipped: Option<Zipped>) -> String {
    let of_archive = usize::from(zipped.is_some_and(|zipped| zipped.packed));
    let mut words = vec![what];
    packing.layers().skip(of_archive).for_each(|layer| words.insert(1, layer.name));
    words.extend(zipped.map(|_| "zip"));
    words.dedup();
    words.join(", ")
}

fn detect(
    input: Input,
    sniffed: Result<(Format, Packing), DetectError>,
    zipped: Option<Zipped>,
    state: &mut Progress,
    progress: &mut dyn FnMut(Progress),
) -> Result<Capture, Refusal> {
    let Input { name, source, .. } = input;
    let short = name.rsplit('/').next().unwrap_or(&name).to_owned();
    let (format, packing) = sniffed.map_err(|why| match why {
        DetectError::Read(error) => messages::unreadable(&short, &error.to_string()),
        DetectError::Packed(layer, reason) => messages::bad_layer(&short, layer, &reason),
    })?;
    let (name_of_format, what) = match format {
        Format::XSpace => ("XSpace", FileKind::XSpace),
        Format::HloProto => ("HLO proto", program(&short, source.as_ref(), HloForm::Proto, packing)?),
        Format::HloModule => ("HLO module proto", program(&short, source.as_ref(), HloForm::Module, packing)?),
        Format::HloText => ("HLO text", program(&short, source.as_ref(), HloForm::Text, packing)?),
        Format::TraceJson => {
            let surveyed = trace::survey(&short, source.as_ref(), packing, &mut |bytes| {
                state.bytes_done = bytes;
                progress(state.clone());
            })?;
            ("trace JSON", FileKind::Trace(surveyed))
        }
        Format::Gzip | Format::Xz => {
            let outer = packing.layers().next().map_or("", |layer| layer.name);
            return Err(messages::bad_layer(&short, outer, "what it holds is packed again, and that once more").into());
        }
        Format::Report => return Err(messages::report_beside(&short).into()),
        Format::TableRows => return Err(Refusal { failure: messages::table_rows(&short), is_skipped: true }),
        Format::Zip => {
            let outer =
                packing.layers().next().filter(|_| zipped.is_none()).map_or("another archive", |layer| layer.name);
            return Err(messages::nested(&short, outer).into());
        }
        Format::Unknown(what) => {
            let looks_like =
                [".xplane.pb", ".trace.json", ".hlo_proto.pb", ".hlo"].iter().any(|ending| short.contains(ending));
            return Err(Refusal { failure: messages::unknown(&short, what), is_skipped: !looks_like });
        }
    };
    let info = FileInfo { name, bytes: source.size(), format: words(name_of_format, packing, zipped) };
    Ok(Capture { info, what, source, packing, without: Vec::new(), read_before: None, unpacked: None })
}

fn program(name: &str, source: &dyn Source, form: HloForm, packing: Packing) -> Result<FileKind, Failure> {
    let inflated = (!packing.is_plain()).then(|| inflate(source, packing, MAX_INFLATED, &mut |_| {}));
    let outline = |source: &dyn Source| -> Result<(Outline, bool), Failure> {
        if form == HloForm::Text {
            let text = hlo_text::outline(source).map_err(|e| program_messages::bad_text(name, &e))?;
            let (name, module) = (text.name, text.module);
            let outline = Outline { name, id: 0, module, has_buffers: false, damage: None };
            return Ok((outline, !text.is_complete));
        }
        let outline = outline(source, form == HloForm::Module).map_err(|e| program_messages::bad_program(name, &e))?;
        Ok((outline, false))
    };
    let (size, (outline, is_cut)) = match &inflated {
        Some(inflated) => (inflated.bytes.len() as u64, outline(&inflated.bytes)?),
        None => (source.size(), outline(source)?),
    };
    Ok(FileKind::Program(Program {
        outline,
        form,
        size,
        stopped: inflated.and_then(|inflated| inflated.stopped),
        is_cut,
    }))
}
