//! This module computes the statistics of a sample of times, such as the periods of steps.

use serde::{Deserialize, Serialize};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// The statistics of the lengths of steps. Times are in ps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    pub n: u32,
    pub mean: f64,
    /// The middle one; for an even number of steps, the mean of the two in the middle.
    pub median: f64,
    pub min: Picos,
    pub max: Picos,
    /// First and third quartile: a quarter and three quarters of the way from the shortest to the longest, by linear
    /// interpolation between neighbours.
    pub quartiles: [f64; 2],
    /// Standard deviation of a sample; `None` for a single step.
    pub std_dev: Option<f64>,
}

impl Spread {
    /// Returns the statistics of `lengths`; `None` if there are none.
    pub fn new(lengths: Vec<Picos>) -> Option<Self> {
        let n = lengths.len();
        Self::with_zeros(lengths, n)
    }

    /// Returns the statistics of `n` lengths, of which those that are not in `lengths` are zeros. `None` if there are none.
    /// `n` must be at least the number of `lengths`.
    #[expect(clippy::cast_precision_loss, reason = "a count of steps; figures about them are ratios")]
    pub fn with_zeros(mut lengths: Vec<Picos>, n: usize) -> Option<Self> {
        lengths.small_sort_by_key(|length| *length);
        let n_zeros = n.checked_sub(lengths.len())?;
        let length = |place: usize| place.checked_sub(n_zeros).map_or(Picos::ZERO, |place| lengths[place]);
        let last = n.checked_sub(1)?;
        let (min, max) = (length(0), length(last));
        let mean = lengths.iter().map(|length| length.as_f64()).sum::<f64>() / n as f64;
        let of_zeros = if n_zeros == 0 { 0.0 } else { n_zeros as f64 * mean.powi(2) };
        let squares = lengths.iter().fold(of_zeros, |sum, length| sum + (length.as_f64() - mean).powi(2));
        let std_dev = (n > 1).then(|| (squares / (n - 1) as f64).sqrt());
        let quantile = |quarters: usize| {
            let place = quarters * last;
            let (below, part) = (place / 4, (place % 4) as f64 / 4.0);
            let (low, high) = (length(below).as_f64(), length((below + 1).min(last)).as_f64());
            low + (high - low) * part
        };
        Some(Self { n: n as u32, mean, median: quantile(2), min, max, quartiles: [quantile(1), quantile(3)], std_dev })
    }

    /// Returns half the width of the 95 % confidence interval of the mean in ps: t × standard deviation ÷ √n, with
    /// Student's t for n − 1 degrees of freedom. `None` for a single step.
    pub fn interval(&self) -> Option<f64> {
        let degrees = (self.n as usize).checked_sub(1)?;
        Some(student_t(degrees) * self.std_dev? / f64::from(self.n).sqrt())
    }
}

/// Returns the length that the share `part` of `lengths` does not exceed, by linear interpolation between neighbours. `None`
/// without lengths.
pub fn quantile(mut lengths: Vec<Picos>, part: f64) -> Option<f64> {
    lengths.small_sort_by_key(|length| *length);
    let place = part.clamp(0.0, 1.0) * lengths.len().checked_sub(1)? as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in a list")]
    let below = place as usize;
    let (low, high) = (lengths[below].as_f64(), lengths[(below + 1).min(lengths.len() - 1)].as_f64());
    Some(low + (high - low) * (place - below as f64))
}

/// Returns the 97.5 % quantile of Student's t distribution: exact to 0.001 for up to 10 degrees of freedom, and within
/// 0.2 % above, by the first two terms of the expansion in 1 ÷ degrees (Abramowitz and Stegun, 26.7.5).
#[expect(clippy::cast_precision_loss, reason = "a count of steps; figures about them are ratios")]
fn student_t(degrees: usize) -> f64 {
    const SMALL: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    const Z: f64 = 1.959_964;
    let n = degrees as f64;
    let first = (Z.powi(3) + Z) / (4.0 * n);
    let second = (5.0 * Z.powi(5) + 16.0 * Z.powi(3) + 3.0 * Z) / (96.0 * n * n);
    degrees.checked_sub(1).and_then(|index| SMALL.get(index).copied()).unwrap_or(Z + first + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(all: &[u64]) -> Option<Spread> {
        Spread::new(all.iter().map(|n| Picos(*n)).collect())
    }

    #[test]
    fn figures_of_steps() {
        let four = spread(&[4, 1, 2, 9]).unwrap();
        assert_eq!((four.n, four.mean, four.median, four.min, four.max), (4, 4.0, 3.0, Picos(1), Picos(9)));
        assert_eq!(four.quartiles, [1.75, 5.25]);
        let deviation = (38.0_f64 / 3.0).sqrt();
        assert!((four.std_dev.unwrap() - deviation).abs() < 1e-12);
        assert!((four.interval().unwrap() - 3.182 * deviation / 2.0).abs() < 1e-12);
        let one = spread(&[5]).unwrap();
        assert_eq!((one.median, one.quartiles, one.std_dev, one.interval()), (5.0, [5.0, 5.0], None, None));
        assert_eq!(spread(&[]), None);
    }

    #[test]
    fn zeros_that_are_not_listed_count() {
        for (listed, n) in [(&[4, 1][..], 7), (&[], 3), (&[9], 1), (&[], 1), (&[0, 2, 2], 5), (&[8], 4)] {
            let whole: Vec<u64> = std::iter::repeat_n(0, n - listed.len()).chain(listed.iter().copied()).collect();
            let found = Spread::with_zeros(listed.iter().map(|n| Picos(*n)).collect(), n).unwrap();
            let expected = spread(&whole).unwrap();
            let deviation = found.std_dev.unwrap_or_default() - expected.std_dev.unwrap_or_default();
            assert!(deviation.abs() < 1e-12 && found.std_dev.is_some() == expected.std_dev.is_some(), "{listed:?}");
            assert_eq!(Spread { std_dev: expected.std_dev, ..found }, expected, "{listed:?}");
        }
        assert_eq!(Spread::with_zeros(Vec::new(), 0), None);
    }

    #[test]
    fn quantiles_of_students_t() {
        // From published tables.
        for (degrees, t) in [(1, 12.706), (10, 2.228), (11, 2.201), (15, 2.131), (30, 2.042), (100, 1.984)] {
            assert!((student_t(degrees) / t - 1.0).abs() < 0.002, "{degrees}: {}", student_t(degrees));
        }
    }
}
