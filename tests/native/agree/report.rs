//! This module compares reports with the views: a report file has exactly the values of the views. A link has the
//! figures exactly, and its rows print as those of the views.

use super::views::{Views, printed, ps, rows};
use rooflight::share::{Level, Report};
use serde_json::Value;
use std::collections::BTreeSet;
use xla_profile::units::Picos;

/// Fields that hold figures, by view. A report has them exactly, whatever its level (`docs/SHARING.md`).
const FIGURES: [(&str, &[&str]); 4] = [
    (
        "breakdown",
        &["device", "n_devices", "device_type", "step", "n_steps", "step_window_ps", "step_duration_ps", "totals"],
    ),
    ("roofline", &["considered_duration_ps", "window", "skipped", "peaks_used", "peaks_by_device", "step_summary"]),
    ("comm", &["comm_totals", "sparse_core_totals", "dma", "primitives", "pairing", "link"]),
    ("summary", &["comm_totals", "dma", "roofline"]),
];
/// Fields that hold tables, by view. A link cuts and rounds their rows. At full detail, the rows are exact, too.
const TABLES: [(&str, &[&str]); 4] = [
    ("breakdown", &["groups"]),
    ("roofline", &["groups", "steps", "programs", "opaque_kernels"]),
    ("comm", &["rows", "dma_rows", "steps", "balance"]),
    ("summary", &["step_stats", "memory"]),
];
/// Ends of the paths of fields that a report never holds (`docs/SHARING.md`): the advice of a view, choices that need
/// the capture, and the fields that `Comm::as_in_report` removes.
const NEVER_IN_REPORT: [&str; 4] = [".notes", ".offers", ".steps.rest", ".steps.dma_rest"];
/// Ends of the paths of fields that a level cuts although they stand among figures: rows and advice.
const CUT: [&str; 5] = [".notes", ".offers", ".top_gaps", ".flags", ".flag_settings"];

/// Tables whose rows a link holds: the view, the table, the fields that identify a row, and the fields that must print
/// as in the capture.
const ROWS: [(&str, &str, &[&str], &[&str]); 5] = [
    ("breakdown", "groups", &["key", "program_id"], &["n_executions", "total_dur_ps", "pct_of_step"]),
    ("roofline", "groups", &["key", "program_id"], &["total_dur_ps", "rooflined_dur_ps"]),
    ("roofline", "steps", &["step"], &["total_dur_ps", "rooflined_dur_ps"]),
    (
        "comm",
        "rows",
        &["key", "program_id"],
        &["n_executions", "stall_ps", "in_flight_ps", "exposed_ps", "overlap_pct", "bytes"],
    ),
    (
        "comm",
        "dma_rows",
        &["key", "program_id"],
        &["n_executions", "stall_ps", "in_flight_ps", "exposed_ps", "overlap_pct", "bytes"],
    ),
];

/// Collects every difference between two values, by its path. A field whose path ends with one of `but` is left out.
fn differences(path: &str, value: &Value, result: &Value, but: &[&str], found: &mut Vec<String>) {
    match (value, result) {
        (Value::Object(a), Value::Object(b)) => {
            for name in a.keys().chain(b.keys()).collect::<BTreeSet<_>>() {
                let path = format!("{path}.{name}");
                if !but.iter().any(|but| path.ends_with(but)) {
                    differences(&path, &value[name], &result[name], but, found);
                }
            }
        }
        // The path does not contain the number of a row, so an exemption holds for all rows.
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).for_each(|(a, b)| differences(path, a, b, but, found));
        }
        _ if value == result => {}
        (Value::Array(a), Value::Array(b)) => found.push(format!("{path}: {} rows, but {}", a.len(), b.len())),
        _ => found.push(format!("{path}: {value}, but {result}")),
    }
}

/// Asserts that a report has the values of the views. The rows of the report must be exact if the level rounds no
/// digits (`Level::digits`).
pub fn assert_report(what: &str, report: &Report, views: &Views) {
    let result = Views::from_report(report);
    let is_exact = Level::from_slider(report.origin.level).digits.is_none();
    let (parts, but) = if is_exact {
        (FIGURES.iter().chain(&TABLES).collect::<Vec<_>>(), &NEVER_IN_REPORT[..])
    } else {
        (FIGURES.iter().collect(), &CUT[..])
    };
    let mut found = Vec::new();
    for (view, fields) in parts {
        for field in *fields {
            let (expected, result) = (&views.named(view)[field], &result.named(view)[field]);
            differences(&format!("{view}.{field}"), expected, result, but, &mut found);
        }
    }
    for (view, table, names, figures) in ROWS.iter().filter(|_| !is_exact) {
        for row in rows(&result.named(view)[table]) {
            let same = |candidate: &&Value| names.iter().all(|name| candidate[name] == row[name]);
            let counterpart =
                rows(&views.named(view)[table]).iter().find(same).unwrap_or_else(|| panic!("{what}: no {row}"));
            let differs = figures.iter().filter(|name| printed(name, &counterpart[name]) != printed(name, &row[name]));
            found.extend(
                differs.map(|name| {
                    format!("{view}.{table} {}.{name}: {}, but {}", row["key"], counterpart[name], row[name])
                }),
            );
        }
    }
    let n = found.len();
    found.truncate(12);
    assert!(n == 0, "{what}: {n} differences from the program's JSON (which comes first):\n{}", found.join("\n"));
    // The rows of the report and the rows that it leaves out sum to the whole.
    let result = report.rows.iter().map(|row| row.group.total).chain(report.rest.iter().map(|rest| rest.total));
    assert_eq!(result.sum::<Picos>(), ps(&views.breakdown["totals"]["busy_duration_ps"]), "{what}: rows and rest");
    assert_eq!(report.n_rows() as usize, rows(&views.breakdown["groups"]).len(), "{what}: rows");
}
