//! This module computes unions, intersections and lengths of half-open time intervals `[start, end)` in ps. It depends
//! on numbers only.
//!
//! A *merged* list is in order, and its intervals are not empty and do not touch. Only merged lists are compared with
//! each other, because overlapping intervals of one list would count twice. A merged list holds the running sum of its
//! lengths, so the length within a window is found by a binary search for the two ends of the window, whatever lies
//! between them.

use super::Interval;

/// All of time.
pub const ALL: Interval = (0, u64::MAX);

/// Merges arbitrary intervals into their union, as [`Merged::new`] does. Intervals that touch the one before them take no
/// memory.
impl FromIterator<Interval> for Merged {
    fn from_iter<T: IntoIterator<Item = Interval>>(intervals: T) -> Self {
        let mut all: Vec<Interval> = Vec::new();
        for (start, end) in intervals.into_iter().filter(|(start, end)| start < end) {
            match all.last_mut().filter(|last| last.0 <= start && start <= last.1) {
                Some(last) => last.1 = last.1.max(end),
                None => all.push((start, end)),
            }
        }
        Self::new(all)
    }
}

/// A merged list of intervals; see the module documentation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Merged {
    intervals: Vec<Interval>,
    /// Σ lengths of the intervals up to and including each one, in ps.
    sums: Vec<u64>,
}

impl Merged {
    /// Merges arbitrary intervals into their union. Θ(n) if the intervals are in order, else Θ(n log n).
    pub fn new(mut intervals: Vec<Interval>) -> Self {
        if !intervals.is_sorted() {
            intervals.sort_unstable();
        }
        // Merging works in place, so it needs no second list.
        intervals.retain(|(start, end)| start < end);
        intervals.dedup_by(|next, last| {
            let touches = next.0 <= last.1;
            last.1 = if touches { last.1.max(next.1) } else { last.1 };
            touches
        });
        intervals.shrink_to_fit();
        Self::from_merged(intervals)
    }

    /// Wraps a list that is merged already.
    fn from_merged(intervals: Vec<Interval>) -> Self {
        let mut sum = 0;
        let upto = |(start, end): &Interval| {
            sum += end - start;
            sum
        };
        Self { sums: intervals.iter().map(upto).collect(), intervals }
    }

    /// Returns the union of two merged lists.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let (mut own, mut theirs) = (self.intervals().iter().peekable(), other.intervals().iter().peekable());
        let mut all = Vec::with_capacity(self.intervals.len() + other.intervals.len());
        while let Some(next) = match (own.peek(), theirs.peek()) {
            (Some(a), Some(b)) if a <= b => own.next(),
            (_, Some(_)) => theirs.next(),
            (_, None) => own.next(),
        } {
            add_to_union(&mut all, *next);
        }
        Self::new(all)
    }

    pub fn intervals(&self) -> &[Interval] {
        &self.intervals
    }

    /// Returns the intervals that overlap a window, not clipped.
    fn near(&self, window: Interval) -> &[Interval] {
        let from = self.intervals.partition_point(|(_, end)| *end <= window.0);
        let to = self.intervals.partition_point(|(start, _)| *start < window.1);
        self.intervals.get(from..to).unwrap_or_default()
    }

    /// Iterates over the intervals clipped to a window, in order.
    pub fn within(&self, window: Interval) -> impl Iterator<Item = Interval> {
        let cut = move |(start, end): &Interval| ((*start).max(window.0), (*end).min(window.1));
        self.near(window).iter().map(cut).filter(|(start, end)| start < end)
    }

    /// Returns the intersection with a window.
    #[must_use]
    pub fn clipped(&self, window: Interval) -> Self {
        Self::from_merged(self.within(window).collect())
    }

    /// Returns the start of the first interval and the end of the last one; `(0, 0)` for an empty list.
    pub fn hull(&self) -> Interval {
        self.intervals.first().zip(self.intervals.last()).map_or((0, 0), |(first, last)| (first.0, last.1))
    }

    /// Returns whether the time `time` lies in an interval. Θ(log n).
    pub fn contains(&self, time: u64) -> bool {
        let next = self.intervals.partition_point(|(_, end)| *end <= time);
        self.intervals.get(next).is_some_and(|(start, _)| *start <= time)
    }

    /// Returns the sum of the lengths of the intervals.
    pub fn length(&self) -> u64 {
        self.sums.last().copied().unwrap_or(0)
    }

    /// Returns the length of the intersection with an interval. Θ(log n).
    pub fn length_in(&self, (from, to): Interval) -> u64 {
        self.length_before(to).saturating_sub(self.length_before(from))
    }

    /// Returns a cursor for many lookups in about the order of time.
    pub const fn cursor(&self) -> Cursor<'_> {
        Cursor { merged: self, near: 0 }
    }

    /// Returns the length of the part before the time `time`.
    fn length_before(&self, time: u64) -> u64 {
        let begun = self.intervals.partition_point(|(start, _)| *start < time);
        let last = begun.checked_sub(1).and_then(|last| self.intervals.get(last).zip(self.sums.get(last)));
        last.map_or(0, |((_, end), sum)| sum - end.saturating_sub(time))
    }

    /// Returns the length of the intersection of both lists within a window. Θ(min(k + n, k log n)) for the k intervals
    /// of `self` and the n intervals of `other` in the window.
    pub fn length_with(&self, other: &Self, window: Interval) -> u64 {
        let theirs = other.near(window);
        // Searching for a few intervals among many is faster than walking along both lists.
        if self.near(window).len().saturating_mul(8) < theirs.len() {
            return self.within(window).map(|interval| other.length_in(interval)).sum();
        }
        let (mut length, mut next) = (0, 0);
        for (from, to) in self.within(window) {
            while let Some((start, end)) = theirs.get(next).filter(|(start, _)| *start < to) {
                length += to.min(*end).saturating_sub(from.max(*start));
                // An interval that goes on may meet the next one of `self`.
                if *end > to {
                    break;
                }
                next += 1;
            }
        }
        length
    }
}

