//! This module stores the events of a line in columns: start, duration and op. If all events of the line have times on
//! the device clock, these times are stored too.
//!
//! A [`Column`] packs its numbers, so an event takes some 17 bytes instead of 36. Times on the device clock are stored
//! as differences from the times on the clock of events. Two clocks of one machine drift by nanoseconds during a block
//! of events, so a difference takes two bytes instead of six.

use super::column::Column;
use super::ids::OpId;
use serde::{Deserialize, Serialize};

/// The events of a line, in the order of the file. Times are exact, in ps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Events {
    start: Column,
    duration: Column,
    op: Column,
    /// Start and duration on the device clock minus those on the clock of events, modulo 2⁶⁴.
    device: Option<[Column; 2]>,
    /// Only some events have times on the device clock. These times are dropped, because the two clocks may differ by
    /// hundreds of milliseconds.
    is_mixed: bool,
}

impl Events {
    /// Returns the number of events.
    pub const fn len(&self) -> usize {
        self.op.len()
    }

    /// Returns whether there are no events.
    pub const fn is_empty(&self) -> bool {
        self.op.is_empty()
    }

    /// Iterates over start and duration of all events on the clock of events. The start is in ps after the timestamp of
    /// the line, the duration in ps.
    pub fn times(&self) -> impl ExactSizeIterator<Item = (u64, u64)> {
        self.start.iter().zip(&self.duration)
    }

    /// Returns start and duration of one event, as in [`Events::times`].
    ///
    /// # Panics
    /// Panics if `event` is not below the number of events, like the other functions with an index.
    pub fn time(&self, event: usize) -> (u64, u64) {
        (self.start.get(event), self.duration.get(event))
    }

    /// Returns whether every event has times on the device clock. For a line without events, the result is `false`.
    pub const fn has_device_clock(&self) -> bool {
        self.device.is_some()
    }

    /// Iterates over start and duration of all events on the device clock, in ps. The timestamp of the line does not
    /// count. Returns `None` if the line does not have these times.
    pub fn device_times(&self) -> Option<impl ExactSizeIterator<Item = (u64, u64)>> {
        let [start, duration] = self.device.as_ref()?;
        let differences = start.iter().zip(duration);
        Some(self.times().zip(differences).map(|(time, more)| moved(time, more)))
    }

    /// Returns start and duration of one event, as in [`Events::device_times`].
    pub fn device_time(&self, event: usize) -> Option<(u64, u64)> {
        let [start, duration] = self.device.as_ref()?;
        Some(moved(self.time(event), (start.get(event), duration.get(event))))
    }

    /// Returns all events on the clock of events as intervals `[start, end)` in ps, with `base` added to each start. `None`
    /// if a start exceeds 64 bits; an end that does becomes `u64::MAX`.
    pub fn intervals(&self, base: u64) -> Option<Vec<(u64, u64)>> {
        let mut all = Vec::new();
        self.add_intervals(base, &mut all).then_some(all)
    }

    /// Returns all events on the device clock, as [`Events::intervals`] does without a base. `None` if the line does not have
    /// these times.
    pub fn device_intervals(&self) -> Option<Vec<(u64, u64)>> {
        let mut all = Vec::new();
        self.add_device_intervals(&mut all).then_some(all)
    }

    /// Adds the intervals of [`Events::intervals`] to `all`. Returns `false` if a start exceeds 64 bits.
    pub fn add_intervals(&self, base: u64, all: &mut Vec<(u64, u64)>) -> bool {
        add_intervals(self.times(), base, all)
    }

    /// Adds the intervals of [`Events::device_intervals`] to `all`. Returns `false` if the line does not have these times.
    pub fn add_device_intervals(&self, all: &mut Vec<(u64, u64)>) -> bool {
        self.device_times().is_some_and(|times| add_intervals(times, 0, all))
    }

    /// Iterates over the ops of all events.
    pub fn ops(&self) -> impl ExactSizeIterator<Item = OpId> {
        self.op.iter().map(as_op)
    }

    /// Returns the op of an event.
    #[inline]
    pub fn op(&self, event: usize) -> OpId {
        as_op(self.op.get(event))
    }

    /// Returns the bytes that the events take in memory.
    pub fn bytes(&self) -> usize {
        let own = [&self.start, &self.duration, &self.op];
        own.into_iter().chain(self.device.iter().flatten()).map(Column::bytes).sum()
    }

    /// Adds an event with start and duration on the clock of events, and with both on the device clock if the event has
    /// them.
    #[inline]
    pub(crate) fn push(&mut self, op: OpId, time: (u64, u64), device: Option<(u64, u64)>) {
        match (device, &mut self.device) {
            (Some(times), Some([start, duration])) => {
                start.push(times.0.wrapping_sub(time.0));
                duration.push(times.1.wrapping_sub(time.1));
            }
            (None, None) => {}
            (Some(times), None) if self.op.is_empty() => {
                let differences = [times.0.wrapping_sub(time.0), times.1.wrapping_sub(time.1)];
                self.device = Some(differences.map(|first| std::iter::once(first).collect()));
            }
            _ => (self.device, self.is_mixed) = (None, true),
        }
        self.start.push(time.0);
        self.duration.push(time.1);
        self.op.push(op.0.into());
    }

