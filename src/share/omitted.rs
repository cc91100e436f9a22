//! This module sums the rows that a report leaves out, so that its parts still sum to the whole.

use crate::analysis::classify::Kind;
use xla_profile::units::{Count, Picos};

/// Sum over the ops of one kind that a report leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmittedSum {
    pub kind: Kind,
    pub n_rows: u32,
    /// Number of executions of all these ops.
    pub n_executions: Count,
    /// Self time of all these ops.
    pub total: Picos,
}

/// The sums of the rows that are left out, one per kind.
#[derive(Clone, Debug)]
pub struct OmittedSums([OmittedSum; Kind::ALL.len()]);

impl OmittedSums {
    /// Returns the sums of an earlier cut, to which rows are added. Without an earlier cut `before` is empty.
    pub fn new(before: &[OmittedSum]) -> Self {
        Self(Kind::ALL.map(|kind| {
            let zero = OmittedSum { kind, n_rows: 0, n_executions: Count::ZERO, total: Picos::ZERO };
            before.iter().find(|sum| sum.kind == kind).copied().unwrap_or(zero)
        }))
    }

    /// Adds a row that is left out.
    pub fn add(&mut self, kind: Kind, n_executions: Count, total: Picos) {
        let sum = &mut self.0[kind.index()];
        sum.n_rows = sum.n_rows.saturating_add(1);
        sum.n_executions += n_executions;
        sum.total += total;
    }

    /// Returns the sums of the kinds that have any, in the order of kinds.
    pub fn into_sums(self) -> Vec<OmittedSum> {
        self.0.into_iter().filter(|sum| sum.n_rows > 0 || sum.total > Picos::ZERO).collect()
    }
}
