//! This module defines the results of a comparison that its explanation needs.

use crate::analysis::compare::report::{Parity, PartDelta, RowDelta, Verdict};
use crate::analysis::compare::sections::ProgramDiff;

/// A part explains a difference if its own is at least this share of it, and at most one over this share.
const LEAST: f64 = 0.5;

/// The results of a comparison. Rows are in the order of the matches.
pub struct Compared<'c> {
    pub rows: &'c [RowDelta],
    pub parts: &'c [PartDelta],
    pub program_changes: &'c ProgramDiff,
    pub parity: &'c [Parity],
    /// The time of A and B in ps per unit.
    pub times: (i64, i64),
    pub delta_ps: i64,
    pub verdict: Verdict,
}

impl Compared<'_> {
    /// Returns a part of the difference as a fraction of all of it, if this share explains the difference. `None` otherwise.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub fn explaining_share(&self, part_ps: i64) -> Option<f64> {
        let share = part_ps as f64 / self.delta_ps as f64;
        (LEAST..=1.0 / LEAST).contains(&share).then_some(share)
    }

    /// Returns whether the difference is real, so that it has a cause.
    pub const fn is_real(&self) -> bool {
        matches!(self.verdict, Verdict::Regression | Verdict::Improvement)
    }
}
