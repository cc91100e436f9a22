//! These tests simulate runs with one fault each, of random sizes, and check that the fault is the first finding, with
//! the time that it costs. The faults are those of whole runs, which the simulator of one program (`synth`) does not
//! have.

use crate::common::make::{Plane, int, text};
use crate::common::{bytes, open};
use fastrand::Rng;
use rooflight::analysis::base::Analysis;
use rooflight::analysis::overview::{Confidence, Finding, Overview, OverviewQuery, RuleId};
use rooflight::session::{self, Programs};
use xla_profile::profile::{Note, NoteCode};
use xla_profile::wire::proto::xspace::x_event::Data;
use xla_profile::wire::proto::xspace::x_stat::Value;
use xla_profile::wire::proto::xspace::{XEvent, XPlane, XSpace};

pub const US: i64 = 1_000_000;
pub const MS: i64 = 1_000 * US;
/// Number of random runs of each fault.
const N_RUNS: u64 = 12;
/// Number of steps of a run.
const N_STEPS: i64 = 8;
/// When the first step starts.
const START: i64 = 30 * MS;
/// Peak of a TPU v5e in FLOP/s.
const PEAK: f64 = 197e12;

/// A device, with the events of its lines.
pub struct Device {
    plane: Plane,
    program: i64,
    ops: Vec<(i64, i64, i64)>,
    runs: Vec<(i64, i64, i64)>,
    steps: Vec<(i64, i64, i64)>,
}

impl Device {
    pub fn new(number: usize, program: i64) -> Self {
        let mut plane = Plane::new(&format!("/device:TPU:{number}"));
        plane.own("device_type_string", text("TPU v5 lite"));
        plane.own("peak_teraflops_per_second", Value::DoubleValue(PEAK / 1e12));
        Self { plane, program, ops: Vec::new(), runs: Vec::new(), steps: Vec::new() }
    }

    /// Adds an op: its text, its category, the path of its scope, and its FLOPs.
    fn op(&mut self, hlo: &str, category: &str, path: &str, flops: i64) -> i64 {
        self.op_of_bytes(hlo, category, path, (flops, 1024))
    }

    /// Adds an op: its text, its category, the path of its scope, its FLOPs and its bytes.
    pub fn op_of_bytes(&mut self, hlo: &str, category: &str, path: &str, (flops, n_bytes): (i64, i64)) -> i64 {
        let name = hlo.trim_start_matches('%').split(' ').next().unwrap();
        let stats = [
            ("hlo_category", text(category)),
            ("program_id", int(self.program)),
            ("tf_op", text(path)),
            ("flops", int(flops)),
            ("bytes_accessed", int(n_bytes)),
        ];
        self.plane.op(hlo, name, &stats)
    }

    /// Adds a matmul that attains four fifths of the roofline if it takes `time`.
    pub fn matmul(&mut self, time: i64) -> i64 {
        let hlo = "%fusion.1 = bf16[1024,1024]{1,0} fusion(bf16[1024,1024]{1,0} %a, bf16[1024,1024]{1,0} %b), kind=kOutput, calls=%f";
        #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a cost")]
        let flops = (0.8 * PEAK * time as f64 / 1e12) as i64;
        self.op(hlo, "convolution fusion", "jit(train_step)/dot_general", flops)
    }

    /// Adds a run of ops, each with its duration, one after the other. Returns its end.
    pub fn run(&mut self, time: i64, ops: &[(i64, i64)]) -> i64 {
        let mut now = time;
        for (op, duration) in ops {
            self.ops.push((*op, now, *duration));
            now += duration;
        }
        let module = self.plane.op(&format!("jit_train_step({})", self.program), "", &[]);
        self.runs.push((module, time, now - time));
        now
    }

    pub fn step(&mut self, number: i64, time: i64, duration: i64) {
        let step = self.plane.op(&number.to_string(), "", &[]);
        self.steps.push((step, time, duration));
    }

    /// Adds steps of the same ops, each with its duration, one after the other.
    pub fn steps(&mut self, ops: &[(i64, i64)]) {
        let period: i64 = ops.iter().map(|(_, duration)| duration).sum();
        for n in 0..N_STEPS {
            let start = START + n * period;
            self.run(start, ops);
            self.step(n, start, period);
        }
    }

