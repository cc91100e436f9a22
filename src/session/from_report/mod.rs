//! This module answers requests from a report alone, without events and programs. It returns the same types as a
//! capture. If the report does not hold an answer, the reply is a failure that names the missing data, never an empty
//! result.

mod breakdown;
mod memory_comm;
mod overview;
mod roofline;

use super::open::messages;
use crate::analysis::base::{DeviceChoice, Framework, Query, StepChoice, StepsBy};
use crate::analysis::breakdown::DeviceSteps;
use crate::protocol::{
    Capabilities, DeviceInfo, Failure, KindInfo, MAX_LISTED_STEPS, Reply, Request, SessionInfo, SharedReportInfo,
    StepInfo, ViewRequest, requests,
};
use crate::share::{Report, ShareError};
use xla_profile::profile::{Note, NoteCode, Severity};

/// A session of a report alone.
pub(crate) struct ReportSession {
    report: Report,
}

impl ReportSession {
    /// Creates the session of a report, and its description.
    pub(crate) fn new(report: Report) -> (Self, SessionInfo) {
        let info = session(&report);
        (Self { report }, info)
    }

    pub(crate) const fn own_report(&self) -> &Report {
        &self.report
    }
}

/// Returns the failure for a link whose report cannot be read.
pub(crate) fn bad_link(error: &ShareError) -> Failure {
    let title = match error {
        ShareError::Newer(_) => "The link is newer than this page",
        ShareError::Cut { .. } => "The link is cut",
        _ => "The link could not be read",
    };
    Failure { title: title.to_owned(), message: error.to_string() }
}

impl ReportSession {
    pub(super) fn answer(&mut self, request: &Request) -> Reply {
        let answer = match request {
            Request::Hello { .. } => Ok(Reply::Hello { build: crate::BUILD.to_owned() }),
            Request::View(request) => self.answer_view_request(request),
            Request::Open { .. }
            | Request::OpenReport { .. }
            | Request::Summarise { .. }
            | Request::ExplainChange { .. }
            | Request::Show(_)
            | Request::CloseSecond
            | Request::FindSteps(_)
            | Request::StopReading
            | Request::HelperEnded { .. }
            | Request::Cancel(_) => Ok(Reply::Cancelled),
        };
        answer.unwrap_or_else(|reply| reply)
    }
}

/// An answer, or the reply that gives the reason why there is none.
type Answered = Result<Reply, Reply>;

impl ReportSession {
    fn answer_view_request(&self, request: &ViewRequest) -> Answered {
        match request {
            ViewRequest::Breakdown(query) => self.head(query),
            ViewRequest::StepStats => {
                Ok(Reply::answer_to::<requests::StepStats>(&self.report.steps.first_steps(MAX_LISTED_STEPS)))
            }
            ViewRequest::Scopes { .. } => Err(self.missing("the tree of scopes")),
            ViewRequest::ExportRows { .. } => Err(self.missing("a file of all rows")),
            ViewRequest::Roofline(query) => self.roofline(query),
            ViewRequest::Utilization(query) => self.utilization(query),
            ViewRequest::Memory => Ok(self.memory()),
            ViewRequest::MemoryOf(query) => self.memory_of(query),
            ViewRequest::MemoryAt { query, point } => self.memory_at(query, *point),
            ViewRequest::Comm(query) => self.comm(query),
            ViewRequest::Flags(query) => self.flags(query),
            ViewRequest::Table { table, action } => self.table(table, action),
            ViewRequest::Captures(_)
            | ViewRequest::Compare(_)
            | ViewRequest::CompareOps { .. }
            | ViewRequest::CompareDots(_)
            | ViewRequest::CompareTimeline(_)
            | ViewRequest::CompareMarkdown(_) => Ok(Reply::Failed(messages::unknown_request())),
            ViewRequest::Share(_) | ViewRequest::ShareFile { .. } | ViewRequest::ShareMarkdown { .. } => {
                Err(self.missing("how it is passed on"))
            }
            ViewRequest::Op { .. } => Err(self.missing("the details of an op")),
            ViewRequest::Graph { .. } => Err(self.missing("the graph around an op")),
            ViewRequest::Overview(query) => {
                self.overview(query).map(|overview| Reply::answer_to::<requests::Overview>(&overview))
            }
            ViewRequest::OverviewMarkdown(query) => {
                let text =
                    self.overview(query)?.as_ref().map(crate::report::overview::text::markdown).unwrap_or_default();
                Ok(Reply::answer_to::<requests::OverviewMarkdown>(&text))
            }
            ViewRequest::Gaps(_) => Err(self.missing("the idle gaps")),
            ViewRequest::DataMovement(_) => Err(self.missing("the table of data movement")),
            ViewRequest::File
            | ViewRequest::ProgramText { .. }
            | ViewRequest::ProgramOutline(_)
            | ViewRequest::ProgramSearch(_) => Err(self.missing("files and programs")),
            ViewRequest::MemoryWithout { .. } => Err(self.missing("the peak without some buffers")),
            ViewRequest::MemoryCurve { .. } => Err(self.missing("the curve in more detail")),
            ViewRequest::MemoryLiveRanges { .. } => Err(self.missing("the live ranges of buffers")),
            ViewRequest::Timeline(_) => Err(self.missing("the events of the timeline")),
            ViewRequest::CommLanes(_) => Err(self.missing("the intervals of transfers")),
        }
    }

