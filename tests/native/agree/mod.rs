//! These tests check that figures agree in every output: the command line's JSON, its text and its tables, a report
//! file, a link, and Markdown. The tests read every capture of this repository (`samples/`) and every capture in the folder
//! of other real captures. No expected
//! value is written here, because each output is compared with the JSON of the views.
//! (`tests/browser/agree.test.mjs` does the same for the page.)

mod report;
mod text;
mod views;

use crate::common;
use rooflight::protocol::url::address::PageAddress;
use rooflight::share::{decode_link, unpack};
use std::path::{Path, PathBuf};
use views::{Views, cli, run};

/// The ends of the names of captures, packed and not.
const ENDS: [&str; 5] = [".xplane.pb", ".xplane.pb.gz", ".xplane.pb.xz", ".trace.json.gz", ".hlo_proto.pb"];

/// Returns every capture of this repository, and every capture in the folder of other real captures.
fn captures() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")];
    folders.extend(common::profiles());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                // These folders hold the results of xprof, damaged files, and cases that have a test of their own.
                folders.extend((!["xprof", "damaged", "cases"].contains(&name.as_str())).then_some(path));
            } else if ENDS.iter().any(|end| name.ends_with(end)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn check(capture: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let what = capture.file_name().unwrap().to_string_lossy().into_owned();
    let views = Views::from_cli(capture);
    let file = folder.path().join("report.rooflight");
    cli(&["report", "--with-sources", "--rooflight", file.to_str().unwrap()], capture);
    let full = unpack(&std::fs::read(&file).unwrap()).unwrap().report;
    assert_eq!(full.row_digits(), None, "{what}");
    report::assert_report(&format!("{what}, report file"), &full, &views);
    for level in ["0", "25", "60"] {
        let out = run(&["report", "--link", "--base", "https://example.com/", "--level", level], capture);
        let Some((_, address)) = std::str::from_utf8(&out.stdout).unwrap().trim().split_once('#') else {
            let message = String::from_utf8_lossy(&out.stderr);
            assert!(level == "60" && message.contains("too long"), "{what}, level {level}: {message}");
            continue;
        };
        let result = decode_link(&address.parse::<PageAddress>().unwrap().report).unwrap();
        assert_eq!(result.origin.level.to_string(), level, "{what}");
        report::assert_report(&format!("{what}, link at {level}"), &result, &views);
    }
    text::assert_markdown(&format!("{what}, Markdown"), &cli(&["report", "--markdown"], capture), &views);
    text::assert_summary(&what, &cli(&["summary"], capture), &views);
    for columns in text::COLUMNS {
        let text = cli(&[columns.0, "--markdown", "--top", &text::TOP.to_string()], capture);
        text::assert_table(&what, &text, &views, columns);
    }
}

#[test]
fn figures_agree_in_every_output() {
    let captures = captures();
    let (first, second) = captures.split_at(captures.len() / 2);
    std::thread::scope(|scope| {
        for half in [first, second] {
            scope.spawn(|| half.iter().for_each(|capture| check(capture)));
        }
    });
}
