//! These tests check the comparison of many captures in a row: with a jump that is injected, without one, and in any order of files.

use crate::synth::made;
use prost::Message;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use xla_profile::wire::proto::xspace::{XEventMetadata, XPlane, XSpace, XStat, XStatMetadata, x_stat};

/// Number of captures.
const N: usize = 9;

/// Writes captures that differ by their seeds. Those from `jump` on have slower ops. Returns their paths, in the order of time.
fn captures(folder: &Path, jump: Option<usize>) -> Vec<PathBuf> {
    let write = |index: usize| {
        let seed = (index + 1).to_string();
        let slow: &[&str] = if jump.is_some_and(|jump| index >= jump) { &["--scale", "fusion=1.30"] } else { &[] };
        let options = [&["--steps", "6", "--no-trace", "--devices", "2", "--seed", &seed][..], slow].concat();
        let (made, _) = made(&options);
        let bytes = std::fs::read(made.path().join("worker-0.xplane.pb")).unwrap();
        // By name, the order is another one.
        let path = folder.join(format!("night-{}.xplane.pb", N - index));
        std::fs::write(&path, with_start(&bytes, 1_700_000_000_000_000_000 + index as u64 * 86_400_000_000_000))
            .unwrap();
        path
    };
    (0..N).map(write).collect()
}

/// Returns a capture with the plane that tells when the profile was started.
fn with_start(bytes: &[u8], start: u64) -> Vec<u8> {
    let mut space = XSpace::decode(bytes).unwrap();
    let name = XStatMetadata { id: 1, name: "profile_start_time".to_owned(), ..XStatMetadata::default() };
    let stat = XStat { metadata_id: 1, value: Some(x_stat::Value::Uint64Value(start)) };
    let plane = XPlane {
        name: "Task Environment".to_owned(),
        stats: vec![stat],
        stat_metadata: [(1, name)].into_iter().collect(),
        event_metadata: [(1, XEventMetadata::default())].into_iter().collect(),
        ..XPlane::default()
    };
    space.planes.push(plane);
    space.encode_to_vec()
}

