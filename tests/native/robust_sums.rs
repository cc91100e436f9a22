//! These tests check sums of times that exceed the range of a number. Such a sum stays at the largest number, and a
//! note reports the overflow. Nothing wraps, and nothing panics.

use crate::common;
use crate::common::bytes;
use crate::common::make::{Plane, int};
use crate::common::trace::{gzip, open_all};
use rooflight::analysis::base::{Analysis, DeviceChoice, GroupBy, Query, Status, StepChoice, TimeRange};
use rooflight::analysis::breakdown::Breakdown;
use std::process::Command;
use xla_profile::profile::Severity;
use xla_profile::units::Picos;
use xla_profile::wire::proto::xspace::{XPlane, XSpace};

const MAX_TIME: Picos = Picos(u64::MAX);
const HALF: i64 = i64::MAX;

/// Returns a plane with a line of ops for each list of events. All events are of one op.
fn plane(name: &str, lines: &[&[(i64, i64)]]) -> XPlane {
    let mut plane = Plane::new(name);
    let op = plane.op("%fusion.1 = f32[8]{0} fusion(%a), kind=kLoop", "fusion.1", &[]);
    for events in lines {
        let events: Vec<_> = events.iter().map(|(start, duration)| (op, *start, *duration)).collect();
        plane.line("XLA Ops", &events);
    }
    plane.done()
}

fn analysis(planes: Vec<XPlane>) -> (rooflight::session::Opened, Analysis) {
    let opened = common::open("a.xplane.pb", bytes(&XSpace { planes, ..XSpace::default() })).unwrap();
    let analysis = Analysis::new(&opened.profile);
    (opened, analysis)
}

/// Computes all groupings of all views that sum times. Returns the inclusive time of the first row, the busy time, and
/// the severity of the note about the overflow.
fn busy(planes: Vec<XPlane>) -> (Picos, Picos, Option<Severity>) {
    let (opened, analysis) = analysis(planes);
    let query = Query { device: DeviceChoice::All, step: StepChoice::All, ..Query::busiest() };
    for by in GroupBy::ALL {
        let query = Query { by, ..query.clone() };
        analysis.breakdown(&opened.profile, &query).unwrap();
        analysis.data_movement(&opened.profile, &query, None);
    }
    analysis.scopes(&opened.profile, &query, "", 0.0).unwrap();
    analysis.step_stats(&opened.profile);
    let breakdown = analysis.breakdown(&opened.profile, &query).unwrap();
    let note = breakdown.notes.iter().find(|note| note.code == "time_overflow");
    (breakdown.groups[0].inclusive, breakdown.totals.busy, note.map(|note| note.severity))
}

#[test]
fn durations_of_one_line() {
    // 50 events of 2⁶³ − 1 ps begin at the same time, and only one of them runs at a time.
    let (inclusive, busy, note) = busy(vec![plane("/device:TPU:0", &[&[(0, HALF); 50]])]);
    assert_eq!((inclusive, busy, note), (MAX_TIME, Picos(HALF as u64), Some(Severity::Partial)));
}

#[test]
fn lines_side_by_side() {
    let long: &[(i64, i64)] = &[(0, 1 << 62)];
    let (inclusive, busy, note) = self::busy(vec![plane("/device:TPU:0", &[long; 9])]);
    assert_eq!((inclusive, busy, note), (MAX_TIME, MAX_TIME, Some(Severity::Partial)));
    // The sum of three lines is in range.
    let (inclusive, busy, note) = self::busy(vec![plane("/device:TPU:0", &[long; 3])]);
    assert_eq!((inclusive, busy, note), (Picos(3 << 62), Picos(3 << 62), None));
}

#[test]
fn devices_side_by_side() {
    let long: &[(i64, i64)] = &[(0, HALF)];
    let planes = |n: u32| (0..n).map(|i| plane(&format!("/device:TPU:{i}"), &[long])).collect::<Vec<_>>();
    assert_eq!(self::busy(planes(3)), (MAX_TIME, MAX_TIME, Some(Severity::Partial)));
    assert_eq!(self::busy(planes(2)), (Picos(u64::MAX - 1), Picos(u64::MAX - 1), None));
}

