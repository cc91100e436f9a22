//! This module writes the planes of a host: the events of its threads and of its allocator, the program, and the time
//! at which profiling began.

use super::clock::Clock;
use super::faults::Fault;
use super::host_threads;
use super::make::int;
use super::plane::Plane;
use super::run::Run;
use super::scene::Scene;
use prost::Message;
use std::ops::Range;
use xla_profile::wire::proto::xspace::XSpace;
use xla_profile::wire::proto::xspace::x_stat::Value;

/// Time from the start of profiling to the start of a host's lines, in ns.
const TIMESTAMP_NS: i64 = 212_990;
const NS_PER_DAY: u64 = 86_400_000_000_000;
/// Start of profiling on day 0, in ns since 1970: the beginning of 2026.
const BEGAN_NS: u64 = 1_767_225_600_000_000_000;

/// Returns all planes of a host that do not belong to a device, encoded as fields of an XSpace.
pub fn planes(scene: &Scene<'_>, run: &Run<'_>, devices: Range<usize>) -> Vec<u8> {
    let mut bytes = threads(scene, run, devices);
    bytes.extend(metadata(scene));
    bytes.extend(environment(scene, run));
    bytes
}

/// Converts ticks to the time of an event in a line of a host with this clock. It counts from the start of the line.
fn time_in_line(clock: Clock, ticks: u64) -> u64 {
    clock.event(ticks).saturating_sub(TIMESTAMP_NS as u64 * 1000)
}

fn threads(scene: &Scene<'_>, run: &Run<'_>, devices: Range<usize>) -> Vec<u8> {
    let mut plane = Plane::new("/host:CPU");
    let clock = scene.host_clock(devices.start);
    for thread in host_threads::threads(scene, run, devices.clone()) {
        let mut line = plane.line(&thread.name, TIMESTAMP_NS);
        for event in thread.events {
            let name = plane.names.op(event.name, "", &[]);
            let stat = |(name, value): (&str, u64)| plane.names.stat(name, Value::Uint64Value(value));
            let stats = event.stats.into_iter().map(stat).collect();
            line.event(name, (time_in_line(clock, event.time.0), time_in_line(clock, event.time.1)), stats);
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
fn allocator(scene: &Scene<'_>, run: &Run<'_>, n: usize, ordinal: usize, plane: &mut Plane) {
    let Some(memory) = scene.memory else { return };
    let capacity = scene.capacity();
    let fragmentation = if scene.faults.has(Fault::Fragmented) { 0.25 } else { 0.0 };
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
            ("fragmentation", Value::DoubleValue(fragmentation)),
            ("peak_bytes_in_use", int(peak as i64)),
        ];
        if taken {
            stats.extend([("requested_bytes", int(bytes as i64)), ("allocation_bytes", int(bytes as i64))]);
        }
        let stats = stats.into_iter().map(|(name, value)| plane.names.stat(name, value)).collect();
        let time = time_in_line(scene.host_clock(n), ticks);
        line.event(if taken { allocation } else { release }, (time, time), stats);
    };
    let steps = &run.devices[n].steps;
    let begin = steps.first().map_or(0, |step| step.prepare.0.saturating_sub(70_000));
    event(plane, begin, scene.state_bytes(), true);
    for step in steps {
        event(plane, step.prepare.0, scene.batch_bytes, true);
        event(plane, step.end, scene.batch_bytes, false);
    }
    plane.close(line);
}

/// Returns the plane that holds the HLO of the program.
fn metadata(scene: &Scene<'_>) -> Vec<u8> {
    let mut plane = Plane::new("/host:metadata");
    let name = format!("{}({})", scene.program.module.name, scene.program_id);
    plane.names.op(&name, "", &[("Hlo Proto", Value::BytesValue(scene.program.bytes.clone()))]);
    plane.bytes(2)
}

fn environment(scene: &Scene<'_>, run: &Run<'_>) -> Vec<u8> {
    let mut plane = Plane::new("Task Environment");
    let last = run.devices.iter().filter_map(|device| device.steps.last()).map(|step| step.end).max().unwrap_or(0);
    let began = BEGAN_NS + u64::from(scene.day) * NS_PER_DAY;
    plane.names.own("profile_start_time", Value::Uint64Value(began));
    plane.names.own("profile_stop_time", Value::Uint64Value(began + Clock::for_host(0, 0).event(last) / 1000));
    plane.bytes(0)
}

/// Returns the end of a capture: the name of its host, and a warning that the times are simulated.
pub fn end(host: &str) -> Vec<u8> {
    let simulated =
        "The times in this capture are simulated: a real XLA:TPU program and buffer assignment, nothing measured.";
    XSpace { hostnames: vec![host.to_owned()], warnings: vec![simulated.to_owned()], ..XSpace::default() }
        .encode_to_vec()
}
