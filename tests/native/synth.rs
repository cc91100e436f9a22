//! These tests compare the analyses of simulated captures with the figures that were put into them. The expected
//! figures (`expected.json`) are computed from the simulated run, without any analysis.

use crate::simulator;
use clap::Parser;
use prost::Message;
use rooflight::analysis::base::{Analysis, DeviceChoice, GroupBy, NotSteady, Query, StepChoice};
use rooflight::analysis::memory::MemoryQuery;
use rooflight::session::{Input, Opened, Programs};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use xla_profile::source::{XZ, inflate};
use xla_profile::units::Picos;

/// Simulates captures. Returns their folder and the expected figures.
pub fn made(options: &[&str]) -> (tempfile::TempDir, Value) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let args = ["synth", "--out", out].into_iter().chain(options.iter().copied());
    simulator::make(&simulator::args::Args::parse_from(args)).unwrap();
    let truth = serde_json::from_slice(&fs::read(folder.path().join("expected.json")).unwrap()).unwrap();
    (folder, truth)
}

pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap())).collect()
}

fn open(name: &str, bytes: Vec<u8>) -> Opened {
    let input = Input { name: name.to_owned(), source: Box::new(bytes), from_folder: false };
    rooflight::session::open(vec![input], &mut |_| {}).unwrap()
}

#[test]
fn the_same_arguments_give_the_same_bytes() {
    let options = ["--seed", "7", "--steps", "2", "--devices", "4", "--hosts", "2", "--fault", "straggler"];
    let ((a, _), (b, _)) = (made(&options), made(&options));
    let (a, b) = (files(a.path()), files(b.path()));
    assert_eq!(a.len(), 5);
    assert!(a == b);
    let (c, _) = made(&["--seed", "8", "--steps", "2", "--devices", "4", "--hosts", "2", "--fault", "straggler"]);
    assert!(a["worker-1.xplane.pb"] != files(c.path())["worker-1.xplane.pb"]);
}

/// Compares every figure of the breakdown with the expected one, for each device. Returns the expected figures.
fn assert_breakdown(options: &[&str]) -> Value {
    let (folder, truth) = made(options);
    let ops = truth["ops"].as_array().unwrap();
    // The capture has no costs of these ops.
    let fault = truth["faults"].as_array().unwrap().iter().find(|fault| fault["name"] == "opaque-kernel");
    let opaque: Vec<&Value> = fault.iter().flat_map(|fault| fault["ops"].as_array().unwrap()).collect();
    let hosts: BTreeMap<&str, Vec<&Value>> =
        truth["devices"].as_array().unwrap().iter().fold(BTreeMap::new(), |mut hosts, device| {
            hosts.entry(device["host"].as_str().unwrap()).or_insert_with(Vec::new).push(device);
            hosts
        });
    let files = files(folder.path());
    for (host, devices) in hosts {
        let name = format!("{host}.xplane.pb");
        let opened = open(&name, files[&name].clone());
        assert_eq!(opened.partial, None);
        let analysis = Analysis::new(&opened.profile);
        let steps = analysis.step_stats(&opened.profile);
        assert_eq!(steps.devices.len(), devices.len());
        for (n, device) in devices.into_iter().enumerate() {
            let request = |step| {
                let query = Query { device: DeviceChoice::One(n as u32), step, by: GroupBy::Op, ..Query::busiest() };
                analysis.breakdown(&opened.profile, &query).unwrap()
            };
            let all = request(StepChoice::All);
            assert_eq!(all.header.device, Some(device["device"].as_str().unwrap()["/device:".len()..].to_owned()));
            assert_eq!(all.totals.busy, Picos(device["busy_ps"].as_u64().unwrap()));
            assert_eq!(all.header.step_duration, Some(Picos(device["window_ps"].as_u64().unwrap())));
            let rows: BTreeMap<&str, _> = all.groups.iter().map(|group| (group.key.as_str(), group)).collect();
            let runs = device["runs"].as_array().unwrap();
            assert_eq!(rows.len(), runs.iter().filter(|n| n.as_u64() != Some(0)).count());
            for ((op, self_ps), runs) in ops.iter().zip(device["self_ps"].as_array().unwrap()).zip(runs) {
                let runs = runs.as_u64().unwrap();
                if runs == 0 {
                    continue;
                }
                let row = rows[op["name"].as_str().unwrap()];
                assert_eq!(
                    (row.total, row.n_executions),
                    (Picos(self_ps.as_u64().unwrap()), runs.into()),
                    "{}",
                    row.key
                );
                for (found, cost) in
                    [(row.flops, "flops"), (row.model_flops, "model_flops"), (row.bytes_accessed, "bytes_accessed")]
                {
                    assert_eq!(
                        found.map(|found| found as u64),
                        op[cost].as_u64().filter(|_| !opaque.contains(&&op["name"])).map(|each| each * runs),
                        "{} {cost}",
                        row.key
                    );
                }
                assert!(row.categories.contains_key(op["category"].as_str().unwrap()));
            }
            for (found, step) in steps.devices[n].steps.iter().zip(device["steps"].as_array().unwrap()) {
                assert_eq!(Some(found.number), step["number"].as_u64());
                assert_eq!(Some(found.duration.0), step["duration_ps"].as_u64());
                assert_eq!(Some(found.busy.0), step["busy_ps"].as_u64());
                assert_eq!(request(StepChoice::Number(found.number)).totals.busy, found.busy);
            }
        }
    }
    truth
}

