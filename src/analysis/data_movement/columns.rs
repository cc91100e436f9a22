//! This module declares the columns of the data movement tables.

use super::change::Change;
use super::report::{BodyOpcode, DataMovementRow, OpcodeCount, ProgramOpcodes, SpaceMove, Tally};
use crate::analysis::classify::Kind;
use crate::table::{Value, columns};
use xla_profile::units::Count;

columns! {
    /// The columns of categories, and of sources within a category.
    pub DATA_MOVEMENT(row: DataMovementRow) {
        /// The category or the source.
        key: Name(Scope) = &row.key,
        /// The type of the key: `category`, or `source_stack`, `tf_op` or `no_source` for a source.
        key_kind: Text = &row.key_kind,
        /// The category. Where the stat of the category is missing, the text of the op gives the category.
        hlo_category: Name(Category) = &row.category,
        /// The kind that most of the time belongs to. Ops of the kind `fused` have `comm` here.
        kind: Value(Word(Kind)) = Value::Word(row.kind.json_key()),
        /// Number of executions that start in the window.
        n_executions: Executions = row.n_executions,
        /// Self time.
        total_dur_ps: Time = row.total,
        /// The part of the self time in ops that wait.
        stall_dur_ps: Time = row.stall,
        /// The self time as a share of the window.
        pct_of_step: Percent or null in json = row.of_step,
        /// Bytes that are read and written, without padding. The bytes of an asynchronous pair count at its done. Null
        /// if no execution has known bytes.
        moved_bytes: Bytes or null = row.bytes,
        /// Number of executions whose bytes are known.
        n_executions_with_bytes: Executions in json = row.n_bytes,
        /// Whether the element type changes: the answer with more time. Null if “undetectable” has the most time; null
        /// does not mean no.
        dtype_change: Flag or null = row.tally(Change::Dtype).majority(),
        /// Whether the order of the dimensions in memory changes: the answer with more time. Null if “undetectable” has
        /// the most time; null does not mean no.
        dim_order_change: Flag or null = row.tally(Change::DimOrder).majority(),
        /// Whether the tiles of the layout change: the answer with more time. Null if “undetectable” has the most time;
        /// null does not mean no.
        tiling_change: Flag or null = row.tally(Change::Tiling).majority(),
        /// Whether the memory space changes: the answer with more time. Null if “undetectable” has the most time; null
        /// does not mean no.
        memory_space_change: Flag or null = row.tally(Change::MemorySpace).majority(),
        /// Whether the logical dimensions change: the answer with more time. Null if “undetectable” has the most time;
        /// null does not mean no.
        shape_change: Flag or null = row.tally(Change::Shape).majority(),
        /// The time by answer for `dtype`, `dim_order`, `tiling`, `memory_space` and `shape`.
        changes: Value(Map(Object(TALLY))) in json = {
            let tally = |change: Change| (change.key(), Value::record(TALLY, row.tally(change)));
            Value::map(Change::ALL.into_iter().map(tally))
        },
        /// The undetectable time by reason. An op counts once under each of its reasons.
        undetectable: Map(Time) in json = row.undetectable.iter().map(|(reason, time)| (reason.as_str(), *time)),
        /// The time of ops that move one array from one memory space to another.
        memory_space_moves: Rows(MOVES) in json = &row.space_moves,
        /// Shapes that are read, by time. There are at most 8.
        shapes_in: List(Name(Shape)) in json = &row.shapes_in,
        /// The shape that is read with the most time.
        shape_in: Name(Shape) or null in csv = row.shapes_in.first(),
        /// Shapes that are written, by time. There are at most 8.
        shapes_out: List(Name(Shape)) in json = &row.shapes_out,
        /// The shape that is written with the most time.
        shape_out: Name(Shape) or null in csv = row.shapes_out.first(),
        /// Innermost line of the user's code of the op with the most time.
        source_inner: Removed or null = row.source_inner.as_deref(),
        /// Scope path of the op with the most time.
        tf_op: Name(Scope) or null = row.tf_op.as_deref(),
        /// The op with the most time.
        example_hlo_op: Name(Op) or null in json = row.example.as_deref(),
    }

    /// The time by the answer to whether ops make a change.
    TALLY(row: Tally) {
        /// Self time of ops that make the change. The three times sum to the row.
        yes_ps: Time = row.yes,
        /// Self time of ops that do not make it.
        no_ps: Time = row.no,
        /// Self time of ops for which it is unknown.
        undetectable_ps: Time = row.undetectable,
        /// Whether the ops differ.
        mixed: Flag = row.is_mixed(),
    }

    MOVES(row: SpaceMove) {
        /// The memory space that is read: the number of `S(n)`. 0 is the main memory, 1 is VMEM, 5 is the memory of the
        /// host.
        from: Integer = row.from,
        /// The memory space that is written.
        to: Integer = row.to,
        /// Self time.
        total_dur_ps: Time = row.total,
    }

    /// The columns of programs with the opcodes that they executed.
    pub PROGRAMS(row: ProgramOpcodes) {
        /// Name of the program. Null if it is unknown.
        program: Name(Program) or null = row.program.as_deref(),
        /// Id of the program. Null if it is unknown.
        program_id: ProgramId or null = row.program_id,
        /// Number of executed ops. An asynchronous copy counts once.
        n_executions: Executions = row.opcodes.iter().map(|opcode| opcode.n).sum(),
        /// Executions of dots and convolutions. Convolution fusions count here. The instructions inside of fusions do
        /// not.
        n_dot_convolution: Executions = row.n_dot_convolution,
        /// Executions of exponentials, without the instructions inside of fusions.
        n_exponential: Executions = executions(row, EXPONENTIAL),
        /// Executions of reductions, without the instructions inside of fusions.
        n_reduce: Executions = executions(row, REDUCE),
        /// Executions of copies, without the instructions inside of fusions. An asynchronous copy counts once.
        n_copy: Executions = executions(row, COPY),
        /// Executions of transposes, without the instructions inside of fusions.
        n_transpose: Executions = executions(row, &["transpose"]),
        /// Executions of fusions.
        n_fusion: Executions = executions(row, &["fusion"]),
        /// Bytes that copies read and write.
        copy_bytes: Bytes = row.copy_bytes,
        /// Executions and self time by opcode, the most executions first.
        by_opcode: Rows(OPCODES) in json = &row.opcodes,
        /// Dots and convolutions in the bodies of fusions and of calls, times the executions of the op. An instruction
        /// with events of its own is an op and is not counted here, and neither are the functions of reductions and
        /// sorts. Null if the HLO of a fusion or a call is missing.
        n_dot_convolution_in_fusions: Executions or null = row.n_dot_convolution_in_bodies(),
        /// Exponentials in the bodies of fusions and of calls, counted in the same way.
        n_exponential_in_fusions: Executions or null = in_bodies(row, |opcode| EXPONENTIAL.contains(&opcode)),
        /// Reductions in the bodies of fusions and of calls, counted in the same way.
        n_reduce_in_fusions: Executions or null = in_bodies(row, |opcode| REDUCE.contains(&opcode)),
        /// Copies in the bodies of fusions and of calls, counted in the same way.
        n_copy_in_fusions: Executions or null = in_bodies(row, |opcode| COPY.contains(&opcode)),
        /// Transposes in the bodies of fusions and of calls, counted in the same way.
        n_transpose_in_fusions: Executions or null = in_bodies(row, |opcode| opcode == "transpose"),
        /// The instructions in the bodies of fusions and of calls by opcode, without parameters and constants. Null if
        /// the HLO of a fusion or a call is missing.
        by_opcode_in_fusions: Rows(BODY_OPCODES) or null in json = row.bodies.as_deref(),
    }

    BODY_OPCODES(row: BodyOpcode) {
        /// The opcode.
        opcode: Text = &row.opcode,
        /// Number of executions.
        n_executions: Executions = row.n,
    }

    OPCODES(row: OpcodeCount) {
        /// The opcode, or `<none>` for ops without HLO text.
        opcode: Text = &row.opcode,
        /// Number of executions.
        n_executions: Executions = row.n,
        /// Self time.
        total_dur_ps: Time = row.total,
    }
}

const EXPONENTIAL: &[&str] = &["exponential", "exponential-minus-one"];
const REDUCE: &[&str] = &["reduce", "reduce-window"];
const COPY: &[&str] = &["copy", "copy-done"];

/// Returns the executions of opcodes.
fn executions(row: &ProgramOpcodes, opcodes: &[&str]) -> Count {
    row.opcodes.iter().filter(|opcode| opcodes.contains(&&*opcode.opcode)).map(|opcode| opcode.n).sum()
}

/// Returns the executions of opcodes in the bodies of fusions and calls. `None` if they are unknown.
fn in_bodies(row: &ProgramOpcodes, is_counted: impl Fn(&str) -> bool) -> Option<Count> {
    let bodies = row.bodies.as_ref()?;
    Some(bodies.iter().filter(|body| is_counted(&body.opcode)).map(|body| body.n).sum())
}
