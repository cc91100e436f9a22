//! This module writes a trace as a capture, with the planes, lines, names and stats that profilers write on TPUs and GPUs.

use super::super::make::{Plane, int, text};
use super::events::{ENQUEUE, Thread, device_run_id, run_context};
use super::loss::{Loss, Lost};
use super::plan::{Links, Plan, Platform, Program, US};
use super::trace::{HostEvent, Run, Trace};
use super::truth::label;
use fastrand::Rng;
use std::collections::BTreeMap;
use xla_profile::wire::proto::xspace::x_stat::Value;
use xla_profile::wire::proto::xspace::{XPlane, XSpace, XStat};

/// An event of a line: the id of its metadata, its time in ps since the start of the profile, and its stats.
type Event = (i64, u64, u64, Vec<XStat>);

/// The bytes of a batch that is copied to a GPU.
const BATCH_BYTES: u64 = 19_267_584;

/// A plane under construction, with the time at which its lines start.
struct Lines {
    plane: Plane,
    start_ns: u64,
    next_id: i64,
}

impl Lines {
    /// Begins a plane. Its lines start at the start of the profile, or some time later.
    fn new(name: &str, random: &mut Rng) -> Self {
        let start_ns = if random.bool() { 0 } else { random.u64(1..3_000_000) };
        Self { plane: Plane::new(name), start_ns, next_id: random.i64(1..1000) }
    }

    fn line(&mut self, name: &str, events: Vec<Event>) {
        let offset = |start: u64| start as i64 - (self.start_ns * 1000) as i64;
        let times: Vec<(i64, i64, i64)> =
            events.iter().map(|(id, start, end, _)| (*id, offset(*start), (end - start) as i64)).collect();
        let line = self.plane.line(name, &times);
        line.id = self.next_id;
        line.timestamp_ns = self.start_ns as i64;
        line.events.iter_mut().zip(events).for_each(|(event, (.., stats))| event.stats = stats);
        self.next_id += 1;
    }

    fn name(&mut self, name: &str) -> i64 {
        self.plane.op(name, "", &[])
    }

    fn stats(&mut self, stats: &[(&str, Value)]) -> Vec<XStat> {
        stats.iter().map(|(name, value)| self.plane.stat(name, value.clone())).collect()
    }
}

/// Returns the capture of a trace. `began_ns` is the start of the profile, in ns since 1970.
pub fn write(plan: &Plan, trace: &Trace, lost: &[Lost], began_ns: u64, random: &mut Rng) -> XSpace {
    let mut planes = vec![host(trace, random), environment(trace, began_ns), metadata()];
    for device in 0..plan.n_devices {
        let runs: Vec<&Run> = trace.runs.iter().filter(|run| run.device == device && run.is_recorded).collect();
        planes.push(match plan.platform {
            Platform::Tpu => tpu(plan, device, &runs, lost, random),
            Platform::Gpu => gpu(plan, device, &runs, trace, random),
        });
    }
    let mut warnings = vec!["The programs and the times in this capture are simulated.".to_owned()];
    let mut errors = Vec::new();
    for lost in lost {
        let to = if lost.sign == "profiler_errors" { &mut errors } else { &mut warnings };
        to.extend(lost.text.clone());
    }
    XSpace { planes, errors, warnings, hostnames: vec!["vm".to_owned()] }
}

fn host(trace: &Trace, random: &mut Rng) -> XPlane {
    let mut lines = Lines::new("/host:CPU", random);
    lines.plane.own("process_id", int(4711));
    let mut threads: BTreeMap<Thread, Vec<&HostEvent>> = BTreeMap::new();
    for event in &trace.events {
        threads.entry(event.thread).or_default().push(event);
    }
    for (thread, mut events) in threads {
        let name = match thread {
            Thread::Main => "python".to_owned(),
            Thread::Device(device) => format!("py_xla_execute/{}", 5000 + device),
            Thread::Queue => "tfrt-non-blocking-queue/5999".to_owned(),
            Thread::Pool => "tf_data_private_threadpool/6001".to_owned(),
            Thread::Requests => "http_server/6002".to_owned(),
        };
        events.sort_by_key(|event| (event.start, std::cmp::Reverse(event.end)));
        let mut written = Vec::new();
        for event in events {
            let (id, stats) = (lines.name(&event.name), lines.stats(&event.stats));
            written.push((id, event.start, event.end, stats));
        }
        lines.line(&name, written);
    }
    lines.plane.done()
}

fn environment(trace: &Trace, began_ns: u64) -> XPlane {
    let mut plane = Plane::new("Task Environment");
    plane.own("profile_start_time", Value::Uint64Value(began_ns));
    plane.own("profile_stop_time", Value::Uint64Value(began_ns + trace.end / 1000));
    plane.done()
}

fn metadata() -> XPlane {
    let mut plane = Plane::new("/host:metadata");
    plane.own("process_id", int(4711));
    plane.own("jax_version", text("0.10.2"));
    plane.own("jaxlib_version", text("0.10.2"));
    plane.done()
}

/// Returns the HLO text of an op. Programs of one name have other shapes, so that each is a program of its own.
fn hlo(program: usize, op: usize) -> String {
    let shape = format!("bf16[{},4096]{{1,0:T(8,128)(2,1)}}", 1024 + 8 * program);
    format!("%fusion.{op} = {shape} fusion({shape} %p.{op}), kind=kLoop, calls=%computation.{op}")
}

