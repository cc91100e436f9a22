//! What every writer needs to know: the program, what its ops are and cost, the chip, and who is who.

use super::machine::Machine;
use super::memory::Memory;
use super::program::Program;
use super::truth::OpFacts;
use rooflight::chip::Chip;

pub struct Scene {
    pub program: Program,
    pub program_id: u64,
    pub facts: Vec<OpFacts>,
    pub chip: &'static Chip,
    pub machine: Machine,
    /// `None` where the program has no buffer assignment.
    pub memory: Option<Memory>,
    /// What comes new with each step: parameters that are not given back.
    pub batch_bytes: u64,
    pub devices_per_host: usize,
}

impl Scene {
    /// The plane of device `n`: they are counted per host.
    pub fn label(&self, n: usize) -> String {
        format!("/device:TPU:{}", n % self.devices_per_host)
    }

    pub fn host(&self, n: usize) -> String {
        format!("worker-{}", n / self.devices_per_host)
    }

    /// Runs are counted over all programs; a few came before.
    pub const fn run_id(&self, step: usize) -> u64 {
        step as u64 + 17
    }

    pub fn state_bytes(&self) -> u64 {
        self.memory.map_or(0, |memory| memory.parameters.saturating_sub(self.batch_bytes))
    }
}
