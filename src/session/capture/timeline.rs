//! This module answers the requests of the timeline. The tracks and the lanes that have been shown are kept.

use super::CaptureSession;
use super::event_rows::EventRows;
use super::timeline_export;
use crate::analysis::base::{Analysis, FilterError};
use crate::analysis::timeline::columns::EVENT_TABLE;
use crate::analysis::timeline::{SeriesRange, SeriesRef, TimelineIndex};
use crate::protocol::table_query::{TableAction, TableQuery};
use crate::protocol::{MAX_LISTED_STEPS, Reply, TimelineRequest, requests};
use crate::session::programs::{Programs, QueryPrograms};
use crate::session::table_answer;
use crate::table::answer::{CachedOrder, TableRows};
use xla_profile::profile::Profile;

/// Lists the tracks of a session, with the clocks of its hosts aligned if they are known to differ.
fn aligned_index(profile: &Profile, analysis: &Analysis, programs: &mut Programs) -> TimelineIndex {
    let query_programs = QueryPrograms::new(profile, programs);
    TimelineIndex::aligned(profile, analysis, Some(&|id| query_programs.module(id)))
}

impl CaptureSession {
    /// Returns the tracks, and what they are made of.
    pub(crate) fn tracks(&mut self) -> (&mut TimelineIndex, &Profile, &Analysis) {
        let Self { profile, analysis, timeline, programs, .. } = self;
        (timeline.get_or_insert_with(|| aligned_index(profile, analysis, programs)), profile, analysis)
    }

    /// Answers a request about the table of events: of a window, or of a search.
    pub(crate) fn event_rows(&mut self, table_of: &TableQuery, action: &TableAction) -> Reply {
        let kept = match self.event_rows.take().filter(|kept| kept.table == *table_of) {
            Some(kept) => Ok(kept),
            None => self.find_rows(table_of),
        };
        let mut kept = match kept {
            Ok(kept) => kept,
            Err(error) => return Reply::BadFilter(error),
        };
        let order = std::mem::take(&mut kept.order);
        let mut table =
            TableRows::new(&EVENT_TABLE, &kept.rows, None, |shown| Some(shown.head), order).with_more(kept.more);
        let reply = table_answer::answer(&mut table, action);
        kept.order = table.into_cached_order();
        self.event_rows = Some(kept);
        reply
    }

    /// Finds the events of a table.
    fn find_rows(&mut self, table: &TableQuery) -> Result<EventRows, FilterError> {
        let (index, profile, _) = self.tracks();
        let (rows, n) = match table {
            TableQuery::Hits(query) => {
                let found = index.search(profile, query)?;
                (found.hits, found.n)
            }
            TableQuery::Events(query) => {
                let found = index.events(profile, query);
                (found.events, found.n)
            }
            _ => (Vec::new(), 0),
        };
        let more = u32::try_from(n.saturating_sub(rows.len() as u64)).unwrap_or(u32::MAX);
        Ok(EventRows { table: table.clone(), rows, more, order: CachedOrder::default() })
    }

    /// Answers [`ViewRequest::Timeline`](crate::protocol::ViewRequest::Timeline).
    pub(super) fn timeline(&mut self, request: &TimelineRequest) -> Reply {
        let Self { profile, analysis, timeline, programs, event_rows, .. } = self;
        let index = timeline.get_or_insert_with(|| aligned_index(profile, analysis, programs));
        match request {
            TimelineRequest::Tracks { is_aligned, step } => {
                index.align(profile, analysis, *is_aligned);
                *event_rows = None;
                Reply::answer_to::<requests::Tracks>(&index.timeline.with_first_steps(MAX_LISTED_STEPS, *step))
            }
            TimelineRequest::Picture(query) => {
                Reply::answer_to::<requests::Picture>(&index.picture(profile, analysis, query))
            }
            TimelineRequest::SeriesRanges { series, start, end } => {
                let range = |id: &SeriesRef| index.series_range(profile, analysis, *id, (*start, *end));
                Reply::answer_to::<requests::SeriesRanges>(
                    &series.iter().filter_map(range).collect::<Vec<SeriesRange>>(),
                )
            }
            TimelineRequest::Event(query) => {
                Reply::answer_to::<requests::Event>(&index.event(profile, analysis, *query))
            }
            TimelineRequest::Events(query) => Reply::answer_to::<requests::Events>(&index.events(profile, query)),
            TimelineRequest::Flows(query) => Reply::answer_to::<requests::Flows>(&index.all_flows(profile, query)),
            TimelineRequest::Search(query) => {
                Reply::answer_or_bad_filter::<requests::Search>(index.search(profile, query))
            }
            TimelineRequest::ExportXSpace(request) => {
                let files = timeline_export::export_xspaces(profile, analysis, programs.files(), *request);
                files.map_or_else(Reply::Failed, |files| Reply::answer_to::<requests::ExportXSpace>(&files))
            }
            TimelineRequest::ExportTrace(query) => {
                let file = timeline_export::export_trace(profile, index, query);
                file.map_or_else(Reply::Failed, |file| Reply::answer_to::<requests::ExportTrace>(&file))
            }
        }
    }
}
