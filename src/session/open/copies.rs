//! This module removes captures that occur twice among the files to open, such as a copy of a file, or a path that is
//! given twice. A second copy would count as a second host.

use super::detect::{Capture, FileKind};
use super::session_messages as messages;
use indexmap::IndexMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use xla_profile::profile::Note;
use xla_profile::source::{Source, SourceError};

/// Number of bytes at each end of a file that are hashed. They distinguish most captures.
const EDGE: u64 = 1 << 12;
/// Number of bytes that are compared at once.
const PIECE: u64 = 1 << 20;

/// Removes captures with the same bytes as an earlier one. Returns a note for each capture that is removed.
pub(crate) fn without_copies(captures: Vec<Capture>) -> (Vec<Capture>, Vec<Note>) {
    let mut distinct: Vec<Capture> = Vec::with_capacity(captures.len());
    let mut notes = Vec::new();
    let mut alike: IndexMap<(u64, u64), Vec<usize>> = IndexMap::default();
    for capture in captures {
        // A program that occurs twice is joined to the same ops, so it is kept. A file with skipped planes is kept as
        // well, because its copy may have other skipped planes.
        let key = fingerprint(capture.source.as_ref());
        let (false, true, Ok(key)) = (matches!(capture.what, FileKind::Program(_)), capture.without.is_empty(), key)
        else {
            distinct.push(capture);
            continue;
        };
        let others = alike.entry(key).or_default();
        let same =
            others.iter().find(|index| is_same(distinct[**index].source.as_ref(), capture.source.as_ref()) == Ok(true));
        if let Some(original) = same {
            notes.push(messages::duplicate_file(&capture.info.name, &distinct[*original].info.name));
        } else {
            others.push(distinct.len());
            distinct.push(capture);
        }
    }
    (distinct, notes)
}

/// Returns the size of a file, and a hash of both its ends. They differ for nearly all captures that are not the same.
fn fingerprint(source: &dyn Source) -> Result<(u64, u64), SourceError> {
    let size = source.size();
    let n = size.min(EDGE);
    let mut edges = vec![0; 2 * usize::try_from(n).unwrap_or_default()];
    let (first, last) = edges.split_at_mut(usize::try_from(n).unwrap_or_default());
    source.read_at(0, first)?;
    source.read_at(size.saturating_sub(n), last)?;
    let mut hasher = DefaultHasher::new();
    edges.hash(&mut hasher);
    Ok((size, hasher.finish()))
}

/// Returns whether two sources of the same size hold the same bytes. Reading ends at the first difference.
fn is_same(a: &dyn Source, b: &dyn Source) -> Result<bool, SourceError> {
    let (mut one, mut other) = (Vec::new(), Vec::new());
    let mut offset = 0;
    while offset < a.size() {
        let n = a.size().saturating_sub(offset).min(PIECE);
        one.resize(usize::try_from(n).unwrap_or_default(), 0);
        other.resize(one.len(), 0);
        a.read_at(offset, &mut one)?;
        b.read_at(offset, &mut other)?;
        if one != other {
            return Ok(false);
        }
        offset = offset.saturating_add(n);
    }
    Ok(true)
}
