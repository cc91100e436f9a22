//! Files → one profile: tells formats, unpacks, walks, and puts what went wrong into sentences.

use super::instructions;
use super::programs::Kept;
use super::traces::{Surveyed, Traces};
use super::{Failure, FileInfo, Progress, Stage, sentences};
use crate::profile::{Builder, HloForm, Note, Plane, Profile, Reached, Severity};
use crate::sorted;
use crate::source::{Source, SourceError, Stopped, inflate};
use crate::wire::hlo::{Outline, outline};
use crate::wire::xspace::{Outcome, walk};
use crate::wire::{Format, Span, sniff};

/// One file to open.
pub struct Input {
    /// Its name, with folders.
    pub name: String,
    /// Its bytes.
    pub source: Box<dyn Source>,
    /// It was found in a folder: if it is no capture it is passed over.
    pub from_folder: bool,
}

/// What opening gave.
pub struct Opened {
    /// The model.
    pub profile: Profile,
    /// The files that were read.
    pub files: Vec<FileInfo>,
    /// Something is damaged or cut: what, and what was kept.
    pub partial: Option<String>,
    /// The files as they lie, in the profile's order: programs are read from them when they are asked for.
    pub kept: Vec<Kept>,
}

/// Most that a gzip file may unpack to: protobuf writers stop at 2 GiB.
const MAX_INFLATED: u64 = 2 << 30;
/// Bytes that tell a format.
const HEAD: u64 = 1 << 16;

/// Opens files as one session, with what programs say of ops that do not say it themselves.
///
/// # Errors
/// Where nothing could be read: a sentence that says what, where, and what to do.
pub fn open(inputs: Vec<Input>, progress: &mut dyn FnMut(Progress)) -> Result<Opened, Failure> {
    let mut opened = open_files(inputs, Some(Traces::get()), progress)?;
    complete(&mut opened.profile, &opened.kept);
    Ok(opened)
}

/// Works out what captures of GPUs and CPUs do not say.
pub(super) fn complete(profile: &mut Profile, kept: &[Kept]) {
    if profile.needs_deriving() {
        profile.derive();
    }
    if instructions::needed(profile) {
        instructions::fill(profile, kept);
    }
}

#[cfg(all(target_arch = "wasm32", feature = "web"))]
/// Whether one of the files is a trace JSON: then [`Traces`] are needed to open them.
pub(super) fn has_trace(inputs: &[Input]) -> bool {
    inputs.iter().any(|input| {
        let format = told(input.source.as_ref()).map(|format| inner(input.source.as_ref(), format));
        format.is_ok_and(|format| format == Format::TraceJson)
    })
}

/// The format by a file's first bytes.
fn told(source: &dyn Source) -> Result<Format, SourceError> {
    let mut head = vec![0; usize::try_from(source.size().min(HEAD)).unwrap_or_default()];
    source.read_at(0, &mut head)?;
    Ok(sniff(&head, source.size()))
}

/// The format of what is packed, where something is.
fn inner(source: &dyn Source, format: Format) -> Format {
    if format != Format::Gzip {
        return format;
    }
    let head = inflate(source, HEAD, &mut |_| {}).bytes;
    sniff(&head, head.len() as u64)
}

