//! This module writes the verdict.

use super::attention;
use super::context::MAX_NAME;
use super::figures::{FigureId, NO_PEAKS};
use super::report::{Confidence, Finding, Overview};
use super::rule::NO_VERDICT;
use super::rule_id::{FindingId, RuleId};
use crate::analysis::ledger::Owner;
use crate::table::format::{percent_text, time_text};
use xla_profile::units::Picos;

/// Share of a step from which on the largest finding is the verdict.
const WORTH: f64 = 0.02;

/// Share of a step from which on a cause is large: the verdict begins with the largest one, whether or not its time can
/// be recovered.
const LARGE: f64 = 0.1;
/// Share of a step from which on an op that nothing judges is named in the verdict.
const LARGE_OP: f64 = 0.1;

/// Share of a step from which on a cause comes before the time that cannot be judged.
const MOST: f64 = 0.3;

/// The share of the time of a cause from which on all of it counts as recoverable.
const ALL: f64 = 0.98;

/// Share of a step from which on an option is part of the verdict.
const OPTION: f64 = 0.05;

/// Returns the title of a finding that names a device or a primitive. `None` for other findings, which have the title of
/// their rule.
pub(super) fn title(id: &FindingId, device: &str) -> Option<String> {
    Some(match id {
        FindingId::Exposed { .. } => format!("The device waits for {}", id.collectives()?),
        FindingId::PipelineBubble => "The device waits in the bubble of a pipeline".to_owned(),
        FindingId::FarBelowRoofline => "Ops run far below their roofline".to_owned(),
        FindingId::Expanded(operation) => format!("The compiler turned a {} into a loop", operation.replace('_', "-")),
        FindingId::Rule(RuleId::Straggler) => format!("{device} is slower than the other devices"),
        FindingId::Rule(_) => return None,
    })
}

/// Returns the verdict in a few sentences. It first says which events are missing for sure, and what else the mean of the
/// steps leaves out: devices without work, and idle time outside of the steps.
pub(super) fn verdict(overview: &Overview) -> String {
    let is_loss = |finding: &&Finding| finding.rule() == RuleId::Dropped && finding.confidence == Confidence::Measured;
    let mut sentences: Vec<String> = overview.quality.iter().filter(is_loss).map(|loss| loss.detail.clone()).collect();
    if overview.hides_idle() && !sentences.is_empty() {
        sentences.push("No verdict on idle time is possible.".to_owned());
        return sentences.join(" ");
    }
    let is_left_out = |finding: &&Finding| matches!(finding.rule(), RuleId::UnusedDevices | RuleId::IdleOutside);
    let left_out = overview.quality.iter().filter(is_left_out);
    sentences.extend(left_out.map(|finding| format!("{}: {}", finding.title, finding.detail)));
    sentences.push(judgement(overview));
    sentences.join(" ")
}

impl Overview {
    /// Returns whether the profiler lost so many events of the device that the time without an op is not known to be idle.
    pub fn hides_idle(&self) -> bool {
        self.skipped.iter().any(|rule| rule.reason == NO_VERDICT)
    }
}

/// What a verdict is about: a finding, or all collectives together.
struct Cause<'o> {
    /// The title of the finding with its place in the model, or that of all collectives.
    title: String,
    /// The finding, or the collective with the most time.
    finding: &'o Finding,
    at_stake: Picos,
    recoverable: Picos,
}

impl<'o> Cause<'o> {
    fn new(finding: &'o Finding) -> Self {
        let Finding { at_stake, recoverable, .. } = finding;
        Self { title: finding.headline(), finding, at_stake: *at_stake, recoverable: *recoverable }
    }

    /// Returns the recoverable time, or what is at stake if none is known to be recoverable.
    fn worth(&self) -> Picos {
        if self.recoverable > Picos::ZERO { self.recoverable } else { self.at_stake }
    }

