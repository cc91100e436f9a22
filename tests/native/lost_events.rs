//! These tests check what is said of captures that lack events: the captures of `samples/cases`, captures from which each kind
//! of event is taken, and complete captures, which lack nothing.

use crate::common::make::{Plane, event, int};
use crate::common::{self, bytes, open, profile};
use crate::synth::{files, made};
use prost::Message;
use rooflight::analysis::base::{Analysis, DeviceChoice, NotSteady, Query, StepChoice};
use rooflight::analysis::ledger::{LedgerQuery, Owner};
use rooflight::analysis::overview::{Confidence, FigureId, Overview, OverviewQuery};
use rooflight::session::{self, Opened, Programs};
use std::process::Command;
use xla_profile::profile::{NoteCode, Severity};
use xla_profile::units::Picos;
use xla_profile::wire::proto::xspace::{XLine, XPlane, XSpace};

/// A capture that was opened, and its analysis.
struct Capture {
    opened: Opened,
    analysis: Analysis,
}

impl Capture {
    fn new(space: &XSpace) -> Self {
        Self::of_bytes("host.xplane.pb", bytes(space))
    }

    fn of_bytes(name: &str, bytes: Vec<u8>) -> Self {
        let opened = open(name, bytes).unwrap();
        let analysis = Analysis::new(&opened.profile);
        Self { opened, analysis }
    }

    fn codes(&self, severity: Severity) -> Vec<NoteCode> {
        let signs = self.analysis.completeness.signs.iter().filter(|sign| sign.severity == severity);
        signs.map(|sign| sign.code).collect()
    }

    /// Returns the overview of a device. `None` if the device has no ops.
    fn overview(&mut self, device: u32, step: StepChoice) -> Option<Overview> {
        let mut query = OverviewQuery::default();
        query.ledger.roofline.query = Query { device: DeviceChoice::One(device), step, ..Query::default() };
        let mut programs = Programs::new(std::mem::take(&mut self.opened.open_files));
        let files = self.analysis.file_view(&self.opened.profile, &self.opened.files, true);
        session::overview(&self.analysis, &self.opened.profile, &mut programs, &files, &query)
    }

    /// Checks that the capture is partial because of a sign, and that no idle time of the device is measured.
    fn check_loss(&mut self, name: &str, code: NoteCode, device: u32, step: StepChoice) {
        assert!(self.codes(Severity::Partial).contains(&code), "{name}: {:?}", self.analysis.completeness.signs);
        assert!(self.analysis.partial_notes().any(|note| note.code == code), "{name}: no note makes it partial");
        let headline = self.analysis.completeness.headline().unwrap();
        let Some(overview) = self.overview(device, step) else { return };
        assert!(overview.verdict.starts_with(&headline), "{name}: {}", overview.verdict);
        for finding in overview.findings.iter().filter(|finding| IDLE.contains(&&*finding.id.key())) {
            assert_eq!(finding.confidence, Confidence::Guess, "{name}: {} is {:?}", finding.id, finding.confidence);
            assert_eq!(finding.recoverable, Picos::ZERO, "{name}: {}", finding.id);
        }
        if self.analysis.completeness.signs.iter().any(|sign| sign.is_loss() && sign.hides_idle()) {
            for id in [FigureId::Idle, FigureId::HostWaits, FigureId::HardwareMfu] {
                let figure = overview.figure(id).unwrap();
                assert!(figure.value.is_none() && figure.absent.is_some(), "{name}: {}", id.key());
            }
            assert!(overview.findings.is_empty() && overview.options.is_empty(), "{name}: {:?}", overview.findings);
            let is_class = |owner: &Owner| matches!(owner, Owner::Gap(class) if class.is_host_late());
            assert!(!overview.ledger.owners.iter().any(|(owner, _)| is_class(owner)), "{name}: a gap has a cause");
        }
    }
}

/// The rules about idle time.
const IDLE: [&str; 8] = [
    "input_bound",
    "host_dispatch",
    "recompile",
    "host_sync",
    "defragmentation",
    "many_launches",
    "late_peers",
    "unexplained_idle",
];

fn case(name: &str) -> XSpace {
    XSpace::decode(&*case_bytes(name)).unwrap()
}

