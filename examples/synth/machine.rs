//! This module computes how long an op takes on a chip, and which devices and transfers it waits for. The module
//! depends on costs and on the chip's figures, not on captures.
//!
//! A local op takes the time that the compiler estimated. Without an estimate, the op takes the longer of FLOPs ÷ peak
//! and bytes ÷ bandwidth, divided by the efficiency of its class of ops. A collective takes a latency and the time of
//! its bytes over the links of a ring (bus bytes as NCCL counts them: all-reduce 2(n−1)/n, all-gather, reduce-scatter
//! and all-to-all (n−1)/n, permute 1).

use super::cost::Cost;
use super::faults::{Fault, Faults, TINY_TICKS};
use super::program::Program;
use rooflight::chip::Chip;
use xla_profile::hlo::{Instruction, InstructionId, Module};

/// Picoseconds per tick of a device clock: 1.25 ns, as in captures of v6e.
pub const TICK_PS: u64 = 1250;

/// Time before the first byte of a collective arrives.
const LATENCY_SECONDS: f64 = 2e-6;

/// The effect of an op on the core that runs it.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// The core is busy for this number of ticks.
    Local(u64),
    /// The core waits for the devices of its group, then for the links. The number is the op's own work in ticks, which
    /// may take longer.
    Collective(Transfer, u64),
    /// The core starts an asynchronous operation and goes on.
    Start(AsyncWork),
    /// The core waits until the asynchronous operation has ended.
    Done,
}

/// An asynchronous operation, which runs beside the core.
#[derive(Clone, Debug, PartialEq)]
pub enum AsyncWork {
    /// A copy between memories, in ticks.
    Copy(u64),
    /// Work of another core, such as a gather on the SparseCore, in ticks.
    Offloaded(u64),
    Collective(Transfer),
}

/// A transfer between the devices of groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfer {
    /// Groups of devices that wait for each other, by the number of a device in the program.
    pub groups: Vec<Vec<usize>>,
    /// Duration of the transfer, in ticks.
    pub ticks: u64,
    /// The part of the duration in which the links are free for other messages, in ticks.
    pub idle_ticks: u64,
}

/// The message of a collective.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Groups of devices that wait for each other.
    groups: Vec<Vec<usize>>,
    /// Bytes of the message on one device.
    pub bytes: f64,
    /// Bytes that the links of a device carry.
    bus_bytes: f64,
    pub is_all_gather: bool,
}

/// The figures of one device of a chip.
pub struct Machine {
    /// Peak for bf16, in FLOP/s.
    pub flops: f64,
    /// Bandwidth of HBM, in bytes/s.
    pub hbm: f64,
    /// Size of HBM, in bytes.
    pub hbm_size: u64,
    /// Clock rate, in cycles/s.
    clock: f64,
    /// Bandwidth of one link, in bytes/s, both directions together.
    link: f64,
}

impl Machine {
    /// Returns the figures of one device of a chip; `None` where the table of chips lacks a figure.
    pub fn for_chip(chip: &Chip) -> Option<Self> {
        let devices = f64::from(chip.devices(None));
        Some(Self {
            flops: chip.bf16?.value / devices,
            hbm: chip.hbm?.value / devices,
            hbm_size: (chip.hbm_size?.value / devices) as u64,
            clock: chip.clock?.value,
            link: chip.link?.bytes.value * 2.0,
        })
    }

