//! This module lists the faults that a simulated run can have, so that a diagnosis has something to find, and the ops that
//! each fault affects.

use super::machine::{Message, category};
use super::program::Program;

/// A fault of a run. Some shares are those of a usual step: the mean period of a run without faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// One device takes an eighth longer for its own work, and all others wait for it.
    Straggler,
    /// All-gathers take four times as long, which is more than the compute beside them can hide.
    ExposedAllGather,
    /// Copies from one layout to another take six times as long.
    RetilingCopies,
    /// The core is idle at the start of each iteration of a loop, for 5 % of a usual step in all.
    IdleGaps,
    /// The host writes metrics before each step, for 40 % of the step before it.
    HostBound,
    /// The host compiles before every third step, and the device is idle for a quarter of a usual step.
    Recompile,
    /// The ops of the fourth step take half as long again.
    SlowStep,
    /// The host fetches a result after each step, and the device is idle for 5 % of a usual step.
    HostSync,
    /// The last host loads its batches too slowly, so that its devices start each step late, by 5 % of a usual step.
    SlowHost,
    /// The runs of one device are enqueued late, by 5 % of a usual step, and all others wait for it at the start.
    LatePeers,
    /// Asynchronous copies between memories take 16 times as long, so that the core waits for them.
    DmaWait,
    /// Ops of less than 9 µs take 9 µs.
    TinyOps,
    /// Ops that recompute activations take twice as long.
    Recompute,
    /// A fusion of attention is a custom call without a cost, and takes three times as long.
    OpaqueKernel,
    /// Collectives of less than 1 MiB take 150 µs longer.
    SmallCollectives,
    /// Collectives of at least 1 MiB get half of the links' bandwidth.
    SlowLink,
    /// One device gets more tokens for its experts, whose matmuls take 40 % longer there.
    ExpertImbalance,
    /// From the fourth step on, the power is throttled and compute takes 15 % longer.
    Throttle,
    /// The matmuls of attention have f32 operands and take twice as long.
    F32,
    /// The memory in use is 95 % of the capacity.
    HbmTight,
    /// A quarter of the free memory is in pieces that are too small.
    Fragmented,
    /// The capture lost the second half of the ops in every fourth step. The run itself is healthy.
    LostEvents,
    /// The capture of the last device ends after a third of its steps. The run itself is healthy.
    LostDevice,
}

impl Fault {
    /// All faults, in the order of their discriminants.
    pub const ALL: [Self; 23] = [
        Self::Straggler,
        Self::ExposedAllGather,
        Self::RetilingCopies,
        Self::IdleGaps,
        Self::HostBound,
        Self::Recompile,
        Self::SlowStep,
        Self::HostSync,
        Self::SlowHost,
        Self::LatePeers,
        Self::DmaWait,
        Self::TinyOps,
        Self::Recompute,
        Self::OpaqueKernel,
        Self::SmallCollectives,
        Self::SlowLink,
        Self::ExpertImbalance,
        Self::Throttle,
        Self::F32,
        Self::HbmTight,
        Self::Fragmented,
        Self::LostEvents,
        Self::LostDevice,
    ];

    /// Returns the name on the command line and in `expected.json`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Straggler => "straggler",
            Self::ExposedAllGather => "exposed-all-gather",
            Self::RetilingCopies => "retiling-copies",
            Self::IdleGaps => "idle-gaps",
            Self::HostBound => "host-bound",
            Self::Recompile => "recompile",
            Self::SlowStep => "slow-step",
            Self::HostSync => "host-sync",
            Self::SlowHost => "slow-host",
            Self::LatePeers => "late-peers",
            Self::DmaWait => "dma-wait",
            Self::TinyOps => "tiny-ops",
            Self::Recompute => "recompute",
            Self::OpaqueKernel => "opaque-kernel",
            Self::SmallCollectives => "small-collectives",
            Self::SlowLink => "slow-link",
            Self::ExpertImbalance => "expert-imbalance",
            Self::Throttle => "throttle",
            Self::F32 => "f32",
            Self::HbmTight => "hbm-tight",
            Self::Fragmented => "fragmented",
            Self::LostEvents => "lost-events",
            Self::LostDevice => "lost-device",
        }
    }

    /// Returns the device, of `n`, that alone has the fault. `None` if all devices have it.
    pub const fn device(self, n: usize) -> Option<usize> {
        match self {
            Self::Straggler | Self::LatePeers => Some(n.saturating_sub(3)),
            Self::ExpertImbalance => Some(n.saturating_sub(5)),
            Self::LostDevice => Some(n.saturating_sub(1)),
            _ => None,
        }
    }

    /// Returns whether the fault changes the work of op number `op`. `ticks` is its own work without faults, and `message`
    /// the message of a collective.
    pub fn affects(self, program: &Program, op: usize, ticks: u64, message: Option<&Message>) -> bool {
        let instruction = program.instruction(op);
        let category = || category(&program.module, instruction);
        let is_from = |file: &str| program.file(op).is_some_and(|path| path.ends_with(file));
        let is_matmul = || category() == "convolution fusion";
        match self {
            Self::ExposedAllGather => message.is_some_and(|message| message.is_all_gather),
            Self::SmallCollectives => message.is_some_and(|message| message.bytes < MIB),
            Self::SlowLink => message.is_some_and(|message| message.bytes >= MIB),
            Self::RetilingCopies => category() == "data formatting",
            Self::DmaWait => &*instruction.opcode == "copy-start",
            Self::TinyOps => message.is_none() && ticks > 0 && ticks < TINY_TICKS,
            Self::Recompute => ticks > 0 && instruction.op_name().contains("rematted_computation"),
            Self::OpaqueKernel => category() == "output fusion" && is_from("attention.py"),
            Self::ExpertImbalance => is_matmul() && is_from("moe.py"),
            Self::F32 => is_matmul() && is_from("attention.py"),
            _ => false,
        }
    }
}

/// The bytes of a small message.
const MIB: f64 = 1024.0 * 1024.0;

/// The least time of an op with the fault [`Fault::TinyOps`], in ticks: 9 µs.
pub const TINY_TICKS: u64 = 7200;

/// The faults of a run, as a set of bits by discriminant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults(u32);

/// Returns the names that `--fault` accepts.
pub fn names() -> Vec<&'static str> {
    Fault::ALL.map(Fault::name).to_vec()
}

impl Faults {
    /// Adds the fault of the given name. Other names are ignored.
    pub fn add(&mut self, name: &str) {
        let fault = Fault::ALL.into_iter().find(|fault| fault.name() == name);
        self.0 |= fault.map_or(0, |fault| 1 << fault as u32);
    }

    /// Returns whether the run has a fault.
    pub const fn has(self, fault: Fault) -> bool {
        self.0 & (1 << fault as u32) != 0
    }

    /// Returns the faults without one of them.
    #[must_use]
    pub const fn without(self, fault: Fault) -> Self {
        Self(self.0 & !(1 << fault as u32))
    }

    /// Iterates over the faults that the run has.
    pub fn iter(self) -> impl Iterator<Item = Fault> {
        Fault::ALL.into_iter().filter(move |fault| self.has(*fault))
    }
}
