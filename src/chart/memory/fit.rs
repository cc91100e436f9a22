//! This module arranges the estimate of the memory for other sizes as a table and as the parts of a bar.

use super::size::in_unit;
use crate::analysis::memory::{Fit, FitRow, LIMIT, MemoryClass};
use crate::table::format::ABSENT;

/// A row of the table, as texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub class: MemoryClass,
    pub grows_with: &'static str,
    /// By rule of thumb, at the measured peak, and with the given sizes.
    pub sizes: [String; 3],
}

/// Returns the rows of the table and their sums.
pub fn rows(fit: &Fit) -> (Vec<Row>, [String; 2]) {
    let measured = fit.rows.iter().fold(0, |sum: u64, row| sum.saturating_add(row.measured));
    let about = |size: Option<u64>| {
        if size.is_none() {
            return ABSENT.to_owned();
        }
        let text = in_unit(size);
        if text.starts_with('<') { text } else { format!("~{text}") }
    };
    let row = |row: &FitRow| Row {
        class: row.class,
        grows_with: row.grows_with,
        sizes: [
            row.rule.map_or_else(|| ABSENT.to_owned(), |size| in_unit(Some(size))),
            in_unit(Some(row.measured)),
            about(row.estimate),
        ],
    };
    (fit.rows.iter().map(row).collect(), [in_unit(Some(measured)), about(fit.estimate)])
}

/// Returns the parts of the bar: a class and its share of the bar's length, which is the capacity, or the estimate if it
/// is larger. Empty without an estimate. The second value is the place of the limit on the bar; `None` if the capacity is unknown.
#[expect(clippy::cast_precision_loss, reason = "shares of a bar")]
pub fn bar(fit: &Fit) -> (Vec<(MemoryClass, f64)>, Option<f64>) {
    let whole = fit.capacity.unwrap_or(0).max(fit.estimate.unwrap_or(0)).max(1) as f64;
    let part = |row: &FitRow| Some((row.class, row.estimate.filter(|size| *size > 0)? as f64 / whole));
    let parts = fit.rows.iter().filter(|_| fit.estimate.is_some()).filter_map(part);
    (parts.collect(), fit.capacity.map(|capacity| capacity as f64 * LIMIT / whole))
}
