//! This module judges whether a difference is real: whether it is larger than steps vary, and larger than captures vary.

use super::report::Verdict;
use super::statistics::{Shift, mann_whitney};

/// The probability below which a difference is not by chance. It is just above the smallest probability that 4 steps against
/// 4 can have, which is 2 ÷ 70.
pub const SIGNIFICANT: f64 = 0.03;

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
    let p = mann_whitney(a, b);
    let is_beyond = delta_ps.unsigned_abs() as f64 > band * whole_ps.unsigned_abs() as f64;
    let has_sign = shift.is_none_or(|shift| (shift.low > 0.0) == (delta_ps > 0) && shift.low * shift.high > 0.0);
    let is_real = is_beyond && p.is_none_or(|p| p < SIGNIFICANT && has_sign);
    Judged { verdict: Verdict::of_difference(delta_ps, is_real), p }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps around a mean, each a little longer than the one before.
    fn steps(mean: f64, n: u32) -> Vec<f64> {
        (0..n).map(|i| mean * (1.0 + 0.001 * f64::from(i))).collect()
    }

    fn verdict(a: &[f64], b: &[f64]) -> Verdict {
        let mean = |values: &[f64]| (values.iter().sum::<f64>() / values.len().max(1) as f64) as i64;
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
    }
    /// Returns `n` lengths of steps of 1 ms with normal noise (Box–Muller).
    fn noisy(random: &mut fastrand::Rng, mean: f64, noise: f64, n: usize) -> Vec<f64> {
        let mut step = || {
            let (radius, angle) = ((-2.0 * (1.0 - random.f64()).ln()).sqrt(), std::f64::consts::TAU * random.f64());
            1e9 * mean * (1.0 + noise * radius * angle.cos())
        };
        (0..n).map(|_| step()).collect()
    }

    /// Counts the regressions and the improvements of 1,000 pairs of 8 + 8 steps. B takes `factor` times as long.
    fn thousand(seed: u64, factor: f64, noise: f64) -> [usize; 2] {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut counts = [0; 2];
        for _ in 0..1000 {
            let (a, b) = (noisy(&mut random, 1.0, noise, 8), noisy(&mut random, factor, noise, 8));
            match verdict(&a, &b) {
                Verdict::Regression => counts[0] += 1,
                Verdict::Improvement => counts[1] += 1,
                _ => {}
            }
        }
        counts
    }

    #[test]
    fn verdicts_of_pairs_without_a_difference() {
        // The steps of the captures of one program on an H100 vary by less than 0.5 %.
        for seed in 1..=3 {
            let [regressions, improvements] = thousand(seed, 1.0, 0.5e-2);
            assert!(regressions < 10 && improvements < 10, "{regressions} {improvements}");
        }
        // The noise of the steps may be as wide as the band.
        let all: Vec<[usize; 2]> = (1..=10).map(|seed| thousand(seed, 1.0, 1e-2)).collect();
        let [regressions, improvements] = [0, 1].map(|index| all.iter().map(|counts| counts[index]).sum::<usize>());
        println!("of 10,000 pairs with noise of 1 %: {regressions} regressions, {improvements} improvements");
        assert!((50..100).contains(&regressions) && (50..100).contains(&improvements), "{regressions} {improvements}");
    }

    #[test]
    fn three_percent_are_a_regression() {
        for seed in 1..=3 {
            let [regressions, improvements] = thousand(seed, 1.03, 1e-2);
            assert!(regressions >= 990 && improvements == 0, "{regressions} {improvements}");
            let [regressions, improvements] = thousand(seed, 0.97, 1e-2);
            assert!(improvements >= 990 && regressions == 0, "{regressions} {improvements}");
        }
    }
}