fn tpu(plan: &Plan, device: usize, runs: &[&Run], lost: &[Lost], random: &mut Rng) -> XPlane {
    let mut lines = Lines::new(&format!("/device:{}", label(plan, device)), random);
    lines.plane.own("device_type_string", text("TPU v5 lite"));
    lines.plane.own("peak_teraflops_per_second", Value::DoubleValue(197.0));
    lines.plane.own("peak_hbm_bw_gigabytes_per_second", Value::DoubleValue(819.0));
    if plan.loss == Some(Loss::Traces) {
        let n = lost.iter().filter_map(|lost| lost.n).sum::<u64>();
        lines.plane.own("dropped_traces", int(n as i64));
    }
    if plan.loss == Some(Loss::AllOps) {
        return lines.plane.done();
    }
    let mut steps = Vec::new();
    let mut modules = Vec::new();
    let mut ops = Vec::new();
    let offset = random.u64(0..500 * US);
    for run in runs {
        let program = &plan.programs[run.program];
        let module = lines.name(&format!("{}({})", program.name, program.id));
        modules.push((module, run.start, run.end, lines.stats(&run_stats(plan, run))));
        let step = lines.name(&run.number.to_string());
        steps.push((step, run.start, run.end, lines.stats(&[("group_id", int(run.number as i64))])));
        for (op, start, end) in &run.ops {
            let id = tpu_op(&mut lines, run.program, program, *op);
            let own =
                [("device_offset_ps", int((start + offset) as i64)), ("device_duration_ps", int((end - start) as i64))];
            let stats = if plan.has_device_clock { lines.stats(&own) } else { Vec::new() };
            ops.push((id, *start, *end, stats));
        }
    }
    if plan.has_steps_line {
        lines.line("Steps", steps);
    }
    lines.line("XLA Modules", modules);
    lines.line("XLA Ops", ops);
    let dropped =
        lost.iter().find(|lost| lost.sign == "buffers_dropped" && lost.devices.contains(&label(plan, device)));
    if let Some((start, end)) = dropped.and_then(|lost| lost.span_ps) {
        let id = lines.name("Trace Buffers Dropped");
        lines.line("XLA TraceMe", vec![(id, start, end, Vec::new())]);
    }
    lines.plane.done()
}

/// Returns the stats of a run of a TPU.
fn run_stats(plan: &Plan, run: &Run) -> Vec<(&'static str, Value)> {
    let id = device_run_id(run.device, run.number);
    let mut stats =
        vec![("run_id", int(id as i64)), ("replica_id", int(0)), ("queue_id", int(0)), ("core_type", int(0))];
    if plan.links == Links::Producers {
        stats.extend([("_ct", int(ENQUEUE)), ("_c", int(run_context(run.device, run.number)))]);
    }
    stats
}

fn tpu_op(lines: &mut Lines, index: usize, program: &Program, op: usize) -> i64 {
    let stats = [
        ("hlo_category", text(if op == 0 { "convolution fusion" } else { "loop fusion" })),
        ("program_id", Value::Uint64Value(program.id)),
        ("flops", int(8_000_000)),
        ("bytes_accessed", int(16_000_000)),
    ];
    lines.plane.op(&hlo(index, op), &format!("fusion.{op}"), &stats)
}

fn gpu(plan: &Plan, device: usize, runs: &[&Run], trace: &Trace, random: &mut Rng) -> XPlane {
    let mut lines = Lines::new(&format!("/device:{}", label(plan, device)), random);
    lines.plane.own("device_vendor", text("Nvidia"));
    lines.plane.own("gpu_device_name", text("NVIDIA H100 80GB HBM3"));
    for (name, value) in [
        ("clock_rate", 1_980_000),
        ("core_count", 132),
        ("memory_bandwidth", 3_352_320_000_000),
        ("memory_size", 85_017_493_504),
        ("compute_cap_major", 9),
        ("compute_cap_minor", 0),
    ] {
        lines.plane.own(name, int(value));
    }
    let mut kernels = Vec::new();
    for run in runs {
        let program = &plan.programs[run.program];
        for (op, start, end) in &run.ops {
            let id = lines.name(&format!("gemm_fusion_dot_{op}"));
            let mut stats = lines.stats(&[
                ("correlation_id", int((run.correlation + *op as u64) as i64)),
                ("program_id", int(program.id as i64)),
                (
                    "kernel_details",
                    text("regs:64 static_shared:0 dynamic_shared:0 grid:132,1,1 block:256,1,1 occ_pct:50"),
                ),
            ]);
            stats.push(lines.plane.ref_stat("hlo_op", &format!("gemm_fusion_dot.{op}")));
            stats.push(lines.plane.ref_stat("hlo_module", &program.name));
            kernels.push((id, *start, *end, stats));
        }
    }
    if !kernels.is_empty() {
        lines.line("Stream #20(Compute)", kernels);
    }
    let copy = lines.name("MemcpyH2D");
    let details = text(&format!("kind_src:pageable kind_dst:device size:{BATCH_BYTES} dest:0 async:1"));
    let mut copies = Vec::new();
    for event in trace.events.iter().filter(|event| device == 0 && event.name == "cuMemcpyHtoDAsync") {
        let mut stats = event.stats.clone();
        stats.push(("memcpy_details", details.clone()));
        copies.push((copy, event.end, event.end + 200 * US, lines.stats(&stats)));
    }
    if !copies.is_empty() {
        lines.line("Stream #21(MemcpyH2D)", copies);
    }
    lines.plane.done()
}
