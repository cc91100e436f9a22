//! This module holds the overview: figures, findings, and the rules that found nothing. It is plain data and does not
//! depend on the analysis.
//!
//! Times are per step, as means over the steps of the overview, unless the name says otherwise.

use super::evidence::Evidence;
use super::figures::{Figure, FigureId, Unit};
use super::picture::ShownStep;
use super::rule_id::{FindingId, RuleId};
use crate::analysis::base::{Header, Spread, Totals};
use crate::analysis::classify::Kind;
use crate::analysis::ledger::Ledger;
use crate::analysis::memory::ModelGuess;
use crate::analysis::modules::Modules;
use serde::{Deserialize, Serialize};
use xla_profile::keyed_enum;
use xla_profile::profile::Note;
use xla_profile::units::Picos;

/// What limits a run, what each limit costs, and what to try.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    /// The device and the steps of the overview.
    pub header: Header,
    /// Times by kind, as means of the steps.
    pub totals: Totals,
    /// Label of the device on which the time of a step depends: the one that the others wait for.
    pub device: String,
    /// Whether the times are those of steps. If not, they are those of the whole capture.
    pub has_steps: bool,
    /// Length of a step, as a mean of periods.
    pub period: Picos,
    /// Statistics of the periods of these steps. `None` without steps.
    pub periods: Option<Spread>,
    /// The verdict in one sentence.
    pub verdict: String,
    /// Time of a step by kind, and the part of it that the device needs. Idle time has no kind and comes last. The totals
    /// sum to `period`, except for rounding.
    pub kinds: Vec<KindShare>,
    /// The time of a step by module of the model. `None` in a report of version 6 or older.
    pub modules: Option<Modules>,
    /// The step in which findings are drawn.
    pub shown_step: ShownStep,
    /// The owners of the time, as sums over all steps.
    pub ledger: Ledger,
    pub figures: Vec<Figure>,
    /// Whether costs of ops are known, but no peak of a device that is no CPU. The user then chooses the chip.
    pub lacks_peaks: bool,
    /// The chip that the device may be, if the capture does not name it. The user may confirm it.
    pub chip_guess: Option<ChipGuess>,
    /// The size of the model and of a batch: a guess from the program with the most time, which the user may confirm.
    pub model_guess: Option<ModelGuess>,
    /// Σ of the recoverable times of `findings`.
    pub recoverable: Picos,
    /// Findings in time, the most recoverable one first.
    pub findings: Vec<Finding>,
    /// Findings that change memory, numerics or the model. Their time is not part of `recoverable`.
    pub options: Vec<Finding>,
    /// Findings in bytes.
    pub memory: Vec<Finding>,
    /// Findings about the capture itself.
    pub quality: Vec<Finding>,
    /// Rules that were checked and found nothing.
    pub checked: Vec<Checked>,
    /// Rules that could not be checked.
    pub skipped: Vec<SkippedRule>,
    /// The first [`MAX_STEPS`](super::MAX_STEPS) steps of the device, in order of their start. A report may hold fewer.
    pub steps: Vec<StepShare>,
    /// The number of all steps of the device.
    pub n_steps: u32,
    /// The devices, in the order of the session.
    pub devices: Vec<DeviceShare>,
    pub notes: Vec<Note>,
}

impl Overview {
    /// Returns a figure. `None` if the overview does not have it.
    pub fn figure(&self, id: FigureId) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.id == id)
    }

    /// Returns whether a finding in time is of a rule, or concerns what the rule measures.
    pub fn has_found(&self, rule: RuleId) -> bool {
        self.findings.iter().any(|finding| finding.rule() == rule || finding.overlaps.contains(&rule))
    }
}

/// The chip that a device may be. The user confirms it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChipGuess {
    /// Names in the table of chips: one, or two that the capture does not tell apart.
    pub chips: Vec<String>,
    /// Why, in words.
    pub reason: String,
}

impl ChipGuess {
    /// Returns the guess as a sentence.
    pub fn sentence(&self) -> String {
        format!("Looks like {}: {}.", self.chips.join(" or "), self.reason)
    }
}

/// The time of one kind, divided by whether the device needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindShare {
    /// `None` for idle time.
    pub kind: Option<Kind>,
    pub total: Picos,
    /// Roofline time ÷ the attainable share.
    pub needed: Picos,
    /// Time that could at most be gained: compute above its roofline, communication, data movement, waits and idle time.
    pub lost: Picos,
    /// Time of ops without a roofline time, and the time in which a server waits for requests.
    pub not_judged: Picos,
}

keyed_enum! {
    /// The sort of a finding.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Group {
        /// Time that can be recovered.
        Time = "time",
        /// Time that only a change of memory, numerics or the model recovers.
        Option = "option",
        /// Bytes.
        Memory = "memory",
        /// The capture itself.
        Quality = "quality",
    }
}

keyed_enum! {
    /// How much of a step a finding is about.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Severity {
        /// From 0.5 % of a step.
        Low = "low",
        /// From 2 % of a step.
        Medium = "medium",
        /// From 5 % of a step.
        High = "high",
    }
}

impl Severity {
    /// Returns the severity of a share of a step.
    pub fn of_share(share: f64) -> Self {
        match share {
            share if share >= 0.05 => Self::High,
            share if share >= 0.02 => Self::Medium,
            _ => Self::Low,
        }
    }
}

