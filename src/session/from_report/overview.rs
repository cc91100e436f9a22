//! This module answers the overview from a report.

use super::{ReportSession, notes};
use crate::analysis::overview::{Overview, OverviewQuery};
use crate::protocol::Reply;

impl ReportSession {
    /// Returns the overview of the report.
    ///
    /// # Errors
    /// Returns the reply that names what the report lacks.
    pub(super) fn overview(&self, query: &OverviewQuery) -> Result<Option<Overview>, Reply> {
        self.check_device_and_step(&query.ledger.roofline.query)?;
        let overview = self.report.overview.clone().ok_or_else(|| self.missing("the overview"))?;
        let notes = notes(&self.report, &self.report.notes);
        Ok(Some(Overview { notes, ..overview }))
    }
}
