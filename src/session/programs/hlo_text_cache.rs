//! This module caches the texts of programs. A text is printed at the first request; lines, outlines and searches come
//! from the cache. This module depends on the origins of texts, not on a browser.

use super::Programs;
use crate::analysis::base::{Filter, FilterError};
use crate::analysis::classify::opcode;
use crate::analysis::files::{FileProgram, ProgramSource};
use crate::protocol::{
    LineKind, MAX_FOUND, MAX_LINES, OutlineItem, ProgramFound, ProgramHead, ProgramLine, ProgramOutline, ProgramPage,
    ProgramQuery, ProgramRef,
};
use std::rc::Rc;
use xla_profile::hlo::{Line, Listing, Module};
use xla_profile::profile::{Note, Profile, ProgramId};
use xla_profile::small_sort::SmallSort;

/// Number of cached texts. A text takes about six megabytes in addition to its program, and the previous text stays as
/// well.
const KEPT: usize = 2;
/// Largest size of the lines of one reply, in bytes. The limit exists because a line may hold a whole kernel.
const MAX_BYTES: usize = 4 << 20;

/// The cached texts of programs.
#[derive(Default)]
pub(crate) struct Listings {
    /// The newest text is the last one.
    cached: Vec<(ProgramRef, Rc<Listed>)>,
}

/// The text of a program with its outline.
pub(crate) struct Listed {
    source: ProgramSource,
    pub(crate) head: ProgramHead,
    outline: Vec<OutlineItem>,
    listing: Listing,
}

impl Listings {
    /// Returns the text of a program from the cache, or prints it.
    ///
    /// # Errors
    /// Returns a note with the reason why the HLO of the program could not be read.
    pub(crate) fn get(
        &mut self,
        profile: &Profile,
        programs: &mut Programs,
        program: &FileProgram,
        key: ProgramRef,
    ) -> Result<Rc<Listed>, Note> {
        let listed = match self.cached.iter().position(|(known, _)| *known == key) {
            Some(place) => self.cached.remove(place).1,
            None => {
                // An old text is removed before the new one is printed, so that no more than two exist at once.
                self.cached.drain(..(self.cached.len() + 1).saturating_sub(KEPT));
                Rc::new(match program.hlo {
                    Some(hlo) => of_module(program, &*programs.get(profile, hlo as usize)?),
                    None => of_events(profile, program),
                })
            }
        };
        self.cached.push((key, Rc::clone(&listed)));
        Ok(listed)
    }
}

impl Listed {
    /// Returns some lines of the text.
    pub(crate) fn page(&self, program: ProgramRef, first: u32, count: u32) -> ProgramPage {
        let n = self.listing.len();
        let from = (first as usize).min(n);
        let to = from.saturating_add((count as usize).min(MAX_LINES)).min(n);
        let (mut lines, mut bytes) = (Vec::with_capacity(to - from), 0);
        for i in from..to {
            let text = self.listing.line(i);
            bytes += text.len();
            if bytes > MAX_BYTES && !lines.is_empty() {
                break;
            }
            let kind = match self.listing.kind(i) {
                Line::Computation(_) => LineKind::Computation,
                Line::Instruction(name) => LineKind::Instruction(name.to_owned()),
                Line::Other => LineKind::Other,
            };
            lines.push(ProgramLine { text: text.to_owned(), kind });
        }
        ProgramPage { program, source: self.source, head: self.head.clone(), first: from as u32, lines }
    }

    /// Returns the computations of the program.
    pub(crate) fn outline(&self, program: ProgramRef) -> ProgramOutline {
        ProgramOutline { program, head: self.head.clone(), computations: self.outline.clone() }
    }

    /// Returns the lines that match the query.
    pub(crate) fn search(&self, query: &ProgramQuery) -> Result<ProgramFound, FilterError> {
        let matcher = Filter { text: query.text.clone(), regex: query.regex, ..Filter::default() }.compile()?;
        let (mut lines, mut n) = (Vec::new(), 0);
        let last = if query.text.is_empty() { 0 } else { self.listing.len() };
        for i in 0..last {
            if matcher.is_match(self.listing.line(i)) {
                n += 1;
                if lines.len() < MAX_FOUND {
                    lines.push(i as u32);
                }
            }
        }
        Ok(ProgramFound { query: query.clone(), lines, n })
    }
}

fn of_module(program: &FileProgram, module: &Module) -> Listed {
    let listing = Listing::new(module);
    let items = module.computations().zip(listing.computations()).map(|((id, computation), line)| OutlineItem {
        name: computation.name.to_string(),
        line: *line,
        n_instructions: computation.instructions.len() as u32,
        n_callers: module.callers(id).len() as u32,
        is_entry: module.entry == Some(id),
        is_fusion: computation.is_fusion,
    });
    let outline: Vec<OutlineItem> = items.collect();
    let mut damage = module.damage.notes.clone();
    if listing.is_cut() {
        damage.push("The text is longer than a gigabyte. Only its beginning is shown.".to_owned());
    }
    let entry = module.entry.and_then(|id| module.computation(id)).map(|entry| entry.name.to_string());
    let head = ProgramHead {
        name: module.name.to_string(),
        entry,
        n_computations: Some(module.computations().len() as u32),
        n_instructions: module.instructions().len() as u32,
        n_lines: listing.len() as u32,
        bytes: listing.text().len() as u64,
        leftover: module.damage.leftover as u32,
        unresolved: module.damage.unresolved as u32,
        damage,
    };
    Listed { source: program.source, head, outline, listing }
}

/// Returns the text of a program without HLO: the distinct texts of its ops' events, by name.
fn of_events(profile: &Profile, program: &FileProgram) -> Listed {
    let id = program.program_id.map(ProgramId);
    let ops = profile.planes.iter().flat_map(|plane| &plane.ops).filter(|op| id.is_some() && op.stats.program == id);
    let mut texts: Vec<(&str, &str)> = ops
        .map(|op| (profile.text(op.name), profile.text(op.text)))
        .filter(|(_, text)| opcode(text).is_some())
        .collect();
    texts.small_sort_by(Ord::cmp);
    texts.dedup();
    let comment = if texts.is_empty() {
        "The capture does not have the HLO of this program, and no op with HLO text belongs to it."
    } else {
        "The capture does not have the HLO of this program. The lines are the texts of its ops’ events, sorted by name."
    };
    let listing = Listing::of_texts(comment, texts.iter().map(|(_, text)| *text));
    let head = ProgramHead {
        name: program.name.clone(),
        n_instructions: listing.n_instructions() as u32,
        n_lines: listing.len() as u32,
        bytes: listing.text().len() as u64,
        ..ProgramHead::default()
    };
    Listed { source: program.source, head, outline: Vec::new(), listing }
}
