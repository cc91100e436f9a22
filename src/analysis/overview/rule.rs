//! This module defines what a rule is, and turns the outcome of its check into a finding.

use super::context::Context;
use super::evidence::Evidence;
use super::figures::Unit;
use super::report::{Checked, Confidence, Finding, Group, SeeView, Severity, SkippedRule, Suggestion};
use super::rule_id::{FindingId, RuleId};
use crate::analysis::base::Platform;
use xla_profile::units::Picos;

/// A rule: the declaration of a finding.
pub(super) struct Rule {
    pub id: RuleId,
    pub group: Group,
    /// What the rule is about, such as “Recomputation”.
    pub name: &'static str,
    /// What was found. `verdict::title` gives some findings a more exact title.
    pub title: &'static str,
    /// The value from which on the rule is a finding: a fraction, or a number of things.
    pub threshold: f64,
    pub unit: Unit,
    pub confidence: Confidence,
    /// Why the confidence is what it is.
    pub basis: &'static str,
    /// Why this costs time.
    pub why: &'static str,
    /// A condition that a later capture meets if the change worked.
    pub worked_if: &'static str,
    /// How the numbers are computed.
    pub formula: &'static str,
    pub view: SeeView,
    /// Rules that may concern the same time.
    pub overlaps: &'static [RuleId],
    /// What to try. A check may add flags.
    pub tries: &'static [Advice],
    pub check: fn(&mut Context<'_>, &Rule) -> Vec<Outcome>,
}

/// Share of a step from which on a finding is shown.
pub(super) const LEAST: f64 = 0.005;

/// Reasons for the confidence of rules.
pub(super) const BY_LINKS: &str = "the host call of each run is known";
pub(super) const BY_EVENTS: &str = "the times of events";
pub(super) const BY_COSTS: &str = "rests on the cost estimates of the compiler";
pub(super) const BY_NAMES: &str = "rests on names of ops";

/// Why nothing about the time of a device is judged.
pub(super) const NO_VERDICT: &str = "The profiler lost so many events of the device that its idle time is unknown.";

/// Something to try.
pub(super) struct Advice {
    text: &'static str,
    /// Code or a flag to copy.
    code: Option<&'static str>,
    /// The only platform for which the advice holds.
    only_on: Option<Platform>,
    /// The only kind of finding for which the advice holds.
    only_for: Option<Subject>,
}

/// What a finding is mostly about, if some advice holds for it alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    Attention,
    /// Ops with f32 operands.
    F32,
    /// Idle time during which the capture has no host events.
    Untraced,
    /// A capture without events of a host.
    NoHostEvents,
    /// A capture with events of a host.
    HostEvents,
    /// A capture in which no op has a cost.
    NoCosts,
    /// Kernels that XLA did not compile.
    NotXla,
    /// Trace JSON in which no op has a cost.
    NoCostsInTrace,
    /// A capture whose ops have costs, of a device whose peaks are unknown.
    NoPeaks,
    /// Ops with costs, for whose data type the device has no known peak.
    NoPeakOfType,
    /// A scatter that the compiler made a loop of.
    Scatter,
    /// A cumulative sum or the like that the compiler made a loop of.
    Cumulative,
    /// Another operation that the compiler made a loop of.
    Sort,
    /// A CPU, whose peaks are in no table.
    Cpu,
    /// Kernels that the user wrote, such as those of Pallas.
    Kernels,
    /// A callback that compiles programs.
    Compiles,
    /// Ops that write a slice into an array, or read one, as loops over layers do.
    Slices,
    /// Slices of which some belong to a backward pass.
    SavedSlices,
    /// Collectives within a slice, or within the devices of a program.
    Links,
    /// Collectives between slices, over the data center network.
    Dcn,
    /// Collectives that run on the stream of the compute.
    Synchronous,
    /// The bubble of a pipeline.
    Bubble,
    /// Permutes in opposite directions, one after the other.
    SerialPermutes,
    /// Ops that change the layout of an array, or copy it.
    Layouts,
    Sorts,
    /// Ops that make random bits.
    RandomBits,
    /// Ops that are far below their roofline.
    Far,
    /// Ops that may be fused: all but those that sort.
    Fusible,
    /// Copies that change neither the type nor the layout of an array.
    PlainCopies,
    /// Work that was enqueued before the device became idle.
    Enqueued,
    /// A gather that the compiler made a loop of.
    Gather,
    /// Collectives between slices that reduce gradients.
    DcnGradients,
    /// Work of the host that has a name in the program.
    NamedWork,
    /// Work of the host of which only the runtime is known.
    UnnamedWork,
    /// Work of the host that saves a checkpoint.
    Checkpoint,
    /// A function without a name that is compiled in each call.
    Lambda,
    /// Functions that are compiled once each, in their first calls.
    FirstCall,
    /// Functions that are compiled again, or of which the capture does not tell.
    CompiledAgain,
}

