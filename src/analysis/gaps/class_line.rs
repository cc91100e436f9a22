//! This module holds the classes of events over time: at each instant, the class of one of the events that run. Sums over
//! a window need no walk over the events in it.
//!
//! ```text
//!  events     ├──────── input ────────┤       ├── sync ──┤
//!                 ├ sync ┤        ├── recompile ──┤            an event within an earlier one has no part
//!  classes    ├──────── input ────────┤recompile──┤ sync ┤
//! ```

use super::report::GapClass;
use crate::analysis::base::Interval;

/// A part of a gap: its class and its time.
pub(super) type CausePart = (GapClass, Interval);

/// The time of each class in ps, in the order of [`GapClass::ALL`].
pub(super) type ClassTimes = [u64; GapClass::ALL.len()];

/// The classes of host events.
const CLASSES: [GapClass; 5] =
    [GapClass::Recompile, GapClass::Input, GapClass::Sync, GapClass::Defrag, GapClass::Requests];

/// The time of each class of host events in ps.
#[derive(Clone, Copy, Default)]
pub(super) struct HostTimes([u64; CLASSES.len()]);

impl HostTimes {
    /// Returns the time of one part.
    pub fn new((class, (start, end)): CausePart) -> Self {
        let mut times = Self::default();
        if let Some(index) = CLASSES.iter().position(|other| *other == class) {
            times.0[index] = end.saturating_sub(start);
        }
        times
    }

    /// Returns the time of all classes.
    pub fn total(self) -> u64 {
        self.0.iter().sum()
    }

    /// Iterates over the classes with their times.
    pub fn by_class(self) -> impl Iterator<Item = (GapClass, u64)> {
        CLASSES.into_iter().zip(self.0)
    }
}

impl std::ops::Add for HostTimes {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(time, other)| *time = time.saturating_add(other));
        self
    }
}

impl std::ops::Sub for HostTimes {
    type Output = Self;

    fn sub(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(time, other)| *time = time.saturating_sub(other));
        self
    }
}

/// Returns the parts of time in which events run, without overlaps. `events` are in order of their start, the longer
/// first. Of several events that run at an instant, the one that started first counts.
pub(super) fn without_overlaps(events: impl IntoIterator<Item = CausePart>) -> Vec<CausePart> {
    let mut parts = Vec::new();
    let mut now = 0;
    for (class, (start, end)) in events {
        if end > now.max(start) {
            parts.push((class, (start.max(now), end)));
            now = end;
        }
    }
    parts
}

/// Returns the pieces of parts without overlaps that lie in a window.
pub(super) fn within(parts: &[CausePart], (start, end): Interval) -> impl Iterator<Item = CausePart> {
    let first = parts.partition_point(|(_, time)| time.1 <= start);
    let inside = parts[first..].iter().take_while(move |(_, time)| time.0 < end);
    inside.map(move |(class, time)| (*class, (time.0.max(start), time.1.min(end))))
}

/// The classes of the events of a host thread over time.
pub(super) struct ClassLine {
    parts: Vec<CausePart>,
    /// For each part, the times of the parts before it.
    before: Vec<HostTimes>,
}

impl ClassLine {
    /// `events` are in order of their start, the longer first.
    pub fn new(events: impl IntoIterator<Item = CausePart>) -> Self {
        let parts = without_overlaps(events);
        let (mut sum, mut before) = (HostTimes::default(), Vec::with_capacity(parts.len()));
        for part in &parts {
            before.push(sum);
            sum = sum + HostTimes::new(*part);
        }
        Self { parts, before }
    }

    /// Returns the pieces of the parts in a window.
    pub fn within(&self, window: Interval) -> impl Iterator<Item = CausePart> {
        within(&self.parts, window)
    }

    /// Returns the time of each class in a window. Θ(log n).
    pub fn times(&self, (start, end): Interval) -> HostTimes {
        if start < end { self.until(end) - self.until(start) } else { HostTimes::default() }
    }

