//! This module sums the roofline points of ops, and derives the figures of a group from the sums.
//!
//! ```text
//!  per op     t_c = n·flops / peak     t_m = n·bytes / bandwidth     t_roof = max     gap = t − t_roof
//!  per group  Σ of each: gaps of parts sum to the gap of the whole, in ps
//!             mfu = Σ t_c / Σ t: the average weighted by time
//! ```
//!
//! The formulas are those of Williams, Waterman and Patterson, "Roofline", 2009. This module does not depend on ops or
//! texts.

use super::cost::Cost;
use super::query::{Latency, Level, Precision};
use super::report::{CostSource, RooflinePosition};
use super::verdict::Bound;
use xla_profile::hlo::DType;
use xla_profile::units::{Count, Picos};

/// The cost of an op and the peaks that the op is compared with.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpPoint {
    pub cost: Cost,
    /// Peak FLOP/s of the device for `precision`.
    pub peak: f64,
    /// Peak bytes/s of each memory of the device, by [`Level::index`].
    pub bytes: [Option<f64>; 5],
    pub dtype: Option<DType>,
    pub precision: Precision,
    pub uncertain: bool,
    pub mixed: bool,
}

impl OpPoint {
    /// Returns the least time in ps that each resource allows `n` executions: compute, then memories by
    /// [`Level::index`]. Zero for a memory without a peak.
    pub fn floors(&self, n: Count) -> [f64; 6] {
        let times = n.as_f64();
        let mut floors = [self.cost.flops * times / self.peak * 1e12, 0.0, 0.0, 0.0, 0.0, 0.0];
        for level in Level::ALL.map(Level::index) {
            if let Some(peak) = self.bytes[level] {
                floors[level + 1] = self.cost.levels[level] * times / peak * 1e12;
            }
        }
        floors
    }

    /// Returns the roofline time of `n` executions in ps, and whether compute limits it.
    pub fn roofline_time(&self, n: Count) -> (f64, bool) {
        let (resource, time) = longest(&self.floors(n));
        (time, resource == 0)
    }
}

/// Returns the longest floor and its index; of several, the first.
fn longest(floors: &[f64; 6]) -> (usize, f64) {
    let later = |longest: (usize, f64), (index, floor): (usize, &f64)| {
        if *floor > longest.1 { (index, *floor) } else { longest }
    };
    floors.iter().enumerate().fold((0, floors[0]), later)
}

/// The value that all added items have in common, if they have one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Uniform<T> {
    None,
    One(T),
    Differ,
}

impl<T: PartialEq + Copy> Uniform<T> {
    fn add(&mut self, value: T) {
        *self = match *self {
            Self::None => Self::One(value),
            Self::One(one) if one == value => return,
            Self::One(_) | Self::Differ => Self::Differ,
        };
    }