impl Advice {
    pub const fn words(text: &'static str) -> Self {
        Self { text, code: None, only_on: None, only_for: None }
    }

    /// Advice with code to copy.
    pub const fn code(text: &'static str, code: &'static str) -> Self {
        Self { text, code: Some(code), only_on: None, only_for: None }
    }

    /// Returns the advice for one platform alone.
    pub const fn for_platform(self, platform: Platform) -> Self {
        Self { only_on: Some(platform), ..self }
    }

    /// Returns the advice for findings about a subject alone.
    pub const fn only_for(self, subject: Subject) -> Self {
        Self { only_for: Some(subject), ..self }
    }

    /// Returns whether the advice names functions of JAX, which other frameworks lack.
    pub fn names_jax(&self) -> bool {
        let names = |text: &str| text.contains("jax.") || text.contains("JAX");
        names(self.text) || self.code.is_some_and(names)
    }

    fn to_try(&self) -> Suggestion {
        Suggestion {
            text: self.text.to_owned(),
            code: self.code.map(str::to_owned),
            flag: None,
            value: None,
            default: None,
            set: None,
            chip: None,
            verified_with: None,
        }
    }

    /// Advice with a flag that only compilers for one platform accept.
    pub const fn flag(only_on: Platform, text: &'static str, flag: &'static str) -> Self {
        Self { text, code: Some(flag), only_on: Some(only_on), only_for: None }
    }
}

/// The outcome of a check.
pub(super) enum Outcome {
    Found(Box<Draft>),
    /// The rule found nothing.
    Below {
        measured: f64,
        at_stake: Option<Picos>,
    },
    /// The rule could not be checked, and why.
    Unknown(String),
}

/// Iterates over the findings among outcomes.
pub(super) fn drafts(outcomes: &mut [Outcome]) -> impl Iterator<Item = &mut Draft> {
    outcomes.iter_mut().filter_map(|outcome| match outcome {
        Outcome::Found(draft) => Some(&mut **draft),
        Outcome::Below { .. } | Outcome::Unknown(_) => None,
    })
}

