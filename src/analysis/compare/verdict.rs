//! This module judges whether a difference is real: whether it is larger than steps vary, and larger than captures vary.

use super::report::Verdict;
use super::statistics::mann_whitney;

/// The probability below which a difference is not by chance.
pub const SIGNIFICANT: f64 = 0.05;

/// A verdict, and the p-value behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    pub verdict: Verdict,
    /// `None` with fewer than 4 steps on a side: the verdict is then by the band alone.
    pub p: Option<f64>,
}

/// Judges the difference of the lengths of steps. `whole_ps` is the mean of A, `delta_ps` the difference of the means, and `band`
/// the share of A that captures vary by.
#[expect(clippy::cast_precision_loss, reason = "a share")]
pub fn judge(a: &[f64], b: &[f64], whole_ps: i64, delta_ps: i64, band: f64) -> Judged {
    if a.is_empty() || b.is_empty() {
        return Judged { verdict: Verdict::TooFewSteps, p: None };
    }
    let p = mann_whitney(a, b);
    let is_beyond = delta_ps.unsigned_abs() as f64 > band * whole_ps.unsigned_abs() as f64;
    let is_real = is_beyond && p.is_none_or(|p| p < SIGNIFICANT);
    let verdict = match is_real {
        true if delta_ps > 0 => Verdict::Regression,
        true => Verdict::Improvement,
        false => Verdict::WithinNoise,
    };
    Judged { verdict, p }
}