/// Adds an interval to a list from which [`Merged::new`] makes a merged list. If the interval touches or overlaps the last one
/// of the list, that one grows. Lists of intervals in order of time therefore stay short.
pub fn add_to_union(list: &mut Vec<Interval>, (start, end): Interval) {
    match list.last_mut() {
        Some(last) if last.0 <= start && start <= last.1 => last.1 = last.1.max(end),
        _ => list.push((start, end)),
    }
}

/// A place in a merged list. Most lookups in order of time need one interval and no search.
pub struct Cursor<'a> {
    merged: &'a Merged,
    /// The interval of the last answer.
    near: usize,
}

impl Cursor<'_> {
    /// Returns the length of the intersection with an interval, as [`Merged::length_in`] does.
    #[inline]
    pub fn length_in(&mut self, (from, to): Interval) -> u64 {
        if self.holds(from, to) {
            return to.saturating_sub(from);
        }
        self.near = self.merged.intervals.partition_point(|(_, end)| *end <= from);
        if self.holds(from, to) { to.saturating_sub(from) } else { self.merged.length_in((from, to)) }
    }

    /// Returns whether the time `time` lies in an interval, as [`Merged::contains`] does.
    pub fn contains(&mut self, time: u64) -> bool {
        self.length_in((time, time.saturating_add(1))) > 0
    }

    /// Returns whether the last interval holds a whole interval.
    #[inline]
    fn holds(&self, from: u64, to: u64) -> bool {
        self.merged.intervals.get(self.near).is_some_and(|(start, end)| *start <= from && to <= *end)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The intervals as a set of bits, one bit per ps.
    fn bits(intervals: &[Interval]) -> u128 {
        intervals.iter().fold(0, |all, (start, end)| (*start..*end).fold(all, |all, time| all | 1 << time))
    }

    fn assert_merged(list: &Merged) {
        assert!(list.intervals().iter().all(|(start, end)| start < end));
        assert!(list.intervals().windows(2).all(|pair| pair[0].1 < pair[1].0), "in order, apart");
    }

    fn some() -> impl Strategy<Value = Vec<Interval>> {
        prop::collection::vec((0_u64..100, 0_u64..20).prop_map(|(start, length)| (start, start + length)), 0..12)
    }

    proptest! {
        #[test]
        fn it_is_the_algebra_of_bits(a in some(), b in some(), window in (0_u64..120, 0_u64..120)) {
            let (one, two) = (Merged::new(a.clone()), Merged::new(b.clone()));
            let (one_bits, two_bits) = (bits(&a), bits(&b));
            let window_bits = bits(&[window]);
            let all = [a, b].concat();
            let mut united = Vec::new();
            all.iter().for_each(|interval| add_to_union(&mut united, *interval));
            for (found, wanted) in [
                (one.clone(), one_bits),
                (Merged::new(all), one_bits | two_bits),
                (one.union(&two), one_bits | two_bits),
                (Merged::new(united), one_bits | two_bits),
                (one.clipped(window), one_bits & window_bits),
            ] {
                assert_merged(&found);
                prop_assert_eq!(bits(found.intervals()), wanted);
                prop_assert_eq!(found.length(), u64::from(wanted.count_ones()));
                prop_assert!((0..128).all(|time| found.contains(time) == (wanted >> time & 1 == 1)));
                prop_assert_eq!(found.length_in(ALL), u64::from(wanted.count_ones()));
            }
            let mut cursor = one.cursor();
            for window in [window, (window.0 / 2, window.1), window, (window.1, window.0)] {
                prop_assert_eq!(cursor.length_in(window), one.length_in(window));
                prop_assert_eq!(cursor.contains(window.1), one.contains(window.1));
            }
            prop_assert_eq!(one.length_in(window), u64::from((one_bits & window_bits).count_ones()));
            prop_assert_eq!(one.length_with(&two, window), u64::from((one_bits & two_bits & window_bits).count_ones()));
            prop_assert_eq!(one.length_with(&two, ALL), u64::from((one_bits & two_bits).count_ones()));
        }
    }

    #[test]
    fn touching_intervals_are_merged() {
        assert_eq!(Merged::new(vec![(5, 7), (0, 5), (9, 9), (8, 3)]).intervals(), [(0, 7)]);
        let whole = Merged::new(vec![(0, u64::MAX)]);
        assert_eq!((whole.length_in(ALL), whole.length_in((3, 4)), whole.length_in((4, 3))), (u64::MAX, 1, 0));
    }
}
