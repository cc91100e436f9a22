//! This module visits the overview. Texts and values that follow from its rules are not visited.

use super::modules;
use super::origin::spread;
use super::visit::{Number, Text, Visit, VisitResult, each};
use crate::analysis::classify::{Kind, ModelModule};
use crate::analysis::ledger::{Ledger, Owner};
use crate::analysis::overview::{
    Checked, Confidence, Figure, FigureId, Finding, FindingId, KindShare, OpEvidence, Overview, RuleId, ShownStep,
    SkippedRule,
};
use xla_profile::units::Picos;

const CONFIDENCES: [Confidence; 3] = [Confidence::Measured, Confidence::Likely, Confidence::Guess];

pub(super) fn overview(v: &mut dyn Visit, overview: &mut Option<Overview>) -> VisitResult {
    v.present(overview, empty_overview)?;
    let Some(overview) = overview else { return Ok(()) };
    v.string(&mut overview.device, Text::Device)?;
    v.flag(&mut overview.has_steps)?;
    v.exact(&mut overview.period.0)?;
    spread(v, &mut overview.periods)?;
    ledger(v, &mut overview.ledger)?;
    v.rows(&mut overview.kinds, no_time)?;
    each(&mut overview.kinds, |share| v.optional_one_of(&mut share.kind, &Kind::ALL))?;
    each(&mut overview.kinds, |share| v.exact(&mut share.total.0))?;
    each(&mut overview.kinds, |share| v.exact(&mut share.needed.0))?;
    each(&mut overview.kinds, |share| v.exact(&mut share.lost.0))?;
    each(&mut overview.kinds, |share| v.exact(&mut share.not_judged.0))?;
    v.rows(&mut overview.figures, || Figure::unknown(FigureId::StepTime, None))?;
    // An older report holds the figures of its version, which are the first ones.
    overview.figures.iter_mut().zip(FigureId::ALL).for_each(|(figure, id)| figure.id = id);
    each(&mut overview.figures, |figure| v.real(&mut figure.value, None))?;
    each(&mut overview.figures, |figure| v.real(&mut figure.coverage, None))?;
    each(&mut overview.figures, |figure| v.text(&mut figure.absent, None, Text::Word))?;
    for list in [&mut overview.findings, &mut overview.options, &mut overview.memory, &mut overview.quality] {
        findings(v, list)?;
    }
    v.rows(&mut overview.checked, || Checked::of_rule(RuleId::InputBound))?;
    each(&mut overview.checked, |entry| {
        v.one_of(&mut entry.id, &RuleId::ALL)?;
        let known = Checked::of_rule(entry.id);
        (entry.name, entry.threshold, entry.unit) = (known.name, known.threshold, known.unit);
        Ok(())
    })?;
    each(&mut overview.checked, |entry| v.float(&mut entry.measured, 0.0))?;
    each(&mut overview.checked, |entry| v.optional_time(&mut entry.at_stake))?;
    v.rows(&mut overview.skipped, || SkippedRule::of_rule(RuleId::InputBound))?;
    each(&mut overview.skipped, |entry| {
        v.one_of(&mut entry.id, &RuleId::ALL)?;
        entry.name = SkippedRule::of_rule(entry.id).name;
        Ok(())
    })?;
    each(&mut overview.skipped, |entry| v.string(&mut entry.reason, Text::Word))?;
    if v.version() >= 7 {
        modules::modules(v, &mut overview.modules)?;
    }
    overview.derive();
    Ok(())
}

fn no_time() -> KindShare {
    KindShare { kind: None, total: Picos::ZERO, needed: Picos::ZERO, lost: Picos::ZERO, not_judged: Picos::ZERO }
}

/// Returns an overview without values. Those that are not visited come from the rest of the report.
fn empty_overview() -> Overview {
    let report = super::blank();
    Overview {
        header: report.header,
        totals: report.totals,
        device: String::new(),
        has_steps: false,
        period: Picos::ZERO,
        periods: None,
        verdict: String::new(),
        kinds: Vec::new(),
        modules: None,
        shown_step: ShownStep::default(),
        ledger: Ledger {
            device: 0,
            n_steps: 0,
            window: Picos::ZERO,
            attainable: 0.0,
            owners: Vec::new(),
            excess: None,
        },
        figures: Vec::new(),
        lacks_peaks: false,
        chip_guess: None,
        model_guess: None,
        recoverable: Picos::ZERO,
        findings: Vec::new(),
        options: Vec::new(),
        memory: Vec::new(),
        quality: Vec::new(),
        checked: Vec::new(),
        skipped: Vec::new(),
        steps: Vec::new(),
        n_steps: 0,
        devices: Vec::new(),
        notes: Vec::new(),
    }
}

