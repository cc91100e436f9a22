//! This module reads the programs of an open session on request. It keeps the files open, finds the program of an op,
//! and caches the last programs. It does not depend on a browser.

mod graph_instructions;
pub mod graph_kernels;
pub mod hlo_text_cache;
pub mod instructions;
pub mod kernel_counts;
mod program_index;
mod unnamed_modules;

use super::programs::program_index::{ProgramIndex, SEARCHED};
use crate::analysis::base::ResolvedOp;
use crate::analysis::memory::ProgramMemory;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use xla_profile::hlo::{Module, text};
use xla_profile::profile::{HloBlob, HloForm, Note, NoteCode, Profile, ProgramId, Severity};
use xla_profile::small_sort::SmallSort;
use xla_profile::source::{Packing, Source, SourceError, inflate, inflate_range};
use xla_profile::wire::hlo::{decode, decode_module};
use xla_profile::wire::proto::hlo::HloProto;

/// Number of cached programs. Switching back and forth between two programs reads neither of them again.
const KEPT: usize = 2;
/// Largest program that is read, in bytes. The decoded form of a larger program would take gigabytes.
const MAX_PROGRAM: u64 = 512 << 20;

/// A program, and notes. The id is given only if no event carries it.
type FoundModule = (Option<(Rc<Module>, Option<ProgramId>)>, Vec<Note>);

/// A file that stays open. Its bytes are not copied into memory.
pub struct OpenFile {
    source: Box<dyn Source>,
    /// Compression of the file. Offsets refer to the decompressed bytes.
    packing: Packing,
    /// Indices of the planes of an XSpace that are not read. `None` for other formats.
    skipped_planes: Option<Vec<u32>>,
}

impl OpenFile {
    /// Keeps a file open. The bytes of `source` are compressed as `packing` describes. `skipped_planes` are the indices of
    /// the planes of an XSpace that are not read; `None` stands for another format.
    pub fn new(source: Box<dyn Source>, packing: Packing, skipped_planes: Option<Vec<u32>>) -> Self {
        Self { source, packing, skipped_planes }
    }

    /// Returns the indices of the planes that are not read. `None` if the file is not an XSpace.
    pub(super) fn skipped_planes(&self) -> Option<&[u32]> {
        self.skipped_planes.as_deref()
    }

    /// Calls `read` with the content of the file. A compressed file is unpacked to at most `limit` bytes for this.
    pub(super) fn with_content<T>(&self, limit: u64, read: impl FnOnce(&dyn Source) -> T) -> T {
        if self.packing.is_plain() {
            return read(self.source.as_ref());
        }
        let unpacked = inflate(self.source.as_ref(), self.packing, limit, &mut |_| {});
        read(&unpacked.bytes)
    }

    fn read(&self, blob: &HloBlob) -> Result<Vec<u8>, SourceError> {
        let (start, len) = (blob.span.start, blob.span.len());
        if !self.packing.is_plain() {
            return inflate_range(self.source.as_ref(), self.packing, start, len);
        }
        // The length is compared with the size of the file before memory is allocated.
        let (end, size) = (start.saturating_add(len), self.source.size());
        if end > size {
            return Err(SourceError::PastEnd { offset: start, end, len: size });
        }
        let mut bytes = vec![0; usize::try_from(len).unwrap_or_default()];
        self.source.read_at(start, &mut bytes)?;
        Ok(bytes)
    }
}

/// The programs of a session.
pub struct Programs {
    files: Vec<OpenFile>,
    /// Made when a program is first requested.
    index: OnceCell<ProgramIndex>,
    /// Cached programs by index in [`Profile::hlo`], the newest last. A program that could not be read is cached as its
    /// note.
    read: Vec<(usize, Result<Rc<Module>, Note>)>,
    /// Cached programs with their buffers, in the same form.
    memories: Vec<(usize, Result<Rc<LoadedMemory>, Note>)>,
}

/// A program with its buffers.
pub(crate) struct LoadedMemory {
    pub(crate) module: Rc<Module>,
    pub(crate) memory: ProgramMemory,
}

impl Programs {
    /// Creates the programs of a session. `files` are in the order of the profile's files.
    pub const fn new(files: Vec<OpenFile>) -> Self {
        Self { files, index: OnceCell::new(), read: Vec::new(), memories: Vec::new() }
    }

