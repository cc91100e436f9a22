//! This module stores the events of one lane: their indices in the line, and sums of their durations by class.

use super::{LineTimes, N_CLASSES};
use crate::profile::Column;

/// Number of events between two sums. A column of a picture reads fewer events one by one.
pub(super) const BLOCK: usize = 64;

/// Events of a line in order of their start.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    /// Index of each event in the line minus its position in the lane, modulo 2⁶⁴. The differences change slowly, so they
    /// take about a byte.
    events: Column,
    /// For each class that occurs: the sum of the durations of its events before each block, in ps.
    sums: Vec<(u8, Column)>,
}

impl Lane {
    /// Returns the number of events.
    pub const fn len(&self) -> usize {
        self.events.len()
    }

    /// Returns whether the lane has no events.
    pub const fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Returns the index in the line of the event at a position of the lane.
    ///
    /// # Panics
    /// Panics if `position` is not below the number of events.
    #[inline]
    pub fn event(&self, position: usize) -> usize {
        self.events.get(position).wrapping_add(position as u64) as usize
    }

    /// Returns start and end of the event at a position, in ps on the axis.
    #[inline]
    pub(super) fn time(&self, times: LineTimes<'_>, position: usize) -> (u64, u64) {
        times.time(self.event(position))
    }

    /// Returns the bytes that the lane takes in memory.
    pub fn bytes(&self) -> usize {
        self.events.bytes() + self.sums.iter().map(|(_, sums)| sums.bytes()).sum::<usize>()
    }

    /// Returns the first position whose event ends after `time`, or starts there. The ends of the lane must ascend.
    pub(super) fn first_after(&self, times: LineTimes<'_>, time: u64) -> usize {
        self.partition_point(0, self.len(), |position| {
            let (start, end) = self.time(times, position);
            end <= time && start < time
        })
    }

    /// Returns the first position whose event starts at or after `time`; the number of events if there is none.
    pub fn first_from(&self, times: LineTimes<'_>, time: u64) -> usize {
        self.partition_point(0, self.len(), |position| self.time(times, position).0 < time)
    }

    /// Returns the position of an event that starts at `start`. `None` if the event is in another lane.
    pub fn position_of(&self, times: LineTimes<'_>, event: usize, start: u64) -> Option<usize> {
        let from = self.first_from(times, start);
        let at_start = (from..self.len()).take_while(|position| self.time(times, *position).0 == start);
        at_start.into_iter().find(|position| self.event(*position) == event)
    }

    /// Returns the first position in `from..to` for which `is_before` is false. It must be true for all positions before
    /// that one.
    pub(super) fn partition_point(&self, from: usize, to: usize, is_before: impl Fn(usize) -> bool) -> usize {
        let (mut low, mut high) = (from, to);
        while low < high {
            let middle = low + (high - low) / 2;
            if is_before(middle) { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Adds the durations of the events of the blocks `from..to` to `busy`, by class.
    pub(super) fn add_blocks(&self, from: usize, to: usize, busy: &mut [u64; N_CLASSES]) {
        for (class, sums) in &self.sums {
            if let Some(busy) = busy.get_mut(usize::from(*class)) {
                *busy = busy.saturating_add(sums.get(to).saturating_sub(sums.get(from)));
            }
        }
    }

    /// Returns the event at `time`, or the nearest one at most `tolerance` away. The ends of the lane must ascend.
    pub(super) fn event_at(&self, times: LineTimes<'_>, time: u64, tolerance: u64) -> Option<usize> {
        let after = self.first_after(times, time);
        let distance = |position: &usize| {
            let (start, end) = self.time(times, *position);
            start.saturating_sub(time).max(time.saturating_sub(end))
        };
        let near = [after.checked_sub(1), Some(after)].into_iter().flatten().filter(|position| *position < self.len());
        let nearest = near.min_by_key(|position| (distance(position), std::cmp::Reverse(*position)))?;
        (distance(&nearest) <= tolerance).then(|| self.event(nearest))
    }
}

/// A lane that is being filled.
#[derive(Default)]
pub(super) struct LaneBuilder {
    events: Column,
    /// The sum of all durations so far, by class.
    total: [u64; N_CLASSES],
    sums: Vec<(u8, Column)>,
}

impl LaneBuilder {
    /// Adds an event with its index in the line, its duration in ps and its class.
    #[inline]
    pub(super) fn push(&mut self, event: usize, duration: u64, class: u8) {
        let position = self.events.len();
        if position.is_multiple_of(BLOCK) {
            self.add_sums();
        }
        let class = class.min(N_CLASSES as u8 - 1);
        if self.total.get(usize::from(class)) == Some(&0) {
            self.add_class(class, position / BLOCK);
        }
        if let Some(total) = self.total.get_mut(usize::from(class)) {
            *total = total.saturating_add(duration);
        }
        self.events.push((event as u64).wrapping_sub(position as u64));
    }

    /// Adds a class whose sum is 0 before block `n` and before all blocks before it.
    #[cold]
    fn add_class(&mut self, class: u8, n: usize) {
        if self.sums.iter().all(|(known, _)| *known != class) {
            self.sums.push((class, std::iter::repeat_n(0, n + 1).collect()));
        }
    }

    fn add_sums(&mut self) {
        for (class, sums) in &mut self.sums {
            sums.push(self.total.get(usize::from(*class)).copied().unwrap_or(0));
        }
    }

    pub(super) fn finish(mut self) -> Lane {
        self.add_sums();
        self.events.close();
        self.sums.iter_mut().for_each(|(_, sums)| sums.close());
        Lane { events: self.events, sums: self.sums }
    }
}
