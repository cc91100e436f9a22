//! This module compares two sessions, with the programs of both.

mod report;
pub mod timeline;

use super::capture::CaptureSession;
use super::capture::memory::static_memory;
use super::capture::overview::{DerivedOverview, overview_and_inputs};
use super::compare::report::{compare_reports, no_overview, reduced, report_head};
use super::from_report::bad_link;
use super::open::read_files::open_files;
use super::open::report_file::{Unpacked, unpack};
use super::programs::QueryPrograms;
use super::{Input, Opened};
use crate::analysis::base::{Analysis, DeviceChoice, Interval, Query, StepChoice};
use crate::analysis::captures::{CaptureSummary, TopFinding};
use crate::analysis::compare::{CaptureSide, CompareOptions, Comparison, SeriesPoint, compare, paired_program};
use crate::analysis::data_movement::Programs as Modules;
use crate::analysis::files::FileProgram;
use crate::analysis::ledger::OpSteps;
use crate::analysis::memory::{MemoryQuery, StaticMemory};
use crate::analysis::overview::{Overview, OverviewQuery};
use crate::analysis::roofline::RooflineQuery;
use crate::protocol::url::address::{AddressError, PageAddress};
use crate::protocol::{Failure, Progress};
use crate::share::html::report_file;
use crate::share::{Report, decode_link};
use xla_profile::profile::{NoteCode, Plane, Profile};

/// Returns the time at which the profile was started, in ns since 1970; that of the first host. `None` if it is unknown.
pub(crate) fn start_ns(profile: &Profile) -> Option<u64> {
    profile.planes.iter().filter_map(Plane::start_ns).min()
}

/// A session that is compared.
pub struct CompareSide {
    side: Side,
}

enum Side {
    Capture(Box<(CaptureSession, AnalysedSteps)>),
    Report(Box<Report>),
}

/// The analyses of a session that a comparison needs: those of the steps of the device on which they depend.
pub(crate) struct AnalysedSteps {
    derived: DerivedOverview,
    file_programs: Vec<FileProgram>,
    steps: OpSteps,
}

impl AnalysedSteps {
    /// Analyses a session. `None` if no device has the step of the query, or if the device has no times on the event clock.
    pub(super) fn new(session: &mut CaptureSession, query: &OverviewQuery) -> Option<Self> {
        let CaptureSession { profile, analysis, programs, files, partial, .. } = session;
        let files = analysis.file_view_without_times(profile, files, *partial);
        let mut derived = overview_and_inputs(analysis, profile, programs, &files, query)?;
        let by_op = &mut derived.by_op;
        let steps = analysis.op_steps(profile, by_op.ledger.device, by_op.step)?;
        // Ops are matched in the order in which they first run.
        let plane = &profile.planes[analysis.devices[by_op.ledger.device].plane];
        by_op.ops.sort_by_key(|op| steps.first_start(plane, op.op));
        Some(Self { derived, file_programs: files.programs, steps })
    }

    /// Returns the name of the kind of the steps that are compared. `None` if all steps of the session are of one kind.
    fn step_kind(&self) -> Option<&str> {
        self.derived.overview.header.mean.kind.as_deref()
    }

    /// Analyses the steps of the kind with the most time again, if an earlier comparison was of another kind.
    fn use_main_kind(&mut self, session: &mut CaptureSession) {
        if matches!(self.derived.by_op.step, StepChoice::Kind(_))
            && let Some(of_main) = Self::new(session, &OverviewQuery::default())
        {
            *self = of_main;
        }
    }

