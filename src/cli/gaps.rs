//! This module runs `rooflight gaps`. Figures and texts come from the library.

use super::open_capture::{OpenCapture, heading, notes_text};
use super::view_args::Output;
use crate::analysis::base::{Filter, GroupBy, Status};
use crate::protocol::Failure;
use crate::report::{gaps, json};
use crate::table::text::Table;

impl OpenCapture<'_> {
    pub(super) fn gaps(&self) -> Result<String, Failure> {
        let gaps = self.analysis.gaps(&self.opened.profile, &self.query(GroupBy::Op, Filter::default())?);
        let notes = self.notes(&gaps.notes);
        let top = self.view.top.unwrap_or(usize::MAX);
        let both = |form: fn(&Table) -> String, top: usize| {
            form(&gaps::table::classes(&gaps)) + "\n" + &form(&gaps::table::gaps(&gaps, top))
        };
        Ok(match self.view.output() {
            Output::Json => {
                let files = self.files();
                let head = json::head_of("gaps", &files, self.partial, &gaps.header, &gaps.totals);
                (self.json)(&gaps::json::gaps(head, &gaps, top, &notes))
            }
            Output::Csv => gaps::table::csv(&gaps, top).csv(),
            Output::Markdown => both(Table::markdown, top),
            Output::Text if gaps.header.status == Status::Absent => notes_text(&notes),
            Output::Text => {
                heading(&gaps.header)
                    + &gaps::table::head(&gaps)
                    + &both(Table::aligned, self.view.top.unwrap_or(20))
                    + &notes_text(&notes)
            }
        })
    }
}
