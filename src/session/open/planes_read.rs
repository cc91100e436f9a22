//! This module holds planes that several workers have read, each plane apart from the others.

use crate::profile::ProfilePart;
use crate::small_sort::SmallSort;
use crate::wire::Span;
use crate::wire::xspace::SpaceField;
use serde::{Deserialize, Serialize};

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

    /// Returns the size of the plane in bytes.
    pub const fn bytes(self) -> u64 {
        self.span().len()
    }
}

/// Planes that have been read apart. A file with a damaged plane is left out: it is read as a whole, so that its damage
/// is reported in the order of the file.
#[derive(Clone, Default)]
pub struct PlanesRead {
    parts: Vec<(PlaneAt, ProfilePart)>,
    damaged: Vec<u32>,
    fields: Vec<(u32, Vec<SpaceField>)>,
    /// Files of which nothing is here are left out.
    pub is_all: bool,
}

/// A file whose planes have been read apart.
pub struct FileRead {
    /// The planes, in the order of the file.
    pub parts: Vec<ProfilePart>,
    /// What the file holds beside planes.
    pub fields: Vec<SpaceField>,
}

impl PlanesRead {
    /// Creates an empty list of planes of files with these fields.
    pub fn new(fields: Vec<(u32, Vec<SpaceField>)>) -> Self {
        Self { fields, ..Self::default() }
    }

    /// Adds a plane; `None` if it is damaged.
    pub fn add(&mut self, at: PlaneAt, part: Option<ProfilePart>) {
        match part {
            Some(part) => self.parts.push((at, part)),
            None => self.damaged.push(at.file),
        }
    }

    /// Returns the number of planes and of their events.
    pub fn count(&self) -> (u32, u64) {
        (self.parts.len() as u32, self.parts.iter().map(|(_, part)| part.n_events()).sum())
    }

    /// Returns whether a plane is here.
    pub fn has(&self, at: PlaneAt) -> bool {
        self.parts.iter().any(|(other, _)| *other == at)
    }

    /// Returns copies of some planes alone; `None` if one of them is not here, or is of a damaged file.
    pub fn only(&self, planes: &[PlaneAt]) -> Option<Self> {
        let copy = |at: &PlaneAt| {
            let is_damaged = self.damaged.contains(&at.file);
            self.parts.iter().find(|(other, _)| other == at && !is_damaged).cloned()
        };
        let parts = planes.iter().map(copy).collect::<Option<_>>()?;
        Some(Self { parts, damaged: Vec::new(), fields: self.fields.clone(), is_all: true })
    }

    /// Takes a file. `None` if its planes have not been read apart.
    pub fn take(&mut self, file: u32) -> Option<FileRead> {
        let (mut own, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.parts).into_iter().partition(|(at, _)| at.file == file);
        self.parts = others;
        own.small_sort_by(|(a, _), (b, _)| a.cmp(b));
        let is_whole = !own.is_empty() && !self.damaged.contains(&file);
        let fields = self.fields.iter().find(|(at, _)| *at == file).map(|(_, fields)| fields.clone());
        let parts = own.into_iter().map(|(_, part)| part).collect();
        is_whole.then(|| FileRead { parts, fields: fields.unwrap_or_default() })
    }
}