keyed_enum! {
    /// How certain a finding is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Confidence {
        /// Rests on an assumption that may not hold.
        Guess = "low": "a guess",
        /// Rests on an estimate or on names.
        Likely = "medium": "likely",
        /// Follows from the events of the capture.
        Measured = "high": "measured",
    }
}

impl Confidence {
    /// Returns the next lower confidence.
    #[must_use]
    pub const fn lower(self) -> Self {
        match self {
            Self::Measured => Self::Likely,
            Self::Likely | Self::Guess => Self::Guess,
        }
    }
}

keyed_enum! {
    /// The view that shows the evidence of a finding.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum SeeView {
        Breakdown = "breakdown",
        Roofline = "roofline",
        Memory = "memory",
        Comm = "comm",
        File = "file",
    }
}

/// Something that limits the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub id: FindingId,
    pub severity: Severity,
    pub confidence: Confidence,
    /// Why the confidence is what it is.
    pub reason: String,
    /// What was found.
    pub title: String,
    /// The evidence in words and numbers.
    pub detail: String,
    /// Why this costs time.
    pub why: String,
    /// A condition that a later capture meets if the change worked.
    pub worked_if: String,
    /// All time that the finding is about.
    pub at_stake: Picos,
    /// The part of `at_stake` that no earlier finding has claimed.
    pub claimed: Picos,
    /// The part of `claimed` that would go.
    pub recoverable: Picos,
    /// Time of the whole capture outside of its steady steps, such as compilations. `None` if there is none.
    pub per_capture: Option<Picos>,
    /// `at_stake` ÷ the period, a fraction.
    pub share: f64,
    /// The bytes that the finding is about. `None` if it is about time.
    pub bytes: Option<u64>,
    /// How the numbers are computed.
    pub formula: String,
    /// The numbers in the formula, by name.
    pub inputs: Vec<(String, f64)>,
    pub evidence: Evidence,
    /// Rules that may concern the same time.
    pub overlaps: Vec<RuleId>,
    pub tries: Vec<Suggestion>,
    pub view: SeeView,
}

/// Something to try.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suggestion {
    /// What to do, in words.
    pub text: String,
    /// Code or a flag to copy. `None` if the text says all.
    pub code: Option<String>,
    /// Name of the flag, without `--`. `None` if `code` is no flag.
    pub flag: Option<String>,
    pub value: Option<String>,
    /// The value that the compiler uses without the flag; "auto" if the compiler decides.
    pub default: Option<String>,
    /// The value that the flags of the user give it. `None` if they do not set the flag, or if they are unknown.
    pub set: Option<String>,
    /// The chip whose compiler accepts the flag.
    pub chip: Option<String>,
    /// The version of the compiler with which the flag was checked.
    pub verified_with: Option<String>,
}

impl Finding {
    /// Returns the rule that made the finding.
    pub const fn rule(&self) -> RuleId {
        self.id.rule()
    }

    /// Returns the time of a finding that happens once in the capture and takes longer than a step of `period`, so that it is no
    /// share of a step. `None` for all other findings.
    pub fn once(&self, period: Picos) -> Option<Picos> {
        self.per_capture.filter(|_| self.at_stake > period)
    }
}

impl Suggestion {
    /// Returns what to do in words, and whether the user's flags do it already.
    pub fn sentence(&self) -> String {
        match &self.set {
            Some(set) if Some(set) == self.value.as_ref() => format!("{}. It is set already", self.text),
            Some(set) => format!("{}. It is set to {set} now", self.text),
            None => self.text.clone(),
        }
    }

    /// Returns the sentence with the code or the flag behind it.
    pub fn text_with_code(&self) -> String {
        let code = self.code.as_ref().map_or(String::new(), |code| format!(" {code}"));
        self.sentence() + &code
    }
}

/// A rule that found nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    pub id: RuleId,
    /// What the rule is about, such as “Recomputation”.
    pub name: String,
    /// What was measured: a share of the step, or another fraction.
    pub measured: f64,
    /// The value from which on the rule is a finding, or below which; see [`Checked::direction`].
    pub threshold: f64,
    /// The time at stake, per step. `None` if the rule is not about time.
    pub at_stake: Option<Picos>,
    /// Whether `measured` and `threshold` are fractions; otherwise they are numbers of things.
    pub unit: Unit,
}

impl Checked {
    /// Returns the direction in which the threshold makes the rule a finding: from the threshold on, or below it. Empty for a
    /// rule with a second condition.
    pub fn direction(&self) -> &'static str {
        match self.id {
            RuleId::WarmUp => "< ",
            RuleId::SpareHbm => "",
            _ => "≥ ",
        }
    }
}

/// A rule that could not be checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkippedRule {
    pub id: RuleId,
    pub name: String,
    /// What is missing.
    pub reason: String,
}

/// A step of the device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepShare {
    pub number: u64,
    pub length: Picos,
    /// Whether the step is one of those of the overview.
    pub is_counted: bool,
    /// Why it is not, for users.
    pub reason: Option<String>,
    /// Time by kind, by [`Kind::index`], then idle time.
    pub parts: [Picos; 8],
}

/// A device of the session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceShare {
    pub label: String,
    /// Time for which it waits for other devices in collectives, per step. `None` if it is not compared.
    pub waited: Option<Picos>,
}
