//! This module answers how far a window uses the hardware: utilization of FLOPs and bandwidth, exposed communication, and
//! the time of each phase.

use super::CaptureSession;
use crate::analysis::base::{Filter, FilterError, GroupBy, Query};
use crate::analysis::classify::Phase;
use crate::analysis::comm::{Comm, CommQuery, Overlap};
use crate::analysis::roofline::{RooflineFigures, RooflineQuery};
use crate::protocol::tables::Utilization;
use crate::protocol::{Reply, requests};
use crate::session::programs::QueryPrograms;
use xla_profile::units::Picos;

impl CaptureSession {
    /// Answers [`ViewRequest::Utilization`](crate::protocol::ViewRequest::Utilization).
    pub(super) fn utilization(&mut self, query: &RooflineQuery) -> Reply {
        Reply::answer_or_bad_filter::<requests::Utilization>(self.utilization_of(unfiltered(query)))
    }

    fn utilization_of(&mut self, query: RooflineQuery) -> Result<Utilization, FilterError> {
        let figures = self.roofline_figures(&query)?;
        let collectives = self.collectives_in_flight(&query.query);
        let phases = self.phases(&query.query)?;
        Ok(Utilization { figures: without_lists(figures), collectives, phases, query })
    }

    /// Returns the collectives in flight, from the answer of the communication view if it is there.
    fn collectives_in_flight(&mut self, query: &Query) -> Option<Overlap> {
        let query = CommQuery { query: query.clone(), ..CommQuery::default() };
        let Self { profile, analysis, programs, comm, .. } = self;
        if let Some((_, comm)) = comm.as_ref().filter(|(other, _)| *other == query) {
            return in_flight(comm);
        }
        let programs = QueryPrograms::new(profile, programs);
        analysis.collectives_in_flight(profile, &query, Some(&|id| programs.module(id)))
    }

    /// Returns the self time of the known phases of training, in the order of a step.
    pub(super) fn phases(&mut self, query: &Query) -> Result<Vec<(Phase, Picos)>, FilterError> {
        let by_phase = Query { by: GroupBy::Phase, ..query.clone() };
        let (profile, analysis) = (&self.profile, &self.analysis);
        let rows = self.answers.get(profile, analysis, &by_phase)?.answer.rows(profile, analysis);
        let time_of = |phase: Phase| {
            let row = rows.order().iter().find(|row| rows.key(**row as usize) == phase.label())?;
            Some((phase, Picos(rows.row(*row as usize).self_time))).filter(|(_, time)| *time > Picos::ZERO)
        };
        Ok(Phase::ALL.into_iter().filter(|phase| phase.is_known()).filter_map(time_of).collect())
    }
}

/// Returns the query of all ops of the same device and step.
pub(crate) fn unfiltered(query: &RooflineQuery) -> RooflineQuery {
    let Query { device, step, .. } = query.query;
    RooflineQuery { query: Query { device, step, by: GroupBy::Op, filter: Filter::default() }, ..query.clone() }
}

/// Returns what was in flight; `None` if no collective ran.
pub(crate) fn in_flight(comm: &Comm) -> Option<Overlap> {
    (comm.tensor.n > 0).then_some(comm.tensor.overlap)
}

/// Returns the figures without lists, which the page does not show beside the breakdown.
pub(crate) fn without_lists(figures: RooflineFigures) -> RooflineFigures {
    RooflineFigures { programs: Vec::new(), opaque: Vec::new(), gaps: Vec::new(), notes: Vec::new(), ..figures }
}
