//! This module answers the roofline view from a cached answer: the figures and the points of the chart, the rows of the
//! table, and exported files. It depends on reports, not on a browser.

use super::CaptureSession;
use super::roofline_cache::{RooflineCache, roofline_steps};
use super::roofline_table::{roof_table, step_rows};
use crate::analysis::base::{Analysis, FilterError};
use crate::analysis::roofline::{MAX_GAPS, Roofline, RooflineFigures, RooflineQuery};
use crate::protocol::table_query::TableAction;
use crate::protocol::url::roofline::RoofBy;
use crate::protocol::{Export, Reply, requests};
use crate::report::roofline::json::RoofRows;
use crate::report::{json, roofline};
use crate::session::table_answer::answer;
use crate::table::answer::CachedOrder;
use crate::table::page::SortBy;
use xla_profile::profile::{Note, Profile};

impl CaptureSession {
    /// Returns the answer to a query from the cache, or computes it.
    fn kept_roofline(
        &mut self,
        query: &RooflineQuery,
    ) -> Result<(&mut RooflineCache, &Profile, &Analysis), FilterError> {
        let cached = match self.roofline.take().filter(|cached| cached.query == *query) {
            Some(cached) => cached,
            None => RooflineCache::new(&self.analysis, &self.profile, &mut self.programs, query)?,
        };
        Ok((self.roofline.insert(cached), &self.profile, &self.analysis))
    }

    /// Returns the figures and the points of the chart.
    pub(crate) fn roofline_head(&mut self, query: &RooflineQuery) -> Reply {
        Reply::answer_or_bad_filter::<requests::Roofline>(self.kept_roofline(query).map(|(cached, ..)| cached.head()))
    }

    /// Returns the figures alone.
    ///
    /// # Errors
    /// Returns a [`FilterError`] if the filter is not a valid regular expression.
    pub(super) fn roofline_figures(&mut self, query: &RooflineQuery) -> Result<RooflineFigures, FilterError> {
        Ok(self.kept_roofline(query)?.0.answer.figures.clone())
    }

    /// Answers a request about the table.
    pub(crate) fn roofline_rows(&mut self, query: &RooflineQuery, by: RoofBy, action: &TableAction) -> Reply {
        let cached = match self.kept_roofline(query) {
            Ok((cached, ..)) => cached,
            Err(error) => return Reply::BadFilter(error),
        };
        if by == RoofBy::Step {
            let rows = step_rows(&cached.steps);
            return answer(&mut roof_table(&rows, &cached.answer.figures, by, CachedOrder::default()), action);
        }
        let cached_order = std::mem::take(&mut cached.order);
        let mut table = roof_table(&cached.rows, &cached.answer.figures, by, cached_order);
        let reply = answer(&mut table, action);
        cached.order = table.into_cached_order();
        reply
    }

    /// Returns all rows as text in the form that `rooflight roofline` writes.
    pub(crate) fn export_roofline(
        &mut self,
        query: &RooflineQuery,
        sort: Option<&SortBy>,
        format: Export,
    ) -> Result<String, FilterError> {
        let steps = roofline_steps(&self.analysis, &self.profile, &mut self.programs, query)?;
        let (files, partial) = (self.files.iter().map(|file| file.name.clone()).collect::<Vec<_>>(), self.partial);
        let (cached, profile, analysis) = self.kept_roofline(query)?;
        let order = cached.sorted(sort);
        if format == Export::Csv {
            let rows = order.iter().filter_map(|row| cached.answer.row(profile, analysis, *row)).collect();
            let roofline = Roofline { figures: cached.answer.figures.clone(), rows };
            return Ok(roofline::table::csv(&roofline).csv());
        }
        let figures = &cached.answer.figures;
        let notes: Vec<Note> = profile.notes.iter().chain(&figures.notes).cloned().collect();
        let head = json::head_of("roofline", &files, partial, &figures.header, &figures.totals);
        let rows = RoofRows::Built { answer: &cached.answer, profile, analysis, order: &order };
        let by = query.query.by;
        Ok(json::text(&roofline::json::roofline(head, by, figures, rows, &steps, MAX_GAPS, &notes)))
    }
}
