//! These tests check the files of `rooflight export --parquet`: what is written again, what a kill leaves behind, and what many
//! captures take.

use crate::fleet::{SAMPLE, export, parquet_rows, rooflight, table, tree, write_runs};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use xla_profile::wire::proto::xspace::XSpace;

fn with<'a>(args: &[&'a str], files: &'a [String]) -> Vec<&'a str> {
    args.iter().copied().chain(files.iter().map(String::as_str)).collect()
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let runs = write_runs(dir.path(), 3);
    let outs = ["a/out", "b/out"].map(|name| dir.path().join(name));
    for out in &outs {
        export(&with(&["--parquet", out.to_str().unwrap(), SAMPLE], &runs), 0);
    }
    let [a, b] = outs.map(|out| tree(&out));
    assert!(a.len() == 4 * 6 && a == b);
}

#[test]
fn captures_that_are_there_are_skipped() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let runs = write_runs(dir.path(), 2);
    let text = |args: &[&str]| {
        let written = export(&with(&[&["--parquet", out.to_str().unwrap()], args].concat(), &runs), 0);
        String::from_utf8(written.stdout).unwrap()
    };
    assert!(text(&[]).ends_with("2 captures written\n"));
    let before = tree(&out);
    assert!(text(&[]).ends_with("0 captures written, 2 there already\n"));
    assert!(text(&["--force"]).ends_with("2 captures written\n"));
    assert_eq!(tree(&out), before);
    // Other options write other rows: tables that are no longer wanted go.
    assert!(text(&["--tables", "steps", "--key", "batch=8"]).ends_with("2 captures written\n"));
    assert_eq!(tree(&out).len(), 2 * 2);
    assert!(table(&out, "captures").iter().all(|row| row["batch"] == 8));
}

#[test]
fn hosts_of_a_session_are_one_capture() {
    let dir = tempfile::tempdir().unwrap();
    let session = dir.path().join("run/plugins/profile/2026_10_01");
    std::fs::create_dir_all(&session).unwrap();
    let mut runs = write_runs(&session, 1);
    // Another host of the same run.
    let mut space = <XSpace as prost::Message>::decode(&*std::fs::read(&runs[0]).unwrap()).unwrap();
    space.hostnames = vec!["host-b".to_owned()];
    let other = session.join("host-b.xplane.pb");
    std::fs::write(&other, crate::common::bytes(&space)).unwrap();
    runs.push(other.display().to_string());
    let [listed, folder] = ["listed", "folder"].map(|name| dir.path().join(name));
    export(&with(&["--parquet", listed.to_str().unwrap()], &runs), 0);
    export(&["--parquet", folder.to_str().unwrap(), session.to_str().unwrap()], 0);
    let rows = [&listed, &folder].map(|out| table(out, "captures"));
    assert_eq!((rows[0].len(), &rows[0][0]["n_devices"]), (1, &8.into()));
    assert_eq!(rows[0], rows[1]);
    // Runs an hour apart in one folder are a capture each.
    let several = dir.path().join("several/plugins/profile/2026_10_01");
    std::fs::create_dir_all(&several).unwrap();
    write_runs(&several, 2);
    let out = dir.path().join("out");
    export(&["--parquet", out.to_str().unwrap(), several.to_str().unwrap()], 0);
    assert_eq!(table(&out, "captures").len(), 2);
}

#[test]
fn a_damaged_capture_costs_one_row() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let mut runs = write_runs(dir.path(), 3);
    std::fs::write(&runs[1], [0xff; 100]).unwrap();
    runs.push(dir.path().join("gone.xplane.pb").display().to_string());
    let cut = std::fs::read(&runs[2]).unwrap();
    std::fs::write(&runs[2], &cut[..cut.len() * 2 / 3]).unwrap();
    let written = export(&with(&["--parquet", out.to_str().unwrap()], &runs), 1);
    let messages = String::from_utf8(written.stderr).unwrap();
    assert!(
        messages.contains("failed: ")
            && messages.contains("gone.xplane.pb")
            && messages.contains("partial: only a part")
    );
    let rows = table(&out, "captures");
    let mut statuses: Vec<&str> = rows.iter().map(|row| row["status"].as_str().unwrap()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, ["failed", "failed", "ok", "partial"]);
    let failed = rows.iter().filter(|row| row["status"] == "failed");
    assert!(
        failed
            .clone()
            .all(|row| row["error"].as_str().is_some_and(|error| error.ends_with('.')) && row["period_ps"].is_null())
    );
    // The file that was missing comes: its row replaces that of its name.
    std::fs::write(&runs[3], crate::common::fleet::Run { number: 7, index: 9 }.capture()).unwrap();
    export(&with(&["--parquet", out.to_str().unwrap()], &runs), 1);
    assert_eq!(table(&out, "captures").iter().filter(|row| row["status"] == "failed").count(), 1);
    assert_eq!(table(&out, "captures").len(), 4);
}

