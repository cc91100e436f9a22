//! This module writes the overview as JSON. It defines the names and the order of the fields.

use super::json::HeadJson;
use crate::analysis::base::Spread;
use crate::analysis::breakdown::columns::SPREAD;
use crate::analysis::ledger::Owner;
use crate::analysis::memory::ModelGuess;
use crate::analysis::overview::{Checked, Figure, Finding, KindShare, OpEvidence, Overview, SkippedRule, Suggestion};
use crate::profile::Note;
use crate::table::json::Row;
use crate::units::Picos;
use serde::{Serialize, Serializer};

/// The JSON of `rooflight overview --json`.
#[derive(Serialize)]
pub struct OverviewJson<'a> {
    #[serde(flatten)]
    head: HeadJson<'a>,
    verdict: &'a str,
    critical_device: &'a str,
    n_steady: u32,
    has_steps: bool,
    period_ps: Picos,
    periods: Option<Row<'a, Spread>>,
    attainable: f64,
    figures: Map<'a, Figure, FigureJson<'a>>,
    model_guess: Option<ModelGuessJson>,
    ledger: Map<'a, Owner, Picos>,
    kinds: Vec<KindJson>,
    recoverable_ps: Picos,
    findings: Vec<FindingJson<'a>>,
    options: Vec<FindingJson<'a>>,
    memory_findings: Vec<FindingJson<'a>>,
    quality: Vec<FindingJson<'a>>,
    thresholds: Vec<CheckedJson<'a>>,
    not_checked: Vec<SkippedJson<'a>>,
    notes: &'a [Note],
}

/// The JSON of a capture without a device that the overview can judge.
#[derive(Serialize)]
pub struct AbsentJson<'a> {
    #[serde(flatten)]
    head: HeadJson<'a>,
    verdict: Option<&'a str>,
    notes: &'a [Note],
}

/// Returns the fields of every view. The notes say why there is no overview, and the verdict what the capture lost: `None` if
/// nothing is known to be lost.
pub const fn absent<'a>(head: HeadJson<'a>, verdict: Option<&'a str>, notes: &'a [Note]) -> AbsentJson<'a> {
    AbsentJson { head, verdict, notes }
}

/// A list that is written as a map.
struct Map<'a, T, V>(&'a [T], Box<dyn Fn(&'a T) -> (&'a str, V) + 'a>);

impl<T, V: Serialize> Serialize for Map<'_, T, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(&self.1))
    }
}

/// Named numbers.
struct Inputs<'a>(&'a [(String, f64)]);

impl Serialize for Inputs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

#[derive(Serialize)]
struct FigureJson<'a> {
    value: Option<f64>,
    unit: &'static str,
    inputs: Inputs<'a>,
    coverage_pct: Option<f64>,
    at_least: bool,
    absent: Option<&'a str>,
}

#[derive(Serialize)]
struct ModelGuessJson {
    n_parameters: Option<u64>,
    n_sequences: Option<u64>,
    sequence_length: Option<u64>,
    tokens: Option<u64>,
    attention_width: Option<u64>,
    flops_per_token: Option<u64>,
    is_training: bool,
}

#[derive(Serialize)]
struct KindJson {
    kind: &'static str,
    total_ps: Picos,
    needed_ps: Picos,
    lost_ps: Picos,
    not_judged_ps: Picos,
}

#[derive(Serialize)]
struct FindingJson<'a> {
    id: &'a str,
    severity: &'static str,
    confidence: &'static str,
    confidence_reason: &'a str,
    title: &'a str,
    detail: &'a str,
    why: &'a str,
    at_stake_ps: Picos,
    claimed_ps: Picos,
    recoverable_ps: Picos,
    per_capture_ps: Option<Picos>,
    pct_of_period: f64,
    stake_bytes: Option<u64>,
    formula: &'a str,
    inputs: Inputs<'a>,
    evidence: EvidenceJson<'a>,
    overlaps: &'a [String],
    r#try: Vec<TryJson<'a>>,
    worked_if: &'a str,
    view: crate::analysis::overview::SeeView,
}

#[derive(Serialize)]
struct EvidenceJson<'a> {
    ops: Vec<OpJson<'a>>,
    n_ops: u32,
    steps: &'a [u64],
    devices: &'a [String],
    host_events: Vec<HostEventJson<'a>>,
    spans: Vec<SpanJson>,
}

#[derive(Serialize)]
struct SpanJson {
    step: u64,
    start_ps: Picos,
    end_ps: Picos,
}

#[derive(Serialize)]
struct OpJson<'a> {
    program: Option<&'a str>,
    program_id: Option<String>,
    name: &'a str,
    source: Option<&'a str>,
    n_layers: u32,
    time_ps: Picos,
}

#[derive(Serialize)]
struct HostEventJson<'a> {
    name: &'a str,
    total_ps: Picos,
}

#[derive(Serialize)]
struct TryJson<'a> {
    text: &'a str,
    code: Option<&'a str>,
    flag: Option<&'a str>,
    value: Option<&'a str>,
    default: Option<&'a str>,
    set: Option<&'a str>,
    chips: Vec<&'a str>,
    verified_with: Option<&'a str>,
}

#[derive(Serialize)]
struct CheckedJson<'a> {
    id: &'a str,
    name: &'a str,
    measured: f64,
    threshold: f64,
    unit: &'static str,
    at_stake_ps: Option<Picos>,
}

