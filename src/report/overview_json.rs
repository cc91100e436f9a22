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
pub fn overview<'a>(head: HeadJson<'a>, of: &'a Overview, notes: &'a [Note]) -> OverviewJson<'a> {
    let all = |findings: &'a [Finding]| findings.iter().map(finding).collect();
    OverviewJson {
        head,
        verdict: &of.verdict,
        critical_device: &of.device,
        n_steady: of.ledger.n_steps,
        has_steps: of.has_steps,
        period_ps: of.period,
        periods: of.periods.as_ref().map(|periods| Row { columns: SPREAD, row: periods }),
        attainable: of.ledger.attainable,
        figures: Map(&of.figures, Box::new(|figure: &Figure| (&*figure.name, figure_json(figure)))),
        model_guess: of.model_guess.map(model_guess),
        ledger: Map(&Owner::ALL, Box::new(|owner: &Owner| (owner.key(), of.ledger.per_step(of.ledger.time(*owner))))),
        kinds: of.kinds.iter().map(kind).collect(),
        recoverable_ps: of.recoverable,
        findings: all(&of.findings),
        options: all(&of.options),
        memory_findings: all(&of.memory),
        quality: all(&of.quality),
        thresholds: of.checked.iter().map(checked).collect(),
        not_checked: of.skipped.iter().map(skipped).collect(),
        notes,
    }
}

fn model_guess(of: ModelGuess) -> ModelGuessJson {
    ModelGuessJson {
        n_parameters: of.n_parameters,
        n_sequences: of.batch.map(|(sequences, _)| sequences),
        sequence_length: of.batch.map(|(_, length)| length),
        tokens: of.tokens(),
        attention_width: of.attention,
        flops_per_token: of.flops_per_token(),
        is_training: of.is_training,
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

fn kind(of: &KindShare) -> KindJson {
    KindJson {
        kind: crate::analysis::classify::Kind::key_or_idle(of.kind),
        total_ps: of.total,
        needed_ps: of.needed,
        lost_ps: of.lost,
        not_judged_ps: of.not_judged,
    }
}

fn finding(of: &Finding) -> FindingJson<'_> {
    FindingJson {
        id: &of.id,
        severity: of.severity.key(),
        confidence: of.confidence.key(),
        confidence_reason: &of.reason,
        title: &of.title,
        detail: &of.detail,
        why: &of.why,
        at_stake_ps: of.at_stake,
        claimed_ps: of.claimed,
        recoverable_ps: of.recoverable,
        per_capture_ps: of.per_capture,
        pct_of_period: of.share * 100.0,
        stake_bytes: of.bytes,
        formula: &of.formula,
        inputs: Inputs(&of.inputs),
        evidence: EvidenceJson {
            ops: of.evidence.ops.iter().map(op).collect(),
            n_ops: of.evidence.n_ops,
            steps: &of.evidence.steps,
            devices: &of.evidence.devices,
            host_events: of
                .evidence
                .host_events
                .iter()
                .map(|(name, time)| HostEventJson { name, total_ps: *time })
                .collect(),
            spans: of
                .evidence
                .spans
                .iter()
                .map(|of| SpanJson { step: of.step, start_ps: of.start, end_ps: of.end })
                .collect(),
        },
        overlaps: &of.overlaps,
        r#try: of.tries.iter().map(try_json).collect(),
        worked_if: &of.worked_if,
        view: of.view,
    }
}

fn op(of: &OpEvidence) -> OpJson<'_> {
    OpJson {
        program: of.program.as_deref(),
        program_id: of.program_id.map(|id| id.to_string()),
        name: &of.name,
        source: of.source.as_deref(),
        n_layers: of.n_layers,
        time_ps: of.time,
    }
}

fn try_json(of: &Suggestion) -> TryJson<'_> {
    TryJson {
        text: &of.text,
        code: of.code.as_deref(),
        flag: of.flag.as_deref(),
        value: of.value.as_deref(),
        default: of.default.as_deref(),
        set: of.set.as_deref(),
        chips: of.chip.iter().map(String::as_str).collect(),
        verified_with: of.verified_with.as_deref(),
    }
}

fn checked(of: &Checked) -> CheckedJson<'_> {
    CheckedJson {
        id: &of.id,
        name: &of.name,
        measured: of.measured,
        threshold: of.threshold,
        unit: of.unit.key(),
        at_stake_ps: of.at_stake,
    }
}

fn skipped(of: &SkippedRule) -> SkippedJson<'_> {
    SkippedJson { id: &of.id, name: &of.name, reason: &of.reason }
}
