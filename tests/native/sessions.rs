//! These tests check which files are one run: by times, hosts, processes, platforms and versions. Of several runs the newest is shown,
//! and a note names the others. No figure compares two runs.

use crate::common::make::{self, Plane, int, text};
use crate::common::trace::{self, gzip};
use crate::common::zip::{deflated, zip};
use crate::common::{bytes, profiles};
use proptest::prelude::*;
use rooflight::analysis::base::Analysis;
use rooflight::session::open::{SessionChoice, open_session};
use rooflight::session::{Input, Opened, open};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use xla_profile::wire::proto::xspace::XSpace;

/// 2026-11-01 10:00:00 UTC in ms since 1970.
const TEN: i64 = 1_793_527_200_000;

/// Returns a capture of a host that was profiled from `start` to `stop`, in ms after [`TEN`].
fn capture(host: &str, (start, stop): (i64, i64)) -> XSpace {
    let mut environment = Plane::new("Task Environment");
    environment.own("profile_start_time", int((TEN + start) * 1_000_000));
    environment.own("profile_stop_time", int((TEN + stop) * 1_000_000));
    let mut space = make::small();
    space.planes.push(environment.done());
    space.hostnames = vec![host.to_owned()];
    space
}

/// Returns a capture with the id of a process and the version of jaxlib.
fn with_process(mut space: XSpace, process: i64, jaxlib: &str) -> XSpace {
    let mut metadata = Plane::new("/host:metadata");
    metadata.own("process_id", int(process));
    metadata.own("jaxlib_version", text(jaxlib));
    space.planes.push(metadata.done());
    space
}

fn opened(files: &[(&str, Vec<u8>)], choice: &SessionChoice) -> Opened {
    let input = |(name, bytes): &(&str, Vec<u8>)| Input {
        name: (*name).to_owned(),
        source: Box::new(bytes.clone()),
        from_folder: true,
    };
    open_session(files.iter().map(input).collect(), choice, &mut |_| {}).unwrap()
}

fn newest(files: &[(&str, Vec<u8>)]) -> Opened {
    opened(files, &SessionChoice::Newest)
}

fn names(opened: &Opened) -> Vec<&str> {
    opened.files.iter().map(|file| file.name.as_str()).collect()
}

fn note<'o>(opened: &'o Opened, code: &str) -> Option<&'o str> {
    opened.profile.notes.iter().find(|note| note.code == code).map(|note| note.message.as_str())
}

fn labels(opened: &Opened) -> Vec<String> {
    Analysis::new(&opened.profile).devices.iter().map(|device| device.label.clone()).collect()
}

/// Runs the command line. Returns its JSON, its messages, and its exit code.
fn run(arguments: &[&str], path: &Path) -> (Value, String, Option<i32>) {
    let out = Command::new(env!("CARGO_BIN_EXE_rooflight")).args(arguments).arg(path).output().unwrap();
    let json = serde_json::from_slice(&out.stdout).unwrap_or_default();
    (json, String::from_utf8_lossy(&out.stderr).into_owned(), out.status.code())
}

fn logdir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/cases/logdir")
}

fn step_ms(json: &Value) -> f64 {
    json["figures"]["step_time"]["value"].as_f64().unwrap() / 1e9
}

fn several_runs(json: &Value) -> &str {
    let notes = json["notes"].as_array().unwrap().iter();
    notes.filter(|note| note["code"] == "several_runs").find_map(|note| note["message"].as_str()).unwrap_or_default()
}

