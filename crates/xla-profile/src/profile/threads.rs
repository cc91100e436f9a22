//! This module reads the planes of a file with several threads. Each thread reads successive planes into a part of its
//! own, and the parts are joined in the order of the file.
//!
//! ```text
//!  file      host │ TPU:0 │ TPU:1 │ TPU:2 │ TPU:3
//!  thread 1  host, TPU:0, TPU:1 ─┐
//!  thread 2  TPU:2, TPU:3 ───────┴─► texts get the ids that they have if one thread reads all planes
//! ```
//!
//! The profile is the same for any number of threads. A damaged file is read by one thread, so that its damage is reported in
//! one place.

use super::anomalies::Anomalies;
use super::ids::OpId;
use super::model::{Op, OpStats, Plane, Profile};
use super::progress::ReadProgress;
use super::room::ListingLimit;
use super::{Builder, StrId};
use crate::source::Source;
use crate::wire::xspace::{Outcome, PlaneHead, planes, walk_without};
use std::ops::Range;
use std::sync::mpsc;

/// Fewest bytes of planes for each thread.
const LEAST_BYTES: u64 = 1 << 20;
/// Largest number of planes of a file that several threads read. Files with more are not captures of profilers.
const MAX_PLANES: usize = 1 << 10;

/// Successive planes that one thread reads.
#[derive(Clone, Debug)]
struct Group {
    /// Indices of the planes in the file.
    planes: Range<u32>,
    /// The sum of the sizes of all planes before the group, and that with the group.
    bytes: Range<u64>,
}

/// The planes that one thread has read.
pub(super) struct Part {
    profile: Profile,
    anomalies: Anomalies,
    listing_limit: ListingLimit,
    n_events: u64,
}

/// How far one thread has read.
struct PartProgress {
    part: usize,
    bytes: u64,
    planes: usize,
    events: u64,
    plane: String,
}

impl Builder<'_> {
    /// Walks a whole XSpace with at most `n_threads` threads, and adds its planes.
    pub fn walk_with_threads(&mut self, source: &dyn Source, n_threads: usize) -> Outcome {
        let read = source.shared().and_then(|shared| {
            let groups = groups(&planes(source), n_threads);
            if groups.len() > 1 { self.walk_groups(shared, &groups) } else { None }
        });
        read.unwrap_or_else(|| walk_without(source, &[], self))
    }

    /// Walks groups of planes, each with a thread of its own. `None` if the file is damaged or has more planes and lines than
    /// its size justifies. Nothing is added then.
    fn walk_groups(&mut self, source: &(dyn Source + Sync), groups: &[Group]) -> Option<Outcome> {
        let n_planes = groups.last()?.planes.end;
        let files = &self.profile.files;
        let (sender, receiver) = mpsc::channel::<PartProgress>();
        let parts: Vec<(Part, Outcome)> = std::thread::scope(|scope| {
            let start = |(part, group): (usize, &Group)| {
                let (sender, group) = (sender.clone(), group.clone());
                scope.spawn(move || read_part(source, files, part, &group, n_planes, &sender))
            };
            let threads: Vec<_> = groups.iter().enumerate().map(start).collect();
            drop(sender);
            let mut all: Vec<(u64, usize, u64)> = vec![(0, 0, 0); groups.len()];
            // The loop ends when the last thread has ended.
            for PartProgress { part, bytes, planes, events, plane } in receiver {
                all[part] = (bytes, planes, events);
                let at = all.iter().map(|of| of.0).sum();
                let n_planes = self.profile.planes.len() + all.iter().map(|of| of.1).sum::<usize>();
                let events = self.n_events + all.iter().map(|of| of.2).sum::<u64>();
                (self.progress)(ReadProgress { at, planes: n_planes, events, plane: &plane });
            }
            threads.into_iter().map(|thread| thread.join().ok()).collect::<Option<_>>()
        })?;
        let is_whole = parts.iter().all(|(_, outcome)| outcome.n_damage == 0);
        let limits = parts.iter().map(|(part, _)| &part.listing_limit);
        if !is_whole || !self.listing_limit.has_room_for(limits) {
            return None;
        }
        let mut outcome = Outcome::default();
        for (n, (part, of)) in parts.into_iter().enumerate() {
            if n == 0 {
                outcome = of;
            }
            self.join(part);
        }
        Some(outcome)
    }

    /// Adds the planes of a part.
    fn join(&mut self, part: Part) {
        let Profile { strings, memories, mut planes, hlo, hosts, notes, .. } = part.profile;
        let texts = self.profile.strings.join(&strings);
        drop(strings);
        let numbers = self.profile.memories.join(&mut self.memories, &memories);
        planes.iter_mut().for_each(|plane| renumber(plane, &texts, &numbers));
        self.profile.planes.append(&mut planes);
        self.profile.hlo.extend(hlo);
        self.profile.hosts.extend(hosts);
        self.profile.notes.extend(notes);
        self.anomalies.add(part.anomalies);
        self.listing_limit.add(&part.listing_limit);
        self.n_events += part.n_events;
    }
}

