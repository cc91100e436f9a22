//! This module chooses one session among the files that are opened: the files of one run. It reads only the starts of captures.
//!
//! ```text
//!  files ──► copies removed ──► starts of captures ──► runs ──► the newest, or the one that the user names
//! ```

use super::Input;
use super::capture_heads::{self, space_head};
use super::detect::{Capture, FileKind, MAX_INFLATED};
use super::run::Run;
use super::session_messages as messages;
use crate::analysis::captures::{CaptureFiles, FileHead, HeadKind, group, is_copy};
use crate::protocol::Failure;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::rc::Rc;
use xla_profile::profile::Note;
use xla_profile::small_sort::SmallSort;
use xla_profile::source::{Source, SourceError, inflate};

/// Packed captures are unpacked for their starts if they have at most this number of bytes in all.
const MAX_PACKED_BYTES: u64 = 64 << 20;
/// Largest number of unpacked bytes that stay in memory until they are read.
const MAX_KEPT_BYTES: usize = 256 << 20;

/// Which of several sessions is opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SessionChoice {
    /// The one that was stopped last.
    #[default]
    Newest,
    /// All files are opened as the hosts of one session.
    All,
    /// The one whose folder has this name, or whose number this is: 1 is the newest.
    Named(String),
}

impl SessionChoice {
    /// Returns the choice that a text names: `all`, a number, or the name of a folder.
    pub fn of_text(text: &str) -> Self {
        if text == "all" { Self::All } else { Self::Named(text.to_owned()) }
    }
}

/// Returns the runs among captures, the newest first. Reports and other captures without files that hold events are left out.
pub(crate) fn runs_of(captures: Vec<CaptureFiles>, heads: &[FileHead]) -> Vec<Run> {
    newest_first(captures, heads).iter().map(|capture| Run::new(capture, heads)).collect()
}

/// Returns what orders captures by time. Captures of one time are ordered by name.
fn newness(capture: &CaptureFiles) -> (Option<u64>, &str, &[u32]) {
    (capture.stop_ns.or(capture.start_ns), &capture.name, &capture.files)
}

/// Returns the captures that have files with events, the newest first; captures without times come last, by name.
fn newest_first(mut captures: Vec<CaptureFiles>, heads: &[FileHead]) -> Vec<CaptureFiles> {
    captures.retain(|capture| capture.files.iter().any(|file| heads[*file as usize].kind.has_events()));
    captures.small_sort_by(|a, b| newness(b).cmp(&newness(a)));
    captures
}

/// Returns the captures of one session, and notes about the others. Programs that belong to no run are part of every session.
///
/// # Errors
/// Returns a [`Failure`] if no session has the name that is chosen.
pub(crate) fn choose(mut captures: Vec<Capture>, choice: &SessionChoice) -> Result<(Vec<Capture>, Vec<Note>), Failure> {
    let n_events = captures.iter().filter(|capture| has_events(capture)).count();
    if n_events < 2 {
        return match choice {
            SessionChoice::Named(name) if name != "1" => {
                let heads: Vec<FileHead> = captures.iter().map(untimed_head).collect();
                let runs: Vec<Run> = group(&heads).0.iter().map(|capture| Run::new(capture, &heads)).collect();
                let is_named = runs.iter().any(|run| run.is_named(name));
                if is_named { Ok((captures, Vec::new())) } else { Err(messages::no_session(name, &runs)) }
            }
            _ => Ok((captures, Vec::new())),
        };
    }
    let heads = heads(&mut captures);
    let (captures, heads, mut notes) = without_duplicates(captures, heads);
    let found = newest_first(group(&heads).0, &heads);
    let runs: Vec<Run> = found.iter().map(|capture| Run::new(capture, &heads)).collect();
    let chosen = match choice {
        SessionChoice::All => {
            notes.extend((runs.len() > 1).then(|| messages::runs_joined(runs.len())));
            return Ok((captures, notes));
        }
        SessionChoice::Newest => 0,
        SessionChoice::Named(name) => {
            let number = name.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let position =
                number.filter(|index| *index < runs.len()).or_else(|| runs.iter().position(|run| run.is_named(name)));
            position.ok_or_else(|| messages::no_session(name, &runs))?
        }
    };
    if runs.len() > 1 {
        notes.push(messages::several_runs(&runs, chosen));
    }
    if let Some(run) = runs.get(chosen) {
        notes.extend(messages::folders_joined(run));
    }
    let others: FxHashSet<u32> = found
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != chosen)
        .flat_map(|(_, capture)| capture.files.iter().copied())
        .collect();
    let kept = (0..).zip(captures).filter(|(file, _)| !others.contains(file)).map(|(_, capture)| capture);
    Ok((kept.collect(), notes))
}

