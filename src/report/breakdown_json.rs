//! This module defines the JSON of `rooflight breakdown --json`.

use super::json::{HeadJson, first};
use super::scopes_json::{ScopeJson, nested};
use crate::analysis::base::Filter;
use crate::analysis::breakdown::columns::{GROUPS, KINDS};
use crate::analysis::breakdown::{Breakdown, Group, Scopes, Shown};
use crate::analysis::classify::Kind;
use crate::profile::Note;
use crate::table::json::{Row, Rows};
use crate::units::{Count, Picos};
use serde::Serialize;

/// The JSON of `rooflight breakdown --json`.
#[derive(Serialize)]
pub struct BreakdownJson<'a> {
    #[serde(flatten)]
    head: HeadJson<'a>,
    by: &'static str,
    filter: Option<FilterJson<'a>>,
    shown: ShownJson<'a>,
    groups: GroupsJson<'a>,
    notes: &'a [Note],
}

/// Rows of the breakdown. Scopes form a tree.
#[derive(Serialize)]
#[serde(untagged)]
enum GroupsJson<'a> {
    Flat(Rows<'a, Group>),
    Nested(Vec<ScopeJson<'a>>),
}

#[derive(Serialize)]
struct FilterJson<'a> {
    text: &'a str,
    within: &'static str,
    regex: bool,
    kind: Option<&'static str>,
    scope: &'a str,
}

impl<'a> FilterJson<'a> {
    fn new(filter: &'a Filter) -> Option<Self> {
        (!filter.is_empty()).then(|| Self {
            text: &filter.text,
            within: filter.within.key(),
            regex: filter.regex,
            kind: filter.kind.map(Kind::key),
            scope: &filter.scope,
        })
    }
}

/// Sums over the ops that pass the filter.
#[derive(Serialize)]
struct ShownJson<'a> {
    n_groups: u64,
    n_groups_all: u32,
    n_groups_anywhere: Option<u32>,
    n_events: Count,
    total_dur_ps: Picos,
    pct_of_step: Option<f64>,
    #[serde(flatten)]
    kinds: Row<'a, [Picos; 7]>,
}

impl<'a> ShownJson<'a> {
    fn new(shown: &'a Shown, n_groups: u64) -> Self {
        Self {
            n_groups,
            n_groups_all: shown.n_all,
            n_groups_anywhere: shown.anywhere,
            n_events: shown.n_events,
            total_dur_ps: shown.total,
            pct_of_step: shown.of_step.map(|f| f * 100.0),
            kinds: Row { columns: KINDS, row: &shown.by_kind },
        }
    }
}

/// Returns the first `top` rows of a breakdown. With `scopes`, the rows are a tree with at most `top` children of each
/// scope.
pub fn breakdown<'a>(
    head: HeadJson<'a>,
    b: &'a Breakdown,
    filter: &'a Filter,
    scopes: Option<&'a Scopes>,
    top: usize,
    notes: &'a [Note],
) -> BreakdownJson<'a> {
    let groups = match scopes {
        Some(scopes) => GroupsJson::Nested(nested(scopes, b.header.step_duration, top)),
        None => GroupsJson::Flat(Rows { columns: GROUPS, rows: first(&b.groups, top) }),
    };
    let shown = ShownJson::new(&b.shown, b.n_rows());
    BreakdownJson { head, by: b.by.key(), filter: FilterJson::new(filter), shown, groups, notes }
}
