//! These tests check the capture of a server that generates text (`samples/gpu/decode.py`): the host waits for each token,
//! Python is traced, and programs for another batch are compiled but do not run.

use crate::common::make::{Plane, int};
use crate::common::{bytes, open};
use crate::gpu_graphs::{path, sample};
use prost::Message;
use rooflight::analysis::base::{Analysis, Query, StepChoice};
use rooflight::analysis::compare::paired_program;
use rooflight::analysis::gaps::GapClass;
use rooflight::analysis::memory::CrossCheck;
use rooflight::analysis::overview::{Finding, Overview, OverviewQuery, RuleId};
use rooflight::session::{self, Programs};
use std::io::Read;
use xla_profile::profile::NoteCode;
use xla_profile::wire::proto::xspace::x_event::Data;
use xla_profile::wire::proto::xspace::{XLine, XPlane, XSpace};

const DECODE: &str = "decode.graphs";

/// Returns the events of a line, with their names, in ps.
fn events<'a>(plane: &'a XPlane, line: &'a XLine) -> impl Iterator<Item = (u64, u64, &'a str)> {
    line.events.iter().map(|event| {
        let Some(Data::OffsetPs(offset)) = event.data else { panic!("an event without a time") };
        let start = u64::try_from(line.timestamp_ns * 1000 + offset).unwrap();
        (start, start + event.duration_ps as u64, plane.event_metadata[&event.metadata_id].name.as_str())
    })
}

/// Copies to and from the device are launched by worker threads, and no event says who asked for them. What the main thread does
/// meanwhile explains the gaps before them. The oracle is a full decode of the file: the idle time of the device during
/// `np.asarray` on the thread of Python.
#[test]
fn gaps_before_copies_are_explained_by_the_main_thread() {
    let mut file = Vec::new();
    lzma_rust2::XzReader::new(&*std::fs::read(path(DECODE)).unwrap(), true).read_to_end(&mut file).unwrap();
    let space = XSpace::decode(&*file).unwrap();
    let plane = |name: &str| space.planes.iter().find(|plane| plane.name == name).unwrap();
    let (gpu, host) = (plane("/device:GPU:0"), plane("/host:CPU"));
    let streams = gpu.lines.iter().filter(|line| line.name.starts_with("Stream"));
    let mut kernels: Vec<(u64, u64)> = streams.flat_map(|line| events(gpu, line)).map(|(a, b, _)| (a, b)).collect();
    kernels.sort_unstable();
    let mut gaps = Vec::new();
    let mut end = kernels[0].1;
    for (from, to) in kernels {
        gaps.extend((from > end).then_some((end, from)));
        end = end.max(to);
    }
    let python = host.lines.iter().find(|line| line.name.starts_with("python")).unwrap();
    let waits: Vec<(u64, u64)> = events(host, python)
        .filter(|(.., name)| name.starts_with("np.asarray"))
        .map(|(from, to, _)| (from, to))
        .collect();
    let during =
        |(a, b): (u64, u64)| waits.iter().map(|(from, to)| b.min(*to).saturating_sub(a.max(*from))).sum::<u64>();
    let expected: u64 = gaps.iter().copied().map(during).sum();

    let (opened, analysis) = sample(DECODE);
    let found = analysis.gaps(&opened.profile, &Query { step: StepChoice::All, ..Query::busiest() });
    assert_eq!(found.idle().0, gaps.iter().map(|(a, b)| b - a).sum::<u64>());
    assert_eq!(found.n_all, gaps.len() as u64);
    let waited = found.classes.iter().find(|class_time| class_time.class == GapClass::Sync).unwrap().total.0;
    // The wait ends before the kernel starts, and the copy itself is on another thread.
    assert!(waited.abs_diff(expected) < expected / 50, "{waited} {expected}");
}

fn overview() -> (Overview, Vec<CrossCheck>) {
    let (mut opened, analysis) = sample(DECODE);
    let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
    let files = analysis.file_view(&opened.profile, &opened.files, false);
    let overview =
        session::overview(&analysis, &opened.profile, &mut programs, &files, &OverviewQuery::default()).unwrap();
    let memory = session::memory_programs(&opened.profile, &mut programs, &files.programs);
    let names: Vec<&str> = memory.programs.iter().map(|program| program.name.as_str()).collect();
    // The programs of the batch of 64 follow those that ran, although they need more memory.
    assert_eq!((names[0], names[1]), ("jit_prefill", "jit_decode"));
    let peak =
        |index: usize| memory.programs[index].spaces.iter().find(|space| space.color == 0).map(|space| space.peak);
    let not_run = (2..names.len()).filter(|index| names[*index] == "jit_prefill").find_map(peak).unwrap();
    assert!(peak(0).unwrap() < not_run / 3);
    // A comparison pairs the program that ran, too.
    let pair = paired_program(&memory, &memory).unwrap();
    assert_eq!(pair, (memory.programs[0].program, memory.programs[0].program));
    let checks = analysis.cross_check(&opened.profile, &memory, &analysis.runtime_memory(&opened.profile), None);
    // An allocator of the host has no program.
    let with_program: Vec<CrossCheck> = checks.into_iter().filter(|check| check.static_peak.is_some()).collect();
    assert_eq!(with_program[0].static_peak, peak(0), "the peak is that of a program that ran");
    (overview, with_program)
}

