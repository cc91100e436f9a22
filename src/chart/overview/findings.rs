//! This module writes the rows of findings.

use super::evidence::{EvidenceGroup, evidence, longest_gap};
use super::pictures::{Drawing, drawing};
use crate::analysis::base::TimeRange;
use crate::analysis::classify::Kind;
use crate::analysis::overview::{Confidence, Finding, FindingId, Overview, RuleId, SeeView};
use crate::chart::timeline::DeviceTime;
use crate::protocol::url::comm::{CommRows, Pane};
use crate::protocol::url::{Picture, View};
use crate::table::format::{ABSENT, TimeUnit, bytes_text, percent_text, time_text, time_text_in};
use xla_profile::units::Picos;

/// A group of findings with its heading.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    pub title: &'static str,
    /// A few words behind the heading.
    pub about: String,
    /// The finding that is open at first.
    pub open: Option<usize>,
    pub rows: Vec<FindingRow>,
}

/// A finding as the page shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingRow {
    /// Distinguishes the row from the others.
    pub id: String,
    /// The time that can be recovered or that is at stake, or the bytes.
    pub cost: String,
    /// The share of a step. Empty if the finding is not about time.
    pub share: String,
    /// Length of the bar: the time ÷ that of a step.
    pub bar: f64,
    pub title: String,
    pub detail: String,
    pub confidence: &'static str,
    /// Filled dots of three.
    pub dots: usize,
    pub reason: String,
    pub why: String,
    /// What to try: text, and code to copy.
    pub tries: Vec<(String, Option<String>)>,
    pub worked_if: String,
    /// How the numbers are computed.
    pub formula: String,
    pub evidence: Vec<EvidenceGroup>,
    /// The small picture.
    pub drawing: Option<Drawing>,
    /// The view that shows the evidence, and what it shows there.
    pub see: FindingLink,
    /// Whether the finding is about XLA flags, or suggests some.
    pub has_flags: bool,
}

/// What a finding leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindingLink {
    pub view: View,
    /// Label of the device of the overview.
    pub device: String,
    /// The first of the steps that the finding names. `None` for the steps of the overview.
    pub step: Option<u64>,
    /// The keys of the ops of the finding. Empty for all ops.
    pub ops: Vec<String>,
    /// The kind of all its ops, if their keys are unknown. `None` for all kinds.
    pub kind: Option<Kind>,
    /// The text that the collectives of the finding have in common, such as `all-reduce`. Empty for all of them.
    pub collectives: String,
    /// The traffic of the communication view.
    pub traffic: CommRows,
    /// The pane of the communication view. `None` for the one that is shown.
    pub pane: Option<Pane>,
    /// The picture of the breakdown. `None` for the one that is shown.
    pub picture: Option<Picture>,
    /// The longest idle time of the finding, and the time of the step around it, in the timeline.
    pub gap: Option<(DeviceTime, TimeRange)>,
}

fn link(overview: &Overview, finding: &Finding) -> FindingLink {
    let gap = longest_gap(overview, finding);
    let view = match finding.view {
        // What the host did while the device was idle is in the timeline.
        _ if gap.is_some() => View::Timeline,
        SeeView::Breakdown => View::Breakdown,
        SeeView::Roofline => View::Roofline,
        SeeView::Memory => View::Memory,
        SeeView::Comm => View::Communication,
        SeeView::File => View::File,
    };
    let evidence = &finding.evidence;
    let (traffic, pane) = match finding.rule() {
        RuleId::DmaWait => (CommRows::Copies, None),
        RuleId::Straggler | RuleId::LatePeers => (CommRows::Collectives, Some(Pane::Devices)),
        RuleId::XlaFlags => (CommRows::Collectives, Some(Pane::Flags)),
        _ => (CommRows::Collectives, None),
    };
    let collectives = match &finding.id {
        FindingId::Exposed { primitive, .. } => primitive.key(),
        _ => "",
    };
    FindingLink {
        view,
        device: overview.device.clone(),
        step: evidence.steps.first().copied(),
        ops: evidence.op_keys.clone(),
        kind: evidence.kind.filter(|_| evidence.op_keys.is_empty()),
        collectives: collectives.to_owned(),
        traffic,
        pane,
        picture: finding.is_about_idle().then_some(Picture::Idle),
        gap,
    }
}

/// Returns the time by which a finding is ranked.
fn time(finding: &Finding) -> Picos {
    if finding.recoverable > Picos::ZERO { finding.recoverable } else { finding.at_stake }
}

fn row(overview: &Overview, finding: &Finding, unit: TimeUnit) -> FindingRow {
    let time = time(finding);
    let has_time = time > Picos::ZERO && finding.bytes.is_none();
    let share = time.fraction_of(overview.period).filter(|_| has_time).map_or(String::new(), percent_text);
    // Time at stake is no time that can be recovered.
    let share = if has_time && finding.recoverable == Picos::ZERO { format!("{share} at stake") } else { share };
    let once = finding.once(overview.period);
    let share = if once.is_some() { "once".to_owned() } else { share };
    let cost = match finding.bytes {
        Some(bytes) => bytes_text(bytes),
        None if once.is_some() => once.map_or(String::new(), time_text),
        None if has_time => time_text_in(time, unit),
        None => ABSENT.to_owned(),
    };
    let dots = match finding.confidence {
        Confidence::Measured => 3,
        Confidence::Likely => 2,
        Confidence::Guess => 1,
    };
    FindingRow {
        id: finding.id.key().into_owned(),
        cost,
        share,
        bar: time.fraction_of(overview.period).filter(|_| has_time).unwrap_or(0.0),
        title: finding.headline(),
        detail: finding.detail.clone(),
        confidence: finding.confidence.label(),
        dots,
        reason: finding.reason.clone(),
        why: finding.why.clone(),
        tries: finding.tries.iter().map(|advice| (advice.sentence(), advice.code.clone())).collect(),
        worked_if: finding.worked_if.clone(),
        formula: finding.formula.clone(),
        evidence: evidence(overview, finding),
        drawing: drawing(overview, finding),
        has_flags: finding.rule() == RuleId::XlaFlags || finding.tries.iter().any(|advice| advice.flag.is_some()),
        see: link(overview, finding),
    }
}

/// Returns which of the findings in time is open at first: the one that the verdict begins with, else the first one.
fn first_open(overview: &Overview) -> usize {
    overview
        .first_of_verdict()
        .and_then(|id| overview.findings.iter().position(|finding| finding.id == id))
        .unwrap_or(0)
}

/// Returns the groups of findings that are not empty. The first group is always there.
pub fn sections(overview: &Overview) -> Vec<Section> {
    let unit_of_step = TimeUnit::for_largest(overview.period);
    let rows = |findings: &[Finding]| {
        findings.iter().map(|finding| row(overview, finding, unit_of_step)).collect::<Vec<FindingRow>>()
    };
    let about = if overview.findings.is_empty() {
        format!("{} rules were checked, and none reached its threshold", overview.checked.len())
    } else {
        overview.findings_sum_text()
    };
    let mut sections = Vec::new();
    let mut add = |title, about: &str, findings: &[Finding], always: bool| {
        if always || !findings.is_empty() {
            let open = always.then(|| first_open(overview));
            sections.push(Section { title, about: about.to_owned(), open, rows: rows(findings) });
        }
    };
    add("The capture", "", &overview.quality, false);
    add("Findings", &about, &overview.findings, true);
    add("Options", "they change memory, numerics or the model, and are in no sum", &overview.options, false);
    add("Memory", "", &overview.memory, false);
    sections
}
