//! This module writes the figures and the notes above a comparison.

use crate::analysis::compare::{CompareUnit, Comparison, FigureDelta, SideHead, TierShare, Verdict};
use crate::analysis::overview::{FigureId, FigureTexts, Unit, shown_figures};
use crate::chart::plot::paint::{Paint, Tone};
use crate::chart::plot::scene::{Anchor, Mark, Shape, Size};
use crate::chart::widgets::figure::{Figure, Readout, exact, figure};
use crate::chart::widgets::tip::row;
use crate::chip::usual_name;
use crate::protocol::url::compare::ComparePane;
use crate::report::compare::explanation::further_changes;
use crate::report::compare::format::picos;
use crate::report::compare::text::differences;
use crate::report::overview::text::number;
use crate::table::format::{self, ABSENT, TimeUnit, percent, percent_text};
use crate::table::words::capitalized;

/// The figures that are compared.
const COMPARED: [FigureId; 7] = [
    FigureId::UsefulMfu,
    FigureId::ModelMfu,
    FigureId::HbmBandwidth,
    FigureId::PeakHbm,
    FigureId::ExposedCommunication,
    FigureId::Idle,
    FigureId::HostWaits,
];

/// Returns the symbol before a difference: a triangle that points up for more, down for less.
pub(super) const fn arrow(difference: i64) -> &'static str {
    match difference {
        1.. => "▲",
        0 => "",
        _ => "▼",
    }
}

/// Returns the CSS class of a verdict.
pub const fn verdict_class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Regression => "worse",
        Verdict::Improvement => "better",
        Verdict::WithinNoise | Verdict::TooFewSteps | Verdict::Incomparable => "noise",
    }
}

/// Returns whether nothing is coloured, because the sides do not differ by more than chance.
pub(super) fn is_noise(verdict: Verdict) -> bool {
    verdict_class(verdict) == "noise"
}

/// Draws the letter of a side at the left of its picture, on a baseline at `y` px.
pub(super) fn letter_mark(letter: &str, y: f64) -> Mark {
    let text = letter.to_owned();
    let shape = Shape::Text { x: 2.0, y, text, anchor: Anchor::Start, size: Size::Dense, mono: false, halo: false };
    Mark::new(shape, Paint::fill(Tone::Ink))
}

/// Returns the unit of the times of both sides.
pub(super) fn time_unit(comparison: &Comparison) -> TimeUnit {
    TimeUnit::for_largest(picos(comparison.a_ps.max(comparison.b_ps)))
}

/// Returns a few words about a picture.
pub fn picture_text(comparison: &Comparison, pane: ComparePane) -> String {
    match pane {
        ComparePane::Waterfall => {
            format!(
                "what the difference is made of, in {}; each bar starts where the one above ends, and a pale bar sums those below it",
                time_unit(comparison).symbol()
            )
        }
        ComparePane::Scopes => {
            format!(
                "self time by scope in {}, on one scale; tinted where B differs by 5 % or more",
                time_unit(comparison).symbol()
            )
        }
        ComparePane::Timeline => {
            "the step of each side that is nearest to the mean, from its start; ops of B that differ are underlined if they are wide enough"
                .to_owned()
        }
        ComparePane::Scatter => "the time of each op in A and in B, and of the ops of a scope that have no partner; larger points differ by more".to_owned(),
        ComparePane::Programs => "changes of the compiled programs, those that cost most first".to_owned(),
        ComparePane::Memory => "buffers at the peak of each side".to_owned(),
        ComparePane::Communication => "collectives per step, by primitive, groups and scope".to_owned(),
    }
}

/// Returns a few words about the icicle of differences.
pub fn scope_differences_text(comparison: &Comparison) -> String {
    format!(
        "B − A of self time by scope in {}; as wide as the longer sides of all parts",
        time_unit(comparison).symbol()
    )
}

/// Returns the files and the device of each side.
pub fn sides(comparison: &Comparison) -> [(String, String); 2] {
    [&comparison.a, &comparison.b].map(|side| (side.files.join(", "), side_text(side)))
}

fn side_text(side: &SideHead) -> String {
    let chip = side.device_type.as_ref().map_or_else(String::new, |chip| format!(" ({})", usual_name(chip)));
    let devices = if side.n_devices > 1 { format!(" of {} devices", side.n_devices) } else { String::new() };
    let steps = match side.n_steps {
        0 => "whole capture".to_owned(),
        n => format::counted(n.into(), "step", "steps"),
    };
    let report = side.report_level.map_or_else(String::new, |level| format!("; a report, level {level} of 100"));
    format!("{}{chip}{devices}, {steps}{report}", side.device)
}

/// Returns the figures of both sides.
pub fn readout(comparison: &Comparison) -> Readout {
    let figure = |(id, texts): (FigureId, FigureTexts)| {
        let known = comparison.figure(id)?;
        let is_zero = known.a == Some(0.0) && known.b == Some(0.0);
        (!is_zero).then(|| both(known, texts))
    };
    let mut main = vec![difference(comparison)];
    main.extend(shown_figures().filter(|(id, _)| COMPARED.contains(id)).filter_map(figure));
    main.push(matched_figure(comparison));
    Readout { hero: hero(comparison), main, side: Vec::new() }
}

