//! This module computes the distributions that the rank test and its interval need: the exact distribution of U, and the
//! tail of the normal distribution.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// The fewest values of each sample for a test. Two samples of 3 values cannot reach p < 0.1, two of 4 reach 0.029.
pub const MIN_SAMPLES: usize = 4;

/// The largest number of pairs of values for which U has its exact distribution. Larger samples use the normal one.
pub const EXACT_PAIRS: usize = 400;

/// Returns a sorted copy of a sample. `None` if a test cannot use it: there are fewer than [`MIN_SAMPLES`] values, or one of
/// them is not finite.
pub(super) fn sorted_sample(values: &[f64]) -> Option<Vec<f64>> {
    let is_usable = values.len() >= MIN_SAMPLES && values.iter().all(|value| value.is_finite());
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    is_usable.then_some(sorted)
}

/// Returns the probabilities P(U ≤ u) for u = 0, 1, … n × m, where U is the Mann–Whitney statistic of samples of `n` and `m`
/// values from one distribution without ties. `None` if there are more than [`EXACT_PAIRS`] pairs.
///
/// The numbers of arrangements for each u are the coefficients of the Gaussian binomial coefficient
/// ∏ (1 − qⁿ⁺ⁱ) ÷ (1 − qⁱ), i = 1 … m. All of them are integers below 2⁵³.
pub(super) fn u_distribution(n: usize, m: usize) -> Option<Vec<f64>> {
    let pairs = n.checked_mul(m).filter(|pairs| *pairs <= EXACT_PAIRS)?;
    let mut counts = vec![0_i64; pairs + 1];
    counts[0] = 1;
    for i in 1..=m {
        for u in (n + i..=pairs).rev() {
            counts[u] -= counts[u - n - i];
        }
        for u in i..=pairs {
            counts[u] += counts[u - i];
        }
    }
    let all = counts.iter().sum::<i64>() as f64;
    let sums = counts.iter().scan(0, |sum, count| {
        *sum += count;
        Some(*sum)
    });
    Some(sums.map(|sum| sum as f64 / all).collect())
}

/// Returns the standard deviation of U for samples of `n` and `m` values. `ties` is the sum of t³ − t over the groups of t
/// equal values.
pub(super) fn u_deviation(n: usize, m: usize, ties: f64) -> f64 {
    let (n, m) = (n as f64, m as f64);
    let all = n + m;
    (n * m / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)))).max(0.0).sqrt()
}

/// Returns the probability that a standard normal variable is farther from 0 than `z`.
pub(super) fn two_sided_p(z: f64) -> f64 {
    complementary_error(z.abs() * FRAC_1_SQRT_2)
}

/// Returns erfc(x) for x ≥ 0, to about 14 digits: the series of erf around 0 (Abramowitz and Stegun, 7.1.6), and the
/// continued fraction of erfc above 2 (7.1.14).
fn complementary_error(x: f64) -> f64 {
    let density = (-x * x).exp() / PI.sqrt();
    if x < 2.0 {
        let terms = (1..60).scan(x, |term, k| {
            *term *= 2.0 * x * x / f64::from(2 * k + 1);
            Some(*term)
        });
        1.0 - 2.0 * density * (x + terms.sum::<f64>())
    } else {
        density / (1..=60).rev().fold(x, |fraction, k| x + f64::from(k) / 2.0 / fraction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_tail_equals_published_quantiles() {
        // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.1, and its usual extension to small p.
        let quantiles = [(0.0, 1.0), (0.674_490, 0.5), (1.959_964, 0.05), (2.575_829, 0.01), (3.290_527, 1e-3)];
        for (z, p) in quantiles.into_iter().chain([(4.417_173, 1e-5), (6.109_410, 1e-9)]) {
            assert!((two_sided_p(z) / p - 1.0).abs() < 1e-5, "{z}: {}", two_sided_p(z));
            assert_eq!(two_sided_p(z), two_sided_p(-z));
        }
        // The two formulas agree where they meet.
        let (below, above) = (complementary_error(2.0 - 1e-12), complementary_error(2.0));
        assert!((below / above - 1.0).abs() < 1e-10, "{below} {above}");
        assert_eq!(two_sided_p(f64::INFINITY), 0.0);
    }

    #[test]
    fn exact_distribution_of_u() {
        // Mann and Whitney (1947), "On a test of whether one of two random variables is stochastically larger than the
        // other", table I: P(U ≤ u) for n = m = 4, 5 and 6.
        let table: [(usize, &[f64]); 3] = [
            (4, &[0.014, 0.029, 0.057, 0.100, 0.171, 0.243, 0.343, 0.443, 0.557]),
            (5, &[0.004, 0.008, 0.016, 0.028, 0.048, 0.075, 0.111, 0.155, 0.210, 0.274, 0.345, 0.421, 0.500]),
            (6, &[0.001, 0.002, 0.004, 0.008, 0.013, 0.021, 0.032, 0.047, 0.066, 0.090, 0.120, 0.155, 0.197, 0.242]),
        ];
        for (n, published) in table {
            let exact = u_distribution(n, n).unwrap();
            for (u, p) in published.iter().enumerate() {
                assert!((exact[u] - p).abs() <= 0.000_5 + 1e-9, "n = {n}, u = {u}: {} is not {p}", exact[u]);
            }
        }
    }

    #[test]
    fn critical_values_of_u() {
        // Siegel (1956), Nonparametric Statistics, table K: the largest U that a two-sided test at 5 % and at 1 % rejects.
        let at_5 = [(4, 0), (5, 2), (6, 5), (7, 8), (8, 13), (9, 17), (10, 23), (11, 30), (12, 37), (13, 45), (14, 55)];
        let more = [(15, 64), (16, 75), (17, 87), (18, 99), (19, 113), (20, 127)];
        let at_1 = [(5, 0), (6, 2), (7, 4), (8, 7), (9, 11), (10, 16), (12, 27), (15, 51), (20, 105)];
        let critical = |n: usize, level: f64| {
            u_distribution(n, n).unwrap().iter().filter(|p| **p * 2.0 <= level).count() as i32 - 1
        };
        for (n, u) in at_5.into_iter().chain(more) {
            assert_eq!(critical(n, 0.05), u, "n = {n} at 5 %");
        }
        for (n, u) in at_1 {
            assert_eq!(critical(n, 0.01), u, "n = {n} at 1 %");
        }
    }

    #[test]
    fn shape_of_the_exact_distribution() {
        for (n, m) in [(4, 100), (20, 20), (1, 400), (7, 11)] {
            let (one, two) = (u_distribution(n, m).unwrap(), u_distribution(m, n).unwrap());
            assert_eq!(one, two);
            assert_eq!((one.len(), one[n * m]), (n * m + 1, 1.0));
            let pairs = n * m;
            for u in 0..pairs {
                assert!((one[u] + one[pairs - u - 1] - 1.0).abs() < 1e-12, "{n} {m} {u}");
            }
        }
        assert_eq!(u_distribution(20, 21), None);
        assert_eq!(u_distribution(usize::MAX, 2), None);
    }
}