/// The ops are short, and the windows around them are long.
#[test]
fn windows_of_devices() {
    let far: &[(i64, i64)] = &[(0, 10), (HALF - 10, 10)];
    let planes = |n: u32| (0..n).map(|i| plane(&format!("/device:TPU:{i}"), &[far])).collect::<Vec<_>>();
    assert_eq!(self::busy(planes(3)).2, Some(Severity::Partial));
    assert_eq!(self::busy(planes(2)).2, None);
}

/// Each step ends where the next one starts, but their events are long.
#[test]
fn events_of_steps() {
    let device = |n: i64| {
        let mut plane = Plane::new("/device:TPU:0");
        let op = plane.op("%fusion.1 = f32[8]{0} fusion(%a), kind=kLoop", "fusion.1", &[]);
        let step = plane.op("1", "", &[]);
        plane.line("Steps", &(0..n).map(|start| (step, start, HALF - start)).collect::<Vec<_>>());
        plane.line("XLA Ops", &[(op, 0, 10)]);
        plane.done()
    };
    assert_eq!(self::busy(vec![device(3)]).2, Some(Severity::Partial));
    assert_eq!(self::busy(vec![device(2)]).2, None);
}

/// A range of time may be longer than the capture.
#[test]
fn ranges_of_devices() {
    let (opened, analysis) = analysis((0..2).map(|i| plane(&format!("/device:TPU:{i}"), &[&[(0, 10)]])).collect());
    let breakdown = |end: u64| {
        let range = TimeRange { start: Picos(0), end: Picos(end) };
        let query = Query { device: DeviceChoice::All, step: StepChoice::Range(range), ..Query::busiest() };
        analysis.breakdown(&opened.profile, &query).unwrap()
    };
    let has_note = |breakdown: &Breakdown| breakdown.notes.iter().any(|note| note.code == "time_overflow");
    let (long, short) = (breakdown(u64::MAX), breakdown(u64::MAX / 2));
    assert_eq!((long.header.status, has_note(&long)), (Status::Partial, true));
    assert_eq!((short.header.status, has_note(&short)), (Status::Ok, false));
}

#[test]
fn times_of_a_trace_json() {
    let event =
        r#"{"ph":"X","pid":1,"tid":1,"ts":1,"dur":9e18,"name":"fusion.1","args":{"hlo_category":"loop fusion"}}"#;
    let names = r#"{"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:TPU:0"}},
        {"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"XLA Ops"}}"#;
    let text = format!(r#"{{"traceEvents":[{names},{event},{event},{event}]}}"#);
    let opened = open_all(&[("a.trace.json.gz", &gzip(text.as_bytes()))]).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let query = Query { step: StepChoice::All, ..Query::busiest() };
    let breakdown = analysis.breakdown(&opened.profile, &query).unwrap();
    assert_eq!(breakdown.groups[0].inclusive, MAX_TIME);
    assert!(breakdown.notes.iter().any(|note| note.code == "time_overflow"));
}

#[test]
fn the_command_line_reports_an_overflow_as_partial() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.xplane.pb");
    let long: &[(i64, i64)] = &[(0, 1 << 62)];
    let planes = vec![plane("/device:TPU:0", &[long; 9])];
    std::fs::write(&path, bytes(&XSpace { planes, ..XSpace::default() })).unwrap();
    let views = [
        "breakdown",
        "summary",
        "overview",
        "roofline",
        "memory",
        "comm",
        "gaps",
        "flags",
        "non-compute",
        "inspect",
        "report",
    ];
    for view in views {
        let out = Command::new(env!("CARGO_BIN_EXE_rooflight")).arg(view).arg(&path).output().unwrap();
        let text = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(1), "{view}: {text}");
        assert_eq!(text.matches("more than 2⁶⁴ ps").count(), 1, "{view}: {text}");
    }
    let out = Command::new(env!("CARGO_BIN_EXE_rooflight")).args(["breakdown", "--json"]).arg(&path).output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(json["status"], "partial");
    assert_eq!(json["totals"]["busy_duration_ps"], u64::MAX);
}

