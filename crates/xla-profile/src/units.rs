//! This module defines the types of a time and of a count, with their arithmetic and their text forms. It does not
//! depend on profiles.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cmp::Ordering;
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

    /// Returns the time later by `by` ps, or earlier if `by` is negative. A time before zero is zero.
    pub const fn moved(self, by: i64) -> Self {
        Self(self.0.saturating_add_signed(by))
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

/// A number of executions or events in a window of time. It is whole for one window, and may be a fraction for a mean
/// over several windows: an op that runs in every second step has half an execution per step.
///
/// Counts are never negative and never NaN. Whole counts are exact up to 2⁵³.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count(f64);

impl Count {
    /// No execution.
    pub const ZERO: Self = Self(0.0);
    /// One execution.
    pub const ONE: Self = Self(1.0);

    /// Creates a count from a number. Negative numbers and NaN become zero.
    ///
    /// The rounding of floats is undone where a whole number is meant: three thirds are one.
    pub fn new(n: f64) -> Self {
        let (n, nearest) = (n.max(0.0), n.max(0.0).round());
        Self(if (n - nearest).abs() <= nearest.max(1.0) * 1e-12 { nearest } else { n })
    }

    /// Returns the count as a float.
    pub const fn as_f64(self) -> f64 {
        self.0
    }

    /// Returns the count if it is a whole number.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and not negative; saturates")]
    pub fn whole(self) -> Option<u64> {
        (self.0.fract() == 0.0).then_some(self.0 as u64)
    }

    /// Returns this count times an amount, rounded to a whole number. Saturates.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "rounded and not negative; saturates"
    )]
    pub fn times(self, amount: u64) -> u64 {
        match self.whole() {
            Some(n) => n.saturating_mul(amount),
            None => (self.0 * amount as f64).round() as u64,
        }
    }

    /// Returns the mean of a total over this count, rounded down for whole counts, else to the nearest picosecond.
    /// `None` for a count of zero.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounded and not negative; saturates")]
    pub fn mean_of(self, total: Picos) -> Option<Picos> {
        match self.whole() {
            Some(n) => total.0.checked_div(n).map(Picos),
            None => Some(Picos((total.as_f64() / self.0).round() as u64)),
        }
    }
}

impl From<u64> for Count {
    #[expect(clippy::cast_precision_loss, reason = "exact up to 2⁵³")]
    fn from(n: u64) -> Self {
        Self(n as f64)
    }
}

impl PartialEq for Count {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Count {}

impl PartialOrd for Count {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Count {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialEq<u64> for Count {
    fn eq(&self, other: &u64) -> bool {
        *self == Self::from(*other)
    }
}

impl PartialOrd<u64> for Count {
    fn partial_cmp(&self, other: &u64) -> Option<Ordering> {
        Some(self.cmp(&(*other).into()))
    }
}

impl Add for Count {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.0 + other.0)
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Count {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

/// Formats whole counts without a point, and others with all their digits.
impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.whole() {
            Some(n) => n.fmt(f),
            None => self.0.fmt(f),
        }
    }
}

/// Whole counts are integers in JSON. Compact formats hold a float.
impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.whole().filter(|_| serializer.is_human_readable()) {
            Some(n) => serializer.serialize_u64(n),
            None => serializer.serialize_f64(self.0),
        }
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Self::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_may_be_fractions() {
        let third = Count::new(1.0 / 3.0);
        assert_eq!(
            [third + third + third, Count::new(1e9 / 3.0 * 3.0)].map(Count::whole),
            [Some(1), Some(1_000_000_000)]
        );
        assert_eq!([Count::new(-1.0), Count::new(f64::NAN)], [Count::ZERO; 2]);
        assert_eq!([third.times(10), Count::from(3).times(u64::MAX)], [3, u64::MAX]);
        assert_eq!(Count::ZERO.mean_of(Picos(5)), None);
        assert_eq!([Count::from(2).mean_of(Picos(5)), third.mean_of(Picos(5))], [Some(Picos(2)), Some(Picos(15))]);
        assert_eq!([0.0, 12.0, 3.25].map(|n| Count::new(n).to_string()), ["0", "12", "3.25"]);
    }
}
