//! This module writes the plane of a device: its peaks, steps, program runs, ops and asynchronous operations.

use super::clock::Clock;
use super::faults::Fault;
use super::host_threads::{ENQUEUE, run_context};
use super::make::{int, text};
use super::plane::Plane;
use super::run::{Device, Event, LATER_STEP, Step};
use super::scene::Scene;
use xla_profile::hlo::Module;
use xla_profile::wire::proto::xspace::x_stat::Value;

/// Returns the plane of device number `n`, encoded as a field of an XSpace.
pub fn plane(scene: &Scene<'_>, n: usize, device: &Device) -> Vec<u8> {
    let clock = scene.clock(n);
    let mut plane = Plane::new(&scene.label(n));
    let number = Value::DoubleValue;
    plane.names.own("device_type_string", text(scene.chip.spellings[scene.chip.spellings.len() - 1]));
    plane.names.own("peak_teraflops_per_second", number(scene.machine.flops / 1e12));
    plane.names.own("peak_hbm_bw_gigabytes_per_second", number(scene.machine.hbm / 1e9));
    plane.names.own("has_megacore", Value::Uint64Value(u64::from(scene.chip.megacore)));

    let mut ids = vec![0; scene.facts.len()];
    for (n, op) in scene.metadata_order.iter().enumerate() {
        ids[*op] = metadata(scene, &mut plane, *op, n as u64 + 1);
    }
    let [run_id, group_id, replica_id, queue_id, core_type, consumer_type, consumer] =
        ["run_id", "group_id", "replica_id", "queue_id", "core_type", "_ct", "_c"]
            .map(|name| plane.names.stat(name, int(0)).metadata_id);
    let stat = |id: i64, value: u64| xla_profile::wire::proto::xspace::XStat {
        metadata_id: id,
        value: Some(Value::Uint64Value(value)),
    };
    let module = plane.names.op(&format!("{}({})", scene.program.module.name, scene.program_id), "", &[]);
    let steps = recorded_steps(scene, n, device);
    let numbers: Vec<i64> = (0..steps.len()).map(|step| plane.names.op(&step.to_string(), "", &[])).collect();
    let within = |step: &Step| (clock.event(step.start), clock.event(step.end));

    let mut line = plane.line("Steps", 0);
    for (number, step) in steps.iter().enumerate() {
        line.event(numbers[number], within(step), vec![stat(group_id, number as u64)]);
    }
    plane.close(line);

    let mut line = plane.line("XLA Modules", 0);
    for (number, step) in steps.iter().enumerate() {
        let stats = vec![
            stat(run_id, scene.run_id(number)),
            stat(replica_id, 0),
            stat(queue_id, 0),
            stat(core_type, 0),
            stat(group_id, number as u64),
            stat(consumer_type, ENQUEUE),
            stat(consumer, run_context(n % scene.devices_per_host, number)),
        ];
        line.event(module, within(step), stats);
    }
    plane.close(line);

    let [barrier, dependency] = ["barrier-cores", "dependency-wait"].map(|name| plane.names.op(name, "", &[]));
    let mut line = plane.line("XLA TraceMe", 0);
    for step in steps {
        // The run before has ended, so the wait for it takes one step of the host's time.
        let start = clock.event(step.start);
        line.event(dependency, (start, start + 78), Vec::new());
        line.event(barrier, (clock.event(step.start + 100), clock.event(step.ready - 100)), Vec::new());
    }
    plane.close(line);

    let offset = plane.names.stat("device_offset_ps", int(0)).metadata_id;
    let duration = plane.names.stat("device_duration_ps", int(0)).metadata_id;
    let mut line = plane.line("XLA Ops", 0);
    for event in recorded_events(scene, steps, device) {
        let (start, end) = (Clock::device(event.start), Clock::device(event.end));
        let own = vec![stat(offset, start), stat(duration, end - start)];
        line.event(ids[event.op as usize], (clock.event(event.start), clock.event(event.end)), own);
    }
    plane.close(line);

    let flow = plane.names.stat("flow", int(0)).metadata_id;
    let done: Vec<_> = scene.facts.iter().map(|facts| plane.names.ref_stat("hlo_op", &facts.name)).collect();
    let mut line = plane.line("Async XLA Ops", 0);
    let last = steps.last().map_or(0, |step| step.spans.1);
    let mut spans: Vec<_> = device.spans[..last].iter().enumerate().collect();
    spans.sort_by_key(|(_, span)| span.start);
    for (number, span) in spans {
        let stats = vec![done[span.done_op as usize].clone(), stat(flow, (n as u64) << 40 | number as u64)];
        line.event(ids[span.start_op as usize], (clock.event(span.start), clock.event(span.end)), stats);
    }
    plane.close(line);
    if scene.faults.has(Fault::Throttle) {
        power_states(steps, clock, &mut plane);
    }
    plane.bytes(3 + n as i64)
}