#[test]
fn shards_divide_a_listing() {
    let dir = tempfile::tempdir().unwrap();
    let runs = write_runs(dir.path(), 12);
    let all = dir.path().join("all");
    let shards = dir.path().join("shards");
    export(&with(&["--parquet", all.to_str().unwrap(), "--tables", "captures"], &runs), 0);
    let mut counts = Vec::new();
    for shard in 1..=3 {
        let before = tree(&shards).len();
        let mut child = rooflight()
            .args(["export", "--parquet", shards.to_str().unwrap(), "--tables", "captures", "--from", "-"])
            .args(["--shard", &format!("{shard}/3")])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all((runs.join("\n") + "\n\n").as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
        counts.push(tree(&shards).len() - before);
    }
    // The shard of a capture follows from its path, which is another one in each run: one of three may get none of twelve captures.
    assert!(counts.iter().sum::<usize>() == 12 && counts.iter().all(|n| *n < 12), "{counts:?}");
    let contents = |out: &Path| tree(out).into_values().collect::<Vec<_>>();
    assert_eq!(contents(&all), contents(&shards));
}

#[test]
fn a_day_is_merged() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let runs = write_runs(dir.path(), 30);
    let args = with(&["--parquet", out.to_str().unwrap()], &runs);
    export(&args, 0);
    let before = ["captures", "ops", "findings", "steps", "memory", "collectives"].map(|name| sorted(&out, name));
    let single = tree(&out);
    let compact = |code| {
        let done = rooflight().args(["compact", out.to_str().unwrap(), "--date", "2026-10-01"]).output().unwrap();
        assert_eq!(done.status.code(), Some(code), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    };
    // 24 runs start on this day, one each hour.
    assert!(compact(0).ends_with("144 files of 2026-10-01 merged into 6\n"));
    let merged = tree(&out);
    assert_eq!(merged.len(), 6 * (1 + 6));
    assert_eq!(
        ["captures", "ops", "findings", "steps", "memory", "collectives"].map(|name| sorted(&out, name)),
        before
    );
    assert!(String::from_utf8(export(&args, 0).stdout).unwrap().ends_with("30 there already\n"));
    assert_eq!(tree(&out), merged);
    // A run that was interrupted left the files behind that it had merged.
    for (path, bytes) in single.iter().filter(|(path, _)| path.to_string_lossy().contains("date=2026-10-01")).take(40) {
        std::fs::write(dir.path().join(path), bytes).unwrap();
    }
    compact(0);
    assert_eq!(
        ["captures", "ops", "findings", "steps", "memory", "collectives"].map(|name| sorted(&out, name)),
        before
    );
    // Another export of a merged capture would count it twice.
    let refused = export(&with(&["--parquet", out.to_str().unwrap(), "--force"], &runs[..1]), 1);
    assert!(String::from_utf8(refused.stderr).unwrap().contains("holds all of 2026-10-01"));
}

fn sorted(out: &Path, name: &str) -> Vec<String> {
    let mut rows: Vec<String> = table(out, name).iter().map(|row| serde_json::to_string(row).unwrap()).collect();
    rows.sort_unstable();
    rows
}

/// 100 exports are killed at random points. After each few, an export that is not killed completes the tables.
#[test]
fn an_export_that_was_killed_is_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let runs = write_runs(dir.path(), 10);
    let whole = dir.path().join("whole/out");
    let began = Instant::now();
    export(&with(&["--parquet", whole.to_str().unwrap()], &runs), 0);
    let length = began.elapsed().max(Duration::from_millis(20));
    let whole = tree(&whole);
    let mut random = fastrand::Rng::with_seed(28);
    let mut n_within = 0;
    for round in 0..25 {
        let out = dir.path().join(format!("{round}/out"));
        for _ in 0..4 {
            let mut child = start(&out, &runs);
            std::thread::sleep(length.mul_f64(random.f64() * 0.4));
            let is_running = child.try_wait().unwrap().is_none();
            child.kill().unwrap();
            child.wait().unwrap();
            // What is there is whole: a table that can be read, and that the whole export has as well.
            let found = tree(&out);
            n_within += usize::from(is_running && !found.is_empty() && found.len() < whole.len());
            for (path, bytes) in found.iter().filter(|(path, _)| !path.to_string_lossy().contains("/.")) {
                assert!(whole.get(path) == Some(bytes), "{}", path.display());
            }
        }
        export(&with(&["--parquet", out.to_str().unwrap()], &runs), 0);
        // Temporary files of killed exports stay: another process may write them. Engines skip them.
        let is_named = |(path, _): &(std::path::PathBuf, Vec<u8>)| !path.to_string_lossy().contains("/.");
        let found: std::collections::BTreeMap<_, _> = tree(&out).into_iter().filter(is_named).collect();
        assert!(found == whole, "round {round}");
    }
    assert!(n_within > 10, "{n_within} of 100 kills hit an export in its middle");
}

