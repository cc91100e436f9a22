//! These tests compare the JSON contract with snapshots, word for word: the output of each view for a built capture and
//! for the real captures. A change of the contract shows up as a change of the snapshots.

use crate::common;
use std::path::Path;
use std::process::Command;

/// Returns the JSON that the command line prints for a file, without the path of the file's folder.
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

const VIEWS: [(&str, &[&str]); 19] = [
    ("by_op", &["breakdown", "--by", "op"]),
    ("by_dedup", &["breakdown", "--by", "dedup", "--step", "all"]),
    ("by_op_group", &["breakdown", "--by", "op_group", "--step", "all"]),
    ("by_phase", &["breakdown", "--by", "phase", "--step", "all"]),
    ("by_layer", &["breakdown", "--by", "layer", "--step", "all"]),
    ("by_scope", &["breakdown", "--by", "scope", "--step", "all"]),
    ("by_category", &["breakdown", "--by", "category", "--step", "all", "--device", "all"]),
    ("by_kind", &["breakdown", "--by", "kind", "--step", "all"]),
    ("by_program", &["breakdown", "--by", "program", "--device", "1"]),
    ("by_source", &["breakdown", "--by", "source", "--step", "all"]),
    ("filtered", &["breakdown", "--filter", "FUSION|copy", "--regex", "--kind", "compute", "--step", "all"]),
    ("top", &["breakdown", "--by", "op", "--top", "2", "--step", "all"]),
    ("non_compute", &["non-compute", "--step", "all"]),
    ("roofline", &["roofline", "--step", "all"]),
    (
        "roofline_yours",
        &[
            "roofline",
            "--by",
            "source",
            "--all-kinds",
            "--device",
            "all",
            "--chip",
            "TPU7x",
            "--peak-tflops",
            "f32=25",
            "--peak-hbm-gbps",
            "1000",
            "--kernel-cost",
            "dus=1e3,2e3",
            "--batch",
            "2",
            "--sequence",
            "8",
            "--flops-per-token",
            "100",
        ],
    ),
    ("memory", &["memory"]),
    ("comm", &["comm", "--step", "all"]),
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
    insta::assert_snapshot!("small_scopes", text(&["breakdown", "--by", "scope"], &file));
    insta::assert_snapshot!("small_filtered_text", text(&["breakdown", "--filter", "mlp"], &file));
    insta::assert_snapshot!("small_non_compute_text", text(&["non-compute", "--top", "2"], &file));
    insta::assert_snapshot!("small_non_compute_csv", text(&["non-compute", "--csv"], &file));
    insta::assert_snapshot!("small_roofline_text", text(&["roofline", "--all-kinds"], &file));
    insta::assert_snapshot!("small_roofline_csv", text(&["roofline", "--csv"], &file));
    insta::assert_snapshot!("small_comm_text", text(&["comm", "--step", "all"], &file));
    insta::assert_snapshot!("small_comm_csv", text(&["comm", "--csv", "--step", "all"], &file));
    insta::assert_snapshot!("small_steps", text(&["summary"], &file));
    insta::assert_snapshot!("small_markdown", text(&["summary", "--markdown"], &file));
}

/// Compares communication of the sample, which has many collectives and contains its programs.
#[test]
fn sample_comm() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/sample.xplane.pb.xz");
    let text = |args: &[&str]| text(&[&["comm", "--top", "5"], args].concat(), &file);
    insta::assert_snapshot!("sample_comm_text", text(&["--topology", "2x2x2", "--wrap"]));
    insta::assert_snapshot!("sample_comm_groups", text(&["--by", "group", "--device", "all", "--step", "3"]));
    insta::assert_snapshot!("sample_comm_markdown", text(&["--by", "primitive", "--markdown"]));
}

/// Compares the memory of a compiled program alone.
#[test]
fn small_program() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("jit_f.hlo_proto.pb");
    std::fs::write(&file, prost::Message::encode_to_vec(&common::memory::tiny())).unwrap();
    insta::assert_json_snapshot!("program_memory", json(&["memory", "--chip", "TPU v5e"], &file));
    insta::assert_snapshot!("program_memory_text", text(&["memory", "--top", "3", "--chip", "TPU v7x"], &file));
    insta::assert_snapshot!("program_memory_csv", text(&["memory", "--csv"], &file));
    insta::assert_snapshot!("program_memory_markdown", text(&["memory", "--markdown", "--color", "0"], &file));
}

