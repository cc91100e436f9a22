//! What each file is, by its first bytes and never by its name: captures, programs, archives and what is in those. Knows formats
//! and layers of packing; adds nothing to a profile.

use super::ways::{Surveyed, Ways};
use super::{Failure, FileInfo, Input, Progress, sentences};
use crate::profile::{HloForm, Note};
use crate::source::{MAX_LAYERS, Source, SourceError, Stopped, inflate};
use crate::wire::hlo::{Outline, outline};
use crate::wire::{Format, sniff};

/// Most that a gzip file may unpack to: protobuf writers stop at 2 GiB.
pub(super) const MAX_INFLATED: u64 = 2 << 30;
/// Bytes that tell a format.
const HEAD: u64 = 1 << 16;

/// A file that can be read.
pub(super) struct Capture {
    pub(super) info: FileInfo,
    pub(super) what: What,
    /// The file as it lies: it is unpacked while it is read. Holding what it unpacks to would take gigabytes.
    pub(super) source: Box<dyn Source>,
    /// Layers of gzip around it.
    pub(super) layers: u8,
    /// Planes of it that are not read, by their places.
    pub(super) without: Vec<u32>,
}

/// What a file is.
pub(super) enum What {
    XSpace,
    Program(Program),
    /// It was walked once, to see what it holds.
    Trace(Box<Surveyed>, Ways),
}

/// What a file that is a program says of itself.
pub(super) struct Program {
    pub(super) outline: Outline,
    pub(super) form: HloForm,
    /// Its bytes, unpacked.
    pub(super) size: u64,
    /// Why unpacking ended early.
    pub(super) stopped: Option<Stopped>,
}

/// What the files of a session are.
#[derive(Default)]
pub(super) struct Found {
    pub(super) captures: Vec<Capture>,
    /// What is to be said of archives.
    pub(super) notes: Vec<Note>,
    /// Files that are none of a profile.
    pub(super) passed_over: Vec<String>,
    /// Why the last of them is none.
    pub(super) last: Option<Failure>,
    /// Files that could be, and cannot be read.
    pub(super) failures: Vec<Failure>,
    /// Files looked at, those in archives included.
    pub(super) n_files: usize,
    pub(super) n_archives: usize,
}

/// A file that is not read.
struct Refusal {
    failure: Failure,
    /// It is none of a profile, by what is in it and by its name.
    passed_over: bool,
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self { failure, passed_over: false }
    }
}

impl Found {
    /// Adds a file; of an archive its members.
    pub(super) fn add(
        &mut self,
        input: Input,
        ways: Option<Ways>,
        state: &mut Progress,
        progress: &mut dyn FnMut(Progress),
    ) {
        at(&input.name, state, progress);
        let told = told(input.source.as_ref());
        if !matches!(told, Ok((Format::Zip, 0))) {
            let name = input.name.clone();
            let capture = recognise(input, told, false, ways, state, progress);
            return self.file(name, capture);
        }
        self.n_archives += 1;
        let unzipped = ways.ok_or_else(sentences::not_fetched).and_then(|ways| (ways.unzip)(&input.name, input.source));
        match unzipped {
            Err(failure) => self.failures.push(failure),
            Ok(unzipped) => {
                self.notes.extend(unzipped.notes);
                for (member, packed) in unzipped.inputs {
                    at(&member.name, state, progress);
                    let (name, told) = (member.name.clone(), self::told(member.source.as_ref()));
                    let capture = recognise(member, told, true, ways, state, progress).map(|mut capture| {
                        // Of two layers one is the archive's.
                        let own = capture.layers.saturating_sub(u8::from(packed));
                        let words = capture.info.format.trim_end_matches(", gzip");
                        capture.info.format = format!("{words}{}, zip", if own > 0 { ", gzip" } else { "" });
                        capture
                    });
                    self.file(name, capture);
                }
            }
        }
    }

    fn file(&mut self, name: String, capture: Result<Capture, Refusal>) {
        self.n_files += 1;
        match capture {
            Ok(capture) => self.captures.push(capture),
            Err(Refusal { passed_over: true, failure }) => {
                self.passed_over.push(name);
                self.last = Some(failure);
            }
            Err(Refusal { failure, .. }) => self.failures.push(failure),
        }
    }
}

