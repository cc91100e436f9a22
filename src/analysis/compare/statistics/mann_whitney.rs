//! This module tests whether one of two samples tends to have larger values.

use super::distribution::{two_sided_p, u_deviation, u_distribution};
use super::sample::Sample;

/// Returns the two-sided p value of the Mann–Whitney test: the probability of a difference in ranks at least as large as
/// this one if both samples come from one distribution.
///
/// The p value is exact for at most [`EXACT_PAIRS`](super::EXACT_PAIRS) pairs without ties. Other samples use the normal
/// distribution with corrections for ties and for continuity. `None` if a sample has fewer than
/// [`MIN_SAMPLES`](super::MIN_SAMPLES) values, or a value that is not finite.
///
/// The test takes the values of a sample as independent of each other; see [`widening`](super::widening).
pub fn mann_whitney(a: &[f64], b: &[f64]) -> Option<f64> {
    Some(mann_whitney_of_samples(&Sample::new(a)?, &Sample::new(b)?))
}

/// Returns the two-sided p value of the [Mann–Whitney test](mann_whitney) of two samples.
pub fn mann_whitney_of_samples(a: &Sample, b: &Sample) -> f64 {
    let pairs = a.n_values() as u64 * b.n_values() as u64;
    let (twice_u, ties) = ranks(a, b);
    let twice_u = twice_u.min(2 * pairs - twice_u);
    if ties == 0.0
        && let Some(below) = u_distribution(a.n_values(), b.n_values())
    {
        return (2.0 * below[(twice_u / 2) as usize]).min(1.0);
    }
    let deviation = u_deviation(a.n_values(), b.n_values(), ties);
    let distance = ((pairs - twice_u) as f64 / 2.0 - 0.5).max(0.0);
    // The deviation is 0 if all values are equal.
    if deviation > 0.0 { two_sided_p(distance / deviation) } else { 1.0 }
}

/// Returns twice the statistic U, and the sum of t³ − t over the groups of t equal values in both samples together. A pair
/// of values counts 2 in the first number where that of `b` is larger, and 1 where both are equal.
fn ranks(a: &Sample, b: &Sample) -> (u64, f64) {
    let (mut of_a, mut of_b) = (a.values().iter().peekable(), b.values().iter().peekable());
    let (mut twice_u, mut ties, mut below) = (0, 0.0, 0);
    loop {
        let value = match (of_a.peek(), of_b.peek()) {
            (Some((a, _)), Some((b, _))) => a.min(*b),
            (Some((value, _)), None) | (None, Some((value, _))) => *value,
            (None, None) => return (twice_u, ties),
        };
        let n_a = of_a.next_if(|(other, _)| *other == value).map_or(0, |(_, n)| *n);
        let n_b = of_b.next_if(|(other, _)| *other == value).map_or(0, |(_, n)| *n);
        twice_u += n_b * (2 * below + n_a);
        below += n_a;
        let equal = (n_a + n_b) as f64;
        ties += equal.powi(3) - equal;
    }
}
