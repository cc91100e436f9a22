//! What allocators did, as it is reported. Plain data; sizes are bytes.

use crate::profile::Note;
use crate::units::Picos;
use serde::{Deserialize, Serialize};

/// What the allocators of a session say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RuntimeMemory {
    /// By host, device, then name. Empty where a capture has no allocator events: a note says so.
    pub allocators: Vec<AllocatorMemory>,
    /// What is to be reported of them.
    pub notes: Vec<Note>,
}

/// One allocator of one device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AllocatorMemory {
    /// What people call the device, `TPU:0`; the allocator's name where events do not say which device it is of.
    pub label: String,
    /// The device's place in the session ([`crate::analysis::base::DeviceChoice::One`]), where it is known.
    pub device: Option<u32>,
    /// What events call the device: `index_on_host`, else `device_ordinal`.
    pub ordinal: Option<u64>,
    /// The allocator's name, where events say it.
    pub allocator: Option<String>,
    /// The plane its events are in.
    pub plane: String,
    /// The file of that plane.
    pub file: u32,
    /// Its events.
    pub n_events: u64,
    /// The first moment at which most was in use.
    pub peak: UseAt,
    /// Reserved + allocated + available at that moment. `None` where events do not say what is available.
    pub capacity: Option<u64>,
    /// Fragmentation at that moment, a fraction, as the allocator says it.
    pub fragmentation: Option<f64>,
    /// The most in use that the allocator itself remembers: also of before the capture.
    pub lifetime_peak: Option<u64>,
    /// In use at all moments of the capture: the least.
    pub persistent: u64,
    /// What came and went: the peak without what is persistent.
    pub transient: u64,
    /// In use over time, in few columns.
    pub timeline: Vec<UseColumn>,
    /// The device's steps, on the clock of the timeline. Empty where there are none, or clocks cannot be compared.
    pub steps: Vec<UseStep>,
}

/// A step of the device whose memory it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UseStep {
    /// Its number.
    pub number: u64,
    /// When it began.
    pub from: Picos,
    /// When it ended.
    pub to: Picos,
}

impl AllocatorMemory {
    /// It gives memory of the host: `gpu_host_bfc`.
    pub fn is_of_host(&self) -> bool {
        self.allocator.as_ref().is_some_and(|name| name.contains("host"))
    }
}

/// What was in use at a moment. In use = reserved + allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UseAt {
    /// When, on the event clock: after the earliest of the session's lines that this rests on.
    pub at: Picos,
    /// For programs: the arenas of those that are loaded or run.
    pub reserved: u64,
    /// For arrays.
    pub allocated: u64,
    /// Neither.
    pub available: Option<u64>,
    /// The step of the device that this moment falls in. `None` where it falls in none, or clocks cannot be compared.
    pub step: Option<u64>,
}

impl UseAt {
    /// Reserved + allocated.
    pub const fn in_use(&self) -> u64 {
        self.reserved.saturating_add(self.allocated)
    }
}

/// Neighbouring events of an allocator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UseColumn {
    /// When the first of them was.
    pub at: Picos,
    /// The least in use.
    pub least: u64,
    /// The most in use.
    pub most: u64,
    /// Of that most, reserved.
    pub reserved: u64,
    /// When it was the most, first.
    pub most_at: Picos,
    /// The last in use: it stays until the next column.
    pub last: u64,
}

/// A device's peaks beside each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CrossCheck {
    /// What people call the device; "a device" where no device is known.
    pub label: String,
    /// The highest peak of a program of the session in HBM.
    pub static_peak: Option<u64>,
    /// That program.
    pub program: Option<String>,
    /// The most in use that the allocator saw.
    pub runtime_peak: Option<u64>,
    /// What there is.
    pub capacity: Option<Capacity>,
    /// The larger of both peaks ÷ capacity.
    pub used: Option<f64>,
    /// Capacity − the larger of both peaks; below zero where it does not fit.
    pub headroom: Option<i64>,
    /// More than 90 % is used.
    pub is_tight: bool,
    /// As the allocator says it at its peak.
    pub fragmentation: Option<f64>,
    /// Fragmentation is more than 10 %.
    pub is_fragmented: bool,
}

/// How much memory a device has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Capacity {
    /// Bytes.
    pub size: u64,
    /// Who says so.
    pub source: CapacitySource,
}

/// Who says how much memory a device has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum CapacitySource {
    /// The device's allocator: what it may give.
    Allocator,
    /// The table of chips: of this chip, divided by its devices.
    Chip(String),
}
