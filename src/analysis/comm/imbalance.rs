//! This module holds the report of the differences between devices: step durations, waits for other devices, and
//! stragglers. It holds plain data and does not depend on the analysis. Times are in ps.

use serde::{Deserialize, Serialize};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// Differences between the devices of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceBalance {
    /// Number of steps that several devices have.
    pub n_steps: u32,
    /// The largest spread of a step over devices: (longest − shortest) ÷ mean duration, a fraction. A value above 0.05
    /// is bad. `None` without common steps.
    pub worst_spread: Option<f64>,
    /// Mean spread over the common steps.
    pub mean_spread: Option<f64>,
    /// Number of the step with the largest spread.
    pub worst_step: Option<u64>,
    /// The device with the longest duration of that step.
    pub slowest: Option<String>,
    /// The device on which the time of a step depends: the one that waits least for the others in collectives. Of the
    /// devices that wait at most 1 % of the window longer, this is the first. `None` if no device is compared, and in a
    /// report of version 1, which does not carry the waits.
    pub critical: Option<String>,
    /// Waits and late arrivals of each device. The device with the shortest waits comes first, because the others wait
    /// for it the most.
    pub devices: Vec<Arrival>,
    /// Arrival skew of each collective, the largest total first. At most [`DeviceBalance::MAX_COLLECTIVES`].
    pub collectives: Vec<ArrivalSpread>,
    /// Number of collectives that are not compared, because their groups are unknown or the numbers of their executions
    /// differ between devices.
    pub n_unmatched: u32,
}

/// A device for which the other devices wait.
#[derive(Clone, Debug, PartialEq)]
pub struct Straggler<'a> {
    pub arrival: &'a Arrival,
    /// The median of the other devices' waits minus the wait of this device, in ps. The others would save this time.
    pub delay: Picos,
    /// `delay` ÷ the window of one device, a fraction.
    pub share: f64,
}

impl DeviceBalance {
    /// Largest number of collectives in the report.
    pub const MAX_COLLECTIVES: usize = 100;
    /// Smallest share of the window by which the waits of devices must differ before a straggler is named.
    pub const STRAGGLER: f64 = 0.01;

    /// Returns the device for which the others wait: the device with the shortest waits, if the median of the other
    /// devices' waits is longer by more than [`DeviceBalance::STRAGGLER`] of `window`. `window` is the window of one
    /// device.
    pub fn straggler(&self, window: Option<Picos>) -> Option<Straggler<'_>> {
        let (delay, share) = self.largest_wait(window)?;
        let arrival = self.devices.first()?;
        (share > Self::STRAGGLER).then_some(Straggler { arrival, delay, share })
    }

    /// Returns the median of the other devices' waits minus the shortest wait, in ps and as a fraction of `window`, the
    /// window of one device. `None` if fewer than two devices are compared, or if the waits or the window are unknown.
    pub fn largest_wait(&self, window: Option<Picos>) -> Option<(Picos, f64)> {
        let (first, others) = self.devices.split_first()?;
        let mut waits = others.iter().map(|other| other.waited).collect::<Option<Vec<Picos>>>()?;
        waits.small_sort_by_key(|wait| *wait);
        let median = *waits.get(waits.len().saturating_sub(1) / 2)?;
        let delay = median.saturating_sub(first.waited?);
        Some((delay, delay.fraction_of(window?)?))
    }
}

/// The waits of a device, and its late arrivals. A collective ends for all devices of a group at the same time, so the
/// device with the shortest execution arrived last. Only durations are compared, never the clocks of two devices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrival {
    pub device: String,
    /// Executions at which the device arrived after all others of its group.
    pub n_last: u64,
    /// Executions compared, without permutes.
    pub n: u64,
    /// Σ delay after the last but one device, over the executions at which this device arrived last, in ps. The others
    /// would have saved this time.
    pub late: Picos,
    /// Σ (time for which the core waits for a collective − the least such time in its group), in ps. The core waits for
    /// the whole execution of a synchronous collective, and for the done of an asynchronous one. The time in flight is
    /// no wait, because compute may overlap it. `None` in a report of version 1, which does not carry the waits.
    pub waited: Option<Picos>,
}

/// The arrival skew of one collective.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrivalSpread {
    pub op: String,
    pub program_id: Option<u64>,
    /// Executions compared.
    pub n: u64,
    pub n_devices: u32,
    /// Σ (longest − shortest duration of an execution), in ps: the time for which the first device waits for the last
    /// one.
    pub total: Picos,
    /// The largest such difference of one execution, in ps.
    pub max: Picos,
    /// The device that arrives last most often, the first one of several. `None` if no device ever arrives last
    /// alone, and for permutes.
    pub straggler: Option<String>,
    /// Number of executions at which the straggler arrived last.
    pub n_last: u64,
}