    /// Returns the causes of lost time. Collectives are one finding for each primitive, but one cause.
    fn all(overview: &'o Overview) -> Vec<Self> {
        let is_collective = |finding: &&Finding| matches!(finding.id, FindingId::Exposed { .. });
        // What cannot be judged is no cause.
        let is_cause = |finding: &&Finding| finding.rule() != RuleId::OpaqueKernels && !varies(finding);
        let mut all: Vec<Self> = overview.findings.iter().filter(is_cause).map(Self::new).collect();
        let collectives = || overview.findings.iter().filter(is_collective);
        let largest = collectives().rev().max_by_key(|finding| finding.at_stake);
        if let (2.., Some(first)) = (collectives().count(), largest) {
            all.push(Self {
                title: "The device waits for collectives".to_owned(),
                finding: first,
                at_stake: collectives().map(|finding| finding.at_stake).sum(),
                recoverable: collectives().map(|finding| finding.recoverable).sum(),
            });
        }
        all
    }
}

/// Returns whether a finding is about variation. Something else causes it, if that is known.
fn varies(finding: &Finding) -> bool {
    matches!(finding.rule(), RuleId::VaryingOp | RuleId::SlowSteps)
}

/// The causes of lost time of an overview.
struct Causes<'o> {
    all: Vec<Cause<'o>>,
    /// Findings about variation, which count where no cause is known.
    variation: Vec<Cause<'o>>,
    period: Picos,
}

impl<'o> Causes<'o> {
    fn new(overview: &'o Overview) -> Self {
        let variation = overview.findings.iter().filter(|finding| varies(finding)).map(Cause::new).collect();
        Self { all: Cause::all(overview), variation, period: overview.period }
    }

    fn share(&self, time: Picos) -> f64 {
        time.fraction_of(self.period).unwrap_or(0.0)
    }

    /// Returns the first of the causes with the most time.
    fn most(&self, by: &dyn Fn(&Cause<'o>) -> Picos) -> Option<&Cause<'o>> {
        self.all.iter().rev().max_by_key(|cause| by(cause))
    }

    /// Returns the cause with the most recoverable time, if that is worth a verdict.
    fn best(&self) -> Option<&Cause<'o>> {
        self.most(&|cause| cause.recoverable).filter(|cause| self.share(cause.recoverable) >= WORTH)
    }

    /// Returns the finding about steps that take much longer than the others, if they make a large part of the mean, and
    /// at least half of the largest cause: no step then is as the mean says. Steps that wait for requests differ anyhow.
    fn slow_steps(&self) -> Option<&Cause<'o>> {
        let largest = self.most(&|cause| cause.at_stake);
        if largest.is_some_and(|cause| cause.finding.rule() == RuleId::NoRequests) {
            return None;
        }
        let largest = largest.map_or(Picos::ZERO, |cause| cause.at_stake);
        let is_most = |cause: &&Cause<'o>| {
            let of_mean = self.share(cause.at_stake) >= LARGE && cause.at_stake.0 >= largest.0 / 2;
            cause.finding.rule() == RuleId::SlowSteps && of_mean
        };
        self.variation.iter().find(is_most)
    }

    /// Returns the cause that the verdict begins with: the largest one, else the one with the most recoverable time,
    /// else any that is worth a verdict.
    fn first(&self) -> Option<&Cause<'o>> {
        if let Some(slow) = self.slow_steps() {
            return Some(slow);
        }
        let largest = || self.most(&|cause| cause.at_stake).filter(|cause| self.share(cause.at_stake) >= LARGE);
        let is_worth = |cause: &&Cause<'o>| self.share(cause.worth()) >= WORTH;
        let varying = || self.variation.iter().rev().max_by_key(|cause| cause.worth()).filter(is_worth);
        let any = || self.most(&Cause::worth).filter(is_worth).or_else(varying);
        largest().or_else(|| self.best()).or_else(any)
    }
}

impl Overview {
    /// Returns the id of the finding that the verdict begins with. `None` if it begins with none.
    pub fn first_of_verdict(&self) -> Option<FindingId> {
        let causes = Causes::new(self);
        let first = causes.first();
        // A large cause comes before what cannot be judged.
        if is_mostly_unjudged(self) && first.is_none_or(|first| causes.share(first.at_stake) < MOST) {
            return Some(FindingId::Rule(RuleId::OpaqueKernels));
        }
        first.map(|first| first.finding.id.clone())
    }
}

