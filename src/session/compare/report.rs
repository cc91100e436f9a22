//! This module compares a report with a capture, or with another report.
//!
//! ```text
//!  capture ─► report of the same device ─┐
//!                                        ├─► both cut to the lower level of detail ─► figures and rows ─► comparison
//!  report ───────────────────────────────┘
//! ```
//!
//! A capture is first reduced to its report. Both sides then know the same, so that a report does not differ from its own capture.

use crate::analysis::base::DeviceChoice;
use crate::analysis::classify::{Kind, Phase, module_by_scope};
use crate::analysis::comm::{Comm, CommQuery};
use crate::analysis::compare::matching::{Known, ListedOp};
use crate::analysis::compare::{
    CompareOptions, Comparison, Input, InputOp, InputPeak, ListedSide, SideHead, WorkFacts, compare_listed,
    paired_program, work_name,
};
use crate::analysis::memory::{MemoryPrograms, roll_ups};
use crate::analysis::overview::Overview;
use crate::analysis::roofline::RooflineQuery;
use crate::protocol::{Failure, ShareQuery};
use crate::session::capture::CaptureSession;
use crate::share::{Level, OmittedSum, OpRow, Report};
use crate::table::format::counted;

/// Colour of the main memory of a device.
const HBM: i64 = 0;

/// Returns the report of a capture with the device of another report and the mean of the steps.
///
/// # Errors
/// Returns a [`Failure`] if no report can be made.
pub(super) fn reduced(capture: &mut CaptureSession, other: &Report) -> Result<Report, Failure> {
    let own = capture.analysis.usual_device(&capture.profile);
    let labels: Vec<&str> = capture.analysis.devices.iter().map(|device| &*device.label).collect();
    let device = match other.origin.device {
        DeviceChoice::One(index) => {
            let label = other.origin.devices.get(index as usize).map(|device| &*device.label);
            let same = labels.iter().position(|candidate| Some(*candidate) == label);
            same.map_or(own, |index| DeviceChoice::One(index as u32))
        }
        DeviceChoice::Mean | DeviceChoice::All if labels.len() < 2 => own,
        several => several,
    };
    let mut request = ShareQuery {
        roofline: RooflineQuery::default(),
        comm: CommQuery::default(),
        level: Level::FULL.position,
        with_sources: true,
        anonymise: false,
        comparison: None,
    };
    request.roofline.query.device = device;
    request.comm.query.device = device;
    capture.make_report(&request)
}

/// One side while it is compared.
struct Side<'r> {
    /// Name of the side in messages.
    name: &'static str,
    full: &'r Report,
    /// The report at the level of detail of both sides.
    cut: Report,
    /// Whether the side is a capture.
    is_capture: bool,
    /// The names of the sums in `cut.rest`.
    left_out: Vec<String>,
}

/// Compares two reports. Each is with whether it was made of a capture for this.
///
/// # Errors
/// Returns a [`Failure`] if a report has no overview, as one of an older version.
pub(super) fn compare_reports(
    a: (&Report, bool),
    b: (&Report, bool),
    options: &CompareOptions,
) -> Result<Comparison, Failure> {
    let level = a.0.origin.level.min(b.0.origin.level);
    let is_anonymous = a.0.origin.is_anonymous || b.0.origin.is_anonymous;
    let known = Known {
        details: Level::from_slider(level).keeps_details && !is_anonymous,
        programs: !is_anonymous,
        sources: a.0.origin.has_sources && b.0.origin.has_sources && !is_anonymous,
    };
    let (a, b) = (Side::new("A", a, level, known), Side::new("B", b, level, known));
    let peaks = |side: &Side<'_>| MemoryPrograms { programs: side.full.memory.programs.clone(), notes: Vec::new() };
    let programs = paired_program(&peaks(&a), &peaks(&b));
    let (peaks, absent) = match programs.and_then(|(of_a, of_b)| Ok((a.peak(of_a)?, b.peak(of_b)?))) {
        Ok((of_a, of_b)) => (Some((of_a, of_b)), String::new()),
        Err(absent) => (None, absent),
    };
    let (peak_a, peak_b) = peaks.map_or((Err(&*absent), Err(&*absent)), |(of_a, of_b)| (Ok(of_a), Ok(of_b)));
    let (comm_a, comm_b) = (a.comm(), b.comm());
    let listed_a = a.listed(peak_a, &comm_a, known)?;
    let listed_b = b.listed(peak_b, &comm_b, known)?;
    let reports: Vec<&str> = [&a, &b].into_iter().filter(|side| !side.is_capture).map(|side| side.name).collect();
    let no_programs = match reports[..] {
        [one] => format!("{one} is a report, which holds no HLO."),
        _ => "A and B are reports, which hold no HLO.".to_owned(),
    };
    Ok(compare_listed(&listed_a, &listed_b, options, no_programs, notes(&a, &b, level)))
}

