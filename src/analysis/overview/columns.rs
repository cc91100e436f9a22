//! This module declares the fields of the overview: findings with their evidence, figures, kinds of time and rules. It
//! also declares the columns of findings in CSV.

use super::{
    Checked, ChipGuess, Confidence, Evidence, Figure, Finding, Group, KindShare, OpEvidence, Overview, SeeView,
    Severity, SkippedRule, StepSpan, Suggestion, Unit,
};
use crate::analysis::classify::{Kind, ModelModule};
use crate::analysis::memory::ModelGuess;
use crate::table::columns;
use xla_profile::units::Picos;

/// A finding, with the group that it is listed in.
pub struct FindingRow {
    pub group: Group,
    /// Its place in the group, from 1.
    pub rank: u64,
    pub finding: Finding,
}

columns! {
    /// The fields of a finding, in the order of JSON.
    pub FINDINGS(row: Finding) {
        /// The rule.
        id: Text in json table = row.id.key(),
        /// `low`, `medium` or `high` by the share of a step. It is always `high` for findings about the capture.
        severity: Word(Severity) in json table = row.severity,
        /// `low` is a guess, `medium` is likely, and `high` is measured.
        confidence: Word(Confidence) in json table = row.confidence,
        /// The reason for the confidence.
        confidence_reason: Text in json table = &row.reason,
        /// What was found.
        title: Text in json table = &row.title,
        /// The title with the place in the model: its modules and source lines, where they are known.
        headline: Removed in json = row.headline(),
        /// The evidence in words and numbers.
        detail: Removed in json table = &row.detail,
        /// Why the finding costs time.
        why: Text in json table = &row.why,
        /// All time of a step that the finding is about.
        at_stake_ps: Time in json table = row.at_stake,
        /// The part of `at_stake_ps` that no other finding has claimed.
        claimed_ps: Time in json table = row.claimed,
        /// The part of `claimed_ps` that disappears if the problem is fixed.
        recoverable_ps: Time in json table = row.recoverable,
        /// Time of the whole capture outside of its steady steps. Null if there is none.
        per_capture_ps: Time or null in json table = row.per_capture,
        /// `at_stake_ps` as a percentage of a step.
        pct_of_period: Percent in json table = row.share,
        /// The number of bytes that the finding is about. Null if it is about time.
        stake_bytes: Bytes or null in json table = row.bytes,
        /// How the numbers are computed.
        formula: Text in json table = &row.formula,
        /// The numbers in the formula, by name.
        inputs: Map(Number) in json table = row.inputs.iter().map(|(name, value)| (name.as_str(), *value)),
        /// What the finding is seen by.
        evidence: Object(EVIDENCE) in json = &row.evidence,
        /// Rules that may concern the same time.
        overlaps: List(Text) in json table = row.overlaps.iter().map(|rule| rule.key()),
        /// What to try.
        r#try: Rows(TRIES) in json = &row.tries,
        /// A condition that a later capture meets if the change worked.
        worked_if: Text in json table = &row.worked_if,
        /// The view of the page that shows the evidence.
        view: Word(SeeView) in json = row.view,
    }

    /// The fields of what a finding is seen by. Times are per step.
    pub EVIDENCE(row: Evidence) {
        /// The ops with the most time, at most five.
        ops: Rows(OPS) in json table = &row.ops,
        /// Number of all ops.
        n_ops: Count in json table = row.n_ops.into(),
        /// The modules of the model that have most of the time of all ops: one, or two together.
        modules: List(Word(ModelModule)) in json table = row.modules.iter().copied(),
        /// Numbers of steps.
        steps: List(Count) in json table = row.steps.iter().copied(),
        /// Names of devices.
        devices: List(Name(Device)) in json table = &row.devices,
        /// The events of the host with the most time, at most five.
        host_events: Rows(HOST_EVENTS) in json table = &row.host_events,
        /// The longest stretches of time in the shown step, at most five, in the order of time.
        spans: Rows(SPANS) in json table = &row.spans,
    }

    pub OPS(row: OpEvidence) {
        /// The program. Null if it is unknown.
        program: Name(Program) or null in json table = row.program.as_deref(),
        /// The id of the program. Null if it is unknown.
        program_id: ProgramId or null in json table = row.program_id,
        /// Name of the op. Of the ops of several layers, it is the one with the most time.
        name: Name(Op) in json table = &row.name,
        /// The innermost source line in the user's own code. Null if it is unknown.
        source: Removed or null in json table = row.source.as_deref(),
        /// Number of unrolled layers whose like ops are summed here. It is 1 for an op alone.
        n_layers: Count in json table = row.n_layers.into(),
        /// Number of ops that are summed here because they are alike: those of the layers, and those with the same deduplicated name.
        n_alike: Count in json table = row.n_alike.into(),
        /// Time per step that the finding is about.
        time_ps: Time in json table = row.time,
        /// Self time per step, as in the breakdown. It is more than `time_ps` if a part belongs to another finding, or passes beside another op.
        /// Null in a report.
        self_time_ps: Time or null in json table = row.self_time,
    }

    pub HOST_EVENTS(row: (String, Picos)) {
        /// Name of the event.
        name: Name(Scope) in json table = &row.0,
        /// Its time per step.
        total_ps: Time in json table = row.1,
    }

    pub SPANS(row: StepSpan) {
        /// Number of the step.
        step: Count in json table = row.step,
        /// Start, relative to the start of the step.
        start_ps: Time in json table = row.start,
        /// End, relative to the start of the step.
        end_ps: Time in json table = row.end,
    }

    pub TRIES(row: Suggestion) {
        /// What to do, in words.
        text: Text in json table = &row.text,
        /// Code or a flag to copy. Null if the text says all.
        code: Text or null in json table = row.code.as_deref(),
        /// Name of the flag, without `--`. Null if `code` is no flag.
        flag: Text or null in json table = row.flag.as_deref(),
        /// The value to set. Null without a flag.
        value: Text or null in json table = row.value.as_deref(),
        /// The value that the compiler uses without the flag, or `auto` if the compiler decides. Null without a flag.
        default: Text or null in json table = row.default.as_deref(),
        /// The value in the user's flags. Null if they do not set the flag, or if they are unknown.
        set: Text or null in json = row.set.as_deref(),
        /// The chips whose compiler accepts the flag.
        chips: List(Text) in json = &row.chip,
        /// The version of the compiler with which the flag was checked. Null without a flag.
        verified_with: Text or null in json table = row.verified_with.as_deref(),
    }

    /// The columns of findings in CSV, with the names of the JSON. Lists are left out: of the ops, the first one is
    /// named.
    pub FINDING_ROWS(row: FindingRow) {
        /// `time`: the recoverable time is part of the sum. `option`: the finding changes memory, numerics or the
        /// model. `memory`: it is about bytes. `quality`: it is about the capture itself.
        group: Word(Group) in csv = row.group,
        /// The place in the group, from 1.
        rank: Count in csv = row.rank,
        /// The rule.
        id: Text in csv = row.finding.id.key(),
        /// What was found.
        title: Text in csv = &row.finding.title,
        /// The part of `claimed_ps` that disappears if the problem is fixed.
        recoverable_ps: Time in csv = row.finding.recoverable,
        /// All time of a step that the finding is about.
        at_stake_ps: Time in csv = row.finding.at_stake,
        /// The part of `at_stake_ps` that no other finding has claimed.
        claimed_ps: Time in csv = row.finding.claimed,
        /// Time of the whole capture outside of its steady steps. Null if there is none.
        per_capture_ps: Time or null in csv = row.finding.per_capture,
        /// `at_stake_ps` as a percentage of a step.
        pct_of_period: Percent in csv = row.finding.share,
        /// The number of bytes that the finding is about. Null if it is about time.
        stake_bytes: Bytes or null in csv = row.finding.bytes,
        /// `low`, `medium` or `high` by the share of a step. It is always `high` for findings about the capture.
        severity: Word(Severity) in csv = row.finding.severity,
        /// `low` is a guess, `medium` is likely, and `high` is measured.
        confidence: Word(Confidence) in csv = row.finding.confidence,
        /// The reason for the confidence.
        confidence_reason: Text in csv = &row.finding.reason,
        /// The evidence in words and numbers.
        detail: Removed in csv = &row.finding.detail,
        /// The op with the most time. Null if the finding is not about ops.
        op: Name(Op) or null in csv = row.finding.evidence.ops.first().map(|op| &*op.name),
        /// Number of all ops.
        n_ops: Count in csv = row.finding.evidence.n_ops.into(),
        /// A condition that a later capture meets if the change worked.
        worked_if: Text in csv = &row.finding.worked_if,
    }

    /// The fields of a figure.
    pub FIGURES(row: Figure) {
        /// The value. Null if it is unknown.
        value: Number or null in json = row.value,
        /// The unit of the value. A `fraction` of 1 is everything, and a `count` is a number of things.
        unit: Word(Unit) in json = row.id.unit(),
        /// The numbers from which the value is computed, by name.
        inputs: Map(Number) in json = row.inputs.iter().map(|input| (input.name.as_str(), input.value)),
        /// Share of the time for which the inputs are known. Null for figures that do not depend on costs of ops.
        coverage_pct: Percent or null in json = row.coverage,
        /// Whether the sum has only the ops whose costs are known: less than 95 % of the time of compute. A sum with
        /// less than 5 % is null.
        at_least: Flag in json = row.value.is_some() && row.is_at_least(),
        /// The reason if `value` is null. Null if there is a value.
        absent: Text or null in json = row.absent.as_deref(),
    }

    /// The fields of a guess of the chip.
    pub CHIP_GUESS(row: ChipGuess) {
        /// Names of chips: one, or two that the capture does not tell apart.
        chips: List(Text) in json = row.chips.iter().map(String::as_str),
        /// What suggests them, in words.
        reason: Text in json = &row.reason,
    }

    /// The fields of a guess of the model.
    pub MODEL_GUESS(row: ModelGuess) {
        /// Elements of all weights of the whole model, with all experts. Null if they are not recognised.
        n_parameters: Count or null in json = row.n_parameters,
        /// Sequences in a step of the whole job. Null if they are not recognised.
        n_sequences: Count or null in json = row.batch.map(|(sequences, _)| sequences),
        /// Tokens of a sequence. Null if they are not recognised.
        sequence_length: Count or null in json = row.batch.map(|(_, length)| length),
        /// Tokens in a step of the whole job. Null if they are not recognised.
        tokens: Count or null in json = row.tokens(),
        /// Heads × head size, summed over layers. Null if no attention is recognised.
        attention_width: Count or null in json = row.attention,
        /// FLOPs per token. Null if the number of parameters is unknown.
        flops_per_token: Count or null in json = row.flops_per_token(),
        /// Whether the program computes gradients.
        is_training: Flag in json = row.is_training,
    }

    /// The fields of a kind of time. Times are per step.
    pub KIND_SHARES(row: KindShare) {
        /// The kind of time, or `idle`.
        kind: Word in json = Kind::key_or_idle(row.kind),
        /// Time of the kind.
        total_ps: Time in json = row.total,
        /// The part of it that the device needs: the roofline time ÷ `attainable`.
        needed_ps: Time in json = row.needed,
        /// The part that could at most be gained: compute above its roofline, communication, data movement, waits and idle time.
        lost_ps: Time in json = row.lost,
        /// Time of ops without a roofline time, and the time in which a server waits for requests.
        not_judged_ps: Time in json = row.not_judged,
    }

    /// The fields of a rule that found nothing.
    pub CHECKED_RULES(row: Checked) {
        /// The rule.
        id: Text in json = row.id.key(),
        /// What the rule checks.
        name: Text in json = &row.name,
        /// What was measured.
        measured: Number in json = row.measured,
        /// The value from which on the rule is a finding. For `warm_up` it is the value below which it is one.
        threshold: Number in json = row.threshold,
        /// The unit of `measured` and `threshold`.
        unit: Word(Unit) in json = row.unit,
        /// The time at stake, per step. Null if the rule is not about time.
        at_stake_ps: Time or null in json = row.at_stake,
    }

    /// The fields of a rule that could not be checked.
    pub SKIPPED_RULES(row: SkippedRule) {
        /// The rule.
        id: Text in json = row.id.key(),
        /// What the rule checks.
        name: Text in json = &row.name,
        /// What is missing.
        reason: Text in json = &row.reason,
    }
}

impl Overview {
    /// Returns all findings, group by group.
    pub fn finding_rows(&self) -> Vec<FindingRow> {
        let groups = [
            (Group::Time, &self.findings),
            (Group::Option, &self.options),
            (Group::Memory, &self.memory),
            (Group::Quality, &self.quality),
        ];
        let of_group = |(group, findings): (Group, &Vec<Finding>)| {
            let row = |(rank, finding): (u64, &Finding)| FindingRow { group, rank, finding: finding.clone() };
            (1..).zip(findings).map(row).collect::<Vec<FindingRow>>()
        };
        groups.into_iter().flat_map(of_group).collect()
    }
}