/// Opens files as one session: captures, and compiled programs. With several files, those that are neither are passed
/// over with a note. What captures of GPUs and CPUs do not say is still to be worked out: [`complete`].
///
/// # Errors
/// Where nothing could be read: a sentence that says what, where, and what to do.
pub(super) fn open_files(
    inputs: Vec<Input>,
    traces: Option<Traces>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Opened, Failure> {
    let total = inputs.iter().map(|i| i.source.size()).sum();
    let single = matches!(inputs.as_slice(), [one] if !one.from_folder);
    let n_inputs = inputs.len();
    let mut state = Progress {
        stage: Stage::Recognise,
        bytes_done: 0,
        bytes_total: total,
        planes: 0,
        events: 0,
        place: String::new(),
        memory: None,
    };
    let mut captures: Vec<Capture> = Vec::new();
    let (mut passed_over, mut failures) = (Vec::new(), Vec::new());
    for input in inputs {
        state.place.clone_from(&input.name);
        progress(state.clone());
        let name = input.name.clone();
        match recognise(input, traces, &mut state, progress) {
            Ok(capture) => captures.push(capture),
            Err(failure) => {
                passed_over.push(name);
                failures.push(failure);
            }
        }
    }
    if captures.is_empty() {
        return Err(match (single, failures.pop()) {
            (true, Some(failure)) => failure,
            _ => sentences::no_capture(n_inputs, passed_over),
        });
    }
    // Hosts of a session in one defined order, however they were dropped.
    // Trace JSON last: what of it is also in an XSpace is passed over.
    let is_trace = |c: &Capture| matches!(c.what, What::Trace(..));
    sorted::sort_by(&mut captures, |a, b| (is_trace(a), &a.info.name).cmp(&(is_trace(b), &b.info.name)));
    state.stage = Stage::Read;
    let opened = read(captures, state, progress)?;
    Ok(note_passed_over(opened, &passed_over))
}

fn note_passed_over(mut opened: Opened, passed_over: &[String]) -> Opened {
    if let [first, rest @ ..] = passed_over {
        let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
        let message = format!("{first}{more}: neither an XSpace, a trace JSON nor an HLO proto, passed over.");
        opened.profile.notes.push(Note::new(Severity::Info, "files_passed_over", message));
    }
    opened
}

/// A file that can be read, unpacked if it was packed.
struct Capture {
    info: FileInfo,
    what: What,
    /// What is read: unpacked, but for a trace JSON, which is unpacked while it is read.
    source: Box<dyn Source>,
    /// Whether the file itself is packed.
    packed: bool,
    /// The file itself, where `source` is what it unpacked to. Of that only this is kept: unpacking again takes seconds,
    /// holding it gigabytes.
    original: Option<Box<dyn Source>>,
    /// Why unpacking ended early.
    stopped: Option<Stopped>,
}

/// What a file is.
enum What {
    XSpace,
    Program(Program),
    /// It was walked once, to see what it holds.
    Trace(Box<Surveyed>, Traces),
}

/// What a file that is a program says of itself.
struct Program {
    outline: Outline,
    form: HloForm,
}

fn recognise(
    input: Input,
    traces: Option<Traces>,
    state: &mut Progress,
    progress: &mut dyn FnMut(Progress),
) -> Result<Capture, Failure> {
    let Input { name, source, .. } = input;
    let bytes = source.size();
    let short = name.rsplit('/').next().unwrap_or(&name).to_owned();
    let mut format = told(source.as_ref()).map_err(|e| sentences::unreadable(&short, &e.to_string()))?;
    let (mut stopped, mut original, mut source) = (None, None, source);
    let packed = format == Format::Gzip;
    format = inner(source.as_ref(), format);
    if packed && format != Format::TraceJson {
        state.stage = Stage::Inflate;
        let inflated = inflate(source.as_ref(), MAX_INFLATED, &mut |at| {
            state.bytes_done = at;
            progress(state.clone());
        });
        if let (true, Some(Stopped::Damaged(reason))) = (inflated.bytes.is_empty(), &inflated.stopped) {
            return Err(sentences::bad_gzip(&short, reason));
        }
        stopped = inflated.stopped;
        original = Some(std::mem::replace(&mut source, Box::new(inflated.bytes)));
    }
    let program = |form| {
        let outline = outline(source.as_ref(), form == HloForm::Module);
        let program = outline.map(|outline| Program { outline, form });
        program.map(What::Program).map_err(|e| sentences::bad_program(&short, &e))
    };
    let (words, what) = match format {
        Format::XSpace => ("XSpace", What::XSpace),
        Format::HloProto => ("HLO proto", program(HloForm::Proto)?),
        Format::HloModule => ("HLO module proto", program(HloForm::Module)?),
        Format::TraceJson => {
            let traces = traces.ok_or_else(sentences::not_fetched)?;
            let surveyed = (traces.survey)(&short, source.as_ref(), packed, &mut |at| {
                state.bytes_done = at;
                progress(state.clone());
            })?;
            ("trace JSON", What::Trace(surveyed, traces))
        }
        Format::Gzip => return Err(sentences::bad_gzip(&short, "it holds gzip again")),
        Format::Unknown(what) => return Err(sentences::unknown(&short, what)),
    };
    let format = if packed { format!("{words}, gzip") } else { words.to_owned() };
    Ok(Capture { info: FileInfo { name, bytes, format }, what, source, packed, original, stopped })
}

fn read(captures: Vec<Capture>, mut state: Progress, progress: &mut dyn FnMut(Progress)) -> Result<Opened, Failure> {
    state.bytes_total = captures.iter().map(|c| c.source.size()).sum();
    let mut base = 0;
    // The builder reports from inside the walk, so what it needs lives in cells.
    let base_cell = std::cell::Cell::new(0u64);
    let mut on_reach = |reached: Reached<'_>| {
        state.bytes_done = base_cell.get().saturating_add(reached.at);
        state.planes = u32::try_from(reached.planes).unwrap_or(u32::MAX);
        state.events = reached.events;
        reached.plane.clone_into(&mut state.place);
        progress(state.clone());
    };
    let mut builder = Builder::new(&mut on_reach);
    let (mut files, mut kept, mut partial, mut bad) = (Vec::new(), Vec::new(), Vec::new(), None::<Failure>);
    for Capture { info, what, source, packed, original, stopped } in captures {
        let short = info.name.rsplit('/').next().unwrap_or(&info.name);
        base_cell.set(base);
        base += source.size();
        if let What::Trace(surveyed, traces) = &what
            && let Some(message) = (traces.same)(surveyed, &builder, &info.name)
        {
            builder.note(Note::new(Severity::Info, "same_capture", message));
            continue;
        }
        builder.file(&info.name);
        let sentence = match what {
            What::Program(program) => add_program(&mut builder, program, source.size(), stopped.as_ref()),
            What::XSpace => {
                let outcome = walk(source.as_ref(), &mut builder);
                let sentence = damage(&outcome, stopped.as_ref());
                if sentence.is_some() {
                    bad.get_or_insert_with(|| sentences::nothing_left(short, &outcome));
                }
                sentence
            }
            What::Trace(surveyed, traces) => (traces.read)(*surveyed, &mut builder, source.as_ref(), packed),
        };
        partial.extend(sentence.map(|sentence| format!("{short}: {sentence}")));
        files.push(info);
        kept.push(Kept::new(original.unwrap_or(source), packed));
    }
    let mut profile = builder.finish();
    let is_empty = |p: &Plane| p.name.is_empty() && p.lines.is_empty() && p.ops.is_empty();
    if profile.hlo.is_empty() && profile.planes.iter().all(is_empty) {
        let name = files.first().map_or("", |f| f.name.as_str());
        return Err(bad.unwrap_or_else(|| sentences::nothing_left(name, &Outcome::default())));
    }
    for sentence in &partial {
        profile.notes.push(Note::new(Severity::Partial, "partial_file", sentence.clone()));
    }
    let partial = (!partial.is_empty()).then(|| partial.join(" "));
    Ok(Opened { profile, files, partial, kept })
}

/// Adds a program; says what is wrong behind its module, which then is what is kept.
fn add_program(builder: &mut Builder<'_>, program: Program, size: u64, stopped: Option<&Stopped>) -> Option<String> {
    let Program { outline: Outline { name, id, module, damage }, form } = program;
    let is_whole = damage.is_none() && stopped.is_none();
    let (span, form) = if is_whole { (Span { start: 0, end: size }, form) } else { (module, HloForm::Module) };
    builder.program(&name, id, span, form);
    let early = stopped.map(|_| "Unpacking ends early. The program is complete; copy the file again.".to_owned());
    damage.map(|error| sentences::partial_program(&error)).or(early)
}

fn damage(outcome: &Outcome, stopped: Option<&Stopped>) -> Option<String> {
    match stopped {
        None => sentences::partial(outcome),
        Some(Stopped::Limit) => Some(format!(
            "It unpacks to more than {} GiB, which no XSpace has; only the first {0} GiB are read.",
            MAX_INFLATED >> 30
        )),
        Some(Stopped::Damaged(reason)) => {
            let kept = sentences::partial(outcome).unwrap_or_else(|| "What came before is kept.".to_owned());
            Some(format!("Unpacking ends early ({reason}). {kept}"))
        }
    }
}
