//! This module judges whether a difference is real: whether it is larger than steps vary, and larger than captures vary.

use super::report::Verdict;
use super::statistics::{Shift, mann_whitney};

/// The probability below which a difference is not by chance.
pub const SIGNIFICANT: f64 = 0.05;

/// A verdict, and the p-value behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    pub verdict: Verdict,
    /// `None` with fewer than 4 steps on a side: the verdict is then by the band alone.
    pub p: Option<f64>,
}

/// Evaluates the difference of the lengths of steps. `shift` is their shift, whose interval is wider if steps depend on each other.
/// `whole_ps` is the mean of A, `delta_ps` the difference of the means, and `band` the share of A that captures vary by.
#[expect(clippy::cast_precision_loss, reason = "a share")]
pub fn evaluate((a, b): (&[f64], &[f64]), shift: Option<Shift>, (whole_ps, delta_ps): (i64, i64), band: f64) -> Judged {
    if a.is_empty() || b.is_empty() {
        return Judged { verdict: Verdict::TooFewSteps, p: None };
    }
    let p = mann_whitney(a, b);
    let is_beyond = delta_ps.unsigned_abs() as f64 > band * whole_ps.unsigned_abs() as f64;
    let has_sign = shift.is_none_or(|shift| (shift.low > 0.0) == (delta_ps > 0) && shift.low * shift.high > 0.0);
    let is_real = is_beyond && p.is_none_or(|p| p < SIGNIFICANT && has_sign);
    Judged { verdict: Verdict::on(delta_ps, is_real), p }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps around a mean, each a little longer than the one before.
    fn steps(mean: f64, n: u32) -> Vec<f64> {
        (0..n).map(|i| mean * (1.0 + 0.001 * f64::from(i))).collect()
    }

    fn verdict(a: &[f64], b: &[f64]) -> Verdict {
        let mean = |of: &[f64]| (of.iter().sum::<f64>() / of.len().max(1) as f64) as i64;
        let whole = mean(a);
        evaluate((a, b), super::super::statistics::shift(a, b), (whole, mean(b) - whole), 0.01).verdict
    }

    #[test]
    fn a_difference_is_real_beyond_the_noise_of_steps_and_captures() {
        let base = steps(1e9, 8);
        assert_eq!(verdict(&base, &steps(1.05e9, 8)), Verdict::Regression);
        assert_eq!(verdict(&base, &steps(0.95e9, 8)), Verdict::Improvement);
        assert_eq!(verdict(&base, &base), Verdict::WithinNoise);
        // All steps are longer, but by less than captures vary.
        assert_eq!(verdict(&base, &steps(1.009e9, 8)), Verdict::WithinNoise);
        // One slow step moves the mean, and not the ranks.
        let mut slow = base.clone();
        slow[3] *= 2.0;
        assert_eq!(verdict(&base, &slow), Verdict::WithinNoise);
        // With few steps, the band alone decides.
        assert_eq!(verdict(&steps(1e9, 2), &steps(1.05e9, 2)), Verdict::Regression);
        assert_eq!(verdict(&base, &[]), Verdict::TooFewSteps);
    }
}