fn case_bytes(name: &str) -> Vec<u8> {
    profile(&format!("cases/{name}.xplane.pb")).unwrap()
}

/// Runs `rooflight overview` on a capture. Returns its exit code and its output.
fn overview_of_case(name: &str, options: &[&str]) -> (Option<i32>, String) {
    let path = common::captures::path(&format!("cases/{name}.xplane.pb")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_rooflight"));
    let out = command.arg("overview").arg(path).args(options).output().unwrap();
    (out.status.code(), String::from_utf8(out.stdout).unwrap())
}

#[test]
fn a_host_that_ran_steps_proves_that_the_device_ran() {
    let (exit, text) = overview_of_case("tpu_hostonly_warn", &[]);
    assert_eq!(exit, Some(1), "{text}");
    let first = "TPU:0 has no events, although the host ran 25 steps (1.40 s each): its events were lost. The profiler says: \
                 Failed to collect trace from worker 0: device trace buffer overflow;";
    assert!(text.lines().nth(2).unwrap().starts_with(first), "{text}");
    assert!(text.contains("The host spent 1.30 s of 1.40 s of each step in Iterator::Prefetch::Map."), "{text}");
    assert!(!text.contains("nothing ran on the device"), "{text}");
    let (exit, json) = overview_of_case("tpu_hostonly_warn", &["--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(exit, Some(1));
    assert!(json["verdict"].as_str().unwrap().starts_with(first), "{}", json["verdict"]);
}

#[test]
fn launches_without_kernels_allow_no_verdict_on_idle_time() {
    let (exit, json) = overview_of_case("gpu_memcpy_only2", &["--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((exit, json["status"].as_str()), (Some(1), Some("partial")));
    assert_eq!(
        json["verdict"],
        "200 kernels were launched and none was recorded. 5 copies are recorded, 4.50 ms. No verdict on idle time is possible."
    );
    assert_eq!(json["findings"], serde_json::json!([]));
    let mut capture = Capture::of_bytes("host.xplane.pb", case_bytes("gpu_memcpy_only2"));
    capture.check_loss("gpu_memcpy_only2", NoteCode::LaunchesWithoutKernels, 0, StepChoice::Mean);
}

#[test]
fn devices_that_the_groups_name_are_expected() {
    let message = |name: &str| {
        let capture = Capture::of_bytes("host.xplane.pb", case_bytes(name));
        let note = capture.analysis.notes.iter().find(|note| note.code == NoteCode::DevicesMissing);
        note.map(|note| (note.severity, note.message.clone()))
    };
    let (severity, text) = message("tpu_torchxla").unwrap();
    assert_eq!(severity, Severity::Info);
    assert!(text.starts_with("2 of 8 devices are in the capture.") && text.contains("not compared"), "{text}");
    let (_, text) = message("tpu_multislice_dcn").unwrap();
    assert!(text.starts_with("4 of 8 devices are in the capture.") && text.contains("1 more host exist"), "{text}");
    assert_eq!(message("gpu_ragged_a2a"), None);
    let mut capture = Capture::of_bytes("host.xplane.pb", case_bytes("tpu_torchxla"));
    let overview = capture.overview(0, StepChoice::Mean).unwrap();
    let spread = overview.figure(FigureId::DeviceSpread).unwrap();
    assert!(spread.value.is_none() && spread.absent.is_some(), "{spread:?}");
    assert_eq!(overview_of_case("tpu_torchxla", &[]).0, Some(0));
}

/// Removes the events of lines for which `is` holds.
fn remove_events(space: &mut XSpace, is: impl Fn(&XPlane, &XLine, usize) -> bool) {
    for plane in &mut space.planes {
        for index in 0..plane.lines.len() {
            let n = plane.lines[index].events.len();
            let is_kept: Vec<bool> = (0..n).map(|event| !is(plane, &plane.lines[index], event)).collect();
            let mut kept = is_kept.into_iter();
            plane.lines[index].events.retain(|_| kept.next().unwrap());
        }
    }
}

#[test]
fn kernels_that_are_taken_from_a_gpu_are_missed() {
    for name in ["gpu_ragged_a2a", "gpu_sync_ag"] {
        let whole = case(name);
        assert!(Capture::new(&whole).codes(Severity::Partial).is_empty(), "{name} is complete");
        // All kernels, and every tenth.
        for every in [1, 10] {
            let mut space = whole.clone();
            remove_events(&mut space, |plane, line, event| {
                plane.name.starts_with("/device:GPU") && line.name.starts_with("Stream") && event % every == 0
            });
            let mut capture = Capture::new(&space);
            let code = NoteCode::LaunchesWithoutKernels;
            capture.check_loss(&format!("{name}, 1 of {every}"), code, 0, StepChoice::Mean);
        }
    }
}

#[test]
fn warnings_of_the_profiler_of_gpus_are_signs() {
    let dropped = "Detected GPU events dropped on host: Profiler has collected 9 driver events and 2097152 device events. 7 \
                   events dropped because total device(activity) events reaches max.";
    for (errors, warnings, code) in [
        (vec![], vec![dropped.to_owned()], NoteCode::EventsDropped),
        (vec!["CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED".to_owned()], vec![], NoteCode::ProfilerErrors),
    ] {
        let space = XSpace { errors, warnings, ..case("gpu_sync_ag") };
        Capture::new(&space).check_loss("gpu_sync_ag", code, 0, StepChoice::Mean);
    }
}

/// A simulated run of 12 steps on the devices of one host.
fn simulated() -> XSpace {
    let (folder, _) = made(&["--steps", "12", "--no-trace"]);
    XSpace::decode(&*files(folder.path()).remove("worker-0.xplane.pb").unwrap()).unwrap()
}

fn is_ops(plane: &XPlane, line: &XLine, device: &str) -> bool {
    plane.name == device && ["XLA Ops", "Async XLA Ops"].contains(&&*line.name)
}

#[test]
fn ops_that_are_taken_from_a_tpu_are_missed() {
    let whole = simulated();
    let complete = Capture::new(&whole);
    assert!(complete.codes(Severity::Partial).is_empty(), "{:?}", complete.analysis.completeness.signs);
    let n_devices = complete.analysis.devices.len();
    assert!(n_devices > 1);

    // All ops of one device: its runs remain.
    let mut space = whole.clone();
    remove_events(&mut space, |plane, line, _| is_ops(plane, line, "/device:TPU:1"));
    let mut capture = Capture::new(&space);
    assert_eq!(capture.analysis.devices.len(), n_devices - 1);
    assert_eq!(capture.codes(Severity::Partial), [NoteCode::RunsWithoutDevice]);
    let overview = capture.overview(0, StepChoice::Mean).unwrap();
    assert!(overview.verdict.starts_with("TPU:1 has no ops, although the host "), "{}", overview.verdict);
    let idle = overview.figure(FigureId::Idle).unwrap();
    assert!(idle.value.is_some(), "the other devices are complete");

    // All events of all devices: the host called programs.
    let mut space = whole.clone();
    remove_events(&mut space, |plane, _, _| plane.name.starts_with("/device:"));
    let mut capture = Capture::new(&space);
    assert!(capture.analysis.devices.is_empty());
    capture.check_loss("no events", NoteCode::RunsWithoutDevice, 0, StepChoice::Mean);
    let notes = &capture.analysis.notes;
    assert!(notes.iter().all(|note| !note.message.contains("nothing ran")), "{notes:?}");
}

#[test]
fn steps_after_the_end_of_a_device_count_in_no_mean() {
    let whole = simulated();
    for (from, to, code) in [(0.5, 2.0, NoteCode::DeviceEndsEarly), (-1.0, 0.5, NoteCode::DeviceStartsLate)] {
        let mut space = whole.clone();
        remove_events(&mut space, |plane, line, event| {
            let (n, number) = (line.events.len() as f64, event as f64);
            is_ops(plane, line, "/device:TPU:1") && (from * n..to * n).contains(&number)
        });
        let mut capture = Capture::new(&space);
        capture.check_loss("cut", code, 1, StepChoice::All);
        for device in &capture.analysis.devices {
            let is_lost: Vec<bool> = device.steps.iter().map(|step| step.not_steady == Some(NotSteady::Lost)).collect();
            let n_lost = is_lost.iter().filter(|is_lost| **is_lost).count();
            assert!((3..is_lost.len() - 3).contains(&n_lost), "{}: {is_lost:?}", device.label);
        }
    }
}

#[test]
fn counts_and_marks_of_the_profiler_of_tpus_are_signs() {
    let whole = simulated();
    let index = whole.planes.iter().position(|plane| plane.name == "/device:TPU:0").unwrap();
    let line = whole.planes[index].lines.iter().find(|line| line.name == "XLA Ops").unwrap();
    let (timestamp_ns, n) = (line.timestamp_ns, line.events.len());
    let middle = line.events[n / 2].clone();

    let mut dropped = Plane::new("/device:TPU:0");
    dropped.own("dropped_traces", int(12));
    let dropped = dropped.done();
    let mut space = whole.clone();
    space.planes[index].stat_metadata.insert(900_001, dropped.stat_metadata.values().next().unwrap().clone());
    space.planes[index].stat_metadata.get_mut(&900_001).unwrap().id = 900_001;
    let mut stat = dropped.stats[0].clone();
    stat.metadata_id = 900_001;
    space.planes[index].stats.push(stat);
    let mut capture = Capture::new(&space);
    assert_eq!(capture.analysis.completeness.losses().next().unwrap().n, Some(12));
    capture.check_loss("dropped traces", NoteCode::TracesDropped, 0, StepChoice::Mean);

    let mut mark = Plane::new("/device:TPU:0");
    let id = mark.op("Trace Buffers Dropped", "", &[]);
    let mut mark = mark.done();
    let mut metadata = mark.event_metadata.remove(&id).unwrap();
    metadata.id = 900_002;
    let mut space = whole.clone();
    let plane = &mut space.planes[index];
    plane.event_metadata.insert(900_002, metadata);
    let mut gap = event(900_002, 0, 1_000);
    gap.data = middle.data;
    plane.lines.push(XLine {
        id: 77,
        name: "Profiler".to_owned(),
        timestamp_ns,
        events: vec![gap],
        ..XLine::default()
    });
    let mut capture = Capture::new(&space);
    capture.check_loss("dropped buffers", NoteCode::BuffersDropped, 0, StepChoice::All);
    let lost = |device: &rooflight::analysis::base::Device| {
        device.steps.iter().filter(|step| step.not_steady == Some(NotSteady::Lost)).count()
    };
    let n_lost: Vec<usize> = capture.analysis.devices.iter().map(lost).collect();
    assert_eq!((n_lost[0], n_lost[1]), (1, 0), "the step of the device with the mark");
    // The other steps are complete, so that the device is judged by them.
    let overview = capture.overview(0, StepChoice::Mean).unwrap();
    let query = LedgerQuery::default();
    assert!(query.attainable > 0.0 && overview.figure(FigureId::Idle).is_some_and(|idle| idle.value.is_some()));
}

/// Captures that are complete, as far as anybody knows.
#[test]
fn real_captures_lack_no_events() {
    let mut names = common::captures::XSPACES.to_vec();
    names.extend([
        "gpu/again.graphs.xplane.pb",
        "gpu/batch2.graphs.xplane.pb",
        "gpu/counters.graphs.xplane.pb",
        "gpu/cudnn.graphs.xplane.pb",
        "gpu/decode.graphs.xplane.pb",
        "gpu/f32.graphs.xplane.pb",
        "gpu/loader.graphs.xplane.pb",
        "gpu/unrolled.graphs.xplane.pb",
        "gpu/unrolled.kernels.xplane.pb",
        "gpu/xla.kernels.xplane.pb",
        "cpu-jax/vm.trace.json",
    ]);
    names.extend(["gpu-mi300-conv-legacy/host.xplane.pb", "tpu-vllm-trace/vllm.trace.json.gz"]);
    for name in names {
        // Without the folder of other captures, those of this repository are read.
        let Some(bytes) = profile(name) else { continue };
        let capture = Capture::of_bytes(name, bytes);
        let signs = &capture.analysis.completeness.signs;
        let is_sure = |sign: &&rooflight::analysis::base::Sign| sign.severity >= Severity::Caution;
        assert_eq!(signs.iter().filter(is_sure).count(), 0, "{name}: {signs:?}");
    }
}
