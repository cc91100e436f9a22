//! This module places the events of a line in lanes, in which no two events overlap, and draws any part of them at any
//! scale.
//!
//! ```text
//!  line      while ├──────────────────────────┤
//!            fusion   ├────┤   ├─┤├─┤├─┤
//!  lane 0    ├──────────────────────────┤          a nested event is in a lane below the event around it
//!  lane 1       ├────┤   ├─┤├─┤├─┤
//!  picture      box       cell: 3 starts, time by class
//! ```
//!
//! In a lane both starts and ends ascend, so that any time is found by a binary search. Sums over blocks of events give the time
//! in a column of the picture without reading each event. The cost of a picture depends on its width, not on the number of
//! events.

mod build;
mod lane;
mod overlaps;
mod picture;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

pub use lane::Lane;
pub use picture::{Cell, PicturePart, View};

use crate::profile::{Events, OpId};

/// Number of classes of events. The caller defines their meaning, such as the kind of time.
pub const N_CLASSES: usize = 8;

/// The largest number of lanes of a line. Events that do not fit are together in one more lane, where they may overlap.
pub const MAX_LANES: usize = 31;

/// The events of a line on a common axis of several lines.
#[derive(Clone, Copy)]
pub struct LineTimes<'a> {
    pub events: &'a Events,
    /// Added to the start of each event, modulo 2⁶⁴, in ps. The caller ensures that start and end of every event are at
    /// most [`i64::MAX`] on the axis.
    pub offset: u64,
}

impl LineTimes<'_> {
    /// Returns start and end of an event in ps on the axis.
    ///
    /// # Panics
    /// Panics if `event` is not below the number of events.
    #[inline]
    pub fn time(&self, event: usize) -> (u64, u64) {
        self.on_axis(self.events.time(event))
    }

    /// Iterates over start and end of all events in ps on the axis.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.events.times().map(|time| self.on_axis(time))
    }

    fn on_axis(&self, (start, duration): (u64, u64)) -> (u64, u64) {
        let start = start.wrapping_add(self.offset);
        (start, start.saturating_add(duration))
    }

    /// Returns the op of an event.
    ///
    /// # Panics
    /// Panics if `event` is not below the number of events.
    #[inline]
    pub fn op(&self, event: usize) -> OpId {
        self.events.op(event)
    }
}

/// The lanes of a line.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    /// The lanes in which no events overlap.
    lanes: Vec<Lane>,
    /// The events that did not fit, in order of their start. `None` if all events fit.
    rest: Option<Lane>,
    /// The greatest number of events at the same time, those of `rest` included.
    depth: usize,
}

impl Lanes {
    /// Returns the number of lanes, including the one of the events that do not fit.
    pub const fn len(&self) -> usize {
        self.lanes.len() + self.rest.is_some() as usize
    }

    /// Returns whether the line has no events.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of lanes that the line would need if their number had no limit.
    pub const fn depth(&self) -> usize {
        self.depth
    }

    /// Returns the number of events in the last lane that may overlap; 0 if no events overlap in any lane.
    pub fn n_overlapping(&self) -> usize {
        self.rest.as_ref().map_or(0, Lane::len)
    }

    /// Returns a lane, and whether its events may overlap. `None` if the line has fewer lanes.
    pub fn lane(&self, index: usize) -> Option<(&Lane, bool)> {
        match self.lanes.get(index) {
            Some(lane) => Some((lane, false)),
            None => self.rest.as_ref().filter(|_| index == self.lanes.len()).map(|lane| (lane, true)),
        }
    }

    /// Calls `each` with the parts of the picture of a lane, in order of time. The columns of a lane whose events may overlap
    /// hold sums over these events, which may exceed the column.
    pub fn draw(
        &self,
        index: usize,
        times: LineTimes<'_>,
        classes: &[u8],
        view: &View,
        each: &mut dyn FnMut(PicturePart),
    ) {
        match self.lane(index) {
            Some((lane, false)) => lane.draw(times, classes, view, each),
            Some((lane, true)) => lane.draw_overlapping(times, classes, view, each),
            None => {}
        }
    }

    /// Returns the event of a lane at a time, or the nearest one that is at most `tolerance` away. Of several events at this time,
    /// the one that starts last.
    pub fn event_at(&self, index: usize, times: LineTimes<'_>, time: u64, tolerance: u64) -> Option<usize> {
        match self.lane(index)? {
            (lane, false) => lane.event_at(times, time, tolerance),
            (lane, true) => lane.overlapping_event_at(times, time, tolerance),
        }
    }

    /// Returns the bytes that the lanes take in memory.
    pub fn bytes(&self) -> usize {
        self.lanes.iter().chain(&self.rest).map(Lane::bytes).sum()
    }
}
