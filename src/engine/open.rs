//! Files → one profile: tells formats, unpacks, walks, and puts what went wrong into sentences.

use super::instructions;
use super::programs::Kept;
use super::{Failure, FileInfo, Progress, Stage, sentences};
use crate::profile::{Builder, HloForm, Note, Plane, Profile, Reached, Severity};
use crate::sorted;
use crate::source::{Source, Stopped, inflate};
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
    let mut opened = open_files(inputs, progress)?;
    if instructions::needed(&opened.profile) {
        instructions::fill(&mut opened.profile, &opened.kept);
    }
    Ok(opened)
}

/// Opens files as one session: captures, and compiled programs. With several files, those that are neither are passed
/// over with a note.
///
/// # Errors
/// Where nothing could be read: a sentence that says what, where, and what to do.
pub(super) fn open_files(inputs: Vec<Input>, progress: &mut dyn FnMut(Progress)) -> Result<Opened, Failure> {
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
        match recognise(input, &mut state, progress) {
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
    sorted::sort_by(&mut captures, |a, b| a.info.name.cmp(&b.info.name));
    state.stage = Stage::Read;
    let opened = read(captures, state, progress)?;
    Ok(note_passed_over(opened, &passed_over))
}

fn note_passed_over(mut opened: Opened, passed_over: &[String]) -> Opened {
    if let [first, rest @ ..] = passed_over {
        let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
        let message = format!("{first}{more}: neither an XSpace nor an HLO proto, passed over.");
        opened.profile.notes.push(Note::new(Severity::Info, "files_passed_over", message));
    }
    opened
}

/// A file that is an XSpace or a program, unpacked if it was packed.
struct Capture {
    info: FileInfo,
    /// It is a program.
    program: Option<Program>,
    source: Box<dyn Source>,
    /// What it was unpacked from.
    packed: Option<Box<dyn Source>>,
    /// Why unpacking ended early.
    stopped: Option<Stopped>,
}

/// What a file that is a program says of itself.
struct Program {
    outline: Outline,
    form: HloForm,
}

fn recognise(input: Input, state: &mut Progress, progress: &mut dyn FnMut(Progress)) -> Result<Capture, Failure> {
    let Input { name, source, .. } = input;
    let bytes = source.size();
    let short = name.rsplit('/').next().unwrap_or(&name).to_owned();
    let told = |source: &dyn Source| -> Result<Format, Failure> {
        let mut head = vec![0; usize::try_from(source.size().min(HEAD)).unwrap_or_default()];
        source.read_at(0, &mut head).map_err(|e| sentences::unreadable(&short, &e.to_string()))?;
        Ok(sniff(&head, source.size()))
    };
    let mut format = told(source.as_ref())?;
    let (mut stopped, mut packed, mut source) = (None, None, source);
    if format == Format::Gzip {
        state.stage = Stage::Inflate;
        let inflated = inflate(source.as_ref(), MAX_INFLATED, &mut |at| {
            state.bytes_done = at;
            progress(state.clone());
        });
        if let (true, Some(Stopped::Damaged(reason))) = (inflated.bytes.is_empty(), &inflated.stopped) {
            return Err(sentences::bad_gzip(&short, reason));
        }
        stopped = inflated.stopped;
        packed = Some(std::mem::replace(&mut source, Box::new(inflated.bytes)));
        format = told(source.as_ref())?;
    }
    let form = match format {
        Format::XSpace => None,
        Format::HloProto => Some(HloForm::Proto),
        Format::HloModule => Some(HloForm::Module),
        Format::TraceJson => return Err(sentences::trace_json(&short)),
        Format::Gzip => return Err(sentences::bad_gzip(&short, "it holds gzip again")),
        Format::Unknown(what) => return Err(sentences::unknown(&short, what)),
    };
    let words = match form {
        None => "XSpace",
        Some(HloForm::Module) => "HLO module proto",
        Some(_) => "HLO proto",
    };
    let format = if packed.is_some() { format!("{words}, gzip") } else { words.to_owned() };
    let told = |form| {
        let outline = outline(source.as_ref(), form == HloForm::Module);
        outline.map(|outline| Program { outline, form }).map_err(|e| sentences::bad_program(&short, &e))
    };
    let program = form.map(told).transpose()?;
    Ok(Capture { info: FileInfo { name, bytes, format }, program, source, packed, stopped })
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
    for Capture { info, program, source, packed, stopped } in captures {
        builder.file(&info.name);
        let short = info.name.rsplit('/').next().unwrap_or(&info.name);
        if let Some(program) = program {
            let sentence = add_program(&mut builder, program, source.size(), stopped.as_ref());
            partial.extend(sentence.map(|sentence| format!("{short}: {sentence}")));
        } else {
            let outcome = walk(source.as_ref(), &mut builder);
            if let Some(sentence) = damage(&outcome, stopped.as_ref()) {
                bad.get_or_insert_with(|| sentences::nothing_left(short, &outcome));
                partial.push(format!("{short}: {sentence}"));
            }
        }
        base += source.size();
        base_cell.set(base);
        files.push(info);
        // Of a packed file what it unpacks to is let go: unpacking again takes seconds, holding it gigabytes.
        kept.push(match packed {
            Some(packed) => Kept::new(packed, true),
            None => Kept::new(source, false),
        });
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
