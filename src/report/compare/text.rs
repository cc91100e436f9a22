//! This module writes a comparison for the terminal, with the verdict first, and as Markdown for a pull request.

use super::{explanation, program, sections};
use crate::analysis::compare::columns::{COMPARE, COMPARE_GROUPS};
use crate::analysis::compare::{
    CompareBy, Comparison, FigureDelta, FindingDelta, Gate, GateResult, GroupDelta, PartDelta, RowDelta, RowSide,
    SIGNIFICANT, SideHead, Verdict, groups,
};
use crate::analysis::overview::{FigureId, Unit, shown_figures};
use crate::report::compare::format::{per_unit, picos, signed_share};
use crate::report::ledger::table::label;
use crate::report::overview::text::number;
use crate::table::format::{
    TimeUnit, count, counted, middle_cut, percent_text, sign, signed_percent, signed_time_text, time_text, time_text_in,
};
use crate::table::text::{Table, TextForm, markdown_text};
use crate::table::text_columns::{TextColumns, or_absent};
use xla_profile::units::Picos;

/// Parts of the waterfall and rows in Markdown.
const PARTS: usize = 8;
/// A part below this fraction of the difference is not named as a cause: one over this number.
const SMALL_CAUSE: u64 = 20;
const ROWS: usize = 10;
/// Lines of Markdown, and those of a table without rows below an empty line.
const LINES: usize = 60;
const HEAD_LINES: usize = 3;
/// Pairs of work in Markdown.
const PAIRS: usize = 4;
/// Share of the time of ops with a partner below which the sides may be different programs.
const FEW_MATCHED: f64 = 0.5;
/// Ops that the sentence of a gate names.
const GATE_ROWS: usize = 3;
/// Lines about programs, differences of the sides, and findings in Markdown.
const PROGRAM_LINES: usize = 6;
const DIFFERENCES: usize = 5;
const FINDINGS: usize = 4;
const NOTES: usize = 6;

/// Returns the verdict in a few sentences: the difference, what it is made of, and how certain it is.
pub fn sentence(comparison: &Comparison) -> String {
    claim(comparison) + &evidence(comparison)
}