    /// Returns the work of op number `op` of a program. `devices` is the number of devices that the program was
    /// compiled for. With `healthy`, compute takes its roofline time ÷ 0.95, and collectives and copies 2 % of their time.
    pub fn work(
        &self,
        program: &Program,
        op: usize,
        cost: &Cost,
        devices: usize,
        (faults, healthy): (Faults, bool),
    ) -> Work {
        let instruction = program.instruction(op);
        if program.ops[op].start.is_some() {
            return Work::Done;
        }
        let message = self.message(program, op, devices);
        let own = self.own_ticks(program, op, cost, healthy);
        let has = |fault: Fault| faults.has(fault) && fault.affects(program, op, own, message.as_ref());
        let factor = |fault: Fault, factor: f64| if has(fault) { factor } else { 1.0 };
        let slower = factor(Fault::RetilingCopies, 6.0)
            * factor(Fault::Recompute, 2.0)
            * factor(Fault::OpaqueKernel, 3.0)
            * factor(Fault::F32, 2.0);
        let least = if has(Fault::TinyOps) { TINY_TICKS } else { 0 };
        let local = ((own as f64 * slower).round() as u64).max(least);
        let starts = instruction.opcode.ends_with("-start");
        let share = if healthy { 0.02 } else { 1.0 };
        if let Some(message) = &message {
            let slower = factor(Fault::ExposedAllGather, 4.0) * factor(Fault::SlowLink, 2.0);
            let extra = if has(Fault::SmallCollectives) { 1.5e-4 } else { 0.0 };
            let seconds = LATENCY_SECONDS + message.bus_bytes / (0.85 * self.link) * slower;
            let groups = message.groups.clone();
            let transfer = Transfer {
                groups,
                ticks: ticks(seconds * share + extra),
                idle_ticks: if extra > 0.0 { ticks(extra) } else { 0 },
            };
            return if starts {
                Work::Start(AsyncWork::Collective(transfer))
            } else {
                Work::Collective(transfer, local)
            };
        }
        match &*instruction.opcode {
            "copy-start" => {
                let bytes =
                    instruction.shape.elements().first().and_then(xla_profile::hlo::Shape::bytes).unwrap_or(0) as f64;
                let seconds = (5e-7 + bytes / (0.8 * self.hbm)) * share * factor(Fault::DmaWait, 16.0);
                Work::Start(AsyncWork::Copy(ticks(seconds)))
            }
            _ if starts => {
                let seconds = (2e-6 + cost.bytes as f64 / (0.2 * self.hbm)) * share;
                Work::Start(AsyncWork::Offloaded(ticks(seconds)))
            }
            _ => Work::Local(local),
        }
    }

    /// Returns the own work of an op without faults, in ticks. 0 for the start and the done of an asynchronous operation.
    pub fn own_ticks(&self, program: &Program, op: usize, cost: &Cost, healthy: bool) -> u64 {
        let instruction = program.instruction(op);
        if program.ops[op].start.is_some() || instruction.opcode.ends_with("-start") {
            return 0;
        }
        let category = category(&program.module, instruction);
        // Matrix units come closest to their peak. Ops that move data in irregular patterns are far from the bandwidth
        // of the memory.
        let efficiency = match category {
            "convolution fusion" | "convolution" | "dot" => 0.82,
            "data formatting" => 0.35,
            "custom-call" | "sort" | "gather" | "scatter" => 0.3,
            _ => 0.75,
        };
        let roof = (cost.flops as f64 / self.flops).max((cost.hbm_read + cost.hbm_written) as f64 / self.hbm);
        let seconds = program.ops[op].cycles.map_or(roof / efficiency, |cycles| cycles as f64 / self.clock * 1.04);
        match category {
            "data formatting" if healthy => ticks(seconds * 0.02),
            _ if healthy => ticks(roof / 0.95),
            _ => ticks(seconds + 2e-8),
        }
    }

