//! This module prepares what stands beside the findings: steps, devices, and the rules that found nothing.

use super::figures::slowest;
use crate::analysis::overview::{Overview, StepShare, Unit};
use crate::analysis::roofline::UsefulFlops;
use crate::chart::plot::time_part::TimePart;
use crate::report::overview::text::number;
use crate::table::format::{TimeUnit, percent_text, time_text, time_text_in};
use xla_profile::units::Picos;

/// Largest number of columns of steps. Several steps share a column if there are more.
const MAX_COLUMNS: usize = 120;

/// Returns the guess of the useful FLOPs of a step: in words, and as the user may confirm it unless it is too high. `None` if
/// the program does not suggest it.
#[expect(clippy::cast_precision_loss, reason = "the useful FLOPs are an estimate")]
pub fn guess(overview: &Overview) -> Option<(String, Option<UsefulFlops>)> {
    let size = overview.model_guess?;
    let ((sequences, length), flops) = size.batch.zip(size.flops_per_token())?;
    let useful =
        UsefulFlops { batch: sequences as f64, sequence: length as f64, flops_per_token: flops as f64, devices: None };
    Some((overview.guess_sentence()?, Some(useful).filter(|_| !overview.is_guess_too_high())))
}

/// A step as a bar, or several steps that share one.
#[derive(Clone, Debug, PartialEq)]
pub struct StepRow {
    /// Number of the step, or the first and the last number.
    pub number: String,
    /// Time of the step; of several, of the longest one.
    pub time: String,
    /// Why the step is not counted. Empty for a step that is, and for several steps if one of them is.
    pub reason: String,
    /// The parts with start and length, as fractions of the longest step.
    pub parts: Vec<(TimePart, (f64, f64))>,
}

/// Returns all steps, and a few words about them.
pub fn steps(overview: &Overview) -> (Vec<StepRow>, String) {
    let longest = overview.steps.iter().map(|step| step.length).max().unwrap_or_default();
    let per_column = overview.steps.len().div_ceil(MAX_COLUMNS).max(1);
    let row = |all: &[StepShare]| {
        let step = all.iter().rev().max_by_key(|step| step.length)?;
        let is_counted = all.iter().any(|step| step.is_counted);
        let mut left = 0.0;
        let parts = TimePart::all().zip(step.parts).filter(|(_, time)| *time > Picos::ZERO).map(|(part, time)| {
            let place = (left, time.fraction_of(longest).unwrap_or(0.0));
            left += place.1;
            (part, place)
        });
        let number = match all {
            [first, .., last] => format!("{} to {}", first.number, last.number),
            _ => step.number.to_string(),
        };
        Some(StepRow {
            number,
            time: time_text(step.length),
            reason: step.reason.clone().filter(|_| !is_counted).unwrap_or_default(),
            parts: parts.collect(),
        })
    };
    let about = overview.periods.as_ref().map_or(String::new(), |periods| {
        let spread = periods.std_dev.map(|deviation| percent_text(deviation / periods.mean));
        let spread = spread.map_or(String::new(), |spread| format!(", standard deviation {spread}"));
        format!("{} of {} counted{spread}", periods.n, overview.n_steps)
    });
    let is_cut = !about.is_empty() && overview.steps.len() < overview.n_steps as usize;
    let shown =
        if is_cut { format!("; {} of {} shown", overview.steps.len(), overview.n_steps) } else { String::new() };
    let shared =
        if per_column > 1 { format!("; each column is the longest of {per_column} steps") } else { String::new() };
    (overview.steps.chunks(per_column).filter_map(row).collect(), about + &shown + &shared)
}

/// A device on a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Dot {
    pub label: String,
    pub time: String,
    /// Place between the shortest and the longest, from 0 to 1.
    pub position: f64,
    /// Whether the step depends on this device.
    pub is_critical: bool,
}

/// Returns the devices by the time for which they wait for others, and a few words about them. Empty for a capture of one
/// device.
pub fn devices(overview: &Overview) -> (Vec<Dot>, String) {
    let waits: Vec<(&str, Picos)> =
        overview.devices.iter().filter_map(|device| Some((&*device.label, device.waited?))).collect();
    let most = waits.iter().map(|(_, wait)| *wait).max().unwrap_or_default();
    if waits.len() < 2 || most == Picos::ZERO {
        return (Vec::new(), String::new());
    }
    let slowest = slowest(overview);
    let unit = TimeUnit::for_largest(most);
    let dot = |(label, wait): &(&str, Picos)| Dot {
        label: (*label).to_owned(),
        time: time_text_in(*wait, unit),
        position: wait.fraction_of(most).unwrap_or(0.0),
        is_critical: slowest == Some(*label),
    };
    let share = percent_text(most.fraction_of(overview.period).unwrap_or(0.0));
    let (n, all) = (waits.len(), overview.devices.len());
    let shown = if n < all { format!("; {n} of {all} shown") } else { String::new() };
    (
        waits.iter().map(dot).collect(),
        format!("wait for others per step, at most {share}; the slowest device waits least{shown}"),
    )
}

/// A host with its devices on a line.
#[derive(Clone, Debug, PartialEq)]
pub struct HostRow {
    pub name: String,
    pub dots: Vec<Dot>,
    /// The least wait of its devices.
    pub time: String,
}

/// Returns the devices of each host. Empty unless the labels of devices name several hosts.
pub fn hosts(overview: &Overview) -> Vec<HostRow> {
    let mut hosts: Vec<(&str, usize)> = Vec::new();
    for device in overview.devices.iter().filter(|device| device.waited.is_some()) {
        let host = device.label.rsplit_once(' ').map_or("", |(host, _)| host);
        match hosts.last_mut().filter(|(name, _)| *name == host) {
            Some((_, n_devices)) => *n_devices += 1,
            None => hosts.push((host, 1)),
        }
    }
    if hosts.len() < 2 {
        return Vec::new();
    }
    // The dots are those of the same devices, in the same order.
    let mut dots = devices(overview).0.into_iter();
    let row = |(name, n_devices): (&str, usize)| {
        let dots: Vec<Dot> = dots.by_ref().take(n_devices).collect();
        let least = dots.iter().min_by(|a, b| a.position.total_cmp(&b.position));
        HostRow { name: name.to_owned(), time: least.map_or(String::new(), |dot| dot.time.clone()), dots }
    };
    hosts.into_iter().map(row).collect()
}

/// A rule that found nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleLine {
    pub name: String,
    pub value: String,
    pub threshold: String,
}

/// Returns the rules that were checked and found nothing.
pub fn checked(overview: &Overview) -> Vec<RuleLine> {
    let line = |rule: &crate::analysis::overview::Checked| RuleLine {
        name: rule.name.clone(),
        value: number(rule.measured, rule.unit),
        threshold: match rule.unit {
            Unit::Fraction => format!("threshold {}{}", rule.direction(), percent_text(rule.threshold)),
            unit => format!("threshold {}{}", rule.direction(), number(rule.threshold, unit)),
        },
    };
    overview.checked.iter().map(line).collect()
}

/// Returns the rules that could not be checked, with the reason.
pub fn skipped(overview: &Overview) -> Vec<(String, String)> {
    overview.skipped.iter().map(|rule| (rule.name.clone(), rule.reason.clone())).collect()
}
