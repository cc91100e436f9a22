//! This module writes the evidence of a finding: ops, host events, steps, devices and times. Most lines lead to the view that shows
//! them.

use crate::analysis::base::TimeRange;
use crate::analysis::overview::{Evidence, Finding, OpEvidence, Overview, StepSpan};
use crate::chart::timeline::DeviceTime;
use crate::table::format::{counted, time_text};
use crate::table::page::row_key;
use xla_profile::units::Picos;

/// Largest number of steps and of devices that are named.
const MAX_NAMES: usize = 12;

/// Evidence of one sort.
#[derive(Clone, Debug, PartialEq)]
pub struct EvidenceGroup {
    /// What the lines are: "Ops", "Steps".
    pub label: String,
    pub lines: Vec<EvidenceLine>,
    /// How many more there are. Empty if the lines are all.
    pub rest: String,
}

/// A line of evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct EvidenceLine {
    pub name: String,
    /// The time and the source of an op, or the time of an event.
    pub text: String,
    /// What the name leads to. `None` for a host event.
    pub target: Option<EvidenceTarget>,
}

/// What a line of evidence leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvidenceTarget {
    /// The details of an op, by its key.
    Op(String),
    /// A time in the timeline, and the step around it, which is the visible part. With `is_idle`, the device has no op then.
    Time { time: DeviceTime, step: TimeRange, is_idle: bool },
    /// The breakdown of a step of a device, by the label of the device.
    Step(String, u64),
    /// The breakdown of a device, by its label.
    Device(String),
}

/// Returns the evidence of a finding in groups. A group without lines is left out.
pub(super) fn evidence(overview: &Overview, finding: &Finding) -> Vec<EvidenceGroup> {
    let Evidence { ops, n_ops, steps, devices, host_events, spans, .. } = &finding.evidence;
    let group = |label: &str, lines: Vec<EvidenceLine>, all: usize, thing: [&str; 2]| {
        let left = all.saturating_sub(lines.len()) as u64;
        let rest = if left > 0 { format!("and {}", counted(left, thing[0], thing[1])) } else { String::new() };
        EvidenceGroup { label: label.to_owned(), lines, rest }
    };
    let nested = if host_events.len() > 1 { ", with events inside it" } else { "" };
    let host = |(name, time): &(String, Picos)| EvidenceLine {
        name: name.clone(),
        text: format!("{}{nested}", time_text(*time)),
        target: None,
    };
    let named = |name: String, target| EvidenceLine { name, text: String::new(), target: Some(target) };
    let step = |number: &u64| named(format!("step {number}"), EvidenceTarget::Step(overview.device.clone(), *number));
    let device = |label: &String| named(label.clone(), EvidenceTarget::Device(label.clone()));
    let times: Vec<EvidenceLine> =
        spans.iter().filter_map(|span| time(overview, *span, finding.is_about_idle())).collect();
    let n_times = times.len();
    let longest = spans.first().map_or(String::new(), |span| format!("When, in step {}", span.step));
    let is_shared = ops.iter().any(|op| whole_time(op).is_some());
    let groups = [
        group(
            if is_shared { "Ops; other findings have the rest of their time" } else { "Ops" },
            ops.iter().map(op).collect(),
            *n_ops as usize,
            ["more op", "more ops"],
        ),
        group("Host events", host_events.iter().map(host).collect(), 0, [""; 2]),
        group("Steps", steps.iter().take(MAX_NAMES).map(step).collect(), steps.len(), ["more step", "more steps"]),
        group(
            "Devices",
            devices.iter().take(MAX_NAMES).map(device).collect(),
            devices.len(),
            ["more device", "more devices"],
        ),
        group(&longest, times, n_times, [""; 2]),
    ];
    groups.into_iter().filter(|group| !group.lines.is_empty()).collect()
}

fn op(op: &OpEvidence) -> EvidenceLine {
    let here = time_text(op.time);
    let time = match whole_time(op) {
        Some(all) => format!("{here} of {all}"),
        None => here,
    };
    let source = op.source.as_ref().map_or(String::new(), |source| format!(", {source}"));
    EvidenceLine {
        name: op.label(usize::MAX),
        text: time + &source,
        target: Some(EvidenceTarget::Op(row_key(&op.name, op.program_id))),
    }
}

/// Returns the self time of an op as text. `None` if it does not differ from the time that the finding is about.
fn whole_time(op: &OpEvidence) -> Option<String> {
    op.self_time.map(time_text).filter(|whole| *whole != time_text(op.time))
}

/// Returns the line of a time in the shown step. `None` if the place of the step on the axis is unknown.
fn time(overview: &Overview, span: StepSpan, is_idle: bool) -> Option<EvidenceLine> {
    let (time, step) = time_and_step(overview, span)?;
    Some(EvidenceLine {
        name: format!("at {}", time_text(span.start)),
        text: format!("for {}", time_text(time.range.length())),
        target: Some(EvidenceTarget::Time { time, step, is_idle }),
    })
}

/// Returns a stretch of the shown step as a time of the device of the overview, and the time of the step. `None` if the
/// place of the step on the axis is unknown.
fn time_and_step(overview: &Overview, span: StepSpan) -> Option<(DeviceTime, TimeRange)> {
    let step = overview.shown_step.range.filter(|_| overview.shown_step.number == Some(span.step))?;
    let range = TimeRange::between(step.start + span.start, step.start + span.end)?;
    Some((DeviceTime { device: overview.device.clone(), range }, step))
}

/// Returns the longest idle time that a finding is about, and the time of the step around it. `None` if the finding is
/// about something else, and if the times are unknown.
pub(super) fn longest_gap(overview: &Overview, finding: &Finding) -> Option<(DeviceTime, TimeRange)> {
    let spans = finding.evidence.spans.iter().filter(|_| finding.is_about_idle());
    // Of equally long ones, the first.
    let longest = spans.rev().max_by_key(|span| span.end.saturating_sub(span.start))?;
    time_and_step(overview, *longest)
}
