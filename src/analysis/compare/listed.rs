//! This module compares two sides of which one or both are reports: there are no programs, and ops are rows of reports.

use super::input::Input;
use super::matching::{ListedOp, match_listed};
use super::report::Comparison;
use super::sections::ProgramDiff;

/// One side of a comparison, as a report holds it.
pub struct ListedSide<'a> {
    pub input: Input<'a>,
    /// The ops of `input` as they are matched, in the same order.
    pub ops: Vec<ListedOp<'a>>,
}

/// Compares two sides. `band` is as in [`compare`](super::compare). `notes` say what the reports leave out, and `no_programs` why
/// programs are not compared.
pub fn compare_listed(
    a: &ListedSide<'_>,
    b: &ListedSide<'_>,
    band: f64,
    no_programs: String,
    notes: Vec<String>,
) -> Comparison {
    let matches = match_listed(&a.ops, &b.ops);
    let diff = |_: &[i64]| ProgramDiff { absent: Some(no_programs), ..ProgramDiff::default() };
    Comparison { notes, ..super::compare_inputs((&a.input, &b.input), &matches, None, band, diff) }
}
