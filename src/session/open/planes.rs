//! This module lists the planes that several workers read, each plane apart from the others. Only large files are divided
//! so; what they hold is known from the lengths of their planes, before any event is read.

use super::{Input, detect::format};
use crate::profile::Part;
use crate::protocol::Skip;
use crate::small_sort::SmallSort;
use crate::wire::xspace::plane_spans;
use crate::wire::{Format, Span};
use serde::{Deserialize, Serialize};

/// Total size of the planes, in bytes, from which starting a worker takes less time than it saves.
const LEAST_BYTES: u64 = 16 << 20;
/// Largest number of planes of a file that are read apart. Files with more are not captures of profilers.
const MAX_PLANES: usize = 1 << 10;

/// The position of a plane in the files of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PlaneAt {
    /// Index of the file.
    pub file: u32,
    /// Index of the plane within the file.
    pub plane: u32,
    /// Offset of the first byte.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
}

impl PlaneAt {
    /// Returns the bytes of the plane in its file.
    pub const fn span(self) -> Span {
        Span { start: self.start, end: self.end }
    }
}

/// Returns the planes to read apart, the largest first, so that workers end at about the same time. There are none if the
/// files are small, packed, or of another format.
pub fn planes_apart(inputs: &[Input], skips: &[Skip]) -> Vec<PlaneAt> {
    let mut found = Vec::new();
    for (file, input) in (0..).zip(inputs) {
        let is_skipped = |plane: Option<u32>| skips.contains(&Skip { file, plane });
        if is_skipped(None) || !matches!(format(input.source.as_ref()), Ok(Format::XSpace)) {
            continue;
        }
        let spans = plane_spans(input.source.as_ref());
        if spans.len() <= MAX_PLANES {
            let at = |(plane, Span { start, end }): (u32, Span)| PlaneAt { file, plane, start, end };
            found.extend((0..).zip(spans).map(at).filter(|at| !is_skipped(Some(at.plane))));
        }
    }
    let bytes: u64 = found.iter().map(|at| at.span().len()).sum();
    if bytes < LEAST_BYTES || found.len() < 2 {
        return Vec::new();
    }
    found.small_sort_by(|a, b| (b.span().len(), a).cmp(&(a.span().len(), b)));
    found
}

/// Planes that have been read apart. A file with a damaged plane is left out: it is read as a whole, so that its damage
/// is reported in the order of the file.
#[derive(Default)]
pub struct PlanesRead {
    parts: Vec<(PlaneAt, Part)>,
    damaged: Vec<u32>,
}

impl PlanesRead {
    /// Adds a plane; `None` if it is damaged.
    pub fn add(&mut self, at: PlaneAt, part: Option<Part>) {
        match part {
            Some(part) => self.parts.push((at, part)),
            None => self.damaged.push(at.file),
        }
    }

    /// Returns the number of planes and of their events.
    pub fn count(&self) -> (u32, u64) {
        (self.parts.len() as u32, self.parts.iter().map(|(_, part)| part.n_events()).sum())
    }

    /// Takes the planes of a file, in the order of the file. `None` if they have not been read apart.
    pub fn take(&mut self, file: u32) -> Option<Vec<Part>> {
        let (mut own, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.parts).into_iter().partition(|(at, _)| at.file == file);
        self.parts = others;
        own.small_sort_by(|(a, _), (b, _)| a.cmp(b));
        let is_whole = !own.is_empty() && !self.damaged.contains(&file);
        is_whole.then(|| own.into_iter().map(|(_, part)| part).collect())
    }
}