fn start(out: &Path, files: &[String]) -> Child {
    let mut command = rooflight();
    command.args(["export", "--parquet", out.to_str().unwrap()]).args(files);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// The memory of an export does not grow with the number of captures.
#[test]
#[cfg(target_os = "linux")]
fn memory_is_flat() {
    let dir = tempfile::tempdir().unwrap();
    let runs = write_runs(dir.path(), 200);
    let peak = |n: usize| {
        let mut child = start(&dir.path().join(format!("out-{n}")), &runs[..n]);
        let mut peak = 0;
        while child.try_wait().unwrap().is_none() {
            let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            peak = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(peak).max(peak);
            std::thread::sleep(Duration::from_millis(2));
        }
        assert!(child.wait().unwrap().success() && peak > 0);
        peak
    };
    let (few, many): (u64, u64) = (peak(20), peak(200));
    assert!(many < few + few / 4 + 8_000, "{few} kB with 20 captures, {many} kB with 200");
}

#[test]
fn arguments_are_checked() {
    let dir = tempfile::tempdir().unwrap();
    let runs = write_runs(dir.path(), 1);
    let out = dir.path().join("out");
    let (out, file) = (out.to_str().unwrap(), runs[0].as_str());
    for (args, words) in [
        (&["--parquet", out][..], "<FILE>"),
        (&["--parquet", out, file, "--shard", "0/3"], "I from 1 to N"),
        (&["--parquet", out, file, "--shard", "4/3"], "I from 1 to N"),
        (&["--parquet", out, file, "--tables", "events"], "collectives"),
        (&["--parquet", out, file, "--key", "commit"], "KEY=VALUE"),
        (&["--parquet", out, file, "--key", "batch=many"], "whole number"),
        (&["--parquet", out, file, "--key", "job=a", "--key", "job=b"], "twice"),
        (&["--parquet", out, file, "--window", "1ms..2ms"], "--window"),
        (&["--xspace", out, file, "--force"], "--force"),
        (&["--parquet", out, "--from", "/nonexistent"], "could not be read"),
        (&["--parquet", out, dir.path().to_str().unwrap()], "is in a folder that is exported"),
    ] {
        let refused = export(args, 2);
        let text = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(text.contains(words) || text.contains("parquet"), "{words:?} is not in {text}");
        assert!(!Path::new(out).exists(), "{args:?}");
    }
    let compact = rooflight().args(["compact", out, "--date", "yesterday"]).output().unwrap();
    assert_eq!(compact.status.code(), Some(2));
    let compact = rooflight().args(["compact", out, "--date", "2026-10-01"]).output().unwrap();
    assert!(String::from_utf8_lossy(&compact.stderr).contains("is no folder"));
}

#[test]
fn row_groups_are_sorted_by_digest() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    export(&["--parquet", out.to_str().unwrap(), SAMPLE, "--tables", "ops", "--digest"], 0);
    let (path, _) = tree(&out).into_iter().find(|(path, _)| path.to_string_lossy().contains("table=ops")).unwrap();
    let digests: Vec<u64> = parquet_rows(&dir.path().join(path))
        .iter()
        .filter_map(|row| row["signature_hash"].as_i64())
        .map(i64::cast_unsigned)
        .collect();
    assert!(digests.len() > 900 && digests.is_sorted());
    let sha256 = table(&out, "captures")[0]["sha256"].clone();
    assert_eq!(sha256.as_str().map(str::len), Some(64));
}