fn hero(comparison: &Comparison) -> Figure {
    let (label, formula) = match comparison.unit {
        CompareUnit::Step if comparison.a.n_steps > 0 || comparison.b.n_steps > 0 => {
            ("Time per step, A → B", "mean over steady steps of (start of the next step − start of the step)")
        }
        CompareUnit::Step => ("Time, A → B", "end of the last op − start of the first"),
        CompareUnit::MillionTokens => {
            ("Time per million tokens, A → B", "time per step × 1,000,000 ÷ tokens of a step of the whole job")
        }
    };
    let unit = time_unit(comparison);
    let time = |ps: i64| format::time_with_decimals(picos(ps), unit, 2);
    let mut rows = vec![row("A", exact(picos(comparison.a_ps))), row("B", exact(picos(comparison.b_ps)))];
    for (name, side) in [("Tokens of A", &comparison.a), ("Tokens of B", &comparison.b)] {
        rows.extend(side.tokens.map(|tokens| row(name, format::count(tokens))));
    }
    let value = format!("{} → {}", time(comparison.a_ps), time(comparison.b_ps));
    figure(label, (value, unit.symbol()), formula, rows)
}

fn difference(comparison: &Comparison) -> Figure {
    let (value, unit) = match comparison.delta_ps {
        0 => ("0".to_owned(), time_unit(comparison).symbol()),
        delta => format::figure_time(picos(delta)),
    };
    #[expect(clippy::cast_precision_loss, reason = "only the sign")]
    let sign = format::sign(comparison.delta_ps as f64);
    let mut rows = vec![row("B − A", format!("{sign}{}", exact(picos(comparison.delta_ps))))];
    #[expect(clippy::cast_possible_truncation, reason = "times in ps")]
    if let Some(shift) = comparison.shift {
        let end = |end: f64| format::signed_time_text(end as i64);
        rows.push(row("95 % interval", format!("{} to {}", end(shift.low), end(shift.high))));
    }
    let is_cut = comparison.a.has_no_samples() || comparison.b.has_no_samples();
    let no_test = if is_cut { "a report leaves out lengths of steps" } else { "too few steps for a test" };
    rows.push(row("p", comparison.p.map_or(no_test.to_owned(), |p| format!("{p:.4}"))));
    rows.push(row("Noise between captures", format!("below {}", percent_text(comparison.band))));
    rows.push(row("Verdict", comparison.verdict.label().to_owned()));
    let space = if comparison.delta_ps == 0 { "" } else { " " };
    let value = format!("{}{space}{sign}{value}", arrow(comparison.delta_ps));
    let scope = comparison.change().map(|change| format!("{} %", format::signed_percent(change)));
    let formula = "time of B − time of A; the interval is that of the Hodges–Lehmann shift";
    Figure { scope, ..figure("Difference", (value, unit), formula, rows) }
}

fn both(known: &FigureDelta, texts: FigureTexts) -> Figure {
    let is_share = known.unit == Unit::Fraction;
    let text = |value: Option<f64>| match value {
        None => ABSENT.to_owned(),
        Some(value) if is_share => percent(value),
        Some(value) => number(value, known.unit),
    };
    let whole = |value: Option<f64>| value.map_or(ABSENT.to_owned(), |value| number(value, known.unit));
    let value = format!("{} → {}", text(known.a), text(known.b));
    let rows = vec![row("A", whole(known.a)), row("B", whole(known.b))];
    figure(texts.label, (value, if is_share { "%" } else { "" }), texts.formula, rows)
}

fn matched_figure(comparison: &Comparison) -> Figure {
    let (a, b) = comparison.matched_shares();
    let rows = matched(comparison).into_iter().map(|(tier, a, b)| row(&tier, format!("{a} of A, {b} of B")));
    let paired = comparison.paired_shares().map(|(a, b)| {
        row(
            "With a counterpart by scope, module or group",
            format!("{} of A, {} of B", percent_text(a), percent_text(b)),
        )
    });
    let rows = rows.chain(paired);
    let value = format!("{} → {}", percent(a), percent(b));
    let formula = "time of ops that have a partner on the other side ÷ time of all ops";
    figure("Matched", (value, "%"), formula, rows.collect())
}

/// Returns the share of the time of both sides that each kind of match pairs.
pub fn matched(comparison: &Comparison) -> Vec<(String, String, String)> {
    let line = |share: &TierShare| {
        let label = share.tier.map_or("only on one side", |tier| tier.label());
        (capitalized(label), percent_text(share.a), percent_text(share.b))
    };
    comparison.matched.iter().map(line).collect()
}

/// Returns what differs beside the times: what both sides do not share, what reports leave out, and new and gone findings.
pub fn notes(comparison: &Comparison) -> Vec<String> {
    let finding = |finding: &crate::analysis::compare::FindingDelta| {
        format!("{} finding: {}", if finding.is_new { "New" } else { "Gone" }, finding.title)
    };
    let more = comparison.explanation.main.as_ref().and_then(further_changes);
    more.into_iter()
        .chain(differences(comparison))
        .chain(comparison.notes.iter().cloned())
        .chain(comparison.findings.iter().map(finding))
        .collect()
}