/// A file's turn has come.
fn at(name: &str, state: &mut Progress, progress: &mut dyn FnMut(Progress)) {
    name.clone_into(&mut state.place);
    progress(state.clone());
}

#[cfg(all(target_arch = "wasm32", feature = "web"))]
/// Whether [`Ways`] are needed to open one of the files.
pub(super) fn need_ways(inputs: &[Input]) -> bool {
    let needs = |input: &Input| {
        matches!(told(input.source.as_ref()), Ok((Format::TraceJson | Format::Zip | Format::Report, _)))
    };
    inputs.iter().any(needs)
}

/// Why a file's format cannot be told.
enum Untold {
    Read(SourceError),
    Gzip(String),
}

/// The format by a file's first bytes, as it lies.
pub(super) fn format(source: &dyn Source) -> Result<Format, SourceError> {
    let mut head = vec![0; usize::try_from(source.size().min(HEAD)).unwrap_or_default()];
    source.read_at(0, &mut head)?;
    Ok(sniff(&head, source.size()))
}

/// The format by a file's first bytes, and the layers of gzip that it lies in.
fn told(source: &dyn Source) -> Result<(Format, u8), Untold> {
    let (mut format, mut layers) = (format(source).map_err(Untold::Read)?, 0);
    while format == Format::Gzip && layers < MAX_LAYERS {
        layers += 1;
        let inner = inflate(source, layers, HEAD, &mut |_| {});
        if let (true, Some(Stopped::Damaged(reason))) = (inner.bytes.is_empty(), inner.stopped) {
            return Err(Untold::Gzip(reason));
        }
        format = sniff(&inner.bytes, inner.bytes.len() as u64);
    }
    Ok((format, layers))
}

fn recognise(
    input: Input,
    told: Result<(Format, u8), Untold>,
    zipped: bool,
    ways: Option<Ways>,
    state: &mut Progress,
    progress: &mut dyn FnMut(Progress),
) -> Result<Capture, Refusal> {
    let Input { name, source, .. } = input;
    let short = name.rsplit('/').next().unwrap_or(&name).to_owned();
    let (format, layers) = told.map_err(|why| match why {
        Untold::Read(error) => sentences::unreadable(&short, &error.to_string()),
        Untold::Gzip(reason) => sentences::bad_gzip(&short, &reason),
    })?;
    let (words, what) = match format {
        Format::XSpace => ("XSpace", What::XSpace),
        Format::HloProto => ("HLO proto", program(&short, source.as_ref(), HloForm::Proto, layers)?),
        Format::HloModule => ("HLO module proto", program(&short, source.as_ref(), HloForm::Module, layers)?),
        Format::TraceJson => {
            let ways = ways.ok_or_else(sentences::not_fetched)?;
            let surveyed = (ways.survey)(&short, source.as_ref(), layers, &mut |at| {
                state.bytes_done = at;
                progress(state.clone());
            })?;
            ("trace JSON", What::Trace(surveyed, ways))
        }
        Format::Gzip => return Err(sentences::bad_gzip(&short, "it holds gzip again, and that once more").into()),
        Format::Report => return Err(sentences::report_beside(&short).into()),
        Format::Zip => return Err(sentences::nested(&short, zipped).into()),
        Format::Unknown(what) => {
            let looks_like = [".xplane.pb", ".trace.json", ".hlo_proto.pb"].iter().any(|ending| short.contains(ending));
            return Err(Refusal { failure: sentences::unknown(&short, what), passed_over: !looks_like });
        }
    };
    let format = if layers > 0 { format!("{words}, gzip") } else { words.to_owned() };
    Ok(Capture { info: FileInfo { name, bytes: source.size(), format }, what, source, layers, without: Vec::new() })
}

fn program(name: &str, source: &dyn Source, form: HloForm, layers: u8) -> Result<What, Failure> {
    let inflated = (layers > 0).then(|| inflate(source, layers, MAX_INFLATED, &mut |_| {}));
    let outline = |source: &dyn Source| {
        let outline = outline(source, form == HloForm::Module).map_err(|e| sentences::bad_program(name, &e))?;
        Ok((outline, source.size()))
    };
    let (outline, size) = inflated.as_ref().map_or_else(|| outline(source), |inflated| outline(&inflated.bytes))?;
    Ok(What::Program(Program { outline, form, size, stopped: inflated.and_then(|inflated| inflated.stopped) }))
}