/// Every op has the roof that follows from the costs and times that were put in and from the peaks of the simulated
/// chip. This test computes the roof on its own.
#[test]
fn the_roofline_matches_the_simulated_run() {
    use rooflight::analysis::roofline::{Level, Precision, RooflineQuery};
    let (folder, truth) = made(&["--steps", "2", "--no-trace"]);
    let name = format!("{}.xplane.pb", truth["devices"][0]["host"].as_str().unwrap());
    let opened = open(&name, files(folder.path())[&name].clone());
    let analysis = Analysis::new(&opened.profile);
    let device = &truth["devices"][0];
    let query = Query { device: DeviceChoice::One(0), step: StepChoice::All, by: GroupBy::Op, ..Query::busiest() };
    let request = RooflineQuery { query, all_kinds: true, ..RooflineQuery::default() };
    let answer =
        analysis.roofline(&opened.profile, &request, None).unwrap().into_report(&opened.profile, &analysis, usize::MAX);
    let rows: BTreeMap<&str, _> = answer.rows.iter().map(|row| (row.group.key.as_str(), row)).collect();
    let peaks = &answer.figures.peaks[0];
    let (mut held, mut skipped, mut gaps) = (0, 0, 0_i64);
    for (index, op) in truth["ops"].as_array().unwrap().iter().enumerate() {
        let (runs, own) = (device["runs"][index].as_u64().unwrap(), device["self_ps"][index].as_u64().unwrap());
        if runs == 0 {
            continue;
        }
        let row = rows[op["name"].as_str().unwrap()];
        assert_eq!(row.group.total.0, own);
        let Some(roof) = &row.roof else {
            assert!(!row.skipped.is_empty(), "{} has no roof and no reason", row.group.key);
            skipped += 1;
            continue;
        };
        held += 1;
        let (flops, bytes) = (op["flops"].as_u64().unwrap() * runs, op["bytes_accessed"].as_u64().unwrap() * runs);
        assert_eq!((roof.flops as u64, roof.bytes as u64, roof.n), (flops, bytes, runs.into()), "{}", row.group.key);
        let peak = peaks.flops(roof.precision.unwrap_or(Precision::Bf16)).unwrap();
        let compute = flops as f64 / peak;
        let memory = roof.level_bytes[Level::Hbm.index()] / peaks.bytes(Level::Hbm).unwrap();
        let floor = compute.max(memory) * 1e12;
        assert!((roof.t_roof.0 as f64 - floor).abs() <= 1.0, "{}: {} for {floor}", row.group.key, roof.t_roof.0);
        assert_eq!(roof.gap, own as i64 - roof.t_roof.0 as i64, "{}", row.group.key);
        assert!(roof.level_bytes[Level::Hbm.index()] as u64 <= bytes);
        gaps += roof.gap;
    }
    assert!(held > 300 && skipped > 50, "{held} held, {skipped} skipped");
    assert_eq!(answer.figures.step.as_ref().map(|roof| roof.gap), Some(gaps));
}

#[test]
fn memory_matches_the_simulated_run() {
    assert_memory(&[]);
    assert_memory(&["--renumber"]);
}

/// The allocator of each device and the peak of its program are those of the simulated run.
fn assert_memory(options: &[&str]) {
    let fixed = ["--steps", "3", "--devices", "8", "--hosts", "2", "--no-trace"];
    let (folder, truth) = made(&[&fixed, options].concat());
    let memory = &truth["memory"];
    let number = |field: &str| memory[field].as_u64();
    assert!(number("static_peak_bytes").is_some());
    let mut n = 0;
    for (name, bytes) in files(folder.path()).into_iter().filter(|(name, _)| name.ends_with(".xplane.pb")) {
        let mut opened = open(&name, bytes);
        let analysis = Analysis::new(&opened.profile);
        let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
        let query = MemoryQuery::default();
        let whole = rooflight::session::whole_memory(
            &analysis,
            &opened.profile,
            &mut programs,
            &query,
            Some(0),
            &|_| true,
            None,
        );
        assert_eq!(whole.checks.len(), analysis.devices.len());
        for (check, allocator) in whole.checks.iter().zip(&whole.runtime.allocators) {
            assert_eq!(check.static_peak, number("static_peak_bytes"));
            assert_eq!(check.runtime_peak, number("runtime_peak_bytes"));
            assert_eq!(check.capacity.as_ref().map(|capacity| capacity.size), number("capacity_bytes"));
            // A batch is allocated just before each step, so the peak is first reached at the first step.
            assert_eq!((allocator.device.is_some(), allocator.peak.step.unwrap_or(0)), (true, 0));
            n += 1;
        }
    }
    assert_eq!(n, 8);
}

#[test]
fn the_breakdown_matches_the_simulated_run() {
    let truth = assert_breakdown(&["--steps", "3", "--no-trace"]);
    assert_eq!((truth["ops"].as_array().unwrap().len() > 500, truth["steps"].as_u64()), (true, Some(3)));
}

#[test]
fn with_every_fault_and_loops_unrolled() {
    // The expected figures are those of the run. With these two faults, the capture does not have all of its events.
    let names = simulator::faults::names().into_iter().filter(|name| !name.starts_with("lost-"));
    let faults = names.flat_map(|name| ["--fault", name]);
    let options: Vec<&str> = ["--steps", "2", "--unroll", "--no-trace"].into_iter().chain(faults).collect();
    assert_breakdown(&options);
}

#[test]
fn twelve_devices_on_three_hosts() {
    let truth = assert_breakdown(&["--steps", "2", "--devices", "12", "--hosts", "3", "--no-trace"]);
    assert_eq!(truth["devices"].as_array().unwrap().len(), 12);
}

