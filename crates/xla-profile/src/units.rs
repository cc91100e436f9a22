//! This module defines the type of a time, with its arithmetic and its text form. It does not depend on profiles.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// A duration, or a point in time since some origin, in integer picoseconds.
///
/// Addition saturates: a damaged file may contain times near 2⁶⁴, and a saturated sum is better than a panic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Picos(pub u64);

impl Picos {
    /// A duration of zero. An absent value is `None` instead.
    pub const ZERO: Self = Self(0);

    /// Returns `self - other`, or zero if `other` is larger.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Returns the time as a float, in ps, for ratios and drawing only.
    #[expect(clippy::cast_precision_loss, reason = "the edge where exact time becomes a ratio or a pixel")]
    pub const fn as_f64(self) -> f64 {
        self.0 as f64
    }

    /// Returns `self / whole`, or `None` if `whole` is zero.
    pub fn fraction_of(self, whole: Self) -> Option<f64> {
        (whole.0 > 0).then(|| self.as_f64() / whole.as_f64())
    }
}

/// Formats a time that stands alone, such as "12.83 ms". The unit is the smallest one with at most three digits before
/// the point; seconds may have more digits, with commas between thousands. Two decimals are rounded half up. A time
/// below 1 ns is in whole ps.
impl fmt::Display for Picos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 1000 {
            return write!(f, "{} ps", self.0);
        }
        let units = [(1_000_u64, "ns"), (1_000_000, "µs"), (1_000_000_000, "ms"), (1_000_000_000_000, "s")];
        let hundredths = |unit: u64| (self.0 / (unit / 100)) + u64::from(self.0 % (unit / 100) >= unit / 200);
        let fits = |(unit, _): &(u64, &str)| hundredths(*unit) < 100_000;
        let (unit, symbol) = units.into_iter().find(fits).unwrap_or((1_000_000_000_000, "s"));
        let n = hundredths(unit);
        let whole = n / 100;
        match (whole / 1_000_000, whole / 1_000 % 1_000, whole % 1_000) {
            (0, 0, ones) => write!(f, "{ones}")?,
            (0, thousands, ones) => write!(f, "{thousands},{ones:03}")?,
            (millions, thousands, ones) => write!(f, "{millions},{thousands:03},{ones:03}")?,
        }
        write!(f, ".{:02} {symbol}", n % 100)
    }
}

impl Add for Picos {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Picos {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Picos {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}
