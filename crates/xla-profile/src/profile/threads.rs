//! This module reads the planes of a file with several threads. Each thread reads successive planes into a part of its
//! own, and the parts are joined in the order of the file.
//!
//! ```text
//!  file      host │ TPU:0 │ TPU:1 │ TPU:2
//!  thread 1  host, TPU:0, a part of TPU:1 ─┐
//!  thread 2  the rest of TPU:1, TPU:2 ─────┴─► texts get the ids that they have if one thread reads all planes
//! ```
//!
//! The profile is the same for any number of threads. A damaged file is read by one thread, so that its damage is reported in
//! one place.

use super::Builder;
use super::part::ProfilePart;
use super::progress::ReadProgress;
use crate::source::Source;
use crate::wire::Span;
use crate::wire::xspace::{Outcome, lines_at_start, outline, walk, walk_range};
use std::sync::mpsc;

/// Fewest bytes of planes for each thread.
const LEAST_BYTES: u64 = 1 << 20;
/// Largest number of planes of a file that several threads read. Files with more are not captures of profilers.
const MAX_PLANES: usize = 1 << 10;

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
            let planes: Vec<Span> = outline(source, MAX_PLANES)?.planes.into_iter().map(|(span, _)| span).collect();
            let ranges = ranges(&planes, |plane| lines_at_start(source, plane), n_threads, source.size());
            if ranges.len() > 1 { self.walk_ranges(shared, &ranges) } else { None }
        });
        read.unwrap_or_else(|| walk(source, self))
    }

    /// Walks ranges of a file, each with a thread of its own. `None` if the file is damaged or has more planes and lines than
    /// its size justifies. Nothing is added then.
    fn walk_ranges(&mut self, source: &(dyn Source + Sync), ranges: &[Span]) -> Option<Outcome> {
        let (sender, receiver) = mpsc::channel::<PartProgress>();
        let parts: Vec<(ProfilePart, Outcome)> = std::thread::scope(|scope| {
            let start = |(part, range): (usize, &Span)| {
                let (sender, range) = (sender.clone(), *range);
                scope.spawn(move || read_part(source, part, range, &sender))
            };
            let threads: Vec<_> = ranges.iter().enumerate().map(start).collect();
            drop(sender);
            let mut all: Vec<(u64, usize, u64)> = vec![(0, 0, 0); ranges.len()];
            // The loop ends when the last thread has ended.
            for PartProgress { part, bytes, planes, events, plane } in receiver {
                all[part] = (bytes, planes, events);
                let bytes = all.iter().map(|part| part.0).sum();
                let n_planes = self.profile.planes.len() + all.iter().map(|part| part.1).sum::<usize>();
                let events = self.n_events + all.iter().map(|part| part.2).sum::<u64>();
                (self.progress)(ReadProgress { bytes, planes: n_planes, events, plane: &plane });
            }
            threads.into_iter().map(|thread| thread.join().ok()).collect::<Option<_>>()
        })?;
        let (parts, outcomes): (Vec<ProfilePart>, Vec<Outcome>) = parts.into_iter().unzip();
        let is_whole = outcomes.iter().all(|outcome| outcome.n_damage == 0);
        if is_whole && self.join(parts) { outcomes.into_iter().next() } else { None }
    }
}

/// Reads a range of a file. Names of hosts, errors and warnings of the file are in the first part alone.
fn read_part(
    source: &(dyn Source + Sync),
    part: usize,
    range: Span,
    sender: &mpsc::Sender<PartProgress>,
) -> (ProfilePart, Outcome) {
    let mut report = |read: ReadProgress<'_>| {
        // The walk also passes what is before and behind the range.
        let bytes = read.bytes.clamp(range.start, range.end) - range.start;
        let (planes, events, plane) = (read.planes, read.events, read.plane.to_owned());
        // Without a receiver, the reader has given up.
        let _ = sender.send(PartProgress { part, bytes, planes, events, plane });
    };
    let mut builder = Builder::new(&mut report);
    let outcome = walk_range(source, range, &mut builder);
    let mut read = ProfilePart::from_builder(builder);
    if part > 0 {
        read.hosts.clear();
        read.notes.clear();
    }
    (read, outcome)
}

