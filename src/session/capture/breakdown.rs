//! This module answers the breakdown of a capture from cached answers: figures, rows and exported files.

use super::CaptureSession;
use super::breakdown_rows::{BreakdownRows, breakdown_table};
use crate::analysis::base::{FilterError, GroupBy, Query};
use crate::analysis::breakdown::{Breakdown, Figures, RowsLeftOut};
use crate::protocol::table_query::TableAction;
use crate::protocol::{BreakdownHead, Export, Reply};
use crate::report::{breakdown, json};
use crate::session::table_answer::answer;
use crate::table::page::SortBy;
use crate::table::source::Source;
use xla_profile::profile::Note;

impl CaptureSession {
    /// Returns the figures of a query.
    pub(crate) fn head(&mut self, query: &Query) -> Result<BreakdownHead, FilterError> {
        let (profile, analysis) = (&self.profile, &self.analysis);
        let answered = self.answers.get(profile, analysis, query)?;
        let Figures { header, totals, shown, notes, .. } = answered.answer.figures.clone();
        Ok(BreakdownHead {
            query: query.clone(),
            header,
            totals,
            shown,
            n_groups: answered.answer.n_rows() as u32,
            notes: profile.notes.iter().cloned().chain(notes).collect(),
        })
    }

    /// Answers a request about the table of a query.
    pub(crate) fn breakdown_rows(&mut self, query: &Query, action: &TableAction) -> Reply {
        let (profile, analysis) = (&self.profile, &self.analysis);
        let entry = match self.answers.get(profile, analysis, query) {
            Ok(entry) => entry,
            Err(error) => return Reply::BadFilter(error),
        };
        let figures = &entry.answer.figures;
        let rows = BreakdownRows(entry.answer.rows(profile, analysis));
        let order = std::mem::take(&mut entry.order);
        let mut table = breakdown_table(Source::Made(&rows), query, &figures.header, &figures.shown, order);
        let reply = answer(&mut table, action);
        entry.order = table.into_cached_order();
        reply
    }

    /// Returns all rows of a query as text in the given order, in the form that the command line writes.
    pub(crate) fn export_breakdown(
        &mut self,
        query: &Query,
        sort: Option<&SortBy>,
        format: Export,
    ) -> Result<String, FilterError> {
        let (profile, analysis) = (&self.profile, &self.analysis);
        let entry = self.answers.get(profile, analysis, query)?;
        let rows = BreakdownRows(entry.answer.rows(profile, analysis));
        let Figures { header, by, totals, shown, notes } = entry.answer.figures.clone();
        let order = std::mem::take(&mut entry.order);
        let mut table = breakdown_table(Source::Made(&rows), query, &header, &shown, order);
        let groups = table.sorted(sort).iter().map(|i| rows.0.group(*i as usize)).collect();
        entry.order = table.into_cached_order();
        let breakdown = Breakdown { header, by, totals, shown, groups, rest: RowsLeftOut::default(), notes };
        if format == Export::Csv {
            return Ok(breakdown::table::csv(&breakdown, usize::MAX).csv());
        }
        let tree = query.by == GroupBy::Scope;
        let scopes = if tree { Some(analysis.scopes(profile, query, "", 0.0)?) } else { None };
        let notes: Vec<Note> = profile.notes.iter().chain(&breakdown.notes).cloned().collect();
        let names: Vec<String> = self.files.iter().map(|file| file.name.clone()).collect();
        let head = json::head("breakdown", &names, self.partial, &breakdown);
        Ok(json::text(&breakdown::json::breakdown(
            head,
            &breakdown,
            &query.filter,
            scopes.as_ref(),
            usize::MAX,
            &notes,
        )))
    }
}
