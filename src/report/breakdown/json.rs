//! This module defines the JSON of `rooflight breakdown --json`.

use crate::analysis::base::columns::{KINDS, NOTES};
use crate::analysis::base::{Filter, GroupBy};
use crate::analysis::breakdown::columns::{FILTER, GROUPS};
use crate::analysis::breakdown::{Breakdown, Scopes};
use crate::report::breakdown::scopes_json::nested;
use crate::report::json::first;
use crate::table::{Object, object};
use xla_profile::profile::Note;

/// Returns the first `top` rows of a breakdown. With `scopes`, the rows are a tree with at most `top` children of each
/// scope.
pub fn breakdown<'a>(
    head: Object<'a>,
    b: &'a Breakdown,
    filter: &'a Filter,
    scopes: Option<&'a Scopes>,
    top: usize,
    notes: &'a [Note],
) -> Object<'a> {
    let head = object!(BreakdownHead {
        head: OwnFields = head,
        /// The grouping.
        by: Word(GroupBy) = b.by,
        /// The filter. Null without a filter.
        filter: Object(FILTER) or null = (!filter.is_empty()).then_some(filter),
        /// Sums over the ops that pass the filter.
        shown: Own = shown(b),
    });
    match scopes {
        Some(scopes) => object!(ScopeBreakdown {
            head: OwnFields = head,
            /// The scopes as a tree, by self time, the largest first.
            groups: List(Own) = nested(scopes, b.header.step_duration, top),
            /// Notes on assumptions and on data that is missing.
            notes: Rows(NOTES) = notes,
        }),
        None => object!(Breakdown {
            head: OwnFields = head,
            /// The rows by self time, the largest first. With `--by scope` it is a tree.
            groups: Rows(GROUPS) = first(&b.groups, top),
            /// Notes on assumptions and on data that is missing.
            notes: Rows(NOTES) = notes,
        }),
    }
}

/// Returns the sums over the ops that pass the filter.
fn shown(b: &Breakdown) -> Object<'_> {
    object!(Shown {
        /// Number of rows.
        n_groups: Count = b.n_rows(),
        /// Number of rows that there would be without the text of the filter.
        n_groups_all: Count = b.shown.n_all.into(),
        /// Number of rows that `--within anywhere` would match. Null unless the text of the filter matches no row.
        n_groups_anywhere: Count or null = b.shown.anywhere.map(u64::from),
        /// Number of executions.
        n_events: Executions = b.shown.n_events,
        /// Self time of the ops.
        total_dur_ps: Time = b.shown.total,
        /// The self time as a share of the window.
        pct_of_step: Percent or null = b.shown.of_step,
        kinds: Fields(KINDS) = &b.shown.by_kind,
    })
}