    /// Analyses the steps of a kind, if the session has them and its steps are of another kind now.
    fn use_kind(&mut self, session: &mut CaptureSession, wanted: Option<&str>) {
        let Some(wanted) = wanted.filter(|wanted| self.step_kind().is_some_and(|own| own != *wanted)) else { return };
        let device = &session.analysis.devices[self.derived.by_op.ledger.device];
        let found = session.analysis.kinds_of(device).find(|(_, name, n_steady)| *name == wanted && *n_steady > 0);
        let Some((kind, ..)) = found else { return };
        let mut query = OverviewQuery::default();
        query.ledger.roofline.query.step = StepChoice::Kind(kind);
        if let Some(of_kind) = Self::new(session, &query) {
            *self = of_kind;
        }
    }

    /// Returns the query of the device and the steps that are compared.
    pub(super) fn query(&self) -> RooflineQuery {
        let by_op = &self.derived.by_op;
        let device = DeviceChoice::One(by_op.ledger.device as u32);
        RooflineQuery { query: Query { device, step: by_op.step, ..Query::default() }, ..RooflineQuery::default() }
    }

    /// Returns the main memory of a program. The error is the reason why it is unknown.
    fn memory(&self, session: &mut CaptureSession, program: u32) -> Result<StaticMemory, String> {
        let query = MemoryQuery { program, columns: 1, buffers: 0, ..MemoryQuery::default() };
        let CaptureSession { profile, programs, .. } = session;
        static_memory(profile, programs, &self.file_programs, &query).map_err(|note| note.message)
    }

    /// Returns the analysed device, and the step whose length is nearest to the mean, on the event clock. Without steps, the
    /// interval is the whole capture, from the first op to the last one.
    pub(super) fn usual_step(&self) -> Option<(usize, Interval)> {
        let steps = &self.steps.steps;
        let length = |(start, end): Interval| u128::from(end.saturating_sub(start));
        let sum = steps.iter().map(|step| length(*step)).sum::<u128>();
        let n = steps.len() as u128;
        let step = steps.iter().min_by_key(|step| (length(**step) * n).abs_diff(sum))?;
        Some((self.derived.by_op.ledger.device, *step))
    }

    fn session<'a>(
        &'a self,
        (profile, analysis): (&'a Profile, &'a Analysis),
        programs: Modules<'a>,
        memory: &'a Result<StaticMemory, String>,
        is_partial: bool,
    ) -> CaptureSide<'a> {
        let DerivedOverview { overview, by_op, comm, runtime, .. } = &self.derived;
        CaptureSide {
            profile,
            analysis,
            programs: Some(programs),
            by_op,
            steps: &self.steps,
            overview,
            memory: memory.as_ref().map_err(String::as_str),
            runtime,
            comm,
            is_partial,
        }
    }
}

impl CompareSide {
    /// Analyses a session for a comparison. `None` if no device has the step of the query, or if the device has no times on the
    /// event clock.
    pub fn new(opened: Opened, query: &OverviewQuery) -> Option<Self> {
        let mut session = CaptureSession::of_opened(opened);
        let analysed = AnalysedSteps::new(&mut session, query)?;
        Some(Self { side: Side::Capture(Box::new((session, analysed))) })
    }

    /// Opens files as one side: captures, or a single report, which may be in an HTML page. `name` is the name of the side in
    /// messages.
    ///
    /// # Errors
    /// Returns a [`Failure`] if nothing could be read, or if no device can be compared.
    pub fn open(inputs: Vec<Input>, name: &str, progress: &mut dyn FnMut(Progress)) -> Result<Self, Failure> {
        let captures = match unpack(inputs.into_iter().map(without_page).collect())? {
            Unpacked::Report(report) => return Ok(Self::of_report(*report)),
            Unpacked::Captures(captures) => captures,
        };
        let opened = open_files(captures, &[], progress)?;
        Self::new(opened, &OverviewQuery::default()).ok_or_else(|| no_device(name))
    }