/// Returns the figures of a breakdown alone. Names and paths in captures of other people must not be committed.
fn figures(value: &serde_json::Value) -> serde_json::Value {
    fn row(g: &serde_json::Value) -> serde_json::Value {
        let value = |field: &str| g[field].clone();
        let below = |field: &str, fields: &[&str]| {
            let part = |p: &serde_json::Value| fields.iter().map(|f| p[*f].clone()).collect();
            g[field].as_array().map(|all| all.iter().map(part).collect::<Vec<serde_json::Value>>())
        };
        let children = g["children"].as_array().map(|all| all.iter().map(row).collect::<Vec<_>>());
        serde_json::json!([
            value("kind"),
            value("n_executions"),
            value("total_dur_ps"),
            value("pct_of_step"),
            value("bytes_accessed_sum"),
            below("hlo_op_breakdown", &["total_dur_ps", "n_executions"]),
            children
        ])
    }
    let groups: Vec<_> = value["groups"].as_array().unwrap().iter().map(row).collect();
    let codes: Vec<_> = value["notes"].as_array().unwrap().iter().map(|n| n["code"].clone()).collect();
    serde_json::json!({
        "totals": value["totals"],
        "shown": value["shown"],
        "status": value["status"],
        "step": value["step"],
        "step_duration_ps": value["step_duration_ps"],
        "notes": codes,
        "groups": groups,
    })
}

#[test]
fn real_captures() {
    for file in common::captures::GOLDEN {
        let Some(path) = common::captures::path(file) else { continue };
        let name = file.split(['-', '/']).take(2).collect::<Vec<_>>().join("_");
        // For GPUs and CPUs, only the groupings that apply to them are compared.
        let own = |name: &str| file.starts_with("tpu") || matches!(name, "by_op" | "by_kind" | "by_category");
        let by = VIEWS.iter().filter(|(name, _)| name.starts_with("by_") && own(name));
        let top: &[&str] = if file.starts_with("tpu") { &[] } else { &["--top", "12"] };
        for (view, args) in by {
            let value = json(&[args, top].concat(), &path);
            // For a capture without anything to group, one snapshot is enough.
            if value["status"] != "absent" || *view == "by_op" {
                insta::assert_json_snapshot!(format!("{name}_{view}"), figures(&value));
            }
        }
    }
}

/// Returns the figures and answers of data movement alone. Sources and shapes of other people must not be committed.
fn data_movement(value: &serde_json::Value) -> serde_json::Value {
    let rows = |field: &str| -> Vec<serde_json::Value> {
        let row = |r: &serde_json::Value| {
            let value = |f: &str| r[f].clone();
            let changes = ["dtype", "dim_order", "tiling", "memory_space", "shape"];
            let changes: Vec<_> = changes.iter().map(|c| value(&format!("{c}_change"))).collect();
            serde_json::json!([
                value("kind"),
                value("n_executions"),
                value("total_dur_ps"),
                value("stall_dur_ps"),
                value("moved_bytes"),
                changes,
                value("undetectable"),
                value("memory_space_moves"),
                [r["shapes_in"].as_array().unwrap().len(), r["shapes_out"].as_array().unwrap().len()],
            ])
        };
        value[field].as_array().unwrap().iter().map(row).collect()
    };
    let codes: Vec<_> = value["notes"].as_array().unwrap().iter().map(|n| n["code"].clone()).collect();
    let opcodes = value["opcodes"].as_array().unwrap().iter();
    serde_json::json!({
        "status": value["status"],
        "non_compute_duration_ps": value["non_compute_duration_ps"],
        "stall_duration_ps": value["stall_duration_ps"],
        "exposed_comm_duration_ps": value["exposed_comm_duration_ps"],
        "by_category": rows("by_category"),
        "by_source": rows("by_source_within_category"),
        "opcodes": opcodes.map(|p| serde_json::json!([p["by_opcode"], p["copy_bytes"]])).collect::<Vec<_>>(),
        "notes": codes,
    })
}

