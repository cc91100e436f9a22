//! This module computes the median of a sample, and the largest usual difference of a history.

/// The fewest differences that make a history: those between 8 captures.
pub const MIN_DIFFERENCES: usize = 7;

/// Returns the middle value; for an even number of values, the mean of the two in the middle. `None` without values, or if
/// one is not a number.
pub fn median(values: &[f64]) -> Option<f64> {
    Some(quartiles(values)?[1])
}

/// Returns the largest difference that is usual in a history: Q3 + 3 × (Q3 − Q1), as in rustc-perf. `differences` holds
/// |Δ| between neighbouring captures. `None` for fewer than [`MIN_DIFFERENCES`], or if one is not a number.
pub fn fence(differences: &[f64]) -> Option<f64> {
    let [first, _, third] = quartiles(differences).filter(|_| differences.len() >= MIN_DIFFERENCES)?;
    Some(third + 3.0 * (third - first))
}

/// Returns the three quartiles, by linear interpolation between neighbouring values.
fn quartiles(values: &[f64]) -> Option<[f64; 3]> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1).filter(|_| !values.iter().any(|value| value.is_nan()))?;
    Some([1, 2, 3].map(|quarter| {
        let quarters = quarter * last;
        let (below, above) = (sorted[quarters / 4], sorted[quarters.div_ceil(4)]);
        below + (above - below) * (quarters % 4) as f64 / 4.0
    }))
}