#[test]
fn advice_to_a_server_follows_from_its_python() {
    let (overview, checks) = overview();
    assert!(checks[0].used.is_some_and(|used| used < 0.01), "{:?}", checks[0].used);
    let finding = |id: &str| -> &Finding { overview.findings.iter().find(|finding| finding.id.key() == id).unwrap() };
    // Python is traced, so no advice says to trace it.
    let dispatch = finding("host_dispatch");
    assert!(!dispatch.detail.contains("does not trace"), "{}", dispatch.detail);
    assert!(dispatch.tries.iter().all(|advice| !advice.text.contains("Trace Python")), "{:?}", dispatch.tries);
    let sync = finding("host_sync");
    assert!(sync.detail.contains("Host meanwhile: np.asarray(jax.Array)"), "{}", sync.detail);
    // Slices without a backward pass are not saved for one, and no transpose is to blame.
    let texts: Vec<&str> = finding("layout_copies").tries.iter().map(|advice| &*advice.text).collect();
    assert!(texts.iter().any(|text| text.starts_with("Unroll the loop")), "{texts:?}");
    assert!(texts.iter().all(|text| !text.contains("transposes") && !text.contains("backward")), "{texts:?}");
}

/// Each step runs `jit_decode`, and the fifth one also `jit_prefill`, which has less than 1 % of the time of all runs: with more, the
/// step would be of another kind.
#[test]
fn a_slow_step_names_the_program_that_it_alone_runs() {
    let mut plane = Plane::new("/device:TPU:0");
    let [decode, prefill] = [("fusion.1", 7), ("fusion.2", 9)].map(|(name, program)| {
        plane.op(&format!("%{name} = f32[8]{{0}} fusion(f32[8]{{0}} %x)"), name, &[("program_id", int(program))])
    });
    let [decode_run, prefill_run] = ["jit_decode(7)", "jit_prefill(9)"].map(|name| plane.op(name, name, &[]));
    let (mut steps, mut runs, mut ops) = (Vec::new(), Vec::new(), Vec::new());
    let mut now = 0;
    for number in 0..400 {
        let start = now;
        let step = plane.op(&number.to_string(), &number.to_string(), &[]);
        if number == 5 {
            runs.push((prefill_run, now, 300_000_000));
            ops.push((prefill, now, 290_000_000));
            now += 300_000_000;
        }
        runs.push((decode_run, now, 100_000_000));
        ops.push((decode, now, 90_000_000 + 1000 * number));
        now += 100_000_000;
        steps.push((step, start, now - start));
    }
    plane.line("Steps", &steps);
    plane.line("XLA Modules", &runs);
    plane.line("XLA Ops", &ops);
    let mut opened = open("it.xplane.pb", bytes(&XSpace { planes: vec![plane.done()], ..XSpace::default() })).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
    let files = analysis.file_view(&opened.profile, &opened.files, false);
    let overview =
        session::overview(&analysis, &opened.profile, &mut programs, &files, &OverviewQuery::default()).unwrap();
    let mut all = overview.findings.iter().chain(&overview.options);
    let slow = all.find(|finding| finding.rule() == RuleId::SlowSteps).unwrap();
    assert!(
        slow.detail.ends_with("; jit_prefill, 290.00 µs in each, runs in no other steady step."),
        "{}",
        slow.detail
    );
}

/// The profiler has lost the kernels, but not the calls that launched them.
#[test]
fn launches_without_kernels_are_a_loss() {
    let note = |name: &str, host_calls: i64| {
        let mut gpu = Plane::new("/device:GPU:0");
        gpu.line("Stream #14(Compute)", &[]);
        let mut host = Plane::new("/host:CPU");
        let call = host.op(name, "", &[]);
        let events: Vec<(i64, i64, i64)> = (0..host_calls).map(|n| (call, n * 1000, 500)).collect();
        let stats: Vec<_> = (0..host_calls).map(|n| host.stat("correlation_id", int(n + 1))).collect();
        let line = host.line("python3", &events);
        for (event, stat) in line.events.iter_mut().zip(stats) {
            event.stats.push(stat);
        }
        let space = XSpace { planes: vec![gpu.done(), host.done()], ..XSpace::default() };
        let opened = open("it.xplane.pb", bytes(&space)).unwrap();
        let notes = Analysis::new(&opened.profile).notes;
        notes.into_iter().find(|note| note.code == NoteCode::NoTpuOps).unwrap().message
    };
    let launched = note("cuGraphLaunch", 2);
    assert!(launched.starts_with("The host made 2 calls that start work on a GPU"), "{launched}");
    // Calls that wait for the device have correlation ids, too.
    for (name, n) in [("cuGraphLaunch", 0), ("cuStreamSynchronize", 2)] {
        let other = note(name, n);
        assert!(other.starts_with("The GPU planes have no streams with events."), "{name}: {other}");
    }
}
