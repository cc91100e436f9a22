//! Sizes in a column, and in words. This module knows bytes.

use crate::table::format::{self, ABSENT, mib};

/// A size with its unit: "4,555.5 MiB" up to 10 GiB, so that neighbours compare; GiB above.
pub fn text(size: u64) -> String {
    if (1 << 20..10 << 30).contains(&size) { format!("{} MiB", mib(size)) } else { format::bytes_text(size) }
}

/// The one unit of an axis or of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeUnit {
    /// 2²⁰ bytes.
    Mib,
    /// 2³⁰ bytes.
    Gib,
}

impl SizeUnit {
    /// The unit that suits the largest of the sizes shown: GiB from 1 GiB on.
    pub const fn for_largest(size: u64) -> Self {
        if size >= 1 << 30 { Self::Gib } else { Self::Mib }
    }

    /// Its name.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Mib => "MiB",
            Self::Gib => "GiB",
        }
    }

    /// A size in this unit.
    #[expect(clippy::cast_precision_loss, reason = "sizes are shown to four digits")]
    pub const fn value(self, size: u64) -> f64 {
        size as f64
            / match self {
                Self::Mib => (1_u64 << 20) as f64,
                Self::Gib => (1_u64 << 30) as f64,
            }
    }

    /// A size in this unit as text, without the unit: GiB with two decimals, MiB with one; "–" where it is not known.
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