#[test]
fn real_captures_data_movement() {
    for file in common::captures::GOLDEN {
        let Some(path) = common::captures::path(file) else { continue };
        let name = file.split(['-', '/']).take(2).collect::<Vec<_>>().join("_");
        let value = json(&["non-compute", "--step", "all", "--device", "all"], &path);
        insta::assert_json_snapshot!(format!("{name}_non_compute"), data_movement(&value));
    }
}

/// Returns the figures of a roofline alone. Names of other people must not be committed.
fn roofline(value: &serde_json::Value) -> serde_json::Value {
    const ROOF: [&str; 20] = [
        "n_executions_rooflined",
        "rooflined_dur_ps",
        "dtype",
        "peak_dtype",
        "dtype_uncertain",
        "rooflined_flops_sum",
        "rooflined_bytes_sum",
        "arithmetic_intensity",
        "ridge_point",
        "roof",
        "t_compute_ps",
        "t_hbm_ps",
        "t_roofline_ps",
        "mfu",
        "hbm_util",
        "roofline_util",
        "gap_ps",
        "recoverable_ps",
        "verdict",
        "skipped",
    ];
    let row = |row: &serde_json::Value| ROOF.iter().map(|f| row[*f].clone()).collect();
    let rows = |field: &str| value[field].as_array().unwrap().iter().map(row).collect::<Vec<serde_json::Value>>();
    let mut summary = value["step_summary"].clone();
    summary["top_gaps"] = summary["top_gaps"].as_array().unwrap().len().into();
    let codes: Vec<_> = value["notes"].as_array().unwrap().iter().map(|n| n["code"].clone()).collect();
    let steps: Vec<_> = value["steps"].as_array().unwrap().iter().take(3).cloned().collect();
    serde_json::json!({
        "status": value["status"],
        "peaks_used": value["peaks_used"],
        "considered_duration_ps": value["considered_duration_ps"],
        "step_summary": summary,
        "window": value["window"],
        "programs": rows("programs"),
        "steps": steps,
        "skipped": value["skipped"],
        "opaque_kernels": value["opaque_kernels"].as_array().unwrap().len(),
        "groups": rows("groups"),
        "notes": codes,
    })
}

#[test]
fn real_captures_roofline() {
    for file in common::captures::GOLDEN {
        let Some(path) = common::captures::path(file) else { continue };
        let name = file.split(['-', '/']).take(2).collect::<Vec<_>>().join("_");
        let args = ["roofline", "--step", "all", "--device", "all", "--all-kinds"];
        let top: &[&str] = if file.starts_with("tpu") { &[] } else { &["--top", "12"] };
        let value = json(&[&args, top].concat(), &path);
        insta::assert_json_snapshot!(format!("{name}_roofline"), roofline(&value));
    }
}

#[test]
fn a_bad_pattern_is_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("small.xplane.pb");
    std::fs::write(&file, common::bytes(&common::make::small())).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_rooflight"))
        .args(["breakdown", "--regex", "--filter", "mlp(", "--json"])
        .arg(&file)
        .output()
        .unwrap();
    assert_eq!((out.status.code(), out.stdout.as_slice()), (Some(2), &b""[..]));
    let text = String::from_utf8(out.stderr).unwrap();
    assert!(text.contains("character 4") && text.trim_end().lines().count() == 1, "{text}");
}

/// Two captures of an H100: the same model with matmuls in bf16 and in f32.
#[test]
fn compared_captures() {
    let file = |name: &str| format!("gpu/{name}.graphs.xplane.pb.xz");
    let run = |options: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_rooflight"))
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples"))
            .args(["compare", &file("xla"), &file("f32")])
            .args(options)
            .output()
            .unwrap();
        String::from_utf8(out.stdout).unwrap()
    };
    insta::assert_snapshot!("compare_text", run(&["--fail-over", "3%", "--top", "5"]));
    insta::assert_snapshot!("compare_markdown", run(&["--markdown"]));
    let json: serde_json::Value = serde_json::from_str(&run(&["--json", "--top", "2"])).unwrap();
    insta::assert_json_snapshot!("compare_json", json);
}
