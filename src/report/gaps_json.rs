//! This module writes gaps as JSON. It defines the names and the order of the fields.

use super::json::{HeadJson, first};
use crate::analysis::gaps::columns::{CLASSES, GAPS};
use crate::analysis::gaps::{ClassTime, Gap, Gaps};
use crate::profile::Note;
use crate::table::json::Rows;
use crate::units::{Count, Picos};
use serde::Serialize;

/// The JSON of `rooflight gaps --json`.
#[derive(Serialize)]
pub struct GapsJson<'a> {
    #[serde(flatten)]
    head: HeadJson<'a>,
    window_ps: Picos,
    busy_ps: Picos,
    idle_ps: Picos,
    n_gaps: Count,
    classes: Rows<'a, ClassTime>,
    in_loops: InLoopsJson,
    n_runs: u64,
    n_linked_runs: u64,
    gaps: Rows<'a, Gap>,
    notes: &'a [Note],
}

#[derive(Serialize)]
struct InLoopsJson {
    n_gaps: Count,
    total_ps: Picos,
}

/// Returns gaps as JSON, with the `top` longest ones.
pub fn gaps<'a>(head: HeadJson<'a>, gaps: &'a Gaps, top: usize, notes: &'a [Note]) -> GapsJson<'a> {
    GapsJson {
        head,
        window_ps: gaps.window,
        busy_ps: gaps.busy,
        idle_ps: gaps.idle(),
        n_gaps: gaps.n_gaps,
        classes: Rows { columns: CLASSES, rows: &gaps.classes },
        in_loops: InLoopsJson { n_gaps: gaps.in_loops.0, total_ps: gaps.in_loops.1 },
        n_runs: gaps.n_runs,
        n_linked_runs: gaps.n_linked_runs,
        gaps: Rows { columns: GAPS, rows: first(&gaps.gaps, top) },
        notes,
    }
}