/// Returns the name of the sum of the ops of a kind that a report leaves out.
fn left_out_name(omitted: &OmittedSum) -> String {
    format!("{} ({})", counted(omitted.n_rows.into(), "other op", "other ops"), omitted.kind.label())
}

impl<'r> Side<'r> {
    fn new(name: &'static str, (full, is_capture): (&'r Report, bool), level: u8, known: Known) -> Self {
        let mut cut = full.cut_to(Level::from_slider(level));
        if !known.details {
            cut.comm.comm.rows.iter_mut().for_each(|row| row.scope = None);
        }
        let left_out = cut.rest.iter().map(left_out_name).collect();
        Self { name, full, cut, is_capture, left_out }
    }

    /// Returns the overview at the level of detail of both sides.
    fn overview(&self) -> Result<&Overview, Failure> {
        self.cut.overview.as_ref().ok_or_else(|| no_overview(self.name, &self.cut))
    }

    fn head(&self, overview: &Overview) -> SideHead {
        let head = report_head(self.full, overview);
        SideHead { report_level: head.report_level.filter(|_| !self.is_capture), ..head }
    }

    /// Returns the peak of a program. The error is the reason why it is unknown.
    fn peak(&self, program: u32) -> Result<InputPeak<'_>, String> {
        let memory = &self.full.memory;
        let peaks = memory.programs.iter().find(|program_peaks| program_peaks.program == program);
        let peak = peaks.and_then(|program_peaks| {
            Some((program_peaks, program_peaks.spaces.iter().find(|space| space.color == HBM)?))
        });
        let buffers = memory.spaces.iter().find(|space| space.program == program && space.color == HBM);
        let (Some((program_peaks, peak)), Some(buffers)) = (peak, buffers.filter(|space| space.alive.rest == 0)) else {
            return Err(format!("{} is a report that leaves out buffers that are alive at the peak.", self.name));
        };
        Ok(InputPeak::of_roll_ups(&program_peaks.name, peak, buffers.alive.n, &roll_ups(&buffers.alive.buffers)))
    }

    /// Returns the communication. The error is the reason why it is not compared.
    fn comm(&self) -> Result<&Comm, String> {
        let (n, _) = self.cut.comm.more;
        if n > 0 {
            let n = counted(n.into(), "collective", "collectives");
            return Err(format!("The report of {} leaves out {n}.", self.name));
        }
        Ok(&self.cut.comm.comm)
    }

    fn listed<'s>(
        &'s self,
        peak: Result<InputPeak<'s>, &'s str>,
        comm: &'s Result<&'s Comm, String>,
        known: Known,
    ) -> Result<ListedSide<'s>, Failure> {
        let overview = self.overview()?;
        let n_steps = overview.ledger.n_steps.max(1);
        let rows = self.cut.rows.iter().map(|row| (input_op(row, n_steps, known), ListedOp::new(&row.group, known)));
        let rest = self.cut.rest.iter().zip(&self.left_out);
        let rest = rest.map(|(rest_sum, name)| {
            (left_out(rest_sum, name, n_steps), ListedOp::left_out(name, rest_sum.kind, rest_sum.total.0))
        });
        let (input_ops, ops) = rows.chain(rest).unzip();
        let input = Input {
            head: self.head(overview),
            ledger: &overview.ledger,
            ops: input_ops,
            n_ops: self.full.n_rows().into(),
            overview,
            peak,
            runtime: &self.cut.memory.runtime,
            comm: comm.as_ref().copied().map_err(String::as_str),
        };
        Ok(ListedSide { input, ops })
    }
}

/// Returns the failure for a report without an overview. `name` is its name in messages.
pub(super) fn no_overview(name: &str, report: &Report) -> Failure {
    let message = if report.comparison.is_some() {
        "It is a shared comparison, and no capture or report of one."
    } else {
        "It is a report without an overview, as older versions of Rooflight made them. Make the report again."
    };
    Failure { title: format!("{name} cannot be compared"), message: message.to_owned() }
}

