//! This module compares two sessions, with the programs of both.

use super::Opened;
use super::overview::overview_and_ledger;
use super::programs::{Programs, QueryPrograms};
use crate::analysis::base::Analysis;
use crate::analysis::compare::{Comparison, Session, compare};
use crate::analysis::ledger::{LedgerByOp, OpSteps, OwnedOp};
use crate::analysis::overview::{Overview, OverviewQuery};

/// A session that is compared.
pub struct CompareSide {
    opened: Opened,
    analysis: Analysis,
    programs: Programs,
    overview: Overview,
    by_op: LedgerByOp,
    steps: OpSteps,
}

impl CompareSide {
    /// Analyses a session for a comparison. `None` if no device has the step of the query, or if the device has no times on the
    /// event clock.
    pub fn new(mut opened: Opened, query: &OverviewQuery) -> Option<Self> {
        let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
        let analysis = Analysis::new(&opened.profile);
        let is_partial = opened.partial.is_some();
        let files = analysis.file_view_without_times(&opened.profile, &opened.files, is_partial);
        let (overview, mut by_op) = overview_and_ledger(&analysis, &opened.profile, &mut programs, &files, query)?;
        let steps = analysis.op_steps(&opened.profile, by_op.ledger.device, by_op.step)?;
        // Ops are matched in the order in which they first run.
        let plane = &opened.profile.planes[analysis.devices[by_op.ledger.device].plane];
        let first_start =
            |of: &OwnedOp| steps.ops.get(&plane.op(of.op).key()).map_or(u64::MAX, |times| times.first_start);
        by_op.ops.sort_by_key(first_start);
        Some(Self { opened, analysis, programs, overview, by_op, steps })
    }

    /// Returns whether only a part of the input was read.
    pub fn is_partial(&self) -> bool {
        self.opened.partial.is_some() || self.analysis.beyond_sums().is_some()
    }
}

/// Compares two sessions, a baseline and an experiment. `band` is the share of the baseline's time below which a difference is
/// noise between captures.
pub fn compare_sessions(a: &mut CompareSide, b: &mut CompareSide, band: f64) -> Comparison {
    let (partial_a, partial_b) = (a.is_partial(), b.is_partial());
    let programs_a = QueryPrograms::new(&a.opened.profile, &mut a.programs);
    let programs_b = QueryPrograms::new(&b.opened.profile, &mut b.programs);
    let (module_a, module_b) = (|id| programs_a.module(id), |id| programs_b.module(id));
    let a = Session {
        profile: &a.opened.profile,
        analysis: &a.analysis,
        programs: Some(&module_a),
        by_op: &a.by_op,
        steps: &a.steps,
        overview: &a.overview,
        is_partial: partial_a,
    };
    let b = Session {
        profile: &b.opened.profile,
        analysis: &b.analysis,
        programs: Some(&module_b),
        by_op: &b.by_op,
        steps: &b.steps,
        overview: &b.overview,
        is_partial: partial_b,
    };
    compare(&a, &b, band)
}