/// Returns the time of a step that cannot be judged. Waits for asynchronous calls need no roofline.
fn unjudged_time(overview: &Overview) -> Picos {
    let waits =
        overview.findings.iter().filter(|finding| finding.rule() == RuleId::AsyncCalls).map(|finding| finding.claimed);
    overview.ledger.per_step(overview.ledger.time(Owner::Opaque)).saturating_sub(waits.sum())
}

/// Returns whether more than half of a step cannot be judged.
fn is_mostly_unjudged(overview: &Overview) -> bool {
    unjudged_time(overview).fraction_of(overview.period).is_some_and(|share| share > 0.5)
}

/// Returns what limits the run: first the largest part of a step, whether or not its time can be recovered, then what
/// can be recovered.
fn judgement(overview: &Overview) -> String {
    let needed = overview.ledger.per_step(overview.ledger.time(Owner::Floor));
    let unit = match &overview.header.mean.kind {
        Some(kind) if overview.has_steps => format!("a {kind} step"),
        None if overview.has_steps => "a step".to_owned(),
        _ => format!("the {}", overview.window_word()),
    };
    let period = overview.period;
    let fraction = |time: Picos| time.fraction_of(period).unwrap_or(0.0);
    let share = |time: Picos| percent_text(fraction(time));
    let in_file =
        overview.header.not_in_file.map(|_| format!("the {} of {unit} that are in the file", time_text(period)));
    let unjudged = unjudged(overview, in_file.as_deref().unwrap_or(&unit));
    let causes = Causes::new(overview);
    let (best, first) = (causes.best(), causes.first());
    let Some(first) = first else {
        let largest = causes.most(&Cause::worth).map_or(String::new(), |first| {
            format!(" The largest finding: {}, {}.", lower(&first.title), share(first.worth()))
        });
        let none = format!(
            "No finding is worth {} of {unit}. Compute at the roofline takes {} of it.{largest}{}",
            percent_text(WORTH),
            share(needed),
            option(overview, Picos::ZERO)
        );
        return format!("{unjudged} {none}").trim_start().to_owned();
    };
    let guess = if first.finding.confidence == Confidence::Guess { " This finding is a guess." } else { "" };
    let whole = in_file.unwrap_or_else(|| format!("{unit} of {}", time_text(period)));
    let idle = overview.kinds.iter().find(|kind| kind.kind.is_none()).map_or(Picos::ZERO, |kind| kind.total);
    // A part of the idle time is named with the whole of it.
    let is_part_of_idle = first.finding.is_about_idle() && fraction(idle) >= fraction(first.at_stake) + WORTH;
    let idle = if is_part_of_idle { idle_text(overview, first.at_stake, idle, &unit) } else { String::new() };
    // Where one collective makes most of the time of all, it is named, too.
    let part = first.finding;
    let most = if part.headline() != first.title && 2 * part.at_stake.0 > first.at_stake.0 {
        let what = part.id.collectives().unwrap_or_default();
        format!(", most of it for {what} ({}, {})", time_text(part.at_stake), share(part.at_stake))
    } else {
        String::new()
    };
    if causes.slow_steps().is_some() {
        // The detail has the lengths of the slow steps and of the others, and the cause.
        return format!("{unjudged} {}: {}", first.title, first.finding.detail).trim_start().to_owned();
    }
    let (time, fraction_of_step) = (time_text(first.at_stake), share(first.at_stake));
    let mut text = match first.finding.once(period) {
        // What happens once is no share of a step.
        Some(once) => format!("{}: {} once, while {whole} has none of it.{guess}", first.title, time_text(once)),
        None => format!("{}: {time} of {whole}, {fraction_of_step}{most}.{idle}{guess}", first.title),
    };
    if first.finding.rule() == RuleId::NoRequests {
        text += " None of it is lost: only more requests would fill it.";
    } else if first.recoverable == Picos::ZERO {
        text += " How much of it can be recovered is unknown.";
    } else if fraction(first.recoverable) < fraction(first.at_stake) * ALL {
        text += &format!(" {} of it, {}, can be recovered.", time_text(first.recoverable), share(first.recoverable));
    }
    if let Some(best) = best.filter(|best| best.recoverable > first.recoverable && best.title != first.title) {
        text += &format!(
            " The most that can be recovered, {}, {}, is where {}.",
            time_text(best.recoverable),
            share(best.recoverable),
            lower(&best.title)
        );
    }
    let n = overview.findings.iter().filter(|finding| finding.recoverable > Picos::ZERO).count();
    if n > 1 && overview.recoverable > first.recoverable {
        let recoverable = overview.recoverable;
        text +=
            &format!(" {n} findings together: {}, {}, can be recovered.", time_text(recoverable), share(recoverable));
    }
    text += &attention::saving(overview);
    text += &option(overview, first.at_stake);
    // A large cause comes before what cannot be judged.
    let in_order = if fraction(first.at_stake) >= MOST { [&text, &unjudged] } else { [&unjudged, &text] };
    in_order.map(String::as_str).join(" ").trim().to_owned()
}