/// Returns the steps of device `n` that the capture has.
fn recorded_steps<'d>(scene: &Scene<'_>, n: usize, device: &'d Device) -> &'d [Step] {
    let is_lost = scene.faults.has(Fault::LostDevice) && Fault::LostDevice.device(scene.devices) == Some(n);
    let n_steps = device.steps.len();
    &device.steps[..if is_lost { n_steps.div_ceil(3) } else { n_steps }]
}

/// Iterates over the events of ops that the capture has. A loop whose second half is lost keeps its event.
fn recorded_events<'d>(scene: &Scene<'_>, steps: &'d [Step], device: &'d Device) -> impl Iterator<Item = &'d Event> {
    let loses = scene.faults.has(Fault::LostEvents);
    steps.iter().enumerate().flat_map(move |(number, step)| {
        let (from, until) = step.events;
        let until = if loses && number % 4 == 2 { (from + until) / 2 } else { until };
        &device.events[from..until]
    })
}

/// Adds the line of the device's power states. A higher state is a lower power.
fn power_states(steps: &[Step], clock: Clock, plane: &mut Plane) {
    let [state, throttle] = ["P state", "Power Throttle"].map(|name| plane.names.op(name, "", &[]));
    let mut line = plane.line("_counters_", 0);
    for (number, step) in steps.iter().enumerate() {
        let time = clock.event(step.start);
        let level = if number >= LATER_STEP { 2 } else { 0 };
        let stats = vec![plane.names.stat("P State", int(level))];
        line.event(state, (time, time), stats);
    }
    plane.close(line);
    let mut line = plane.line("Power Throttle", 0);
    if let Some((first, last)) = steps.get(LATER_STEP).zip(steps.last()) {
        line.event(throttle, (clock.event(first.start), clock.event(last.end)), Vec::new());
    }
    plane.close(line);
}

/// Adds the event metadata of an op to the plane, and returns the id of the metadata.
fn metadata(scene: &Scene<'_>, plane: &mut Plane, op: usize, symbol: u64) -> i64 {
    let facts = &scene.facts[op];
    let module = &scene.program.module;
    let instruction = scene.program.instruction(op);
    let cost = &facts.cost;
    let has = |fault| scene.faults.has(fault) && facts.faults.has(fault);
    let count = |n: u64| int(n as i64);
    let mut stats = vec![
        ("hlo_category", text(&facts.category)),
        ("program_id", Value::Uint64Value(scene.program_id)),
        ("symbol_id", Value::Uint64Value(symbol)),
        ("shape_with_layout", text(&instruction.shape.to_string())),
    ];
    if !has(Fault::OpaqueKernel) {
        stats.extend([
            ("flops", count(cost.flops)),
            ("model_flops", count(facts.model_flops)),
            ("bytes_accessed", count(cost.bytes)),
            ("raw_bytes_accessed", count(cost.bytes)),
            ("memory_access_breakdown", Value::BytesValue(breakdown(cost.hbm_read, cost.hbm_written))),
        ]);
    }
    if let Some(stack) = stack(module, op, scene) {
        let innermost = stack.rsplit('\n').next().unwrap_or_default();
        let source = innermost.rsplit_once(':').map_or(innermost, |(place, _)| place);
        stats.push(("source", text(source)));
        stats.push(("source_stack", text(&stack)));
    }
    if !instruction.op_name().is_empty() {
        stats.push(("tf_op", text(&format!("{}:", instruction.op_name()))));
    }
    let deduplicated = instruction.metadata().and_then(|m| m.deduplicated_name.clone());
    stats.extend(deduplicated.map(|name| ("deduplicated_name", text(&name))));
    let mut hlo = super::program::text(module, &scene.program.ops[op]);
    if has(Fault::OpaqueKernel) {
        hlo = format!("%{} = {} custom-call(), custom_call_target=\"tpu_custom_call\"", facts.name, instruction.shape);
    }
    if has(Fault::F32) {
        hlo = hlo.replace("bf16[", "f32[");
    }
    plane.names.op(&hlo, &facts.name, &stats)
}

/// Returns the call stack of an op as captures have it, with the innermost call last. `None` if the stack is empty.
fn stack(module: &Module, op: usize, scene: &Scene<'_>) -> Option<String> {
    let frames = module.stack(scene.program.ops[op].id);
    let lines: Vec<String> =
        frames.iter().rev().map(|frame| format!("{}:{}:{}", frame.file, frame.line, frame.column)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Encodes `memory_access_breakdown`: the bytes read from HBM and the bytes written to HBM.
fn breakdown(read: u64, written: u64) -> Vec<u8> {
    use prost::encoding::{WireType, encode_key, encode_varint};
    const HBM: u64 = 1;
    let mut bytes = Vec::new();
    for (operation, n) in [(1, read), (2, written)] {
        if n > 0 {
            let mut one = Vec::new();
            for (field, value) in [(1, operation), (2, HBM), (3, n)] {
                encode_key(field, WireType::Varint, &mut one);
                encode_varint(value, &mut one);
            }
            encode_key(1, WireType::LengthDelimited, &mut bytes);
            encode_varint(one.len() as u64, &mut bytes);
            bytes.extend(one);
        }
    }
    bytes
}
