//! This program makes captures like those of a TPU without a TPU: `cargo xtask synth --help`.
//!
//! ```text
//!  HLO proto ─► program ─► cost ─► machine ─► run ─► device, host ─► worker-0.xplane.pb
//!               its ops    FLOPs   ticks      times  trace_json   ─► worker-0.trace.json.gz
//!                                              └────► truth        ─► expected.json
//! ```
//!
//! With `--scenario`, a small capture shows what a step is on a run of any shape: `schedule`.
//!
//! The program, its schedule and its buffers come from XLA. The times are simulated, from the compiler's estimates and
//! the chip's figures. The same arguments give the same bytes.

pub mod args;
mod clock;
mod cost;
mod device;
pub mod faults;
mod host;
mod host_threads;
pub mod machine;
#[path = "../../tests/native/common/make.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
pub mod make;
mod memory;
mod pack;
mod plane;
mod program;
pub mod rewrite;
mod run;
pub mod scale;
mod scene;
pub mod schedule;
mod simulation;
mod trace_json;
mod truth;

use args::{Args, Length};
use faults::{Fault, Faults};
use machine::{AsyncWork, Machine, Work};
use rooflight::chip::Chip;
use scale::Scale;
use scene::Scene;
use simulation::Simulation;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::time::Instant;
use truth::{AsyncKind, FaultTruth, MemoryTruth, OpFacts, OpTruth, ScaleTruth, Truth};

/// The error that ends the program.
pub type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    make(&Args::read()?)
}

/// Simulates the run that `args` describes, and writes its captures and `expected.json`.
pub fn make(args: &Args) -> Result<(), Failure> {
    if let Some(scenario) = args.scenario() {
        return schedule::write(scenario, args.seed, &args.out);
    }
    let faults = args.faults();
    let began = Instant::now();
    let chip = Chip::named(&args.chip).ok_or_else(|| format!("no chip is called {}", args.chip))?;
    let machine = Machine::for_chip(chip).ok_or("too little is published of that chip")?;
    let (hlo, cycles) = args.program();
    let (program, items) = program::Program::read(&hlo, cycles.as_deref(), args)?;
    let proto = xla_profile::wire::hlo::decode(&program.bytes).map_err(|e| e.to_string())?;
    let group = compiled_for(&program);
    let hosts = match args.length() {
        Length::Megabytes(mb) => args.hosts().max(mb.div_ceil(MOST_MB)),
        Length::Steps(_) => args.hosts(),
    };
    let devices_per_host = args.devices().div_ceil(hosts);
    let places = (args.devices(), devices_per_host);
    let named = |scale: &Scale| program.ops.iter().any(|op| scale.affects(&op.name));
    if let Some(scale) = args.scale.iter().find(|scale| !named(scale)) {
        return Err(format!("no op of the program is called {}", scale.stem).into());
    }
    let simulation = Simulation::new(&program, &items, &machine, group, args.healthy, places, args.seed);
    let simulation = simulation.with_scales(&args.scale);
    let works = simulation.works(faults);
    let scene = Scene {
        program_id: identity(&program.bytes, args.seed),
        memory: memory::memory(&proto),
        batch_bytes: batch_bytes(&program),
        devices: args.devices(),
        devices_per_host,
        faults,
        clock_skew_ps: args.clock_skew_ps(),
        host_skew_ps: args.host_skew_ps(),
        day: args.day,
        facts: (0..program.ops.len()).map(|op| facts(&simulation, op, &works[op], faults)).collect(),
        metadata_order: rewrite::metadata_order(program.ops.len(), args.renumber.then_some(args.seed)),
        chip,
        machine: &machine,
        program: &program,
    };
    let steps = match args.length() {
        Length::Megabytes(mb) => {
            let one = (1, 1);
            let one = Simulation::new(&program, &items, &machine, group, args.healthy, one, args.seed);
            steps_for(&scene, one.run(&works, faults, 0), mb)
        }
        Length::Steps(steps) => steps,
    };
    let usual = simulation.usual(steps);
    let mut run = simulation.run(&works, faults, usual);
    for _ in 0..steps {
        run.step();
    }
    std::fs::create_dir_all(&args.out)?;
    for first in (0..args.devices()).step_by(scene.devices_per_host) {
        let devices = first..(first + scene.devices_per_host).min(args.devices());
        let path = args.out.join(format!("{}.xplane.pb", scene.host(first)));
        let mut out = BufWriter::new(File::create(&path)?);
        for n in devices.clone() {
            out.write_all(&device::plane(&scene, n, &run.devices[n]))?;
        }
        out.write_all(&host::planes(&scene, &run, devices.clone()))?;
        out.write_all(&host::end(&scene.host(first)))?;
        out.flush()?;
        eprintln!("{}: {} MB, {:.1?}", path.display(), std::fs::metadata(&path)?.len() / 1_000_000, began.elapsed());
        if args.xz {
            pack::pack(&path)?;
            eprintln!("{}.xz: {:.1?}", path.display(), began.elapsed());
        }
        if args.trace() {
            let path = args.out.join(format!("{}.trace.json.gz", scene.host(first)));
            trace_json::write(&scene, &run, devices, BufWriter::new(File::create(&path)?))?;
            eprintln!("{}: {:.1?}", path.display(), began.elapsed());
        }
    }
    let injected = simulation.injected(faults, steps, usual);
    let scaled = simulation.injected_by_scales(faults, steps, usual);
    let truth = truth(&scene, &run, &items, &injected, &scaled, args);
    let path = args.out.join("expected.json");
    let mut out = BufWriter::new(File::create(&path)?);
    serde_json::to_writer_pretty(&mut out, &truth)?;
    writeln!(out)?;
    out.flush()?;
    eprintln!("{}: {steps} steps on {} devices, {:.1?}", path.display(), args.devices(), began.elapsed());
    Ok(())
}

