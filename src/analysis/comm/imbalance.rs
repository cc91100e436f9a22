//! The report of devices that differ: lengths of steps, waits for peers, who is waited for. Plain data; knows nothing of how it was
//! found. Times are picoseconds.

use crate::small_sort::SmallSort;
use crate::units::Picos;
use serde::{Deserialize, Serialize};

/// How devices differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Balance {
    /// Steps that several devices have.
    pub n_steps: u32,
    /// The largest (longest − shortest) ÷ mean of a step, a fraction; above 0.05 is bad. `None` without common steps.
    pub worst_spread: Option<f64>,
    /// The mean of it.
    pub mean_spread: Option<f64>,
    /// In which step it is largest.
    pub worst_step: Option<u64>,
    /// The slowest device in that step.
    pub slowest: Option<String>,
    /// By device: how long it waits for the others. The one that waits least, and so is waited for most, comes first.
    pub devices: Vec<Arrival>,
    /// By collective: how far apart devices come to it, the largest spread first; [`Balance::MOST`] at most.
    pub collectives: Vec<ArrivalSpread>,
    /// Collectives that are not compared: their groups are not known, or their executions differ in number between devices.
    pub n_unmatched: u32,
}

/// A device that the others wait for.
#[derive(Clone, Debug, PartialEq)]
pub struct Straggler<'a> {
    /// Its arrivals.
    pub arrival: &'a Arrival,
    /// By how much the others wait longer for their peers than it does (the median of them): what they would save.
    pub delay: Picos,
    /// `delay` ÷ the window of a device, a fraction.
    pub share: f64,
}

impl Balance {
    /// Collectives told at most.
    pub const MOST: usize = 100;
    /// Waits for peers that differ by less than this share of the window name no straggler.
    pub const STRAGGLER: f64 = 0.01;

    /// The device that others wait for: the one that waits least, if the others (their median) wait longer by more than
    /// [`Balance::STRAGGLER`] of the window. `window`: of one device.
    pub fn straggler(&self, window: Option<Picos>) -> Option<Straggler<'_>> {
        let (delay, share) = self.largest_wait(window)?;
        let arrival = self.devices.first()?;
        (share > Self::STRAGGLER).then_some(Straggler { arrival, delay, share })
    }

    /// By how much the others (their median) wait longer for their peers than the device that waits least, and which share of a
    /// device's window that is. `None` where fewer than two devices are compared.
    pub fn largest_wait(&self, window: Option<Picos>) -> Option<(Picos, f64)> {
        let (first, others) = self.devices.split_first()?;
        let mut waits = others.iter().map(|other| other.waited).collect::<Option<Vec<Picos>>>()?;
        waits.small_sort_by_key(|wait| *wait);
        let median = *waits.get(waits.len().saturating_sub(1) / 2)?;
        let delay = median.saturating_sub(first.waited?);
        Some((delay, delay.fraction_of(window?)?))
    }
}

/// How long a device waits for the others, and how late it comes to them. A collective ends for all of a group at once: of each
/// execution, who comes last has the shortest. No clock is compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrival {
    /// The device.
    pub device: String,
    /// Executions to which it came after all others of its group.
    pub n_last: u64,
    /// Of how many.
    pub n: u64,
    /// Σ by how much it was later than the one before it, where it was the last: what the others would have saved.
    pub late: Picos,
    /// Σ time that its core waits for a collective − the least of its group: of a synchronous one its length, of an asynchronous one
    /// that of its done. Lengths in flight are no waits: compute may cover them. `None` in a report, which does not carry it.
    pub waited: Option<Picos>,
}

/// How far apart devices come to a collective.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrivalSpread {
    /// The op.
    pub op: String,
    /// Its program's id.
    pub program_id: Option<u64>,
    /// Executions compared.
    pub n: u64,
    /// Devices compared.
    pub n_devices: u32,
    /// Σ longest − shortest of an execution: how long the first to come waits for the last.
    pub total: Picos,
    /// The largest.
    pub max: Picos,
    /// The device that comes later than all others most often, the first of several; `None` where none ever does.
    pub straggler: Option<String>,
    /// How often.
    pub n_last: u64,
}