fn ledger(v: &mut dyn Visit, ledger: &mut Ledger) -> VisitResult {
    let mut device = ledger.device as u32;
    v.small(&mut device)?;
    ledger.device = device as usize;
    v.small(&mut ledger.n_steps)?;
    v.float(&mut ledger.attainable, 0.0)?;
    let mut excess = ledger.excess.map(|time| time.0);
    v.optional(&mut excess)?;
    ledger.excess = excess.map(Picos);
    let mut times = Owner::ALL.map(|owner| (owner, ledger.time(owner)));
    // The owner of callbacks came with version 6.
    let n_owners = if v.version() >= 6 { times.len() } else { 19 };
    times.iter_mut().take(n_owners).try_for_each(|(_, time)| v.exact(&mut time.0))?;
    // The sum of a damaged report may not fit, and then is no window.
    ledger.window = Picos(times.iter().fold(0_u64, |sum, (_, time)| sum.saturating_add(time.0)));
    ledger.owners = times.into_iter().filter(|(_, time)| *time > Picos::ZERO).collect();
    Ok(())
}

fn findings(v: &mut dyn Visit, findings: &mut Vec<Finding>) -> VisitResult {
    v.rows(findings, || Finding::of_rule(RuleId::InputBound))?;
    each(findings, |finding| {
        let mut rule = finding.rule();
        v.one_of(&mut rule, &RuleId::ALL)?;
        let known = Finding::of_rule(rule);
        let mut key = finding.id.key().into_owned();
        v.string_with_usual(&mut key, rule.key(), Text::Word)?;
        // What this version does not know is a finding of its rule.
        finding.id = FindingId::from_key(&key).filter(|id| id.rule() == rule).unwrap_or(known.id);
        v.string_with_usual(&mut finding.reason, &known.reason, Text::Word)?;
        finding.title = known.title;
        (finding.why, finding.worked_if, finding.formula) = (known.why, known.worked_if, known.formula);
        (finding.overlaps, finding.view) = (known.overlaps, known.view);
        finding.inputs.clear();
        Ok(())
    })?;
    each(findings, |finding| v.one_of(&mut finding.confidence, &CONFIDENCES))?;
    each(findings, |finding| v.string(&mut finding.detail, Text::Sentence))?;
    each(findings, |finding| v.exact(&mut finding.at_stake.0))?;
    each(findings, |finding| v.number(&mut finding.claimed.0, finding.at_stake.0, Number::Exact))?;
    each(findings, |finding| v.number(&mut finding.recoverable.0, finding.claimed.0, Number::Exact))?;
    each(findings, |finding| v.optional_time(&mut finding.per_capture))?;
    each(findings, |finding| v.optional(&mut finding.bytes))?;
    each(findings, |finding| advice(v, finding))?;
    each(findings, |finding| {
        let evidence = &mut finding.evidence;
        v.rows(&mut evidence.ops, op)?;
        each(&mut evidence.ops, |op| v.string(&mut op.name, Text::Op))?;
        each(&mut evidence.ops, |op| v.text(&mut op.program, None, Text::Program))?;
        each(&mut evidence.ops, |op| v.program_id(&mut op.program_id))?;
        each(&mut evidence.ops, |op| v.text(&mut op.source, None, Text::Source))?;
        each(&mut evidence.ops, |op| v.small_with_usual(&mut op.n_layers, 1))?;
        each(&mut evidence.ops, |op| v.time(&mut op.time))?;
        v.small(&mut evidence.n_ops)?;
        if v.version() >= 7 {
            v.rows(&mut evidence.modules, || ModelModule::Unknown)?;
            each(&mut evidence.modules, |module| v.one_of(module, &ModelModule::ALL))?;
        }
        v.rows(&mut evidence.steps, || 0)?;
        each(&mut evidence.steps, |step| v.exact(step))?;
        v.texts(&mut evidence.devices, Text::Device)?;
        v.rows(&mut evidence.host_events, || (String::new(), Picos::ZERO))?;
        each(&mut evidence.host_events, |(name, _)| v.string(name, Text::Op))?;
        each(&mut evidence.host_events, |(_, time)| v.time(time))
    })
}

fn op() -> OpEvidence {
    OpEvidence {
        name: String::new(),
        program: None,
        program_id: None,
        source: None,
        n_layers: 1,
        n_alike: 1,
        time: Picos::ZERO,
        self_time: None,
    }
}

/// Visits which advice of its rule a finding gives, and the flags before it.
fn advice(v: &mut dyn Visit, finding: &mut Finding) -> VisitResult {
    let (mut bits, mut flags) = finding.advice();
    let mut chip = finding.tries.iter().find_map(|advice| advice.chip.clone());
    v.exact(&mut bits)?;
    v.texts(&mut flags, Text::Word)?;
    v.text(&mut chip, None, Text::Chip)?;
    // The advice of rules was in another order before.
    let bits = (v.version() >= 5).then_some(bits);
    finding.set_advice(bits, &flags, chip.as_deref());
    Ok(())
}
