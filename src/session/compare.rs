//! This module compares two sessions, with the programs of both.

use super::Opened;
use super::capture::CaptureSession;
use super::overview::overview_and_ledger;
use super::programs::QueryPrograms;
use crate::analysis::base::{Analysis, DeviceChoice, Query};
use crate::analysis::compare::{Comparison, Session, compare};
use crate::analysis::data_movement::Programs as Modules;
use crate::analysis::ledger::{LedgerByOp, OpSteps};
use crate::analysis::overview::{Overview, OverviewQuery};
use crate::analysis::roofline::RooflineQuery;
use crate::profile::Profile;

/// A session that is compared.
pub struct CompareSide {
    session: CaptureSession,
    analysed: AnalysedSteps,
}

/// The analyses of a session that a comparison needs: those of the steps of the device on which they depend.
pub(crate) struct AnalysedSteps {
    overview: Overview,
    by_op: LedgerByOp,
    steps: OpSteps,
}

impl AnalysedSteps {
    /// Analyses a session. `None` if no device has the step of the query, or if the device has no times on the event clock.
    pub(super) fn new(session: &mut CaptureSession, query: &OverviewQuery) -> Option<Self> {
        let CaptureSession { profile, analysis, programs, files, partial, .. } = session;
        let files = analysis.file_view_without_times(profile, files, *partial);
        let (overview, mut by_op) = overview_and_ledger(analysis, profile, programs, &files, query)?;
        let steps = analysis.op_steps(profile, by_op.ledger.device, by_op.step)?;
        // Ops are matched in the order in which they first run.
        let plane = &profile.planes[analysis.devices[by_op.ledger.device].plane];
        by_op.ops.sort_by_key(|of| steps.first_start(plane, of.op));
        Some(Self { overview, by_op, steps })
    }

    /// Returns the query of the device and the steps that are compared.
    pub(super) fn query(&self) -> RooflineQuery {
        let device = DeviceChoice::One(self.by_op.ledger.device as u32);
        RooflineQuery { query: Query { device, step: self.by_op.step, ..Query::default() }, ..RooflineQuery::default() }
    }

    fn session<'a>(
        &'a self,
        (profile, analysis): (&'a Profile, &'a Analysis),
        programs: Modules<'a>,
        is_partial: bool,
    ) -> Session<'a> {
        Session {
            profile,
            analysis,
            programs: Some(programs),
            by_op: &self.by_op,
            steps: &self.steps,
            overview: &self.overview,
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
    let programs_a = QueryPrograms::new(&a.profile, &mut a.programs);
    let programs_b = QueryPrograms::new(&b.profile, &mut b.programs);
    let (module_a, module_b) = (|id| programs_a.module(id), |id| programs_b.module(id));
    compare(
        &steps_a.session((&a.profile, &a.analysis), &module_a, a.partial),
        &steps_b.session((&b.profile, &b.analysis), &module_b, b.partial),
        band,
    )
}
