//! This module reads the files of a session into one profile, and reports what could not be read.

use super::copies::without_copies;
use super::detect::{Capture, Detected, FileKind, MAX_INFLATED, Program};
use super::dump_stages::without_other_stages;
use super::host_order::by_numbers;
use super::input::Input;
use super::messages;
use super::messages::no_capture;
use super::planes_read::FileRead;
use super::report_file::{Captures, Unpacked, unpack};
use super::sessions::{SessionChoice, choose};
use super::{program_messages, trace};
use crate::analysis::files::FileInfo;
use crate::protocol::{Failure, Progress, Skip, Stage};
use crate::session::programs::OpenFile;
use crate::session::programs::{graph_kernels, instructions};
use std::cell::{Cell, RefCell};
#[cfg(not(target_arch = "wasm32"))]
use std::num::NonZero;
use xla_profile::profile::{Builder, HloForm, Note, NoteCode, Plane, Profile, ReadProgress, Severity};
use xla_profile::small_sort::SmallSort;
use xla_profile::source::{Bomb, Inflated, Packing, Source, Truncation, inflate};
use xla_profile::wire::Span;
use xla_profile::wire::hlo::Outline;
use xla_profile::wire::xspace::{Outcome, walk_without};

/// The result of opening files.
pub struct Opened {
    pub profile: Profile,
    /// The files that were read.
    pub files: Vec<FileInfo>,
    /// Sentences about damage or missing data, and about the data that was kept. `None` if everything was read.
    pub partial: Option<String>,
    /// The open files in the order of the profile. Programs are read from them on request.
    pub open_files: Vec<OpenFile>,
}

/// Largest number of notes in a progress message.
pub(crate) const MAX_PROGRESS_NOTES: usize = 20;

/// Opens files as one session, and completes the ops of GPUs and CPUs from their programs. Of files of several runs, the newest run is
/// opened, and a note names the others.
///
/// # Errors
/// Returns a [`Failure`] if nothing could be read, with the fault, its place and the remedy.
pub fn open(inputs: Vec<Input>, progress: &mut dyn FnMut(Progress)) -> Result<Opened, Failure> {
    open_session(inputs, &SessionChoice::Newest, progress)
}

/// Opens files as one session, like [`open`]. `choice` tells which one is opened if the files are of several runs.
///
/// # Errors
/// Returns a [`Failure`] if nothing could be read, or if there is no such session.
pub fn open_session(
    inputs: Vec<Input>,
    choice: &SessionChoice,
    progress: &mut dyn FnMut(Progress),
) -> Result<Opened, Failure> {
    let captures = match unpack(inputs)? {
        Unpacked::Captures(found) => Captures { choice: choice.clone(), ..found },
        Unpacked::Report(report) => {
            let name = report.origin.files.first().map(|file| file.name.clone());
            return Err(messages::report_beside(&name.unwrap_or_default()));
        }
    };
    open_files(captures, &[], progress)
}

/// Derives the data that captures of GPUs and CPUs lack: devices, runs, and the instructions of ops from programs.
fn complete(profile: &mut Profile, open_files: &[OpenFile]) {
    if profile.needs_deriving() {
        profile.derive();
    }
    if graph_kernels::needed(profile) {
        graph_kernels::name_kernels(profile, open_files);
    }
    if instructions::needed(profile) {
        instructions::fill(profile, open_files);
    }
    instructions::name_categories(profile);
    instructions::forget_bytes_of_kernels(profile);
}

