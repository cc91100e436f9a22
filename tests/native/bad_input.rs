//! These tests give bad input to the command line. The program must print one clear sentence on stderr and nothing on
//! stdout, and end with the right exit code.

use crate::common;
use crate::common::{bytes, make};
use std::path::Path;
use std::process::{Command, Output};
use xla_profile::wire::proto::xspace::XSpace;
use xla_profile::wire::proto::xspace::x_stat::Value;

fn run(args: &[&str], file: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rooflight")).args(args).arg(file).output().unwrap()
}

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/gpu/xla.graphs.xplane.pb.xz");

/// Asserts exit code 2, an empty stdout, and one line on stderr that contains each of `words`.
fn refused(file: &Path, words: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let written = dir.path().join("out");
    let export = ["export", "--xspace", written.to_str().unwrap()];
    // The file comes last: it is the experiment.
    let compare = ["compare", SAMPLE];
    for args in [&["breakdown", "--json"][..], &["summary"], &["non-compute"], &["inspect"], &export, &compare] {
        let out = run(args, file);
        let text = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(2), "{text}");
        assert!(out.stdout.is_empty());
        assert_eq!(text.trim_end().lines().count(), 1, "{text}");
        assert!(text.len() < 420 && text.trim_end().ends_with('.'), "{text}");
        for word in words {
            assert!(text.contains(word), "{word:?} is not in {text}");
        }
    }
    assert!(!written.exists());
}

fn file(name: &str, content: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, content).unwrap();
    (dir, path)
}

#[test]
fn empty() {
    let (_dir, path) = file("empty.xplane.pb", b"");
    refused(&path, &["empty.xplane.pb is empty", "0 bytes"]);
}

#[test]
fn random_bytes() {
    let noise: Vec<u8> = (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8 | 0x80).collect();
    let (_dir, path) = file("noise.xplane.pb", &noise);
    refused(&path, &["noise.xplane.pb", ".xplane.pb"]);
}

