//! A line's events as columns: when, how long, which op; and the same on the device's own clock where all of them say so.
//!
//! Columns are [narrow](Column), so an event takes some 17 bytes, not the 36 of its numbers. Times on the device's clock stand as
//! differences to the event's own: two clocks of one machine drift apart by nanoseconds while a block of events passes, so two
//! bytes hold what would take six. This module knows places and times; not what an op is.

use super::column::Column;
use super::ids::OpId;

/// Events in file order. Times are picoseconds; nothing is rounded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Events {
    start: Column,
    duration: Column,
    op: Column,
    /// Start and duration on the device's clock, less those on the event clock, modulo 2⁶⁴.
    device: Option<[Column; 2]>,
    /// Some of them have a time on the device's clock and some do not: two clocks in one line would be hundreds of
    /// milliseconds apart, so none has.
    is_mixed: bool,
}

impl Events {
    /// How many.
    pub const fn len(&self) -> usize {
        self.op.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.op.is_empty()
    }

    /// Start and duration on the event clock: picoseconds after the line's timestamp, and picoseconds.
    pub fn times(&self) -> impl ExactSizeIterator<Item = (u64, u64)> {
        self.start.iter().zip(&self.duration)
    }

    /// The same of one event.
    ///
    /// # Panics
    /// Where there is no such event, as slices do; likewise below.
    pub fn time(&self, event: usize) -> (u64, u64) {
        (self.start.get(event), self.duration.get(event))
    }

    /// Whether every event has a time on the device's own clock. A line without events has none.
    pub const fn has_device_clock(&self) -> bool {
        self.device.is_some()
    }

    /// Start and duration on the device's own clock, picoseconds (the line's timestamp plays no part).
    pub fn device_times(&self) -> Option<impl ExactSizeIterator<Item = (u64, u64)>> {
        let [start, duration] = self.device.as_ref()?;
        let differences = start.iter().zip(duration);
        Some(self.times().zip(differences).map(|(time, more)| moved(time, more)))
    }

    /// The same of one event.
    pub fn device_time(&self, event: usize) -> Option<(u64, u64)> {
        let [start, duration] = self.device.as_ref()?;
        Some(moved(self.time(event), (start.get(event), duration.get(event))))
    }

    /// Which ops, in order.
    pub fn ops(&self) -> impl ExactSizeIterator<Item = OpId> {
        self.op.iter().map(op)
    }

    /// Which op.
    #[inline]
    pub fn op(&self, event: usize) -> OpId {
        op(self.op.get(event))
    }

    /// Bytes that they take in memory.
    pub fn bytes(&self) -> usize {
        let own = [&self.start, &self.duration, &self.op];
        own.into_iter().chain(self.device.iter().flatten()).map(Column::bytes).sum()
    }

    /// Adds an event: start and duration on the event clock, and both on the device's own, where it says both.
    #[inline]
    pub(super) fn push(&mut self, op: OpId, time: (u64, u64), device: Option<(u64, u64)>) {
        match (device, &mut self.device) {
            (Some(at), Some([start, duration])) => {
                start.push(at.0.wrapping_sub(time.0));
                duration.push(at.1.wrapping_sub(time.1));
            }
            (None, None) => {}
            (Some(at), None) if self.op.is_empty() => {
                let differences = [at.0.wrapping_sub(time.0), at.1.wrapping_sub(time.1)];
                self.device = Some(differences.map(|first| std::iter::once(first).collect()));
            }
            _ => (self.device, self.is_mixed) = (None, true),
        }
        self.start.push(time.0);
        self.duration.push(time.1);
        self.op.push(op.0.into());
    }

    /// Says of which op an event is after all.
    pub(super) fn set_op(&mut self, event: usize, op: OpId) {
        self.op.set(event, op.0.into());
    }

    /// Says how long an event lasts on the event clock.
    pub(super) fn set_duration(&mut self, event: usize, duration: u64) {
        if let Some([_, more]) = &mut self.device {
            let own = self.duration.get(event).wrapping_add(more.get(event));
            more.set(event, own.wrapping_sub(duration));
        }
        self.duration.set(event, duration);
    }

    /// All events are there. Says whether some have a time on the device's clock and some do not.
    pub(super) fn close(&mut self) -> bool {
        let own = [&mut self.start, &mut self.duration, &mut self.op];
        own.into_iter().chain(self.device.iter_mut().flatten()).for_each(Column::close);
        self.is_mixed
    }
}

/// What a column of ops holds.
#[inline]
const fn op(word: u64) -> OpId {
    // It came from an `OpId`.
    OpId(word as u32)
}

/// A time, by so much later and longer.
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
        ) {
            let mut known = all;
            let is_mixed = is_mixed && known.len() > 1;
            let odd_one = if known.is_empty() { 0 } else { odd_one.index(known.len()) };
            let mut events = Events::default();
            for (i, (op, time, device)) in known.iter().enumerate() {
                events.push(OpId(*op), *time, Some(*device).filter(|_| !is_mixed || i != odd_one));
            }
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
            // A microsecond or so each; the device's clock is half a second off and drifts by a millionth.
            let (start, duration) = (i * 1_000_000 + i % 7 * 1_250, 800_000 + i % 11 * 78_125);
            let device = (start + 500_000_000_000 + start / 1_000_000, duration + i % 3 * 78);
            events.push(OpId((i % 1_000) as u32), (start, duration), Some(device));
        }
        events.close();
        assert!(events.bytes() < 15 * 100_000, "{}", events.bytes());
    }
}
