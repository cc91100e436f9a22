//! This module declares the columns of the data movement tables.

use super::change::Change;
use super::report::{
    BodyOpcode, DataMovementRow, OpcodeCount, ProgramOpcodes, SpaceMove, Tally, is_dot_or_convolution,
};
use crate::table::Column;
use crate::table::Value::{self, Absent, Count, Executions, Flag, Id, Integer, Percent, Time, Word};

/// The columns of categories, and of sources within a category.
pub const DATA_MOVEMENT: &[Column<DataMovementRow>] = &[
    Column::new("key", |row| Value::text(&row.key)),
    Column::new("key_kind", |row| Value::text(&row.key_kind)),
    Column::new("hlo_category", |row| Value::text(&row.category)),
    Column::new("kind", |row| Word(row.kind.json_key())),
    Column::new("n_executions", |row| Executions(row.n_executions)),
    Column::new("total_dur_ps", |row| Time(row.total)),
    Column::new("stall_dur_ps", |row| Time(row.stall)),
    Column::json("pct_of_step", |row| Value::maybe(row.of_step, Percent)),
    Column::new("moved_bytes", |row| Value::maybe(row.bytes, Count)),
    Column::json("n_executions_with_bytes", |row| Executions(row.n_bytes)),
    Column::new("dtype_change", |row| majority(row, Change::Dtype)),
    Column::new("dim_order_change", |row| majority(row, Change::DimOrder)),
    Column::new("tiling_change", |row| majority(row, Change::Tiling)),
    Column::new("memory_space_change", |row| majority(row, Change::MemorySpace)),
    Column::new("shape_change", |row| majority(row, Change::Shape)),
    Column::json("changes", |row| {
        Value::map(Change::ALL.into_iter().map(|change| (change.key(), Value::record(TALLY, row.tally(change)))))
    }),
    Column::json("undetectable", |row| {
        Value::map(row.undetectable.iter().map(|(reason, time)| (reason.as_str(), Time(*time))))
    }),
    Column::json("memory_space_moves", |row| Value::records(MOVES, &row.space_moves)),
    Column::json("shapes_in", |row| Value::texts(&row.shapes_in)),
    Column::csv("shape_in", |row| Value::maybe_text(row.shapes_in.first().map(String::as_str))),
    Column::json("shapes_out", |row| Value::texts(&row.shapes_out)),
    Column::csv("shape_out", |row| Value::maybe_text(row.shapes_out.first().map(String::as_str))),
    Column::new("source_inner", |row| Value::maybe_text(row.source_inner.as_deref())),
    Column::new("tf_op", |row| Value::maybe_text(row.tf_op.as_deref())),
    Column::json("example_hlo_op", |row| Value::maybe_text(row.example.as_deref())),
];

/// Whether the ops with most of a row's time make the change. Absent if that is unknown.
fn majority(row: &DataMovementRow, change: Change) -> Value<'_> {
    Value::maybe(row.tally(change).majority(), Flag)
}

const TALLY: &[Column<Tally>] = &[
    Column::new("yes_ps", |row| Time(row.yes)),
    Column::new("no_ps", |row| Time(row.no)),
    Column::new("undetectable_ps", |row| Time(row.undetectable)),
    Column::new("mixed", |row| Flag(row.is_mixed())),
];

const MOVES: &[Column<SpaceMove>] = &[
    Column::new("from", |row| Integer(row.from)),
    Column::new("to", |row| Integer(row.to)),
    Column::new("total_dur_ps", |row| Time(row.total)),
];

/// The columns of programs with the opcodes that they executed.
pub const PROGRAMS: &[Column<ProgramOpcodes>] = &[
    Column::new("program", |row| Value::maybe_text(row.program.as_deref())),
    Column::new("program_id", |row| Value::maybe(row.program_id, Id)),
    Column::new("n_executions", |row| Executions(row.opcodes.iter().map(|opcode| opcode.n).sum())),
    Column::new("n_dot_convolution", |row| Executions(row.n_dot_convolution)),
    Column::new("n_exponential", |row| executions(row, EXPONENTIAL)),
    Column::new("n_reduce", |row| executions(row, REDUCE)),
    Column::new("n_copy", |row| executions(row, COPY)),
    Column::new("n_transpose", |row| executions(row, &["transpose"])),
    Column::new("n_fusion", |row| executions(row, &["fusion"])),
    Column::new("copy_bytes", |row| Count(row.copy_bytes)),
    Column::json("by_opcode", |row| Value::records(OPCODES, &row.opcodes)),
    Column::new("n_dot_convolution_in_fusions", |row| in_bodies(row, is_dot_or_convolution)),
    Column::new("n_exponential_in_fusions", |row| in_bodies(row, |opcode| EXPONENTIAL.contains(&opcode))),
    Column::new("n_reduce_in_fusions", |row| in_bodies(row, |opcode| REDUCE.contains(&opcode))),
    Column::new("n_copy_in_fusions", |row| in_bodies(row, |opcode| COPY.contains(&opcode))),
    Column::new("n_transpose_in_fusions", |row| in_bodies(row, |opcode| opcode == "transpose")),
    Column::json("by_opcode_in_fusions", |row| {
        row.bodies.as_ref().map_or(Absent, |bodies| Value::records(BODY_OPCODES, bodies))
    }),
];

const EXPONENTIAL: &[&str] = &["exponential", "exponential-minus-one"];
const REDUCE: &[&str] = &["reduce", "reduce-window"];
const COPY: &[&str] = &["copy", "copy-done"];

/// Returns the executions of opcodes in the bodies of fusions and calls.
fn in_bodies(row: &ProgramOpcodes, is_counted: impl Fn(&str) -> bool) -> Value<'static> {
    let sum = |bodies: &Vec<BodyOpcode>| bodies.iter().filter(|of| is_counted(&of.opcode)).map(|of| of.n).sum();
    Value::maybe(row.bodies.as_ref().map(sum), Executions)
}

const BODY_OPCODES: &[Column<BodyOpcode>] =
    &[Column::new("opcode", |row| Value::text(&row.opcode)), Column::new("n_executions", |row| Executions(row.n))];

fn executions<'r>(row: &ProgramOpcodes, opcodes: &[&str]) -> Value<'r> {
    Executions(row.opcodes.iter().filter(|opcode| opcodes.contains(&&*opcode.opcode)).map(|opcode| opcode.n).sum())
}

const OPCODES: &[Column<OpcodeCount>] = &[
    Column::new("opcode", |row| Value::text(&row.opcode)),
    Column::new("n_executions", |row| Executions(row.n)),
    Column::new("total_dur_ps", |row| Time(row.total)),
];