/// Divides a file of `size` bytes into ranges with about the same number of bytes of planes. A range ends between two planes, or
/// within the lines of a large plane, of which `lines` returns the position. One range if the file is small.
fn ranges(planes: &[Span], lines: impl Fn(Span) -> Option<Span>, n_threads: usize, size: u64) -> Vec<Span> {
    let all: u64 = planes.iter().map(|plane| plane.len()).fold(0, u64::saturating_add);
    let n = u64::try_from(n_threads).unwrap_or(1).min(all / LEAST_BYTES);
    let mut ranges: Vec<Span> = Vec::new();
    let (mut start, mut before) = (0, 0_u64);
    let (first, last) = (planes.first().map_or(0, |plane| plane.start), planes.last().map_or(0, |plane| plane.end));
    let mut planes = planes.iter().peekable();
    for share in 1..n {
        let target = Span { start: 0, end: all }.part(share, n);
        while let Some(plane) = planes.next_if(|plane| before + plane.len() <= target) {
            before += plane.len();
        }
        let Some(plane) = planes.peek() else { break };
        let end = cut(**plane, target - before, all / n / 8, &lines);
        if start.max(first) < end && end < last {
            ranges.push(Span { start, end });
            start = end;
        }
    }
    ranges.push(Span { start, end: size });
    ranges
}

/// Returns the offset at which a plane is divided so that about `wanted` of its bytes are before it. It is the start or the end of
/// the plane if that is at most `tolerance` bytes away, or if the plane has no `lines` to divide.
fn cut(plane: Span, wanted: u64, tolerance: u64, lines: impl Fn(Span) -> Option<Span>) -> u64 {
    let is_near_edge = wanted.min(plane.len() - wanted) <= tolerance;
    match if is_near_edge { None } else { lines(plane) } {
        Some(lines) => lines.part(wanted, plane.len()),
        None if wanted < plane.len() / 2 => plane.start,
        None => plane.end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1 << 20;

    /// Returns where the ranges end in a file of planes of these sizes in MB, which are two bytes apart.
    fn range_ends(sizes: &[u64], has_lines: bool, n_threads: usize) -> Vec<u64> {
        let mut end = 0;
        let mut plane = |size: &u64| {
            let start = end + 2;
            end = start + size * MB;
            Span { start, end }
        };
        let planes: Vec<Span> = sizes.iter().map(&mut plane).collect();
        let lines = |plane: Span| has_lines.then_some(plane);
        let found = ranges(&planes, lines, n_threads, end);
        assert_eq!((found[0].start, found[found.len() - 1].end), (0, end));
        assert!(found.windows(2).all(|two| two[0].end == two[1].start), "{found:?}");
        found.iter().map(|range| range.end / MB).collect()
    }

    #[test]
    fn ranges_have_about_the_same_bytes() {
        assert_eq!(range_ends(&[10; 8], true, 2), [40, 80]);
        assert_eq!(range_ends(&[10; 3], true, 1), [30]);
        assert_eq!(range_ends(&[5], true, 4), [1, 2, 3, 5]);
        assert_eq!(range_ends(&[0, 0], true, 2), [0], "too small");
        assert_eq!(range_ends(&[], true, 2), [0]);
    }

    #[test]
    fn large_planes_are_divided() {
        assert_eq!(range_ends(&[1, 300, 1], true, 2), [151, 302]);
        assert_eq!(range_ends(&[1, 100, 100], true, 4), [50, 101, 150, 201]);
        assert_eq!(range_ends(&[1, 300, 9], false, 2), [301, 310], "most of the plane are programs");
        assert_eq!(range_ends(&[9, 300, 9], false, 3), [9, 309, 318]);
    }
}
