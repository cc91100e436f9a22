//! This module computes differences of means exactly, and rounds the parts of a difference so that they sum to it.

use xla_profile::small_sort::SmallSort;
/// The means of two sides: sums of the sides are divided by these numbers, such as numbers of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divisors {
    pub a: u64,
    pub b: u64,
    /// The means are multiplied by this number.
    pub factor: u64,
}

/// A difference of means, as a numerator. The denominator is [`Divisors::denominator`].
pub type Numerator = i128;

impl Divisors {
    /// Returns the common denominator of all differences.
    pub fn denominator(self) -> i128 {
        i128::from(self.a.max(1)) * i128::from(self.b.max(1))
    }

    /// Returns `b` ÷ its divisor − `a` ÷ its divisor, times the factor. Sums of up to 2⁶³ ps fit as long as the product of the
    /// divisors and the factor is below 2⁶³.
    pub fn difference(self, a: u64, b: u64) -> Numerator {
        let factor = i128::from(self.factor);
        let term =
            |sum: u64, other: u64| i128::from(sum).saturating_mul(i128::from(other.max(1))).saturating_mul(factor);
        term(b, self.a).saturating_sub(term(a, self.b))
    }

    /// Returns the factors that turn a sum of each side into its mean.
    #[expect(clippy::cast_precision_loss, reason = "numbers of executions, which may be fractions")]
    pub fn scales(self) -> (f64, f64) {
        let scale = |divisor: u64| self.factor as f64 / divisor.max(1) as f64;
        (scale(self.a), scale(self.b))
    }

    /// Returns the mean of side A, rounded half to even.
    pub fn mean_a(self, sum: u64) -> i64 {
        round(i128::from(sum).saturating_mul(self.factor.into()), i128::from(self.a.max(1)))
    }

    /// Returns the mean of side B, rounded half to even.
    pub fn mean_b(self, sum: u64) -> i64 {
        round(i128::from(sum).saturating_mul(self.factor.into()), i128::from(self.b.max(1)))
    }
}

/// Divides and rounds half to even. `denominator` must be positive.
pub fn round(numerator: i128, denominator: i128) -> i64 {
    let (whole, rest) = (numerator.div_euclid(denominator), numerator.rem_euclid(denominator));
    let twice = rest.saturating_mul(2);
    let is_up = twice > denominator || (twice == denominator && whole.rem_euclid(2) == 1);
    i64::try_from(whole + i128::from(is_up)).unwrap_or(if whole < 0 { i64::MIN } else { i64::MAX })
}

/// Rounds parts so that they sum to `total`: each is rounded down, and the parts with the largest remainders get what is
/// missing. Of equal remainders, the first part is the one with the larger magnitude, so that parts of the opposite sign are
/// rounded to the opposite numbers. The exact sum of the parts must be less than 1 away from `total`.
pub fn round_parts(parts: &[Numerator], denominator: i128, total: i64) -> Vec<i64> {
    let mut rounded: Vec<i64> = parts
        .iter()
        .map(|part| i64::try_from(part.div_euclid(denominator)).unwrap_or(if *part < 0 { i64::MIN } else { i64::MAX }))
        .collect();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    let is_negative =
        if total == 0 { parts.iter().find(|part| **part != 0).is_some_and(|part| *part < 0) } else { total < 0 };
    let rank = |index: usize| if is_negative { parts.len() - index } else { index };
    order.small_sort_by_key(|index| (std::cmp::Reverse(parts[*index].rem_euclid(denominator)), rank(*index)));
    let sum: i128 = rounded.iter().map(|part| i128::from(*part)).sum();
    let missing = i128::from(total) - sum;
    // At most one for each part is missing; one less if `total` was rounded down.
    for index in order.iter().take(usize::try_from(missing).unwrap_or(0)) {
        rounded[*index] = rounded[*index].saturating_add(1);
    }
    if missing < 0
        && let Some(last) = order.last()
    {
        rounded[*last] = rounded[*last].saturating_add(i64::try_from(missing).unwrap_or(0));
    }
    rounded
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn halves_are_rounded_to_even() {
        assert_eq!([1, 2, 3, 5, -1, -3, 7].map(|n| round(n, 2)), [0, 1, 2, 2, 0, -2, 4]);
    }

    proptest! {
        #[test]
        fn parts_sum_to_the_difference(
            parts in proptest::collection::vec((0_u64..1 << 36, 0_u64..1 << 36), 1..20),
            a in 1_u64..100,
            b in 1_u64..100,
            factor in prop_oneof![Just(1_u64), Just(1_000_000)],
        ) {
            let divisors = Divisors { a, b, factor };
            let sum = |side: fn(&(u64, u64)) -> u64| parts.iter().map(side).sum::<u64>();
            let whole = divisors.difference(sum(|part| part.0), sum(|part| part.1));
            let numerators: Vec<Numerator> = parts.iter().map(|part| divisors.difference(part.0, part.1)).collect();
            prop_assert_eq!(numerators.iter().sum::<i128>(), whole);
            let total = round(whole, divisors.denominator());
            let rounded = round_parts(&numerators, divisors.denominator(), total);
            prop_assert_eq!(rounded.iter().sum::<i64>(), total);
            for (rounded, exact) in rounded.iter().zip(&numerators) {
                let distance = (i128::from(*rounded) * divisors.denominator() - exact).abs();
                prop_assert!(distance < 2 * divisors.denominator());
            }
            // The other way round, everything has the opposite sign.
            let turned = Divisors { a: b, b: a, factor };
            prop_assert_eq!(turned.difference(sum(|part| part.1), sum(|part| part.0)), -whole);
            let opposite: Vec<Numerator> = numerators.iter().map(|part| -part).collect();
            let opposite = round_parts(&opposite, divisors.denominator(), -total);
            prop_assert_eq!(opposite.iter().map(|part| -part).collect::<Vec<i64>>(), rounded);
        }
    }
}
