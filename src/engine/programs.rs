//! The programs of an open session, read again when one is asked for: where files are kept to be read from, which
//! program an op is of, and the last programs that were read. Knows no browser.

use crate::analysis::FoundOp;
use crate::hlo::Module;
use crate::profile::{HloBlob, Note, Profile, ProgramId, Severity, program_of};
use crate::source::{Source, SourceError, inflate_range};
use crate::wire::hlo::decode;
use std::rc::Rc;

/// Programs kept: switching back and forth between two asks for no third.
const KEPT: usize = 2;
/// Larger programs are not read: decoded they would take gigabytes.
const MAX_PROGRAM: u64 = 512 << 20;

/// Programs looked into for a name that no event has.
const SEARCHED: usize = 8;

/// A program with its id where only the program says it, and notes.
type Found = (Option<(Rc<Module>, Option<ProgramId>)>, Vec<Note>);

/// A file that stays open. Its bytes stay where they are.
pub struct Kept {
    source: Box<dyn Source>,
    /// It is packed: places in it are those of what it unpacks to.
    packed: bool,
}

impl Kept {
    /// A file as it lies, or packed.
    pub fn new(source: Box<dyn Source>, packed: bool) -> Self {
        Self { source, packed }
    }

    fn read(&self, blob: &HloBlob) -> Result<Vec<u8>, SourceError> {
        let (start, len) = (blob.span.start, blob.span.len());
        if self.packed {
            return inflate_range(self.source.as_ref(), start, len);
        }
        // What is claimed is compared with what there is before it is allocated.
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
    files: Vec<Kept>,
    /// Read ones by place among [`Profile::hlo`], the newest last. What could not be read is kept as its note.
    read: Vec<(usize, Result<Rc<Module>, Note>)>,
}

impl Programs {
    /// Programs in these files, in the profile's order.
    pub const fn new(files: Vec<Kept>) -> Self {
        Self { files, read: Vec::new() }
    }

    /// The program of an op, with its id and what is to be said of it.
    pub fn of(&mut self, profile: &Profile, found: &FoundOp) -> Found {
        if found.is_unseen() && found.program.is_none() {
            return self.search(profile, &found.name);
        }
        let (at, mut notes) = choose(profile, found);
        let read = at.and_then(|at| self.get(profile, at).map_err(|note| notes.push(note)).ok().map(|m| (m, None)));
        (read, notes)
    }

    /// The first program that has an instruction of a name, the largest first.
    fn search(&mut self, profile: &Profile, name: &str) -> Found {
        let mut order: Vec<usize> = (0..profile.hlo.len()).collect();
        order.sort_by_key(|i| (std::cmp::Reverse(profile.hlo[*i].span.len()), *i));
        let mut notes = Vec::new();
        for at in order.into_iter().take(SEARCHED) {
            match self.get(profile, at) {
                Ok(module) if module.instruction_named(name).is_some() => {
                    return (Some((module, profile.hlo[at].program)), notes);
                }
                Ok(_) => {}
                Err(note) => notes.push(note),
            }
        }
        (None, notes)
    }

    fn get(&mut self, profile: &Profile, at: usize) -> Result<Rc<Module>, Note> {
        let read = match self.read.iter().position(|(i, _)| *i == at) {
            Some(place) => self.read.remove(place).1,
            None => {
                // Room first: two large programs and a third would be too many.
                self.read.drain(..(self.read.len() + 1).saturating_sub(KEPT));
                self.load(profile, at)
            }
        };
        self.read.push((at, read.clone()));
        read
    }

    fn load(&self, profile: &Profile, at: usize) -> Result<Rc<Module>, Note> {
        let Some(blob) = profile.hlo.get(at) else { return Err(unread("it is not there")) };
        let Some(file) = self.files.get(blob.file) else { return Err(unread("its file is not open any more")) };
        if blob.span.len() > MAX_PROGRAM {
            return Err(unread("it is larger than 512 MiB"));
        }
        let bytes = file.read(blob).map_err(|e| unread(&e.to_string()))?;
        let proto = decode(&bytes).map_err(|e| unread(&e.to_string()))?;
        drop(bytes);
        Ok(Rc::new(Module::from_proto(&proto)))
    }
}

fn unread(why: &str) -> Note {
    let message =
        format!("The program's HLO in the capture could not be read ({why}): what is told comes from events.");
    Note::new(Severity::Caution, "hlo_unreadable", message)
}

/// Which program an op is of: by id, in its own file before others; without an id by name, the largest of several.
fn choose(profile: &Profile, found: &FoundOp) -> (Option<usize>, Vec<Note>) {
    let all = || profile.hlo.iter().enumerate();
    if all().next().is_none() {
        let message =
            "The capture holds no HLO: users are those whose text names it, and parts of fusions are not known.";
        return (None, vec![Note::new(Severity::Info, "no_programs", message)]);
    }
    if let Some(id) = found.program {
        let of_id = all().filter(|(_, blob)| blob.program == Some(id));
        let best = of_id.max_by_key(|(i, blob)| (Some(blob.file) == found.file, std::cmp::Reverse(*i)));
        let message = "The HLO of its program is not in the capture: what is told comes from the event's text.";
        let note = best.is_none().then(|| Note::new(Severity::Info, "no_program", message));
        return (best.map(|(i, _)| i), note.into_iter().collect());
    }
    let stem = |blob: &'_ HloBlob| program_of(&blob.name).map_or(blob.name.clone(), |(name, _)| name.to_owned());
    let named: Vec<(usize, &HloBlob)> = match &found.module {
        Some(module) => all().filter(|(_, blob)| stem(blob) == *module).collect(),
        // Nothing says which: only where there is but one is it clear.
        None => all().filter(|_| profile.hlo.len() == 1).collect(),
    };
    let best =
        named.iter().max_by_key(|(i, blob)| (Some(blob.file) == found.file, blob.span.len(), std::cmp::Reverse(*i)));
    let note = match (named.len(), best) {
        (0, _) => Some("Events do not say which program it is of: what is told comes from the event's text."),
        (1, _) => None,
        _ => Some("Several programs have the name its events say: the largest is taken."),
    };
    let note = note.map(|message| Note::new(Severity::Info, "program_by_name", message));
    (best.map(|(i, _)| *i), note.into_iter().collect())
}