#[test]
fn a_png() {
    let (_dir, path) = file("shot.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    refused(&path, &["shot.png is not an XLA profile", "a PNG image"]);
}

#[test]
fn a_declared_length_of_two_to_the_63() {
    let (_dir, path) =
        file("long.xplane.pb", &[0x0a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 8, 1]);
    refused(&path, &["long.xplane.pb could not be read", "9,223,372,036,854,775,808 bytes", "byte 0"]);
}

#[test]
fn three_sparse_gigabytes() {
    let (_dir, path) = file("sparse.xplane.pb", b"");
    std::fs::File::options().write(true).open(&path).unwrap().set_len(3 << 30).unwrap();
    let before = std::time::Instant::now();
    refused(&path, &["sparse.xplane.pb", "zero bytes"]);
    assert!(before.elapsed().as_secs() < 20, "it was read through");
}

#[test]
fn a_folder_without_captures() {
    let (dir, _) = file("notes.txt", b"nothing here\n");
    refused(dir.path(), &["No capture in this folder", "notes.txt"]);
    let empty = tempfile::tempdir().unwrap();
    refused(empty.path(), &["no files in it"]);
}

#[test]
fn a_file_that_is_not_there() {
    refused(Path::new("/nonexistent/x.xplane.pb"), &["x.xplane.pb could not be opened", "no such file"]);
}

#[test]
fn other_files_in_a_folder_are_skipped() {
    for text in [&b"\n"[..], b"\n\n", b"\n \n", b"x", b"\nA", b"# notes\n", b"{}"] {
        let (dir, _) = file("small.xplane.pb", &bytes(&make::small()));
        std::fs::write(dir.path().join("notes.txt"), text).unwrap();
        let out = run(&["breakdown", "--json"], dir.path());
        assert_eq!(out.status.code(), Some(0), "{text:?}: {}", String::from_utf8_lossy(&out.stderr));
        let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
        let about = |note: &&serde_json::Value| note["message"].as_str().unwrap().contains("notes.txt");
        assert_eq!(json["notes"].as_array().unwrap().iter().filter(about).count(), 1, "{text:?}: {}", json["notes"]);
        assert_eq!((&json["status"], json["files"].as_array().unwrap().len()), (&"ok".into(), 1));
    }
}

#[test]
fn the_same_file_twice_counts_once() {
    let (dir, path) = file("small.xplane.pb", &bytes(&make::small()));
    std::fs::write(dir.path().join("again.xplane.pb"), bytes(&make::small())).unwrap();
    let alone: serde_json::Value =
        serde_json::from_slice(&run(&["breakdown", "--device", "all", "--json"], &path).stdout).unwrap();
    let twice = run(&["breakdown", "--device", "all", "--json"], dir.path());
    assert_eq!(twice.status.code(), Some(0));
    let twice: serde_json::Value = serde_json::from_slice(&twice.stdout).unwrap();
    assert_eq!((&twice["totals"], &twice["n_devices"]), (&alone["totals"], &alone["n_devices"]));
    let notes = twice["notes"].as_array().unwrap();
    let text: Vec<&str> = notes
        .iter()
        .filter(|note| note["code"] == "duplicate_file")
        .filter_map(|note| note["message"].as_str())
        .collect();
    assert!(
        matches!(text[..], [one] if one.contains("small.xplane.pb: skipped, because it is the same capture as")),
        "{text:?}"
    );
    // A file that differs in its last byte counts as the capture of another host.
    let mut other = bytes(&make::small());
    *other.last_mut().unwrap() ^= 1;
    std::fs::write(dir.path().join("again.xplane.pb"), other).unwrap();
    let two: serde_json::Value =
        serde_json::from_slice(&run(&["breakdown", "--device", "all", "--json"], dir.path()).stdout).unwrap();
    assert_eq!(two["n_devices"], 4);
}

#[test]
#[ignore = "needs captures of other projects"]
fn mangled_by_a_text_tool() {
    let path = common::captures::path("damaged/utf8-mangled.xplane.pb").unwrap();
    refused(&path, &["EF BF BD", "text tool", "scp"]);
}

#[test]
fn truncated_keeps_the_complete_planes() {
    let whole = bytes(&make::small());
    let first_two = bytes(&xla_profile::wire::proto::xspace::XSpace {
        planes: vec![make::device(0), make::device(1)],
        ..Default::default()
    });
    let (_dir, path) = file("cut.xplane.pb", &whole[..first_two.len() - 300]);
    let out = run(&["breakdown", "--step", "7", "--json"], &path);
    let text = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(1), "{text}");
    assert!(text.contains("The file ends") && text.contains("plane 1, /device:TPU:1"), "{text}");
    assert!(text.contains("Plane 0 is complete."), "{text}");
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(json["status"], "partial");
    assert_eq!(json["totals"]["busy_duration_ps"], 800);
    assert!(json["notes"].as_array().unwrap().iter().any(|n| n["code"] == "partial_file"));
    // Every output begins with the note that its totals are partial, as text and as Markdown.
    for args in [&["breakdown"][..], &["summary"], &["breakdown", "--markdown"], &["inspect"], &["roofline"], &["comm"]]
    {
        let out = String::from_utf8(run(args, &path).stdout).unwrap();
        assert!(out.starts_with("Partial: totals cover only the part that was read"), "{args:?}: {out}");
    }
}

#[test]
#[ignore = "needs captures of other projects"]
fn a_truncated_real_capture() {
    let bytes = common::profile("tpu-v6e-host-offload/host.xplane.pb").unwrap();
    let (_dir, path) = file("cut.xplane.pb", &bytes[..bytes.len() / 4]);
    let out = run(&["breakdown", "--device", "all", "--step", "all"], &path);
    let text = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(1), "{text}");
    assert!(text.contains("The file ends") && text.contains("complete."), "{text}");
}

#[test]
fn a_capture_without_ops_is_absent_not_an_error() {
    let mut space = make::small();
    space.planes.retain(|p| p.name == "/host:CPU");
    let (_dir, path) = file("host.xplane.pb", &bytes(&space));
    let out = run(&["breakdown", "--json"], &path);
    assert_eq!(out.status.code(), Some(0));
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!((&json["status"], &json["step_duration_ps"]), (&"absent".into(), &serde_json::Value::Null));
}

#[test]
fn unknown_step_lists_the_steps() {
    let steps = |names: &[u64]| {
        let mut plane = make::Plane::new("/device:TPU:0");
        let op = plane.op("%copy.1 = f32[8] copy(%a)", "copy.1", &[]);
        let events: Vec<_> =
            (0..).zip(names).map(|(i, name)| (plane.op(&name.to_string(), "", &[]), i * 10, 10)).collect();
        plane.line("Steps", &events);
        plane.line("XLA Ops", &[(op, 0, 10)]);
        let space = xla_profile::wire::proto::xspace::XSpace { planes: vec![plane.done()], ..Default::default() };
        let (_dir, path) = file("steps.xplane.pb", &bytes(&space));
        String::from_utf8(run(&["breakdown", "--step", "999"], &path).stderr).unwrap()
    };
    assert!(steps(&(0..100).collect::<Vec<_>>()).contains("No step 999. Steps: 0 to 99."));
    assert!(steps(&[3, 4, 9]).contains("Steps: 3, 4, 9."));
    let odd = steps(&(0..40).map(|n| n * 2).collect::<Vec<_>>());
    assert!(odd.contains("Steps: 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, …, 78 (40 in all)."), "{odd}");
}

