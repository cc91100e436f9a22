//! This module tests whether one of two samples tends to have larger values.

use super::distribution::{sorted_sample, two_sided_p, u_deviation, u_distribution};

/// Returns the two-sided p value of the Mann–Whitney test: the probability of a difference in ranks at least as large as
/// this one if both samples come from one distribution.
///
/// The p value is exact for at most [`EXACT_PAIRS`](super::EXACT_PAIRS) pairs without ties. Other samples use the normal
/// distribution with corrections for ties and for continuity. `None` if a sample has fewer than
/// [`MIN_SAMPLES`](super::MIN_SAMPLES) values, or a value that is not finite.
///
/// The test takes the values of a sample as independent of each other; see [`widening`](super::widening).
pub fn mann_whitney(a: &[f64], b: &[f64]) -> Option<f64> {
    let (a, b) = (sorted_sample(a)?, sorted_sample(b)?);
    let pairs = a.len() as u64 * b.len() as u64;
    // A pair counts 2 where b is larger, and 1 where both are equal.
    let twice_u = |value: &f64| a.partition_point(|x| x < value) + a.partition_point(|x| x <= value);
    let twice_u: u64 = b.iter().map(|value| twice_u(value) as u64).sum();
    let twice_u = twice_u.min(2 * pairs - twice_u);

    let ties = tie_term(&a, &b);
    if ties == 0.0
        && let Some(below) = u_distribution(a.len(), b.len())
    {
        return Some((2.0 * below[(twice_u / 2) as usize]).min(1.0));
    }
    let deviation = u_deviation(a.len(), b.len(), ties);
    let distance = ((pairs - twice_u) as f64 / 2.0 - 0.5).max(0.0);
    // The deviation is 0 if all values are equal.
    Some(if deviation > 0.0 { two_sided_p(distance / deviation) } else { 1.0 })
}

/// Returns the sum of t³ − t over the groups of t equal values in both samples together.
fn tie_term(a: &[f64], b: &[f64]) -> f64 {
    let mut all = [a, b].concat();
    all.sort_unstable_by(f64::total_cmp);
    all.chunk_by(|one, next| one == next).map(|group| (group.len() as f64).powi(3) - group.len() as f64).sum()
}
