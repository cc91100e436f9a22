//! The JSON contract, word for word: golden output of each view for a capture made here and for the real
//! TPU capture. A change of the contract shows up as a change of these files.

mod common;

use std::path::Path;
use std::process::Command;

/// What the command line prints for a file, with the file's folder taken out.
fn json(args: &[&str], file: &Path) -> serde_json::Value {
    let out = Command::new(env!("CARGO_BIN_EXE_rooflight")).args(args).arg("--json").arg(file).output().unwrap();
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    let folder = format!("{}/", file.parent().unwrap().display());
    serde_json::from_str(&String::from_utf8(out.stdout).unwrap().replace(&folder, "")).unwrap()
}

fn text(args: &[&str], file: &Path) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_rooflight")).args(args).arg(file).output().unwrap();
    String::from_utf8(out.stdout).unwrap()
}

const VIEWS: [(&str, &[&str]); 8] = [
    ("by_op", &["breakdown", "--by", "op"]),
    ("by_category", &["breakdown", "--by", "category", "--step", "all", "--device", "all"]),
    ("by_kind", &["breakdown", "--by", "kind", "--step", "all"]),
    ("by_program", &["breakdown", "--by", "program", "--device", "1"]),
    ("by_source", &["breakdown", "--by", "source", "--step", "all"]),
    ("top", &["breakdown", "--by", "op", "--top", "2", "--step", "all"]),
    ("summary", &["summary", "--step", "all"]),
    ("inspect", &["inspect"]),
];

#[test]
fn small_capture() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("small.xplane.pb");
    std::fs::write(&file, common::bytes(&common::make::small())).unwrap();
    for (name, args) in VIEWS {
        insta::assert_json_snapshot!(format!("small_{name}"), json(args, &file));
    }
    insta::assert_snapshot!("small_text", text(&["breakdown"], &file));
    insta::assert_snapshot!("small_csv", text(&["breakdown", "--csv"], &file));
    insta::assert_snapshot!("small_markdown", text(&["summary", "--markdown"], &file));
}

#[test]
fn real_capture() {
    let Some(dir) = common::profiles() else { return };
    let file = dir.join("tpu-v6e-host-offload/host.xplane.pb");
    // Names and paths of that capture are not ours to commit: the golden file holds its figures only.
    let figures = |value: &serde_json::Value| {
        let groups = value["groups"].as_array().unwrap().iter();
        let row = |g: &serde_json::Value| {
            let of = |field: &str| g[field].clone();
            serde_json::json!([
                of("kind"),
                of("n_executions"),
                of("total_dur_ps"),
                of("pct_of_step"),
                of("bytes_accessed_sum")
            ])
        };
        serde_json::json!({ "totals": value["totals"], "step": value["step"], "step_duration_ps": value["step_duration_ps"], "groups": groups.map(row).collect::<Vec<_>>() })
    };
    for (name, args) in &VIEWS[..5] {
        insta::assert_json_snapshot!(format!("v6e_{name}"), figures(&json(args, &file)));
    }
}
