//! This module writes a comparison for the terminal, with the verdict first, and as Markdown for a pull request.

use super::compare_format::{per_unit, picos, signed_share};
use super::ledger_table::label;
use super::overview_text::{SHOWN, number};
use super::{compare_program, compare_sections};
use crate::analysis::compare::{
    CompareBy, Comparison, FigureDelta, FindingDelta, Gate, GateResult, RowDelta, RowSide, SIGNIFICANT, SideHead,
    Verdict, groups,
};
use crate::analysis::overview::Unit;
use crate::table::format::{
    ABSENT, TimeUnit, count, counted, middle_cut, percent, percent_text, sign, signed_time, signed_time_text, time,
    time_text, time_text_in,
};
use crate::table::text::{Table, TextForm, markdown_text};
use crate::units::Picos;

/// Parts of the waterfall and rows in Markdown.
const PARTS: usize = 8;
/// A part below this fraction of the difference is not named as a cause: one over this number.
const SMALL_CAUSE: u64 = 20;
const ROWS: usize = 10;
/// Share of the time of ops with a partner below which the sides may be different programs.
const FEW_MATCHED: f64 = 0.5;
/// Ops that the sentence of a gate names.
const GATE_ROWS: usize = 3;
/// Lines about programs, differences of the sides, and findings in Markdown.
const PROGRAM_LINES: usize = 6;
const DIFFERENCES: usize = 5;
const FINDINGS: usize = 4;
const NOTES: usize = 6;

/// Returns the verdict in one sentence: the difference, its interval, and what it is made of.
pub fn sentence(comparison: &Comparison) -> String {
    let per = per_unit(comparison.unit);
    let change = comparison.change().filter(|_| comparison.delta_ps != 0);
    let change = change.map_or_else(String::new, |change| format!(" ({})", signed_share(change)));
    // The gate compares medians, so the sentences say which figure is which.
    let mean = if comparison.a.n_steps > 1 || comparison.b.n_steps > 1 { "mean " } else { "" };
    let delta = format!("{mean}{}{change} {per}", difference_text(comparison, comparison.delta_ps));
    let mut text = match comparison.verdict {
        Verdict::Regression => format!("B is slower: {delta}."),
        Verdict::Improvement => format!("B is faster: {delta}."),
        Verdict::WithinNoise if comparison.p.is_some_and(|p| p < SIGNIFICANT) => {
            format!("No difference beyond what captures vary by ({}): {delta}.", percent_text(comparison.band))
        }
        Verdict::WithinNoise => format!("No difference that the steps can tell: {delta}."),
        Verdict::TooFewSteps => format!("A side has no steps, so the difference cannot be judged: {delta}."),
        Verdict::Incomparable => format!("The captures do different work: {delta}."),
    };
    text += &evidence(comparison);
    let (a, b) = comparison.matched_shares();
    if a.min(b) < FEW_MATCHED && !comparison.rows.is_empty() {
        text += &format!(
            " These may be different programs: {} of the time of A's ops and {} of B's have a partner.",
            percent_text(a),
            percent_text(b)
        );
    }
    if matches!(comparison.verdict, Verdict::Regression | Verdict::Improvement) {
        let is_cause = |delta: i64| {
            (delta > 0) == (comparison.delta_ps > 0)
                && delta.unsigned_abs() >= comparison.delta_ps.unsigned_abs() / SMALL_CAUSE
        };
        let causes = comparison.parts.iter().filter(|part| is_cause(part.delta_ps)).take(2);
        let causes: Vec<String> = causes
            .map(|part| format!("{} {}", label(part.owner), difference_text(comparison, part.delta_ps)))
            .collect();
        if !causes.is_empty() {
            text += &format!(" Mostly: {}.", causes.join("; "));
        }
        // A slower side has a finding more, and a faster one has a finding less.
        let is_new = comparison.verdict == Verdict::Regression;
        if let Some(finding) = comparison.findings.iter().find(|finding| finding.is_new == is_new) {
            text += &format!(" {} finding: {}.", if is_new { "New" } else { "Gone" }, finding.title);
        }
    }
    text
}

/// Formats a difference of times in ps in the unit of the largest one of the sentence, so that they can be compared.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "times in ps, and a sign")]
fn difference_text(comparison: &Comparison, difference: i64) -> String {
    let ends = comparison.shift.map_or(0, |shift| picos(shift.low as i64).max(picos(shift.high as i64)).0);
    let unit = TimeUnit::for_largest(picos(comparison.delta_ps).max(Picos(ends)));
    format!("{}{}", sign(difference as f64), time_text_in(picos(difference), unit))
}