#[test]
fn a_comparison_says_that_a_time_is_as_large_as_it_can_be() {
    let dir = tempfile::tempdir().unwrap();
    let paths = [("a.xplane.pb", 1_000), ("b.xplane.pb", HALF)].map(|(name, length)| {
        let planes = vec![plane("/device:TPU:0", &[&[(0, length), (length, length)]])];
        let path = dir.path().join(name);
        std::fs::write(&path, bytes(&XSpace { planes, ..XSpace::default() })).unwrap();
        path
    });
    let compare = |a: usize, b: usize| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rooflight"));
        let out = command.args(["compare", "--json"]).args([&paths[a], &paths[b]]).output().unwrap();
        let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
        (out.status.code(), json["notes"].to_string().contains("2⁶³ − 1 ps"))
    };
    assert_eq!((compare(0, 1), compare(1, 0)), ((Some(1), true), (Some(1), true)));
    assert_eq!(compare(0, 0), (Some(0), false));
}

/// Six steps with an op in each. On the event clock, the second step is after all others, on the clock of the device it is not.
#[test]
fn steps_that_two_clocks_order_differently() {
    let mut plane = Plane::new("/device:TPU:0");
    let names: Vec<i64> = (0..6).map(|number: i64| plane.op(&number.to_string(), "", &[])).collect();
    let op = plane.op("%fusion.1 = f32[8]{0} fusion(%a), kind=kLoop", "fusion.1", &[]);
    let on_event = [0, 9_000, 1_000, 2_000, 3_000, 4_000];
    for (line, duration, start) in [("Steps", 1_000, 0), ("XLA Ops", 600, 100)] {
        let clock: Vec<_> = (0..6)
            .map(|index| {
                let value = |name: &str, plane: &mut Plane, n: i64| plane.stat(name, int(n));
                vec![
                    value("device_offset_ps", &mut plane, index * 1_000 + start),
                    value("device_duration_ps", &mut plane, duration),
                ]
            })
            .collect();
        let events: Vec<_> = (0..6)
            .map(|index: usize| (if line == "Steps" { names[index] } else { op }, on_event[index] + start, duration))
            .collect();
        let line = plane.line(line, &events);
        line.events.iter_mut().zip(clock).for_each(|(event, stats)| event.stats = stats);
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.xplane.pb");
    std::fs::write(&path, bytes(&XSpace { planes: vec![plane.done()], ..XSpace::default() })).unwrap();
    let json = |args: &[&str]| -> serde_json::Value {
        let out = Command::new(env!("CARGO_BIN_EXE_rooflight")).args(args).arg("--json").output().unwrap();
        assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        serde_json::from_slice(&out.stdout).unwrap()
    };
    let path = path.to_str().unwrap();
    let summary = json(&["summary", path]);
    let steps = summary["step_stats"]["devices"][0]["steps"].as_array().unwrap();
    let periods: Vec<Option<u64>> = steps.iter().map(|step| step["period_ps"].as_u64()).collect();
    // The step at another place has no period, and neither has the step before it, whose end is unknown.
    assert_eq!(periods, [None, None, Some(1_000), Some(1_000), Some(1_000), None]);
    let ledger = &summary["ledger"];
    let owners: u64 = ledger["owners"].as_object().unwrap().values().map(|time| time.as_u64().unwrap()).sum();
    assert_eq!((&ledger["n_steps"], ledger["window_ps"].as_u64()), (&3.into(), Some(owners)));
    let comparison = json(&["compare", path, path]);
    let row = &comparison["rows"][0];
    assert_eq!((&row["a"]["self_ps"], &row["delta_ps"], &comparison["delta_ps"]), (&600.into(), &0.into(), &0.into()));
}