/// Divides files into those of each session, the oldest first. Files that belong to no session are part of each. Returns all files as one
/// session if they are of one, or if an archive holds them.
pub fn sessions_of(inputs: Vec<Input>) -> Vec<(String, Vec<Input>)> {
    let heads = capture_heads::heads(&inputs, &mut |_| {});
    let mut found = newest_first(group(&heads).0, &heads);
    if found.len() < 2 {
        return vec![(String::new(), inputs)];
    }
    found.reverse();
    let mut owner: Vec<Option<usize>> = vec![None; inputs.len()];
    for (session, capture) in found.iter().enumerate() {
        capture.files.iter().for_each(|file| owner[*file as usize] = Some(session));
    }
    let mut sessions: Vec<(String, Vec<Input>)> = found.into_iter().map(|capture| (capture.name, Vec::new())).collect();
    for (input, owner) in inputs.into_iter().zip(owner) {
        match owner {
            Some(session) => sessions[session].1.push(input),
            None => {
                let source: Rc<dyn Source> = Rc::from(input.source);
                for (_, files) in &mut sessions {
                    let (name, from_folder) = (input.name.clone(), input.from_folder);
                    files.push(Input { name, source: Box::new(SharedSource(Rc::clone(&source))), from_folder });
                }
            }
        }
    }
    sessions
}

/// A source of several sessions.
struct SharedSource(Rc<dyn Source>);

impl Source for SharedSource {
    fn size(&self) -> u64 {
        self.0.size()
    }

    fn stride(&self) -> u64 {
        self.0.stride()
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> Result<(), SourceError> {
        self.0.read_at(offset, into)
    }
}

fn has_events(capture: &Capture) -> bool {
    !matches!(capture.what, FileKind::Program(_))
}

/// Returns the head of a capture of which nothing is read.
fn untimed_head(capture: &Capture) -> FileHead {
    let kind = match capture.what {
        FileKind::XSpace => HeadKind::XSpace,
        FileKind::Trace(_) => HeadKind::Packed,
        FileKind::Program(_) => HeadKind::Program,
    };
    FileHead { path: capture.info.name.clone(), bytes: capture.info.bytes, kind, ..FileHead::default() }
}

/// Returns what the starts of captures say. Packed captures are unpacked if they are small, and the bytes stay with the capture.
fn heads(captures: &mut [Capture]) -> Vec<FileHead> {
    let is_packed = |capture: &&Capture| matches!(capture.what, FileKind::XSpace) && !capture.packing.is_plain();
    let n_packed_bytes: u64 = captures.iter().filter(is_packed).map(|capture| capture.source.size()).sum();
    let mut left_to_keep = MAX_KEPT_BYTES;
    let mut of_capture = |capture: &mut Capture| {
        if !matches!(capture.what, FileKind::XSpace) {
            return untimed_head(capture);
        }
        let (path, bytes) = (&capture.info.name, capture.info.bytes);
        if capture.packing.is_plain() {
            return space_head(path, bytes, capture.source.as_ref());
        }
        if n_packed_bytes > MAX_PACKED_BYTES {
            return untimed_head(capture);
        }
        let unpacked = inflate(capture.source.as_ref(), capture.packing, MAX_INFLATED, &mut |_| {});
        let head = space_head(path, bytes, &unpacked.bytes);
        if unpacked.bytes.len() <= left_to_keep {
            left_to_keep -= unpacked.bytes.len();
            capture.unpacked = Some(unpacked);
        }
        head
    };
    let mut heads: Vec<FileHead> = captures.iter_mut().map(&mut of_capture).collect();
    capture_heads::add_device_types(&mut heads, &|index, read| {
        let Some(capture) = captures.get(index) else { return };
        match &capture.unpacked {
            Some(unpacked) => read(&unpacked.bytes),
            None if capture.packing.is_plain() => read(capture.source.as_ref()),
            None => {}
        }
    });
    heads
}

/// Removes captures of the same process and the same time as a larger one, such as a packed copy.
fn without_duplicates(captures: Vec<Capture>, heads: Vec<FileHead>) -> (Vec<Capture>, Vec<FileHead>, Vec<Note>) {
    let size = |index: usize| {
        let capture: &Capture = &captures[index];
        let unpacked = capture.unpacked.as_ref().map(|data| data.bytes.len() as u64);
        (capture.without.is_empty(), unpacked.unwrap_or_else(|| capture.source.size()), Reverse(index))
    };
    let mut order: Vec<usize> = (0..heads.len()).filter(|index| heads[*index].start_ns.is_some()).collect();
    order.small_sort_by_key(|index| (heads[*index].start_ns, Reverse(size(*index))));
    let mut copies: Vec<Option<usize>> = vec![None; heads.len()];
    let mut last: Vec<usize> = Vec::new();
    for index in order {
        last.retain(|other| heads[*other].start_ns == heads[index].start_ns);
        match last.iter().find(|other| is_copy(&heads[**other], &heads[index])) {
            Some(original) => copies[index] = Some(*original),
            None => last.push(index),
        }
    }
    let name = |index: usize| heads[index].path.clone();
    let notes = copies
        .iter()
        .enumerate()
        .filter_map(|(index, original)| Some(messages::duplicate_file(&name(index), &name((*original)?))));
    let notes: Vec<Note> = notes.collect();
    let is_kept = |(_, copy): &(_, Option<usize>)| copy.is_none();
    let (left, left_heads) = captures.into_iter().zip(heads).zip(copies).filter(is_kept).map(|(kept, _)| kept).unzip();
    (left, left_heads, notes)
}