/// Returns the path of the file of the only capture in a table.
fn only_file(out: &Path, name: &str) -> std::path::PathBuf {
    let files: Vec<_> = tree(&out.join(format!("table={name}"))).into_keys().collect();
    let [file] = &files[..] else { panic!("{files:?}") };
    out.join(file)
}

fn compact(out: &Path) -> String {
    let done = rooflight().args(["compact", out.to_str().unwrap(), "--date", "2026-10-01"]).output().unwrap();
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

const TABLES: [&str; 6] = ["captures", "ops", "findings", "steps", "memory", "collectives"];

/// An export that is killed before it writes `captures` leaves rows behind that belong to no capture.
#[test]
fn rows_of_a_killed_export_are_never_merged() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let runs = write_runs(dir.path(), 2);
    let export_to = |options: &[&str], files: &[String]| {
        export(&with(&[&["--parquet", out.to_str().unwrap()], options].concat(), files), 0)
    };
    export_to(&[], &runs[..1]);
    // The kill.
    std::fs::remove_file(only_file(&out, "captures")).unwrap();
    export_to(&[], &runs[1..]);
    let text = compact(&out);
    assert!(text.contains("rows of 1 capture without a row in captures removed"), "{text}");
    let ids = |name: &str| -> std::collections::BTreeSet<String> {
        table(&out, name).iter().map(|row| row["capture_id"].as_str().unwrap().to_owned()).collect()
    };
    let kept = ids("captures");
    assert_eq!(kept.len(), 1);
    assert!(TABLES.iter().all(|name| ids(name).is_subset(&kept)));
    // The capture is exported again, without names.
    export_to(&["--anonymise"], &runs[..1]);
    compact(&out);
    let captures = table(&out, "captures");
    let is_hidden = |row: &&serde_json::Map<String, serde_json::Value>| {
        row["request"].as_str().is_some_and(|request| request.contains("anonymise"))
    };
    let hidden = captures.iter().find(is_hidden).unwrap()["capture_id"].clone();
    let ops = table(&out, "ops");
    let of_hidden: Vec<_> = ops.iter().filter(|row| row["capture_id"] == hidden).collect();
    assert!(of_hidden.len() > 2 && of_hidden.len() * 2 == ops.len(), "{} of {}", of_hidden.len(), ops.len());
    assert!(of_hidden.iter().all(|row| row["program"] == "program-1" && row["source"].is_null()), "{:?}", of_hidden[0]);
}

/// A merged file of an older version may hold rows of a killed export. A newer file of the capture replaces them.
#[test]
fn a_single_file_replaces_merged_rows() {
    let dir = tempfile::tempdir().unwrap();
    let [named, out] = ["named", "out"].map(|name| dir.path().join(name));
    let runs = write_runs(dir.path(), 3);
    let export_to = |out: &Path, options: &[&str], files: &[String]| {
        export(&with(&[&["--parquet", out.to_str().unwrap()], options].concat(), files), 0)
    };
    // The ops of all three captures are merged, and `captures` has only the second and the third.
    export_to(&named, &[], &runs);
    compact(&named);
    export_to(&out, &[], &runs[1..]);
    compact(&out);
    for name in TABLES.into_iter().filter(|name| *name != "captures") {
        std::fs::copy(only_file(&named, name), only_file(&out, name)).unwrap();
    }
    let before = table(&out, "ops").len();
    export_to(&out, &["--anonymise"], &runs[..1]);
    compact(&out);
    let ops = table(&out, "ops");
    assert_eq!(ops.len(), before, "each capture has its ops once");
    assert_eq!(ops.iter().filter(|row| row["program"] == "program-1").count() * 3, before);
    // Without a row in `captures`, merged rows are removed too.
    for name in TABLES.into_iter().filter(|name| *name != "captures") {
        for file in tree(&out.join(format!("table={name}"))).into_keys() {
            std::fs::remove_file(out.join(file)).unwrap();
        }
        std::fs::copy(only_file(&named, name), out.join(format!("table={name}/date=2026-10-01/part-old.parquet")))
            .unwrap();
    }
    for file in tree(&out.join("table=captures")).into_keys() {
        std::fs::remove_file(out.join(file)).unwrap();
    }
    assert!(compact(&out).contains("rows of 3 captures"));
    assert!(TABLES.iter().all(|name| table(&out, name).is_empty()));
}

