//! This module describes a report in a sentence: the session, the device and the step, and the rows that its sender left out.

use super::level::Level;
use super::report::Report;
use crate::table::format::count;
use crate::table::words::joined;

/// Tables that the sentence does not count. Points of the roofline are ops, and views of steps give the number of all steps.
const UNCOUNTED: [&str; 2] = ["Roofline points", "Steps"];

impl Report {
    /// Returns a sentence about the report for its readers.
    pub fn sentence(&self) -> String {
        let about = match &self.comparison {
            Some(shared) => {
                let [a, b] = shared.names();
                format!("This is a shared comparison of {a} (A) with {b} (B).")
            }
            None => format!("This is a summary of {}; it holds {}.", self.files(), self.holds()),
        };
        let sent = match (self.rows_sent(), self.row_digits()) {
            (Some(rows), Some(digits)) => format!("; {rows} were sent, with {digits} digits in rows"),
            (Some(rows), None) => format!("; {rows} were sent"),
            (None, Some(digits)) => format!("; amounts in rows have {digits} digits"),
            (None, None) if self.comparison.is_none() => return about,
            (None, None) => String::new(),
        };
        format!("{about} Its figures are those of its sender{sent}.")
    }

    /// Returns the rows that were sent of the tables that lack some, such as `4 of 1,019 ops and 3 of 93 collectives`. `None` if no
    /// table lacks rows.
    fn rows_sent(&self) -> Option<String> {
        let tables = self.tables().into_iter();
        let cut = tables.filter(|table| table.shown < table.total && !UNCOUNTED.contains(&table.title.as_str()));
        let texts =
            cut.map(|table| format!("{} of {} {}", count(table.shown), count(table.total), table.title.to_lowercase()));
        let texts: Vec<String> = texts.collect();
        (!texts.is_empty()).then(|| joined(&texts))
    }

    /// Returns the number of digits of amounts in rows. `None` if all digits are kept.
    pub fn row_digits(&self) -> Option<u32> {
        // The numbers of a comparison are exact at every level.
        Level::from_slider(self.origin.level).digits.filter(|_| self.comparison.is_none())
    }
}
