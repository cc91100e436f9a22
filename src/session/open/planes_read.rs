//! This module holds planes that several workers have read, each plane or part of a plane apart from the others.

use serde::{Deserialize, Serialize};
use xla_profile::profile::ProfilePart;
use xla_profile::small_sort::SmallSort;
use xla_profile::wire::Span;
use xla_profile::wire::xspace::SpaceField;

/// The position of a plane, or of a part of its events, in the files of a request.
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
    /// Offset from which on events start that are read; `start` for the first part of the plane.
    pub events_start: u64,
    /// Offset at which the first event of the next part can start; `end` for the last part.
    pub events_end: u64,
    /// Number of parts into which the plane is divided; 1 for the whole plane.
    pub n_parts: u32,
}

impl PlaneAt {
    /// Creates the position of a whole plane.
    pub const fn whole(file: u32, plane: u32, Span { start, end }: Span) -> Self {
        Self { file, plane, start, end, events_start: start, events_end: end, n_parts: 1 }
    }

    /// Returns the position of each of `n` parts of the plane, whose lines are at `lines`.
    pub fn divided(self, lines: Span, n: u32) -> impl Iterator<Item = Self> {
        let bound = move |part: u32| match part {
            0 => self.start,
            _ if part == n => self.end,
            _ => lines.part(part.into(), n.into()),
        };
        (0..n).map(move |part| Self { events_start: bound(part), events_end: bound(part + 1), n_parts: n, ..self })
    }

    /// Returns the bytes of the plane in its file.
    pub const fn span(self) -> Span {
        Span { start: self.start, end: self.end }
    }

    /// Returns the offsets between which the events start that are read.
    pub const fn events(self) -> Span {
        Span { start: self.events_start, end: self.events_end }
    }

    /// Returns the size of the plane or of its part in bytes.
    pub const fn bytes(self) -> u64 {
        self.events().len()
    }

    /// Returns how many of these bytes are before an offset.
    pub fn bytes_before(self, offset: u64) -> u64 {
        offset.min(self.events_end).saturating_sub(self.events_start)
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
    /// The planes and parts of planes, in the order of the file.
    pub parts: Vec<ProfilePart>,
    /// What the file holds beside planes.
    pub fields: Vec<SpaceField>,
}

impl PlanesRead {
    /// Creates an empty list of planes of files with these fields.
    pub fn new(fields: Vec<(u32, Vec<SpaceField>)>) -> Self {
        Self { fields, ..Self::default() }
    }

    /// Adds a plane or a part; `None` if it is damaged.
    pub fn add(&mut self, plane_at: PlaneAt, part: Option<ProfilePart>) {
        match part {
            Some(part) => self.parts.push((plane_at, part)),
            None => self.damaged.push(plane_at.file),
        }
    }

    /// Returns the number of whole planes, and the number of all events.
    pub fn count(&self) -> (u32, u64) {
        let is_last = |plane_at: &PlaneAt| plane_at.events_end == plane_at.end;
        let planes =
            self.parts.iter().filter(|(plane_at, _)| is_last(plane_at) && self.has_all_parts(*plane_at)).count();
        (planes as u32, self.parts.iter().map(|(_, part)| part.n_events()).sum())
    }

    /// Returns whether all parts of a plane are here.
    fn has_all_parts(&self, plane_at: PlaneAt) -> bool {
        let parts = self.parts.iter().filter(|(other, _)| (other.file, other.plane) == (plane_at.file, plane_at.plane));
        parts.count() == plane_at.n_parts as usize
    }

    /// Returns whether a plane is here.
    pub fn has(&self, plane_at: PlaneAt) -> bool {
        self.parts.iter().any(|(other, _)| *other == plane_at)
    }

    /// Returns copies of some planes alone; `None` if one of them is not here, or is of a damaged file.
    pub fn only(&self, planes: &[PlaneAt]) -> Option<Self> {
        let copy = |plane_at: &PlaneAt| {
            let is_damaged = self.damaged.contains(&plane_at.file);
            self.parts.iter().find(|(other, _)| other == plane_at && !is_damaged).cloned()
        };
        let parts = planes.iter().map(copy).collect::<Option<_>>()?;
        Some(Self { parts, damaged: Vec::new(), fields: self.fields.clone(), is_all: true })
    }

    /// Takes a file. `None` if its planes have not been read apart. A plane is left out if a part of it is not here.
    pub fn take(&mut self, file: u32) -> Option<FileRead> {
        let whole: Vec<PlaneAt> =
            self.parts.iter().map(|(plane_at, _)| *plane_at).filter(|plane_at| self.has_all_parts(*plane_at)).collect();
        let (mut own, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.parts).into_iter().partition(|(plane_at, _)| plane_at.file == file);
        self.parts = others;
        own.retain(|(plane_at, _)| whole.contains(plane_at));
        own.small_sort_by(|(a, _), (b, _)| a.cmp(b));
        let is_whole = !own.is_empty() && !self.damaged.contains(&file);
        let fields = self.fields.iter().find(|(other, _)| *other == file).map(|(_, fields)| fields.clone());
        let parts = own.into_iter().map(|(_, part)| part).collect();
        is_whole.then(|| FileRead { parts, fields: fields.unwrap_or_default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_without_one_of_its_parts_is_left_out() {
        let bytes = vec![0x12, 1, b'a'];
        let whole = PlaneAt::whole(0, 0, Span { start: 0, end: 3 });
        let parts: Vec<PlaneAt> = PlaneAt { plane: 1, ..whole }.divided(Span { start: 1, end: 3 }, 2).collect();
        assert_eq!(
            parts.iter().map(|plane_at| plane_at.events()).collect::<Vec<_>>(),
            [(0, 2), (2, 3)].map(|(start, end)| Span { start, end })
        );
        let read = |plane_at: PlaneAt| ProfilePart::read(&bytes, plane_at.span(), plane_at.events(), &mut |_| ());
        let mut found = PlanesRead::new(Vec::new());
        for plane_at in [parts[1], whole] {
            found.add(plane_at, read(plane_at));
        }
        assert_eq!((found.count(), found.has(parts[1]), found.has(parts[0])), ((1, 0), true, false));
        assert_eq!(found.clone().take(0).map(|file| file.parts.len()), Some(1));
        found.add(parts[0], read(parts[0]));
        assert_eq!(found.count(), (2, 0));
        assert_eq!(found.take(0).map(|file| file.parts.len()), Some(3));
    }
}
