//! This module reads planes apart from the other planes of their file, and joins them to a profile later. A part depends
//! on nothing outside of it, so threads and workers can read parts, and a worker can send a part to another as bytes.
//!
//! ```text
//!  file    host │ TPU:0 │ TPU:1 │ TPU:2
//!  part 1  host, TPU:0 ─┐
//!  part 2  TPU:1, TPU:2 ┴─► texts get the ids that they have if all planes are read in order
//! ```

use super::anomalies::Anomalies;
use super::listing_limit::ListingLimit;
use super::memory::Memories;
use super::model::{HloBlob, Op, OpStats, Plane, Profile};
use super::progress::ReadProgress;
use super::strings::Texts;
use super::{Builder, Note, OpId, StrId};
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
}

impl ProfilePart {
    /// Reads the plane at `span` of a file. Returns `None` if the plane is damaged.
    pub fn read(source: &dyn Source, span: Span, progress: &mut dyn FnMut(ReadProgress<'_>)) -> Option<Self> {
        let mut builder = Builder::new(progress);
        let outcome = walk_plane(source, span, &mut builder);
        (outcome.n_damage == 0).then(|| Self::from_builder(builder))
    }

    /// Returns what a builder has read.
    pub(super) fn from_builder(builder: Builder<'_>) -> Self {
        let Builder { profile, anomalies, listing_limit, n_events, .. } = builder;
        let Profile { strings, memories, planes, hlo, hosts, notes, .. } = profile;
        Self { texts: strings.into_texts(), memories, planes, hlo, hosts, notes, anomalies, listing_limit, n_events }
    }

    /// Returns the number of events.
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
        let ProfilePart { texts, memories, mut planes, mut hlo, hosts, notes, anomalies, listing_limit, n_events } =
            part;
        let ids = self.profile.strings.join(&texts);
        drop(texts);
        let numbers = self.profile.memories.join(&mut self.memories, &memories);
        let file = self.profile.files.len().saturating_sub(1);
        for plane in &mut planes {
            plane.file = file;
            renumber(plane, &ids, &numbers);
        }
        hlo.iter_mut().for_each(|program| program.file = file);
        self.profile.planes.append(&mut planes);
        self.profile.hlo.extend(hlo);
        self.profile.hosts.extend(hosts);
        self.profile.notes.extend(notes);
        self.anomalies.add(anomalies);
        self.listing_limit.add(&listing_limit);
        self.n_events += n_events;
    }
}

/// Replaces the ids of texts and the numbers of memory values in a plane.
fn renumber(plane: &mut Plane, texts: &[StrId], numbers: &[u32]) {
    let text = |id: &mut StrId| *id = texts.get(id.number() as usize - 1).copied().unwrap_or(*id);
    for Op { name, text: whole, stats, .. } in &mut plane.ops {
        text(name);
        text(whole);
        let OpStats { category, tf_op, source, source_stack, dedup, shape, hlo_op, hlo_module, kernel, .. } = stats;
        let all = [category, tf_op, source, source_stack, dedup, shape, hlo_op, hlo_module, kernel];
        all.into_iter().flatten().for_each(text);
    }
    let rows = plane.lines.iter_mut().flat_map(|line| &mut line.allocator);
    rows.filter_map(|row| row.name.as_mut()).for_each(text);
    plane.lines.iter_mut().flat_map(|line| &mut line.counters).for_each(|row| text(&mut row.stat));
    for (_, number) in &mut plane.memory as &mut Vec<(OpId, u32)> {
        *number = numbers.get(*number as usize).copied().unwrap_or(*number);
    }
}
