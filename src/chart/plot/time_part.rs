//! This module defines the parts of a window: the kinds of time, then idle. It holds their order and names, not their
//! values.

use crate::analysis::base::Totals;
use crate::analysis::classify::Kind;
use xla_profile::units::Picos;

/// A part of the window, in the order of bars and legends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimePart {
    Kind(Kind),
    /// Time in which no op ran.
    Idle,
}

impl TimePart {
    /// Iterates over all parts, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        Kind::ALL.into_iter().map(Self::Kind).chain([Self::Idle])
    }

    /// Returns the suffix of CSS classes and pattern names.
    pub const fn class(self) -> &'static str {
        match self {
            Self::Kind(kind) => kind.class(),
            Self::Idle => "idle",
        }
    }

    /// Returns the CSS variable that holds the colour.
    pub const fn css_var(self) -> &'static str {
        match self {
            Self::Kind(Kind::Compute) => "--k-compute",
            Self::Kind(Kind::Fused) => "--k-fused",
            Self::Kind(Kind::Communication) => "--k-comm",
            Self::Kind(Kind::DataMovement) => "--k-move",
            Self::Kind(Kind::Host) => "--k-host",
            Self::Kind(Kind::Container) => "--k-container",
            Self::Kind(Kind::Other) => "--k-other",
            Self::Idle => "--k-idle",
        }
    }

    pub const fn label(self) -> &'static str {
        match self {
            Self::Kind(kind) => kind.label(),
            Self::Idle => "Idle",
        }
    }

    /// Returns a short name for narrow places.
    pub const fn short(self) -> &'static str {
        match self {
            Self::Kind(kind) => kind.short(),
            Self::Idle => "Idle",
        }
    }

    /// Returns a few words about the contents of the part.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Kind(Kind::Compute) => "matmuls, fusions, kernels",
            Self::Kind(Kind::Fused) => "compute and communication in one op",
            Self::Kind(Kind::Communication) => "collectives, their waits",
            Self::Kind(Kind::DataMovement) => "copies, slices, layouts",
            Self::Kind(Kind::Host) => "infeed, outfeed, transfers, callbacks",
            Self::Kind(Kind::Container) => "loops, calls and branches themselves",
            Self::Kind(Kind::Other) => "unclassified",
            Self::Idle => "no op on the device",
        }
    }

    /// Returns the time of the part.
    pub fn time(self, totals: &Totals) -> Picos {
        match self {
            Self::Kind(kind) => totals.time_of_kind(kind),
            Self::Idle => totals.idle,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_sum_to_the_window() {
        let mut totals = Totals { idle: Picos(7), ..Totals::default() };
        totals.by_kind = [1, 2, 3, 4, 5, 6, 7].map(Picos);
        assert_eq!(TimePart::all().map(|time_part| time_part.time(&totals)).sum::<Picos>(), Picos(35));
        assert_eq!(TimePart::all().count(), 8);
    }

    #[test]
    fn classes_differ() {
        let mut classes: Vec<_> = TimePart::all().map(TimePart::class).collect();
        classes.sort_unstable();
        classes.dedup();
        assert_eq!(classes.len(), 8);
        assert!(TimePart::all().all(|time_part| time_part.css_var().strip_prefix("--k-") == Some(time_part.class())));
    }
}
