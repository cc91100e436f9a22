//! This module computes self time: the event that owns each instant of a line.
//!
//! ```text
//!  while      ├──────────────────────────┤      Each instant belongs to the event that started last
//!   fusion.1     ├──────┤                       among those that cover it (same start: the shorter,
//!   fusion.2            ├─────────┤             then the later in the file).
//!  owner      wwwffffffff222222222wwwwwww
//! ```
//!
//! For nested events this is the ordinary self time (duration − children). For all other events, such as neighbours
//! that overlap by a picosecond, it is still exact: **Σ self = length of the union**, always. Events are never cut or
//! dropped. This module depends on intervals only.

use super::Interval;
use std::cmp::Reverse;

/// Calls `on_self_time(index, from, to)` for each stretch of time that belongs to an event, in order of time. Stretches
/// do not overlap and are not empty. Takes Θ(n) if events are sorted by start, the longer first, and Θ(n log n)
/// otherwise.
pub fn self_time(events: &[Interval], mut on_self_time: impl FnMut(usize, u64, u64)) {
    sweep(events, &mut on_self_time);
}

/// Does the work of [`self_time`]. It is not generic, so that it is compiled once.
fn sweep(events: &[Interval], on_self_time: &mut dyn FnMut(usize, u64, u64)) {
    // Later in this order means higher priority, so the owner is always on top of the stack.
    let in_order = events.windows(2).all(|pair| order(pair[0]) <= order(pair[1]));
    let mut stack: Vec<u32> = Vec::new();
    let mut now = 0;
    let mut push = |i: u32, stack: &mut Vec<u32>| {
        let (start, end) = events[i as usize];
        if end > start {
            advance(events, stack, &mut now, start, on_self_time);
            stack.push(i);
        }
    };
    if in_order {
        (0..events.len() as u32).for_each(|i| push(i, &mut stack));
    } else {
        sorted_indices(events).into_iter().for_each(|i| push(i as u32, &mut stack));
    }
    advance(events, &mut stack, &mut now, u64::MAX, on_self_time);
}

/// The order of events by start, the longer first.
fn order((start, end): Interval) -> impl Ord {
    (start, Reverse(end))
}

/// Returns the indices of the events in their order. Equal events keep the order of the file.
fn sorted_indices(events: &[Interval]) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..events.len()).collect();
    indices.sort_by_key(|i| order(events[*i]));
    indices
}

/// Assigns the time from `now` to `to` to its owners, and removes events that end by `to`.
fn advance(
    events: &[Interval],
    stack: &mut Vec<u32>,
    now: &mut u64,
    to: u64,
    on_self_time: &mut dyn FnMut(usize, u64, u64),
) {
    while let Some(&top) = stack.last() {
        let (start, end) = events[top as usize];
        let from = (*now).max(start);
        let until = end.min(to);
        if until > from {
            on_self_time(top as usize, from, until);
            *now = until;
        }
        if end > to {
            break;
        }
        stack.pop();
    }
    *now = to;
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn self_times(events: &[Interval]) -> Vec<u64> {
        let mut out = vec![0; events.len()];
        self_time(events, |i, from, to| out[i] += to - from);
        out
    }

    #[test]
    fn hand_computed() {
        assert_eq!(self_times(&[(0, 100), (10, 30), (30, 60)]), [50, 20, 30], "container and children");
        assert_eq!(self_times(&[(0, 10), (9, 20)]), [9, 11], "neighbours that overlap by one");
        assert_eq!(self_times(&[(0, 10), (0, 10)]), [0, 10], "equal: the later in the file");
        assert_eq!(self_times(&[(0, 5), (0, 10)]), [5, 5], "same start: the shorter");
        assert_eq!(self_times(&[(0, 10), (5, 5), (3, 4)]), [9, 0, 1], "zero length, out of order");
        assert_eq!(self_times(&[(0, 10), (2, 4), (3, 20)]), [2, 1, 17], "not nested at all");
        assert_eq!(self_times(&[]), [0; 0]);
    }

    /// Applies the rule to each instant.
    fn brute(events: &[Interval]) -> Vec<u64> {
        let mut out = vec![0; events.len()];
        for t in 0..64 {
            let covering = events.iter().enumerate().filter(|(_, e)| e.0 <= t && t < e.1);
            if let Some((i, _)) = covering.max_by_key(|(i, e)| (e.0, std::cmp::Reverse(e.1), *i)) {
                out[i] += 1;
            }
        }
        out
    }

    proptest! {
        #[test]
        fn equals_the_rule_instant_by_instant(raw in prop::collection::vec((0u64..50, 0u64..14), 0..24)) {
            let events: Vec<Interval> = raw.iter().map(|(s, d)| (*s, s + d)).collect();
            let self_times = self_times(&events);
            prop_assert_eq!(&self_times, &brute(&events));
            let union = (0..64).filter(|t| events.iter().any(|e| e.0 <= *t && *t < e.1)).count() as u64;
            prop_assert_eq!(self_times.iter().sum::<u64>(), union);
        }

        #[test]
        fn stretches_are_in_order_and_disjoint(raw in prop::collection::vec((0u64..1000, 0u64..300), 0..60)) {
            let events: Vec<Interval> = raw.iter().map(|(s, d)| (*s, s + d)).collect();
            let mut last = 0;
            self_time(&events, |_, from, to| { assert!(last <= from && from < to); last = to; });
        }
    }
}
