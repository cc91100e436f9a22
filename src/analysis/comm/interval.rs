//! Algebra of times: lists of half-open intervals `[start, end)` in picoseconds. Knows numbers only.
//!
//! A *merged* list is in order, its intervals are not empty and do not touch. Only merged lists are intersected: what overlaps
//! itself would be counted twice.

use crate::analysis::sweep::Interval;

/// A merged list: see the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged(Vec<Interval>);

impl Merged {
    /// The union of any intervals. Θ(n) if they come in order, else Θ(n log n).
    pub fn new(mut intervals: Vec<Interval>) -> Self {
        if !intervals.is_sorted() {
            intervals.sort_unstable();
        }
        let mut merged: Vec<Interval> = Vec::new();
        for (start, end) in intervals.into_iter().filter(|(start, end)| start < end) {
            match merged.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        Self(merged)
    }

    /// Its intervals, in order.
    pub fn intervals(&self) -> &[Interval] {
        &self.0
    }

    /// Σ lengths.
    pub fn length(&self) -> u64 {
        self.0.iter().map(|(start, end)| end - start).sum()
    }

    /// The intervals that have something in a window, uncut.
    fn near(&self, window: Interval) -> &[Interval] {
        let from = self.0.partition_point(|(_, end)| *end <= window.0);
        let to = self.0.partition_point(|(start, _)| *start < window.1);
        self.0.get(from..to).unwrap_or_default()
    }

    /// What of it lies in a window.
    #[must_use]
    pub fn clipped(&self, window: Interval) -> Self {
        let cut = |(start, end): &Interval| ((*start).max(window.0), (*end).min(window.1));
        Self(self.near(window).iter().map(cut).filter(|(start, end)| start < end).collect())
    }

    /// Length of what lies in an interval.
    pub fn length_in(&self, window: Interval) -> u64 {
        let cut = |(start, end): &Interval| (*end).min(window.1).saturating_sub((*start).max(window.0));
        self.near(window).iter().map(cut).sum()
    }

    /// What is in both. Θ(n + m).
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut both = Vec::new();
        while let (Some(one), Some(two)) = (a.peek(), b.peek()) {
            let (start, end) = (one.0.max(two.0), one.1.min(two.1));
            if start < end {
                both.push((start, end));
            }
            if one.1 <= two.1 {
                a.next()
            } else {
                b.next()
            };
        }
        Self(both)
    }

    /// What is in this and not in the other. Θ(n + m).
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        let mut left = Vec::new();
        let mut holes = other.0.as_slice();
        for (start, end) in &self.0 {
            let mut from = *start;
            // A hole may reach into the next interval: it is looked at again there.
            holes = &holes[holes.partition_point(|(_, hole)| hole <= start)..];
            for (hole, until) in holes.iter().take_while(|(hole, _)| hole < end) {
                if from < *hole {
                    left.push((from, *hole));
                }
                from = (*until).max(from);
            }
            if from < *end {
                left.push((from, *end));
            }
        }
        Self(left)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Each moment a bit.
    fn bits(intervals: &[Interval]) -> u128 {
        intervals.iter().fold(0, |all, (start, end)| (*start..*end).fold(all, |all, at| all | 1 << at))
    }

    fn assert_merged(list: &Merged) {
        assert!(list.intervals().iter().all(|(start, end)| start < end));
        assert!(list.intervals().windows(2).all(|pair| pair[0].1 <= pair[1].0), "in order, apart");
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
            for (found, wanted) in [
                (one.clone(), one_bits),
                (Merged::new(all), one_bits | two_bits),
                (one.intersection(&two), one_bits & two_bits),
                (one.without(&two), one_bits & !two_bits),
                (one.clipped(window), one_bits & window_bits),
            ] {
                assert_merged(&found);
                prop_assert_eq!(bits(found.intervals()), wanted);
                prop_assert_eq!(found.length(), u64::from(wanted.count_ones()));
            }
            prop_assert_eq!(one.length_in(window), u64::from((one_bits & window_bits).count_ones()));
        }
    }

    #[test]
    fn what_touches_is_one() {
        assert_eq!(Merged::new(vec![(5, 7), (0, 5), (9, 9), (8, 3)]).intervals(), [(0, 7)]);
        let whole = Merged::new(vec![(0, u64::MAX)]);
        assert_eq!(whole.without(&Merged::new(vec![(3, 4)])).intervals(), [(0, 3), (4, u64::MAX)]);
    }
}
