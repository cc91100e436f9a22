//! This module writes the planes of a host: the events of its threads and of its allocator, the program, and the time
//! at which profiling began.

use super::clock::Clock;
use super::make::int;
use super::plane::Plane;
use super::run::Run;
use super::scene::Scene;
use prost::Message;
use rooflight::wire::proto::xspace::x_stat::Value;
use rooflight::wire::proto::xspace::{XSpace, XStat};
use std::ops::Range;

/// Time from the start of profiling to the start of a host's lines, in ns.
const TIMESTAMP_NS: i64 = 212_990;
/// Start of profiling, in ns since 1970: the beginning of 2026.
const BEGAN_NS: u64 = 1_767_225_600_000_000_000;

/// Returns all planes of a host that do not belong to a device, encoded as fields of an XSpace.
pub fn planes(scene: &Scene, run: &Run<'_>, devices: Range<usize>) -> Vec<u8> {
    let mut bytes = threads(scene, run, devices);
    bytes.extend(metadata(scene));
    bytes.extend(environment(run));
    bytes
}

fn threads(scene: &Scene, run: &Run<'_>, devices: Range<usize>) -> Vec<u8> {
    let mut plane = Plane::new("/host:CPU");
    let first = &run.devices[devices.start];
    // The times of events of a host's line count from the start of the line.
    let at = |n: usize, ticks: u64| Clock::for_device(n).event(ticks).saturating_sub(TIMESTAMP_NS as u64 * 1000);
    let [train, step, load, call, execute] = [
        "$train.py:71 <module>",
        "train",
        "DataLoader.__next__",
        "PjitFunction(train_step)",
        "TfrtTpuLoadedExecutable::Execute",
    ]
    .map(|name| plane.names.op(name, "", &[]));
    let number = plane.names.stat("step_num", int(0)).metadata_id;
    let run_id = plane.names.stat("run_id", int(0)).metadata_id;
    let stat = |id: i64, value: u64| XStat { metadata_id: id, value: Some(Value::Uint64Value(value)) };

    let mut line = plane.line("main/4711", TIMESTAMP_NS);
    let n = devices.start;
    let (begin, end) = (first.steps.first(), first.steps.last());
    if let Some((begin, end)) = begin.zip(end) {
        line.event(train, (at(n, begin.asked.saturating_sub(80_000)), at(n, end.end + 80_000)), Vec::new());
    }
    for (i, one) in first.steps.iter().enumerate() {
        // The host works on the next batch from the time at which it launched the step before.
        let from = if i == 0 { one.asked.saturating_sub(60_000) } else { first.steps[i - 1].asked + 32_000 };
        let until = one.asked + 24_000;
        line.event(step, (at(n, from), at(n, until)), vec![stat(number, i as u64)]);
        line.event(load, (at(n, from + 800), at(n, one.asked.saturating_sub(800).max(from + 1600))), Vec::new());
        line.event(call, (at(n, one.asked), at(n, until - 800)), Vec::new());
    }
    plane.close(line);

    for device in devices.clone() {
        let mut line = plane.line(&format!("py_xla_execute/{}", 5000 + device), TIMESTAMP_NS);
        for (i, one) in run.devices[device].steps.iter().enumerate() {
            let begin = one.asked + 4000;
            let within = (at(device, begin), at(device, begin + 12_000));
            line.event(execute, within, vec![stat(run_id, scene.run_id(i))]);
        }
        plane.close(line);
    }
    if scene.memory.is_some() {
        for device in devices.clone() {
            allocator(scene, run, device, device - devices.start, &mut plane);
        }
    }
    plane.bytes(1)
}

/// Adds the line of a device's allocator. The state is allocated before the first step. A batch is allocated before
/// each step and freed after the step. The scratch memory of the program is reserved.
fn allocator(scene: &Scene, run: &Run<'_>, n: usize, ordinal: usize, plane: &mut Plane) {
    let Some(memory) = scene.memory else { return };
    let capacity = scene.machine.hbm_size;
    let [allocation, release] = ["MemoryAllocation", "MemoryDeallocation"].map(|name| plane.names.op(name, "", &[]));
    let mut line = plane.line(&format!("tpu-allocator/{}", 6000 + n), TIMESTAMP_NS);
    let (mut allocated, mut peak) = (0_u64, 0_u64);
    let mut event = |plane: &mut Plane, ticks: u64, bytes: u64, taken: bool| {
        allocated = if taken { allocated + bytes } else { allocated - bytes };
        peak = peak.max(memory.arena + allocated);
        let mut stats = vec![
            ("index_on_host", int(ordinal as i64)),
            ("device_ordinal", int(ordinal as i64)),
            ("bytes_reserved", int(memory.arena as i64)),
            ("bytes_allocated", int(allocated as i64)),
            ("bytes_available", int((capacity.saturating_sub(memory.arena + allocated)) as i64)),
            ("fragmentation", Value::DoubleValue(0.0)),
            ("peak_bytes_in_use", int(peak as i64)),
        ];
        if taken {
            stats.extend([("requested_bytes", int(bytes as i64)), ("allocation_bytes", int(bytes as i64))]);
        }
        let stats = stats.into_iter().map(|(name, value)| plane.names.stat(name, value)).collect();
        let at = Clock::for_device(n).event(ticks).saturating_sub(TIMESTAMP_NS as u64 * 1000);
        line.event(if taken { allocation } else { release }, (at, at), stats);
    };
    let steps = &run.devices[n].steps;
    let begin = steps.first().map_or(0, |step| step.asked.saturating_sub(70_000));
    event(plane, begin, scene.state_bytes(), true);
    for step in steps {
        event(plane, step.asked, scene.batch_bytes, true);
        event(plane, step.end, scene.batch_bytes, false);
    }
    plane.close(line);
}

/// Returns the plane that holds the HLO of the program.
fn metadata(scene: &Scene) -> Vec<u8> {
    let mut plane = Plane::new("/host:metadata");
    let name = format!("{}({})", scene.program.module.name, scene.program_id);
    plane.names.op(&name, "", &[("Hlo Proto", Value::BytesValue(scene.program.bytes.clone()))]);
    plane.bytes(2)
}

fn environment(run: &Run<'_>) -> Vec<u8> {
    let mut plane = Plane::new("Task Environment");
    let last = run.devices.iter().filter_map(|device| device.steps.last()).map(|step| step.end).max().unwrap_or(0);
    plane.names.own("profile_start_time", Value::Uint64Value(BEGAN_NS));
    plane.names.own("profile_stop_time", Value::Uint64Value(BEGAN_NS + Clock::for_device(0).event(last) / 1000));
    plane.bytes(0)
}

/// Returns the end of a capture: the name of its host, and a warning that the times are simulated.
pub fn end(host: &str) -> Vec<u8> {
    let simulated =
        "The times in this capture are simulated: a real XLA:TPU program and buffer assignment, nothing measured.";
    XSpace { hostnames: vec![host.to_owned()], warnings: vec![simulated.to_owned()], ..XSpace::default() }
        .encode_to_vec()
}
