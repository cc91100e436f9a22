//! This module limits the false alarms of many tests at once.

/// Returns for each p value whether its test is significant by the procedure of Benjamini and Hochberg (1995): on average,
/// at most the share `level` of the significant tests are false alarms. Tests without a p value are not significant, and
/// do not count.
pub fn benjamini_hochberg(p: &[Option<f64>], level: f64) -> Vec<bool> {
    let mut sorted: Vec<f64> = p.iter().flatten().copied().filter(|p| !p.is_nan()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let limit = sorted.iter().enumerate().rev().find(|(i, p)| **p <= (*i + 1) as f64 / n * level).map(|(_, p)| *p);
    p.iter().map(|p| p.zip(limit).is_some_and(|(p, limit)| p <= limit)).collect()
}
