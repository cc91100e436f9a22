//! This module declares the fields of what explains a difference.

use crate::analysis::compare::causes::{Cause, CauseKind, PairLevel, PhaseDelta, WorkPair};
use crate::table::columns;

columns! {
    /// The fields of work of both sides that belongs together.
    pub WORK_PAIRS(row: WorkPair) {
        /// The scope without transformations, loops and numbers of layers, the module of the model, or the group of work.
        name: Name(Scope) = &row.name,
        /// What the ops have in common: `scope`, `module`, `op_group`, or `one_side` for ops without a counterpart.
        level: Word(PairLevel) = row.level,
        /// Time in A, per unit.
        a_ps: Integer = row.a_ps,
        /// Time in B, per unit.
        b_ps: Integer = row.b_ps,
        /// The difference. Those of all pairs sum to those of all rows.
        delta_ps: Integer = row.delta_ps,
        /// Number of ops of A.
        n_ops_a: Count = row.n_ops_a.into(),
        /// Number of ops of B.
        n_ops_b: Count = row.n_ops_b.into(),
        /// Time in A of the ops that have no partner of their own in B.
        unmatched_a_ps: Integer = row.unmatched_a_ps,
        /// Time in B of the ops that have no partner of their own in A.
        unmatched_b_ps: Integer = row.unmatched_b_ps,
        /// The phases of a training step. Empty if none is known.
        phases: Rows(PHASES) = &row.phases,
        /// What changed, the strongest evidence first.
        causes: Rows(CAUSES) = &row.causes,
    }

    /// The fields of the work of a phase.
    pub PHASES(row: PhaseDelta) {
        /// The phase.
        phase: Text = row.phase.label(),
        /// Time in A, per unit.
        a_ps: Integer = row.a_ps,
        /// Time in B, per unit.
        b_ps: Integer = row.b_ps,
        /// The difference.
        delta_ps: Integer = row.delta_ps,
    }

    /// The fields of a change.
    pub CAUSES(row: Cause) {
        /// The sort of change.
        kind: Word(CauseKind) = row.kind,
        /// What changed, where the kind does not say it. Empty otherwise.
        label: Removed = &row.label,
        /// The evidence of A in words, such as the work that other work replaced. Empty if there is none.
        a: Removed = &row.a,
        /// The evidence of B in words. Empty if there is none.
        b: Removed = &row.b,
        /// Number of ops of A that the change concerns.
        n_ops_a: Count = row.n_ops_a.into(),
        /// Number of ops of B that the change concerns.
        n_ops_b: Count = row.n_ops_b.into(),
        /// Time of these ops in A, per unit.
        a_ps: Integer = row.a_ps,
        /// Time of these ops in B, per unit.
        b_ps: Integer = row.b_ps,
        /// The difference.
        delta_ps: Integer = row.delta_ps,
    }
}