/// Returns a sentence about the idle time of a step, of which the largest finding is a part: the host may have several findings.
fn idle_text(overview: &Overview, finding: Picos, idle: Picos, unit: &str) -> String {
    let share = percent_text(idle.fraction_of(overview.period).unwrap_or(0.0));
    let waits = overview.figure(FigureId::HostWaits).and_then(|figure| figure.value);
    let more = waits.filter(|waits| *waits >= finding.fraction_of(overview.period).unwrap_or(0.0) + WORTH);
    match more {
        Some(waits) => {
            format!(" It is idle for {share} of {unit}, and for {} the host is the reason.", percent_text(waits))
        }
        None => format!(" It is idle for {share} of {unit}."),
    }
}

/// Returns a sentence about the time of ops without a roofline time, if that is more than half of a step. Else it is
/// empty.
fn unjudged(overview: &Overview, unit: &str) -> String {
    let time = unjudged_time(overview);
    let Some(share) = time.fraction_of(overview.period).filter(|_| is_mostly_unjudged(overview)) else {
        return String::new();
    };
    let has_costs = overview.figures.iter().any(|figure| figure.absent.as_deref() == Some(NO_PEAKS));
    let unknown = if has_costs { "peaks of the device" } else { "costs of ops" };
    let opaque = overview.findings.iter().find(|finding| finding.rule() == RuleId::OpaqueKernels);
    // The op that makes most of it is named, even though nothing is known of it but its time.
    let most = opaque.and_then(|finding| finding.evidence.ops.first()).and_then(|op| {
        let share = op.time.fraction_of(overview.period).filter(|share| *share >= LARGE_OP)?;
        let (name, share) = (op.label(MAX_NAME), percent_text(share));
        let is_most = op.time.0.saturating_mul(2) > time.0;
        Some(if is_most {
            format!(" Most of this time is {name}, {share}.")
        } else {
            format!(" Its longest op is {name}, {share}.")
        })
    });
    let most = most.unwrap_or_default();
    let looks_like = overview.chip_guess.as_ref().filter(|_| has_costs).map_or(String::new(), |guess| {
        format!(" The chip looks like {}. Choose it, so that these ops are judged.", guess.chips.join(" or "))
    });
    format!("{} of {unit} cannot be judged, because the {unknown} are unknown.{looks_like}{most}", percent_text(share))
}

/// Returns a sentence about the option with the most time, if that is at least a twentieth of a step and more than the time of
/// the first finding.
fn option(overview: &Overview, first: Picos) -> String {
    let largest = overview.options.iter().rev().max_by_key(|option| option.at_stake);
    let share = |option: &Finding| option.at_stake.fraction_of(overview.period).unwrap_or(0.0);
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