    pub fn done(mut self) -> XPlane {
        self.plane.line("Steps", &self.steps);
        self.plane.line("XLA Modules", &self.runs);
        self.plane.line("XLA Ops", &self.ops);
        self.plane.done()
    }
}

/// The thread of Python, with events as (name, start, end).
fn host(events: &[(&str, i64, i64)]) -> XPlane {
    let mut plane = Plane::new("/host:CPU");
    let events: Vec<(i64, i64, i64)> =
        events.iter().map(|(name, start, end)| (plane.op(name, name, &[]), *start, end - start)).collect();
    plane.line("python", &events);
    plane.done()
}

/// A simulated run.
struct Made {
    planes: Vec<XPlane>,
    /// The id of the first finding.
    id: &'static str,
    /// What the fault costs in a step, in ps.
    costs: i64,
    /// What the title, the detail or the advice must say.
    says: &'static [&'static str],
    /// What nothing of the finding may say.
    is_silent_about: &'static [&'static str],
}

/// Returns the overview and the notes of a run.
pub fn overview(planes: Vec<XPlane>) -> (Overview, Vec<Note>) {
    let space = XSpace { planes, hostnames: vec!["host-a".into()], ..Default::default() };
    let mut opened = open("host.xplane.pb", bytes(&space)).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
    let files = analysis.file_view(&opened.profile, &opened.files, true);
    let query = OverviewQuery::default();
    let found = session::overview(&analysis, &opened.profile, &mut programs, &files, &query).unwrap();
    let notes = found.notes.clone();
    (found, notes)
}

fn words(finding: &Finding) -> String {
    let tries =
        finding.tries.iter().map(|advice| format!("{} {}", advice.text, advice.code.as_deref().unwrap_or_default()));
    [finding.title.clone(), finding.detail.clone()].into_iter().chain(tries).collect::<Vec<_>>().join("\n")
}

/// Simulates runs of a fault, and checks the first finding and the verdict of each.
fn check(simulate: impl Fn(&mut Rng) -> Made) {
    for seed in 0..N_RUNS {
        let Made { planes, id, costs, says, is_silent_about } = simulate(&mut Rng::with_seed(seed));
        let (report, _) = overview(planes);
        let first = report.findings.iter().max_by_key(|finding| finding.at_stake).unwrap();
        assert_eq!(first.id.key(), id, "run {seed}: {}", report.verdict);
        let ratio = first.at_stake.as_f64() / costs as f64;
        assert!((ratio - 1.0).abs() < 0.02, "run {seed}: {id} costs {costs} ps, and {:?} is said", first.at_stake);
        assert!(report.verdict.starts_with(&first.title), "run {seed}: {}", report.verdict);
        let words = words(first);
        for word in says {
            assert!(words.contains(word), "run {seed}: “{word}” is not said: {words}");
        }
        for word in is_silent_about {
            assert!(!words.contains(word), "run {seed}: “{word}” is said: {words}");
        }
    }
}

#[test]
fn a_reduction_of_gradients_over_dcn() {
    check(|random| {
        let (compute, wait) = (random.i64(8..15) * MS, random.i64(6..20) * MS);
        let mut device = Device::new(0, 7);
        let attributes = "channel_id=3, is_host_transfer=true, frontend_attributes={\
                          _xla_host_transfer_handler_name=\"xla_megascale_runtime\",\
                          _xla_host_transfer_rendezvous=\"collective.123_0\",_xla_megascale_transfer_type=\"ALL_REDUCE\"}";
        let send = format!(
            "%send.5 = (f32[16777216]{{0}}, u32[], token[]) send(f32[16777216]{{0}} %g, token[] %t), {attributes}"
        );
        let wait_of = format!(
            "%recv-done.6 = (f32[16777216]{{0}}, token[]) recv-done((f32[16777216]{{0}}, u32[], token[]) %recv.6), {attributes}"
        );
        let matmul = device.matmul(compute);
        let send = device.op(&send, "host send", "", 0);
        let wait_op = device.op(&wait_of, "host recv-done", "", 0);
        device.steps(&[(matmul, compute), (send, 40 * US), (wait_op, wait)]);
        Made {
            planes: vec![device.done()],
            id: "exposed_dcn_all_reduce",
            costs: wait + 40 * US,
            says: &["all-reduce over DCN", "collective.123_0"],
            is_silent_about: &["data loader", "--xla"],
        }
    });
}

