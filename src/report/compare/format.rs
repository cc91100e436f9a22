//! This module formats the differences of comparisons: with a sign, and in the unit of the comparison.

use crate::analysis::compare::CompareUnit;
use crate::table::format::signed_percent;
use xla_profile::units::Picos;

/// Returns the size of a difference in ps.
pub fn picos(time: i64) -> Picos {
    Picos(time.unsigned_abs())
}

/// Returns a change as a share of A, with its sign: "+3.0 %".
pub(super) fn signed_share(change: f64) -> String {
    format!("{} %", signed_percent(change))
}

/// Returns the words for times in a unit.
pub const fn per_unit(unit: CompareUnit) -> &'static str {
    match unit {
        CompareUnit::Step => "per step",
        CompareUnit::MillionTokens => "per million tokens",
    }
}