fn run(paths: &[PathBuf], options: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_rooflight"))
        .args(["compare", "--series"])
        .args(options)
        .args(paths)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn json(paths: &[PathBuf], options: &[&str]) -> Value {
    let (code, text, error) = run(paths, &[options, &["--json"]].concat());
    assert_eq!(code, 0, "{error}");
    serde_json::from_str(&text).unwrap()
}

fn period(value: &Value) -> &Value {
    value["series"].as_array().unwrap().iter().find(|series| series["name"] == "period").unwrap()
}

/// The number in the name of each capture.
fn names(value: &Value) -> Vec<usize> {
    let captures = value["captures"].as_array().unwrap().iter();
    let name = |capture: &Value| capture["files"][0].as_str().unwrap().to_owned();
    let number = |name: String| name.trim_end_matches(".xplane.pb").rsplit_once('-').unwrap().1.parse().unwrap();
    captures.map(name).map(number).collect()
}

#[test]
fn a_jump_is_a_change_point() {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = captures(folder.path(), Some(5));
    let found = json(&paths, &[]);
    assert_eq!(
        (found["order"].as_str(), found["base"].as_u64(), found["unit"].as_str()),
        (Some("time"), Some(1), Some("step"))
    );
    assert_eq!(names(&found), (1..=N).rev().collect::<Vec<_>>());
    let changes = period(&found)["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert_eq!(changes[0]["capture"], 6);
    // The medians are those of the captures, and the parts sum to the difference of the two around the change.
    let medians: Vec<f64> =
        found["captures"].as_array().unwrap().iter().map(|capture| capture["median_ps"].as_f64().unwrap()).collect();
    let median = |mut three: Vec<f64>| {
        three.sort_by(f64::total_cmp);
        three[1]
    };
    assert_eq!(changes[0]["before"].as_f64(), Some(median(medians[2..5].to_vec())));
    assert_eq!(changes[0]["after"].as_f64(), Some(median(medians[5..8].to_vec())));
    let parts = changes[0]["waterfall"].as_array().unwrap();
    let sum: i64 = parts.iter().map(|part| part["delta_ps"].as_i64().unwrap()).sum();
    let two: Vec<PathBuf> = vec![paths[4].clone(), paths[5].clone()];
    let output = Command::new(env!("CARGO_BIN_EXE_rooflight")).args(["compare", "--json"]).args(&two).output().unwrap();
    let two: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(two["delta_ps"].as_i64(), Some(sum));
    assert!(sum > 0);
    let verdicts: Vec<&str> =
        found["captures"].as_array().unwrap().iter().map(|capture| capture["verdict"].as_str().unwrap()).collect();
    assert!(
        verdicts[..5].iter().all(|verdict| *verdict == "within_noise")
            && verdicts[5..].iter().all(|verdict| *verdict == "regression")
    );
    // The order of the files does not count.
    paths.reverse();
    paths.swap(2, 7);
    assert_eq!(json(&paths, &[]), found);
    // By name, the captures are the other way round.
    let by_name = json(&paths, &["--order", "name"]);
    assert_eq!(names(&by_name), (1..=N).collect::<Vec<_>>());
    assert_eq!(period(&by_name)["changes"][0]["capture"], 5);
    let fall = &period(&by_name)["changes"][0];
    assert!(fall["after"].as_f64() < fall["before"].as_f64());
    // Other bases.
    let last = json(&paths, &["--base", "9"]);
    assert_eq!((last["base"].as_u64(), last["captures"][0]["verdict"].as_str()), (Some(9), Some("improvement")));
    let middle = json(&paths, &["--base", "median"])["base"].as_u64().unwrap() as usize - 1;
    assert_eq!(medians.iter().filter(|median| **median < medians[middle]).count(), N / 2);
    let (code, text, _) = run(&paths, &[]);
    assert_eq!(code, 0);
    assert!(text.contains("from capture 6 (") && text.contains("Time per step: "), "{text}");
}

/// Reports of files with the same name, as those of every night, are distinguished by their own names.
#[test]
fn reports_of_files_with_one_name_are_a_series() {
    let folder = tempfile::tempdir().unwrap();
    let paths = captures(folder.path(), Some(5));
    let expected = json(&paths, &[]);
    let order = names(&expected);
    let report = |(place, number): (usize, &usize)| {
        let end = format!("-{number}.xplane.pb");
        let capture = paths.iter().find(|path| path.display().to_string().ends_with(&end)).unwrap();
        let run = folder.path().join(format!("run{place}"));
        std::fs::create_dir(&run).unwrap();
        std::fs::copy(capture, run.join("host.xplane.pb")).unwrap();
        let report = folder.path().join(format!("{place}.rooflight"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_rooflight"));
        command.arg("report").arg(run.join("host.xplane.pb")).arg("--rooflight").arg(&report);
        assert!(command.output().unwrap().status.success());
        report
    };
    let mut reports: Vec<PathBuf> = order.iter().enumerate().map(report).collect();
    reports.reverse();
    let found = json(&reports, &[]);
    assert_eq!(
        (found["order"].as_str(), &found["captures"][0]["files"][0]),
        (Some("name"), &Value::from("0.rooflight"))
    );
    assert_eq!(period(&found)["values"], period(&expected)["values"]);
    let sums = [&found, &expected].map(|document| {
        let changes = period(document)["changes"].as_array().unwrap();
        let sum = |change: &Value| {
            let parts = change["waterfall"].as_array().unwrap().iter();
            parts.map(|part| part["delta_ps"].as_i64().unwrap()).sum::<i64>()
        };
        changes.iter().map(|change| (change["capture"].as_u64(), sum(change))).collect::<Vec<_>>()
    });
    assert_eq!(sums[0], sums[1]);
    assert_eq!(sums[0].len(), 1);
}

#[test]
fn captures_without_a_jump_have_no_change_point() {
    let folder = tempfile::tempdir().unwrap();
    let paths = captures(folder.path(), None);
    let found = json(&paths, &[]);
    assert!(period(&found)["fence"].as_f64().is_some());
    for series in found["series"].as_array().unwrap() {
        assert_eq!(series["values"].as_array().unwrap().len(), N);
    }
    assert_eq!(period(&found)["changes"].as_array().map(Vec::len), Some(0), "{found}");
    assert!(found["captures"].as_array().unwrap().iter().all(|capture| capture["verdict"] == "within_noise"));
    // One capture is a series, without a limit or a change.
    let single = json(&paths[..1], &[]);
    assert_eq!((names(&single).len(), period(&single)["changes"].as_array().map(Vec::len)), (1, Some(0)));
    // With fewer than 8 captures, the band decides.
    let few = json(&paths[..7], &["--band", "2%"]);
    let limit = period(&few)["limit"].as_f64().unwrap();
    assert!(period(&few)["fence"].is_null() && limit > 0.0);
    for wrong in [&["--base", "10"][..], &["--base", "0"], &["--fail-over", "3%"], &["--order", "size"]] {
        let (code, text, error) = run(&paths, wrong);
        assert!(code == 2 && text.is_empty() && !error.is_empty(), "{wrong:?}: {error}");
    }
}
