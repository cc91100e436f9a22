//! This module writes the plane of a device: its peaks, steps, program runs, ops and asynchronous operations.

use super::clock::Clock;
use super::make::{int, text};
use super::plane::Plane;
use super::run::Device;
use super::scene::Scene;
use rooflight::hlo::Module;
use rooflight::wire::proto::xspace::x_stat::Value;

/// Returns the plane of device number `n`, encoded as a field of an XSpace.
pub fn plane(scene: &Scene, n: usize, device: &Device) -> Vec<u8> {
    let clock = Clock::for_device(n);
    let mut plane = Plane::new(&scene.label(n));
    let number = Value::DoubleValue;
    plane.names.own("device_type_string", text(scene.chip.spellings[scene.chip.spellings.len() - 1]));
    plane.names.own("peak_teraflops_per_second", number(scene.machine.flops / 1e12));
    plane.names.own("peak_hbm_bw_gigabytes_per_second", number(scene.machine.hbm / 1e9));
    plane.names.own("has_megacore", Value::Uint64Value(u64::from(scene.chip.megacore)));

    let ids: Vec<i64> = (0..scene.facts.len()).map(|op| metadata(scene, &mut plane, op)).collect();
    let [run_id, group_id, replica_id, queue_id] =
        ["run_id", "group_id", "replica_id", "queue_id"].map(|name| plane.names.stat(name, int(0)).metadata_id);
    let stat = |id: i64, value: u64| rooflight::wire::proto::xspace::XStat {
        metadata_id: id,
        value: Some(Value::Uint64Value(value)),
    };
    let module = plane.names.op(&format!("{}({})", scene.program.module.name, scene.program_id), "", &[]);
    let numbers: Vec<i64> = (0..device.steps.len()).map(|step| plane.names.op(&step.to_string(), "", &[])).collect();
    let within = |step: &super::run::Step| (clock.event(step.start), clock.event(step.end));

    let mut line = plane.line("Steps", 0);
    for (number, step) in device.steps.iter().enumerate() {
        line.event(numbers[number], within(step), vec![stat(group_id, number as u64)]);
    }
    plane.close(line);

    let mut line = plane.line("XLA Modules", 0);
    for (number, step) in device.steps.iter().enumerate() {
        let run = stat(run_id, scene.run_id(number));
        let stats = vec![run, stat(replica_id, 0), stat(queue_id, 0), stat(group_id, number as u64)];
        line.event(module, within(step), stats);
    }
    plane.close(line);

    let offset = plane.names.stat("device_offset_ps", int(0)).metadata_id;
    let duration = plane.names.stat("device_duration_ps", int(0)).metadata_id;
    let mut line = plane.line("XLA Ops", 0);
    for event in &device.events {
        let (start, end) = (Clock::device(event.start), Clock::device(event.end));
        let own = vec![stat(offset, start), stat(duration, end - start)];
        line.event(ids[event.op as usize], (clock.event(event.start), clock.event(event.end)), own);
    }
    plane.close(line);

    let flow = plane.names.stat("flow", int(0)).metadata_id;
    let done: Vec<_> = scene.facts.iter().map(|facts| plane.names.ref_stat("hlo_op", &facts.name)).collect();
    let mut line = plane.line("Async XLA Ops", 0);
    let mut spans: Vec<_> = device.spans.iter().enumerate().collect();
    spans.sort_by_key(|(_, span)| span.start);
    for (number, span) in spans {
        let stats = vec![done[span.done_op as usize].clone(), stat(flow, (n as u64) << 40 | number as u64)];
        line.event(ids[span.start_op as usize], (clock.event(span.start), clock.event(span.end)), stats);
    }
    plane.close(line);
    plane.bytes(3 + n as i64)
}

/// Adds the event metadata of an op to the plane, and returns the id of the metadata.
fn metadata(scene: &Scene, plane: &mut Plane, op: usize) -> i64 {
    let facts = &scene.facts[op];
    let module = &scene.program.module;
    let instruction = scene.program.instruction(op);
    let cost = &facts.cost;
    let count = |n: u64| int(n as i64);
    let mut stats = vec![
        ("hlo_category", text(&facts.category)),
        ("program_id", Value::Uint64Value(scene.program_id)),
        ("symbol_id", Value::Uint64Value(op as u64 + 1)),
        ("flops", count(cost.flops)),
        ("model_flops", count(facts.model_flops)),
        ("bytes_accessed", count(cost.bytes)),
        ("raw_bytes_accessed", count(cost.bytes)),
        ("memory_access_breakdown", Value::BytesValue(breakdown(cost.hbm_read, cost.hbm_written))),
        ("shape_with_layout", text(&instruction.shape.to_string())),
    ];
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
    plane.names.op(&super::program::text(module, &scene.program.ops[op]), &facts.name, &stats)
}

/// Returns the call stack of an op as captures have it, with the innermost call last. `None` if the stack is empty.
fn stack(module: &Module, op: usize, scene: &Scene) -> Option<String> {
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