/// Each fault changes the figures that it should change.
#[test]
fn faults_leave_their_marks() {
    let busy = |truth: &Value, is_wanted: &dyn Fn(&Value) -> bool| -> u64 {
        let ops = truth["ops"].as_array().unwrap().iter();
        let times = truth["devices"][0]["self_ps"].as_array().unwrap();
        ops.zip(times).filter(|(op, _)| is_wanted(op)).map(|(_, time)| time.as_u64().unwrap()).sum()
    };
    let category = |name: &'static str| move |op: &Value| op["category"] == name;
    let run = |fault: &[&str]| {
        let mut options = vec!["--steps", "2", "--no-trace"];
        options.extend(fault.iter().flat_map(|name| ["--fault", name]));
        made(&options).1
    };
    let idle = |truth: &Value| {
        let device = &truth["devices"][0];
        device["window_ps"].as_u64().unwrap() - device["busy_ps"].as_u64().unwrap()
    };
    let well = run(&[]);
    let times =
        |bad: &Value, is_wanted: &dyn Fn(&Value) -> bool| busy(bad, is_wanted) as f64 / busy(&well, is_wanted) as f64;
    let retiling = times(&run(&["retiling-copies"]), &category("data formatting"));
    assert!((5.0..6.5).contains(&retiling), "{retiling}");
    let gathers = times(&run(&["exposed-all-gather"]), &category("all-gather"));
    assert!((3.0..4.5).contains(&gathers), "{gathers}");
    // The first device waits for the slow device.
    let waits = times(&run(&["straggler"]), &category("all-reduce"));
    assert!(waits > 1.2, "{waits}");
    assert!(idle(&run(&["host-bound"])) > 10 * idle(&well));
    let (gaps, turns) = (run(&["idle-gaps"]), &category("while"));
    assert!(times(&gaps, turns) > 2.0, "within a loop the gap is the loop's own time");
}

/// The ledger of a simulated capture: its device, the time of each owner and the period, per step in ps.
fn ledger(options: &[&str]) -> (String, BTreeMap<&'static str, f64>, f64, Value) {
    use rooflight::analysis::ledger::LedgerQuery;
    use rooflight::analysis::roofline::RooflineQuery;
    let (folder, truth) = made(&[&["--steps", "6", "--no-trace"], options].concat());
    let opened = open("worker-0.xplane.pb", files(folder.path()).remove("worker-0.xplane.pb").unwrap());
    let analysis = Analysis::new(&opened.profile);
    let query = LedgerQuery { roofline: RooflineQuery::default(), attainable: 0.8 };
    let found = analysis.ledger(&opened.profile, &query, None).unwrap();
    let per_step = |time: Picos| time.as_f64() / f64::from(found.n_steps);
    let owners = found.owners.iter().map(|(owner, time)| (owner.key(), per_step(*time))).collect();
    (analysis.devices[found.device].label.clone(), owners, per_step(found.window), truth)
}

/// A fault lengthens the period by the time that `expected.json` names, and this time has the owner that the fault
/// should have.
#[test]
fn the_time_of_a_fault_has_its_owner() {
    // The owners that a fault may take its time from, and the share of the time that they must have.
    let cases: [(&str, &str, &[&str], f64); 16] = [
        ("straggler", "TPU:5", &["slower", "layout"], 0.95),
        ("exposed-all-gather", "TPU:0", &["transfer"], 0.95),
        ("retiling-copies", "TPU:0", &["layout"], 0.95),
        ("idle-gaps", "TPU:0", &["loop"], 0.95),
        ("host-bound", "TPU:0", &["host"], 0.95),
        ("host-sync", "TPU:0", &["sync"], 0.95),
        ("slow-host", "TPU:0", &["input"], 0.95),
        ("late-peers", "TPU:0", &["barrier"], 0.95),
        ("dma-wait", "TPU:0", &["dma"], 0.95),
        ("tiny-ops", "TPU:0", &["excess", "layout"], 0.95),
        ("recompute", "TPU:0", &["excess", "floor", "layout"], 0.95),
        ("small-collectives", "TPU:0", &["transfer"], 0.95),
        ("slow-link", "TPU:0", &["transfer"], 0.95),
        ("expert-imbalance", "TPU:3", &["slower"], 0.95),
        ("f32", "TPU:0", &["excess", "floor", "opaque"], 0.95),
        ("opaque-kernel", "TPU:0", &["opaque"], 0.95),
    ];
    let (_, before, period, _) = ledger(&[]);
    std::thread::scope(|scope| {
        for part in cases.chunks(8) {
            let before = &before;
            scope.spawn(move || {
                for (fault, device, owners, share) in part {
                    let (found, after, slow, truth) = ledger(&["--fault", fault]);
                    let injected = truth["faults"][0]["injected_ps_per_step"].as_f64().unwrap();
                    assert_eq!((&*found, truth["faults"][0]["name"].as_str()), (*device, Some(*fault)));
                    assert!(injected > 0.01 * period, "{fault} costs {injected} ps");
                    // The mean of the steady steps leaves out the last period, which the expected figure includes.
                    assert!(((slow - period) / injected - 1.0).abs() < 0.05, "{fault}: {injected} {}", slow - period);
                    let time = |times: &BTreeMap<&str, f64>| -> f64 {
                        owners.iter().map(|owner| times.get(owner).copied().unwrap_or_default()).sum()
                    };
                    let taken = time(&after) - time(before);
                    assert!(taken > share * injected, "{fault}: {taken} of {injected}");
                    // A kernel without a cost takes also the time that was judged before.
                    assert!(taken < 1.05 * injected || *fault == "opaque-kernel", "{fault}: {taken} of {injected}");
                }
            });
        }
    });
}