/// Opens captures and compiled programs as one session. If there are several files, those of other formats are skipped
/// with a note, and so are those in `skips` and those that failed before.
///
/// # Errors
/// Returns a [`Failure`] if nothing could be read, with the fault, its place and the remedy.
pub(crate) fn open_files(
    captures: Captures,
    skips: &[Skip],
    progress: &mut dyn FnMut(Progress),
) -> Result<Opened, Failure> {
    let Captures { inputs, failures, planes: mut read_before, choice, is_one_run, .. } = captures;
    let bytes_total = inputs.iter().map(|i| i.source.size()).sum();
    let is_empty_space = |input: &&Input| input.source.size() == 0 && input.name.ends_with(".xplane.pb");
    let empty_spaces: Vec<String> = inputs.iter().filter(is_empty_space).map(|input| input.name.clone()).collect();
    let mut state = Progress::new(Stage::Detect, bytes_total, "");
    let single = failures.is_empty() && matches!(inputs.as_slice(), [one] if !one.from_folder);
    let archive = inputs.first().filter(|_| single).map(|one| one.name.clone());
    let mut found = Detected { n_files: failures.len(), failures, ..Detected::default() };
    for (index, input) in (0..).zip(inputs) {
        let mut file = read_before.take(index);
        if file.is_none() && read_before.is_all {
            continue;
        }
        let skips = skips.iter().filter(|skip| skip.file == index);
        let first = found.captures.len();
        if skips.clone().all(|skip| skip.plane.is_some()) {
            found.add(input, &mut state, progress);
        }
        for capture in found.captures.iter_mut().skip(first) {
            capture.without = skips.clone().filter_map(|skip| skip.plane).collect();
            capture.read_before = file.take();
        }
    }
    if found.captures.is_empty() {
        return Err(no_capture_failure(found, single, archive.as_deref()));
    }
    let Detected { mut captures, notes, skipped_files, failures, .. } = found;
    let before_reading =
        notes.iter().map(|note| note.message.clone()).chain(failures.iter().map(|failure| failure.title.clone()));
    state.notes = before_reading.take(MAX_PROGRESS_NOTES).collect();
    // The files are sorted by name, with numbers in their order, so that the order of hosts does not depend on the order in which the user chose the
    // files. Trace JSON comes last, because a capture that is also in an XSpace is skipped.
    let is_trace = |c: &Capture| matches!(c.what, FileKind::Trace(_));
    captures.small_sort_by(|a, b| is_trace(a).cmp(&is_trace(b)).then_with(|| by_numbers(&a.info.name, &b.info.name)));
    let (captures, copies) = without_copies(captures);
    let (captures, sessions) = if is_one_run { (captures, Vec::new()) } else { choose(captures, &choice)? };
    let (captures, stages) = without_other_stages(captures);
    let mut opened = read(captures, &empty_spaces, state, progress)?;
    // Which run is shown is said first.
    opened.profile.notes.splice(0..0, sessions);
    opened.profile.notes.extend(notes);
    opened.profile.notes.extend(stages);
    opened.profile.notes.extend(copies);
    opened.profile.notes.extend(messages::left_out(skips));
    opened.profile.notes.extend(messages::skipped_files_notes(failures, &skipped_files));
    complete(&mut opened.profile, &opened.open_files);
    Ok(opened)
}

/// Returns the reason why there is nothing to show: the failure of the single file, or the first failure of a file that
/// should have been readable.
fn no_capture_failure(found: Detected, single: bool, name: Option<&str>) -> Failure {
    let Detected { notes, skipped_files, last, failures, n_files, n_archives, .. } = found;
    let archive = name.filter(|_| n_archives > 0);
    let first = failures.into_iter().next();
    match (first, archive) {
        (Some(failure), _) => failure,
        (None, Some(archive)) if !notes.is_empty() => messages::nothing_in(archive, &notes),
        (None, Some(archive)) => {
            Failure { title: format!("No capture in {archive}"), ..no_capture(n_files, skipped_files) }
        }
        (None, None) => last.filter(|_| single).unwrap_or_else(|| no_capture(n_files, skipped_files)),
    }
}

/// Largest number of threads that read a file.
#[cfg(not(target_arch = "wasm32"))]
const MAX_THREADS: usize = 8;

/// Largest number of unpacked bytes that stay in memory, over all files.
const MAX_KEPT: usize = 32 << 20;

/// Returns whether a trace JSON has the name of an XSpace up to its ending.
fn is_beside(json: &str, space: &str) -> bool {
    let stem = space.strip_suffix(".xplane.pb").unwrap_or(space);
    json.strip_prefix(stem).is_some_and(|rest| rest.starts_with(".trace.json"))
}