#[test]
fn completions_and_the_manual_page_name_all_commands() {
    let text = |args: &[&str]| {
        let out = std::process::Command::new(env!("CARGO_BIN_EXE_rooflight")).args(args).output().unwrap();
        assert!(out.status.success() && out.stderr.is_empty(), "{args:?}");
        String::from_utf8(out.stdout).unwrap()
    };
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = text(&["completions", shell]);
        assert!(["data-movement", "roofline", "quiet"].iter().all(|word| script.contains(word)), "{shell}");
    }
    let manual = text(&["man"]);
    assert!(
        manual.starts_with(".ie")
            && [".TH rooflight 1", "rooflight\\-breakdown(1)"].iter().all(|word| manual.contains(word)),
        "{manual}"
    );
}

#[test]
fn a_file_alone_is_its_overview() {
    let (_dir, path) = file("small.xplane.pb", &bytes(&make::small()));
    let (alone, overview) = (run(&[], &path), run(&["overview"], &path));
    assert_eq!((alone.status.code(), &alone.stdout), (Some(0), &overview.stdout));
    assert!(!alone.stdout.is_empty() && alone.stderr.is_empty(), "no progress is piped");
    assert_eq!(run(&["overview", "--quiet"], &path).stdout, overview.stdout);
}

#[test]
fn wrong_arguments() {
    let (_dir, path) = file("small.xplane.pb", &bytes(&make::small()));
    for (args, word) in [
        (&["breakdown", "--step", "99"][..], "Steps: 7, 8."),
        (&["report", "--step", "99"], "Steps: 7, 8."),
        (
            &["contrast"],
            "There is no command contrast. Commands: overview, breakdown, data-movement, gaps, roofline, memory, comm, flags, summary",
        ),
        (&["breakdown", "--device", "9"], "Devices: TPU:0, TPU:1, mean, all"),
        (&["breakdown", "--by", "mood"], "mood"),
    ] {
        let out = run(args, &path);
        let text = String::from_utf8(out.stderr).unwrap();
        assert_eq!((out.status.code(), out.stdout.len()), (Some(2), 0), "{text}");
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn peaks_and_amounts_without_meaning_are_refused() {
    let sizes = |option: &'static str, value: &'static str| ["roofline", "--step", "all", option, value];
    for (option, value) in [
        ("--peak-hbm-gbps", "1e-308"),
        ("--peak-hbm-gbps", "1e300"),
        ("--peak-tflops", "bf16=1e-300"),
        ("--peak-tflops", "f32=1e300"),
        ("--kernel-cost", "fusion*=1e300,1"),
    ] {
        let out = run(&sizes(option, value), Path::new(SAMPLE));
        let text = String::from_utf8(out.stderr).unwrap();
        assert_eq!((out.status.code(), out.stdout.is_empty()), (Some(2), true), "{option} {value}: {text}");
        assert!(text.contains(option), "{text}");
    }
    let useful = ["roofline", "--batch", "1e200", "--sequence", "1e200", "--flops-per-token", "1"];
    assert_eq!(run(&useful, Path::new(SAMPLE)).status.code(), Some(2));
    // The smallest and the largest peak have shares that are numbers.
    for (option, value) in [("--peak-hbm-gbps", "0.001"), ("--peak-tflops", "bf16=1e9")] {
        let out = run(&sizes(option, value), Path::new(SAMPLE));
        let text = String::from_utf8(out.stdout).unwrap();
        assert!(out.status.success() && !text.contains("inf %") && !text.contains("NaN"), "{text}");
    }
}

#[test]
fn peaks_of_a_capture_without_meaning_are_no_peaks() {
    let mut plane = make::Plane::new("/device:TPU:0");
    let op = plane.op("%copy.1 = f32[8]{0} copy(f32[8]{0} %a)", "copy.1", &[("bytes_accessed", make::int(100))]);
    plane.line("XLA Ops", &[(op, 0, 1000)]);
    for name in ["peak_hbm_bw_gigabytes_per_second", "peak_teraflops_per_second"] {
        plane.own(name, Value::DoubleValue(1e-307));
    }
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.xplane.pb");
    let space = XSpace { planes: vec![plane.done()], ..XSpace::default() };
    std::fs::write(&file, bytes(&space)).unwrap();
    let out = run(&["roofline"], &file);
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(out.status.success() && !text.contains("inf %"), "{text}");
}