    /// Opens the report in the address of a link.
    ///
    /// # Errors
    /// Returns a [`Failure`] that describes the fault of the link.
    pub fn open_link(link: &str) -> Result<Self, Failure> {
        let bad = |message: String| Failure { title: "The link could not be read".to_owned(), message };
        let (_, address) = link.split_once('#').ok_or_else(|| bad("It has no part after a #.".to_owned()))?;
        let address: PageAddress = address.parse().map_err(|error: AddressError| bad(error.to_string()))?;
        if address.report.is_empty() {
            return Err(bad("It holds no report. Make one with `rooflight report --link`.".to_owned()));
        }
        decode_link(&address.report).map(Self::of_report).map_err(|error| bad_link(&error))
    }

    /// Returns the side of a report.
    pub fn of_report(report: Report) -> Self {
        Self { side: Side::Report(Box::new(report)) }
    }

    /// Returns what a series of captures needs of this one. The time at which the profile was started is not in a report.
    ///
    /// # Errors
    /// Returns a [`Failure`] if the side is a report without an overview, as one of an older version.
    pub fn series_point(&self) -> Result<SeriesPoint, Failure> {
        let overview = self.overview()?;
        let (head, start_ns) = match &self.side {
            Side::Capture(capture) => {
                let (CaptureSession { profile, analysis, partial, .. }, analysed) = &**capture;
                let memory = Err(String::new());
                let session = analysed.session((profile, analysis), &|_| None, &memory, *partial);
                (session.head(), start_ns(profile))
            }
            Side::Report(report) => (report_head(report, overview), None),
        };
        Ok(SeriesPoint { head, start_ns, figures: overview.figures.clone() })
    }

    /// Returns what a list of captures keeps of this one.
    ///
    /// # Errors
    /// As for [`Self::series_point`].
    pub fn summary(&self) -> Result<CaptureSummary, Failure> {
        let overview = self.overview()?;
        let findings = || overview.findings.iter().chain(&overview.options).chain(&overview.memory);
        let first = findings().next();
        Ok(CaptureSummary {
            point: self.series_point()?,
            period: Some(overview.period),
            quartiles_ps: None,
            programs: self.programs(),
            kinds: overview.kinds.iter().map(|kind| (kind.kind, kind.total)).collect(),
            verdict: overview.verdict.clone(),
            top_finding: first
                .map(|finding| TopFinding { title: finding.title.clone(), at_stake: Some(finding.at_stake) }),
            n_findings: Some(findings().count() as u32),
            is_partial: self.is_partial(),
        })
    }

    /// Returns the names of the programs, the one with the most time first. Empty for a report.
    fn programs(&self) -> Vec<String> {
        let Side::Capture(capture) = &self.side else { return Vec::new() };
        capture.1.file_programs.iter().map(|program| program.name.clone()).collect()
    }

    fn overview(&self) -> Result<&Overview, Failure> {
        match &self.side {
            Side::Capture(capture) => Ok(&capture.1.derived.overview),
            Side::Report(report) => report.overview.as_ref().ok_or_else(|| no_overview(&report.files(), report)),
        }
    }

    /// Returns the comparison, if the side is one that was shared.
    pub fn received(self) -> Option<Comparison> {
        match self.side {
            Side::Report(report) => report.comparison.map(|shared| shared.comparison),
            Side::Capture(_) => None,
        }
    }

    /// Returns the sentence that the files are of several runs, of which the side is one. `None` if they are of one.
    pub fn several_runs(&self) -> Option<&str> {
        let Side::Capture(capture) = &self.side else { return None };
        let mut notes = capture.0.profile.notes.iter();
        notes.find(|note| note.code == NoteCode::SeveralRuns).map(|note| note.message.as_str())
    }

    /// Returns whether only a part of the input was read.
    pub const fn is_partial(&self) -> bool {
        match &self.side {
            Side::Capture(capture) => capture.0.partial,
            Side::Report(report) => report.origin.partial.is_some(),
        }
    }
}

