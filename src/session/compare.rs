//! This module compares two sessions, with the programs of both.

use super::Opened;
use super::capture::CaptureSession;
use super::memory::static_memory;
use super::overview::{DerivedOverview, overview_and_inputs};
use super::programs::QueryPrograms;
use crate::analysis::base::{Analysis, DeviceChoice, Query};
use crate::analysis::captures::{CaptureSummary, TopFinding};
use crate::analysis::compare::{Comparison, SeriesPoint, Session, compare, paired_program};
use crate::analysis::data_movement::Programs as Modules;
use crate::analysis::files::FileProgram;
use crate::analysis::ledger::OpSteps;
use crate::analysis::memory::{MemoryQuery, StaticMemory};
use crate::analysis::overview::OverviewQuery;
use crate::analysis::roofline::RooflineQuery;
use crate::profile::{Plane, Profile};

/// Returns the time at which the profile was started, in ns since 1970; that of the first host. `None` if it is unknown.
pub(crate) fn start_ns(profile: &Profile) -> Option<u64> {
    profile.planes.iter().filter_map(Plane::start_ns).min()
}

/// A session that is compared.
pub struct CompareSide {
    session: CaptureSession,
    analysed: AnalysedSteps,
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
        by_op.ops.sort_by_key(|of| steps.first_start(plane, of.op));
        Some(Self { derived, file_programs: files.programs, steps })
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

    fn session<'a>(
        &'a self,
        (profile, analysis): (&'a Profile, &'a Analysis),
        programs: Modules<'a>,
        memory: &'a Result<StaticMemory, String>,
        is_partial: bool,
    ) -> Session<'a> {
        let DerivedOverview { overview, by_op, comm, runtime, .. } = &self.derived;
        Session {
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
        Some(Self { session, analysed })
    }

    /// Returns what a series of captures needs of this one.
    pub fn series_point(&self) -> SeriesPoint {
        let CaptureSession { profile, analysis, partial, .. } = &self.session;
        let memory = Err(String::new());
        let session = self.analysed.session((profile, analysis), &|_| None, &memory, *partial);
        let start_ns = start_ns(profile);
        SeriesPoint { head: session.head(), start_ns, figures: session.overview.figures.clone() }
    }

    /// Returns what a list of captures keeps of this one.
    pub fn summary(&self) -> CaptureSummary {
        let overview = &self.analysed.derived.overview;
        let findings = || overview.findings.iter().chain(&overview.options).chain(&overview.memory);
        let first = findings().next();
        CaptureSummary {
            point: self.series_point(),
            period: overview.period,
            kinds: overview.kinds.iter().map(|of| (of.kind, of.total)).collect(),
            verdict: overview.verdict.clone(),
            top_finding: first.map(|of| TopFinding { title: of.title.clone(), at_stake: of.at_stake }),
            n_findings: findings().count() as u32,
            is_partial: self.is_partial(),
        }
    }

    /// Returns whether only a part of the input was read.
    pub const fn is_partial(&self) -> bool {
        self.session.partial
    }
}

/// Compares two sessions, a baseline and an experiment. `band` is the share of the baseline's time below which a difference is
/// noise between captures.
pub fn compare_sessions(a: &mut CompareSide, b: &mut CompareSide, band: f64) -> Comparison {
    compare_captures((&mut a.session, &a.analysed), (&mut b.session, &b.analysed), band)
}

/// Compares two open captures, each with its analyses.
pub(super) fn compare_captures(
    (a, steps_a): (&mut CaptureSession, &AnalysedSteps),
    (b, steps_b): (&mut CaptureSession, &AnalysedSteps),
    band: f64,
) -> Comparison {
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
        band,
    )
}