#[test]
fn a_callback_in_each_step() {
    check(|random| {
        let (compute, callback) = (random.i64(4..15) * MS, random.i64(6..20) * MS);
        let mut device = Device::new(0, 7);
        let recv = "%recv-done.9 = (f32[8]{0}, token[]) recv-done((f32[8]{0}, u32[], token[]) %recv.9), channel_id=2, \
                    is_host_transfer=true, frontend_attributes={_xla_host_transfer_handler_name=\"pjrt_rendezvous\"}";
        let (matmul, recv) = (device.matmul(compute), device.op(recv, "host recv-done", "", 0));
        device.steps(&[(matmul, compute), (recv, callback)]);
        Made {
            planes: vec![device.done()],
            id: "host_callback",
            costs: callback,
            says: &["host callback", "jax.numpy"],
            is_silent_about: &["data loader", "compiles in each call"],
        }
    });
}

/// Makes a device with an idle time at the end of each step, and what the host does in it: events as (name, start,
/// end), as shares of the idle time. The host enqueues the next run 10 µs before its start.
fn idle(random: &mut Rng, during: &[(&str, f64, f64)]) -> (Vec<XPlane>, i64) {
    let (compute, idle) = (random.i64(4..15) * MS, random.i64(6..20) * MS);
    let mut device = Device::new(0, 7);
    let matmul = device.matmul(compute);
    let period = compute + idle;
    let mut events = Vec::new();
    for n in 0..N_STEPS {
        let start = START + n * period;
        events.push(("PjitFunction(train_step)", start - 10 * US, start - 5 * US));
        device.run(start, &[(matmul, compute)]);
        device.step(n, start, period);
        #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a time")]
        let within = |share: f64| start + compute + (share * (idle - 20 * US) as f64) as i64;
        events.extend(during.iter().map(|(name, start, end)| (*name, within(*start), within(*end))));
    }
    (vec![device.done(), host(&events)], idle)
}

#[test]
fn an_annotation_that_loads_data() {
    check(|random| {
        let (planes, idle) = idle(random, &[("next_batch", 0.0, 1.0)]);
        Made {
            planes,
            id: "input_bound",
            costs: idle,
            says: &["next_batch", "data loader"],
            is_silent_about: &["unknown reason"],
        }
    });
}

#[test]
fn an_annotation_of_other_work() {
    check(|random| {
        let (planes, idle) = idle(random, &[("update_scheduler", 0.0, 1.0)]);
        Made {
            planes,
            id: "host_dispatch",
            costs: idle,
            says: &["update_scheduler"],
            is_silent_about: &["unknown reason"],
        }
    });
}

#[test]
fn a_compilation_in_each_step() {
    check(|random| {
        let (mut planes, idle) = idle(random, &[("backend_compile_and_load", 0.01, 1.0)]);
        // The compilation lies in a call of the function.
        let host = &mut planes[1];
        let calls = host
            .event_metadata
            .values()
            .find(|metadata| metadata.name.starts_with("PjitFunction"))
            .map(|metadata| metadata.id)
            .unwrap();
        for event in host.lines[0].events.iter_mut().filter(|event| event.metadata_id == calls) {
            // It begins 5 µs after the device has become idle.
            let before = idle - 15 * US;
            event.data = Some(Data::OffsetPs(offset(event) - before));
            event.duration_ps += before;
        }
        Made {
            planes,
            id: "recompile",
            costs: idle,
            says: &["compil", "train_step"],
            is_silent_about: &["data loader", "unknown reason"],
        }
    });
}

fn offset(event: &XEvent) -> i64 {
    match event.data {
        Some(Data::OffsetPs(offset)) => offset,
        _ => 0,
    }
}

