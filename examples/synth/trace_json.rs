//! This module writes the same capture as `trace.json.gz`, the file for a browser's trace viewer. The file holds the
//! first million events by time, and fewer data per event: every value is text, and `flops` and program ids are left
//! out.

use super::clock::Clock;
use super::host_threads::{self, HostThread};
use super::run::Run;
use super::scene::Scene;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use std::io::{Result, Write};
use std::ops::Range;

/// Largest number of events in the file.
const CAP: usize = 1_000_000;

/// One event. The type is small because there are many events.
struct Event {
    start: u64,
    end: u64,
    device: u32,
    /// The line: 1 steps, 2 modules, 3 ops, 4 async, 6 waits of runs, [`HOST`] threads of the host.
    line: u8,
    /// Index of the op, number of the step, 0 for a dependency and 1 for a barrier, or index of the thread.
    what: u32,
    /// Index of the event in the device's events, for line 3, or in the thread.
    place: u32,
}

const LINES: [(u8, &str); 5] =
    [(1, "Steps"), (2, "XLA Modules"), (3, "XLA Ops"), (4, "Async XLA Ops"), (6, "XLA TraceMe")];
/// The line of events of the host's threads.
const HOST: u8 = u8::MAX;
/// The process of the host.
const HOST_PID: usize = 701;

/// Writes the events of the devices of one host.
pub fn write(scene: &Scene<'_>, run: &Run<'_>, devices: Range<usize>, to: impl Write) -> Result<()> {
    let mut out = GzEncoder::new(to, Compression::default());
    write!(out, "{{\"displayTimeUnit\":\"ns\",\"metadata\":{{\"highres-ticks\":true}},\"traceEvents\":[")?;
    for n in devices.clone() {
        let pid = 3 + n;
        let meta = |name: &str, tid: Option<u8>, args: Value| {
            let mut event = json!({"ph": "M", "pid": pid, "name": name, "args": args});
            if let Some(tid) = tid {
                event["tid"] = json!(tid);
            }
            event
        };
        writeln!(out, "{},", meta("process_name", None, json!({"name": scene.label(n)})))?;
        writeln!(out, "{},", meta("process_sort_index", None, json!({"sort_index": pid})))?;
        for (tid, name) in LINES {
            writeln!(out, "{},", meta("thread_name", Some(tid), json!({"name": name})))?;
            writeln!(out, "{},", meta("thread_sort_index", Some(tid), json!({"sort_index": tid})))?;
        }
    }
    // These arguments are the same for all events of an op. The times on the device clock are written before these
    // arguments.
    let args: Vec<String> = (0..scene.facts.len()).map(|op| arguments(scene, op)).collect();
    let names: Vec<Value> = scene.facts.iter().map(|facts| json!(facts.name)).collect();
    let module = json!(format!("{}({})", scene.program.module.name, scene.program_id));
    let threads = host_threads::threads(scene, run, devices.clone());
    let tid_of = |thread: &HostThread| thread.name.rsplit('/').next().unwrap_or_default().to_owned();
    writeln!(out, "{},", json!({"ph": "M", "pid": HOST_PID, "name": "process_name", "args": {"name": "/host:CPU"}}))?;
    for thread in &threads {
        let tid: Value = tid_of(thread).parse::<u64>().map_or(Value::Null, Value::from);
        let named =
            json!({"ph": "M", "pid": HOST_PID, "tid": tid, "name": "thread_name", "args": {"name": thread.name}});
        writeln!(out, "{named},")?;
    }
    for event in events(scene, run, devices, &threads) {
        let (pid, tid, what) = (u64::from(event.device) + 3, event.line, event.what as usize);
        let (ts, dur) = (micros(event.start), micros(event.end - event.start));
        if tid == HOST {
            let thread = &threads[what];
            let host_event = &thread.events[event.place as usize];
            // The trace viewer's file leaves out the stats that link events.
            let args = host_event.stats.iter().filter(|(name, _)| !name.starts_with('_'));
            let args: serde_json::Map<_, _> =
                args.map(|(name, value)| ((*name).to_owned(), json!(value.to_string()))).collect();
            let (tid, name) = (tid_of(thread), json!(host_event.name));
            write!(out, "{{\"ph\":\"X\",\"pid\":{HOST_PID},\"tid\":{tid},\"ts\":{ts},\"dur\":{dur},\"name\":{name}")?;
            writeln!(out, ",\"args\":{}}},", Value::Object(args))?;
            continue;
        }
        write!(out, "{{\"ph\":\"X\",\"pid\":{pid},\"tid\":{tid},\"ts\":{ts},\"dur\":{dur},\"name\":")?;
        match tid {
            1 => writeln!(out, "\"{what}\",\"args\":{{}}}},")?,
            2 => {
                let run_id = scene.run_id(what);
                writeln!(
                    out,
                    "{module},\"args\":{{\"run_id\":\"{run_id}\",\"queue_id\":\"0\",\"core_type\":\"0\"}}}},"
                )?;
            }
            6 => writeln!(out, "\"{}\",\"args\":{{}}}},", ["dependency-wait", "barrier-cores"][what])?,
            3 => {
                let device_event = run.devices[event.device as usize].events[event.place as usize];
                let (start, end) = (Clock::device(device_event.start), Clock::device(device_event.end));
                let own = format!("\"device_offset_ps\":\"{start}\",\"device_duration_ps\":\"{}\"", end - start);
                writeln!(out, "{},\"args\":{{{own},{}}},", names[what], args[what])?;
            }
            _ => writeln!(out, "{},\"args\":{{{}}},", names[what], args[what])?,
        }
    }
    write!(out, "{{}}]}}")?;
    out.finish()?.flush()
}