/// Returns the interval, the p-value and the number of steps in words.
fn evidence(comparison: &Comparison) -> String {
    // A shared comparison may hold the result of the test without all lengths of steps.
    let n = |side: &SideHead| match side.periods_ps.len() {
        0 => count(side.n_steps.into()),
        n => count(n as u64),
    };
    let steps = format!("{} and {} steps", n(&comparison.a), n(&comparison.b));
    #[expect(clippy::cast_possible_truncation, reason = "a time in ps")]
    match (comparison.shift, comparison.p) {
        (Some(shift), Some(p)) => {
            let p = if p < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p:.3}") };
            format!(
                " 95 % interval {} to {}, {p}, {steps}.",
                difference_text(comparison, shift.low as i64),
                difference_text(comparison, shift.high as i64)
            )
        }
        _ if comparison.a.has_no_samples() || comparison.b.has_no_samples() => {
            let sides =
                [("A", &comparison.a), ("B", &comparison.b)].into_iter().filter(|(_, side)| side.has_no_samples());
            let sides: Vec<&str> = sides.map(|(name, _)| name).collect();
            let (sides, word) = (sides.join(" and "), if sides.len() > 1 { "leave" } else { "leaves" });
            format!(
                " There is no test, because the report of {sides} {word} out lengths of steps: differences above {} count.",
                percent_text(comparison.band)
            )
        }
        _ if comparison.a.n_steps > 0 && comparison.b.n_steps > 0 => {
            format!(" {steps} are too few for a test: differences above {} count.", percent_text(comparison.band))
        }
        _ => String::new(),
    }
}

/// Returns the result of a gate in sentences.
pub fn gate(gate: &Gate, comparison: &Comparison) -> String {
    let result = match gate.evaluate(comparison) {
        GateResult::Passed => "Passed",
        GateResult::Failed => "Failed",
        GateResult::Inconclusive => "Inconclusive",
    };
    let figure = gate.limit.map(|limit| {
        let change = gate.change(comparison);
        let text = |change: f64| if change.is_finite() { signed_share(change) } else { "new".to_owned() };
        let change = change.map_or(ABSENT.to_owned(), text);
        format!("{} {change}, limit {}", gate.on.label(), percent_text(limit))
    });
    let rows = gate.rows_over.map(|limit| {
        let slower = gate.slower_rows(comparison);
        let n = counted(slower.len() as u64, "op is", "ops are");
        format!("{n} slower by more than {} of A{}", percent_text(limit), first_names(&slower))
    });
    let new = gate.rows_over.zip(Some(gate.new_rows(comparison)).filter(|new| !new.is_empty())).map(|(limit, new)| {
        let n = counted(new.len() as u64, "op is", "ops are");
        let counts = if Gate::new_rows_count(comparison) { "" } else { ", which counts only if B is slower" };
        format!("{n} new and longer than {} of A{}{counts}", percent_text(limit), first_names(&new))
    });
    let texts: Vec<String> = [figure, rows, new].into_iter().flatten().collect();
    format!("{result}: {}.", texts.join("; "))
}

/// Returns the first names of rows in brackets. Empty without rows.
fn first_names(rows: &[&RowDelta]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let names: Vec<String> = rows.iter().take(GATE_ROWS).map(|row| name(row)).collect();
    format!(" ({}{})", names.join(", "), if rows.len() > GATE_ROWS { ", …" } else { "" })
}

/// Returns the figures of both sides as a table.
fn figures(comparison: &Comparison) -> Table {
    let mut table =
        Table::new(&[("Metric", true), ("A", false), ("B", false), ("Difference", false), ("Change %", false)]);
    let change = comparison.change().map_or(ABSENT.to_owned(), signed_number);
    let metric = format!("Time {}", per_unit(comparison.unit));
    table.row(vec![
        metric,
        time_text(picos(comparison.a_ps)),
        time_text(picos(comparison.b_ps)),
        signed_time_text(comparison.delta_ps),
        change,
    ]);
    // The spread of devices is about each side alone.
    for (name, label) in SHOWN.into_iter().filter(|(name, _)| *name != "device_spread") {
        let Some(figure) = comparison.figures.iter().find(|figure| figure.name == name) else { continue };
        table.row(figure_row(label, figure));
    }
    table
}

fn signed_number(change: f64) -> String {
    format!("{}{}", sign(change), percent(change.abs()))
}