#[test]
fn operations_one_by_one() {
    check(|random| {
        let (n_runs, run, gap) = (random.i64(25..60), random.i64(5..15) * US, random.i64(30..60) * US);
        let mut device = Device::new(0, 7);
        let matmul = device.matmul(run);
        let period = n_runs * (run + gap);
        let mut events = Vec::new();
        for n in 0..N_STEPS {
            let start = START + n * period;
            for one in 0..n_runs {
                let run_start = start + one * (run + gap);
                device.run(run_start, &[(matmul, run)]);
                events.push(("PjitFunction(add)", run_start - gap + US, run_start - 2 * US));
            }
            device.step(n, start, period);
        }
        Made {
            planes: vec![device.done(), host(&events)],
            id: "op_by_op",
            costs: n_runs * gap,
            says: &["runs of programs per step", "jax.jit(step)"],
            is_silent_about: &["data loader", "unknown reason"],
        }
    });
}

#[test]
fn a_scatter_that_became_a_loop() {
    check(|random| {
        let (compute, rounds, each) = (random.i64(4..9) * MS, random.i64(100..200), random.i64(20..40) * US);
        let mut device = Device::new(0, 7);
        let matmul = device.matmul(compute);
        let path = "jit(train_step)/jit(main)/vmap(update)/scatter";
        let body = [
            "%fusion.9 = f32[8]{0} fusion(f32[8]{0} %a), kind=kLoop, calls=%f",
            "%dynamic-slice.3 = f32[8]{0} dynamic-slice(f32[800]{0} %a, s32[] %i)",
        ];
        let outer = "%while.1 = (s32[], f32[800]{0}) while((s32[], f32[800]{0}) %t), condition=%c, body=%b";
        let outer = device.op(outer, "while", path, 0);
        let [first, second] = body.map(|hlo| device.op(hlo, "loop fusion", path, 0));
        let period = compute + 2 * rounds * each;
        for n in 0..N_STEPS {
            let start = START + n * period;
            let end = device.run(start, &[(matmul, compute)]);
            device.ops.push((outer, end, 2 * rounds * each));
            for round in 0..rounds {
                device.ops.push((first, end + 2 * round * each, each));
                device.ops.push((second, end + (2 * round + 1) * each, each));
            }
            device.runs.last_mut().unwrap().2 = period;
            device.step(n, start, period);
        }
        Made {
            planes: vec![device.done()],
            id: "expanded_scatter",
            costs: 2 * rounds * each,
            says: &["turned a scatter into a loop", "rounds of 2 ops", "unique_indices"],
            is_silent_about: &["lax.scan", "unroll"],
        }
    });
}

#[test]
fn the_bubble_of_a_pipeline() {
    check(|random| {
        let (n_stages, n_batches) = (random.i64(2..5), random.i64(2..5));
        let each = random.i64(2..6) * MS;
        let n_slots = n_batches + n_stages - 1;
        let planes = (0..n_stages).map(|stage| {
            let mut device = Device::new(stage as usize, 100 + stage);
            let matmul = device.matmul(each);
            let permute = device.op(
                "%collective-permute.2 = bf16[64,64]{1,0} collective-permute(bf16[64,64]{1,0} %a), channel_id=1, \
                 source_target_pairs={{0,1},{1,2},{2,3}}",
                "collective-permute",
                "",
                0,
            );
            let period = n_slots * each;
            for n in 0..N_STEPS {
                let start = START + n * period;
                let mut now = start;
                for batch in 0..n_batches {
                    // The first batch waits for the stages before, and the last one for those after.
                    let before = if batch == 0 { stage * each } else { 0 };
                    let after = if batch == n_batches - 1 { (n_stages - 1 - stage) * each } else { 0 };
                    let ops = [(permute, before), (matmul, each), (permute, after)];
                    let ops: Vec<(i64, i64)> = ops.into_iter().filter(|(_, time)| *time > 0).collect();
                    now = device.run(now, &ops);
                }
                device.step(n, start, period);
            }
            device.done()
        });
        Made {
            planes: planes.collect(),
            id: "pipeline_bubble",
            costs: (n_stages - 1) * each,
            says: &["bubble of a pipeline", "more microbatches"],
            is_silent_about: &["--xla", "with_sharding_constraint"],
        }
    });
}