    /// Returns the failure for data that a report does not hold.
    pub(super) fn missing(&self, data: &str) -> Reply {
        Reply::Failed(Failure {
            title: format!("A summary does not hold {data}"),
            message: format!("{} Open the capture for this.", self.report.sentence()),
        })
    }

    /// Checks that a query selects the device and the step of the report.
    fn check_device_and_step(&self, query: &Query) -> Result<(), Reply> {
        let (origin, header) = (&self.report.origin, &self.report.header);
        let device = query.device == origin.device || origin.devices.is_empty();
        let step = match query.step {
            // The report holds one step or mean, and its header names it.
            StepChoice::Busiest | StepChoice::Mean | StepChoice::Kind(_) => true,
            StepChoice::All => header.step == "all",
            step @ (StepChoice::Number(_) | StepChoice::Range(_)) => header.step == step.to_string(),
        };
        if device && step { Ok(()) } else { Err(self.missing("other devices and steps")) }
    }
}

fn session(report: &Report) -> SessionInfo {
    let origin = &report.origin;
    let steps = |index: usize| report.steps.devices.get(index).map_or(&[][..], |device| &device.steps);
    let step = report.header.step.parse().unwrap_or(StepChoice::All);
    let kind = step_kind(report, step);
    let device = |(index, device): (usize, &crate::share::ReportDevice)| DeviceInfo {
        name: device.name.clone(),
        label: device.label.clone(),
        device_type: device.device_type.clone(),
        n_ops: device.n_ops,
        busy: device.busy,
        steps: steps(index)
            .iter()
            .take(MAX_LISTED_STEPS)
            .map(|step| StepInfo {
                number: step.number,
                name: step.name.clone(),
                duration: step.length,
                n_ops: step.n_ops,
            })
            .collect(),
        n_steps: report.steps.devices.get(index).and_then(|device| device.all).map_or(0, |all| all.n),
        n_steady: n_steady(report.steps.devices.get(index)),
        kinds: kind.iter().cloned().collect(),
    };
    let first_device = if origin.devices.is_empty() { DeviceChoice::default() } else { origin.device };
    SessionInfo {
        files: origin.files.clone(),
        devices: origin.devices.iter().enumerate().map(device).collect(),
        usual_query: Query { device: first_device, ..Query::default() },
        steps_by: StepsBy::default(),
        planes: Vec::new(),
        notes: notes(report, &report.notes),
        partial: origin.partial.clone(),
        n_events: origin.n_events,
        summary: Some(SharedReportInfo {
            comparison: report.comparison.as_ref().map(|shared| shared.names()),
            sentence: report.sentence(),
            device: first_device,
            step,
            level: origin.level,
            has_sources: origin.has_sources,
            is_anonymous: origin.is_anonymous,
        }),
        capabilities: Capabilities::of_report(report),
        framework: Framework::Unknown,
        reading: None,
        captures: Vec::new(),
    }
}

/// Returns the number of steady steps of a device, also of those that the report leaves out.
fn n_steady(device: Option<&DeviceSteps>) -> u32 {
    let Some(device) = device else { return 0 };
    // A report of version 1 has no statistics of steady steps.
    let listed = device.steps.iter().filter(|step| step.not_steady.is_none()).count() as u32;
    device.steady.map_or(listed, |steady| steady.n)
}

/// Returns the kind of the steps of a mean. `None` if all steps are of one kind, or if the report is of no mean.
fn step_kind(report: &Report, step: StepChoice) -> Option<KindInfo> {
    let mean = &report.header.mean;
    let kind = match step {
        StepChoice::Kind(kind) => kind,
        _ => 0,
    };
    Some(KindInfo { kind, name: mean.kind.clone()?, n_steady: mean.n_steps? })
}

/// Returns the notes of an answer, after the note that the session is a summary.
fn notes(report: &Report, notes: &[Note]) -> Vec<Note> {
    let first = Note::new(Severity::Caution, NoteCode::Summary, report.sentence());
    std::iter::once(first).chain(notes.iter().cloned()).collect()
}