fn figure_row(label: &str, figure: &FigureDelta) -> Vec<String> {
    let text = |value: Option<f64>| value.map_or(ABSENT.to_owned(), |value| number(value, figure.unit));
    let both = figure.a.zip(figure.b);
    let difference = both.map_or(ABSENT.to_owned(), |(a, b)| {
        let text = number((b - a).abs(), figure.unit);
        // A difference of two percentages is in percentage points.
        let text = if figure.unit == Unit::Fraction { text.replace('%', "pp") } else { text };
        format!("{}{text}", sign(b - a))
    });
    let change = both.filter(|(a, _)| *a != 0.0).map_or(ABSENT.to_owned(), |(a, b)| signed_number((b - a) / a));
    vec![label.to_owned(), text(figure.a), text(figure.b), difference, change]
}

/// Returns the waterfall as a table. What is not listed is one row, so that the parts sum to the difference.
pub(super) fn waterfall(comparison: &Comparison, top: usize) -> Table {
    let unit = TimeUnit::for_largest(picos(comparison.a_ps.max(comparison.b_ps)));
    let head = |name: &str| format!("{name} {}", unit.symbol());
    let mut table = Table::new(&[
        ("What the time was spent on", true),
        (&head("A"), false),
        (&head("B"), false),
        (&head("Difference"), false),
    ]);
    let mut row = |name: String, a: i64, b: i64, delta: i64| {
        table.row(vec![name, time(picos(a), unit), time(picos(b), unit), signed_time(delta, unit)]);
    };
    let (shown, rest) = comparison.parts.split_at(top.min(comparison.parts.len()));
    for part in shown {
        row(label(part.owner), part.a_ps, part.b_ps, part.delta_ps);
    }
    if !rest.is_empty() {
        let sum = |value: fn(&crate::analysis::compare::PartDelta) -> i64| rest.iter().map(value).sum();
        row("Rest".to_owned(), sum(|part| part.a_ps), sum(|part| part.b_ps), sum(|part| part.delta_ps));
    }
    row("All".to_owned(), comparison.a_ps, comparison.b_ps, comparison.delta_ps);
    table
}

/// Returns the ops with the largest differences as a table; with `with_places`, also their scopes and sources.
fn rows(comparison: &Comparison, top: usize, with_places: bool) -> Table {
    // Sums of what a report leaves out do not decide the unit, so that it is that of the whole comparison.
    let sides = comparison.rows.iter().filter(|row| !row.is_left_out()).flat_map(|row| [&row.a, &row.b]).flatten();
    let longest = sides.map(|side| side.self_ps).max().unwrap_or_default();
    let unit = TimeUnit::for_largest(picos(longest));
    let head = |name: &str| format!("{name} {}", unit.symbol());
    let mut heads = vec![
        ("Op".to_owned(), true),
        (head("A"), false),
        (head("B"), false),
        (head("Difference"), false),
        ("Verdict".to_owned(), true),
        ("Matched by".to_owned(), true),
    ];
    if with_places {
        heads.extend(["Scope", "Source"].map(|name| (name.to_owned(), true)));
    }
    let heads: Vec<(&str, bool)> = heads.iter().map(|(name, is_text)| (name.as_str(), *is_text)).collect();
    let mut table = Table::new(&heads);
    for row in comparison.rows.iter().filter(|row| row.delta_ps != 0).take(top) {
        let side =
            |side: &Option<RowSide>| side.as_ref().map_or(ABSENT.to_owned(), |side| time(picos(side.self_ps), unit));
        let mut cells = vec![
            name(row),
            side(&row.a),
            side(&row.b),
            signed_time(row.delta_ps, unit),
            row.verdict_label().to_owned(),
            row.matched_by().into_owned(),
        ];
        if with_places {
            let cell = |text: Option<&str>| text.map_or(ABSENT.to_owned(), |text| middle_cut(text, 60));
            cells.extend([cell(row.scope()), cell(row.source().map(without_folders))]);
        }
        table.row(cells);
    }
    table
}

/// Returns the name of a row, with the number of further ops.
fn name(row: &RowDelta) -> String {
    let side = row.b.as_ref().or(row.a.as_ref());
    let more = side.map_or(0, |side| side.ops.len().saturating_sub(1));
    let name = middle_cut(row.name(), 48);
    if more > 0 { format!("{name} and {more} more") } else { name }
}

/// Returns what the sides do not share in sentences: one line each.
pub fn differences(comparison: &Comparison) -> Vec<String> {
    let unequal = comparison.parity.iter().filter(|parity| parity.is_equal == Some(false));
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| ABSENT.to_owned());
    unequal.map(|parity| format!("{}: {} in A, {} in B.", parity.label, text(&parity.a), text(&parity.b))).collect()
}