    /// Returns the open files, in the order of the profile's files.
    pub(crate) fn files(&self) -> &[OpenFile] {
        &self.files
    }

    /// Returns the program of an op with notes. If several programs match, the result is the first of them that has an
    /// instruction with the name of the op, or the first that could be read. The id is given only if no event carries
    /// it.
    pub fn module_of(&mut self, profile: &Profile, found: &ResolvedOp) -> FoundModule {
        if found.is_unseen() && found.program.is_none() {
            return self.search(profile, &found.name);
        }
        let (candidates, mut notes) =
            self.index(profile).choose(profile, found.program, found.module.as_deref(), found.file);
        let mut first = None;
        for index in candidates {
            match self.get(profile, index) {
                Ok(module) if module.instruction_named(&found.name).is_some() => {
                    return (Some((module, None)), notes);
                }
                Ok(module) => first = first.or(Some((module, None))),
                Err(note) => notes.push(note),
            }
        }
        (first, notes)
    }

    /// Returns the program with an id. `None` if the session has none that can be read.
    pub fn of_id(&mut self, profile: &Profile, id: ProgramId) -> Option<Rc<Module>> {
        let (candidates, _) = self.index(profile).choose(profile, Some(id), None, None);
        self.get(profile, *candidates.first()?).ok()
    }

    /// The programs of `profile`, which is the same in every request.
    fn index(&self, profile: &Profile) -> &ProgramIndex {
        self.index.get_or_init(|| ProgramIndex::new(profile))
    }

    /// Searches the largest programs for an instruction with the given name, and returns the first program that has
    /// one.
    fn search(&mut self, profile: &Profile, name: &str) -> FoundModule {
        let mut order: Vec<usize> = (0..profile.hlo.len()).collect();
        order.small_sort_by_key(|i| (std::cmp::Reverse(profile.hlo[*i].span.len()), *i));
        let mut notes = Vec::new();
        for index in order.into_iter().take(SEARCHED) {
            match self.get(profile, index) {
                Ok(module) if module.instruction_named(name).is_some() => {
                    return (Some((module, profile.hlo[index].program)), notes);
                }
                Ok(_) => {}
                Err(note) => notes.push(note),
            }
        }
        (None, notes)
    }

    /// Returns the program at an index of [`Profile::hlo`].
    pub(crate) fn get(&mut self, profile: &Profile, index: usize) -> Result<Rc<Module>, Note> {
        let read = take(&mut self.read, index)
            .unwrap_or_else(|| load(&self.files, profile, index).map(|program| Rc::new(program.into_module())));
        self.read.push((index, read.clone()));
        read
    }

    /// Returns the buffers of the program at an index of [`Profile::hlo`].
    pub(crate) fn memory(&mut self, profile: &Profile, index: usize) -> Result<Rc<LoadedMemory>, Note> {
        let memory = take(&mut self.memories, index).unwrap_or_else(|| self.load_memory(profile, index).map(Rc::new));
        self.memories.push((index, memory.clone()));
        memory
    }

    fn load_memory(&mut self, profile: &Profile, index: usize) -> Result<LoadedMemory, Note> {
        let mut proto = match load(&self.files, profile, index)? {
            Loaded::Proto(proto) => proto,
            Loaded::Text(module) => {
                let memory = ProgramMemory::from_schedule(&module).ok_or_else(|| no_estimate(&module))?;
                let module = Rc::new(*module);
                take(&mut self.read, index);
                self.read.push((index, Ok(Rc::clone(&module))));
                return Ok(LoadedMemory { module, memory });
            }
        };
        let buffers = proto.buffer_assignment.take().filter(|buffers| !buffers.buffer_allocations.is_empty());
        let buffers = buffers.ok_or_else(no_buffers)?;
        let module = match take(&mut self.read, index) {
            Some(Ok(module)) => module,
            _ => Rc::new(Module::from_proto(&proto)),
        };
        self.read.push((index, Ok(Rc::clone(&module))));
        let memory = ProgramMemory::new(&buffers, &module);
        Ok(LoadedMemory { module, memory })
    }
}

/// A program that was read, either as a proto or as a parsed text.
pub(crate) enum Loaded {
    Proto(Box<HloProto>),
    Text(Box<Module>),
}

