//! This module describes in words how many rows pass the filter of the breakdown.

use crate::analysis::base::{FilterField, GroupBy, Query};
use crate::analysis::breakdown::columns::nouns;
use crate::protocol::BreakdownHead;
use crate::table::format;

/// Returns a sentence with the number, the time and the share of all rows. `None` if a filter hides some of them.
pub fn unfiltered(head: &BreakdownHead) -> Option<String> {
    let all = || format!("All {}, {}.", counted(head.query.by, head.n_groups), time_and_share(head));
    (head.query.filter.is_empty() && head.n_groups > 0).then(all)
}

/// Returns a sentence with the number, the time and the share of the rows that pass the filter. `None` if the filter is
/// empty.
pub fn filtered(head: &BreakdownHead) -> Option<String> {
    let filter = &head.query.filter;
    if filter.is_empty() {
        return None;
    }
    let of_all = counted(head.query.by, head.shown.n_all);
    let mut words = format!("{} of {of_all}, {}.", format::count(head.n_groups.into()), time_and_share(head));
    if !filter.text.is_empty() && filter.within == FilterField::Anywhere {
        words.push_str(" Also counts ops whose outer scope matches.");
    }
    Some(words)
}

/// Returns the time of the rows, and its share of the window.
fn time_and_share(head: &BreakdownHead) -> String {
    let share = |fraction| format!(", {} of the {}", format::percent_text(fraction), head.header.window_word());
    format::time_text(head.shown.total) + &head.shown.of_step.map_or_else(String::new, share)
}

/// Returns the message for a filter that no row passes.
pub fn none(query: &Query) -> String {
    let filter = &query.filter;
    let noun = nouns(query.by).1;
    if filter.text.is_empty() {
        return format!("No {noun} here.");
    }
    let place = match filter.within {
        FilterField::Leaf => "op names",
        FilterField::Source => "source lines",
        FilterField::Anywhere => "names and scope paths",
    };
    format!("No {noun} match “{}” in {place}.", filter.text)
}

/// Returns a count with the noun of the grouping: "357 ops", "1 category".
fn counted(by: GroupBy, n: u32) -> String {
    let (one, many) = nouns(by);
    format::counted(n.into(), one, many)
}
