//! This module reads planes apart from the other planes of their file, and joins them to a profile later. A part depends
//! on nothing outside of it, so threads and workers can read parts, and a worker can send a part to another as bytes.
//!
//! ```text
//!  file    host │ TPU:0 │ TPU:1 │ TPU:2
//!  part 1  host, TPU:0 ─┐
//!  part 2  TPU:1, TPU:2 ┴─► texts get the ids that they have if all planes are read in order
//! ```
//!
//! A large plane can be divided into several parts by its events ([`division`](super::division)).

use super::anomalies::Anomalies;
use super::division::{AddedOps, Division};
use super::listing_limit::ListingLimit;
use super::memory::{self, Memories};
use super::model::{HloBlob, Plane, Profile, StatCount};
use super::progress::ReadProgress;
use super::renumbering::Renumbering;
use super::strings::Texts;
use super::{Builder, Note, OpId};
use crate::small_sort::SmallSort;
use crate::source::Source;
use crate::wire::Span;
use crate::wire::xspace::{Sink, SpaceField, walk_plane};
use serde::{Deserialize, Serialize};

/// Planes that were read apart from the other planes of their file.
#[derive(Clone, Serialize, Deserialize)]
pub struct ProfilePart {
    texts: Texts,
    memories: Memories,
    planes: Vec<Plane>,
    hlo: Vec<HloBlob>,
    pub(super) hosts: Vec<String>,
    pub(super) notes: Vec<Note>,
    anomalies: Anomalies,
    listing_limit: ListingLimit,
    n_events: u64,
    /// The planes of which only a part was read, by index in `planes`.
    divisions: Vec<(u32, Division)>,
}

impl ProfilePart {
    /// Reads the plane at `span` of a file, with the events that start in `events`. Returns `None` if the plane is damaged.
    pub fn read(
        source: &dyn Source,
        span: Span,
        events: Span,
        progress: &mut dyn FnMut(ReadProgress<'_>),
    ) -> Option<Self> {
        let mut builder = Builder::new(progress);
        let outcome = walk_plane(source, span, events, &mut builder);
        (outcome.n_damage == 0).then(|| Self::from_builder(builder))
    }

    /// Returns what a builder has read.
    pub(super) fn from_builder(builder: Builder<'_>) -> Self {
        let Builder { profile, anomalies, listing_limit, n_events, divisions, .. } = builder;
        let Profile { strings, memories, planes, hlo, hosts, notes, .. } = profile;
        let texts = strings.into_texts();
        Self { texts, memories, planes, hlo, hosts, notes, anomalies, listing_limit, n_events, divisions }
    }

    pub const fn n_events(&self) -> u64 {
        self.n_events
    }
}

impl Builder<'_> {
    /// Adds the fields of the current file that are not planes.
    pub fn add_fields(&mut self, fields: impl IntoIterator<Item = SpaceField>) {
        fields.into_iter().for_each(|field| self.space_field(field));
    }

    /// Adds parts of the current file, in the order of the file. Returns `false`, and adds nothing, if they have more
    /// planes and lines than a file of any size may have. Then their file must be read as a whole.
    pub fn join(&mut self, parts: Vec<ProfilePart>) -> bool {
        if !self.listing_limit.has_room_for(parts.iter().map(|part| &part.listing_limit)) {
            return false;
        }
        parts.into_iter().for_each(|part| self.join_part(part));
        true
    }

    fn join_part(&mut self, part: ProfilePart) {
        let ProfilePart {
            texts,
            memories,
            planes,
            mut hlo,
            hosts,
            notes,
            anomalies,
            listing_limit,
            n_events,
            divisions,
        } = part;
        let texts_by_id = self.profile.strings.join(&texts);
        drop(texts);
        let memories = self.profile.memories.join(&mut self.memories, &memories);
        let numbers = Renumbering::new(texts_by_id, memories);
        let file = self.profile.files.len().saturating_sub(1);
        let mut divisions = divisions.into_iter().peekable();
        for (index, mut plane) in (0..).zip(planes) {
            plane.file = file;
            numbers.renumber(&mut plane);
            let division = divisions.next_if(|(divided, _)| *divided == index).map(|(_, division)| division);
            self.join_plane(plane, division, &numbers);
        }
        hlo.iter_mut().for_each(|program| program.file = file);
        self.profile.hlo.extend(hlo);
        self.profile.hosts.extend(hosts);
        self.profile.notes.extend(notes);
        self.anomalies.add(anomalies);
        self.listing_limit.add(&listing_limit);
        self.n_events += n_events;
    }
}

/// The parts of divided planes.
impl Builder<'_> {
    /// Drops what the metadata of the current plane says, if the part before has it. A plane that continues is the first plane of
    /// its part.
    pub(super) fn end_metadata(&mut self) {
        if self.division.as_ref().is_some_and(|division| division.continues) {
            self.anomalies = Anomalies::default();
            self.profile.hlo.clear();
        }
    }

    /// Stores how the plane that ends is divided, and what its other parts need.
    pub(super) fn end_part_of_plane(&mut self) {
        let Some(mut division) = self.division.take() else { return };
        if division.continues {
            self.listing_limit = ListingLimit::default();
        }
        division.variants = self.variants.drain().collect();
        division.variants.small_sort_by(|(_, a), (_, b)| a.cmp(b));
        self.divisions.push((self.profile.planes.len() as u32, division));
    }

    /// Adds a plane of a part, whose texts and values have their final numbers.
    pub(super) fn join_plane(&mut self, plane: Plane, division: Option<Division>, numbers: &Renumbering) {
        let Some(division) = division else { return self.profile.planes.push(plane) };
        let is_continued = division.is_continued;
        if division.continues {
            self.continue_plane(plane, division, numbers);
        } else {
            self.added_ops = AddedOps::default();
            self.added_ops.add(&plane, division, numbers, |op| op);
            self.profile.planes.push(plane);
        }
        if !is_continued {
            self.added_ops = AddedOps::default();
            self.end_divided_plane();
        }
    }

    /// Adds a part of the last plane.
    fn continue_plane(&mut self, part: Plane, division: Division, numbers: &Renumbering) {
        let Some(plane) = self.profile.planes.last_mut() else { return };
        let new_ids = self.added_ops.add(&part, division, numbers, |op| {
            let id = OpId(u32::try_from(plane.ops.len()).unwrap_or(u32::MAX));
            plane.ops.push(part.op(op).clone());
            if let Some(number) = memory::value_of(&part.memory, op) {
                memory::put(&mut plane.memory, id.0, number);
            }
            id
        });
        plane.ops.shrink_to_fit();
        for (name, count) in part.stat_counts {
            plane.stat_counts.entry(name).or_insert(StatCount { on_events: 0, ..count }).on_events += count.on_events;
        }
        for (line, part) in plane.lines.iter_mut().zip(part.lines) {
            line.append(part, new_ids.as_deref());
        }
    }

    /// Ends the last plane, all of whose parts have been added.
    fn end_divided_plane(&mut self) {
        let Some(plane) = self.profile.planes.last_mut() else { return };
        for line in &mut plane.lines {
            line.end();
            if line.events.is_mixed() {
                self.anomalies.mixed_clock(&plane.name, &line.name);
            }
        }
    }
}