/// Reads captures into a profile. `empty_spaces` are the names of XSpaces without a byte.
fn read(
    captures: Vec<Capture>,
    empty_spaces: &[String],
    state: Progress,
    progress: &mut dyn FnMut(Progress),
) -> Result<Opened, Failure> {
    let reporter = ProgressReporter::new(&captures, state, progress);
    // The builder reports progress while a file is walked.
    let mut on_progress = |progress: ReadProgress<'_>| reporter.read(progress);
    let mut builder = Builder::new(&mut on_progress);
    let mut left_to_keep = MAX_KEPT;
    let (mut files, mut open_files, mut partial, mut bad) = (Vec::new(), Vec::new(), Vec::new(), None::<Failure>);
    for Capture { info, what, source, packing, without, read_before, unpacked: unpacked_before } in captures {
        let short = info.name.rsplit('/').next().unwrap_or(&info.name);
        reporter.file(&info.name, source.size());
        if let FileKind::Trace(surveyed) = &what
            && let Some(message) = trace::same(surveyed, &builder, &info.name)
        {
            builder.note(Note::new(Severity::Info, NoteCode::SameCapture, message));
            continue;
        }
        if let FileKind::Trace(surveyed) = &what
            && let Some(note) = trace::other_run(surveyed, &builder, &info.name)
        {
            builder.note(note);
            continue;
        }
        builder.file(&info.name);
        let mut unpacked = None;
        let skipped_planes = matches!(what, FileKind::XSpace).then(|| without.clone());
        let sentence = match what {
            FileKind::Program(program) => add_program(&mut builder, program),
            FileKind::XSpace => {
                let (outcome, stopped) = if packing.is_plain() {
                    let joined = read_before.and_then(|file| join(file, &mut builder));
                    (joined.unwrap_or_else(|| read_planes(source.as_ref(), &without, &mut builder)), None)
                } else {
                    let unpack =
                        || inflate(source.as_ref(), packing, MAX_INFLATED, &mut |bytes| reporter.unpacked(bytes));
                    let Inflated { bytes, stopped } = unpacked_before.unwrap_or_else(unpack);
                    reporter.set_unpacked_size(bytes.len() as u64);
                    let outcome = read_planes(&bytes, &without, &mut builder);
                    // Programs are read from the unpacked bytes. Many bytes are dropped, and are unpacked again on request.
                    if bytes.len() <= left_to_keep {
                        left_to_keep -= bytes.len();
                        unpacked = Some(bytes);
                    }
                    (outcome, stopped)
                };
                builder.mark_cut(&outcome);
                let sentence = damage(short, &outcome, stopped.as_ref());
                if sentence.is_some() {
                    bad.get_or_insert_with(|| messages::nothing_left(short, &outcome));
                }
                sentence
            }
            FileKind::Trace(surveyed) => {
                let is_space_empty = empty_spaces.iter().any(|space| is_beside(&info.name, space));
                trace::read(*surveyed, &mut builder, (source.as_ref(), packing), is_space_empty)
            }
        };
        if let Some(sentence) = sentence {
            let sentence = format!("{short}: {sentence}");
            reporter.note(&sentence);
            partial.push(sentence);
        }
        files.push(info);
        open_files.push(match unpacked {
            Some(bytes) => OpenFile::new(Box::new(bytes), Packing::default(), skipped_planes),
            None => OpenFile::new(source, packing, skipped_planes),
        });
    }
    let mut profile = builder.finish();
    let is_empty = |p: &Plane| p.name.is_empty() && p.lines.is_empty() && p.ops.is_empty();
    if profile.hlo.is_empty() && profile.planes.iter().all(is_empty) {
        let name = files.first().map_or("", |f| f.name.as_str());
        return Err(bad.unwrap_or_else(|| messages::nothing_left(name, &Outcome::default())));
    }
    // The builder has already made notes for data beyond its limits.
    let left_out = profile.notes.iter().filter(|note| note.severity == Severity::Partial);
    let left_out: Vec<String> = left_out.map(|note| note.message.clone()).collect();
    for sentence in &partial {
        profile.notes.push(Note::new(Severity::Partial, NoteCode::PartialFile, sentence.clone()));
    }
    partial.extend(left_out);
    let partial = (!partial.is_empty()).then(|| partial.join(" "));
    Ok(Opened { profile, files, partial, open_files })
}

/// Reads the planes of an XSpace: with a thread for each core, or with one in a browser or if planes are skipped.
fn read_planes(source: &dyn Source, without: &[u32], builder: &mut Builder<'_>) -> Outcome {
    #[cfg(not(target_arch = "wasm32"))]
    if without.is_empty() {
        let n_cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        return builder.walk_with_threads(source, n_cores.min(MAX_THREADS));
    }
    walk_without(source, without, builder)
}

