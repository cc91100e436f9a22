//! Filling a line's columns: one event after the other, and its time on the device's clock where it has one.

use super::model::{DeviceClock, Events, OpId};

/// Marks an event without a time on the device's clock, until the line is complete.
pub(super) const ABSENT: u64 = u64::MAX;

impl Events {
    /// Columns for `n` events, reserved exactly.
    pub(super) fn reserved(n: usize) -> Self {
        Self {
            start_ps: Vec::with_capacity(n),
            duration_ps: Vec::with_capacity(n),
            op: Vec::with_capacity(n),
            device: None,
        }
    }

    /// Adds an event: start and duration on the event clock, and both on the device's own, where it says both.
    #[inline]
    pub(super) fn push(&mut self, op: OpId, (start, duration): (u64, u64), device: Option<(u64, u64)>) {
        if device.is_some() && self.device.is_none() {
            let mut clock = DeviceClock {
                start_ps: Vec::with_capacity(self.op.capacity()),
                duration_ps: Vec::with_capacity(self.op.capacity()),
            };
            clock.start_ps.resize(self.op.len(), ABSENT);
            clock.duration_ps.resize(self.op.len(), ABSENT);
            self.device = Some(clock);
        }
        if let Some(clock) = &mut self.device {
            let (start, duration) = device.unwrap_or((ABSENT, ABSENT));
            clock.start_ps.push(start);
            clock.duration_ps.push(duration);
        }
        self.start_ps.push(start);
        self.duration_ps.push(duration);
        self.op.push(op);
    }

    /// All events are there: a device clock that some of them lack is let go. Says whether it was.
    pub(super) fn drop_mixed_clock(&mut self) -> bool {
        let is_mixed = self.device.as_ref().is_some_and(|clock| clock.start_ps.contains(&ABSENT));
        if is_mixed {
            self.device = None;
        }
        is_mixed
    }
}