/// These faults change single steps, or only what the capture holds.
#[test]
fn faults_of_single_steps_and_of_captures() {
    let step_stats = |options: &[&str]| {
        let steps = if options.contains(&"recompile") { "12" } else { "6" };
        let (folder, truth) = made(&[&["--steps", steps, "--no-trace"], options].concat());
        let opened = open("worker-0.xplane.pb", files(folder.path()).remove("worker-0.xplane.pb").unwrap());
        let analysis = Analysis::new(&opened.profile);
        (analysis, truth)
    };
    let periods = |analysis: &Analysis, device: usize| -> Vec<u64> {
        let steps = analysis.devices[device].steps.iter().filter(|step| step.has_period);
        steps.map(|step| step.length().0 / 1_000_000_000).collect()
    };
    let of_fault = |truth: &Value, field: &str| truth["faults"][0][field].clone();
    let (well, _) = step_stats(&[]);
    assert_eq!(periods(&well, 0), [126; 5]);
    let (slow, truth) = step_stats(&["--fault", "slow-step"]);
    assert_eq!(periods(&slow, 0), [126, 126, 126, 176, 126]);
    assert!(of_fault(&truth, "injected_ps_per_step").as_u64() > Some(10_000_000_000));
    let (throttled, _) = step_stats(&["--fault", "throttle"]);
    assert_eq!(periods(&throttled, 0), [126, 126, 126, 141, 141]);
    let (compiles, truth) = step_stats(&["--fault", "recompile"]);
    let reasons: Vec<_> = compiles.devices[0].steps.iter().map(|step| step.not_steady.map(NotSteady::key)).collect();
    // The host compiles while the step before runs.
    assert_eq!(reasons[..6], [Some("first"), Some("compile"), None, None, Some("compile"), None]);
    assert!(of_fault(&truth, "injected_ps_per_step").as_u64() > Some(10_000_000_000));
    let (lost, truth) = step_stats(&["--fault", "lost-events"]);
    let reasons: Vec<_> = lost.devices[0].steps.iter().map(|step| step.not_steady.map(NotSteady::key)).collect();
    assert_eq!((reasons[2], of_fault(&truth, "injected_ps_per_step").as_i64()), (Some("lost_ops"), Some(0)));
    let (lost, truth) = step_stats(&["--fault", "lost-device"]);
    assert_eq!(lost.devices.iter().map(|device| device.steps.len()).collect::<Vec<_>>(), [6, 6, 6, 6, 6, 6, 6, 2]);
    assert_eq!(of_fault(&truth, "device").as_str(), Some("/device:TPU:7"));
    for (fault, field) in [("hbm-tight", "capacity_bytes"), ("fragmented", "static_peak_bytes")] {
        let (_, truth) = step_stats(&["--fault", fault]);
        let memory = |field: &str| truth["memory"][field].as_f64().unwrap();
        let used = memory("runtime_peak_bytes") / memory("capacity_bytes");
        assert_eq!(((0.94..0.96).contains(&used), memory(field) > 0.0), (fault == "hbm-tight", true), "{fault} {used}");
    }
}

/// A healthy run has no time to gain, no straggler, and a host that is never late. All of its runs are linked, and the clocks
/// of its devices agree.
#[test]
fn a_healthy_run_has_nothing_to_gain() {
    let (folder, _) = made(&["--steps", "6", "--no-trace", "--healthy"]);
    let opened = open("worker-0.xplane.pb", files(folder.path()).remove("worker-0.xplane.pb").unwrap());
    let analysis = Analysis::new(&opened.profile);
    let (_, owners, period, truth) = ledger(&["--healthy"]);
    assert_eq!((truth["healthy"].as_bool(), truth["faults"].as_array().map(Vec::len)), (Some(true), Some(0)));
    let share = |owner: &str| owners.get(owner).copied().unwrap_or_default() / period;
    for owner in ["excess", "slower", "late", "dma", "layout", "loop", "host", "input", "barrier", "launch"] {
        assert!(share(owner) < 0.02, "{owner}: {}", share(owner));
    }
    assert!(share("floor") > 0.85, "{}", share("floor"));
    let query = Query { device: DeviceChoice::All, step: StepChoice::All, ..Query::busiest() };
    let gaps = analysis.gaps(&opened.profile, &query);
    assert_eq!((gaps.n_runs, gaps.n_linked_runs, gaps.host_late()), (48, 48, Picos::ZERO));
    // The first ops of a run start on all devices at the same time, so their times on the event clock show the skew.
    let starts = |analysis: &Analysis, opened: &Opened| -> Vec<u64> {
        let first = |device: &rooflight::analysis::base::Device| {
            let line = &opened.profile.planes[device.plane].lines[device.ops[0]];
            rooflight::analysis::base::intervals(line, device.event_clock).unwrap()[0].0
        };
        analysis.devices.iter().map(first).collect()
    };
    let skew = |starts: Vec<u64>| starts.iter().max().unwrap() - starts.iter().min().unwrap();
    let found = skew(starts(&analysis, &opened));
    assert!((100_000..=200_100).contains(&found), "{found}");
    let (folder, _) = made(&["--steps", "1", "--no-trace", "--clock-skew", "259"]);
    let opened = open("worker-0.xplane.pb", files(folder.path()).remove("worker-0.xplane.pb").unwrap());
    let found = skew(starts(&Analysis::new(&opened.profile), &opened));
    assert!((258_000_000..=260_000_000).contains(&found), "{found}");
}

/// The host-bound run is idle between its steps, and the cause is the host.
#[test]
fn the_time_between_steps_belongs_to_the_host() {
    let (folder, _) = made(&["--steps", "6", "--fault", "host-bound"]);
    let files = files(folder.path());
    for name in ["worker-0.xplane.pb", "worker-0.trace.json.gz"] {
        let opened = open(name, files[name].clone());
        let analysis = Analysis::new(&opened.profile);
        let query = Query { device: DeviceChoice::One(0), step: StepChoice::Mean, ..Query::busiest() };
        let gaps = analysis.gaps(&opened.profile, &query);
        let host = gaps.classes[0];
        let milliseconds = host.total.as_f64() / 1e9;
        assert_eq!(host.class, rooflight::analysis::gaps::GapClass::Host, "{name}");
        assert!((milliseconds - 50.48).abs() < 0.03, "{name}: {milliseconds}");
        assert_eq!((gaps.n_runs, gaps.n_linked_runs), (4, 4), "{name}");
        let names: Vec<&str> = gaps.gaps[0].host_events.iter().map(|event| &*event.name).collect();
        assert!(names.contains(&"$metrics.py:31 write"), "{name}: {names:?}");
    }
}