/// Adds planes that have been read already. `None` if they cannot be joined; nothing is added then.
fn join(file: FileRead, builder: &mut Builder<'_>) -> Option<Outcome> {
    let n_planes = file.parts.len();
    let is_joined = builder.join(file.parts);
    is_joined.then(|| {
        builder.add_fields(file.fields);
        Outcome { n_planes, ..Outcome::default() }
    })
}

/// Adds a program. Returns a sentence if data after its module is damaged; then only the module is kept.
fn add_program(builder: &mut Builder<'_>, program: Program) -> Option<String> {
    let Program { outline: Outline { name, id, module, damage, .. }, form, size, stopped, is_cut } = program;
    // Damage of a text is always at its end. The text before the end can be read as it is.
    let is_whole = form == HloForm::Text || damage.is_none() && stopped.is_none();
    let (span, form) = if is_whole { (Span { start: 0, end: size }, form) } else { (module, HloForm::Module) };
    builder.program(&name, id, span, form);
    if is_cut {
        return Some(program_messages::cut_text());
    }
    let early = stopped.map(|_| "Unpacking ends early. The program is complete; copy the file again.".to_owned());
    damage.map(|error| program_messages::partial_program(&error)).or(early)
}

fn damage(name: &str, outcome: &Outcome, stopped: Option<&Truncation>) -> Option<String> {
    if outcome.n_planes == 0 && outcome.n_damage > 0 {
        return Some(messages::nothing_left(name, outcome).message);
    }
    let open_files = || messages::partial(outcome).unwrap_or_else(|| "What came before is kept.".to_owned());
    match stopped {
        None => messages::partial(outcome),
        Some(Truncation::Limit) => Some(format!(
            "It unpacks to more than {} GiB, which no XSpace has; only the first {0} GiB are read.",
            MAX_INFLATED >> 30
        )),
        Some(Truncation::Bomb) => Some(format!("Reading stops early: {Bomb}. {}", open_files())),
        Some(Truncation::Damaged(reason)) => Some(format!("Unpacking ends early ({reason}). {}", open_files())),
    }
}

/// Reports the progress of reading, in bytes as stored. It uses cells, because the builder calls it while the reader
/// holds it.
struct ProgressReporter<'p> {
    progress: RefCell<(Progress, &'p mut dyn FnMut(Progress))>,
    /// Stored bytes of the files before the current one, stored bytes of the current file, and its unpacked bytes.
    place: Cell<(u64, u64, u64)>,
}

impl<'p> ProgressReporter<'p> {
    fn new(captures: &[Capture], mut state: Progress, progress: &'p mut dyn FnMut(Progress)) -> Self {
        state.bytes_total = captures.iter().map(|c| c.source.size()).sum();
        Self { progress: RefCell::new((state, progress)), place: Cell::new((0, 0, 0)) }
    }

    /// Starts the next file, of `size` stored bytes.
    fn file(&self, name: &str, size: u64) {
        let (before, last, _) = self.place.get();
        self.place.set((before + last, size, size));
        name.clone_into(&mut self.progress.borrow_mut().0.place);
    }

    /// Sets the unpacked size of the current file.
    fn set_unpacked_size(&self, size: u64) {
        let (before, stored, _) = self.place.get();
        self.place.set((before, stored, size));
    }

    /// Adds a note to the progress messages.
    fn note(&self, sentence: &str) {
        let notes = &mut self.progress.borrow_mut().0.notes;
        if notes.len() < MAX_PROGRESS_NOTES {
            notes.push(sentence.to_owned());
        }
    }

    fn unpacked(&self, bytes: u64) {
        self.report(|state, before| {
            state.stage = state.stage.max(Stage::Inflate);
            state.bytes_done = before.saturating_add(bytes);
        });
    }

    fn read(&self, progress: ReadProgress<'_>) {
        let (_, stored, size) = self.place.get();
        let done = u128::from(progress.bytes.min(size)) * u128::from(stored) / u128::from(size.max(1));
        self.report(|state, before| {
            state.stage = Stage::Read;
            state.bytes_done = before + done as u64;
            state.planes = u32::try_from(progress.planes).unwrap_or(u32::MAX);
            state.events = progress.events;
            progress.plane.clone_into(&mut state.place);
        });
    }

    fn report(&self, change: impl FnOnce(&mut Progress, u64)) {
        let (state, progress) = &mut *self.progress.borrow_mut();
        change(state, self.place.get().0);
        progress(state.clone());
    }
}
