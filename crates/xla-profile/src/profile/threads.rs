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

use super::Builder;
use super::part::ProfilePart;
use super::progress::ReadProgress;
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
        let (sender, receiver) = mpsc::channel::<PartProgress>();
        let parts: Vec<(ProfilePart, Outcome)> = std::thread::scope(|scope| {
            let start = |(part, group): (usize, &Group)| {
                let (sender, group) = (sender.clone(), group.clone());
                scope.spawn(move || read_part(source, part, &group, n_planes, &sender))
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
        let (parts, outcomes): (Vec<ProfilePart>, Vec<Outcome>) = parts.into_iter().unzip();
        let is_whole = outcomes.iter().all(|outcome| outcome.n_damage == 0);
        if is_whole && self.join(parts) { outcomes.into_iter().next() } else { None }
    }
}

/// Reads a group of planes. Names of hosts, errors and warnings of the file are in the first part alone.
fn read_part(
    source: &(dyn Source + Sync),
    part: usize,
    group: &Group,
    n_planes: u32,
    sender: &mpsc::Sender<PartProgress>,
) -> (ProfilePart, Outcome) {
    let mut report = |of: ReadProgress<'_>| {
        // The walk also passes the planes before and after the group.
        let bytes = of.at.clamp(group.bytes.start, group.bytes.end) - group.bytes.start;
        let (planes, events, plane) = (of.planes, of.events, of.plane.to_owned());
        // Without a receiver, the reader has given up.
        let _ = sender.send(PartProgress { part, bytes, planes, events, plane });
    };
    let mut builder = Builder::new(&mut report);
    let without: Vec<u32> = (0..n_planes).filter(|plane| !group.planes.contains(plane)).collect();
    let outcome = walk_without(source, &without, &mut builder);
    let mut read = ProfilePart::from_builder(builder);
    if part > 0 {
        read.hosts.clear();
        read.notes.clear();
    }
    (read, outcome)
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
