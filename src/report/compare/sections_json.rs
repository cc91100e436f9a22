//! This module writes the parts of a comparison beside the time of ops as JSON: communication and programs.

use crate::analysis::compare::columns::{CHANGE_COUNTS, CHANGED_PROPERTIES, COMM_ROWS, OPCODES, PROGRAM_PAIRS, TIMES};
use crate::analysis::compare::{ChangeKind, CommDelta, Comparison, ProgramChange};
use crate::report::json::first;
use crate::table::{Object, object};

/// Returns the difference of the collectives as JSON, with the `top` rows of the largest difference.
pub(super) fn comm(delta: &CommDelta, top: usize) -> Object<'_> {
    let is_known = delta.absent.is_none();
    object!(CommDelta {
        /// Exposed time, the sum over all rows. Null if collectives are not compared.
        exposed: Object(TIMES) or null = is_known.then_some(&delta.exposed),
        /// Stall, the sum over all rows. Null if collectives are not compared.
        stall: Object(TIMES) or null = is_known.then_some(&delta.stall),
        /// The collectives of both sides: those with the same `primitive`, `core`, `group_size`, `group_stride` and
        /// `scope` are one row. The largest difference of exposed time is first.
        rows: Rows(COMM_ROWS) = first(&delta.rows, top),
        /// Number of all rows.
        n_rows: Count = delta.rows.len() as u64,
        /// Why collectives are not compared, as when a report leaves them out. Null if they are compared.
        absent: Removed or null = delta.absent.as_deref(),
    })
}

/// Returns the differences of the programs as JSON, with the `top` changes of the largest difference.
pub(super) fn program_changes(comparison: &Comparison, top: usize) -> Object<'_> {
    let diff = &comparison.program_changes;
    object!(ProgramDiff {
        /// The pairs of programs whose HLO is compared.
        programs: Rows(PROGRAM_PAIRS) = &diff.programs,
        /// Names of the programs that A alone runs.
        only_in_a: List(Name(Program)) = &diff.only_in_a,
        /// Names of the programs that B alone runs.
        only_in_b: List(Name(Program)) = &diff.only_in_b,
        /// Why no programs are compared. Null if some are.
        absent: Removed or null = diff.absent.as_deref(),
        /// The sum of the differences of all changes of ops.
        delta_ps: Integer = diff.delta_ps,
        /// The changes of ops, the largest difference first.
        changes: List(Own) = diff.changes.iter().take(top).map(|one| change(comparison, one)),
        /// Number of all changes of ops.
        n_changes: Count = diff.changes.len() as u64,
        /// Numbers of the changes of instructions that no op of the captures stands for.
        n_without_time: Object(CHANGE_COUNTS) = &diff.n_without_time,
        /// Number of ops that run in another order.
        n_moved: Count = diff.n_moved.into(),
        /// The opcodes whose number of instructions differs, the largest difference first. Instructions inside fusions
        /// are not counted.
        opcodes: Rows(OPCODES) = &diff.opcodes,
    })
}

fn change<'a>(comparison: &'a Comparison, change: &'a ProgramChange) -> Object<'a> {
    object!(ProgramChange {
        /// The op with the most time of its row.
        name: Name(Op) = comparison.rows.get(change.row as usize).map_or("", |row| row.name()),
        /// Whether the op is new in B (`added`), gone (`removed`), or differs.
        kind: Word(ChangeKind) = change.kind,
        /// The properties that differ. Empty for ops of one side.
        what: Rows(CHANGED_PROPERTIES) = &change.what,
        /// The difference of its row.
        delta_ps: Integer = change.delta_ps,
    })
}
