//! These tests check the gaps of devices: on captures built by hand, and against the numbers that an independent script
//! finds in the real host-offload capture.

use crate::common::{self, bytes, checked, make, open};
use prost::Message;
use rooflight::analysis::base::{Analysis, DeviceChoice, Query, StepChoice};
use rooflight::analysis::gaps::{GapClass, Gaps};
use rooflight::session::Opened;
use std::collections::{BTreeMap, HashMap};
use xla_profile::units::Picos;
use xla_profile::wire::proto::xspace::x_event::Data;
use xla_profile::wire::proto::xspace::x_stat::Value;
use xla_profile::wire::proto::xspace::{XPlane, XSpace, XStat};

fn gaps(opened: &Opened, device: u32) -> Gaps {
    let query = Query { device: DeviceChoice::One(device), step: StepChoice::All, ..Query::busiest() };
    Analysis::new(&opened.profile).gaps(&opened.profile, &query)
}

fn time(gaps: &Gaps, class: GapClass) -> u64 {
    gaps.classes.iter().find(|class_time| class_time.class == class).map_or(0, |class_time| class_time.total.0)
}

/// The sums follow from the start and end of each op, each run and each event of `XLA TraceMe`, without the code of
/// Rooflight. The host was late for four runs: three that collect the results, and the first run of the loop.
#[test]
#[ignore = "needs captures of other projects"]
fn host_offload() {
    let capture = common::profile(common::V6E).unwrap();
    let opened = open("host.xplane.pb", capture).unwrap();
    let found = gaps(&opened, 0);
    assert_eq!((found.idle(), found.n_gaps), (Picos(13_692_155_397_170), 1440.into()));
    assert_eq!((found.n_runs, found.n_linked_runs), (104, 104));
    let late: Picos = found
        .classes
        .iter()
        .filter(|class_time| class_time.class.is_host_late())
        .map(|class_time| class_time.total)
        .sum();
    assert_eq!(late, Picos(13_667_232_098_422));
    assert_eq!(time(&found, GapClass::Barrier), 24_609_268_828);
    assert_eq!(time(&found, GapClass::Launch), 280_914_458);
    assert_eq!(time(&found, GapClass::Dependency), 53_670);
    assert_eq!(time(&found, GapClass::Unexplained), 33_061_792);
    let longest = &found.gaps[0];
    assert_eq!(longest.total, Picos(5_547_128_976_000));
    assert_eq!(longest.program.as_deref(), Some("jit_f"));
    let event = |name: &str| {
        longest.host_events.iter().find(|event| event.name.ends_with(name)).map(|event| event.total.0 / 1_000_000_000)
    };
    assert_eq!(event("DefragmentMemory"), Some(2218));
    assert_eq!(event("LoadProgram"), Some(1905));
    assert_eq!(event("PjitFunction(f)"), Some(4052));
    let n_linked: u64 = (0..4).map(|device| gaps(&opened, device).n_linked_runs).sum();
    // The first run of device 0 ends before its first op starts.
    assert_eq!(n_linked, 413);
}

#[test]
fn sums_hold_in_real_captures() {
    for (name, capture) in common::xspaces() {
        let opened = open(name, capture).unwrap();
        let analysis = Analysis::new(&opened.profile);
        let steps =
            analysis.devices.iter().flat_map(|device| &device.steps).map(|step| StepChoice::Number(step.number));
        for step in steps.take(50).chain([StepChoice::All]) {
            for device in [DeviceChoice::One(0), DeviceChoice::All] {
                checked::gaps(&opened, &analysis, &Query { device, step, ..Query::busiest() }, true);
            }
        }
    }
}

/// The classes of a report are sums, and those of a step are the parts of its gaps, which are computed in another way.
#[test]
fn sums_of_classes_are_those_of_the_parts() {
    for (name, capture) in common::XSPACES.iter().filter_map(|name| Some((*name, common::profile(name)?))) {
        let opened = open(name, capture).unwrap();
        let analysis = Analysis::new(&opened.profile);
        for (index, device) in analysis.devices.iter().enumerate().take(2) {
            for step in device.steps.iter().take(20).map(|step| StepChoice::Number(step.number)) {
                let query = Query { device: DeviceChoice::One(index as u32), step, ..Query::busiest() };
                let report = analysis.gaps(&opened.profile, &query);
                for (class, idle) in analysis.idle_by_step(&opened.profile, index, step).into_values().flatten() {
                    assert_eq!(time(&report, class), idle.0, "{name}: {class:?} of {step:?}");
                }
            }
        }
    }
}