/// The landing page's sample is exactly the output of `cargo xtask sample`.
#[test]
fn the_sample_is_made_by_its_arguments() {
    let arguments: Vec<&str> = include_str!("../../samples/arguments.txt").split_whitespace().collect();
    let (folder, _) = made(&arguments);
    let packed = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/samples/sample.xplane.pb.xz")).unwrap();
    let sample = inflate(&packed, XZ.into(), u64::MAX, &mut |_| {});
    assert!(sample.stopped.is_none());
    assert!(files(folder.path())["worker-0.xplane.pb"] == sample.bytes, "cargo xtask sample makes it again");
}

/// Returns communication for a device and a step, from a session of the captures of all hosts.
fn comm(folder: &Path, device: DeviceChoice, step: StepChoice) -> rooflight::analysis::comm::Comm {
    let inputs = files(folder).into_iter().filter(|(name, _)| name.ends_with(".xplane.pb"));
    let inputs = inputs.map(|(name, bytes)| Input { name, source: Box::new(bytes), from_folder: false }).collect();
    let mut opened = rooflight::session::open(inputs, &mut |_| {}).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
    let query = Query { device, step, ..Query::busiest() };
    let request = rooflight::analysis::comm::CommQuery { query, ..Default::default() };
    rooflight::session::comm(&analysis, &opened.profile, &mut programs, &request)
}

/// The times in flight, exposed, overlapped and waited for are those of the simulated run, for every device.
#[test]
fn communication_matches_the_simulated_run() {
    let faults = ["--fault", "exposed-all-gather", "--fault", "straggler"];
    for fault in [&[][..], &faults[..], &["--unroll"]] {
        let options: Vec<&str> = ["--steps", "3", "--no-trace"].iter().chain(fault).copied().collect();
        let (folder, truth) = made(&options);
        for (n, device) in truth["devices"].as_array().unwrap().iter().enumerate() {
            let found = comm(folder.path(), DeviceChoice::One(n as u32), StepChoice::All);
            for (overlap, name) in [(found.tensor.overlap, "collectives"), (found.copies.overlap, "copies")] {
                let is = |field: &str, found: Picos| {
                    assert_eq!(Some(found.0), device[name][field].as_u64(), "{options:?} device {n} {name} {field}");
                };
                is("in_flight_ps", overlap.in_flight);
                is("exposed_ps", overlap.exposed);
                is("overlapped_ps", overlap.overlapped);
                is("stall_ps", overlap.waited);
                assert!(overlap.in_flight > Picos::ZERO);
            }
            assert_eq!((found.pairing.unpaired, found.pairing.from_ops), (0, 0));
            // Unrolled ops have names that their program does not contain, so the contents of their fusions are unknown
            // and are not guessed.
            assert_eq!((found.tensor.n_unsized > 0, found.steps.len()), (options.contains(&"--unroll"), 3));
            // No transfer crosses from one step to the next.
            let steps = |time: &dyn Fn(&rooflight::analysis::comm::StepComm) -> Picos| {
                found.steps.iter().map(time).sum::<Picos>()
            };
            assert_eq!(steps(&|step| step.collectives.exposed), found.tensor.overlap.exposed);
            assert_eq!(steps(&|step| step.copies.waited), found.copies.overlap.waited);
            for (step, wanted) in found.steps.iter().zip(device["steps"].as_array().unwrap()) {
                let event = wanted["duration_ps"].as_u64().unwrap();
                assert!(step.duration.0 >= event, "the period includes the event");
                assert_eq!(Some(step.duration.0 - step.idle.0), wanted["busy_ps"].as_u64());
            }
        }
    }
}

#[test]
fn injected_faults_are_found_where_compute_waits() {
    use rooflight::analysis::comm::Primitive;
    let run = |options: &[&str]| {
        let (folder, truth) = made(&[&["--steps", "2", "--no-trace"], options].concat());
        (comm(folder.path(), DeviceChoice::All, StepChoice::Number(1)), truth)
    };
    let (well, _) = run(&[]);
    let (gathers, _) = run(&["--fault", "exposed-all-gather"]);
    let top = &gathers.rows[0];
    assert_eq!(top.primitive, Some(Primitive::AllGather), "{}", top.key);
    assert_eq!(gathers.primitives[0].primitive, Primitive::AllGather);
    assert!(gathers.primitives[0].flags.iter().any(|flag| flag == "xla_tpu_enable_ici_ag_pipelining"));
    let before = well.rows.iter().find(|row| row.key == top.key).unwrap();
    assert!(
        top.overlap.exposed.0 > 2 * before.overlap.exposed.0,
        "{} was {}",
        top.overlap.exposed.0,
        before.overlap.exposed.0
    );
    assert!(top.group.is_some() && top.bytes.is_some() && top.source.is_some() && top.bus_rate.is_some());
    // The rows are in the order of their exposed time.
    assert!(gathers.rows.windows(2).all(|pair| pair[0].overlap.exposed >= pair[1].overlap.exposed));
}

