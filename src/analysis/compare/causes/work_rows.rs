//! This module describes the rows of a comparison by the work of their ops.

use super::scope_names::common_scopes;
use crate::analysis::classify::{ModelModule, Phase};
use crate::analysis::compare::input::{Input, InputOp};
use crate::analysis::compare::matching::OpMatch;
use crate::analysis::compare::report::RowDelta;
use crate::analysis::compare::rows::Pairs;
use crate::analysis::compare::sections::{ChangedProperty, ProgramDiff, Property};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// An op of one side.
#[derive(Clone, Copy)]
pub(super) struct WorkOp<'w> {
    pub(super) op: &'w InputOp<'w>,
    /// Mean time in ps per unit.
    pub(super) time_ps: i64,
}

/// A row, with the work of its ops.
pub(super) struct WorkRow<'w> {
    pub(super) row: &'w RowDelta,
    pub(super) a: Vec<WorkOp<'w>>,
    pub(super) b: Vec<WorkOp<'w>>,
    /// The scopes of the op with the most time, of B if it has one, from the outer one to the deepest that both sides have.
    pub(super) scopes: Vec<String>,
    /// The properties of the instruction that differ.
    pub(super) changes: &'w [ChangedProperty],
}

impl<'w> WorkRow<'w> {
    fn longest(&self) -> Option<&InputOp<'w>> {
        let ops = if self.b.is_empty() { &self.a } else { &self.b };
        ops.iter().max_by_key(|op| op.time_ps).map(|op| op.op)
    }

    /// Returns the sort of work of the op with the most time, of B if it has one.
    pub(super) fn work(&self) -> &str {
        self.longest().map_or("", |op| &op.work)
    }

    /// Returns the group of work of that op. `None` if it is unknown.
    pub(super) fn op_group(&self) -> Option<&str> {
        self.longest()?.op_group
    }

    /// Returns the module of the model of that op. `None` if it is unknown.
    pub(super) fn module(&self) -> Option<ModelModule> {
        self.longest()?.module
    }

    /// Returns the phase of that op. `None` if it is unknown.
    pub(super) fn phase(&self) -> Option<Phase> {
        self.longest()?.phase
    }

    /// Returns whether the ops of both sides do the same sorts of work.
    pub(super) fn has_same_work(&self) -> bool {
        let sorts = |ops: &[WorkOp<'w>]| ops.iter().map(|op| &*op.op.work).collect::<BTreeSet<&str>>();
        sorts(&self.a) == sorts(&self.b)
    }

    /// Returns a property of the instruction in A and in B. `None` if it did not change.
    pub(super) fn change(&self, property: Property) -> Option<(&'w str, &'w str)> {
        let change = self.changes.iter().find(|change| change.property == property)?;
        Some((&change.a, &change.b))
    }

    pub(super) fn a_ps(&self) -> i64 {
        self.row.a.as_ref().map_or(0, |side| side.self_ps)
    }

    pub(super) fn b_ps(&self) -> i64 {
        self.row.b.as_ref().map_or(0, |side| side.self_ps)
    }
}

/// All rows of a comparison.
pub(super) struct WorkRows<'w> {
    pub(super) rows: Vec<WorkRow<'w>>,
    /// Whether times are per step, and not per token.
    pub(super) is_per_step: bool,
    /// Whether the programs of both sides are compared. Otherwise it is unknown which ops changed.
    pub(super) has_programs: bool,
}

impl<'w> WorkRows<'w> {
    /// Describes rows, which are in the order of the matches.
    pub(super) fn new(pairs: &Pairs<'w, 'w, 'w>, rows: &'w [RowDelta], diff: &'w ProgramDiff) -> Self {
        let changes: FxHashMap<u32, &[ChangedProperty]> =
            diff.changes.iter().map(|change| (change.row, &*change.what)).collect();
        let ops = |side: &'w Input<'w>, ops: &[usize], mean: &dyn Fn(u64) -> i64| -> Vec<WorkOp<'w>> {
            ops.iter().map(|op| &side.ops[*op]).map(|op| WorkOp { op, time_ps: mean(op.total) }).collect()
        };
        let row = |((index, row), op_match): ((u32, &'w RowDelta), &OpMatch)| WorkRow {
            row,
            a: ops(pairs.a, &op_match.a, &|total| pairs.divisors.mean_a(total)),
            b: ops(pairs.b, &op_match.b, &|total| pairs.divisors.mean_b(total)),
            scopes: Vec::new(),
            changes: changes.get(&index).copied().unwrap_or_default(),
        };
        let mut described: Vec<WorkRow<'w>> = (0..).zip(rows).zip(pairs.matches).map(row).collect();
        let paths: Vec<[Option<&str>; 2]> = rows.iter().map(RowDelta::scope_paths).collect();
        described.iter_mut().zip(common_scopes(&paths)).for_each(|(row, scopes)| row.scopes = scopes);
        Self { rows: described, is_per_step: pairs.divisors.factor == 1, has_programs: diff.absent.is_none() }
    }

    /// Returns the sum of a value over some rows.
    pub(super) fn sum(&self, rows: &[usize], value: impl Fn(&WorkRow<'w>) -> i64) -> i64 {
        rows.iter().fold(0, |sum, row| sum.saturating_add(value(&self.rows[*row])))
    }
}