#[test]
fn two_runs_of_one_host_are_two_sessions() {
    let folder = logdir();
    let (json, messages, code) = run(&["overview", "--json"], &folder);
    assert_eq!((code, &json["n_devices"]), (Some(0), &1.into()), "{messages}");
    assert!((step_ms(&json) - 21.0).abs() < 0.1, "the run of 12:00: {}", step_ms(&json));
    let profile = folder.join("plugins/profile").display().to_string();
    assert_eq!(
        several_runs(&json),
        format!(
            "2 runs were found: 2026-11-01 10:00:00 (1 host), 12:00:00 (1 host). The newest is shown. Compare them: \
             `rooflight compare {profile}/2026_11_01_10_00_00 {profile}/2026_11_01_12_00_00`."
        )
    );
    let codes: Vec<&str> = json["notes"].as_array().unwrap().iter().filter_map(|note| note["code"].as_str()).collect();
    assert!(!codes.contains(&"clock_skew") && !codes.contains(&"step_imbalance"), "{codes:?}");
    for view in ["summary", "gaps", "comm", "breakdown", "roofline", "memory", "inspect"] {
        let (json, _, code) = run(&[view, "--json"], &folder);
        assert_eq!((code, json["files"].as_array().map(Vec::len)), (Some(0), Some(1)), "{view}");
    }
}

#[test]
fn a_session_is_chosen_by_name_or_number() {
    let folder = logdir();
    for (choice, n_files, ms) in [
        ("1", 1, Some(21.0)),
        ("2", 1, Some(11.0)),
        ("2026_11_01_10_00_00", 1, Some(11.0)),
        ("2026_11_01_12_00_00", 1, Some(21.0)),
        ("all", 2, None),
    ] {
        let (json, messages, code) = run(&["overview", "--json", "--session", choice], &folder);
        assert_eq!((code, json["files"].as_array().map(Vec::len)), (Some(0), Some(n_files)), "{choice}: {messages}");
        assert!(ms.is_none_or(|ms| (step_ms(&json) - ms).abs() < 0.1), "{choice}: {}", step_ms(&json));
        assert!(!several_runs(&json).is_empty(), "{choice}");
    }
    for wrong in ["3", "0", "2026_11_01_11_00_00"] {
        let (_, messages, code) = run(&["overview", "--session", wrong], &folder);
        assert_eq!(code, Some(2), "{wrong}");
        assert!(messages.contains(&format!("No session {wrong}")) && messages.contains("10:00:00"), "{messages}");
    }
}

#[test]
fn a_folder_with_two_sessions_is_compared_with_the_older_as_base() {
    let (json, messages, code) = run(&["compare", "--json"], &logdir());
    assert_eq!(code, Some(0), "{messages}");
    let file = |side: &str| json[side]["files"][0].as_str().unwrap().to_owned();
    assert!(file("a").contains("2026_11_01_10_00_00") && file("b").contains("2026_11_01_12_00_00"), "{json}");
}

#[test]
fn tables_have_a_row_for_each_session() {
    let out = tempfile::tempdir().unwrap();
    let tables = out.path().join("tables");
    let (_, messages, code) = run(&["export", "--jsonl", tables.to_str().unwrap()], &logdir());
    assert_eq!(code, Some(0), "{messages}");
    let mut rows = Vec::new();
    for date in std::fs::read_dir(tables.join("table=captures")).unwrap() {
        for file in std::fs::read_dir(date.unwrap().path()).unwrap() {
            rows.extend(std::fs::read_to_string(file.unwrap().path()).unwrap().lines().map(str::to_owned));
        }
    }
    assert_eq!(rows.len(), 2, "{rows:?}");
}

/// Two real captures that were taken one after the other.
#[test]
fn real_runs_one_after_the_other_are_two_sessions() {
    let Some(folder) = profiles().map(|folder| folder.join("real_logdir")).filter(|folder| folder.is_dir()) else {
        return;
    };
    let (json, messages, code) = run(&["overview", "--json"], &folder);
    assert_eq!(code, Some(0), "{messages}");
    assert!(json["files"].to_string().contains("08_23_25"), "{}", json["files"]);
    assert!(several_runs(&json).starts_with("2 runs were found"), "{}", several_runs(&json));
}

