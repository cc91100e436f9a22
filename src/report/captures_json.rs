//! This module writes a list of captures as JSON.

use crate::analysis::captures::CaptureRow;
use crate::analysis::captures::columns::CAPTURES;
use crate::table::json::Row;
use serde::Serialize;

/// The JSON of a list of captures.
#[derive(Serialize)]
pub struct CapturesJson<'a> {
    status: &'static str,
    view: &'static str,
    rows: Vec<Row<'a, CaptureRow>>,
}

/// Returns the JSON of captures, in their order.
pub fn captures<'a>(rows: impl Iterator<Item = &'a CaptureRow>) -> CapturesJson<'a> {
    let row = |row| Row { columns: CAPTURES, row };
    CapturesJson { status: "ok", view: "captures", rows: rows.map(row).collect() }
}