/// Trace JSON has no links, so runs are joined by device, queue and run.
#[test]
#[ignore = "needs captures of other projects"]
fn runs_of_trace_json_are_joined_by_their_ids() {
    let capture = common::profile("tpu-vllm-trace/vllm.trace.json.gz").unwrap();
    let opened = open("vllm.trace.json.gz", capture).unwrap();
    for device in [0, 1] {
        let found = gaps(&opened, device);
        assert_eq!((found.n_runs, found.n_linked_runs), (4, 4));
        assert!(found.classes.iter().all(|class_time| !class_time.class.is_host_late()), "{:?}", found.classes);
    }
}

/// One run after another. The call of the second run waits for a compilation on another thread.
fn two_runs(second_call: i64) -> (XPlane, XPlane) {
    let mut device = make::Plane::new("/device:TPU:0");
    let op = device.op("%fusion.1 = f32[8]{0} fusion(f32[8]{0} %x)", "fusion.1", &[]);
    let run = device.op("jit_f(7)", "jit_f(7)", &[]);
    device.line("XLA Ops", &[(op, 0, 100), (op, 1000, 100)]);
    let ids = [3, 4].map(|id| [("_ct", make::int(12)), ("_c", make::int(-id))]);
    let stats = ids.map(|stats| stats.map(|(name, value)| device.stat(name, value)));
    let line = device.line("XLA Modules", &[(run, 0, 100), (run, 950, 150)]);
    for (event, stats) in line.events.iter_mut().zip(stats) {
        event.stats.extend(stats);
    }
    let barrier = device.op("barrier-cores", "barrier-cores", &[]);
    device.line("XLA TraceMe", &[(barrier, 960, 30)]);

    let mut host = make::Plane::new("/host:CPU");
    let [main, compile, call, task] =
        ["main_loop", "backend_compile", "DoEnqueueProgram", "RunTask"].map(|name| host.op(name, name, &[]));
    let produced = [("_pt", make::int(5)), ("_p", make::int(9))].map(|(name, value)| host.stat(name, value));
    let consumed = [("_ct", make::int(5)), ("_c", make::int(9))].map(|(name, value)| host.stat(name, value));
    let enqueued = [("_pt", make::int(12)), ("_p", make::int(-4))].map(|(name, value)| host.stat(name, value));
    // The main thread compiles from 200 to 500 and produces the task at 600. The task starts at 700 and enqueues.
    let line = host.line("main", &[(main, 0, 2000), (compile, 200, 300), (call, 590, 10)]);
    line.events[2].stats.extend(produced);
    let line = host.line("queue", &[(task, 700, 200), (call, second_call - 10, 10)]);
    line.events[0].stats.extend(consumed);
    line.events[1].stats.extend(enqueued);
    (device.done(), host.done())
}

#[test]
fn parts_of_a_gap_follow_the_host_call_back() {
    let (device, host) = two_runs(800);
    let space = XSpace { planes: vec![device, host], ..XSpace::default() };
    let found = gaps(&open("it.xplane.pb", bytes(&space)).unwrap(), 0);
    assert_eq!((found.window, found.busy, found.n_gaps), (Picos(1100), Picos(200), 1.into()));
    assert_eq!((found.n_runs, found.n_linked_runs), (2, 1));
    // From 100 to 800 the host was late, 300 of it in the compilation. The run starts at 950, and waits from 960 to 990.
    let parts = &found.gaps[0].parts;
    let expected = [
        (GapClass::Host, 400),
        (GapClass::Recompile, 300),
        (GapClass::Launch, 150),
        (GapClass::Barrier, 30),
        (GapClass::Unexplained, 20),
    ];
    assert_eq!(parts, &expected.map(|(class, time)| (class, Picos(time))));
    let names: Vec<(&str, u64)> = found.gaps[0].host_events.iter().map(|event| (&*event.name, event.total.0)).collect();
    assert_eq!(names, [("main_loop", 700), ("backend_compile", 300), ("RunTask", 100)]);
    // On the main thread, the compilation and the call are traced. The loop around the whole part does not count.
    let untraced = found.gaps[0].untraced.as_ref().unwrap();
    assert_eq!((&*untraced.thread, untraced.total), ("main", Picos(390)));
}

/// A worker thread that nothing produced may have waited for the main thread. A call of another Python thread did not.
#[test]
fn the_main_thread_explains_calls_without_a_caller() {
    for (thread, is_explained) in [("worker", true), ("python3 2", false)] {
        let (device, mut host) = two_runs(800);
        host.lines[0].name = "python3".into();
        host.lines[1].name = thread.into();
        // No event says who produced the task.
        host.lines[0].events[2].stats.clear();
        host.lines[1].events[0].stats.clear();
        let space = XSpace { planes: vec![device, host], ..XSpace::default() };
        let found = gaps(&open("it.xplane.pb", bytes(&space)).unwrap(), 0);
        assert_eq!(time(&found, GapClass::Recompile), if is_explained { 300 } else { 0 }, "{thread}");
        let names: Vec<&str> = found.gaps[0].host_events.iter().map(|event| &*event.name).collect();
        assert_eq!(names.contains(&"backend_compile"), is_explained, "{thread}: {names:?}");
        // The loop of the main thread lasts for all of the gap, and says nothing.
        assert!(!names.contains(&"main_loop"), "{thread}: {names:?}");
    }
}

