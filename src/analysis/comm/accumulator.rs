//! This module accumulates one sum: a row, a primitive, or all traffic of one sort. It receives the spans and waits of
//! one core after the other, and does not depend on the grouping.

use super::report::{Overlap, Traffic};
use crate::analysis::base::Interval;
use crate::analysis::base::scale::Scale;
use crate::analysis::breakdown::report::per_second;
use crate::analysis::classify::primitive::Execution;
use indexmap::IndexSet;
use xla_profile::intervals::{ALL, Merged};
use xla_profile::profile::OpKey;
use xla_profile::units::{Count, Picos};

/// The common value of several items.
#[derive(Clone, Debug, Default)]
pub enum CommonValue<T> {
    /// No item was added.
    #[default]
    Nothing,
    /// All items have this value.
    One(T),
    /// The items have different values.
    Several,
}

impl<T: PartialEq> CommonValue<T> {
    /// Adds the value of one more item.
    pub fn add(&mut self, value: T) {
        match self {
            Self::Nothing => *self = Self::One(value),
            Self::One(known) if *known == value => {}
            Self::One(_) | Self::Several => *self = Self::Several,
        }
    }

    /// Returns the common value. `None` without items, or if the items differ.
    pub fn value(self) -> Option<T> {
        match self {
            Self::One(value) => Some(value),
            Self::Nothing | Self::Several => None,
        }
    }
}

/// The sums of a group of transfers.
#[derive(Default)]
pub struct CommAccumulator {
    pub traffic: Traffic,
    /// Σ full lengths of the counted executions.
    pub wall: Picos,
    /// Bytes on hardware links. `None` without executions, or if the bytes or the factor of one execution are unknown.
    bus_bytes: Option<f64>,
    pub execution: CommonValue<Execution>,
    /// Bytes of the message of one execution.
    pub each: CommonValue<Option<u64>>,
    ops: IndexSet<OpKey>,
    flying: Vec<Interval>,
}

impl CommAccumulator {
    /// Adds an op to the group. Adding the same op again has no effect.
    pub fn op(&mut self, named: OpKey, execution: Execution, bytes: Option<u64>) {
        if self.ops.insert(named) {
            self.execution.add(execution);
            self.each.add(bytes);
        }
    }

    /// Counts an execution with its full length in ps. `factor` is the number of bytes on hardware links per byte of
    /// message.
    pub fn count(&mut self, length: u64, bytes: Option<u64>, factor: Option<f64>) {
        if self.traffic.n == 0 {
            self.bus_bytes = Some(0.0);
        }
        self.traffic.n += Count::ONE;
        self.wall += Picos(length);
        match bytes {
            Some(bytes) => self.traffic.bytes = self.traffic.bytes.saturating_add(bytes),
            None => self.traffic.n_unsized += Count::ONE,
        }
        #[expect(clippy::cast_precision_loss, reason = "a rate")]
        let carried = bytes.zip(factor).map(|(bytes, factor)| bytes as f64 * factor);
        self.bus_bytes = self.bus_bytes.zip(carried).map(|(sum, more)| sum + more);
    }

    /// Adds an interval in flight, clipped to the window. [`Self::finish_core`] merges these intervals.
    pub fn add_span(&mut self, interval: Interval) {
        self.flying.push(interval);
    }

    /// Ends a core: merges its intervals in flight, splits them by its `compute`, and adds the result to the sums.
    pub fn finish_core(&mut self, compute: &Merged) {
        let waited = std::mem::take(&mut self.traffic.overlap.waited);
        let landed = overlap(&Merged::new(std::mem::take(&mut self.flying)), compute, ALL);
        let sum = &mut self.traffic.overlap;
        sum.add(&landed);
        sum.waited = waited;
    }

    /// Returns the number of different ops.
    pub fn n_ops(&self) -> u32 {
        self.ops.iter().count() as u32
    }

    /// Returns the algorithm bandwidth and the bus bandwidth in bytes per second. Each is `None` if its bytes are
    /// unknown, or if the executions take less than 100 ns on average.
    pub fn rates(&self) -> (Option<f64>, Option<f64>) {
        let per_second = |bytes: f64| per_second(Some(bytes), self.wall, self.traffic.n);
        #[expect(clippy::cast_precision_loss, reason = "a rate")]
        let sized = (self.traffic.n_unsized == 0 && self.traffic.n > 0).then_some(self.traffic.bytes as f64);
        (sized.and_then(per_second), self.bus_bytes.and_then(per_second))
    }
}

/// Splits the time in flight of a window into exposed and overlapped time. `waited` is zero.
pub fn overlap(flying: &Merged, compute: &Merged, window: Interval) -> Overlap {
    let in_flight = Picos(flying.length_in(window));
    let overlapped = Picos(flying.length_with(compute, window));
    Overlap { in_flight, exposed: in_flight.saturating_sub(overlapped), overlapped, waited: Picos::ZERO }
}

impl Overlap {
    /// Returns the overlap times a factor. The time in flight stays the sum of its parts.
    pub(super) fn scaled(&self, scale: Scale) -> Self {
        let (exposed, overlapped) = (scale.time(self.exposed), scale.time(self.overlapped));
        Self { in_flight: exposed + overlapped, exposed, overlapped, waited: scale.time(self.waited) }
    }

    /// Adds the overlap of another core or device.
    pub(super) fn add(&mut self, other: &Self) {
        self.in_flight += other.in_flight;
        self.exposed += other.exposed;
        self.overlapped += other.overlapped;
        self.waited += other.waited;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_of_what_is_known() {
        let mut accumulator = CommAccumulator::default();
        assert_eq!(accumulator.rates(), (None, None));
        accumulator.count(2_000_000, Some(4000), Some(1.5));
        assert_eq!(accumulator.rates(), (Some(2e9), Some(3e9)), "4,000 bytes in 2 µs");
        accumulator.count(2_000_000, Some(4000), None);
        assert_eq!(accumulator.rates(), (Some(2e9), None));
        accumulator.count(1, None, Some(1.0));
        assert_eq!(accumulator.rates(), (None, None));
        let mut short = CommAccumulator::default();
        short.count(99_999, Some(4000), Some(1.0));
        assert_eq!(short.rates(), (None, None), "next to no time");
        short.count(100_001, Some(4000), Some(1.0));
        assert_eq!(short.rates(), (Some(4e10), Some(4e10)), "100 ns on average");
    }

    #[test]
    fn cores_are_summed_after_subtracting_their_own_compute() {
        let mut accumulator = CommAccumulator::default();
        accumulator.add_span((0, 10));
        accumulator.add_span((5, 20));
        accumulator.traffic.overlap.waited += Picos(3);
        accumulator.finish_core(&Merged::new(vec![(2, 4), (15, 30)]));
        accumulator.add_span((0, 10));
        accumulator.finish_core(&Merged::default());
        let Overlap { in_flight, exposed, overlapped, waited } = accumulator.traffic.overlap;
        assert_eq!((in_flight, exposed, overlapped, waited), (Picos(30), Picos(23), Picos(7), Picos(3)));
    }

    #[test]
    fn alike() {
        let mut stated = CommonValue::default();
        assert_eq!(CommonValue::<u8>::Nothing.value(), None);
        stated.add(3);
        stated.add(3);
        assert_eq!(stated.clone().value(), Some(3));
        stated.add(4);
        stated.add(3);
        assert_eq!(stated.value(), None);
    }
}
