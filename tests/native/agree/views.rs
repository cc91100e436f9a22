//! This module provides the JSON of the command line, the same JSON for a report, and the format in which their values
//! are printed.

use rooflight::analysis::base::{Filter, GroupBy};
use rooflight::analysis::breakdown::{Breakdown, RowsLeftOut, Shown};
use rooflight::analysis::roofline::RoofRow;
use rooflight::report::roofline::json::RoofRows;
use rooflight::report::summary::{self, Summary};
use rooflight::report::{breakdown, comm, json, roofline};
use rooflight::share::Report;
use rooflight::table::format::{bytes_text, count, percent_text, time_text};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};
use xla_profile::units::Picos;

/// Runs the program on a capture. The exit code is 1 if only a part of the capture could be read.
pub fn run(args: &[&str], capture: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rooflight")).args(args).arg(capture).output().unwrap()
}

pub fn cli(args: &[&str], capture: &Path) -> String {
    let out = run(args, capture);
    let error = String::from_utf8_lossy(&out.stderr);
    assert!(matches!(out.status.code(), Some(0 | 1)), "{args:?} of {}: {error}", capture.display());
    String::from_utf8(out.stdout).unwrap()
}

/// The JSON of each view that this test reads.
pub struct Views {
    pub breakdown: Value,
    pub roofline: Value,
    pub comm: Value,
    pub memory: Value,
    pub summary: Value,
}

impl Views {
    pub fn from_cli(capture: &Path) -> Self {
        let view = |name| serde_json::from_str(&cli(&[name, "--json"], capture)).unwrap();
        Self {
            breakdown: view("breakdown"),
            roofline: view("roofline"),
            comm: view("comm"),
            memory: view("memory"),
            summary: view("summary"),
        }
    }

    /// Returns the JSON of a report, written by the program's own JSON writers.
    pub fn from_report(report: &Report) -> Self {
        let head = || json::head_of("", &[], false, &report.header, &report.totals);
        let breakdown = Breakdown {
            header: report.header.clone(),
            by: GroupBy::Op,
            totals: report.totals.clone(),
            shown: Shown::default(),
            groups: report.rows.iter().map(|row| row.group.clone()).collect(),
            rest: RowsLeftOut::default(),
            notes: Vec::new(),
        };
        let points = report.roofline_rows().into_iter().map(|(group, point)| {
            let point = point.clone();
            RoofRow { group: group.clone(), roof: point.roof, skipped: point.skipped }
        });
        let (points, roofline, comm) = (points.collect::<Vec<_>>(), &report.roofline, &report.comm.comm);
        let summary = Summary {
            verdict: report.overview.as_ref().map(|overview| overview.verdict.as_str()),
            kinds: &breakdown,
            sources: &breakdown,
            steps: &report.steps,
            roofline: &roofline.figures,
            programs: &report.memory.programs,
            allocators: &report.memory.runtime.allocators,
            comm,
            ledger: None,
        };
        let figures = &roofline.figures;
        Self {
            breakdown: read(&breakdown::json::breakdown(head(), &breakdown, &Filter::default(), None, usize::MAX, &[])),
            roofline: read(&roofline::json::roofline(
                head(),
                GroupBy::Op,
                figures,
                RoofRows::Listed(&points),
                &roofline.steps,
                20,
                &[],
            )),
            comm: read(&comm::json::comm(head(), comm, usize::MAX, &[])),
            memory: Value::Null,
            summary: read(&summary::json(head(), summary, 0, &[])),
        }
    }

    pub fn named(&self, name: &str) -> &Value {
        match name {
            "breakdown" => &self.breakdown,
            "roofline" => &self.roofline,
            "comm" => &self.comm,
            "memory" => &self.memory,
            _ => &self.summary,
        }
    }
}

/// Writes a value as JSON text and reads the text, as the program's JSON is read, so that numbers agree to the last
/// bit.
fn read(result: &impl serde::Serialize) -> Value {
    serde_json::from_str(&serde_json::to_string(result).unwrap()).unwrap()
}

pub fn rows(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

pub fn ps(value: &Value) -> Picos {
    Picos(value.as_u64().unwrap_or_else(|| panic!("{value} is no time")))
}

/// Formats a value as users read it, in the unit that its name implies.
pub fn printed(name: &str, value: &Value) -> String {
    match (value.as_u64(), value.as_f64()) {
        (Some(whole), _) if name.ends_with("_ps") => time_text(Picos(whole)),
        (Some(whole), _) if name.ends_with("bytes") => bytes_text(whole),
        (_, Some(real)) if name.contains("pct") => percent_text(real / 100.0),
        (Some(whole), _) => count(whole),
        // A mean of steps has fractions of executions, with one decimal, or with two below 10.
        (_, Some(real)) if name == "n_executions" => format!("{real:.*}", if real >= 10.0 { 1 } else { 2 }),
        (_, Some(real)) => percent_text(real),
        _ => "–".to_owned(),
    }
}

/// Formats fields of a value like [`printed`], without the fields that are absent.
pub fn all_printed(value: &Value, names: &[&str]) -> Vec<String> {
    names.iter().filter(|name| !value[**name].is_null()).map(|name| printed(name, &value[*name])).collect()
}