/// A run that was enqueued before the device became idle did not wait for the host.
#[test]
fn an_early_call_is_not_late() {
    let (device, mut host) = two_runs(800);
    host.lines[1].events[1].data = Some(Data::OffsetPs(20));
    host.lines[1].events[0].data = Some(Data::OffsetPs(10));
    let space = XSpace { planes: vec![host, device], ..XSpace::default() };
    let found = gaps(&open("it.xplane.pb", bytes(&space)).unwrap(), 0);
    assert_eq!(time(&found, GapClass::Launch), 850);
    assert!(found.gaps[0].host_events.is_empty());
}

/// The order of planes and lines in the file does not matter.
/// The gaps and the steps of each device are the same if lines and planes are in another order.
#[test]
fn the_order_of_lines_does_not_matter() {
    for (name, capture) in common::xspaces() {
        let mut space = XSpace::decode(&*capture).unwrap();
        let before = open("host.xplane.pb", bytes(&space)).unwrap();
        for plane in &mut space.planes {
            fastrand::Rng::with_seed(7).shuffle(&mut plane.lines);
        }
        space.planes.reverse();
        let after = open("host.xplane.pb", bytes(&space)).unwrap();
        let [analysis, other] = [&before, &after].map(|opened| Analysis::new(&opened.profile));
        let [steps, others] =
            [(&analysis, &before), (&other, &after)].map(|(analysis, opened)| analysis.step_stats(&opened.profile));
        assert_eq!(steps.spread, others.spread, "{name}");
        for (index, device) in analysis.devices.iter().enumerate() {
            let place = other.devices.iter().position(|candidate| candidate.label == device.label).unwrap();
            assert_eq!(steps.devices[index], others.devices[place], "{name} {}", device.label);
            let (a, b) = (gaps(&before, index as u32), gaps(&after, place as u32));
            assert_eq!(a.classes, b.classes, "{name} {}", device.label);
            // Ops that start at once on several lines have no order.
            assert!(device.ops.len() > 1 || a.gaps == b.gaps, "{name} {}", device.label);
        }
    }
}

/// Sums of the gaps of a GPU in ps: idle, late, launch and unexplained time, and the number of kernels with a launch. They
/// follow from the kernels and launches of the file, without the code of Rooflight.
fn gaps_of_gpu(space: &XSpace, name: &str) -> ([i64; 4], usize) {
    let plane = space.planes.iter().find(|plane| plane.name == name).unwrap();
    let host = space.planes.iter().find(|plane| plane.name == "/host:CPU").unwrap();
    let events = |plane: &XPlane, is_meant: &dyn Fn(&str) -> bool| -> Vec<(i64, i64, Option<i64>)> {
        let stat = plane.stat_metadata.iter().find(|(_, meta)| meta.name == "correlation_id").map(|(id, _)| *id);
        let lines = plane.lines.iter().filter(|line| is_meant(&line.name));
        let events = lines.flat_map(|line| line.events.iter().map(|event| (line.timestamp_ns * 1000, event)));
        let times = events.map(|(base, event)| {
            let Some(Data::OffsetPs(offset)) = event.data else { panic!("no start") };
            let correlation =
                event.stats.iter().find(|own| Some(own.metadata_id) == stat).and_then(|own| match own.value {
                    Some(Value::Uint64Value(id)) => i64::try_from(id).ok(),
                    Some(Value::Int64Value(id)) => Some(id),
                    _ => None,
                });
            (base + offset, base + offset + event.duration_ps, correlation)
        });
        times.collect()
    };
    let mut kernels = events(plane, &|line| line.starts_with("Stream #"));
    kernels.sort_unstable();
    let mut launched: HashMap<i64, i64> = HashMap::new();
    for (_, end, correlation) in events(host, &|_| true) {
        if let Some(id) = correlation {
            let known = launched.entry(id).or_insert(end);
            *known = end.max(*known);
        }
    }
    let linked = |correlation: &Option<i64>| correlation.and_then(|id| launched.get(&id).copied());
    let n_linked = kernels.iter().filter(|(.., correlation)| linked(correlation).is_some()).count();
    let [mut idle, mut late, mut launch, mut unexplained] = [0; 4];
    let mut now = kernels[0].0;
    for (start, end, correlation) in &kernels {
        let gap = (start - now).max(0);
        if gap > 0 {
            // Several kernels can start at once; the longest of them ends the gap.
            let ends = kernels.iter().filter(|kernel| kernel.0 == *start).max_by_key(|kernel| kernel.1).unwrap();
            idle += gap;
            match linked(&ends.2).or_else(|| linked(correlation)) {
                Some(call) if call > now => {
                    late += call.min(*start) - now;
                    launch += (start - call).max(0);
                }
                Some(_) if gap < 5_000_000 => launch += gap,
                _ => unexplained += gap,
            }
        }
        now = now.max(*end);
    }
    ([idle, late, launch, unexplained], n_linked)
}

