//! This module defines the factor between sums over windows and the mean that a query asks for.
//!
//! ```text
//!                     one device          sum of D devices       mean of D devices
//!  one window each    1                   1                      1 ÷ D
//!  mean of steps      1 ÷ N               D ÷ N                  1 ÷ N          N: windows of all devices
//! ```
//!
//! Times are rounded down to whole picoseconds per op, before they are summed. Sums of a mean are therefore exact: kinds
//! and rows add up to the busy time, and the busy time never exceeds the window.

use xla_profile::units::{Count, Picos};

/// A factor as a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    part: u64,
    whole: u64,
}

impl Scale {
    /// The factor 1.
    pub const ONE: Self = Self { part: 1, whole: 1 };

    /// Creates the factor `part` ÷ `whole`. A `whole` of zero counts as 1.
    pub const fn new(part: u64, whole: u64) -> Self {
        if part == whole || whole == 0 { Self::ONE } else { Self { part, whole } }
    }

    /// Returns an amount times the factor, rounded down. Saturates.
    pub fn amount(self, amount: u64) -> u64 {
        if self == Self::ONE {
            return amount;
        }
        let (part, whole) = (u128::from(self.part), u128::from(self.whole));
        u64::try_from(u128::from(amount) * part / whole).unwrap_or(u64::MAX)
    }

    /// Returns a time times the factor, rounded down to the picosecond. Saturates.
    pub fn time(self, time: Picos) -> Picos {
        Picos(self.amount(time.0))
    }

    /// Returns a count times the factor, which may be a fraction.
    pub fn count(self, count: Count) -> Count {
        Count::new(self.number(count.as_f64()))
    }

    /// Returns a number times the factor.
    #[expect(clippy::cast_precision_loss, reason = "numbers of devices and of windows")]
    pub fn number(self, number: f64) -> f64 {
        number * self.part as f64 / self.whole as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_rounded_down_and_counts_are_not() {
        let third = Scale::new(1, 3);
        assert_eq!([0, 1, 2, 3, 4].map(|n| third.amount(n)), [0, 0, 0, 1, 1]);
        assert_eq!(Scale::new(3, 2).amount(3), 4);
        assert_eq!(Scale::new(4, 2).time(Picos(u64::MAX)), Picos(u64::MAX));
        assert_eq!(third.count(Count::from(6_u64)).whole(), Some(2));
        assert_eq!(third.count(Count::ONE).whole(), None);
        for one in [Scale::new(0, 0), Scale::new(5, 5)] {
            assert_eq!((one, one.amount(u64::MAX)), (Scale::ONE, u64::MAX));
        }
    }
}