/// Returns the head of a report. `overview` is its overview, at any level of detail.
pub(super) fn report_head(report: &Report, overview: &Overview) -> SideHead {
    let origin = &report.origin;
    let n_steps = if overview.has_steps { overview.ledger.n_steps } else { 0 };
    let own = report
        .steps
        .devices
        .iter()
        .find(|device| device.label == overview.device)
        .filter(|_| report.overview.is_some());
    let counted = own.iter().flat_map(|own| &own.steps).filter(|step| step.not_steady.is_none());
    let periods_ps: Vec<u64> = counted.map(|step| step.length.0).collect();
    // A pseudonym does not tell whether two chips are the same.
    let is_known = |chip: &String| !(origin.is_anonymous && chip.starts_with("chip-"));
    SideHead {
        files: origin.files.iter().map(|file| file.name.clone()).collect(),
        device: overview.device.clone(),
        device_type: overview.header.device_type.clone().filter(is_known),
        n_devices: origin.devices.len() as u32,
        n_steps,
        step_kind: overview.header.mean.kind.clone(),
        period_ps: overview.ledger.per_step(overview.ledger.window).0,
        // A part of the steps is no sample of all.
        periods_ps: if periods_ps.len() as u64 == u64::from(n_steps) { periods_ps } else { Vec::new() },
        median_ps: overview.periods.as_ref().map(|periods| periods.median),
        tokens: None,
        is_partial: origin.partial.is_some(),
        report_level: Some(origin.level),
    }
}

/// Returns the op of a row. The times of a row are those of a step, and those of a comparison are sums over steps.
fn input_op(row: &OpRow, n_steps: u32, known: Known) -> InputOp<'_> {
    let OpRow { group, point } = row;
    // Only compute has a roofline time that can be compared with its time.
    let point = point.as_ref().filter(|point| point.skipped.is_empty() && group.kind == Kind::Compute);
    let roof = point.and_then(|point| point.roof.as_ref());
    InputOp {
        name: group.key.as_str().into(),
        program_id: group.program_id,
        scope: group.tf_op.as_deref(),
        source: group.source_inner.as_deref().filter(|_| known.sources),
        op_group: group.op_group.as_deref(),
        work: work_name(WorkFacts {
            kind: group.kind,
            op_group: group.op_group.as_deref(),
            name: &group.key,
            scope: group.tf_op.as_deref().unwrap_or_default(),
            target: "",
            kernel: group.kernel.as_deref().unwrap_or_default(),
            has_softmax: false,
            is_conversion: false,
        }),
        module: group.tf_op.as_deref().and_then(module_by_scope).map(|label| label.module),
        phase: group.phase.as_deref().and_then(Phase::from_key).filter(|phase| phase.is_known()),
        kind: group.kind,
        n: group.n_executions.as_f64() * f64::from(n_steps),
        total: group.total.0.saturating_mul(n_steps.into()),
        parts: &[],
        roofline: roof.map(|roof| roof.t_roof.as_f64() * f64::from(n_steps)),
        steps: None,
    }
}

/// Returns the sum of the ops of a kind that a report leaves out.
fn left_out<'a>(omitted: &OmittedSum, name: &'a str, n_steps: u32) -> InputOp<'a> {
    InputOp {
        name: name.into(),
        program_id: None,
        scope: None,
        source: None,
        op_group: None,
        work: "other ops".into(),
        module: None,
        phase: None,
        kind: omitted.kind,
        n: omitted.n_executions.as_f64() * f64::from(n_steps),
        total: omitted.total.0.saturating_mul(n_steps.into()),
        parts: &[],
        roofline: None,
        steps: None,
    }
}

/// Returns what the reports leave out, in sentences.
fn notes(a: &Side<'_>, b: &Side<'_>, level: u8) -> Vec<String> {
    let mut notes = Vec::new();
    for side in [a, b].into_iter().filter(|side| !side.is_capture) {
        let name = side.name;
        notes.push(format!(
            "{name} is a report of {}. The owners of the time of single ops, their times in single steps, and programs are not \
             compared. The tokens of its steps are unknown, so times are per step.",
            side.full.holds()
        ));
        if side.full.origin.is_anonymous {
            notes.push(format!("The names of {name} are pseudonyms: scope paths, shapes and programs match no ops."));
        }
    }
    if level < Level::FULL.position {
        notes.push(format!(
            "Ops have the detail of level {level} of a report: of both sides, the ops with the most time are compared one by one, and \
             the others by kind."
        ));
    }
    if a.full.header.window_text() != b.full.header.window_text() {
        notes.push(format!(
            "The ops of A are those of {}, and the ops of B those of {}.",
            a.full.holds(),
            b.full.holds()
        ));
    }
    for side in [a, b] {
        let Some(overview) = &side.full.overview else { continue };
        if side.full.header.device.as_ref() != Some(&overview.device) {
            let (name, device) = (side.name, &overview.device);
            notes.push(format!(
                "The ops of {name} are those of {}, and its steps those of {device}.",
                side.full.holds()
            ));
        }
    }
    notes
}