/// A device that computes an eighth slower is found, with the delay that it adds to the steps. A healthy run has no
/// straggler. The clocks of the simulated devices are up to 259 µs apart, but durations of collectives need no common
/// clock.
#[test]
fn the_straggler_is_found_and_a_healthy_run_has_none() {
    let run = |options: &[&str], steps: &str, step: StepChoice| {
        let (folder, truth) = made(&[&["--steps", steps, "--no-trace", "--clock-skew", "259"], options].concat());
        let opened = open("worker-0.xplane.pb", files(folder.path()).remove("worker-0.xplane.pb").unwrap());
        let query = Query { device: DeviceChoice::One(0), step, ..Query::busiest() };
        let gaps = Analysis::new(&opened.profile).gaps(&opened.profile, &query);
        let barrier = gaps
            .classes
            .iter()
            .find(|class_time| class_time.class.key() == "barrier")
            .map_or(0.0, |class_time| class_time.total.as_f64());
        (comm(folder.path(), DeviceChoice::One(0), step), truth, barrier)
    };
    // The duration of the steps of a device, in the expected figures.
    let length = |truth: &Value| -> f64 {
        let steps = truth["devices"][0]["steps"].as_array().unwrap();
        steps.iter().map(|step| step["duration_ps"].as_u64().unwrap() as f64).sum::<f64>()
    };
    let all = StepChoice::All;
    for (n_steps, step) in [("1", all), ("4", all), ("8", all), ("4", StepChoice::Number(1))] {
        let (well, healthy, _) = run(&[], n_steps, step);
        assert_eq!(well.straggler(), None, "{:?}", well.balance);
        assert!(well.notes.iter().all(|note| note.code != "straggler"));
        let (slow, truth, barrier) = run(&["--fault", "straggler"], n_steps, step);
        let label = truth["devices"][5]["device"].as_str().unwrap().trim_start_matches("/device:").to_owned();
        let straggler = slow.straggler().unwrap();
        assert_eq!((straggler.arrival.device.as_str(), label.as_str()), ("TPU:5", "TPU:5"));
        let steps = if step == StepChoice::All { 1.0 } else { 4.0 };
        let injected = (length(&truth) - length(&healthy)) / steps;
        // The other devices wait in collectives and, after the last collective of a step, at the start of the next run. The
        // delay may be somewhat smaller. Devices that arrive early find the links of their group busy, and this delays the
        // whole group without a device that waits for a peer.
        let size = (straggler.delay.as_f64() + barrier) / injected;
        assert!((0.95..1.05).contains(&size), "{n_steps} steps: {:?} of {injected} ps: {size}", straggler.delay);
        assert!(slow.notes.iter().any(|note| note.code == "straggler" && note.message.starts_with("TPU:5 ")));
        let balance = slow.balance.as_ref().unwrap();
        assert_eq!(balance.devices.len(), 8);
        // In each execution, one device waits for no other.
        assert!(balance.devices.iter().all(|device| device.waited.is_some() && device.n_last <= device.n));
    }
}

/// A matmul that gathers its operand in the same fusion is a matmul, not communication.
#[test]
fn a_fused_matmul_and_all_gather_is_no_communication() {
    let category = |inner: &str| {
        let text = format!(
            "HloModule m, is_scheduled=true

%fused (p: f32[2,4], q: f32[4,4]) -> f32[8,4] {{
  %p = f32[2,4]{{1,0}} parameter(0)
  %q = f32[4,4]{{1,0}} parameter(1)
  %g = f32[8,4]{{1,0}} all-gather(%p), replica_groups={{{{0,1,2,3}}}}, dimensions={{0}}
  ROOT %d = f32[8,4]{{1,0}} {inner}
}}

ENTRY %main (a: f32[2,4], b: f32[4,4]) -> f32[8,4] {{
  %a = f32[2,4]{{1,0}} parameter(0)
  %b = f32[4,4]{{1,0}} parameter(1)
  ROOT %fusion.1 = f32[8,4]{{1,0}} fusion(%a, %b), kind=kOutput, calls=%fused
}}
"
        );
        let (module, _) = xla_profile::hlo::text::module(&text).unwrap();
        let fusion = module.instruction(module.instruction_named("fusion.1").unwrap()).unwrap();
        simulator::machine::category(&module, fusion).to_owned()
    };
    assert_eq!(category("dot(%g, %q), lhs_contracting_dims={1}, rhs_contracting_dims={0}"), "convolution fusion");
    assert_eq!(category("negate(%g)"), "all-gather fusion");
}

/// Returns the mean over devices of a figure of `expected.json` that each device has per op.
fn self_ps(truth: &Value, affected: &dyn Fn(&str) -> bool) -> u64 {
    let ops = truth["ops"].as_array().unwrap();
    let devices = truth["devices"].as_array().unwrap();
    let sum = |device: &Value| -> u64 {
        let times = device["self_ps"].as_array().unwrap().iter().map(|time| time.as_u64().unwrap());
        ops.iter().zip(times).filter(|(op, _)| affected(op["name"].as_str().unwrap())).map(|(_, time)| time).sum()
    };
    devices.iter().map(sum).sum::<u64>() / devices.len() as u64
}