#[derive(Serialize)]
struct SkippedJson<'a> {
    id: &'a str,
    name: &'a str,
    reason: &'a str,
}

/// Returns the overview as JSON.
pub fn overview<'a>(head: HeadJson<'a>, overview: &'a Overview, notes: &'a [Note]) -> OverviewJson<'a> {
    let all = |findings: &'a [Finding]| findings.iter().map(finding).collect();
    OverviewJson {
        head,
        verdict: &overview.verdict,
        critical_device: &overview.device,
        n_steady: overview.ledger.n_steps,
        has_steps: overview.has_steps,
        period_ps: overview.period,
        periods: overview.periods.as_ref().map(|periods| Row { columns: SPREAD, row: periods }),
        attainable: overview.ledger.attainable,
        figures: Map(&overview.figures, Box::new(|figure: &Figure| (&*figure.name, figure_json(figure)))),
        model_guess: overview.model_guess.map(model_guess),
        ledger: Map(
            &Owner::ALL,
            Box::new(|owner: &Owner| (owner.key(), overview.ledger.per_step(overview.ledger.time(*owner)))),
        ),
        kinds: overview.kinds.iter().map(kind).collect(),
        recoverable_ps: overview.recoverable,
        findings: all(&overview.findings),
        options: all(&overview.options),
        memory_findings: all(&overview.memory),
        quality: all(&overview.quality),
        thresholds: overview.checked.iter().map(checked).collect(),
        not_checked: overview.skipped.iter().map(skipped).collect(),
        notes,
    }
}

fn model_guess(model: ModelGuess) -> ModelGuessJson {
    ModelGuessJson {
        n_parameters: model.n_parameters,
        n_sequences: model.batch.map(|(sequences, _)| sequences),
        sequence_length: model.batch.map(|(_, length)| length),
        tokens: model.tokens(),
        attention_width: model.attention,
        flops_per_token: model.flops_per_token(),
        is_training: model.is_training,
    }
}

fn figure_json(figure: &Figure) -> FigureJson<'_> {
    FigureJson {
        value: figure.value,
        unit: figure.unit.key(),
        inputs: Inputs(&figure.inputs),
        coverage_pct: figure.coverage.map(|coverage| coverage * 100.0),
        at_least: figure.value.is_some() && figure.is_at_least(),
        absent: figure.absent.as_deref(),
    }
}

fn kind(kind: &KindShare) -> KindJson {
    KindJson {
        kind: crate::analysis::classify::Kind::key_or_idle(kind.kind),
        total_ps: kind.total,
        needed_ps: kind.needed,
        lost_ps: kind.lost,
        not_judged_ps: kind.not_judged,
    }
}

fn finding(finding: &Finding) -> FindingJson<'_> {
    FindingJson {
        id: &finding.id,
        severity: finding.severity.key(),
        confidence: finding.confidence.key(),
        confidence_reason: &finding.reason,
        title: &finding.title,
        detail: &finding.detail,
        why: &finding.why,
        at_stake_ps: finding.at_stake,
        claimed_ps: finding.claimed,
        recoverable_ps: finding.recoverable,
        per_capture_ps: finding.per_capture,
        pct_of_period: finding.share * 100.0,
        stake_bytes: finding.bytes,
        formula: &finding.formula,
        inputs: Inputs(&finding.inputs),
        evidence: EvidenceJson {
            ops: finding.evidence.ops.iter().map(op).collect(),
            n_ops: finding.evidence.n_ops,
            steps: &finding.evidence.steps,
            devices: &finding.evidence.devices,
            host_events: finding
                .evidence
                .host_events
                .iter()
                .map(|(name, time)| HostEventJson { name, total_ps: *time })
                .collect(),
            spans: finding
                .evidence
                .spans
                .iter()
                .map(|of| SpanJson { step: of.step, start_ps: of.start, end_ps: of.end })
                .collect(),
        },
        overlaps: &finding.overlaps,
        r#try: finding.tries.iter().map(try_json).collect(),
        worked_if: &finding.worked_if,
        view: finding.view,
    }
}

fn op(op: &OpEvidence) -> OpJson<'_> {
    OpJson {
        program: op.program.as_deref(),
        program_id: op.program_id.map(|id| id.to_string()),
        name: &op.name,
        source: op.source.as_deref(),
        n_layers: op.n_layers,
        time_ps: op.time,
    }
}

fn try_json(advice: &Suggestion) -> TryJson<'_> {
    TryJson {
        text: &advice.text,
        code: advice.code.as_deref(),
        flag: advice.flag.as_deref(),
        value: advice.value.as_deref(),
        default: advice.default.as_deref(),
        set: advice.set.as_deref(),
        chips: advice.chip.iter().map(String::as_str).collect(),
        verified_with: advice.verified_with.as_deref(),
    }
}

fn checked(rule: &Checked) -> CheckedJson<'_> {
    CheckedJson {
        id: &rule.id,
        name: &rule.name,
        measured: rule.measured,
        threshold: rule.threshold,
        unit: rule.unit.key(),
        at_stake_ps: rule.at_stake,
    }
}

fn skipped(rule: &SkippedRule) -> SkippedJson<'_> {
    SkippedJson { id: &rule.id, name: &rule.name, reason: &rule.reason }
}