/// A finding before its texts. Times are sums over all steps.
#[derive(Default)]
pub(super) struct Draft {
    /// What was found, if the rule has several findings.
    pub id: Option<FindingId>,
    pub detail: String,
    pub at_stake: Picos,
    pub claimed: Picos,
    pub recoverable: Picos,
    /// Time of the whole capture, not of a step.
    pub per_capture: Option<Picos>,
    pub bytes: Option<u64>,
    /// A confidence other than that of the rule, and why.
    pub confidence: Option<(Confidence, &'static str)>,
    pub inputs: Vec<(&'static str, f64)>,
    pub evidence: Evidence,
    /// Tries that come before those of the rule.
    pub tries: Vec<Suggestion>,
    /// What the finding is mostly about.
    pub subjects: Vec<Subject>,
}

impl Rule {
    /// Returns all advice, whatever the platform.
    pub fn advice(&self) -> Vec<Suggestion> {
        self.tries.iter().map(Advice::to_try).collect()
    }

    /// Returns which of the advice holds for any platform and any finding of the rule, as bits.
    pub fn unconditional_advice(&self) -> u64 {
        let holds = |(_, advice): &(usize, &Advice)| advice.only_on.is_none() && advice.only_for.is_none();
        self.tries.iter().take(64).enumerate().filter(holds).fold(0, |bits, (index, _)| bits | 1_u64 << index)
    }

    /// Returns the outcome of a rule about time: a finding by `draft` if the share of the time at stake reaches the
    /// threshold.
    pub fn by_time(
        &self,
        context: &mut Context<'_>,
        at_stake: Picos,
        draft: &mut dyn FnMut(&mut Context<'_>) -> Draft,
    ) -> Vec<Outcome> {
        self.by_share(context, self.threshold, at_stake, draft)
    }

    /// Returns the outcome of a rule about time whose own threshold is no share of a step: a finding from the share `least`
    /// on.
    pub fn by_share(
        &self,
        context: &mut Context<'_>,
        least: f64,
        at_stake: Picos,
        draft: &mut dyn FnMut(&mut Context<'_>) -> Draft,
    ) -> Vec<Outcome> {
        let share = context.share(at_stake);
        if share < least || at_stake == Picos::ZERO {
            return vec![Outcome::Below { measured: share, at_stake: Some(at_stake) }];
        }
        let draft = draft(context);
        vec![Outcome::Found(Box::new(Draft { at_stake, ..draft }))]
    }

    /// Returns a finding of the rule without numbers, evidence and advice.
    pub fn empty_finding(&self) -> Finding {
        Finding {
            id: FindingId::Rule(self.id),
            severity: Severity::Low,
            confidence: self.confidence,
            reason: self.basis.to_owned(),
            title: self.title.to_owned(),
            detail: String::new(),
            why: self.why.to_owned(),
            worked_if: self.worked_if.to_owned(),
            at_stake: Picos::ZERO,
            claimed: Picos::ZERO,
            recoverable: Picos::ZERO,
            per_capture: None,
            share: 0.0,
            bytes: None,
            formula: self.formula.to_owned(),
            inputs: Vec::new(),
            evidence: Evidence::default(),
            overlaps: self.overlaps.to_vec(),
            tries: Vec::new(),
            view: self.view,
        }
    }

    /// Returns the finding of a draft. `Overview::derive` gives it its share and its severity.
    pub fn finding(&self, context: &Context<'_>, draft: Draft) -> Finding {
        let (mut confidence, basis) = draft.confidence.unwrap_or((self.confidence, self.basis));
        let mut reason = basis.to_owned();
        if self.group == Group::Time {
            let about_costs = context.cost_doubt.iter().filter(|_| self.rests_on_costs());
            for doubt in context.doubts.iter().chain(about_costs) {
                confidence = confidence.lower();
                reason = format!("{reason}; {doubt}");
            }
        }
        let subjects = draft.subjects;
        let fits = |advice: &&Advice| {
            advice.only_on.is_none_or(|platform| platform == context.platform())
                && advice.only_for.is_none_or(|subject| subjects.contains(&subject))
                && (context.framework.may_be_jax() || !advice.names_jax())
        };
        let empty = self.empty_finding();
        Finding {
            id: draft.id.unwrap_or(empty.id),
            confidence,
            reason,
            detail: draft.detail,
            at_stake: context.per_step(draft.at_stake),
            claimed: context.per_step(draft.claimed),
            recoverable: context.per_step(draft.recoverable),
            per_capture: draft.per_capture,
            bytes: draft.bytes,
            inputs: draft.inputs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            evidence: draft.evidence,
            tries: draft.tries.into_iter().chain(self.tries.iter().filter(fits).map(Advice::to_try)).collect(),
            ..empty
        }
    }

    /// Returns whether the time of a finding follows from the costs of ops, and not from their times alone.
    const fn rests_on_costs(&self) -> bool {
        matches!(self.id, RuleId::TinyOps | RuleId::PaddedCompute | RuleId::MemoryRoof | RuleId::ComputeRoof)
    }

    /// Returns the entry of the list of rules that found nothing.
    pub fn checked(&self, measured: f64, at_stake: Option<Picos>) -> Checked {
        let name = self.name.to_owned();
        Checked { id: self.id, name, measured, threshold: self.threshold, at_stake, unit: self.unit }
    }

    /// Returns the entry of the list of rules that could not be checked.
    pub fn skipped(&self, reason: String) -> SkippedRule {
        SkippedRule { id: self.id, name: self.name.to_owned(), reason }
    }
}

/// Makes a finding about idle time a guess that promises nothing: the profiler lost events of the device, and the time may be
/// theirs.
pub(super) fn doubt_idle(draft: &mut Draft) {
    draft.confidence = Some((Confidence::Guess, "the time may be that of events that the profiler lost"));
    draft.recoverable = Picos::ZERO;
}

/// Returns the outcome of a rule that could not be checked.
pub(super) fn unknown(reason: &str) -> Vec<Outcome> {
    vec![Outcome::Unknown(reason.to_owned())]
}