#[test]
fn gaps_of_gpus_end_at_the_launch_of_a_kernel() {
    let mut n_late = 0;
    let devices = [("gpu-v100/host.xplane.pb", 1), ("gpu-v100/host.xplane.pb", 2), ("gpu-mi300/gemm.xplane.pb", 0)];
    for (name, device) in devices {
        let Some(capture) = common::profile(name) else { continue };
        let space = XSpace::decode(capture.as_slice()).unwrap();
        let opened = open("host.xplane.pb", capture).unwrap();
        let plane = Analysis::new(&opened.profile).devices[device as usize].plane;
        let (expected, n_linked) = gaps_of_gpu(&space, &opened.profile.planes[plane].name);
        let found = gaps(&opened, device);
        let late: u64 = found
            .classes
            .iter()
            .filter(|class_time| class_time.class.is_host_late())
            .map(|class_time| class_time.total.0)
            .sum();
        let sums = [found.idle().0, late, time(&found, GapClass::Launch), time(&found, GapClass::Unexplained)];
        assert_eq!(sums.map(|sum| i64::try_from(sum).unwrap()), expected, "{name}");
        assert_eq!(found.n_linked_runs as usize, n_linked, "{name}");
        assert!(found.gaps.iter().any(|gap| !gap.host_events.is_empty()), "{name}");
        n_late += late;
    }
    assert!(n_late > 0 || common::profile("gpu-v100/host.xplane.pb").is_none());
}

/// Start and end of an event in ps.
type Times = (i64, i64);

/// The runs of a CPU and the calls that enqueued them, by `run_id`.
fn runs_and_calls_of_cpu(space: &XSpace, device: i64) -> BTreeMap<i64, (Vec<Times>, Option<Times>)> {
    let plane = space.planes.iter().find(|plane| plane.name == "/host:CPU").unwrap();
    let mut found: BTreeMap<i64, (Vec<Times>, Option<Times>)> = BTreeMap::new();
    for line in &plane.lines {
        for event in &line.events {
            let number = |name: &str| {
                let is_named = |stat: &&XStat| plane.stat_metadata[&stat.metadata_id].name == name;
                match event.stats.iter().find(is_named)?.value {
                    Some(Value::Uint64Value(n)) => i64::try_from(n).ok(),
                    Some(Value::Int64Value(n)) => Some(n),
                    _ => None,
                }
            };
            let Some(Data::OffsetPs(offset)) = event.data else { continue };
            let start = line.timestamp_ns * 1000 + offset;
            let time = (start, start + event.duration_ps);
            let Some(run) = number("run_id") else { continue };
            let name = &plane.event_metadata[&event.metadata_id].name;
            if number("program_id").is_some() && number("device_ordinal") == Some(device) {
                found.entry(run).or_default().0.push(time);
            } else if name.contains("Executable::Execute") {
                found.entry(run).or_default().1 = Some(time);
            }
        }
    }
    found
}

#[test]
fn gaps_between_runs_of_a_cpu_end_at_the_call_of_the_run() {
    let Some(capture) = common::profile("cpu-jax/vm.xplane.pb") else { return };
    let space = XSpace::decode(capture.as_slice()).unwrap();
    let opened = open("vm.xplane.pb", capture).unwrap();
    for device in 0..4 {
        let runs = runs_and_calls_of_cpu(&space, device);
        let (mut late, mut launch, mut now) = (0, 0, None);
        for (ops, call) in runs.values() {
            let (start, end) = (ops.iter().map(|op| op.0).min().unwrap(), ops.iter().map(|op| op.1).max().unwrap());
            if let Some(now) = now {
                let called = call.unwrap().1.clamp(now, start);
                late += called - now;
                launch += start - called;
            }
            now = Some(end);
        }
        let found = gaps(&opened, device.try_into().unwrap());
        assert_eq!((found.n_runs, found.n_linked_runs), (5, 5));
        let sums = [found.host_late().0, time(&found, GapClass::Launch)].map(u64::cast_signed);
        assert_eq!(sums, [late, launch], "CPU:{device}");
        assert!(late > 0);
    }
}
