//! This module formats sizes in bytes. All sizes of the memory view are in MiB, so that each of them can be compared with
//! each other one. Only the capacity of a device is in the unit in which it is known: "95.0 GiB".

use crate::table::format::{ABSENT, mib};

/// The unit of all sizes of the view.
pub const UNIT: &str = "MiB";

/// Returns a size with its unit: "4,555.5 MiB".
pub fn text(size: u64) -> String {
    format!("{} {UNIT}", mib(size))
}

/// Returns a size without its unit. `None` gives "–".
pub fn in_unit(size: Option<u64>) -> String {
    size.map_or_else(|| ABSENT.to_owned(), mib)
}

/// Returns the place of a size on an axis in [`UNIT`].
#[expect(clippy::cast_precision_loss, reason = "sizes are drawn to a pixel")]
pub fn on_axis(size: u64) -> f64 {
    size as f64 / f64::from(1 << 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sizes_have_one_unit() {
        let sizes = [0, 44 << 10, 4_776_787_968, 20 << 30].map(text);
        assert_eq!(sizes, ["0 MiB", "0.043 MiB", "4,555.5 MiB", "20,480.0 MiB"]);
        assert_eq!([in_unit(Some(5 << 20)), in_unit(None)], ["5.0", "–"]);
    }
}
