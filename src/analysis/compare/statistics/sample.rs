//! This module holds a sample whose equal values are stored once, with their number. A sample with many zeros, such as the
//! times of an op in steps in which it does not run, takes no more memory than its other values.

use super::distribution::sorted_sample;

/// The values of a sample in ascending order, each with the number of values that equal it. There are at least
/// [`MIN_SAMPLES`](super::MIN_SAMPLES) values, and all are finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    values: Vec<(f64, u64)>,
    n: usize,
}

impl Sample {
    /// Returns the sample of `values`. `None` if there are fewer than [`MIN_SAMPLES`](super::MIN_SAMPLES), or if one is not
    /// finite.
    pub fn new(values: &[f64]) -> Option<Self> {
        let sorted = sorted_sample(values)?;
        let values = sorted.chunk_by(|a, b| a == b).filter_map(|equal| Some((*equal.first()?, equal.len() as u64)));
        Some(Self { values: values.collect(), n: sorted.len() })
    }

    /// Returns the sample of `n` values, of which those that are not in `values` are zeros. `None` as for [`Sample::new`], and
    /// if there are more than `n` values.
    pub fn with_zeros(values: &[f64], n: usize) -> Option<Self> {
        let n_zeros = n.checked_sub(values.len())?;
        // A test needs few zeros to accept the values.
        let n_listed = n_zeros.min(super::MIN_SAMPLES);
        let mut sample = Self::new(&[values, &vec![0.0; n_listed]].concat())?;
        let more = (n_zeros - n_listed) as u64;
        sample.values.iter_mut().filter(|(value, _)| *value == 0.0).for_each(|(_, n)| *n += more);
        Some(Self { n, ..sample })
    }

    pub const fn n_values(&self) -> usize {
        self.n
    }

    /// Returns the different values in ascending order, each with its number.
    pub fn values(&self) -> &[(f64, u64)] {
        &self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_that_are_not_listed_are_those_of_a_whole_list() {
        let listed: [&[f64]; 5] = [&[], &[3.0], &[0.0, 2.0], &[2.0, 1.0, 2.0], &[5.0, -1.0, 4.0, 4.0, 0.0]];
        for values in listed {
            for n in 0..12_usize {
                let n_zeros = n.checked_sub(values.len());
                let whole: Option<Vec<f64>> = n_zeros.map(|zeros| [values, &vec![0.0; zeros]].concat());
                assert_eq!(
                    Sample::with_zeros(values, n),
                    whole.and_then(|whole| Sample::new(&whole)),
                    "{values:?} {n}"
                );
            }
        }
        assert_eq!(Sample::with_zeros(&[f64::NAN], 9), None);
        assert_eq!(Sample::with_zeros(&[1.0], 1_000_000).map(|sample| sample.values().len()), Some(2));
    }
}
