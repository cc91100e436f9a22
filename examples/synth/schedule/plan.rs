//! This module defines the plan of a run: the programs, the blocks of calls that the host makes in order, and what the
//! profiler records of them.

use super::loss::Loss;

/// Picoseconds of a microsecond and of a millisecond.
pub const US: u64 = 1_000_000;
pub const MS: u64 = 1_000 * US;

/// A compiled program.
pub struct Program {
    pub name: String,
    pub id: u64,
    /// The usual duration of a run, in ps.
    pub duration: u64,
    pub n_ops: usize,
}

/// A call of the host that runs a program on devices.
pub struct Call {
    /// Index into [`Plan::programs`].
    pub program: usize,
    pub devices: Vec<usize>,
    /// Index of the call of the same block whose runs must end first, as in a pipeline.
    pub waits_for: Option<usize>,
    /// Whether the call compiles the program.
    pub compiles: bool,
}

/// A `StepTraceAnnotation`.
pub struct Mark {
    pub name: String,
    pub number: Option<u64>,
}

/// Calls that belong together: a step of training, an evaluation, a checkpoint.
pub struct Block {
    pub mark: Option<Mark>,
    /// Whether the block is a step, if the steps are blocks.
    pub is_step: bool,
    /// The time in which the host loads a batch, in ps.
    pub load: u64,
    pub calls: Vec<Call>,
    /// Whether the host's events are in the capture. Those of a block that began before the capture are not.
    pub is_recorded: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    Tpu,
    Gpu,
}

/// What joins a run to the call of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// TPU: `_pt`, `_p` of a thread and `_ct`, `_c` of the next one, from the call to the run.
    Producers,
    /// TPU: `run_id` of `DoEnqueueProgram` on the main thread, with more bits than that of the run.
    RunIds,
    /// GPU: `correlation_id` of launches and kernels.
    Kernels,
    /// Only the order: the host has as many execute calls as each device has runs.
    Order,
    /// Nothing. The host has no execute calls either.
    None,
}

/// How an annotation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkStats {
    /// `_r` and, if there is a number, `step_num`: `jax.profiler.StepTraceAnnotation`.
    Root,
    /// Only `step_num`.
    NumberOnly,
}

/// What the true steps are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Each block that is a step. The runs of others are outside.
    Blocks,
    /// Each run of these programs begins a step, and other runs belong to the step before. Empty: each run.
    Runs(Vec<String>),
    /// There are none.
    None,
}

/// A run of a job, as far as a capture shows it.
pub struct Plan {
    pub platform: Platform,
    pub links: Links,
    pub n_devices: usize,
    /// Number of blocks by which the host may be ahead of the devices.
    pub ahead: usize,
    pub has_steps_line: bool,
    /// GPU: whether the host has an event for each run, such as `jit_f:XLA GPU module`.
    pub has_module_events: bool,
    /// GPU: whether batches are copied to the first device.
    pub has_copies: bool,
    /// Whether ops of TPUs have times on the device's own clock too.
    pub has_device_clock: bool,
    pub mark_stats: MarkStats,
    /// Whether an annotation is inside each one, which does not count.
    pub has_inner_marks: bool,
    pub basis: Basis,
    /// The level of the rules for steps at which they are found.
    pub level: u8,
    pub loss: Option<Loss>,
    pub programs: Vec<Program>,
    pub blocks: Vec<Block>,
}

impl Plan {
    /// Adds a program, and returns its index.
    pub fn program(&mut self, name: &str, id: u64, duration: u64, n_ops: usize) -> usize {
        self.programs.push(Program { name: name.to_owned(), id, duration, n_ops });
        self.programs.len() - 1
    }

    /// Returns a call of a program on all devices.
    pub fn call(&self, program: usize) -> Call {
        Call { program, devices: (0..self.n_devices).collect(), waits_for: None, compiles: false }
    }

    /// Adds a block of calls of programs on all devices, and returns it.
    pub fn block(&mut self, programs: &[usize], load: u64) -> &mut Block {
        let calls = programs.iter().map(|program| self.call(*program)).collect();
        self.blocks.push(Block { mark: None, is_step: true, load, calls, is_recorded: true });
        let last = self.blocks.len() - 1;
        &mut self.blocks[last]
    }
}

impl Block {
    /// Annotates the block.
    pub fn marked(&mut self, name: &str, number: Option<u64>) -> &mut Self {
        self.mark = Some(Mark { name: name.to_owned(), number });
        self
    }

    /// Makes the block one that is no step.
    pub fn outside(&mut self) -> &mut Self {
        self.is_step = false;
        self
    }
}