/// Largest capture of one host, in MB. Protobuf writers stop at 2 GiB.
const MOST_MB: usize = 1900;

/// Returns the number of steps whose captures have `mb` MB on all devices together. The size of a step is measured in
/// the middle of the run, because later times are longer numbers.
fn steps_for(scene: &Scene<'_>, mut one: run::Run<'_>, mb: usize) -> usize {
    let devices = scene.devices;
    let bytes = |run: &mut run::Run<'_>| {
        run.step();
        device::plane(scene, 0, &run.devices[0]).len()
    };
    let first = bytes(&mut one);
    let early = bytes(&mut one) - first;
    let fixed = (first - early) * devices;
    let steps = |step: usize| (mb * 1_000_000).saturating_sub(fixed).div_ceil(step * devices).max(1);
    let ticks = one.devices[0].steps.last().map_or(0, |step| step.end - step.start);
    one.later(ticks * steps(early) as u64 / 2);
    let before = bytes(&mut one);
    steps(bytes(&mut one) - before)
}

fn facts(simulation: &Simulation<'_>, op: usize, work: &Work, faults: Faults) -> OpFacts {
    let (program, cost) = (simulation.program, simulation.costs[op]);
    let op_info = &program.ops[op];
    let instruction = program.instruction(op);
    let async_kind = match work {
        Work::Start(AsyncWork::Collective(_)) => Some(AsyncKind::Collective),
        Work::Start(AsyncWork::Copy(_)) => Some(AsyncKind::Copy),
        // A slice that runs beside the core moves data between memories, as a copy does.
        Work::Start(AsyncWork::Offloaded(_)) if is_slice(&program.module, op_info.id) => Some(AsyncKind::Copy),
        Work::Start(AsyncWork::Offloaded(_)) => Some(AsyncKind::Offloaded),
        _ => None,
    };
    // Recomputed work of the backward pass is no work of the model.
    let again = instruction.op_name().contains("rematted_computation");
    let category = machine::category(&program.module, instruction);
    OpFacts {
        name: op_info.name.clone(),
        category: category.to_owned(),
        cost,
        model_flops: if again { 0 } else { cost.matmul_flops },
        async_kind,
        communication: machine::collective(&program.module, op_info.id).is_some() && category != "convolution fusion",
        only_moves: only_moves(instruction),
        faults: simulation.faults_of_op(op, faults),
    }
}