/// Only the ops of the given name take longer, by the given factor, and the expected figures say what it costs.
#[test]
fn scaled_ops_take_longer() {
    let options = ["--steps", "4", "--devices", "1", "--no-trace"];
    let (_, plain) = made(&options);
    let (_, scaled) = made(&[&options[..], &["--scale", "fusion=1.10"]].concat());
    assert_eq!(plain.get("scales"), None);
    let scale = &scaled["scales"][0];
    assert_eq!((scale["op"].as_str(), scale["factor"].as_f64()), (Some("fusion"), Some(1.1)));
    let names: Vec<&str> = scale["ops"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!(!names.is_empty() && names.iter().all(|name| *name == "fusion" || name.starts_with("fusion.")));
    let affected = |name: &str| names.contains(&name);
    let [before, after] = [&plain, &scaled].map(|truth| self_ps(truth, &affected) as f64);
    assert!((after / before - 1.1).abs() < 0.002, "{before} {after}");
    // Compute is never hidden, so that a step is longer by what the ops are, but for waits that become shorter.
    let injected = scale["injected_ps_per_step"].as_i64().unwrap() as f64;
    assert!(injected > 0.0 && injected < (after - before) / 4.0 * 1.02, "{injected} of {}", (after - before) / 4.0);
    let period = |truth: &Value| {
        let steps = truth["devices"][0]["steps"].as_array().unwrap();
        steps.iter().map(|step| step["duration_ps"].as_f64().unwrap()).sum::<f64>() / steps.len() as f64
    };
    let longer = period(&scaled) - period(&plain);
    assert!((injected / longer - 1.0).abs() < 0.02, "{injected} {longer}");
    let kept = |truth: &Value| self_ps(truth, &|name| !affected(name) && !name.contains("-done")) as f64;
    assert!((kept(&scaled) / kept(&plain) - 1.0).abs() < 0.002);
}

#[test]
fn scales_are_checked() {
    use simulator::scale::{Scale, stem};
    assert_eq!("fusion.7=1.5".parse(), Ok(Scale { stem: "fusion".into(), factor: 1.5 }));
    for wrong in ["fusion", "fusion=", "fusion=0", "fusion=-1", "fusion=inf", "fusion=NaN"] {
        assert!(wrong.parse::<Scale>().is_err(), "{wrong}");
    }
    let names = ["copy-start.12", "fusion.3.u1.u2", "add.remat2", "fusion", "x.u", "1.2"];
    assert_eq!(names.map(stem), ["copy-start", "fusion", "add.remat2", "fusion", "x.u", "1"]);
    let folder = tempfile::tempdir().unwrap();
    let args = ["synth", "--out", folder.path().to_str().unwrap(), "--steps", "1", "--scale", "nothing=2"];
    let error = simulator::make(&simulator::args::Args::parse_from(args)).unwrap_err();
    assert_eq!(error.to_string(), "no op of the program is called nothing");
}

/// Returns the plane of the first device in the first capture.
fn device_plane(folder: &Path) -> xla_profile::wire::proto::xspace::XPlane {
    let space = xla_profile::wire::proto::xspace::XSpace::decode(&*files(folder)["worker-0.xplane.pb"]).unwrap();
    space.planes.into_iter().find(|plane| plane.name == "/device:TPU:0").unwrap()
}

/// Returns the text of a stat of each op of the first device in the first capture, by the op's name. `None` where the op
/// lacks the stat.
fn texts_of_ops(folder: &Path, truth: &Value, stat: &str) -> BTreeMap<String, Option<String>> {
    use xla_profile::wire::proto::xspace::x_stat;
    let plane = device_plane(folder);
    let named = |id: i64| plane.stat_metadata[&id].name == stat;
    let ops: Vec<&str> = truth["ops"].as_array().unwrap().iter().map(|op| op["name"].as_str().unwrap()).collect();
    let metadata = plane.event_metadata.values().filter(|metadata| ops.contains(&&*metadata.display_name));
    let texts = metadata.map(|metadata| {
        let text = metadata.stats.iter().find(|stat| named(stat.metadata_id)).map(|stat| match &stat.value {
            Some(x_stat::Value::StrValue(text)) => text.clone(),
            other => format!("{other:?}"),
        });
        (metadata.display_name.clone(), text)
    });
    let texts: BTreeMap<_, _> = texts.collect();
    assert_eq!(texts.len(), ops.len());
    texts
}

/// Asserts that two runs have the same times: each op's, each step's, and those of asynchronous operations.
fn assert_same_times(a: &Value, b: &Value) {
    assert_eq!(a["devices"], b["devices"]);
    assert_eq!(a["memory"], b["memory"]);
    assert_ne!(a["program_id"], b["program_id"]);
}

/// The sources have other lines in the second capture, and nothing else differs.
#[test]
fn edited_sources_move_lines() {
    let options = ["--steps", "2", "--devices", "2", "--no-trace"];
    let (plain, truth) = made(&options);
    let (edited, edited_truth) = made(&[&options[..], &["--edit-lines"]].concat());
    assert_same_times(&truth, &edited_truth);
    assert_eq!(truth["ops"], edited_truth["ops"]);
    let [sources, edited_sources] =
        [(&plain, &truth), (&edited, &edited_truth)].map(|(f, t)| texts_of_ops(f.path(), t, "source"));
    let parts = |source: &str| {
        let (file, line) = source.rsplit_once(':').unwrap();
        (file.to_owned(), line.parse::<i64>().unwrap())
    };
    let mut moved = BTreeMap::<String, Vec<i64>>::new();
    for ((op, before), (other, after)) in sources.iter().zip(&edited_sources) {
        assert_eq!((op, before.is_some()), (other, after.is_some()));
        let (Some(before), Some(after)) = (before, after) else { continue };
        let ((file, line), (same, later)) = (parts(before), parts(after));
        assert_eq!(file, same);
        moved.entry(file).or_default().push(later - line);
    }
    assert!(moved.len() > 2 && moved.values().map(Vec::len).sum::<usize>() > 300);
    for (file, lines) in &moved {
        assert!(lines[0] > 0 && lines.iter().all(|by| *by == lines[0]), "{file}: {lines:?}");
    }
    assert!(
        moved.values().any(|lines| lines[0] != moved.values().next().unwrap()[0]),
        "files move by different numbers"
    );
    // The same scopes and texts: only lines are edited.
    for stat in ["tf_op", "hlo_category", "deduplicated_name"] {
        assert_eq!(texts_of_ops(plain.path(), &truth, stat), texts_of_ops(edited.path(), &edited_truth, stat));
    }
}

/// The second capture has the same ops in the same order at the same times, under other numbers. The analyses of it find
/// the expected figures, so that the rewritten program is whole.
#[test]
fn renumbered_programs_run_the_same() {
    use simulator::scale::stem;
    let options = ["--steps", "2", "--devices", "2", "--no-trace"];
    let (plain, truth) = made(&options);
    let (renumbered, other) = made(&[&options[..], &["--renumber"]].concat());
    assert_same_times(&truth, &other);
    let [ops, others] = [&truth, &other].map(|truth| truth["ops"].as_array().unwrap());
    assert_eq!(ops.len(), others.len());
    let mut new_names = BTreeMap::new();
    for (op, other) in ops.iter().zip(others) {
        for figure in ["category", "runs_per_step", "flops", "model_flops", "bytes_accessed"] {
            assert_eq!(op[figure], other[figure], "{op} {other}");
        }
        let [name, new_name] = [op, other].map(|op| op["name"].as_str().unwrap());
        assert_eq!(stem(name).split('.').next(), stem(new_name).split('.').next());
        new_names.insert(name, new_name);
    }
    let unchanged = new_names.iter().filter(|(name, new_name)| name == new_name).count();
    assert!(unchanged * 100 < ops.len(), "{unchanged} of {}", ops.len());

    let texts = |stat: &str| {
        [(&plain, &truth), (&renumbered, &other)].map(|(folder, truth)| texts_of_ops(folder.path(), truth, stat))
    };
    let [symbols, new_symbols] = texts("symbol_id");
    let same = new_names.iter().filter(|(name, new_name)| symbols[**name] == new_symbols[**new_name]).count();
    assert!(same * 100 < ops.len(), "{same} of {} metadata ids are the same", ops.len());
    for stat in ["tf_op", "source_stack", "shape_with_layout"] {
        let [before, after] = texts(stat);
        assert!(new_names.iter().all(|(name, new_name)| before[*name] == after[*new_name]), "{stat}");
    }
    // The same channels exist, and other collectives have them.
    let channels = |folder: &Path| -> BTreeMap<String, u64> {
        let channel =
            |text: &str| text.split_once("channel_id=")?.1.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok();
        let ops = device_plane(folder).event_metadata.into_values();
        ops.filter_map(|op| Some((op.display_name, channel(&op.name)?))).collect()
    };
    let (channels, new_channels) = (channels(plain.path()), channels(renumbered.path()));
    assert!(channels.len() > 20 && channels.len() == new_channels.len(), "{}", channels.len());
    let same = channels.iter().filter(|(name, id)| new_channels[new_names[name.as_str()]] == **id).count();
    assert!(same * 5 < channels.len(), "{same} of {} channels are the same", channels.len());
    assert_breakdown(&[&options[..], &["--renumber", "--edit-lines", "--scale", "fusion=1.2", "--unroll"]].concat());
}

/// Every reference in a renumbered program leads to what it led to before.
#[test]
fn renumbered_references_stay() {
    use simulator::rewrite::renumber;
    use xla_profile::wire::proto::hlo::*;
    const UPPER: i64 = 1 << 32;
    let instruction = |name: &str, id: i64, operands: &[i64], channel_id: i64| HloInstructionProto {
        name: name.into(),
        id,
        operand_ids: operands.to_vec(),
        control_predecessor_ids: operands.to_vec(),
        called_computation_ids: operands.iter().map(|_| 3).collect(),
        channel_id,
        metadata: Some(Box::new(OpMetadata { deduplicated_name: "add.1".into(), ..Default::default() })),
        ..Default::default()
    };
    let computation = |name: &str, id: i64, instructions: Vec<HloInstructionProto>| HloComputationProto {
        name: name.into(),
        id,
        root_id: id * UPPER + 1,
        instructions,
        ..Default::default()
    };
    let inner = vec![instruction("p", 3 * UPPER, &[], 0), instruction("add.2.clone.1", 3 * UPPER + 1, &[3 * UPPER], 0)];
    let outer = vec![instruction("x", 9 * UPPER, &[], 5), instruction("add.1", 9 * UPPER + 1, &[9 * UPPER], 6)];
    let sequence = hlo_schedule_proto::InstructionSequence { instruction_ids: vec![9 * UPPER, 9 * UPPER + 1] };
    let location = logical_buffer_proto::Location {
        instruction_name: "add.1".into(),
        instruction_id: 9 * UPPER + 1,
        ..Default::default()
    };
    let module = HloModuleProto {
        name: "jit_f".into(),
        entry_computation_name: "main.7".into(),
        entry_computation_id: 9,
        computations: vec![computation("add", 3, inner), computation("main.7", 9, outer)],
        schedule: Some(HloScheduleProto { sequences: [(9, sequence)].into() }),
        ..Default::default()
    };
    let buffer = LogicalBufferProto { defined_at: Some(location), ..Default::default() };
    let assignment = BufferAssignmentProto { logical_buffers: vec![buffer], ..Default::default() };
    let program = HloProto { hlo_module: Some(module), buffer_assignment: Some(assignment) };
    let mut has_swapped = [false; 2];
    for seed in 0..20 {
        let mut other = program.clone();
        let names = renumber(&mut other, seed);
        assert_eq!(names.len(), 6);
        let module = other.hlo_module.as_ref().unwrap();
        let [inner, outer] = &module.computations[..] else { panic!("two computations") };
        assert_eq!((&module.name[..], &module.entry_computation_name), ("jit_f", &outer.name));
        assert_eq!((module.entry_computation_id, outer.root_id), (outer.id, outer.instructions[1].id));
        assert_eq!(outer.name, names["main.7"]);
        let add = &outer.instructions[1];
        assert_eq!(
            (&add.operand_ids, &add.control_predecessor_ids),
            (&vec![outer.id * UPPER], &vec![outer.id * UPPER])
        );
        assert_eq!((add.id, &add.called_computation_ids), (outer.id * UPPER + 1, &vec![inner.id]));
        assert_eq!(inner.instructions[1].metadata.as_ref().unwrap().deduplicated_name, add.name);
        let clone = &inner.instructions[1].name;
        assert!(clone.starts_with("add.") && clone.ends_with(".clone.1"), "{clone}");
        assert!(inner.instructions[0].name.starts_with("p."));
        let schedule = module.schedule.as_ref().unwrap();
        assert_eq!(schedule.sequences[&outer.id].instruction_ids, [outer.id * UPPER, outer.id * UPPER + 1]);
        let location = other.buffer_assignment.as_ref().unwrap().logical_buffers[0].defined_at.as_ref().unwrap();
        assert_eq!((&location.instruction_name, location.instruction_id), (&add.name, add.id));
        let mut channels = outer.instructions.iter().map(|instruction| instruction.channel_id).collect::<Vec<_>>();
        has_swapped = [has_swapped[0] || outer.id == 3, has_swapped[1] || channels == [6, 5]];
        channels.sort_unstable();
        assert_eq!(channels, [5, 6]);
        assert_eq!(inner.instructions[0].channel_id, 0);
    }
    assert_eq!(has_swapped, [true; 2]);
}