/// Compares two sessions, a baseline and an experiment.
///
/// # Errors
/// Returns a [`Failure`] if a side is a report without what a comparison needs.
pub fn compare_sessions(
    a: &mut CompareSide,
    b: &mut CompareSide,
    options: &CompareOptions,
) -> Result<Comparison, Failure> {
    let mut sides = [&mut a.side, &mut b.side].map(|side| match side {
        Side::Capture(capture) => {
            let (session, analysed) = &mut **capture;
            OpenSide::Capture(session, analysed)
        }
        Side::Report(report) => OpenSide::Report(report),
    });
    let [a, b] = &mut sides;
    compare_open(a, b, options)
}

/// The start of a page that holds a report file.
const PAGE_START: &[u8] = b"<!doctype html>";
/// Largest size of a page, in bytes. Browsers open no larger ones.
const MAX_PAGE: u64 = 512 << 20;

/// Returns the report file in an HTML page in place of the page. Other files stay as they are.
fn without_page(input: Input) -> Input {
    let mut start = [0; PAGE_START.len()];
    let is_page = input.source.read_at(0, &mut start).is_ok() && start.eq_ignore_ascii_case(PAGE_START);
    if !is_page || input.source.size() > MAX_PAGE {
        return input;
    }
    let mut page = vec![0; input.source.size() as usize];
    let is_read = input.source.read_at(0, &mut page).is_ok();
    match Some(page).filter(|_| is_read).and_then(|page| report_file(&page)) {
        Some(file) => Input { source: Box::new(file), ..input },
        None => input,
    }
}

/// Returns the failure for a session without a device that can be compared.
pub(super) fn no_device(name: &str) -> Failure {
    Failure {
        title: format!("{name} cannot be compared"),
        message: "It has no device whose ops have times on the clock of events.".to_owned(),
    }
}

/// An open session that is compared.
pub(crate) enum OpenSide<'s> {
    Capture(&'s mut CaptureSession, &'s mut AnalysedSteps),
    Report(&'s Report),
}

/// Compares two open sessions; see [`compare_sessions`].
pub(super) fn compare_open(
    a: &mut OpenSide<'_>,
    b: &mut OpenSide<'_>,
    options: &CompareOptions,
) -> Result<Comparison, Failure> {
    match (a, b) {
        (OpenSide::Capture(a, of_a), OpenSide::Capture(b, of_b)) => Ok(compare_captures((a, of_a), (b, of_b), options)),
        (OpenSide::Report(a), OpenSide::Report(b)) => compare_reports((a, false), (b, false), options),
        (OpenSide::Capture(a, _), OpenSide::Report(b)) => compare_reports((&reduced(a, b)?, true), (b, false), options),
        (OpenSide::Report(a), OpenSide::Capture(b, _)) => compare_reports((a, false), (&reduced(b, a)?, true), options),
    }
}

/// Compares two open captures, each with its analyses. Of several kinds of steps, both sides have that of A.
fn compare_captures(
    (a, steps_a): (&mut CaptureSession, &mut AnalysedSteps),
    (b, steps_b): (&mut CaptureSession, &mut AnalysedSteps),
    options: &CompareOptions,
) -> Comparison {
    steps_a.use_main_kind(a);
    steps_b.use_main_kind(b);
    steps_b.use_kind(b, steps_a.step_kind());
    let (memory_a, memory_b) = match paired_program(&steps_a.derived.peaks, &steps_b.derived.peaks) {
        Ok((program_a, program_b)) => (steps_a.memory(a, program_a), steps_b.memory(b, program_b)),
        Err(absent) => (Err(absent.clone()), Err(absent)),
    };
    let programs_a = QueryPrograms::new(&a.profile, &mut a.programs);
    let programs_b = QueryPrograms::new(&b.profile, &mut b.programs);
    let (module_a, module_b) = (|id| programs_a.module(id), |id| programs_b.module(id));
    compare(
        &steps_a.session((&a.profile, &a.analysis), &module_a, &memory_a, a.partial),
        &steps_b.session((&b.profile, &b.analysis), &module_b, &memory_b, b.partial),
        options,
    )
}
