//! This module defines the JSON of the command line. The names of fields are a contract: they are added, never renamed.
//!
//! Durations are integer picoseconds and end in `_ps`, `pct_*` are percentages, and an absent value is `null`. This
//! module defines the names and the order of the fields; it computes nothing but percentages and sums of kinds.

use super::scopes_json::{ScopeJson, nested};
use crate::analysis::base::{Filter, Header, Spread, Status, Totals};
use crate::analysis::breakdown::columns::{GROUPS, KINDS, SPREAD};
use crate::analysis::breakdown::{Breakdown, Group, Scopes, Shown};
use crate::analysis::classify::Kind;
use crate::profile::Note;
pub use crate::table::json::text;
use crate::table::json::{Row, Rows};
use crate::units::{Count, Picos};
use serde::Serialize;
use std::collections::BTreeMap;

/// The fields at the start of every view.
#[derive(Serialize)]
pub struct HeadJson<'a> {
    status: Status,
    view: &'static str,
    files: &'a [String],
    device: Option<&'a str>,
    n_devices: u32,
    device_type: Option<&'a str>,
    step: &'a str,
    n_steps: u32,
    n_mean_steps: Option<u32>,
    n_mean_devices: Option<u32>,
    mean_periods: Option<Row<'a, Spread>>,
    step_window_ps: Option<(Picos, Picos)>,
    step_duration_ps: Option<Picos>,
    totals: TotalsJson<'a>,
}

#[derive(Serialize)]
struct TotalsJson<'a> {
    n_events_total: Count,
    n_events_unresolved: Count,
    #[serde(flatten)]
    kinds: Row<'a, [Picos; 7]>,
    container_duration_ps: Picos,
    busy_duration_ps: Picos,
    union_ps: Picos,
    idle_duration_ps: Picos,
    unknown_categories: &'a BTreeMap<String, Picos>,
}

impl<'a> TotalsJson<'a> {
    fn new(t: &'a Totals) -> Self {
        Self {
            n_events_total: t.n_events,
            n_events_unresolved: t.n_unresolved,
            kinds: Row { columns: KINDS, row: &t.by_kind },
            container_duration_ps: t.container_inclusive,
            busy_duration_ps: t.busy,
            union_ps: t.union,
            idle_duration_ps: t.idle,
            unknown_categories: &t.unknown_categories,
        }
    }
}

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
    n_groups: usize,
    n_groups_all: u32,
    n_groups_anywhere: Option<u32>,
    n_events: Count,
    total_dur_ps: Picos,
    pct_of_step: Option<f64>,
    #[serde(flatten)]
    kinds: Row<'a, [Picos; 7]>,
}

impl<'a> ShownJson<'a> {
    fn new(shown: &'a Shown, n_groups: usize) -> Self {
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

/// Returns the fields at the start of a breakdown; see [`head_of`].
pub fn head<'a>(view: &'static str, files: &'a [String], partial: bool, b: &'a Breakdown) -> HeadJson<'a> {
    head_of(view, files, partial, &b.header, &b.totals)
}

/// Returns the fields at the start of a view. With `partial`, a status of `Ok` becomes `Partial`.
pub fn head_of<'a>(
    view: &'static str,
    files: &'a [String],
    partial: bool,
    h: &'a Header,
    totals: &'a Totals,
) -> HeadJson<'a> {
    HeadJson {
        status: if partial && h.status == Status::Ok { Status::Partial } else { h.status },
        view,
        files,
        device: h.device.as_deref(),
        n_devices: h.n_devices,
        device_type: h.device_type.as_deref(),
        step: &h.step,
        n_steps: h.n_steps,
        n_mean_steps: h.mean.n_steps,
        n_mean_devices: h.mean.n_devices,
        mean_periods: h.mean.periods.as_ref().map(|periods| Row { columns: SPREAD, row: periods }),
        step_window_ps: h.window,
        step_duration_ps: h.step_duration,
        totals: TotalsJson::new(totals),
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
    let shown = ShownJson::new(&b.shown, b.groups.len());
    BreakdownJson { head, by: b.by.key(), filter: FilterJson::new(filter), shown, groups, notes }
}

/// Returns the first `top` rows.
pub(super) fn first<R>(rows: &[R], top: usize) -> &[R] {
    rows.get(..top).unwrap_or(rows)
}
