//! This module makes the report of a comparison, which holds the comparison and the names of its files.

use super::codec;
use super::comparison::SharedComparison;
use super::report::Report;
use crate::analysis::compare::Comparison;
use crate::analysis::files::FileInfo;

impl Report {
    /// Returns the report of a comparison at full detail.
    pub fn of_comparison(comparison: Comparison) -> Self {
        let mut report = codec::blank();
        let file = |name: &String| FileInfo { name: name.clone(), bytes: 0, format: String::new() };
        let sides = [&comparison.a, &comparison.b];
        report.origin.files = sides.into_iter().flat_map(|side| &side.files).map(file).collect();
        (report.origin.level, report.origin.has_sources) = (100, true);
        report.comparison = Some(Box::new(SharedComparison::new(comparison)));
        report
    }
}