    /// Adds the events of a later part of the line, and closes the columns. `new_ops` has the new op for each op of the part;
    /// `None` if all ops keep their ids.
    pub(super) fn append(&mut self, other: Self, new_ops: Option<&[OpId]>) {
        let Self { start, duration, op: ops, device, is_mixed } = other;
        let is_first = self.is_empty();
        if ops.is_empty() {
            return;
        }
        self.is_mixed |= is_mixed;
        match (&mut self.device, device) {
            (Some([own_start, own_duration]), Some([start, duration])) => {
                own_start.append(start);
                own_duration.append(duration);
            }
            (None, None) => {}
            (None, device) if is_first => self.device = device,
            _ => (self.device, self.is_mixed) = (None, true),
        }
        self.start.append(start);
        self.duration.append(duration);
        let new_op =
            |new_ops: &[OpId], number: u64| new_ops.get(as_op(number).0 as usize).map_or(number, |op| op.0.into());
        self.op.append(match new_ops {
            Some(new_ops) => ops.iter().map(|number| new_op(new_ops, number)).collect(),
            None => ops,
        });
        self.close();
    }

    /// Returns whether only some events had times on the device clock.
    pub(super) const fn is_mixed(&self) -> bool {
        self.is_mixed
    }

    /// Replaces the op of an event.
    pub fn set_op(&mut self, event: usize, op: OpId) {
        self.op.set(event, op.0.into());
    }

    /// Replaces the duration of an event on the clock of events. The duration on the device clock does not change.
    pub(super) fn set_duration(&mut self, event: usize, duration: u64) {
        if let Some([_, more]) = &mut self.device {
            let own = self.duration.get(event).wrapping_add(more.get(event));
            more.set(event, own.wrapping_sub(duration));
        }
        self.duration.set(event, duration);
    }

    /// Packs the columns after the last event. Returns whether only some events had times on the device clock.
    pub(crate) fn close(&mut self) -> bool {
        let own = [&mut self.start, &mut self.duration, &mut self.op];
        own.into_iter().chain(self.device.iter_mut().flatten()).for_each(Column::close);
        self.is_mixed
    }
}

/// Converts a number of the column of ops.
#[inline]
const fn as_op(word: u64) -> OpId {
    // The number came from an `OpId`, so it fits 32 bits.
    OpId(word as u32)
}

/// Converts starts and durations to intervals, and adds them to `all`. Returns `false` if a start exceeds 64 bits.
fn add_intervals(times: impl ExactSizeIterator<Item = (u64, u64)>, base: u64, all: &mut Vec<(u64, u64)>) -> bool {
    all.reserve_exact(times.len());
    for (start, duration) in times {
        let Some(start) = start.checked_add(base) else { return false };
        all.push((start, start.saturating_add(duration)));
    }
    true
}

/// Adds the differences `more` to start and duration.
#[inline]
const fn moved((start, duration): (u64, u64), more: (u64, u64)) -> (u64, u64) {
    (start.wrapping_add(more.0), duration.wrapping_add(more.1))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn times_come_back_as_they_were(
            all in prop::collection::vec((any::<u32>(), any::<(u64, u64)>(), any::<(u64, u64)>()), 0..600),
            odd_one in any::<prop::sample::Index>(),
            lengths in prop::collection::vec((any::<prop::sample::Index>(), any::<u64>()), 0..9),
            is_mixed in any::<bool>(),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut known = all;
            let is_mixed = is_mixed && known.len() > 1;
            let odd_one = if known.is_empty() { 0 } else { odd_one.index(known.len()) };
            let read = |range: std::ops::Range<usize>| {
                let mut events = Events::default();
                for i in range {
                    let (op, time, device) = known[i];
                    events.push(OpId(op), time, Some(device).filter(|_| !is_mixed || i != odd_one));
                }
                events
            };
            let mut events = read(0..known.len());
            let closed = |mut events: Events| {
                events.close();
                events
            };
            let cut = cut.index(known.len() + 1);
            let mut joined = closed(read(0..cut));
            joined.append(closed(read(cut..known.len())), None);
            prop_assert_eq!(&joined, &closed(events.clone()), "in two parts");
            for (event, length) in if known.is_empty() { Vec::new() } else { lengths } {
                let event = event.index(known.len());
                events.set_duration(event, length);
                known[event].1.1 = length;
            }
            prop_assert_eq!(events.close(), is_mixed);
            prop_assert_eq!(events.has_device_clock(), !is_mixed && !known.is_empty());
            prop_assert!(events.ops().eq(known.iter().map(|(op, ..)| OpId(*op))));
            prop_assert!(events.times().eq(known.iter().map(|(_, time, _)| *time)));
            if let Some(times) = events.device_times() {
                prop_assert!(times.eq(known.iter().map(|(.., device)| *device)));
            }
            for (i, (op, time, device)) in known.iter().enumerate() {
                prop_assert_eq!((events.op(i), events.time(i)), (OpId(*op), *time));
                prop_assert_eq!(events.device_time(i), Some(*device).filter(|_| !is_mixed));
            }
        }
    }

    #[test]
    fn events_as_profilers_write_them_are_narrow() {
        let mut events = Events::default();
        for i in 0..100_000_u64 {
            // Each event lasts about 1 µs. The device clock differs by half a second and drifts by a millionth.
            let (start, duration) = (i * 1_000_000 + i % 7 * 1_250, 800_000 + i % 11 * 78_125);
            let device = (start + 500_000_000_000 + start / 1_000_000, duration + i % 3 * 78);
            events.push(OpId((i % 1_000) as u32), (start, duration), Some(device));
        }
        events.close();
        assert!(events.bytes() < 15 * 100_000, "{}", events.bytes());
    }
}
