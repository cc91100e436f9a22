//! This module formats sizes in bytes, in columns and in texts.

use crate::table::format::{self, ABSENT, mib};

/// Returns a size with its unit. Sizes from 1 MiB up to 10 GiB are in MiB ("4,555.5 MiB"), so that neighbouring values
/// can be compared.
pub fn text(size: u64) -> String {
    if (1 << 20..10 << 30).contains(&size) { format!("{} MiB", mib(size)) } else { format::bytes_text(size) }
}

/// Common unit of an axis or a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeUnit {
    Mib,
    Gib,
}

impl SizeUnit {
    /// Returns the unit for a set of sizes with this largest size: GiB from 1 GiB on.
    pub const fn for_largest(size: u64) -> Self {
        if size >= 1 << 30 { Self::Gib } else { Self::Mib }
    }

    /// Returns the symbol of the unit.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Mib => "MiB",
            Self::Gib => "GiB",
        }
    }

    /// Converts bytes to this unit.
    #[expect(clippy::cast_precision_loss, reason = "sizes are shown to four digits")]
    pub const fn value(self, size: u64) -> f64 {
        size as f64
            / match self {
                Self::Mib => (1_u64 << 20) as f64,
                Self::Gib => (1_u64 << 30) as f64,
            }
    }

    /// Returns a size in this unit without the unit's symbol: two decimals for GiB, one for MiB. `None` gives "–".
    pub fn text(self, size: Option<u64>) -> String {
        let decimals = if self == Self::Gib { 2 } else { 1 };
        size.map_or_else(|| ABSENT.to_owned(), |size| format::decimal(self.value(size), decimals))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_the_digits_that_matter() {
        assert_eq!(text(4_776_787_968), "4,555.5 MiB");
        assert_eq!([text(512), text(20 << 30)], ["512 B", "20.0 GiB"]);
    }

    #[test]
    fn the_largest_size_decides_the_unit_of_all() {
        let unit = SizeUnit::for_largest(20 << 30);
        assert_eq!(
            (unit.label(), unit.text(Some(20 << 30)), unit.text(Some(512 << 20))),
            ("GiB", "20.00".to_owned(), "0.50".to_owned())
        );
        let unit = SizeUnit::for_largest((1 << 30) - 1);
        assert_eq!(
            (unit.label(), unit.text(Some(5 << 20)), unit.text(None)),
            ("MiB", "5.0".to_owned(), "–".to_owned())
        );
    }
}
