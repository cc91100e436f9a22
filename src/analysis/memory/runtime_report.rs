//! This module holds the types of an allocator report. They are plain data; sizes are bytes.

use serde::{Deserialize, Serialize};
use xla_profile::profile::Note;
use xla_profile::units::Picos;

/// The report on the allocators of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RuntimeMemory {
    /// By host, device, then name. Empty if the capture has no allocator events; a note then states that.
    pub allocators: Vec<AllocatorMemory>,
    pub notes: Vec<Note>,
}

/// One allocator of one device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AllocatorMemory {
    /// Label of the device, such as `TPU:0`. If events do not name the device, this is the allocator's name.
    pub label: String,
    /// Index of the device in the session, as in [`crate::analysis::base::DeviceChoice::One`]. `None` if it is unknown.
    pub device: Option<u32>,
    /// Number of the device in the events: `index_on_host`, else `device_ordinal`. If events have neither, the number
    /// in an allocator name such as `GPU_1_bfc`.
    pub ordinal: Option<u64>,
    /// Name of the allocator. `None` if events do not have it.
    pub allocator: Option<String>,
    pub plane: String,
    /// Index of the file of the plane.
    pub file: u32,
    pub n_events: u64,
    /// First moment at which the memory in use was largest.
    pub peak: UseAt,
    /// Reserved + allocated + available at the peak. `None` if events do not have the available bytes.
    pub capacity: Option<u64>,
    /// Fragmentation at the peak, a fraction that the allocator reports.
    pub fragmentation: Option<f64>,
    /// Largest memory in use that the allocator itself recorded, also before the capture.
    pub lifetime_peak: Option<u64>,
    /// Smallest memory in use during the capture.
    pub persistent: u64,
    /// Memory in use at the peak − `persistent`.
    pub transient: u64,
    /// Memory in use over time, in few columns.
    pub timeline: Vec<UseColumn>,
    /// Steps of the device on the clock of the timeline. Empty if the device has no steps, or if the clocks cannot be
    /// compared.
    pub steps: Vec<UseStep>,
}

/// A step of the device of an allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UseStep {
    pub number: u64,
    /// Start, on the clock of the timeline.
    pub from: Picos,
    /// End, on the clock of the timeline.
    pub to: Picos,
}

impl AllocatorMemory {
    /// Returns whether the allocator gives out host memory, such as `gpu_host_bfc`.
    pub fn is_of_host(&self) -> bool {
        self.allocator.as_ref().is_some_and(|name| name.contains("host"))
    }
}

/// The memory in use at a moment. In use = reserved + allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UseAt {
    /// Time on the event clock, after the earliest line of the devices and the allocators.
    pub time: Picos,
    /// Bytes for programs: the arenas of programs that are loaded or run.
    pub reserved: u64,
    /// Bytes for arrays.
    pub allocated: u64,
    /// Bytes that are free. `None` if events do not have them.
    pub available: Option<u64>,
    /// Number of the step of the device at this moment. `None` outside of steps, or if the clocks cannot be compared.
    pub step: Option<u64>,
}

impl UseAt {
    /// Returns reserved + allocated bytes.
    pub const fn in_use(&self) -> u64 {
        self.reserved.saturating_add(self.allocated)
    }
}

/// A group of neighbouring events of an allocator. Sizes are bytes in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UseColumn {
    /// Time of the first event.
    pub time: Picos,
    pub least: u64,
    pub most: u64,
    /// Reserved bytes at `most_at`.
    pub reserved: u64,
    /// Time of the first event with `most` in use.
    pub most_at: Picos,
    /// In use after the last event; valid until the next column.
    pub last: u64,
}

/// The peaks of a device compared with its capacity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CrossCheck {
    /// Label of the device; "a device" if no device is known.
    pub label: String,
    /// Highest peak in HBM of the programs that ran, or else of any program of the session. `None` if none is known, or for an allocator of host memory.
    pub static_peak: Option<u64>,
    /// Name of the program with that peak.
    pub program: Option<String>,
    /// Largest memory in use that allocator events show.
    pub runtime_peak: Option<u64>,
    /// `None` if no allocator and no chip gives it.
    pub capacity: Option<Capacity>,
    /// The larger peak ÷ capacity.
    pub used: Option<f64>,
    /// Capacity − the larger peak. Negative if the memory is too small.
    pub headroom: Option<i64>,
    /// Whether more than 90 % is used.
    pub is_tight: bool,
    /// Fragmentation that the allocator reports at its peak, a fraction.
    pub fragmentation: Option<f64>,
    pub is_fragmented: bool,
}

/// The size of the memory of a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Capacity {
    /// Bytes.
    pub size: u64,
    pub source: CapacitySource,
}

/// The source of the size of a device's memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum CapacitySource {
    /// The allocator of the device: the bytes that the allocator may give out.
    Allocator,
    /// The table of chips: the memory of the named chip, divided among its devices.
    Chip(String),
}