/// Reads a group of planes. Names of hosts, errors and warnings of the file are in the first part alone.
fn read_part(
    source: &(dyn Source + Sync),
    files: &[String],
    part: usize,
    group: &Group,
    n_planes: u32,
    sender: &mpsc::Sender<PartProgress>,
) -> (Part, Outcome) {
    let mut report = |of: ReadProgress<'_>| {
        // The walk also passes the planes before and after the group.
        let bytes = of.at.clamp(group.bytes.start, group.bytes.end) - group.bytes.start;
        let (planes, events, plane) = (of.planes, of.events, of.plane.to_owned());
        // Without a receiver, the reader has given up.
        let _ = sender.send(PartProgress { part, bytes, planes, events, plane });
    };
    let mut builder = Builder::new(&mut report);
    builder.profile.files = files.to_vec();
    let without: Vec<u32> = (0..n_planes).filter(|plane| !group.planes.contains(plane)).collect();
    let outcome = walk_without(source, &without, &mut builder);
    let Builder { mut profile, anomalies, listing_limit, n_events, .. } = builder;
    if part > 0 {
        profile.hosts.clear();
        profile.notes.clear();
    }
    (Part { profile, anomalies, listing_limit, n_events }, outcome)
}

/// Divides planes into groups of about the same number of bytes. One group if the file is small or has very many planes.
fn groups(planes: &[PlaneHead], n_threads: usize) -> Vec<Group> {
    let n_planes = u32::try_from(planes.len()).unwrap_or(u32::MAX);
    let all: u64 = planes.iter().map(|plane| plane.bytes).fold(0, u64::saturating_add);
    let n = u64::try_from(n_threads).unwrap_or(1).min(all / LEAST_BYTES);
    if n < 2 || planes.len() > MAX_PLANES {
        return vec![Group { planes: 0..n_planes, bytes: 0..all }];
    }
    let mut groups: Vec<Group> = Vec::new();
    let (mut start, mut before) = ((0, 0), 0_u64);
    for (at, plane) in (0..).zip(planes) {
        // A group ends at the plane whose middle is behind the end of its share.
        let is_behind = (before + plane.bytes / 2).saturating_mul(n) >= all.saturating_mul(groups.len() as u64 + 1);
        if is_behind && at > start.0 {
            groups.push(Group { planes: start.0..at, bytes: start.1..before });
            start = (at, before);
        }
        before = before.saturating_add(plane.bytes);
    }
    groups.push(Group { planes: start.0..n_planes, bytes: start.1..all });
    groups
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
    for (_, number) in &mut plane.memory as &mut Vec<(OpId, u32)> {
        *number = numbers.get(*number as usize).copied().unwrap_or(*number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_about_the_same_bytes() {
        let of = |bytes: &[u64], n| {
            let head = |bytes: &u64| PlaneHead { bytes: *bytes << 20, ..PlaneHead::default() };
            let all: Vec<PlaneHead> = bytes.iter().map(head).collect();
            groups(&all, n).into_iter().map(|group| group.planes.len()).collect::<Vec<usize>>()
        };
        assert_eq!(of(&[10; 8], 2), [4, 4]);
        assert_eq!(of(&[10; 8], 3), [3, 2, 3]);
        assert_eq!(of(&[1, 100, 100, 100, 100], 2), [3, 2]);
        assert_eq!(of(&[300, 1, 1, 1], 2), [1, 3]);
        assert_eq!(of(&[1, 1, 1, 300], 2), [3, 1]);
        assert_eq!(of(&[5], 4), [1]);
        assert_eq!(of(&[10; 3], 1), [3]);
        assert_eq!(of(&[0, 0], 2), [2], "too small");
        assert_eq!(of(&[], 2), [0]);
    }
}
