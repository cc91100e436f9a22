//! This module compares two sessions, with the programs of both.

use super::Opened;
use super::overview::overview_and_ledger;
use super::programs::{Programs, QueryPrograms};
use crate::analysis::base::Analysis;
use crate::analysis::compare::{Comparison, Session, compare};
use crate::analysis::data_movement::Programs as Modules;
use crate::analysis::ledger::{LedgerByOp, OpSteps};
use crate::analysis::overview::{Overview, OverviewQuery};

/// A session that is compared.
pub struct CompareSide {
    programs: Programs,
    analysed: Analysed,
}

/// A session with its analyses.
struct Analysed {
    opened: Opened,
    analysis: Analysis,
    overview: Overview,
    by_op: LedgerByOp,
    steps: OpSteps,
    is_partial: bool,
}

impl CompareSide {
    /// Analyses a session for a comparison. `None` if no device has the step of the query, or if the device has no times on the
    /// event clock.
    pub fn new(mut opened: Opened, query: &OverviewQuery) -> Option<Self> {
        let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
        let analysis = Analysis::new(&opened.profile);
        let is_partial = opened.partial.is_some() || analysis.beyond_sums().is_some();
        let files = analysis.file_view_without_times(&opened.profile, &opened.files, is_partial);
        let (overview, mut by_op) = overview_and_ledger(&analysis, &opened.profile, &mut programs, &files, query)?;
        let steps = analysis.op_steps(&opened.profile, by_op.ledger.device, by_op.step)?;
        // Ops are matched in the order in which they first run.
        let plane = &opened.profile.planes[analysis.devices[by_op.ledger.device].plane];
        by_op.ops.sort_by_key(|of| steps.first_start(plane, of.op));
        Some(Self { programs, analysed: Analysed { opened, analysis, overview, by_op, steps, is_partial } })
    }

    /// Returns whether only a part of the input was read.
    pub const fn is_partial(&self) -> bool {
        self.analysed.is_partial
    }
}

impl Analysed {
    fn session<'a>(&'a self, programs: Modules<'a>) -> Session<'a> {
        Session {
            profile: &self.opened.profile,
            analysis: &self.analysis,
            programs: Some(programs),
            by_op: &self.by_op,
            steps: &self.steps,
            overview: &self.overview,
            is_partial: self.is_partial,
        }
    }
}

/// Compares two sessions, a baseline and an experiment. `band` is the share of the baseline's time below which a difference is
/// noise between captures.
pub fn compare_sessions(a: &mut CompareSide, b: &mut CompareSide, band: f64) -> Comparison {
    let programs_a = QueryPrograms::new(&a.analysed.opened.profile, &mut a.programs);
    let programs_b = QueryPrograms::new(&b.analysed.opened.profile, &mut b.programs);
    let (module_a, module_b) = (|id| programs_a.module(id), |id| programs_b.module(id));
    compare(&a.analysed.session(&module_a), &b.analysed.session(&module_b), band)
}