/// Returns the first million events by time.
fn events(scene: &Scene<'_>, run: &Run<'_>, devices: Range<usize>, threads: &[HostThread]) -> Vec<Event> {
    let mut all = Vec::new();
    let host = scene.host_clock(devices.start);
    for (thread, thread_events) in threads.iter().enumerate() {
        for (place, event) in thread_events.events.iter().enumerate() {
            let (start, end) = (host.event(event.time.0), host.event(event.time.1));
            all.push(Event { start, end, device: u32::MAX, line: HOST, what: thread as u32, place: place as u32 });
        }
    }
    let steps = run.devices.first().map_or(0, |device| device.steps.len());
    // Steps come one after the other, so the steps beyond the cap need not be examined.
    for step in 0..steps {
        if all.len() > CAP {
            break;
        }
        for n in devices.clone() {
            let (clock, device) = (scene.clock(n), &run.devices[n]);
            let times = device.steps[step];
            let mut push = |line, what, place, start, end| {
                let (start, end) = (clock.event(start), clock.event(end));
                all.push(Event { start, end, device: n as u32, line, what, place });
            };
            push(1, step as u32, 0, times.start, times.end);
            push(2, step as u32, 0, times.start, times.end);
            push(6, 1, 0, times.start + 100, times.ready - 100);
            for place in times.events.0..times.events.1 {
                let event = device.events[place];
                push(3, event.op, place as u32, event.start, event.end);
            }
            for span in &device.spans[times.spans.0..times.spans.1] {
                push(4, span.start_op, 0, span.start, span.end);
            }
        }
    }
    all.sort_by_key(|event| (event.start, event.device, event.line, std::cmp::Reverse(event.end)));
    all.truncate(CAP);
    all
}

/// Returns the arguments of an op's events: the inside of a JSON object and its closing brace.
fn arguments(scene: &Scene<'_>, op: usize) -> String {
    let facts = &scene.facts[op];
    let instruction = scene.program.instruction(op);
    let mut args = json!({
        "bytes_accessed": facts.cost.bytes.to_string(),
        "hlo_category": facts.category,
        "long_name": super::program::text(&scene.program.module, &scene.program.ops[op]),
        "model_flops": facts.model_flops.to_string(),
        "raw_bytes_accessed": facts.cost.bytes.to_string(),
        "shape_with_layout": instruction.shape.to_string(),
    });
    if !instruction.op_name().is_empty() {
        args["tf_op"] = json!(format!("{}:", instruction.op_name()));
    }
    if let Some(frame) = scene.program.module.stack(scene.program.ops[op].id).first() {
        args["source"] = json!(format!("{}:{}", frame.file, frame.line));
    }
    args.to_string().split_off(1)
}

/// Formats a time in ps as microseconds, with all of its decimals.
fn micros(ps: u64) -> String {
    let text = format!("{}.{:06}", ps / 1_000_000, ps % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
