//! This module finds how many independent values a sample is worth if neighbouring values resemble each other.

/// The largest lag-1 autocorrelation that is taken as chance.
const CHANCE: f64 = 0.3;

/// The fewest values for which an autocorrelation is taken as more than chance.
const MIN_SERIES: usize = 10;

/// Returns the lag-1 autocorrelation of values in the order of time. `None` if there are fewer than 3 values or all are
/// equal.
pub fn lag1_autocorrelation(values: &[f64]) -> Option<f64> {
    if values.len() < 3 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let products: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    Some(products / squares).filter(|rho| rho.is_finite())
}

/// Returns the number of independent values that say as much about the mean as `values`, which are in the order of time:
/// n (1 − ρ) ÷ (1 + ρ) for a lag-1 autocorrelation ρ above 0.3 of at least 10 values, else n. The result is at least 1,
/// or 0 without values.
pub fn effective_size(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    match lag1_autocorrelation(values) {
        Some(rho) if rho > CHANCE && values.len() >= MIN_SERIES => (n * (1.0 - rho) / (1.0 + rho)).max(1.0),
        _ => n,
    }
}

/// Returns the factor by which the interval of [`shift`](super::shift) is too narrow: √(n ÷ effective size) of the sample
/// for which it is larger. The values are in the order of time. 1 means that both samples are taken as independent values.
pub fn widening(a: &[f64], b: &[f64]) -> f64 {
    let ratio = |values: &[f64]| if values.is_empty() { 1.0 } else { values.len() as f64 / effective_size(values) };
    ratio(a).max(ratio(b)).sqrt()
}
