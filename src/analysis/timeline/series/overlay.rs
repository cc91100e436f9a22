//! This module adds up rates that hold at the same time: one step function from stretches of time with a rate each.
//!
//! ```text
//!  stretches   ├── 3 ──┤     ├─ unknown ─┤
//!                 ├─ 4 ──┤
//!  sum       0 │3 │ 7  │4│ 0 │ no value  │ 0
//! ```

use crate::analysis::counters::{StepBuilder, StepFunction};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use xla_profile::intervals::Interval;

/// A stretch of time with a rate.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    pub start: u64,
    pub end: u64,
    /// NaN if the rate is unknown.
    pub rate: f64,
}

/// Rates are summed in units of 2⁻⁴⁰, as whole numbers. A sum is therefore exactly 0 again when all its rates have ended.
const UNITS: f64 = (1_u64 << 40) as f64;
/// The greatest rate, in units. 2³² of them fit a sum.
const MOST: f64 = (1_u128 << 94) as f64;

/// The stretches that have begun and not ended.
#[derive(Default)]
struct Open {
    /// Ends with the rates in units; `None` if the rate is unknown.
    ends: BinaryHeap<Reverse<(u64, Option<i128>)>>,
    n_known: usize,
    sum: i128,
}

impl Open {
    #[expect(clippy::cast_possible_truncation, reason = "rates are clamped to 2⁹⁴ units")]
    fn begin(&mut self, stretch: &Stretch) {
        let known = !stretch.rate.is_nan();
        let rate = known.then(|| (stretch.rate * UNITS).clamp(-MOST, MOST).round() as i128);
        self.sum += rate.unwrap_or(0);
        self.n_known += usize::from(known);
        self.ends.push(Reverse((stretch.end, rate)));
    }

    fn next_end(&self) -> Option<u64> {
        self.ends.peek().map(|Reverse((end, _))| *end)
    }

    fn end(&mut self) {
        if let Some(Reverse((_, Some(rate)))) = self.ends.pop() {
            self.sum -= rate;
            self.n_known -= 1;
        }
    }

    /// Returns the sum of the rates that are known; NaN if there are only unknown ones.
    #[expect(clippy::cast_precision_loss, reason = "rates are estimates in doubles")]
    fn value(&self) -> f64 {
        if self.n_known == 0 && !self.ends.is_empty() { f64::NAN } else { self.sum as f64 / UNITS }
    }
}

/// Sums stretches in any order. The value is 0 where there is no stretch, from the start of `extent` to its end, and there
/// is none where all stretches have an unknown rate.
pub fn overlay(mut stretches: Vec<Stretch>, extent: Interval) -> StepFunction {
    stretches.retain(|stretch| stretch.start < stretch.end);
    stretches.sort_by_key(|stretch| stretch.start);
    let (mut steps, mut open) = (StepBuilder::default(), Open::default());
    let mut stretches = stretches.iter().peekable();
    let has_extent = extent.0 < extent.1;
    if has_extent && stretches.peek().is_none_or(|first| extent.0 < first.start) {
        steps.push(extent.0, 0.0);
    }
    let mut last = if has_extent { extent.1 } else { 0 };
    loop {
        let start = stretches.peek().map(|stretch| stretch.start);
        let Some(now) = start.into_iter().chain(open.next_end()).min() else { break };
        while open.next_end() == Some(now) {
            open.end();
        }
        while let Some(stretch) = stretches.next_if(|stretch| stretch.start == now) {
            open.begin(stretch);
        }
        last = last.max(now);
        // At the end of the function, no further step begins.
        if now < last || !open.ends.is_empty() || stretches.peek().is_some() {
            steps.push(now, open.value());
        }
    }
    steps.finish(last)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_sum_of_each_picosecond(
            parts in prop::collection::vec((0_u64..100, 0_u64..30, prop::option::weighted(0.8, 0_u8..9)), 0..60),
            extent in (0_u64..100, 0_u64..150),
        ) {
            let stretch = |(start, length, rate): &(u64, u64, Option<u8>)| {
                Stretch { start: *start, end: start + length, rate: rate.map_or(f64::NAN, f64::from) }
            };
            let all: Vec<Stretch> = parts.iter().map(stretch).collect();
            let function = overlay(all.clone(), extent);
            let hull = all.iter().filter(|span| span.start < span.end).map(|span| (span.start, span.end)).chain([extent]);
            let hull = hull.filter(|(from, to)| from < to).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
            for ps in 0..180_u64 {
                let open = || all.iter().filter(|span| (span.start..span.end).contains(&ps));
                let known: Vec<f64> = open().map(|span| span.rate).filter(|rate| !rate.is_nan()).collect();
                let is_unknown = known.is_empty() && open().count() > 0;
                let is_within = hull.is_some_and(|(from, to)| (from..to).contains(&ps));
                let sum = function.summary((ps, ps + 1));
                let expected = (is_within && !is_unknown).then(|| known.iter().fold(0.0, |sum, rate| sum + rate));
                prop_assert_eq!(sum.mean(), expected, "at {}", ps);
                prop_assert_eq!(sum.min.to_bits(), expected.unwrap_or(f64::NAN).to_bits());
                prop_assert_eq!(sum.max.to_bits(), sum.min.to_bits());
            }
        }
    }
}
