//! The two clocks of a capture. A core counts ticks since it was started (`device_offset_ps`); the profiler maps that to
//! the host's time (`offset_ps`), in steps of its own, with an offset and a drift per device.

use super::machine::TICK_PS;

/// Of one device.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    offset_ps: u64,
    /// How many billionths it runs fast.
    drift: u64,
}

/// Steps of the host's time, 78.125 ps, as a fraction.
const STEP: (u64, u64) = (625, 8);

impl Clock {
    pub const fn of(device: usize) -> Self {
        Self { offset_ps: 14_617_000_000 + 37_000_000 * device as u64, drift: 1500 + 170 * device as u64 }
    }

    /// On the device's own clock, ps.
    pub const fn device(ticks: u64) -> u64 {
        ticks * TICK_PS
    }

    /// On the event clock, ps. What is earlier on the one clock is not later on the other.
    pub fn event(self, ticks: u64) -> u64 {
        let device = Self::device(ticks);
        let host = device + (u128::from(device) * u128::from(self.drift) / 1_000_000_000) as u64 + self.offset_ps;
        host * STEP.1 / STEP.0 * STEP.0 / STEP.1
    }
}
