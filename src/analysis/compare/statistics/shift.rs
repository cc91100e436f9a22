//! This module estimates by how much the values of one sample exceed those of another.

use super::distribution::{sorted_sample, u_deviation, u_distribution};
use serde::{Deserialize, Serialize};

/// The difference in location between two samples, b − a, in the unit of the values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shift {
    /// Hodges–Lehmann estimate: the median of the differences of all pairs.
    pub estimate: f64,
    /// Lower bound of the 95 % confidence interval.
    pub low: f64,
    /// Upper bound of the 95 % confidence interval.
    pub high: f64,
}

impl Shift {
    /// Returns the shift with each bound `factor` times as far from the estimate; see [`widening`](super::widening).
    #[must_use]
    pub fn widened(self, factor: f64) -> Self {
        let Self { estimate, low, high } = self;
        Self { estimate, low: estimate + (low - estimate) * factor, high: estimate + (high - estimate) * factor }
    }
}

/// Returns the Hodges–Lehmann estimate of b − a and its 95 % confidence interval (Hollander and Wolfe, Nonparametric
/// Statistical Methods, 4.2 and 4.3). The bounds are differences of pairs: the c-th smallest and the c-th largest one. The
/// number c comes from the exact distribution of U for at most [`EXACT_PAIRS`](super::EXACT_PAIRS) pairs, else from the
/// normal one. Ties make the interval wider than 95 % needs, never narrower.
///
/// `None` if a sample has fewer than [`MIN_SAMPLES`](super::MIN_SAMPLES) values, or a value that is not finite.
pub fn shift(a: &[f64], b: &[f64]) -> Option<Shift> {
    let differences = PairDifferences { a: sorted_sample(a)?, b: sorted_sample(b)? };
    let pairs = differences.len();
    let middle = f64::midpoint(differences.nth((pairs - 1) / 2), differences.nth(pairs / 2));
    let outside = pairs_outside(differences.a.len(), differences.b.len());
    Some(Shift { estimate: middle, low: differences.nth(outside), high: differences.nth(pairs - 1 - outside) })
}

/// Returns the number of pairs on each side of the 95 % confidence interval: the largest c − 1 with P(U ≤ c − 1) ≤ 2.5 %.
fn pairs_outside(n: usize, m: usize) -> u64 {
    const TAIL: f64 = 0.025;
    const Z: f64 = 1.959_964;
    let c = match u_distribution(n, m) {
        Some(below) => below.partition_point(|p| *p <= TAIL) as u64,
        // The cast turns a negative number into 0.
        None => (n as f64 * m as f64 / 2.0 - Z * u_deviation(n, m, 0.0) + 0.5) as u64,
    };
    c.saturating_sub(1)
}

/// The differences b − a of all pairs of two sorted samples, neither of them empty. The differences are not stored: a binary
/// search counts the pairs up to each candidate, so a selection is exact and takes O(n + m) steps for each of at most 64
/// candidates, for any number of pairs.
struct PairDifferences {
    a: Vec<f64>,
    b: Vec<f64>,
}

impl PairDifferences {
    /// Returns the number of pairs.
    fn len(&self) -> u64 {
        self.a.len() as u64 * self.b.len() as u64
    }

    /// Returns the number of pairs whose difference is at most `limit`.
    fn count_up_to(&self, limit: f64) -> u64 {
        let mut n = 0;
        let below = |a: &f64| {
            n += self.b[n..].iter().take_while(|b| *b - a <= limit).count();
            n as u64
        };
        self.a.iter().map(below).sum()
    }

    /// Returns the difference with `rank` smaller or equal ones before it. `rank` is below the number of pairs.
    fn nth(&self, rank: u64) -> f64 {
        let (a, b) = (&self.a, &self.b);
        let (smallest, largest) = (b[0] - a[a.len() - 1], b[b.len() - 1] - a[0]);
        let (mut low, mut high) = (order_key(smallest), order_key(largest));
        while low < high {
            let middle = u64::midpoint(low, high);
            if self.count_up_to(from_order_key(middle)) > rank {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        // Adding 0 turns −0 into 0.
        from_order_key(low) + 0.0
    }
}

/// The highest bit of a number, which is its sign.
const SIGN: u64 = 1 << 63;

/// Returns an integer for each number, such that the order of the integers is the order of the numbers.
fn order_key(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// Returns the number that has the given [`order_key`].
fn from_order_key(key: u64) -> f64 {
    f64::from_bits(if key & SIGN == 0 { !key } else { key & !SIGN })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_keys_are_ordered() {
        let values = [-f64::INFINITY, -1e300, -1.5, -1e-310, -0.0, 0.0, 1e-310, 1.5, 1e300, f64::INFINITY];
        assert!(values.map(order_key).is_sorted());
        assert_eq!(values.map(|value| from_order_key(order_key(value))), values);
    }

    #[test]
    fn normal_bounds_continue_the_exact_ones() {
        for (n, m) in [(20, 20), (10, 40), (8, 50)] {
            let exact = pairs_outside(n, m);
            let normal = n as f64 * m as f64 / 2.0 - 1.959_964 * u_deviation(n, m, 0.0) - 0.5;
            assert!((exact as f64 - normal).abs() <= 1.5, "{n} {m}: {exact} {normal}");
        }
        assert!(pairs_outside(20, 21) > pairs_outside(20, 20));
    }
}