#[test]
fn collectives_that_the_compiler_made_synchronous() {
    check(|random| {
        let (compute, transfer) = (random.i64(8..15) * MS, random.i64(4..10) * MS);
        let mut device = Device::new(0, 7);
        let gather = "%all-gather.2 = bf16[8192,1024]{1,0} all-gather(bf16[4096,1024]{1,0} %a), channel_id=1, replica_groups={{0,1}}, \
                      dimensions={0}, backend_config={\"collective_backend_config\":{\"is_sync\":true}}";
        let (matmul, gather) = (device.matmul(compute), device.op(gather, "all-gather", "", 0));
        device.steps(&[(gather, transfer), (matmul, compute)]);
        Made {
            planes: vec![device.done()],
            id: "exposed_all_gather",
            costs: transfer,
            says: &["synchronous", "become asynchronous"],
            is_silent_about: &["--xla"],
        }
    });
}

#[test]
fn permutes_in_opposite_directions_one_after_the_other() {
    check(|random| {
        let (compute, transfer) = (random.i64(4..9) * MS, random.i64(3..6) * MS);
        let mut device = Device::new(0, 7);
        let permute = |device: &mut Device, number: u32, pairs: &str| {
            let hlo = format!(
                "%collective-permute.{number} = bf16[64,64]{{1,0}} collective-permute(bf16[64,64]{{1,0}} %a), channel_id={number}, \
                 source_target_pairs={pairs}"
            );
            device.op(&hlo, "collective-permute", "", 0)
        };
        let matmul = device.matmul(compute);
        let [there, back] =
            [(2, "{{0,1},{1,2},{2,0}}"), (3, "{{1,0},{2,1},{0,2}}")].map(|(n, pairs)| permute(&mut device, n, pairs));
        device.steps(&[(there, transfer), (back, transfer), (matmul, compute)]);
        Made {
            planes: vec![device.done()],
            id: "exposed_collective_permute",
            costs: 2 * transfer,
            says: &["one after the other", "both directions at once"],
            is_silent_about: &["--xla", "bubble"],
        }
    });
}

/// The clock of the device is behind that of the host. Each run is linked to its call, and seems to start before it.
#[test]
fn clocks_of_host_and_device_that_differ() {
    for seed in 0..N_RUNS {
        let mut random = Rng::with_seed(seed);
        let (compute, wait) = (random.i64(4..15) * MS, random.i64(6..20) * MS);
        let (behind, lead) = (random.i64(200..900) * US, 5 * US);
        let mut device = Device::new(0, 7);
        let matmul = device.matmul(compute);
        let period = compute + wait;
        let mut events = Vec::new();
        for n in 0..N_STEPS {
            let start = START + n * period;
            device.run(start - behind, &[(matmul, compute)]);
            device.step(n, start - behind, period);
            events.push(("DoEnqueueProgram", start - lead - 4 * US, start - lead));
            events.push(("np.asarray(jax.Array)", start + US, start + period - 20 * US));
        }
        let (mut device, mut host) = (device, host(&events));
        let number = |plane: &mut Plane, name: &str, n: i64| plane.stat(name, int(n));
        let mut links: Vec<Vec<_>> = Vec::new();
        for n in 0..N_STEPS {
            links.push(vec![number(&mut device.plane, "_ct", 12), number(&mut device.plane, "_c", n + 1)]);
        }
        let mut device = device.done();
        let modules = device.lines.iter_mut().find(|line| line.name == "XLA Modules").unwrap();
        modules.events.iter_mut().zip(links).for_each(|(event, stats)| event.stats = stats);
        let mut named = Plane::new("names");
        let calls: Vec<Vec<_>> =
            (0..N_STEPS).map(|n| vec![number(&mut named, "_pt", 12), number(&mut named, "_p", n + 1)]).collect();
        host.stat_metadata = named.done().stat_metadata;
        host.lines[0].events.iter_mut().step_by(2).zip(calls).for_each(|(event, stats)| event.stats = stats);

        let (report, notes) = overview(vec![device, host]);
        assert!(notes.iter().any(|note| note.code == NoteCode::DeviceClockBehind), "run {seed}: {notes:?}");
        let first = report.findings.first().unwrap();
        assert_eq!(first.rule(), RuleId::HostSync, "run {seed}: {}", report.verdict);
        assert_eq!(first.confidence, Confidence::Likely, "run {seed}");
        let ratio = first.at_stake.as_f64() / wait as f64;
        assert!((ratio - 1.0).abs() < 0.02, "run {seed}: {wait} ps, and {:?} is said", first.at_stake);
    }
}
