//! This module simulates the two clocks of a capture. A core counts ticks since its start (`device_offset_ps`). The
//! profiler converts ticks to the host's time (`offset_ps`), in steps of 78.125 ps, with an offset and a drift per
//! device.

use super::machine::TICK_PS;

/// The clock of one device.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    offset_ps: u64,
    /// Drift between the clocks: the billionths by which the host's time runs faster than the device's.
    drift: u64,
}

/// The step of the host's time, 78.125 ps, as a fraction.
const STEP: (u64, u64) = (625, 8);

impl Clock {
    /// Returns the clock of device number `device`.
    pub const fn for_device(device: usize) -> Self {
        Self { offset_ps: 14_617_000_000 + 37_000_000 * device as u64, drift: 1500 + 170 * device as u64 }
    }

    /// Converts ticks to a time on the device's own clock, in ps.
    pub const fn device(ticks: u64) -> u64 {
        ticks * TICK_PS
    }

    /// Converts ticks to a time on the event clock, in ps. The conversion keeps the order of times.
    pub fn event(self, ticks: u64) -> u64 {
        let device = Self::device(ticks);
        let host = device + (u128::from(device) * u128::from(self.drift) / 1_000_000_000) as u64 + self.offset_ps;
        host * STEP.1 / STEP.0 * STEP.0 / STEP.1
    }
}
