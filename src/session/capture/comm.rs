//! This module answers the communication view: it runs the analysis with the programs of the session, and limits the
//! rows for the page. It depends on reports, not on a browser.

use super::CaptureSession;
use crate::analysis::base::Analysis;
use crate::analysis::comm::{Comm, CommLanes, CommQuery, CommRow, LaneQuery};
use crate::protocol::{CommView, Export, MAX_LISTED_STEPS, Reply, requests};
use crate::report::{comm, json};
use crate::session::programs::{Programs, QueryPrograms};
use xla_profile::profile::Profile;
use xla_profile::units::Picos;

/// Largest number of rows of collectives, and of copies, that the page receives: those with the most exposed time, and
/// the one with the lowest bandwidth.
const MAX_ROWS: usize = 1000;

/// Returns the collectives, the copies and their exposed time. Sizes and device groups come from the programs.
pub fn comm(analysis: &Analysis, profile: &Profile, programs: &mut Programs, query: &CommQuery) -> Comm {
    let query_programs = QueryPrograms::new(profile, programs);
    analysis.comm(profile, query, Some(&|id| query_programs.module(id)))
}

/// Returns communication as [`comm()`] does, but only the `max_steps` steps with the lowest numbers.
pub fn comm_within(
    analysis: &Analysis,
    profile: &Profile,
    programs: &mut Programs,
    query: &CommQuery,
    max_steps: usize,
) -> Comm {
    let query_programs = QueryPrograms::new(profile, programs);
    analysis.comm_within(profile, query, Some(&|id| query_programs.module(id)), max_steps)
}

/// Returns the intervals of collectives and copies in one step of one device, in rows without overlap.
pub fn comm_lanes(analysis: &Analysis, profile: &Profile, programs: &mut Programs, query: &LaneQuery) -> CommLanes {
    let query_programs = QueryPrograms::new(profile, programs);
    analysis.comm_lanes(profile, query, Some(&|id| query_programs.module(id)))
}

impl CaptureSession {
    /// Returns the answer to a query. The last answer is cached, because the page first shows it and then may export
    /// it.
    pub(crate) fn comm_answer(&mut self, query: &CommQuery) -> &Comm {
        let Self { profile, analysis, programs, comm: cached, .. } = self;
        if cached.as_ref().is_none_or(|(for_query, _)| for_query != query) {
            *cached = None;
        }
        &cached.get_or_insert_with(|| (query.clone(), comm(analysis, profile, programs, query))).1
    }

    /// Answers [`ViewRequest::Comm`](crate::protocol::ViewRequest::Comm).
    pub(crate) fn comm_view(&mut self, query: &CommQuery) -> Reply {
        let mut comm = self.comm_answer(query).clone();
        comm.dcn.truncate(MAX_ROWS);
        comm.steps.truncate(MAX_LISTED_STEPS);
        let (more, more_copies) = (cut(&mut comm.rows), cut(&mut comm.copy_rows));
        Reply::answer_to::<requests::Comm>(&CommView { query: query.clone(), comm, more, more_copies })
    }

    /// Answers [`ViewRequest::CommLanes`](crate::protocol::ViewRequest::CommLanes).
    pub(crate) fn comm_lanes_view(&mut self, query: &LaneQuery) -> Reply {
        let Self { profile, analysis, programs, .. } = self;
        Reply::answer_to::<requests::CommLanes>(&comm_lanes(analysis, profile, programs, query))
    }

    /// Returns communication in the form that `rooflight comm` writes.
    pub(crate) fn export_comm(&mut self, query: &CommQuery, format: Export) -> String {
        let names = self.file_names();
        let (mut notes, is_partial) = (self.profile.notes.clone(), self.partial);
        let comm = self.comm_answer(query);
        if format == Export::Csv {
            return comm::table::csv(comm, usize::MAX).csv();
        }
        notes.extend(comm.notes.iter().cloned());
        let head = json::head_of("comm", &names, is_partial, &comm.header, &comm.totals);
        json::text(&comm::json::comm(head, comm, usize::MAX, &notes))
    }
}

/// Limits the rows to [`MAX_ROWS`]. Returns the number and the exposed time of the rows that are removed.
fn cut(rows: &mut Vec<CommRow>) -> (u32, Picos) {
    let rest = CommRow::cut(rows, MAX_ROWS);
    (rest.len() as u32, rest.iter().map(|row| row.overlap.exposed).sum())
}
