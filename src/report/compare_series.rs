//! This module writes the comparison of many captures: as a table with its change points, and as JSON.

use super::compare_format::{per_unit, signed_share};
use super::compare_json::{PartJson, part_json};
use super::compare_text::waterfall;
use super::overview_text::{SHOWN, number};
use crate::analysis::compare::{ChangePoint, Comparison, FigureSeries, Series, SeriesCapture};
use crate::analysis::overview::Unit;
use crate::table::format::ABSENT;
use crate::table::text::{Table, TextForm};
use serde::Serialize;

/// Parts of the waterfall at a change point.
const PARTS: usize = 5;

/// A capture as text: its number, counted from 1, and its files.
fn capture_name(series: &Series, index: u32) -> String {
    let files = series.captures.get(index as usize).map_or(String::new(), |capture| capture.head.files.join(", "));
    format!("capture {} ({files})", index + 1)
}

/// Returns the label of a figure; `None` for figures that texts do not show.
fn label(series: &Series, figure: &FigureSeries) -> Option<String> {
    if figure.name == "period" {
        return Some(format!("Time {}", per_unit(series.unit)));
    }
    SHOWN.iter().find(|(name, _)| *name == figure.name).map(|(_, label)| (*label).to_owned())
}

/// Returns a change point in one sentence.
fn change(series: &Series, label: &str, unit: Unit, change: &ChangePoint) -> String {
    let (before, after) = (number(change.before, unit), number(change.after, unit));
    let share = (change.before > 0.0).then(|| (change.after - change.before) / change.before);
    let share = share.map_or(String::new(), |share| format!(" ({})", signed_share(share)));
    TextForm::Terminal.lines([format!("{label}: {before} → {after}{share} from {}.", capture_name(series, change.at))])
}

/// Writes a series for the terminal. `compared` are the comparisons of the captures around each change point of the time.
pub fn text(series: &Series, compared: &[Comparison]) -> String {
    let time = format!("Time {}", per_unit(series.unit));
    let mut table = Table::new(&[
        ("", false),
        ("Capture", true),
        ("Steps", false),
        (&time, false),
        ("From the base", false),
        ("Verdict", true),
    ]);
    for (at, capture) in series.captures.iter().enumerate() {
        let is_base = at == series.base as usize;
        let change = capture.change.map_or(ABSENT.to_owned(), signed_share);
        table.row(vec![
            (at + 1).to_string(),
            capture.head.files.join(", "),
            capture.head.n_steps.to_string(),
            capture.median.map_or(ABSENT.to_owned(), |median| number(median, Unit::Ps)),
            if is_base { "base".to_owned() } else { change },
            if is_base { String::new() } else { capture.verdict.label().to_owned() },
        ]);
    }
    let mut out = table.aligned();
    out.push('\n');
    let mut has_changes = false;
    for figure in &series.figures {
        let Some(label) = label(series, figure) else { continue };
        for (number, point) in figure.changes.iter().enumerate() {
            has_changes = true;
            out += &change(series, &label, figure.unit, point);
            if let Some(compared) = compared.get(number).filter(|_| figure.name == "period") {
                out += &format!("{}\n", waterfall(compared, PARTS).aligned());
            }
        }
    }
    if !has_changes {
        out += "No figure has a lasting change.\n";
    }
    out
}

/// The JSON of `rooflight compare --series --json`.
#[derive(Serialize)]
pub struct SeriesJson<'a> {
    status: &'static str,
    view: &'static str,
    order: &'static str,
    /// Number of the base, counted from 1.
    base: u32,
    unit: &'static str,
    captures: Vec<CaptureJson<'a>>,
    series: Vec<FigureJson<'a>>,
}

#[derive(Serialize)]
struct CaptureJson<'a> {
    files: &'a [String],
    start_ns: Option<u64>,
    device: &'a str,
    n_steps: u32,
    median_ps: Option<f64>,
    change: Option<f64>,
    verdict: &'static str,
    is_partial: bool,
}

#[derive(Serialize)]
struct FigureJson<'a> {
    name: &'a str,
    unit: Unit,
    values: &'a [Option<f64>],
    fence: Option<f64>,
    limit: Option<f64>,
    changes: Vec<ChangeJson<'a>>,
}

#[derive(Serialize)]
struct ChangeJson<'a> {
    /// Number of the first capture after the change, counted from 1.
    capture: u32,
    before: f64,
    after: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    waterfall: Option<Vec<PartJson<'a>>>,
}

/// Returns a series as JSON. `compared` are the comparisons of the captures around each change point of the time, of which at most
/// `top` ops of each part are listed.
pub fn series_json<'a>(series: &'a Series, compared: &'a [Comparison], top: usize) -> SeriesJson<'a> {
    let is_partial = series.captures.iter().any(|capture| capture.head.is_partial);
    let waterfall = |of: &'a Comparison| of.parts.iter().map(|part| part_json(of, part, top)).collect();
    let figure = |figure: &'a FigureSeries| {
        let change = |(number, change): (usize, &ChangePoint)| ChangeJson {
            capture: change.at + 1,
            before: change.before,
            after: change.after,
            waterfall: compared.get(number).filter(|_| figure.name == "period").map(waterfall),
        };
        FigureJson {
            name: &figure.name,
            unit: figure.unit,
            values: &figure.values,
            fence: figure.fence,
            limit: figure.limit,
            changes: figure.changes.iter().enumerate().map(change).collect(),
        }
    };
    SeriesJson {
        status: if is_partial { "partial" } else { "ok" },
        view: "compare_series",
        order: series.order.key(),
        base: series.base + 1,
        unit: super::compare_json::unit(series.unit),
        captures: series.captures.iter().map(capture_json).collect(),
        series: series.figures.iter().map(figure).collect(),
    }
}

fn capture_json(capture: &SeriesCapture) -> CaptureJson<'_> {
    CaptureJson {
        files: &capture.head.files,
        start_ns: capture.start_ns,
        device: &capture.head.device,
        n_steps: capture.head.n_steps,
        median_ps: capture.median,
        change: capture.change,
        verdict: capture.verdict.key(),
        is_partial: capture.head.is_partial,
    }
}