/// An export of fewer tables does not keep the other tables of an export that was killed.
#[test]
fn tables_of_a_killed_export_are_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let runs = write_runs(dir.path(), 1);
    export(&["--parquet", out.to_str().unwrap(), &runs[0]], 0);
    std::fs::remove_file(only_file(&out, "captures")).unwrap();
    export(&["--parquet", out.to_str().unwrap(), "--tables", "steps", "--anonymise", &runs[0]], 0);
    assert_eq!(tree(&out).len(), 2, "{:?}", tree(&out).keys());
}

/// Schedulers start a task again that is slow. Both then export the same captures.
#[test]
fn exporters_of_the_same_captures_do_not_disturb_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let runs = write_runs(dir.path(), 8);
    let [alone, out] = ["alone/out", "together/out"].map(|name| dir.path().join(name));
    export(&with(&["--parquet", alone.to_str().unwrap()], &runs), 0);
    for options in [&[][..], &["--force"]] {
        let started = || {
            let mut command = rooflight();
            command.args(["export", "--parquet", out.to_str().unwrap()]).args(options).args(&runs);
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let children: Vec<Child> = (0..4).map(|_| started()).collect();
        for child in children {
            let done = child.wait_with_output().unwrap();
            assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
        }
        assert!(tree(&out) == tree(&alone));
    }
}

/// Temporary files of processes that were killed are removed when they are old.
#[test]
fn abandoned_files_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let runs = write_runs(dir.path(), 1);
    export(&["--parquet", out.to_str().unwrap(), &runs[0]], 0);
    let folder = out.join("table=ops/date=2026-10-01");
    let [old, new, other] = [".x.parquet.7-00.part", ".y.parquet.7-00.part", ".hidden"].map(|name| folder.join(name));
    for path in [&old, &new, &other] {
        std::fs::write(path, "half").unwrap();
    }
    let hours_ago = std::time::SystemTime::now() - Duration::from_secs(3 * 3600);
    for path in [&old, &other] {
        std::fs::File::options().write(true).open(path).unwrap().set_modified(hours_ago).unwrap();
    }
    compact(&out);
    assert_eq!([&old, &new, &other].map(|path| path.exists()), [false, true, true]);
}

/// One damaged file does not stop an export, and the sentence says where the damage is.
#[test]
fn a_damaged_file_of_captures_does_not_stop_an_export() {
    let dir = tempfile::tempdir().unwrap();
    let runs = write_runs(dir.path(), 2);
    for (form, part) in [("--parquet", "part-0.parquet"), ("--jsonl", "part-0.jsonl")] {
        let out = dir.path().join(form);
        let folder = out.join("table=captures/date=2026-10-01");
        std::fs::create_dir_all(&folder).unwrap();
        export(&[form, out.to_str().unwrap(), &runs[0]], 0);
        let damaged = folder.join(part);
        let first = std::fs::read(only_file(&out, "captures")).unwrap();
        std::fs::write(&damaged, [&first[..], b"{\"capture_id\":"].concat()).unwrap();
        let done = export(&[form, out.to_str().unwrap(), &runs[0], &runs[1]], 1);
        let text = String::from_utf8(done.stderr).unwrap();
        let place = if form == "--jsonl" {
            format!("{}, line 2: EOF while parsing a value at column 14.", damaged.display())
        } else {
            format!("{} is no table of captures: ", damaged.display())
        };
        assert!(text.contains("rooflight: damaged: ") && text.contains(&place), "{text}");
        assert!(String::from_utf8(done.stdout).unwrap().contains("1 capture written, 1 there already"));
    }
    // A file that cannot be merged is named.
    let out = dir.path().join("--parquet");
    let done = rooflight().args(["compact", out.to_str().unwrap(), "--date", "2026-10-01"]).output().unwrap();
    let text = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.code() == Some(2) && text.contains("part-0.parquet: "), "{text}");
    assert!(!table(&out, "ops").is_empty(), "nothing is removed if captures cannot be read");
}
