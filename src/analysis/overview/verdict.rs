//! This module writes the verdict.

use super::report::{Confidence, Finding, NO_PEAKS, Overview};
use super::rule::NO_VERDICT;
use crate::analysis::ledger::Owner;
use crate::table::format::{percent_text, time_text};
use crate::units::Picos;

/// Share of a step from which on the largest finding is the verdict.
const WORTH: f64 = 0.02;

/// Share of a step from which on an option is part of the verdict.
const OPTION: f64 = 0.05;

/// Returns the title of a finding that names a device or a primitive. `None` for other findings, which have the title of
/// their rule.
pub(super) fn title(id: &str, device: &str) -> Option<String> {
    let primitive = id.strip_prefix("exposed_").map(|primitive| primitive.replace('_', "-"));
    match id {
        "straggler" => Some(format!("{device} is slower than the other devices")),
        _ => primitive.map(|primitive| format!("The device waits for {primitive}")),
    }
}

/// Returns the verdict in one or two sentences. If events are missing for sure, it first says which.
pub(super) fn verdict(of: &Overview) -> String {
    let is_loss = |finding: &&Finding| finding.id == "dropped" && finding.confidence == Confidence::Measured;
    let Some(loss) = of.quality.iter().find(is_loss) else { return judgement(of) };
    if of.hides_idle() {
        return format!("{} No verdict on idle time is possible.", loss.detail);
    }
    format!("{} {}", loss.detail, judgement(of))
}

impl Overview {
    /// Returns whether the profiler lost so many events of the device that the time without an op is not known to be idle.
    pub fn hides_idle(&self) -> bool {
        self.skipped.iter().any(|rule| rule.reason == NO_VERDICT)
    }
}

/// Returns what limits the run.
fn judgement(of: &Overview) -> String {
    let needed = of.ledger.per_step(of.ledger.time(Owner::Floor));
    let unit = match &of.header.mean.kind {
        Some(kind) if of.has_steps => format!("a {kind} step"),
        None if of.has_steps => "a step".to_owned(),
        _ => format!("the {}", of.window_word()),
    };
    let (findings, recoverable, period) = (&of.findings, of.recoverable, of.period);
    let share = |time: Picos| percent_text(time.fraction_of(period).unwrap_or(0.0));
    let cost =
        |finding: &Finding| if finding.recoverable > Picos::ZERO { finding.recoverable } else { finding.at_stake };
    let is_worth = |finding: &&Finding| cost(finding).fraction_of(period).is_some_and(|share| share >= WORTH);
    let collectives = findings.iter().filter(|finding| finding.id.starts_with("exposed_"));
    let (n, exposed) = collectives.fold((0, Picos::ZERO), |(n, sum), finding| (n + 1, sum + finding.recoverable));
    let not_judged = of.ledger.per_step(of.ledger.time(Owner::Opaque));
    let unjudged = if not_judged.fraction_of(period).is_some_and(|share| share > 0.5) {
        let has_costs = of.figures.iter().any(|figure| figure.absent.as_deref() == Some(NO_PEAKS));
        let unknown = if has_costs { "peaks of the device" } else { "costs of ops" };
        format!("{} of {unit} cannot be judged, because the {unknown} are unknown. ", share(not_judged))
    } else {
        String::new()
    };
    let Some(first) = findings.first().filter(is_worth) else {
        let largest = findings.first().map_or(String::new(), |first| {
            format!(" The largest finding: {}, {}.", lower(&first.title), share(cost(first)))
        });
        return format!(
            "{unjudged}No finding is worth {} of {unit}. Compute at the roofline takes {} of it.{largest}{}",
            percent_text(WORTH),
            share(needed),
            option(of, Picos::ZERO)
        );
    };
    // Collectives are one finding for each primitive, but one cause.
    let (title, time) = match n {
        2.. if exposed > cost(first) => ("The device waits for collectives", exposed),
        _ => (&*first.title, cost(first)),
    };
    let guess = if first.confidence == Confidence::Guess { " This finding is a guess." } else { "" };
    let time_of_first = time;
    let (time, part) = (time_text(time), share(time));
    let whole = match of.header.not_in_file {
        Some(_) => format!("the {} of {unit} that are in the file", time_text(period)),
        None => format!("{unit} of {}", time_text(period)),
    };
    let mut text = format!("{unjudged}{title}: {time} of {whole}, {part}.{guess}");
    if first.recoverable == Picos::ZERO {
        text += " How much of it can be recovered is unknown.";
    }
    let others = findings.iter().filter(|finding| finding.recoverable > Picos::ZERO).count();
    if others > 1 {
        text += &format!(" {others} findings together: {}, {}.", time_text(recoverable), share(recoverable));
    }
    text + &option(of, time_of_first)
}

/// Returns a sentence about the option with the most time, if that is at least a twentieth of a step and more than the time of
/// the first finding.
fn option(of: &Overview, first: Picos) -> String {
    let largest = of.options.iter().rev().max_by_key(|option| option.at_stake);
    let share = |option: &Finding| option.at_stake.fraction_of(of.period).unwrap_or(0.0);
    let largest = largest.filter(|option| option.at_stake > first && share(option) >= OPTION);
    largest.map_or(String::new(), |option| {
        format!(
            " An option, which is in no sum, concerns more time: {}, {}.",
            lower(&option.title),
            percent_text(share(option))
        )
    })
}

/// Returns a title within a sentence.
pub(super) fn lower(title: &str) -> String {
    let mut letters = title.chars();
    let first = letters.next().map(|letter| letter.to_lowercase().to_string()).unwrap_or_default();
    let is_name = title.split(' ').next().is_some_and(|word| word.contains(':'));
    if is_name { title.to_owned() } else { first + letters.as_str() }
}
