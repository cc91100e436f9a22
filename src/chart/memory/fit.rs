//! This module arranges the estimate of the memory for other sizes as a table and as the parts of a bar.

use super::size::in_unit;
use crate::analysis::memory::{Fit, FitRow, LIMIT, MemoryClass};
use crate::chip::Chip;
use crate::chip::identify::chip_in_name;
use crate::table::format::ABSENT;

/// Returns the bytes of memory of one device of a chip. `None` if the table of chips does not have them.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size of memory")]
pub fn memory_of_chip(name: &str) -> Option<u64> {
    let chip = Chip::named(name)?;
    Some((chip.hbm_size?.value / f64::from(chip.devices(None))) as u64)
}

/// Returns the chip that the name of a session mentions, such as that of `v5p_4x4x4.hlo_proto.pb`.
pub fn chip_of_files(name: &str) -> Option<&'static str> {
    chip_in_name(name).map(|chip| chip.name)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chip_gives_the_memory_of_one_device() {
        assert_eq!(memory_of_chip("TPU v5p"), Some(95 << 30));
        assert_eq!(memory_of_chip("TPU v7x"), Some(96 << 30), "half of the chip");
        assert_eq!(memory_of_chip("no chip"), None);
        assert_eq!(chip_of_files("v5p_4x4x4_dense.hlo_proto.pb"), Some("TPU v5p"));
    }
}
