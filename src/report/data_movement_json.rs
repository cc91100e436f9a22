//! Data movement as JSON. This module knows names and order of fields.

use super::json::HeadJson;
use super::json_text::kind_name;
use crate::analysis::data_movement::{Change, DataMovement, DataMovementRow, OpcodeCount, ProgramOpcodes, Tally};
use crate::profile::Note;
use crate::units::Picos;
use serde::Serialize;
use std::collections::BTreeMap;

/// `rooflight data-movement --json`.
#[derive(Serialize)]
pub struct DataMovementJson<'a> {
    #[serde(flatten)]
    head: HeadJson<'a>,
    non_compute_duration_ps: Picos,
    stall_duration_ps: Picos,
    exposed_comm_duration_ps: Picos,
    by_category: Vec<RowJson<'a>>,
    by_source_within_category: Vec<RowJson<'a>>,
    opcodes: Vec<ProgramJson<'a>>,
    notes: &'a [Note],
}

#[derive(Serialize)]
struct RowJson<'a> {
    key: &'a str,
    key_kind: &'a str,
    hlo_category: &'a str,
    kind: &'static str,
    n_executions: u64,
    total_dur_ps: Picos,
    stall_dur_ps: Picos,
    pct_of_step: Option<f64>,
    moved_bytes: Option<u64>,
    n_executions_with_bytes: u64,
    dtype_change: Option<bool>,
    dim_order_change: Option<bool>,
    tiling_change: Option<bool>,
    memory_space_change: Option<bool>,
    shape_change: Option<bool>,
    changes: BTreeMap<&'static str, TallyJson>,
    undetectable: &'a BTreeMap<String, Picos>,
    memory_space_moves: Vec<MoveJson>,
    shapes_in: &'a [String],
    shapes_out: &'a [String],
    source_inner: Option<&'a str>,
    tf_op: Option<&'a str>,
    example_hlo_op: Option<&'a str>,
}

#[derive(Serialize)]
struct TallyJson {
    yes_ps: Picos,
    no_ps: Picos,
    undetectable_ps: Picos,
    mixed: bool,
}

#[derive(Serialize)]
struct MoveJson {
    from: i64,
    to: i64,
    total_dur_ps: Picos,
}

#[derive(Serialize)]
struct ProgramJson<'a> {
    program: Option<&'a str>,
    program_id: Option<String>,
    n_executions: u64,
    n_dot_convolution: u64,
    n_exponential: u64,
    n_reduce: u64,
    n_copy: u64,
    n_transpose: u64,
    n_fusion: u64,
    copy_bytes: u64,
    by_opcode: Vec<OpcodeJson<'a>>,
}

#[derive(Serialize)]
struct OpcodeJson<'a> {
    opcode: &'a str,
    n_executions: u64,
    total_dur_ps: Picos,
}

impl<'a> RowJson<'a> {
    fn new(row: &'a DataMovementRow) -> Self {
        let of = |change: Change| row.tally(change).majority();
        let tally =
            |t: &Tally| TallyJson { yes_ps: t.yes, no_ps: t.no, undetectable_ps: t.undetectable, mixed: t.is_mixed() };
        let moves = row.space_moves.iter();
        Self {
            key: &row.key,
            key_kind: &row.key_kind,
            hlo_category: &row.category,
            kind: kind_name(row.kind),
            n_executions: row.n_executions,
            total_dur_ps: row.total,
            stall_dur_ps: row.stall,
            pct_of_step: row.of_step.map(|f| f * 100.0),
            moved_bytes: row.bytes,
            n_executions_with_bytes: row.n_bytes,
            dtype_change: of(Change::Dtype),
            dim_order_change: of(Change::DimOrder),
            tiling_change: of(Change::Tiling),
            memory_space_change: of(Change::MemorySpace),
            shape_change: of(Change::Shape),
            changes: Change::ALL.into_iter().map(|change| (change.key(), tally(row.tally(change)))).collect(),
            undetectable: &row.undetectable,
            memory_space_moves: moves.map(|m| MoveJson { from: m.from, to: m.to, total_dur_ps: m.total }).collect(),
            shapes_in: &row.shapes_in,
            shapes_out: &row.shapes_out,
            source_inner: row.source_inner.as_deref(),
            tf_op: row.tf_op.as_deref(),
            example_hlo_op: row.example.as_deref(),
        }
    }
}

impl<'a> ProgramJson<'a> {
    fn new(program: &'a ProgramOpcodes) -> Self {
        let n = |wanted: &[&str]| {
            program.opcodes.iter().filter(|o| wanted.contains(&o.opcode.as_str())).map(|o| o.n).sum::<u64>()
        };
        let opcode = |o: &'a OpcodeCount| OpcodeJson { opcode: &o.opcode, n_executions: o.n, total_dur_ps: o.total };
        Self {
            program: program.program.as_deref(),
            program_id: program.program_id.map(|id| id.to_string()),
            n_executions: program.opcodes.iter().map(|o| o.n).sum(),
            n_dot_convolution: program.n_dot_convolution,
            n_exponential: n(&["exponential", "exponential-minus-one"]),
            n_reduce: n(&["reduce", "reduce-window"]),
            n_copy: n(&["copy", "copy-done"]),
            n_transpose: n(&["transpose"]),
            n_fusion: n(&["fusion"]),
            copy_bytes: program.copy_bytes,
            by_opcode: program.opcodes.iter().map(opcode).collect(),
        }
    }
}

/// Data movement: `top` categories, and as many sources within each.
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
        by_category: a.by_category.iter().take(top).map(RowJson::new).collect(),
        by_source_within_category: a.sources(top).map(RowJson::new).collect(),
        opcodes: a.opcodes.iter().map(ProgramJson::new).collect(),
        notes,
    }
}
