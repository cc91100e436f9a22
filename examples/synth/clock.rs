//! This module simulates the two clocks of a capture. A core counts ticks since its start (`device_offset_ps`). The
//! profiler converts ticks to the host's time (`offset_ps`), in steps of 78.125 ps, with an offset and a drift per host.
//! The conversions of the devices of a host differ by a small skew.

use super::machine::TICK_PS;

/// The clock of one device, or of a host.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    offset_ps: u64,
    /// Drift between the clocks: the billionths by which the host's time runs faster than the device's.
    drift: u64,
}

/// The step of the host's time, 78.125 ps, as a fraction.
const STEP: (u64, u64) = (625, 8);

impl Clock {
    /// Returns the clock of host number `host`. Each host is ahead of the one before by 37 µs and `host_skew_ps`.
    pub const fn for_host(host: usize, host_skew_ps: u64) -> Self {
        let offset_ps = 14_617_000_000 + (37_000_000 + host_skew_ps) * host as u64;
        Self { offset_ps, drift: 1500 + 170 * host as u64 }
    }

    /// Returns the clock of device number `device` of a host with this clock. The clocks of the devices differ by at most
    /// `skew_ps`.
    pub const fn for_device(clock: Self, device: usize, skew_ps: u64) -> Self {
        // The order of the devices is mixed, so that the skew does not look like a trend.
        Self { offset_ps: clock.offset_ps + skew_ps * (device as u64 * 3 % 8) / 7, ..clock }
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
