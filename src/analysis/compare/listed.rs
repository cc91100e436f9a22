//! This module compares two sides of which one or both are reports: there are no programs, and ops are rows of reports.

use super::by_hand::pair_by_hand;
use super::input::Input;
use super::matching::{ListedOp, match_listed};
use super::query::CompareOptions;
use super::report::Comparison;
use super::sections::ProgramDiff;

/// One side of a comparison, as a report holds it.
pub struct ListedSide<'a> {
    pub input: Input<'a>,
    /// The ops of `input` as they are matched, in the same order.
    pub ops: Vec<ListedOp<'a>>,
}

/// Compares two sides. `notes` say what the reports leave out, and `no_programs` why
/// programs are not compared.
pub fn compare_listed(
    a: &ListedSide<'_>,
    b: &ListedSide<'_>,
    options: &CompareOptions,
    no_programs: String,
    notes: Vec<String>,
) -> Comparison {
    let mut matches = match_listed(&a.ops, &b.ops);
    let by_hand = pair_by_hand(&mut matches, &a.input, &b.input, &options.pairs);
    let diff = |_: &[i64]| ProgramDiff { absent: Some(no_programs), ..ProgramDiff::default() };
    let mut comparison = super::compare_inputs((&a.input, &b.input), &matches, None, options.band, diff);
    comparison.notes.extend(notes.into_iter().chain(by_hand));
    comparison
}
