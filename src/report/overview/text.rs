//! This module writes the overview for the terminal, with the verdict first, and as Markdown.

use crate::analysis::overview::columns::FINDINGS;
use crate::analysis::overview::{
    Checked, Figure, FigureId, FigureTexts, Finding, Overview, Suggestion, Unit, shown_figures,
};
use crate::report::modules;
use crate::table::format::{bytes_text, decimal, percent, percent_text, time_text};
use crate::table::text::{escape_invisible, markdown_text};
use crate::table::text_columns::{TextColumns, or_absent};
use xla_profile::units::Picos;

/// How text is drawn in the terminal.
#[derive(Clone, Copy, Debug)]
pub struct TextStyle {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether escape sequences for bold and dim text are written.
    pub is_coloured: bool,
}

impl TextStyle {
    fn bold(self, text: &str) -> String {
        if self.is_coloured { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    fn dim(self, text: &str) -> String {
        if self.is_coloured { format!("\u{1b}[2m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// Breaks a text into lines, and indents all of them.
    fn wrapped(self, text: &str, indent: usize) -> String {
        let room = self.width.saturating_sub(indent).max(30);
        let mut lines = vec![String::new()];
        for word in text.split(' ') {
            let last = lines.last().map_or(0, |line| line.chars().count());
            if last > 0 && last + 1 + word.chars().count() > room {
                lines.push(String::new());
            }
            if let Some(line) = lines.last_mut() {
                if !line.is_empty() {
                    line.push(' ');
                }
                line.push_str(word);
            }
        }
        let pad = " ".repeat(indent);
        lines.into_iter().map(|line| format!("{pad}{line}\n")).collect()
    }
}

/// Writes the overview for a terminal. The text is safe to print.
pub fn text(overview: &Overview, style: TextStyle) -> String {
    let mut out = style
        .wrapped(&escape_invisible(&overview.verdict), 0)
        .lines()
        .map(|line| style.bold(line) + "\n")
        .collect::<String>();
    if let Some(next) = overview.next_step() {
        out += &style.wrapped(&escape_invisible(&next_text(next)), 0);
    }
    out.push('\n');
    out += &style.wrapped(&times(overview), 0);
    out += &style.wrapped(&figure_line(overview), 0);
    if let Some(quadrant) = overview.quadrant() {
        out += &style.wrapped(quadrant.sentence(), 0);
    }
    if let Some(guess) = &overview.chip_guess {
        let options: Vec<String> = guess.chips.iter().map(|chip| format!("--chip \"{chip}\"")).collect();
        out += &style.wrapped(&format!("{} If that is right, add {}.", guess.sentence(), options.join(" or ")), 0);
    }
    if let Some(guess) = guess(overview) {
        out += &style.wrapped(&guess, 0);
    }
    out.push('\n');
    out += &modules(overview, style);
    if !overview.quality.is_empty() {
        out += &findings("The capture", &overview.quality, overview, style, true);
    }
    if overview.findings.is_empty() {
        out += "No finding: no rule reached its threshold.\n\n";
    } else {
        let title = format!("Findings: {}", overview.findings_sum_text());
        out += &findings(&title, &overview.findings, overview, style, true);
    }
    out += &findings(
        "Options: they change memory, numerics or the model, and are in no sum",
        &overview.options,
        overview,
        style,
        false,
    );
    out += &findings("Memory", &overview.memory, overview, style, false);
    if !overview.skipped.is_empty() {
        out += &(style.bold("Could not be checked") + "\n");
        for rule in &overview.skipped {
            out += &style.wrapped(&escape_invisible(&format!("{}: {}", rule.name, rule.reason)), 2);
        }
        out.push('\n');
    }
    if !overview.checked.is_empty() {
        out += &(style.bold("Checked, nothing found") + "\n");
        let all: Vec<String> = overview.checked.iter().map(checked).collect();
        out += &style.wrapped(&all.join(" · "), 2);
    }
    out
}

/// Writes the time by module, and how the modules are known.
fn modules(overview: &Overview, style: TextStyle) -> String {
    let Some(found) = overview.modules.as_ref().filter(|found| found.has_names()) else { return String::new() };
    let known = modules::table::certainty(found).map_or(String::new(), |known| style.wrapped(&known, 0));
    format!("{}\n{known}\n", modules::table::modules(found).aligned())
}

/// Writes the guess of useful FLOPs, and how the user confirms it. `None` if the user gave the useful FLOPs.
fn guess(overview: &Overview) -> Option<String> {
    let is_given = overview.figure(FigureId::UsefulMfu).is_some_and(|figure| figure.value.is_some());
    let size = overview.model_guess.filter(|_| !is_given)?;
    let (sentence, tokens, n) = (overview.guess_sentence()?, size.tokens()?, size.n_parameters?);
    let flops = size.flops_per_token()?;
    let model = if size.is_training && size.attention.is_none() {
        format!("--parameters {n}")
    } else {
        format!("--flops-per-token {flops}")
    };
    Some(if overview.is_guess_too_high() {
        format!("{sentence} For the MFU of useful work, give --tokens and --flops-per-token.")
    } else {
        format!("{sentence} If it is right, add --tokens {tokens} {model}.")
    })
}

/// Writes how long a step takes, and how much of it could be gained.
fn times(overview: &Overview) -> String {
    let gain = overview.gain();
    let share = |time: Picos| percent_text(time.fraction_of(overview.period).unwrap_or(0.0));
    let part = |time: Picos| format!("{} ({})", time_text(time), share(time));
    // Where no op has a roofline time, what the step needs is unknown.
    let needed = if gain.needed == Picos::ZERO && gain.not_judged > Picos::ZERO {
        String::new()
    } else {
        format!(" Needed: {}.", part(gain.needed))
    };
    let parts = format!("At most {} to gain, {}.{needed}", part(gain.most), overview.gain_assumption());
    let what =
        if overview.has_steps { "Time per step".to_owned() } else { format!("Time of the {}", overview.window_word()) };
    let spread = overview
        .periods
        .as_ref()
        .filter(|periods| periods.n > 1 && overview.ledger.n_steps > 1)
        .map_or(String::new(), |periods| {
            format!(" (mean of {} steps, {} to {})", periods.n, time_text(periods.min), time_text(periods.max))
        });
    let missing = overview.header.missing_text().map_or(String::new(), |missing| format!(" {missing}."));
    let step_is = overview
        .header
        .mean
        .step_is
        .as_ref()
        .map_or(String::new(), |step_is| format!(" {}", escape_invisible(step_is)));
    format!(
        "{what} of {}: {}{spread}.{step_is}{missing} {parts}",
        escape_invisible(&overview.device),
        time_text(overview.period)
    )
}

/// Writes the figures in a line. Those that are next to nothing come last.
fn figure_line(overview: &Overview) -> String {
    let known = |(id, texts): (FigureId, FigureTexts)| Some((overview.figure(id)?, texts.text_label));
    let all = || shown_figures().filter_map(known).filter(|(figure, _)| figure.value.is_some());
    let text = |(figure, label): (&Figure, &str)| match figure.exceeded_limit() {
        Some(limit) => format!("{label} ▲ {} (above the {limit})", value(figure)),
        None => format!("{label} {}", value(figure)),
    };
    let list = |is_slight: bool| {
        all().filter(|(figure, _)| figure.is_slight() == is_slight).map(text).collect::<Vec<String>>().join(" · ")
    };
    let (line, slight) = (list(false), list(true));
    if slight.is_empty() {
        line
    } else {
        format!("{line}. Next to nothing: {slight}").trim_start_matches(". ").to_owned()
    }
}

/// Returns the value of a figure with its unit; a dash if it is unknown.
pub fn value(figure: &Figure) -> String {
    let at_least = if figure.is_at_least() { "≥ " } else { "" };
    or_absent(figure.value, |value| format!("{at_least}{}", number(value, figure.id.unit())))
}

/// Returns a number with its unit.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number that is shown")]
pub fn number(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Ps if value < 0.0 => format!("−{}", time_text(Picos(-value as u64))),
        Unit::Ps => time_text(Picos(value as u64)),
        Unit::Fraction => percent_text(value),
        Unit::Bytes => bytes_text(value as u64),
        Unit::Flops => crate::table::format::quantity(value),
        Unit::Count if value.fract() == 0.0 => format!("{value:.0}"),
        Unit::Count => decimal(value, 2),
    }
}

/// Returns what a rule measured, and its threshold.
fn checked(rule: &Checked) -> String {
    let threshold = format!("threshold {}{}", rule.direction(), number(rule.threshold, rule.unit));
    format!("{} {} ({threshold})", rule.name, number(rule.measured, rule.unit))
}

fn cost(finding: &Finding) -> String {
    match finding.bytes {
        Some(bytes) => bytes_text(bytes),
        None if finding.recoverable > Picos::ZERO => time_text(finding.recoverable),
        None if finding.at_stake > Picos::ZERO => time_text(finding.at_stake),
        None => String::new(),
    }
}

/// Writes findings with their details. With `with_try`, what to try follows.
fn findings(title: &str, findings: &[Finding], overview: &Overview, style: TextStyle, with_try: bool) -> String {
    if findings.is_empty() {
        return String::new();
    }
    let mut out = style.bold(title) + "\n";
    for (place, finding) in (1..).zip(findings) {
        let time = if finding.recoverable > Picos::ZERO { finding.recoverable } else { finding.at_stake };
        let share = if finding.bytes.is_none() && time > Picos::ZERO {
            format!(", {}", percent_text(time.fraction_of(overview.period).unwrap_or(0.0)))
        } else {
            String::new()
        };
        let unknown =
            if finding.recoverable == Picos::ZERO && finding.at_stake > Picos::ZERO { " at stake" } else { "" };
        let cost = cost(finding);
        let cost = match finding.once(overview.period) {
            Some(once) => format!("  {} once", time_text(once)),
            None if cost.is_empty() => String::new(),
            None => format!("  {cost}{share}{unknown}"),
        };
        let number = format!("{place:>2}");
        let confidence = style.dim(&format!("  {}", finding.confidence.label()));
        out += &format!("{number} {}{cost}{confidence}\n", style.bold(&escape_invisible(&finding.headline())));
        out += &style.wrapped(&escape_invisible(&finding.detail), 3);
        if with_try {
            for tried in &finding.tries {
                out += &style.wrapped(&escape_invisible(&format!("Try: {}", tried.text_with_code())), 3);
            }
        }
    }
    out.push('\n');
    out
}

/// Returns what to try first in words, with its code.
pub fn next_text(next: &Suggestion) -> String {
    format!("Try first: {}", next.text_with_code())
}

/// Writes the overview as Markdown, for a pull request.
pub fn markdown(overview: &Overview) -> String {
    let mut out = format!("**{}**\n\n", markdown_text(&overview.verdict));
    if let Some(next) = overview.next_step() {
        out += &format!("{}\n\n", markdown_text(&next_text(next)));
    }
    out += &format!("{}\n\n", markdown_text(&times(overview)));
    out += &format!("{}\n\n", markdown_text(&figure_line(overview)));
    if let Some(found) = overview.modules.as_ref().filter(|found| found.has_names()) {
        out += &format!("{}\n", modules::table::modules(found).markdown());
    }
    let columns = TextColumns::new()
        .declared(FINDINGS, "title", "Finding")
        .number("Cost", cost)
        .number("Step %", |finding| {
            let time = if finding.recoverable > Picos::ZERO { finding.recoverable } else { finding.at_stake };
            let share = time.fraction_of(overview.period).filter(|_| finding.bytes.is_none() && time > Picos::ZERO);
            share.map_or(String::new(), percent)
        })
        .text("Confidence", |finding| finding.confidence.label().to_owned())
        .declared(FINDINGS, "detail", "Evidence");
    let all = [&overview.quality, &overview.findings, &overview.options, &overview.memory];
    out + &columns.table(all.into_iter().flatten()).markdown()
}
