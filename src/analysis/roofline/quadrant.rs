//! This module says which of compute and memory a window uses for more than half of their peaks. It depends on two
//! shares, and not on ops.

/// The share of a peak from which on a resource counts as used much (Rooflight's own choice).
const MUCH: f64 = 0.5;

use xla_profile::keyed_enum;

keyed_enum! {
    /// The resources that are used much.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Quadrant {
        Both = "both",
        Compute = "compute",
        Memory = "memory",
        Neither = "neither",
    }
}

impl Quadrant {
    /// Compares the use of the matrix units and of HBM with half of their peaks. A share that is at least its value is
    /// given as `(share, true)`. `None` if a share is unknown, or if it is low and may be higher.
    pub fn new(compute: Option<(f64, bool)>, memory: Option<(f64, bool)>) -> Option<Self> {
        let is_much = |(share, is_at_least): (f64, bool)| match share >= MUCH {
            false if is_at_least => None,
            much => Some(much),
        };
        Some(match (is_much(compute?)?, is_much(memory?)?) {
            (true, true) => Self::Both,
            (true, false) => Self::Compute,
            (false, true) => Self::Memory,
            (false, false) => Self::Neither,
        })
    }

    /// Returns a sentence for users.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Both => {
                "Compute and memory both reach half of their peaks: only less work makes the step much shorter."
            }
            Self::Compute => "Compute reaches half of its peak, and memory does not.",
            Self::Memory => "Memory reaches half of its bandwidth, and compute does not.",
            Self::Neither => "Neither compute nor memory reaches half of its peak.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_higher_is_not_called_low() {
        let sure = |share| Some((share, false));
        assert_eq!(Quadrant::new(sure(0.6), sure(0.7)), Some(Quadrant::Both));
        assert_eq!(Quadrant::new(sure(0.6), sure(0.1)), Some(Quadrant::Compute));
        assert_eq!(Quadrant::new(sure(0.49), sure(0.5)), Some(Quadrant::Memory));
        assert_eq!(Quadrant::new(sure(0.2), sure(0.3)), Some(Quadrant::Neither));
        assert_eq!(Quadrant::new(Some((0.2, true)), sure(0.3)), None);
        assert_eq!(Quadrant::new(Some((0.6, true)), sure(0.3)), Some(Quadrant::Compute));
        assert_eq!(Quadrant::new(None, sure(0.3)), None);
    }
}