    fn until(&self, time: u64) -> HostTimes {
        let Some(last) = self.parts.partition_point(|(_, (start, _))| *start < time).checked_sub(1) else {
            return HostTimes::default();
        };
        let (class, (start, end)) = self.parts[last];
        self.before[last] + HostTimes::new((class, (start, end.min(time))))
    }
}

/// The time in which the events of two threads have a class: that of the second thread, which does not count then.
pub(super) struct Overlap {
    /// The parts of the thread with fewer parts, each with the times before it.
    parts: Vec<(CausePart, HostTimes)>,
    is_first_shorter: bool,
}

impl Overlap {
    pub fn new(first: &ClassLine, second: &ClassLine) -> Self {
        let is_first_shorter = first.parts.len() <= second.parts.len();
        let mut overlap = Self { parts: Vec::new(), is_first_shorter };
        let mut sum = HostTimes::default();
        for part in if is_first_shorter { &first.parts } else { &second.parts } {
            overlap.parts.push((*part, sum));
            sum = sum + overlap.in_part(first, second, *part);
        }
        overlap
    }

    /// Returns the time of each class in a window. `first` and `second` are those of [`Overlap::new`].
    pub fn times(&self, first: &ClassLine, second: &ClassLine, (start, end): Interval) -> HostTimes {
        let until = |time: u64| {
            let last = self.parts.partition_point(|((_, (start, _)), _)| *start < time).checked_sub(1);
            last.map_or(HostTimes::default(), |last| {
                let ((class, (start, end)), before) = self.parts[last];
                before + self.in_part(first, second, (class, (start, end.min(time))))
            })
        };
        if start < end { until(end) - until(start) } else { HostTimes::default() }
    }

    fn in_part(&self, first: &ClassLine, second: &ClassLine, (class, (start, end)): CausePart) -> HostTimes {
        if self.is_first_shorter {
            return second.times((start, end));
        }
        HostTimes::new((class, (0, first.times((start, end)).total())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the class of an instant by a walk over all events.
    fn class_at(events: &[CausePart], time: u64) -> Option<GapClass> {
        let mut now = 0;
        for (class, (start, end)) in events {
            if *end > now.max(*start) {
                if now.max(*start) <= time && time < *end {
                    return Some(*class);
                }
                now = *end;
            }
        }
        None
    }

    fn lines() -> [Vec<CausePart>; 2] {
        let (input, sync, defrag) = (GapClass::Input, GapClass::Sync, GapClass::Defrag);
        [
            vec![
                (input, (0, 9)),
                (sync, (2, 5)),
                (defrag, (8, 12)),
                (sync, (12, 12)),
                (input, (20, 25)),
                (sync, (21, 40)),
            ],
            vec![(sync, (3, 4)), (defrag, (4, 11)), (input, (10, 30)), (sync, (33, 34)), (input, (36, 50))],
        ]
    }

    #[test]
    fn sums_of_a_window_are_those_of_its_instants() {
        let events = lines();
        for [a, b] in [[&events[0], &events[1]], [&events[1], &events[0]]] {
            let (first, second) = (ClassLine::new(a.clone()), ClassLine::new(b.clone()));
            let overlap = Overlap::new(&first, &second);
            for start in 0..55 {
                for end in start..55 {
                    let sum = |is: &dyn Fn(u64) -> Option<GapClass>, class| {
                        (start..end).filter(|time| is(*time) == Some(class)).count() as u64
                    };
                    let both = |time: u64| class_at(b, time).filter(|_| class_at(a, time).is_some());
                    for (class, time) in first.times((start, end)).by_class() {
                        assert_eq!(time, sum(&|time| class_at(a, time), class), "{class:?} {start} to {end}");
                    }
                    for (class, time) in overlap.times(&first, &second, (start, end)).by_class() {
                        assert_eq!(time, sum(&both, class), "both, {class:?} {start} to {end}");
                    }
                    let parts: u64 = first.within((start, end)).map(|(_, (from, to))| to - from).sum();
                    assert_eq!(parts, first.times((start, end)).total(), "{start} to {end}");
                }
            }
        }
    }
}
