//! This module places the events of a line in lanes.

use super::lane::LaneBuilder;
use super::{Lanes, MAX_LANES};
use crate::profile::Events;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The longest time, in ps, by which a successor may start before its predecessor ends and still be in the same lane.
/// Profilers round times, so that ops that follow each other overlap by up to a nanosecond.
const ROUNDING: u64 = 1000;

impl Lanes {
    /// Places the events of a line in lanes: each in the first lane that is free at its start, in order of their starts, and
    /// of several events with the same start the longest first. `is_serial` is true for lines whose events follow each other
    /// or are nested: there a successor may overlap its predecessor by a nanosecond, because times are rounded. `classes` has
    /// the class of each op, by its id; the class of an op beyond its end is the last one.
    pub fn new(events: &Events, is_serial: bool, classes: &[u8]) -> Self {
        let mut placing = Placing { tolerance: if is_serial { ROUNDING } else { 0 }, ..Placing::default() };
        let class = |op: usize| classes.get(op).copied().unwrap_or(u8::MAX);
        let key = |(start, duration): (u64, u64)| (start, Reverse(duration));
        if events.times().is_sorted_by_key(key) {
            for (event, (time, op)) in events.times().zip(events.ops()).enumerate() {
                placing.add(event, time, class(op.0 as usize));
            }
        } else {
            let times: Vec<(u64, u64)> = events.times().collect();
            let mut order: Vec<u32> = (0..times.len() as u32).collect();
            order.sort_by_key(|event| times.get(*event as usize).map(|time| key(*time)));
            for event in order.into_iter().map(|event| event as usize) {
                placing.add(event, events.time(event), class(events.op(event).0 as usize));
            }
        }
        placing.finish()
    }
}

#[derive(Default)]
struct Placing {
    tolerance: u64,
    lanes: Vec<LaneBuilder>,
    /// End of the last event of each lane.
    ends: Vec<u64>,
    rest: Option<LaneBuilder>,
    /// Ends of the events in `rest` that have not ended yet, the earliest first.
    open: BinaryHeap<Reverse<u64>>,
    depth: usize,
}

impl Placing {
    #[inline]
    fn add(&mut self, event: usize, (start, duration): (u64, u64), class: u8) {
        let end = start.saturating_add(duration);
        // An event that ends no later than its predecessor is nested in it, however late it starts.
        let is_free = |busy_until: &u64| {
            *busy_until <= start || (*busy_until <= start.saturating_add(self.tolerance) && *busy_until < end)
        };
        let free = self.ends.iter().position(is_free).or_else(|| {
            let is_room = self.lanes.len() < MAX_LANES;
            is_room.then(|| {
                self.lanes.push(LaneBuilder::default());
                self.ends.push(0);
                self.lanes.len() - 1
            })
        });
        let lane = match free.and_then(|lane| Some((lane, self.ends.get_mut(lane)?))) {
            Some((lane, busy_until)) => {
                *busy_until = end;
                self.depth = self.depth.max(lane + 1);
                self.lanes.get_mut(lane)
            }
            None => {
                while self.open.peek().is_some_and(|Reverse(end)| *end <= start) {
                    self.open.pop();
                }
                self.open.push(Reverse(end));
                self.depth = self.depth.max(self.lanes.len() + self.open.len());
                Some(self.rest.get_or_insert_default())
            }
        };
        if let Some(lane) = lane {
            lane.push(event, duration, class);
        }
    }

    fn finish(self) -> Lanes {
        let lanes = self.lanes.into_iter().map(LaneBuilder::finish).collect();
        Lanes { lanes, rest: self.rest.map(LaneBuilder::finish), depth: self.depth }
    }
}