    /// Returns the message of the collective that op number `op` is, wraps or holds; `None` if there is none.
    pub fn message(&self, program: &Program, op: usize, devices: usize) -> Option<Message> {
        let module = &program.module;
        let id = collective(module, program.ops[op].id)?;
        let instruction = module.instruction(id)?;
        let given = instruction.replica_groups().and_then(xla_profile::hlo::ReplicaGroups::groups).unwrap_or_default();
        let pairs = instruction.opcode.starts_with("collective-permute");
        let whole = || vec![(0..devices).collect::<Vec<usize>>()];
        // A permute is simulated as one group of all devices, because each device waits for the one before it.
        let groups: Vec<Vec<usize>> = if given.is_empty() || pairs {
            whole()
        } else {
            given.iter().map(|group| group.iter().map(|device| *device as usize).collect()).collect()
        };
        let n = if pairs { 2.0 } else { groups.first().map_or(1, Vec::len) as f64 };
        let operands = || module.operands(id).filter_map(|from| module.instruction(from)?.shape.bytes()).sum::<u64>();
        let opcode = instruction.opcode.trim_end_matches("-start");
        let is_all_gather = opcode == "all-gather";
        // The message of an all-gather is the result that each device has at the end.
        let bytes = operands() as f64 * if is_all_gather { n } else { 1.0 };
        let busy = match opcode {
            "all-reduce" => 2.0 * (n - 1.0) / n,
            "collective-permute" => 1.0,
            _ => (n - 1.0) / n,
        };
        Some(Message { groups, bytes, bus_bytes: busy * bytes, is_all_gather })
    }
}

/// Converts seconds to ticks. Every event takes at least four ticks.
fn ticks(seconds: f64) -> u64 {
    ((seconds * 1e12 / TICK_PS as f64).round() as u64).max(4)
}

/// Returns the collective that an op is, wraps or holds in its fusion; `None` if there is none.
pub fn collective(module: &Module, id: InstructionId) -> Option<InstructionId> {
    let is = |id: InstructionId| {
        let opcode = &module.instruction(id)?.opcode;
        xla_profile::hlo::opcode::is_collective(opcode).then_some(id)
    };
    let wrapped = module.wrapped(id);
    is(wrapped).or_else(|| {
        let instruction = module.instruction(wrapped)?;
        let bodies = instruction.calls().filter_map(|call| call.id).filter(|_| &*instruction.opcode == "fusion");
        bodies.flat_map(|body| module.instructions_of(body)).find_map(is)
    })
}

/// Returns the category of an op as captures name it (`hlo_category`).
pub fn category<'m>(module: &'m Module, instruction: &'m Instruction) -> &'m str {
    let inside = |wanted: &dyn Fn(&str) -> bool| {
        let bodies = instruction.calls().filter_map(|call| call.id);
        bodies.flat_map(|body| module.instructions_of(body)).any(|id| {
            module.instruction(id).is_some_and(|inner| {
                wanted(&inner.opcode)
                    || (&*inner.opcode == "fusion"
                        && matches!(category(module, inner), "convolution fusion")
                        && wanted("convolution"))
            })
        })
    };
    let called = instruction.calls().next().map_or("", |call| &call.name);
    let multiplies = inside(&|opcode| matches!(opcode, "convolution" | "dot"));
    match &*instruction.opcode {
        "fusion" if called.contains("all-reduce-scatter") => "all-reduce-scatter fusion",
        // A matmul fused with a gather or a reduction is a matmul, because its time is not only waiting.
        "fusion" if multiplies => "convolution fusion",
        "fusion" if inside(&|opcode| opcode.starts_with("all-reduce")) => "all-reduce fusion",
        "fusion" if inside(&|opcode| opcode.starts_with("all-gather")) => "all-gather fusion",
        "fusion" => match instruction.fusion_kind() {
            Some("kLoop") => "loop fusion",
            Some("kInput") => "input fusion",
            Some("kOutput") => "output fusion",
            _ => "custom fusion",
        },
        "copy" | "transpose" | "reshape" => "data formatting",
        "convert" | "add" | "subtract" | "multiply" | "divide" | "maximum" | "minimum" | "negate" | "compare"
        | "select" | "and" | "or" | "exponential" | "log" | "rsqrt" | "sqrt" | "clamp" | "tanh" | "power" => {
            "non-fusion elementwise"
        }
        opcode => opcode,
    }
}