#[test]
fn hosts_whose_times_overlap_are_one_session() {
    let files = [
        ("p/s/w-0.xplane.pb", bytes(&capture("w-0", (0, 100)))),
        ("p/s/w-1.xplane.pb", bytes(&capture("w-1", (2, 101)))),
    ];
    let one = newest(&files);
    assert_eq!((one.files.len(), labels(&one).len(), note(&one, "several_runs")), (2, 4, None));
    // Each host names its folder when it stops.
    let files = [
        ("p/2026_11_01_10_00_00/w-0.xplane.pb", files[0].1.clone()),
        ("p/2026_11_01_10_00_02/w-1.xplane.pb", files[1].1.clone()),
    ];
    let one = newest(&files);
    assert_eq!((one.files.len(), note(&one, "several_runs")), (2, None));
    assert!(note(&one, "folders_joined").is_some_and(|text| text.contains("2026_11_01_10_00_02")));
    // A host without devices belongs to them, another version and another run do not.
    let mut coordinator = capture("w-2", (0, 100));
    coordinator.planes.retain(|plane| !plane.name.starts_with("/device:"));
    let others = [
        ("p/s/w-2.xplane.pb", bytes(&coordinator)),
        ("p/s/w-3.xplane.pb", bytes(&with_process(capture("w-3", (0, 90)), 7, "0.9.1"))),
        ("p/s/w-4.xplane.pb", bytes(&with_process(capture("w-4", (0, 100)), 8, "0.9.0"))),
        ("p/s/w-5.xplane.pb", bytes(&with_process(capture("w-5", (0, 100)), 9, "0.9.0"))),
    ];
    let one = newest(&others[2..]);
    assert_eq!(one.files.len(), 2);
    assert_eq!(names(&newest(&others[1..])), ["p/s/w-4.xplane.pb", "p/s/w-5.xplane.pb"], "the one that stopped last");
    assert_eq!(newest(&[others[0].clone(), others[2].clone()]).files.len(), 2);
    // So do devices of another type.
    let mut other_type = capture("w-1", (2, 101));
    for plane in other_type.planes.iter_mut().filter(|plane| plane.name.starts_with("/device:")) {
        plane.stats[0].value = Some(text("TPU v6e"));
    }
    let two = newest(&[files[0].clone(), ("p/2026_11_01_10_00_02/w-1.xplane.pb", bytes(&other_type))]);
    assert_eq!((two.files.len(), note(&two, "several_runs").is_some()), (1, true));
}

#[test]
fn processes_of_one_host_are_one_session() {
    let process = |id| bytes(&with_process(capture("h", (id, 100 + id)), id, "0.10.2"));
    let one = newest(&[("p/s/dp1_h.xplane.pb", process(11)), ("p/s/dp0_h.xplane.pb", process(10))]);
    assert_eq!(labels(&one), ["dp0 TPU:0", "dp0 TPU:1", "dp1 TPU:0", "dp1 TPU:1"]);
    // The same process later is another run.
    let later = bytes(&with_process(capture("h", (200, 300)), 10, "0.10.2"));
    let two = newest(&[("p/s/dp0_h.xplane.pb", process(10)), ("p/t/dp0_h.xplane.pb", later)]);
    assert_eq!((names(&two), note(&two, "several_runs").is_some()), (vec!["p/t/dp0_h.xplane.pb"], true));
}

#[test]
fn a_file_that_is_given_twice_counts_once() {
    let file = bytes(&capture("h", (0, 100)));
    for (name, other) in [
        ("q/h.xplane.pb", file.clone()),
        ("p/copy.xplane.pb", file.clone()),
        // A packed copy has other bytes, and the same host and times.
        ("p/h.xplane.pb.gz", gzip(&file)),
    ] {
        let one = newest(&[("p/h.xplane.pb", file.clone()), (name, other)]);
        assert_eq!((one.files.len(), labels(&one).len()), (1, 2), "{name}");
        assert!(
            note(&one, "duplicate_file").is_some_and(|text| text.contains(name)),
            "{name}: {:?}",
            one.profile.notes
        );
        assert_eq!(note(&one, "several_runs"), None, "{name}");
    }
}

