//! This module defines the fields at the start of all JSON of the command line. The names of fields are a contract: they
//! are added, never renamed.
//!
//! Durations are integer picoseconds and end in `_ps`, `pct_*` are percentages, and an absent value is `null`. The modules
//! of the JSON define the names and the order of the fields; they compute nothing but percentages and sums of kinds.

use crate::analysis::base::{Header, Spread, Status, Totals};
use crate::analysis::breakdown::Breakdown;
use crate::analysis::breakdown::columns::{KINDS, SPREAD};
use crate::table::json::Row;
pub use crate::table::json::{text, write};
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
    mean_kind: Option<&'a str>,
    step_is: Option<&'a str>,
    n_mean_devices: Option<u32>,
    mean_periods: Option<Row<'a, Spread>>,
    step_window_ps: Option<(Picos, Picos)>,
    step_duration_ps: Option<Picos>,
    not_in_file_ps: Option<Picos>,
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
        mean_kind: h.mean.kind.as_deref(),
        step_is: h.mean.step_is.as_deref(),
        n_mean_devices: h.mean.n_devices,
        mean_periods: h.mean.periods.as_ref().map(|periods| Row { columns: SPREAD, row: periods }),
        step_window_ps: h.window,
        step_duration_ps: h.step_duration,
        not_in_file_ps: h.not_in_file,
        totals: TotalsJson::new(totals),
    }
}

/// Returns the first `top` rows.
pub(super) fn first<R>(rows: &[R], top: usize) -> &[R] {
    rows.get(..top).unwrap_or(rows)
}
