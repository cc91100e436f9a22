//! The roofline with the programs loaded; and as the page asks for it: figures, marks of a chart, some rows in some order.
//! Knows reports; no browser.

use super::capture::CaptureSession;
use super::roofline_cache::RooflineCache;
use super::row_order::window;
use crate::analysis::base::{Analysis, FilterError};
use crate::analysis::roofline::{MAX_GAPS, Roofline, RooflineFigures, RooflineQuery, StepRoof};
use crate::profile::{Note, Profile};
use crate::protocol::{Export, Reply, RoofPoint, RoofRowsPage, RoofRowsQuery, RoofSort};
use crate::report::{json, roofline_json, roofline_table};

impl CaptureSession {
    /// The answer to a question, kept from before or made now.
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

    /// The figures, and the marks of a chart.
    pub(crate) fn roofline_head(&mut self, query: &RooflineQuery) -> Reply {
        match self.kept_roofline(query) {
            Ok((cached, profile, analysis)) => Reply::answer_to_question(&cached.head(profile, analysis)),
            Err(error) => Reply::BadFilter(error),
        }
    }

    /// Figures, steps and all rows, most time first: what a report is made of.
    ///
    /// # Errors
    /// [`FilterError`] where the filter's text is to be a regular expression and is none.
    pub(crate) fn roofline_part(
        &mut self,
        query: &RooflineQuery,
    ) -> Result<(RooflineFigures, Vec<StepRoof>, Vec<RoofPoint>), FilterError> {
        let (cached, profile, analysis) = self.kept_roofline(query)?;
        let points = cached.answer.order().iter().map(|row| cached.point(profile, analysis, *row)).collect();
        Ok((cached.answer.figures.clone(), cached.steps.clone(), points))
    }

    /// Some rows.
    pub(crate) fn roofline_rows(&mut self, query: &RoofRowsQuery) -> Reply {
        let (cached, profile, analysis) = match self.kept_roofline(&query.query) {
            Ok(cached) => cached,
            Err(error) => return Reply::BadFilter(error),
        };
        let order = cached.sorted(profile, analysis, query.sort);
        let rows = order[window(order.len(), query.first, query.count)].to_vec();
        let rows = rows.into_iter().map(|row| cached.point(profile, analysis, row)).collect();
        Reply::answer_to_question(&RoofRowsPage { first: query.first, rows })
    }

    /// All rows as text: what `rooflight roofline` writes.
    pub(crate) fn export_roofline(&mut self, query: &RooflineQuery, sort: RoofSort, format: Export) -> Reply {
        let (files, partial) = (self.files.iter().map(|file| file.name.clone()).collect::<Vec<_>>(), self.partial);
        let (cached, profile, analysis) = match self.kept_roofline(query) {
            Ok(cached) => cached,
            Err(error) => return Reply::BadFilter(error),
        };
        let order = cached.sorted(profile, analysis, sort).to_vec();
        let rows = order.iter().filter_map(|row| cached.answer.row(profile, analysis, *row)).collect();
        let roofline = Roofline { figures: cached.answer.figures.clone(), rows };
        if format == Export::Csv {
            return Reply::Exported(roofline_table::csv(&roofline).csv());
        }
        let figures = &roofline.figures;
        let notes: Vec<Note> = profile.notes.iter().chain(&figures.notes).cloned().collect();
        let head = json::head_of("roofline", &files, partial, &figures.header, &figures.totals);
        let by = query.query.by;
        Reply::Exported(json::text(&roofline_json::roofline(
            head,
            by,
            figures,
            &roofline.rows,
            &cached.steps,
            MAX_GAPS,
            &notes,
        )))
    }
}
