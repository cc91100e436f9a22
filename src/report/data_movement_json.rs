//! This module writes data movement as JSON. It defines the names and the order of the fields.

use super::json::{HeadJson, first};
use crate::analysis::data_movement::columns::{DATA_MOVEMENT, PROGRAMS};
use crate::analysis::data_movement::{DataMovement, DataMovementRow, ProgramOpcodes};
use crate::profile::Note;
use crate::table::json::{Row, Rows};
use crate::units::Picos;
use serde::Serialize;

/// The JSON of `rooflight data-movement --json`.
#[derive(Serialize)]
pub struct DataMovementJson<'a> {
    #[serde(flatten)]
    head: HeadJson<'a>,
    non_compute_duration_ps: Picos,
    stall_duration_ps: Picos,
    exposed_comm_duration_ps: Picos,
    by_category: Rows<'a, DataMovementRow>,
    by_source_within_category: Vec<Row<'a, DataMovementRow>>,
    opcodes: Rows<'a, ProgramOpcodes>,
    notes: &'a [Note],
}

/// Returns data movement as JSON, with the first `top` categories and the first `top` sources of each category.
pub fn data_movement<'a>(
    head: HeadJson<'a>,
    a: &'a DataMovement,
    top: usize,
    notes: &'a [Note],
) -> DataMovementJson<'a> {
    DataMovementJson {
        head,
        non_compute_duration_ps: a.total,
        stall_duration_ps: a.stall,
        exposed_comm_duration_ps: a.exposed_comm,
        by_category: Rows { columns: DATA_MOVEMENT, rows: first(&a.by_category, top) },
        by_source_within_category: a.sources(top).map(|row| Row { columns: DATA_MOVEMENT, row }).collect(),
        opcodes: Rows { columns: PROGRAMS, rows: &a.opcodes },
        notes,
    }
}