/// Returns the share of time that is paired in one sentence.
fn matched(comparison: &Comparison) -> String {
    let (a, b) = comparison.matched_shares();
    format!("{} of the time of A's ops and {} of B's are matched.", percent_text(a), percent_text(b))
}

/// Returns the level of detail of a side in words. Empty for a capture.
fn report(side: &SideHead) -> String {
    side.report_level.map_or_else(String::new, |level| format!(" (a report, level {level} of 100)"))
}

/// Returns a source line without its folders, which may name a user.
fn without_folders(source: &str) -> &str {
    source.rsplit_once('/').map_or(source, |(_, file)| file)
}

/// Returns the groups of ops with the largest differences as a table.
fn grouped(comparison: &Comparison, by: CompareBy, top: usize) -> Table {
    let groups = groups(&comparison.rows, by);
    let longest = groups.iter().map(|group| group.a_ps.max(group.b_ps)).max().unwrap_or_default();
    let unit = TimeUnit::for_largest(picos(longest));
    let head = |name: &str| format!("{name} {}", unit.symbol());
    let (a, b, difference) = (head("A"), head("B"), head("Difference"));
    let mut table = Table::new(&[(by.label(), true), (&a, false), (&b, false), (&difference, false), ("Rows", false)]);
    for group in groups.iter().take(top) {
        table.row(vec![
            middle_cut(&group.text, 72),
            time(picos(group.a_ps), unit),
            time(picos(group.b_ps), unit),
            signed_time(group.delta_ps, unit),
            count(group.n_rows.into()),
        ]);
    }
    table
}

/// Writes a comparison for the terminal, with at most `top` ops or groups of ops.
pub fn text(comparison: &Comparison, by: CompareBy, with_gate: Option<&Gate>, top: usize) -> String {
    let lines = |lines: Vec<String>| TextForm::Terminal.lines(lines);
    let mut head = vec![sentence(comparison)];
    head.extend(with_gate.map(|with_gate| gate(with_gate, comparison)));
    head.extend(differences(comparison).into_iter().chain(comparison.notes.iter().cloned()));
    let side =
        |name: &str, side: &SideHead| format!("{name}: {}, {}{}", side.files.join(", "), side.device, report(side));
    let mut out = format!("{}\n{}\n", lines(head), lines(vec![side("A", &comparison.a), side("B", &comparison.b)]));
    out += &format!("{}\n{}\n", figures(comparison).aligned(), waterfall(comparison, usize::MAX).aligned());
    let table = if by == CompareBy::Op { rows(comparison, top, false) } else { grouped(comparison, by, top) };
    out += &format!("{}\n{}\n", table.aligned(), matched(comparison));
    if let Some(absent) = &comparison.comm.absent {
        out += &lines(vec![compare_sections::no_comm(absent)]);
    }
    if let Some(table) = compare_sections::comm(&comparison.comm, top) {
        out += &format!("\n{}\n", table.aligned());
    }
    out += &lines(compare_program::lines(comparison, top));
    out += &compare_sections::memory(&comparison.memory);
    let finding =
        |finding: &FindingDelta| format!("{} finding: {}", if finding.is_new { "New" } else { "Gone" }, finding.title);
    out + &lines(comparison.findings.iter().map(finding).collect())
}

/// Writes a comparison as Markdown of at most 60 lines.
pub fn markdown(comparison: &Comparison, with_gate: Option<&Gate>) -> String {
    let mut out = format!("**{}**\n\n", markdown_text(&sentence(comparison)));
    if let Some(with_gate) = with_gate {
        out += &format!("{}\n\n", markdown_text(&gate(with_gate, comparison)));
    }
    out += &figures(comparison).markdown();
    out += &format!("\n{}", waterfall(comparison, PARTS).markdown());
    out += &format!("\n{}", rows(comparison, ROWS, true).markdown());
    out += &format!("\n{}\n", markdown_text(&matched(comparison)));
    let differences = differences(comparison);
    let lines = compare_program::lines(comparison, PROGRAM_LINES);
    for line in lines.iter().chain(differences.iter().take(DIFFERENCES)).chain(comparison.notes.iter().take(NOTES)) {
        out += &format!("- {}\n", markdown_text(line));
    }
    for finding in comparison.findings.iter().take(FINDINGS) {
        let word = if finding.is_new { "New" } else { "Gone" };
        out += &format!("- {word} finding: {}\n", markdown_text(&finding.title));
    }
    let files = |side: &SideHead| format!("{}{}", markdown_text(&side.files.join(" ")), report(side));
    out + &format!(
        "\nA: {}; B: {}. Reproduce: `rooflight compare A… -- B…`\n",
        files(&comparison.a),
        files(&comparison.b)
    )
}