/// Returns whether an op computes nothing by its opcode or its custom call target, whatever its category is.
fn only_moves(instruction: &xla_profile::hlo::Instruction) -> bool {
    let names_memory =
        |target: &str| matches!(target, "AllocateBuffer" | "ConcatBitcast" | "PinToVmem" | "SliceBitcast");
    &*instruction.opcode == "convert" || instruction.custom_call_target().is_some_and(names_memory)
}

/// Returns whether an op is or wraps a slice.
fn is_slice(module: &xla_profile::hlo::Module, id: xla_profile::hlo::InstructionId) -> bool {
    let wrapped = module.instruction(module.wrapped(id));
    wrapped.is_some_and(|wrapped| matches!(&*wrapped.opcode, "slice" | "dynamic-slice"))
}

/// Returns the number of devices that a program was compiled for. The collectives of the program name all devices.
fn compiled_for(program: &program::Program) -> usize {
    let groups = program.module.instructions().filter_map(|(_, instruction)| instruction.replica_groups()?.groups());
    groups.flatten().flatten().max().map_or(1, |device| device as usize + 1)
}

/// Returns a program id like those in captures: 64 bits, by FNV-1a of the program and the seed.
fn identity(bytes: &[u8], seed: u64) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325 ^ seed, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// Returns the bytes of a batch: the integer parameters that are larger than a counter, which are the tokens.
fn batch_bytes(program: &program::Program) -> u64 {
    let Some(entry) = program.module.entry else { return 0 };
    let parameters = program.module.instructions_of(entry).filter_map(|id| program.module.instruction(id));
    let batch = parameters.filter(|instruction| &*instruction.opcode == "parameter").filter_map(|instruction| {
        let array = instruction.shape.as_array()?;
        (array.dtype == xla_profile::hlo::DType::S32 && !array.dims.is_empty()).then(|| array.padded_bytes())?
    });
    batch.sum()
}

fn truth(
    scene: &Scene<'_>,
    run: &run::Run<'_>,
    items: &[program::Item],
    injected: &[(Fault, Option<f64>)],
    scaled: &[Option<f64>],
    args: &Args,
) -> Truth {
    let runs = program::runs(items, scene.facts.len());
    let op = |(facts, runs): (&OpFacts, u64)| OpTruth {
        name: facts.name.clone(),
        category: facts.category.clone(),
        runs_per_step: runs,
        flops: facts.cost.flops,
        model_flops: facts.model_flops,
        bytes_accessed: facts.cost.bytes,
    };
    let device = |n: usize| truth::device(scene.label(n), scene.host(n), scene.clock(n), &run.devices[n], &scene.facts);
    let picos = |ticks: f64| (ticks * machine::TICK_PS as f64).round() as i64;
    let scale = |(scale, ticks): (&Scale, &Option<f64>)| ScaleTruth {
        op: scale.stem.clone(),
        factor: scale.factor,
        injected_ps_per_step: ticks.map(picos),
        ops: scene.facts.iter().filter(|facts| scale.affects(&facts.name)).map(|facts| facts.name.clone()).collect(),
    };
    let fault = |(fault, ticks): &(Fault, Option<f64>)| FaultTruth {
        name: fault.name(),
        injected_ps_per_step: ticks.map(picos),
        device: fault.device(scene.devices).map(|n| scene.label(n)),
        ops: scene.facts.iter().filter(|facts| facts.faults.has(*fault)).map(|facts| facts.name.clone()).collect(),
    };
    Truth {
        what: "Simulated times of a real XLA:TPU program. Times of ops are on the device clock, those of steps and of what \
               is asynchronous on the event clock, in picoseconds.",
        seed: args.seed,
        chip: scene.chip.name,
        program: scene.program.module.name.to_string(),
        program_id: scene.program_id,
        healthy: args.healthy,
        faults: injected.iter().map(fault).collect(),
        scales: args.scale.iter().zip(scaled).map(scale).collect(),
        steps: run.devices.first().map_or(0, |device| device.steps.len()),
        layers_are_loops: !args.unroll,
        memory: scene.memory.map(|memory| MemoryTruth {
            static_peak_bytes: memory.peak,
            runtime_peak_bytes: memory.arena + memory.parameters,
            capacity_bytes: scene.capacity(),
        }),
        ops: scene.facts.iter().zip(runs).map(op).collect(),
        devices: (0..run.devices.len()).map(device).collect(),
    }
}
