//! Sums of what belongs together: a row, a primitive, all of one traffic. This module knows spans and waits of one core after the other;
//! knows nothing of why they belong together.

use super::async_pairs::Named;
use super::interval::{ALL, Merged};
use super::primitive::Execution;
use super::report::{Overlap, Traffic};
use crate::analysis::base::Interval;
use crate::analysis::breakdown::report::per_second;
use crate::units::Picos;
use indexmap::IndexSet;

/// What all of several say, if all say the same.
#[derive(Clone, Debug, Default)]
pub enum Uniform<T> {
    /// Nobody has said anything.
    #[default]
    Nothing,
    /// All the same.
    One(T),
    /// Not the same.
    Several,
}

impl<T: PartialEq> Uniform<T> {
    /// One more says something.
    pub fn add(&mut self, value: T) {
        match self {
            Self::Nothing => *self = Self::One(value),
            Self::One(known) if *known == value => {}
            Self::One(_) | Self::Several => *self = Self::Several,
        }
    }

    /// What all say.
    pub fn value(self) -> Option<T> {
        match self {
            Self::One(value) => Some(value),
            Self::Nothing | Self::Several => None,
        }
    }
}

/// A sum that grows.
#[derive(Default)]
pub struct CommAccumulator {
    /// Sums so far.
    pub traffic: Traffic,
    /// Σ length of counted executions.
    pub wall: Picos,
    /// Bytes on links; `None` once an execution's are not known.
    bus_bytes: Option<f64>,
    /// How the core waits.
    pub execution: Uniform<Execution>,
    /// Bytes of one execution.
    pub each: Uniform<Option<u64>>,
    ops: IndexSet<Named>,
    flying: Vec<Interval>,
}

impl CommAccumulator {
    /// One more op, whether it runs or not.
    pub fn op(&mut self, named: Named, execution: Execution, bytes: Option<u64>) {
        if self.ops.insert(named) {
            self.execution.add(execution);
            self.each.add(bytes);
        }
    }

    /// An execution that counts, with all of its length. `factor`: bytes on links per byte of message.
    pub fn count(&mut self, length: u64, bytes: Option<u64>, factor: Option<f64>) {
        if self.traffic.n == 0 {
            self.bus_bytes = Some(0.0);
        }
        self.traffic.n += 1;
        self.wall += Picos(length);
        match bytes {
            Some(bytes) => self.traffic.bytes = self.traffic.bytes.saturating_add(bytes),
            None => self.traffic.n_unsized += 1,
        }
        #[expect(clippy::cast_precision_loss, reason = "a rate")]
        let carried = bytes.zip(factor).map(|(bytes, factor)| bytes as f64 * factor);
        self.bus_bytes = self.bus_bytes.zip(carried).map(|(sum, more)| sum + more);
    }

    /// Something in flight within the window.
    pub fn fly(&mut self, at: Interval) {
        self.flying.push(at);
    }

    /// All of a core is reported: what was in flight is compared with what it computed.
    pub fn land(&mut self, compute: &Merged) {
        let waited = std::mem::take(&mut self.traffic.overlap.waited);
        let landed = overlap(&Merged::new(std::mem::take(&mut self.flying)), compute, ALL);
        let sum = &mut self.traffic.overlap;
        sum.add(&landed);
        sum.waited = waited;
    }

    /// How many ops.
    pub fn n_ops(&self) -> u32 {
        self.ops.iter().count() as u32
    }

    /// Bytes per second of messages, and of links; `None` of executions too short for a rate.
    pub fn rates(&self) -> (Option<f64>, Option<f64>) {
        let per_second = |bytes: f64| per_second(Some(bytes), self.wall, self.traffic.n);
        #[expect(clippy::cast_precision_loss, reason = "a rate")]
        let sized = (self.traffic.n_unsized == 0 && self.traffic.n > 0).then_some(self.traffic.bytes as f64);
        (sized.and_then(per_second), self.bus_bytes.and_then(per_second))
    }
}

/// What is in flight in a window against what is computed. What is in flight is either exposed or overlapped.
pub fn overlap(flying: &Merged, compute: &Merged, window: Interval) -> Overlap {
    let in_flight = Picos(flying.length_in(window));
    let overlapped = Picos(flying.length_with(compute, window));
    Overlap { in_flight, exposed: in_flight.saturating_sub(overlapped), overlapped, waited: Picos::ZERO }
}

impl Overlap {
    /// Adds what another core or device has.
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
        let mut bucket = CommAccumulator::default();
        assert_eq!(bucket.rates(), (None, None));
        bucket.count(2_000_000, Some(4000), Some(1.5));
        assert_eq!(bucket.rates(), (Some(2e9), Some(3e9)), "4,000 bytes in 2 µs");
        bucket.count(2_000_000, Some(4000), None);
        assert_eq!(bucket.rates(), (Some(2e9), None));
        bucket.count(1, None, Some(1.0));
        assert_eq!(bucket.rates(), (None, None));
        let mut short = CommAccumulator::default();
        short.count(99_999, Some(4000), Some(1.0));
        assert_eq!(short.rates(), (None, None), "next to no time");
        short.count(100_001, Some(4000), Some(1.0));
        assert_eq!(short.rates(), (Some(4e10), Some(4e10)), "100 ns on average");
    }

    #[test]
    fn cores_are_summed_and_each_is_held_against_its_own_compute() {
        let mut bucket = CommAccumulator::default();
        bucket.fly((0, 10));
        bucket.fly((5, 20));
        bucket.traffic.overlap.waited += Picos(3);
        bucket.land(&Merged::new(vec![(2, 4), (15, 30)]));
        bucket.fly((0, 10));
        bucket.land(&Merged::default());
        let Overlap { in_flight, exposed, overlapped, waited } = bucket.traffic.overlap;
        assert_eq!((in_flight, exposed, overlapped, waited), (Picos(30), Picos(23), Picos(7), Picos(3)));
    }

    #[test]
    fn alike() {
        let mut stated = Uniform::default();
        assert_eq!(Uniform::<u8>::Nothing.value(), None);
        stated.add(3);
        stated.add(3);
        assert_eq!(stated.clone().value(), Some(3));
        stated.add(4);
        stated.add(3);
        assert_eq!(stated.value(), None);
    }
}