impl Loaded {
    /// Returns the program without its buffers.
    pub(crate) fn into_module(self) -> Module {
        match self {
            Self::Proto(proto) => Module::from_proto(&proto),
            Self::Text(module) => *module,
        }
    }
}

/// Reads the program at an index of [`Profile::hlo`].
pub(crate) fn load(files: &[OpenFile], profile: &Profile, index: usize) -> Result<Loaded, Note> {
    let Some(blob) = profile.hlo.get(index) else { return Err(unread("it is not there")) };
    let Some(file) = files.get(blob.file) else { return Err(unread("its file is no longer open")) };
    if blob.span.len() > MAX_PROGRAM {
        return Err(unread("it is larger than 512 MiB"));
    }
    let bytes = file.read(blob).map_err(|e| unread(&e.to_string()))?;
    let decode = match blob.form {
        HloForm::Text => return read_text(bytes),
        HloForm::Module => decode_module,
        HloForm::Proto | HloForm::Embedded => decode,
    };
    decode(&bytes).map(|proto| Loaded::Proto(Box::new(proto))).map_err(|e| unread(&e.to_string()))
}

/// Parses the text of a program. Bytes that are not UTF-8 occur only in names and comments, and are replaced.
fn read_text(bytes: Vec<u8>) -> Result<Loaded, Note> {
    let text = String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
    let why = "its text has no computation, or so many empty parts as no compiler writes";
    let (module, _) = text::module(&text).ok_or_else(|| unread(why))?;
    Ok(Loaded::Text(Box::new(module)))
}

/// Removes an entry from the cache, so that the caller can add it again as the newest one. If there is no entry,
/// removes old entries until there is room for one more, so that no more than [`KEPT`] large programs exist at once.
fn take<T>(cached: &mut Vec<(usize, T)>, index: usize) -> Option<T> {
    let place = cached.iter().position(|(i, _)| *i == index);
    if place.is_none() {
        cached.drain(..(cached.len() + 1).saturating_sub(KEPT));
    }
    place.map(|place| cached.remove(place).1)
}

fn no_buffers() -> Note {
    let message = "The program has no buffer assignment, because it was written before its memory was planned. The HLO in a capture \
                   has one, and so has the proto that --xla_dump_hlo_as_proto writes after optimizations.";
    Note::new(Severity::Info, NoteCode::NoBufferAssignment, message)
}

/// Returns the reason why the memory of a text is not estimated.
fn no_estimate(module: &Module) -> Note {
    let entry = module.entry.and_then(|entry| module.computation(entry));
    let message = if entry.is_some_and(|entry| entry.schedule.is_some()) {
        "HLO text has no buffer assignment, and live ranges are not estimated from this text, because its calls, loops or tuples \
         stand for many times as many buffers as its instructions make. Open the proto that --xla_dump_hlo_as_proto writes."
    } else {
        "HLO text has no buffer assignment, and this text has no schedule (is_scheduled=true) to estimate live ranges from. \
         Open the text from after the last optimization, or the proto that --xla_dump_hlo_as_proto writes."
    };
    Note::new(Severity::Info, NoteCode::NoBufferAssignment, message)
}

/// The programs for one query. A program is read when an op first needs it, and stays in memory until the query is
/// answered.
pub(crate) struct QueryPrograms<'a> {
    profile: &'a Profile,
    programs: RefCell<&'a mut Programs>,
    /// Sorted by id.
    read: Vec<(ProgramId, OnceCell<Option<Rc<Module>>>)>,
}

impl<'a> QueryPrograms<'a> {
    /// Creates an empty set of programs for one query.
    pub(crate) fn new(profile: &'a Profile, programs: &'a mut Programs) -> Self {
        let read = profile.programs.keys().map(|id| (*id, OnceCell::new())).collect();
        Self { profile, programs: RefCell::new(programs), read }
    }

    /// Returns the program with an id. `None` if the session has none that can be read.
    pub(crate) fn module(&self, id: ProgramId) -> Option<&Module> {
        let (_, cell) = &self.read[self.read.binary_search_by_key(&id, |(id, _)| *id).ok()?];
        cell.get_or_init(|| self.programs.borrow_mut().of_id(self.profile, id)).as_deref()
    }
}

fn unread(why: &str) -> Note {
    let message = format!("The HLO of the program could not be read ({why}). The details come from events.");
    Note::new(Severity::Caution, NoteCode::HloUnreadable, message)
}
