//! This module makes the row of a list from the rows of a capture in the tables. A value that a table lacks stays unknown.

use crate::analysis::captures::{CAPTURE_ENDINGS, CaptureProgress, CaptureRow, CaptureSummary, TopFinding};
use crate::analysis::classify::Kind;
use crate::analysis::compare::{SeriesPoint, SideHead};
use crate::analysis::overview::{Figure, FigureId};
use crate::table::date::ns_of_rfc3339;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use xla_profile::units::Picos;

/// A row of a table.
pub(super) type JsonRow = Map<String, Value>;

/// The rows of a capture in all tables.
#[derive(Default)]
pub(super) struct ImportedCapture {
    /// The row of `captures`.
    pub(super) row: Option<JsonRow>,
    /// Findings by group and rank.
    pub(super) findings: BTreeMap<(usize, u64), TopFinding>,
    /// Whether `findings` has a row of the capture. Such a row may be about the capture itself, and is then not in the list above.
    pub(super) has_findings: bool,
    /// Lengths of the steady steps of the critical device in ps, by number.
    pub(super) periods_ps: BTreeMap<u64, u64>,
}

/// A row of a list, with what the tables tell of its capture, or why the capture could not be read.
pub(in crate::session) struct ImportedRow {
    pub(in crate::session) row: CaptureRow,
    pub(in crate::session) read: Result<CaptureSummary, String>,
    /// Names of the files of the capture, without folders.
    pub(in crate::session) file_names: Vec<String>,
}

/// Returns the text in a column. `None` if the column is missing, null or of another type.
pub(super) fn text<'r>(row: &'r JsonRow, column: &str) -> Option<&'r str> {
    row.get(column)?.as_str()
}

/// Returns the whole number in a column. `None` if the column is missing, null, negative or of another type.
pub(super) fn count_in(row: &JsonRow, column: &str) -> Option<u64> {
    row.get(column)?.as_u64()
}

/// Returns the number in a column, if it is finite and not negative.
fn number(row: &JsonRow, column: &str) -> Option<f64> {
    row.get(column)?.as_f64().filter(|number| number.is_finite() && *number >= 0.0)
}

/// Returns the texts in a list.
fn texts<'r>(row: &'r JsonRow, column: &str) -> Vec<&'r str> {
    row.get(column).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Returns the values in a map by their names, in the order of the names.
fn map<'r>(row: &'r JsonRow, column: &str) -> impl Iterator<Item = (&'r String, &'r Value)> + use<'r> {
    row.get(column).and_then(Value::as_object).into_iter().flatten()
}

/// Returns the path that names a capture: that of the first file with events. Without files, it is the start of its id.
pub(super) fn main_path(id: &str, row: &JsonRow) -> String {
    let files = texts(row, "files");
    // Programs lie beside the files with events.
    let has_events = |path: &&&str| CAPTURE_ENDINGS.iter().any(|end| path.contains(end));
    match files.iter().find(has_events).or(files.first()) {
        Some(path) => path.replace('\\', "/"),
        None => id.chars().take(12).collect(),
    }
}

/// Returns the row of a capture. `name` is its name, and the time that its folder is named by.
pub(super) fn imported_row(
    id: String,
    row: &JsonRow,
    tables: ImportedCapture,
    name: (String, Option<u64>),
) -> ImportedRow {
    let (name, dated) = name;
    let short = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
    let file_names: Vec<String> = texts(row, "files").into_iter().map(short).collect();
    let programs = row.get("programs").and_then(Value::as_array).into_iter().flatten();
    let n_hosts = texts(row, "hosts").len() as u32;
    let capture = CaptureRow {
        key: id,
        name,
        files: Vec::new(),
        n_hosts: (n_hosts > 0).then_some(n_hosts),
        bytes: count_in(row, "bytes"),
        start_ns: text(row, "captured_at").and_then(ns_of_rfc3339).or(dated),
        device_type: text(row, "device_type").map(str::to_owned),
        n_devices: count_in(row, "n_devices").and_then(|n| u32::try_from(n).ok()),
        programs: programs.filter_map(|program| Some(program.get("name")?.as_str()?.to_owned())).collect(),
        keys: map(row, "keys").filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect(),
        progress: CaptureProgress::Waits,
        median_ps: None,
        tokens: None,
        change: None,
    };
    let read = match (text(row, "status"), text(row, "verdict")) {
        (Some("failed"), _) => Err(text(row, "error").unwrap_or("The table gives no reason.").to_owned()),
        (_, Some(verdict)) => Ok(summary(row, &capture, tables, verdict)),
        _ => Err("It has no device whose ops have times on the clock of events.".to_owned()),
    };
    ImportedRow { row: capture, read, file_names }
}

/// Returns what the tables tell of a capture that was read.
fn summary(row: &JsonRow, capture: &CaptureRow, tables: ImportedCapture, verdict: &str) -> CaptureSummary {
    let period = count_in(row, "period_ps");
    // The column is null if the capture has no steps.
    let n_steps = count_in(row, "n_steady").and_then(|n| u32::try_from(n).ok()).unwrap_or_default();
    // The table of steps may be missing, or may hold the steps of several captures of the same bytes.
    let periods_ps: Vec<u64> = tables.periods_ps.into_values().collect();
    let periods_ps = if periods_ps.len() == n_steps as usize { periods_ps } else { Vec::new() };
    let is_partial = text(row, "status") == Some("partial");
    let head = SideHead {
        files: Vec::new(),
        device: text(row, "critical_device").unwrap_or_default().to_owned(),
        device_type: capture.device_type.clone(),
        // Captures whose number of devices is unknown are compared with each other.
        n_devices: capture.n_devices.unwrap_or_default(),
        n_steps,
        step_kind: None,
        period_ps: period.unwrap_or_default(),
        periods_ps,
        median_ps: number(row, "step_median_ps"),
        tokens: count_in(row, "step_tokens").or(count_in(row, "tokens")),
        is_partial,
        report_level: None,
    };
    let figure = |(name, value): (&String, &Value)| {
        let value = value.as_f64().filter(|value| value.is_finite());
        Some(Figure { value, ..Figure::unknown(FigureId::from_key(name)?, None) })
    };
    let figures = map(row, "figures").filter_map(figure).collect();
    let kinds = row.get("kinds").and_then(Value::as_object);
    let kind = |kind: Option<Kind>| {
        let time = count_in(kinds?, Kind::key_or_idle(kind))?;
        Some((kind, Picos(time)))
    };
    let n_findings = tables.findings.len() as u32;
    CaptureSummary {
        point: SeriesPoint { head, start_ns: capture.start_ns, figures },
        period: period.map(Picos),
        quartiles_ps: number(row, "step_q1_ps").zip(number(row, "step_q3_ps")),
        programs: Vec::new(),
        kinds: Kind::ALL.into_iter().map(Some).chain([None]).filter_map(kind).collect(),
        verdict: verdict.to_owned(),
        top_finding: tables.findings.into_values().next(),
        n_findings: tables.has_findings.then_some(n_findings),
        is_partial,
    }
}
