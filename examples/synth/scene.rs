//! This module holds the data that every writer needs: the program, the facts and costs of its ops, the chip, and the
//! names of devices and hosts.

use super::clock::Clock;
use super::faults::{Fault, Faults};
use super::machine::Machine;
use super::memory::Memory;
use super::program::Program;
use super::truth::OpFacts;
use rooflight::chip::Chip;

/// The input of every writer of a capture.
pub struct Scene<'a> {
    pub program: &'a Program,
    pub program_id: u64,
    pub facts: Vec<OpFacts>,
    /// The ops in the order in which they get the ids of their metadata.
    pub metadata_order: Vec<usize>,
    pub chip: &'static Chip,
    pub machine: &'a Machine,
    /// `None` where the program has no buffer assignment.
    pub memory: Option<Memory>,
    /// Size of the data that is new in each step: parameters that the step does not return.
    pub batch_bytes: u64,
    pub devices: usize,
    pub devices_per_host: usize,
    pub faults: Faults,
    /// The largest difference between the event clocks of a host's devices, in ps.
    pub clock_skew_ps: u64,
    /// The time by which the clock of each host is ahead of that of the host before, in ps.
    pub host_skew_ps: u64,
    /// Day of the profile, counted from the beginning of 2026.
    pub day: u32,
}

impl Scene<'_> {
    /// Returns the name of the plane of device `n`. Devices are numbered per host.
    pub fn label(&self, n: usize) -> String {
        format!("/device:TPU:{}", n % self.devices_per_host)
    }

    /// Returns the clock of device `n`.
    pub const fn clock(&self, n: usize) -> Clock {
        Clock::for_device(self.host_clock(n), n % self.devices_per_host, self.clock_skew_ps)
    }

    /// Returns the clock of the host of device `n`.
    pub const fn host_clock(&self, n: usize) -> Clock {
        Clock::for_host(n / self.devices_per_host, self.host_skew_ps)
    }

    /// Returns the size of a device's HBM in bytes.
    pub fn capacity(&self) -> u64 {
        let used = self.memory.map_or(0, |memory| memory.arena + memory.parameters);
        if self.faults.has(Fault::HbmTight) { used * 20 / 19 } else { self.machine.hbm_size }
    }

    pub fn host(&self, n: usize) -> String {
        format!("worker-{}", n / self.devices_per_host)
    }

    /// Returns the run id of a step. Run ids count the runs of all programs, and a few runs came before.
    pub const fn run_id(&self, step: usize) -> u64 {
        step as u64 + 17
    }

    pub fn state_bytes(&self) -> u64 {
        self.memory.map_or(0, |memory| memory.parameters.saturating_sub(self.batch_bytes))
    }
}