/// Returns the difference, and what it is made of.
pub fn claim(comparison: &Comparison) -> String {
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
    let explained = explanation::sentences(comparison);
    for sentence in &explained {
        text += &format!(" {sentence}");
    }
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
        let n_parts = if explained.is_empty() { 2 } else { 0 };
        let causes = comparison.parts.iter().filter(|part| is_cause(part.delta_ps)).take(n_parts);
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

/// Returns how certain the difference is: the interval, the p-value and the number of steps in words, with a space before them.
pub fn evidence(comparison: &Comparison) -> String {
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
        let change = or_absent(change, text);
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

/// Returns the figures of both sides as a table. The first row is the time.
fn figures(comparison: &Comparison) -> Table {
    let text = |value: Option<f64>, unit: Unit| or_absent(value, |value| number(value, unit));
    let columns = TextColumns::new()
        .text("Metric", |(label, _): &(&str, &FigureDelta)| (*label).to_owned())
        .number("A", |(_, figure)| text(figure.a, figure.unit))
        .number("B", |(_, figure)| text(figure.b, figure.unit))
        .number("Difference", |(_, figure)| {
            or_absent(figure.a.zip(figure.b), |(a, b)| figure_difference(b - a, figure.unit))
        })
        .number("Change %", |(_, figure)| {
            let both = figure.a.zip(figure.b).filter(|(a, _)| *a != 0.0);
            or_absent(both, |(a, b)| signed_percent((b - a) / a))
        });
    let mut table = columns.empty_table();
    let time = [
        ("A", time_text(picos(comparison.a_ps))),
        ("B", time_text(picos(comparison.b_ps))),
        ("Difference", signed_time_text(comparison.delta_ps)),
        ("Change %", or_absent(comparison.change(), signed_percent)),
    ];
    table.summary_row(format!("Time {}", per_unit(comparison.unit)), &time);
    // The spread of devices is about each side alone.
    let shown = shown_figures().filter(|(id, _)| *id != FigureId::DeviceSpread);
    columns.add_rows(&mut table, shown.filter_map(|(id, texts)| Some((texts.text_label, comparison.figure(id)?))));
    table
}

/// Formats the difference of a figure with its sign. That of two percentages is in percentage points.
fn figure_difference(difference: f64, unit: Unit) -> String {
    let text = number(difference.abs(), unit);
    let text = if unit == Unit::Fraction { text.replace('%', "pp") } else { text };
    format!("{}{text}", sign(difference))
}

/// Returns the waterfall as a table. What is not listed is one row, so that the parts sum to the difference.
pub(super) fn waterfall(comparison: &Comparison, top: usize) -> Table {
    let unit = TimeUnit::for_largest(picos(comparison.a_ps.max(comparison.b_ps)));
    let columns = TextColumns::new()
        .text("What the time was spent on", |(name, ..): &(String, i64, i64, i64)| name.clone())
        .time("A", unit, |(_, a, ..)| picos(*a))
        .time("B", unit, |(_, _, b, _)| picos(*b))
        .difference("Difference", unit, |(.., difference)| *difference);
    let (shown, rest) = comparison.parts.split_at(top.min(comparison.parts.len()));
    let sum = |value: fn(&PartDelta) -> i64| rest.iter().map(value).sum();
    let rest = (!rest.is_empty())
        .then(|| ("Rest".to_owned(), sum(|part| part.a_ps), sum(|part| part.b_ps), sum(|part| part.delta_ps)));
    let all = ("All".to_owned(), comparison.a_ps, comparison.b_ps, comparison.delta_ps);
    let shown = shown.iter().map(|part| (label(part.owner), part.a_ps, part.b_ps, part.delta_ps));
    columns.table(shown.chain(rest).chain([all]))
}

/// Returns the ops with the largest differences as a table; with `with_places`, also their scopes and sources.
fn rows(comparison: &Comparison, top: usize, with_places: bool) -> Table {
    // Sums of what a report leaves out do not decide the unit, so that it is that of the whole comparison.
    let sides = comparison.rows.iter().filter(|row| !row.is_left_out()).flat_map(|row| [&row.a, &row.b]).flatten();
    let longest = sides.map(|side| side.self_ps).max().unwrap_or_default();
    let unit = TimeUnit::for_largest(picos(longest));
    let mut columns = TextColumns::new()
        .text("Op", name)
        .time("A", unit, |row| row.a.as_ref().map(self_time))
        .time("B", unit, |row| row.b.as_ref().map(self_time))
        .difference("Difference", unit, |row| row.delta_ps)
        .declared(COMPARE, "verdict", "Verdict")
        .declared(COMPARE, "matched_by", "Matched by");
    if with_places {
        columns = columns
            .text("Scope", |row| or_absent(row.scope(), |scope| middle_cut(scope, 60)))
            .text("Source", |row| or_absent(row.source(), |source| middle_cut(without_folders(source), 60)));
    }
    columns.table(comparison.rows.iter().filter(|row| row.delta_ps != 0).take(top))
}

fn self_time(side: &RowSide) -> Picos {
    picos(side.self_ps)
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
    let text = |value: &Option<String>| or_absent(value.as_deref(), |value| value);
    unequal.map(|parity| format!("{}: {} in A, {} in B.", parity.label, text(&parity.a), text(&parity.b))).collect()
}

/// Returns the share of time that is paired in one sentence.
fn matched(comparison: &Comparison) -> String {
    let (a, b) = comparison.matched_shares();
    let by_op = format!("{} of the time of A's ops and {} of B's are matched.", percent_text(a), percent_text(b));
    match comparison.paired_shares() {
        Some((in_a, in_b)) if a.min(b) < 1.0 => format!(
            "{by_op} By scope, module or group of work, {} of A's and {} of B's have a counterpart.",
            percent_text(in_a),
            percent_text(in_b)
        ),
        _ => by_op,
    }
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
    TextColumns::new()
        .text(by.label(), |group: &GroupDelta| middle_cut(&group.text, 72))
        .time("A", unit, |group| picos(group.a_ps))
        .time("B", unit, |group| picos(group.b_ps))
        .difference("Difference", unit, |group| group.delta_ps)
        .declared(COMPARE_GROUPS, "n_rows", "Rows")
        .table(groups.iter().take(top))
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
    if let Some(table) = explanation::pairs(comparison, top) {
        out += &format!("{}\n", table.aligned());
    }
    let table = if by == CompareBy::Op { rows(comparison, top, false) } else { grouped(comparison, by, top) };
    out += &format!("{}\n{}\n", table.aligned(), matched(comparison));
    if let Some(absent) = &comparison.comm.absent {
        out += &lines(vec![sections::no_comm(absent)]);
    }
    if let Some(table) = sections::comm(&comparison.comm, top) {
        out += &format!("\n{}\n", table.aligned());
    }
    out += &lines(program::lines(comparison, top));
    out += &sections::memory(&comparison.memory);
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
    if let Some(table) = explanation::pairs(comparison, PAIRS) {
        out += &format!("\n{}", table.markdown());
    }
    let mut end = format!("\n{}\n", markdown_text(&matched(comparison)));
    let differences = differences(comparison);
    let lines = program::lines(comparison, PROGRAM_LINES);
    for line in lines.iter().chain(differences.iter().take(DIFFERENCES)).chain(comparison.notes.iter().take(NOTES)) {
        end += &format!("- {}\n", markdown_text(line));
    }
    for finding in comparison.findings.iter().take(FINDINGS) {
        let word = if finding.is_new { "New" } else { "Gone" };
        end += &format!("- {word} finding: {}\n", markdown_text(&finding.title));
    }
    let files = |side: &SideHead| format!("{}{}", markdown_text(&side.files.join(" ")), report(side));
    end += &format!(
        "\nA: {}; B: {}. Reproduce: `rooflight compare A… -- B…`\n",
        files(&comparison.a),
        files(&comparison.b)
    );
    // The table of ops takes the lines that the rest leaves.
    let left = LINES.saturating_sub(out.lines().count() + end.lines().count() + HEAD_LINES);
    if left > 0 {
        out += &format!("\n{}", rows(comparison, left.min(ROWS), true).markdown());
    }
    out + &end
}
