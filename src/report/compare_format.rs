//! This module formats the differences of comparisons: with a sign, and in the unit of the comparison.

use crate::analysis::compare::CompareUnit;
use crate::table::format::{TimeUnit, percent_text, time, time_text};
use crate::units::Picos;

pub(super) const ABSENT: &str = "–";

/// Returns the size of a difference in ps.
pub(super) fn picos(time: i64) -> Picos {
    Picos(time.unsigned_abs())
}

const fn sign_of(time: i64) -> &'static str {
    match time {
        1.. => "+",
        0 => "",
        _ => "−",
    }
}

/// Returns a difference with its sign and unit: "+3.10 ms".
pub(super) fn signed(time: i64) -> String {
    format!("{}{}", sign_of(time), time_text(picos(time)))
}

/// Returns a difference with its sign, in a unit.
pub(super) fn signed_in(of: i64, unit: TimeUnit) -> String {
    format!("{}{}", sign_of(of), time(picos(of), unit))
}

/// Returns the sign of a number; empty for 0.
pub(super) fn sign(of: f64) -> &'static str {
    match of.partial_cmp(&0.0) {
        Some(std::cmp::Ordering::Greater) => "+",
        Some(std::cmp::Ordering::Less) => "−",
        _ => "",
    }
}

/// Returns a change as a share of A, with its sign: "+3.0 %".
pub(super) fn signed_share(change: f64) -> String {
    format!("{}{}", sign(change), percent_text(change.abs()))
}

pub(super) const fn per(unit: CompareUnit) -> &'static str {
    match unit {
        CompareUnit::Step => "per step",
        CompareUnit::MillionTokens => "per million tokens",
    }
}
