//! This module writes the comparison of many captures: as a table with its change points, and as JSON.

use crate::analysis::base::Status;
use crate::analysis::compare::columns::SERIES_CAPTURES;
use crate::analysis::compare::{
    ChangePoint, CompareUnit, Comparison, FigureSeries, Series, SeriesCapture, SeriesOrder,
};
use crate::analysis::overview::{Unit, shown_figures};
use crate::report::compare::format::{per_unit, signed_share};
use crate::report::compare::json::{part_json, status};
use crate::report::compare::text::waterfall;
use crate::report::overview::text::number;
use crate::table::text::TextForm;
use crate::table::text_columns::{TextColumns, or_absent};
use crate::table::{Object, object};

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
    shown_figures().find(|(id, _)| id.key() == figure.name).map(|(_, texts)| texts.text_label.to_owned())
}

/// Returns a change point in one sentence.
fn change(series: &Series, label: &str, unit: Unit, change: &ChangePoint) -> String {
    let (before, after) = (number(change.before, unit), number(change.after, unit));
    let share = (change.before > 0.0).then(|| (change.after - change.before) / change.before);
    let share = share.map_or(String::new(), |share| format!(" ({})", signed_share(share)));
    TextForm::Terminal
        .lines([format!("{label}: {before} → {after}{share} from {}.", capture_name(series, change.first_after))])
}

/// Writes a series for the terminal. `compared` are the comparisons of the captures around each change point of the
/// time.
pub fn text(series: &Series, compared: &[Comparison]) -> String {
    let is_base = |index: usize| index == series.base as usize;
    let columns = TextColumns::new()
        .number("", |(index, _): &(usize, &SeriesCapture)| (index + 1).to_string())
        .text("Capture", |(_, capture)| capture.head.files.join(", "))
        .number("Steps", |(_, capture)| capture.head.n_steps.to_string())
        .number(format!("Time {}", per_unit(series.unit)), |(_, capture)| {
            or_absent(capture.median, |median| number(median, Unit::Ps))
        })
        .number("From the base", |(index, capture)| {
            if is_base(*index) { "base".to_owned() } else { or_absent(capture.change, signed_share) }
        })
        .text("Verdict", |(index, capture)| {
            let verdict = if is_base(*index) { "" } else { capture.verdict.label() };
            verdict.to_owned()
        });
    let mut out = columns.table(series.captures.iter().enumerate()).aligned();
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

/// Returns a series as JSON. `compared` are the comparisons of the captures around each change point of the time, of
/// which at most `top` ops of each part are listed.
pub fn series_json<'a>(series: &'a Series, compared: &'a [Comparison], top: usize) -> Object<'a> {
    let is_partial = series.captures.iter().any(|capture| capture.head.is_partial);
    object!(CompareSeries {
        /// Whether the figures are complete: `partial` if only a part of a capture was read.
        status: Word(Status) = status(is_partial),
        /// Name of the view.
        view: Word = "compare_series",
        /// The order of the captures.
        order: Word(SeriesOrder) = series.order,
        /// Number of the capture with which all others are compared, counted from 1.
        base: Count = (series.base + 1).into(),
        /// The unit of times.
        unit: Word(CompareUnit) = series.unit,
        /// The captures in their order.
        captures: Rows(SERIES_CAPTURES) = &series.captures,
        /// The time (`period`) and the figures of `overview`.
        series: List(Own) = series.figures.iter().map(|figure| figure_json(figure, compared, top)),
    })
}

fn figure_json<'a>(figure: &'a FigureSeries, compared: &'a [Comparison], top: usize) -> Object<'a> {
    // The captures around a change are compared for the time only.
    let compared = if figure.name == "period" { compared } else { &[] };
    let changes = figure.changes.iter().enumerate();
    object!(FigureSeries {
        /// `period`, or the name of the figure in `overview`.
        name: Text = &figure.name,
        /// The unit of the values.
        unit: Word(Unit) = figure.unit,
        /// The values in the order of the captures. Null for a capture that does not have the figure.
        values: List(Maybe(Number)) = figure.values.iter().copied(),
        /// The largest usual difference of neighbours. Null with fewer than 8 values.
        fence: Number or null = figure.fence,
        /// The difference beyond which the figure has changed: the fence, else the band. Null without values.
        limit: Number or null = figure.limit,
        /// The places where the figure changes for good.
        changes: List(Own) = changes.map(|(number, change)| change_json(change, compared.get(number), top)),
    })
}

/// Returns a change point as JSON. `compared` is the comparison of the captures around it.
fn change_json<'a>(change: &ChangePoint, compared: Option<&'a Comparison>, top: usize) -> Object<'a> {
    let waterfall = |compared: &'a Comparison| compared.parts.iter().map(move |part| part_json(compared, part, top));
    object!(ChangePoint {
        /// Number of the first capture after the change, counted from 1.
        capture: Count = (change.first_after + 1).into(),
        /// Median of the three values before the change.
        before: Number = change.before,
        /// Median of the three values after the change.
        after: Number = change.after,
        /// The owners of time of the captures around the change, as in `compare`. It is only there for changes of
        /// `period`.
        waterfall: List(Own) or null in json if_present = compared.map(waterfall),
    })
}
