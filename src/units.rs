//! Units as types. Knows arithmetic on time and sizes; knows nothing of profiles or of how numbers look.

use serde::{Deserialize, Serialize};
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// A length of time, or a moment since some origin, in integer picoseconds.
///
/// Addition saturates: a damaged file may claim times near 2⁶⁴, and a pegged sum is better than a panic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Picos(pub u64);

impl Picos {
    /// No time at all: a measured zero, not an absent value.
    pub const ZERO: Self = Self(0);

    /// `self - other`, or zero where `other` is larger.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// As a float of picoseconds, for ratios and drawing only.
    #[expect(clippy::cast_precision_loss, reason = "the edge where exact time becomes a ratio or a pixel")]
    pub const fn as_f64(self) -> f64 {
        self.0 as f64
    }

    /// `self / whole` as a fraction, `None` where the whole is zero.
    pub fn fraction_of(self, whole: Self) -> Option<f64> {
        (whole.0 > 0).then(|| self.as_f64() / whole.as_f64())
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
