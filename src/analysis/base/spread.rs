//! This module computes the statistics of a sample of times, such as the periods of steps.

use crate::small_sort::SmallSort;
use crate::units::Picos;
use serde::{Deserialize, Serialize};

/// The statistics of the lengths of steps. Times are in ps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Number of steps.
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
    #[expect(clippy::cast_precision_loss, reason = "a count of steps; figures about them are ratios")]
    pub fn new(mut lengths: Vec<Picos>) -> Option<Self> {
        lengths.small_sort_by_key(|length| *length);
        let (min, max) = (*lengths.first()?, *lengths.last()?);
        let n = lengths.len();
        let mean = lengths.iter().map(|length| length.as_f64()).sum::<f64>() / n as f64;
        let squares: f64 = lengths.iter().map(|length| (length.as_f64() - mean).powi(2)).sum();
        let std_dev = (n > 1).then(|| (squares / (n - 1) as f64).sqrt());
        let at = |quarters: usize| {
            let place = quarters * (n - 1);
            let (below, part) = (place / 4, (place % 4) as f64 / 4.0);
            let (low, high) = (lengths[below].as_f64(), lengths[(below + 1).min(n - 1)].as_f64());
            low + (high - low) * part
        };
        Some(Self { n: n as u32, mean, median: at(2), min, max, quartiles: [at(1), at(3)], std_dev })
    }

    /// Returns half the width of the 95 % confidence interval of the mean in ps: t × standard deviation ÷ √n, with
    /// Student's t for n − 1 degrees of freedom. `None` for a single step.
    pub fn interval(&self) -> Option<f64> {
        let degrees = (self.n as usize).checked_sub(1)?;
        Some(student_t(degrees) * self.std_dev? / f64::from(self.n).sqrt())
    }
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
    degrees.checked_sub(1).and_then(|at| SMALL.get(at).copied()).unwrap_or(Z + first + second)
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
    fn quantiles_of_students_t() {
        // From published tables.
        for (degrees, t) in [(1, 12.706), (10, 2.228), (11, 2.201), (15, 2.131), (30, 2.042), (100, 1.984)] {
            assert!((student_t(degrees) / t - 1.0).abs() < 0.002, "{degrees}: {}", student_t(degrees));
        }
    }
}
