//! This module writes trace JSON, and converts profiles to plain values that can be compared.

use rooflight::protocol::Failure;
use rooflight::session::{Input, Opened, open};
use serde_json::{Value, json};
use std::io::Write;
use xla_profile::profile::{Plane, Profile};
use xla_profile::wire::proto::xspace::XSpace;

/// Opens files as one session.
pub fn open_all(files: &[(&str, &[u8])]) -> Result<Opened, Failure> {
    let input = |(name, bytes): &(&str, &[u8])| Input {
        name: (*name).into(),
        source: Box::new(bytes.to_vec()),
        from_folder: false,
    };
    open(files.iter().map(input).collect(), &mut |_| {})
}

/// Packs with gzip.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

/// Packs with xz.
pub fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut xz = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(1)).unwrap();
    xz.write_all(bytes).unwrap();
    xz.finish().unwrap()
}

/// Formats a time in ps as the profiler prints it: microseconds as a double with 17 digits.
fn micros(ps: u64) -> String {
    format!("{:.16e}", ps as f64 / 1e6)
}

/// Returns the events that the profiler writes for an XSpace whose events have no stats of their own.
pub fn events_of(space: &XSpace) -> Vec<Value> {
    let mut events = Vec::new();
    for (pid, plane) in space.planes.iter().enumerate() {
        events.push(json!({"ph": "M", "pid": pid, "name": "process_name", "args": {"name": plane.name}}));
        events.push(json!({"ph": "M", "pid": pid, "name": "process_sort_index", "args": {"sort_index": pid}}));
        for line in &plane.lines {
            let meta =
                |name: &str, args: Value| json!({"ph": "M", "pid": pid, "tid": line.id, "name": name, "args": args});
            events.push(meta("thread_name", json!({"name": line.name})));
            events.push(meta("thread_sort_index", json!({"sort_index": line.id})));
        }
        for line in &plane.lines {
            for event in &line.events {
                let metadata = &plane.event_metadata[&event.metadata_id];
                let Some(xla_profile::wire::proto::xspace::x_event::Data::OffsetPs(offset)) = event.data else {
                    continue;
                };
                let mut args = serde_json::Map::new();
                for stat in &metadata.stats {
                    use xla_profile::wire::proto::xspace::x_stat::Value as Stat;
                    let name = &plane.stat_metadata[&stat.metadata_id].name;
                    let value = match stat.value.as_ref().unwrap() {
                        Stat::Int64Value(n) => n.to_string(),
                        Stat::StrValue(text) => text.clone(),
                        other => panic!("{other:?}"),
                    };
                    args.insert(name.clone(), value.into());
                }
                let mut name = &metadata.name;
                if !metadata.display_name.is_empty() {
                    args.insert("long_name".into(), metadata.name.clone().into());
                    name = &metadata.display_name;
                }
                let start = line.timestamp_ns.cast_unsigned() * 1000 + offset.cast_unsigned();
                let [ts, dur] = [start, event.duration_ps.cast_unsigned()]
                    .map(|ps| serde_json::from_str::<Value>(&micros(ps)).unwrap());
                events.push(
                    json!({"ph": "X", "pid": pid, "tid": line.id, "ts": ts, "dur": dur, "name": name, "args": args}),
                );
            }
        }
    }
    events
}

/// Returns the whole trace JSON, as the profiler writes it.
pub fn text(events: &[Value]) -> Vec<u8> {
    let mut events: Vec<Value> = events.to_vec();
    events.push(json!({}));
    json!({"displayTimeUnit": "ns", "metadata": {"highres-ticks": true}, "traceEvents": events})
        .to_string()
        .into_bytes()
}

/// A line as plain values: its name, and for each event its start and duration, its start and duration on the device
/// clock, and its op as a text. Times are in ps.
pub type Line = (String, Vec<(u64, u64, Option<(u64, u64)>, String)>);

/// Returns the planes by name, with their lines. The sizes of planes in the file are left out, because they depend on
/// the whitespace of the file.
pub fn planes_by_name(profile: &Profile) -> Vec<(String, Vec<Line>)> {
    profile.planes.iter().map(|plane| (plane.name.clone(), lines(profile, plane))).collect()
}

fn lines(profile: &Profile, plane: &Plane) -> Vec<Line> {
    let line = |line: &xla_profile::profile::Line| {
        let base = line.timestamp_ns.cast_unsigned() * 1000;
        let events = &line.events;
        let event = |i: usize| {
            let op = plane.op(events.op(i));
            let texts = [
                Some(op.name),
                Some(op.text),
                op.stats.category,
                op.stats.tf_op,
                op.stats.source,
                op.stats.source_stack,
            ];
            let texts = texts.map(|id| id.map(|id| profile.text(id)));
            let numbers = (op.stats.program, op.stats.flops, op.stats.model_flops, op.stats.bytes_accessed);
            let (start, duration) = events.time(i);
            (base + start, duration, events.device_time(i), format!("{texts:?} {numbers:?}"))
        };
        (line.name.clone(), (0..events.len()).map(event).collect())
    };
    plane.lines.iter().map(line).collect()
}