    const fn get(self) -> Option<T> {
        match self {
            Self::One(one) => Some(one),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Sums {
    self_time: u64,
    n: Count,
    flops: f64,
    bytes: f64,
    levels: [f64; 5],
    /// Floors in ps: compute, then memories by [`Level::index`]. `exact` is not rounded and serves ratios; `floors` is
    /// rounded per op and serves sums.
    exact: [f64; 6],
    floors: [u64; 6],
    has: [bool; 5],
    exact_roof: f64,
    roof: u64,
    /// Self time by the resource with the longest floor of each op.
    bound: [u64; 6],
    gap: i64,
    recoverable: u64,
    above: u64,
    dtype: Uniform<Option<DType>>,
    precision: Uniform<Precision>,
    ridge: Uniform<Option<u64>>,
    uncertain: bool,
    mixed: bool,
    cost: CostSource,
}

impl Default for Sums {
    fn default() -> Self {
        Self {
            self_time: 0,
            n: Count::ZERO,
            flops: 0.0,
            bytes: 0.0,
            levels: [0.0; 5],
            exact: [0.0; 6],
            floors: [0; 6],
            has: [false; 5],
            exact_roof: 0.0,
            roof: 0,
            bound: [0; 6],
            gap: 0,
            recoverable: 0,
            above: 0,
            dtype: Uniform::None,
            precision: Uniform::None,
            ridge: Uniform::None,
            uncertain: false,
            mixed: false,
            cost: CostSource::Capture,
        }
    }
}

/// Rounds picoseconds to a whole number. Saturates.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
fn whole(picos: f64) -> u64 {
    picos.round() as u64
}

/// Returns `a − b`. Saturates.
fn difference(a: u64, b: u64) -> i64 {
    i64::try_from(i128::from(a) - i128::from(b)).unwrap_or(if a > b { i64::MAX } else { i64::MIN })
}

impl Sums {
    /// Adds `n` executions of an op that together took `self_time` ps of self time.
    pub fn add(&mut self, point: &OpPoint, n: Count, self_time: u64) {
        let times = n.as_f64();
        let Cost { flops, bytes, levels, source } = point.cost;
        self.self_time = self.self_time.saturating_add(self_time);
        self.n += n;
        self.flops += flops * times;
        self.bytes += bytes * times;
        for level in Level::ALL.map(Level::index) {
            self.levels[level] += levels[level] * times;
            self.has[level] |= point.bytes[level].is_some();
        }
        let exact = point.floors(n);
        for (i, exact) in exact.into_iter().enumerate() {
            self.exact[i] += exact;
            self.floors[i] = self.floors[i].saturating_add(whole(exact));
        }
        let (which, longest) = longest(&exact);
        self.bound[which] = self.bound[which].saturating_add(self_time);
        self.exact_roof += longest;
        let roof = whole(longest);
        self.roof = self.roof.saturating_add(roof);
        self.gap = self.gap.saturating_add(difference(self_time, roof));
        self.recoverable = self.recoverable.saturating_add(self_time.saturating_sub(roof));
        if roof > self_time {
            self.above = self.above.saturating_add(self_time);
        }
        self.dtype.add(point.dtype);
        self.precision.add(point.precision);
        self.ridge.add(point.bytes[Level::Hbm.index()].map(|bytes| (point.peak / bytes).to_bits()));
        self.uncertain |= point.uncertain;
        self.mixed |= point.mixed;
        self.cost = match (self.cost, source) {
            (CostSource::Yours, _) | (_, CostSource::Yours) => CostSource::Yours,
            (CostSource::ModelFlops, _) | (_, CostSource::ModelFlops) => CostSource::ModelFlops,
            _ => CostSource::Capture,
        };
    }

    /// Returns the self time in ps.
    pub const fn self_time(&self) -> u64 {
        self.self_time
    }

    /// Returns the recoverable time in ps: the sum of the positive gaps of ops.
    pub const fn recoverable(&self) -> u64 {
        self.recoverable
    }

    /// Computes the position in the roofline model.
    pub fn evaluate(&self, latency: Latency) -> RooflinePosition {
        #[expect(clippy::cast_precision_loss, reason = "the edge where exact time becomes a ratio")]
        let self_time = self.self_time as f64;
        let ratio = |exact: f64| (self.self_time > 0).then(|| exact / self_time);
        let mut bound = (Bound::Compute, self.exact[0]);
        for level in Level::ALL {
            let floor = self.exact[level.index() + 1];
            if floor > bound.1 {
                bound = (Bound::Memory(level), floor);
            }
        }
        let util = ratio(self.exact_roof);
        let hbm = self.levels[Level::Hbm.index()];
        let short = self.n.mean_of(Picos(self.self_time)).is_some_and(|mean| mean < latency.mean);
        #[expect(clippy::cast_precision_loss, reason = "a ratio")]
        let gap = self.gap as f64;
        RooflinePosition {
            total: Picos(self.self_time),
            n: self.n,
            flops: self.flops,
            bytes: self.bytes,
            level_bytes: self.levels,
            dtype: self.dtype.get().flatten().map(|dtype| dtype.to_string()),
            precision: self.precision.get(),
            dtype_uncertain: self.uncertain,
            dtype_mixed: self.mixed,
            cost: self.cost,
            intensity: (hbm > 0.0).then(|| self.flops / hbm),
            ridge: self.ridge.get().flatten().map(f64::from_bits),
            bound: bound.0,
            t_compute: Picos(self.floors[0]),
            t_memory: Level::ALL.map(|level| Picos(self.floors[level.index() + 1])),
            t_roof: Picos(self.roof),
            bound_total: self.bound.map(Picos),
            mfu: ratio(self.exact[0]),
            level_util: Level::ALL.map(|l| ratio(self.exact[l.index() + 1]).filter(|_| self.has[l.index()])),
            util,
            gap: self.gap,
            gap_fraction: ratio(gap),
            recoverable: Picos(self.recoverable),
            above: Picos(self.above),
            latency_bound: short && util.is_some_and(|util| util < latency.utilisation),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn op_point(flops: f64, bytes: f64, peak: f64, bandwidth: f64) -> OpPoint {
        OpPoint {
            cost: Cost { flops, bytes, levels: [bytes, 0.0, 0.0, 0.0, 0.0], source: CostSource::Capture },
            peak,
            bytes: [Some(bandwidth), None, None, None, None],
            dtype: Some(DType::BF16),
            precision: Precision::Bf16,
            uncertain: false,
            mixed: false,
        }
    }

    fn roof_of(point: &OpPoint, n: u64, self_time: u64) -> RooflinePosition {
        let mut sums = Sums::default();
        sums.add(point, n.into(), self_time);
        sums.evaluate(Latency::default())
    }

    fn near(value: f64, expected: f64, by: f64) -> bool {
        (value - expected).abs() < by
    }

    /// 138.8 GFLOP in 2.12 ms on a TPU v5e.
    #[test]
    fn by_hand_on_a_v5e() {
        let roof = roof_of(&op_point(138.8e9, 1e6, 197e12, 819e9), 1, 2_120_000_000);
        assert_eq!(roof.bound, Bound::Compute);
        assert_eq!(roof.t_compute, Picos(704_568_528));
        assert!(near(roof.gap as f64 / 1e9, 1.42, 0.005), "{}", roof.gap);
        assert!(near(roof.gap_fraction.unwrap(), 0.67, 0.005));
        assert!(near(roof.ridge.unwrap(), 240.5, 0.05));
        assert!(near(roof.mfu.unwrap() + roof.gap_fraction.unwrap(), 1.0, 1e-9));
    }

    /// 2·32·1024·8192·32768 FLOPs over 8 devices of 23 TFLOP/s take 95.6 ms.
    #[test]
    fn mfu_of_eight_devices_equals_the_hand_computation() {
        let flops = 2.0 * 32.0 * 1024.0 * 8192.0 * 32768.0;
        let mut sums = Sums::default();
        for _ in 0..8 {
            sums.add(&op_point(flops / 8.0, 1.0, 23e12, 1e12), 1.into(), 95_600_000_000);
        }
        let all = sums.evaluate(Latency::default());
        assert!(near(all.t_compute.as_f64() / 8.0 / 1e9, 95.6, 0.05), "{}", all.t_compute.0);
        assert!(near(all.mfu.unwrap(), 1.0, 1e-3));
    }

    #[test]
    fn op_at_the_ridge_is_compute_bound() {
        assert_eq!(roof_of(&op_point(240.0, 1.0, 240.0, 1.0), 1, 5_000_000_000_000).bound, Bound::Compute);
        assert_eq!(roof_of(&op_point(239.0, 1.0, 240.0, 1.0), 1, 5_000_000_000_000).bound, Bound::Memory(Level::Hbm));
    }

    #[test]
    fn other_memories_have_roofs_where_they_have_peaks() {
        let mut op = op_point(1.0, 100.0, 1e12, 1e12);
        op.cost.levels = [10.0, 90.0, 500.0, 0.0, 0.0];
        op.bytes[Level::VmemRead.index()] = Some(1e12);
        let roof = roof_of(&op, 1, 1000);
        assert_eq!((roof.bound, roof.t_roof), (Bound::Memory(Level::VmemRead), Picos(90)));
        assert_eq!(roof.bound_total, [0, 0, 1000, 0, 0, 0].map(Picos));
        assert_eq!(roof.level_util[Level::VmemWrite.index()], None, "no peak, no roof");
        assert_eq!((roof.hbm_util(), roof.intensity), (Some(0.01), Some(0.1)));
    }

    #[test]
    fn time_above_the_peak_does_not_reduce_recoverable_time() {
        let mut sums = Sums::default();
        sums.add(&op_point(400.0, 1.0, 1e12, 1e12), 1.into(), 100);
        sums.add(&op_point(50.0, 1.0, 1e12, 1e12), 1.into(), 100);
        let roof = sums.evaluate(Latency::default());
        assert_eq!((roof.gap, roof.recoverable, roof.above), (-250, Picos(50), Picos(100)));
        assert_eq!((roof.mfu, roof.is_above()), (Some(2.25), true));
    }

    #[test]
    fn without_time_there_are_no_ratios() {
        let roof = roof_of(&op_point(4.0, 1.0, 1e12, 1e12), 1, 0);
        assert_eq!((roof.mfu, roof.util, roof.gap_fraction, roof.gap), (None, None, None, -4));
        assert!(!roof.latency_bound);
        let huge = roof_of(&op_point(f64::MAX, f64::MAX, 1.0, 1.0), u64::MAX, u64::MAX);
        assert_eq!(huge.t_roof, Picos(u64::MAX));
    }

    #[test]
    fn short_and_little_used_is_latency() {
        let op = op_point(1.0, 1.0, 1e12, 1e12);
        assert!(roof_of(&op, 2, 10_000_000).latency_bound, "5 µs each");
        assert!(!roof_of(&op, 1, 10_000_000).latency_bound, "10 µs");
        assert!(!roof_of(&op_point(300_000.0, 1.0, 1e12, 1e12), 1, 1_000_000).latency_bound, "30 % of the peak");
    }
}