#[test]
fn trace_json_beside_an_xspace_is_the_same_run_unless_its_lines_start_at_other_times() {
    let space = capture("h", (0, 100));
    let json = |space: &XSpace| {
        let planes = space.planes.iter().filter(|plane| plane.name.starts_with("/device:")).cloned();
        trace::text(&trace::events_of(&XSpace { planes: planes.collect(), ..XSpace::default() }))
    };
    let opened = |json: Vec<u8>| newest(&[("p/h.xplane.pb", bytes(&space)), ("p/h.trace.json", json)]);
    let same = opened(json(&space));
    assert_eq!((same.files.len(), note(&same, "several_runs")), (1, None));
    assert!(note(&same, "same_capture").is_some());
    // Times that count from another origin are the same run.
    let mut shifted = space.clone();
    shifted.planes.iter_mut().flat_map(|plane| &mut plane.lines).for_each(|line| line.timestamp_ns += 5_000_000);
    assert_eq!(note(&opened(json(&shifted)), "several_runs"), None);
    let mut other = shifted.clone();
    for (n, line) in (1..).zip(other.planes.iter_mut().flat_map(|plane| &mut plane.lines)) {
        line.timestamp_ns += n * 700_000;
    }
    let two = opened(json(&other));
    assert_eq!(names(&two), ["p/h.xplane.pb"]);
    assert!(note(&two, "several_runs").is_some_and(|text| text.contains("h.trace.json")), "{:?}", two.profile.notes);
}

#[test]
fn hosts_are_in_the_order_of_their_numbers() {
    let hosts: Vec<(String, Vec<u8>)> =
        [10, 2, 1].map(|n| (format!("p/s/w-{n}.xplane.pb"), bytes(&capture(&format!("w-{n}"), (n, 100 + n))))).to_vec();
    let files: Vec<(&str, Vec<u8>)> = hosts.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    assert_eq!(names(&newest(&files)), ["p/s/w-1.xplane.pb", "p/s/w-2.xplane.pb", "p/s/w-10.xplane.pb"]);
}

#[test]
fn members_of_an_archive_are_told_apart() {
    let member = |time: &str, start| {
        deflated(&format!("log/plugins/profile/{time}/h.xplane.pb"), &bytes(&capture("h", (start, start + 100))))
    };
    let archive = zip(&[member("2026_11_01_10_00_00", 0), member("2026_11_01_12_00_00", 7_200_000)]);
    let input = Input { name: "log.zip".to_owned(), source: Box::new(archive), from_folder: false };
    let one = open(vec![input], &mut |_| {}).unwrap();
    assert_eq!(names(&one), ["log.zip/log/plugins/profile/2026_11_01_12_00_00/h.xplane.pb"]);
    assert!(note(&one, "several_runs").is_some());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The order in which files are given changes neither the session nor the notes about it.
    #[test]
    fn the_order_of_files_changes_no_session(
        files in prop::collection::vec((0..3_i64, 0..4_i64, 0..2_usize), 1..7),
        order in any::<u64>(),
    ) {
        let named: Vec<(String, Vec<u8>)> = files.iter().enumerate().map(|(index, (run, host, folder))| {
            let path = format!("p/{}/w-{host}.{index}.xplane.pb", ["s", "t"][*folder]);
            let start = run * 1_000 + index as i64;
            (path, bytes(&capture(&format!("w-{host}"), (start, start + 100))))
        }).collect();
        let mut shuffled: Vec<(&str, Vec<u8>)> = named.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
        let sorted = newest(&shuffled);
        shuffled.sort_by_key(|(name, _)| name.bytes().fold(order | 1, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)).rotate_left(9)));
        let other = newest(&shuffled);
        prop_assert_eq!(names(&sorted), names(&other));
        prop_assert_eq!(labels(&sorted), labels(&other));
        prop_assert_eq!(note(&sorted, "several_runs"), note(&other, "several_runs"));
        // All files of the session are of one run.
        let runs: std::collections::BTreeSet<i64> = sorted.files.iter().map(|file| {
            let index: usize = file.name.split('.').nth(1).unwrap().parse().unwrap();
            files[index].0
        }).collect();
        prop_assert_eq!(runs.len(), 1);
    }
}
